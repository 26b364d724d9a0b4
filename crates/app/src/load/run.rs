//! `run`: one workload on real targets, alone, as one rank of several, or for ranks elsewhere.

use std::time::Duration;

use iobound_machine::World;
use iobound_measure::compare::Condition;
use iobound_report::{Setting, curve_document};
use iobound_units::parse_count;
use iobound_workload::{Workload, shell_line, split_here};

use super::versus::VersusFlags;
use crate::compare::conditions_of;
use crate::fleet::coordinator::{self, OfRanks, gather};
use crate::fleet::{Cluster, RankFlags, RankWork, Standing, Team, alone_check, as_rank, standing_of};
use crate::options::{ConfigurationOptions, PageOptions, WorkloadOptions, options, read_words};
use crate::outfile::{DocumentKind, OutFile, Unwritten, refuse_doubles};
use crate::page::PageChoice;
use crate::process::LiveStyle;
use crate::replay::ReplayOptions;
use crate::results::{Keeping, Place, claim_of, place_of, toml_of};
use crate::run::{
    AnswerParts, Contest, Outputs, Readiness, RunAnswer, RunFlags, RunOptions, RunTargets, Side, TraceRun,
    at_goal, check_goal, check_needs, exit_of, fit, knee, make_ready, next_search, own_result, places,
    refuse_idle, run_stages, settle, told_of, write_trace,
};
use crate::settings::{ConfigurationRequest, SettingValue, Settings, configuration_if_any};
use crate::workload::{AskedWorkload, workload_to_run};
use crate::{Common, Env, Exit, Failure, Finished, PlainAnswer, effect};

options! {
    /// Asks for the I/O of real files and devices to be measured.
    pub struct RunRequest {
        /// Files, block devices, and folders (the run creates a file there); NAME=PATH gives a name for jobs
        targets: Vec<String> = Form::MaybeWords, "TARGET";
    }
    run: RunFlags;
    replay: ReplayOptions;
    workload: WorkloadOptions;
    configuration: ConfigurationOptions;
    page: PageOptions;
    fleet: RankFlags;
}

/// Specification of a run, once all options are read.
pub struct PreparedRun {
    how: RunOptions,
    files: AskedFiles,
    place: Place,
    conditions: Vec<Condition>,
    vs: Option<SettingValue>,
    rounds: Option<usize>,
    page: PageChoice,
    workload: AskedWorkload,
    trace: Option<TraceRun>,
    configuration: Option<ConfigurationRequest>,
    toml: Option<String>,
    /// Notes about options that change nothing.
    idle: Vec<String>,
    standing: Standing,
    env: Env,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// Files written beside the answer.
#[derive(Default)]
struct AskedFiles {
    ndjson: Option<SettingValue>,
    csv: Option<SettingValue>,
    hlog: Option<SettingValue>,
    trace_out: Option<SettingValue>,
    own_result: Option<SettingValue>,
}

/// The same, each at a place that was found fit for it.
struct OutFiles {
    ndjson: Option<OutFile>,
    csv: Option<OutFile>,
    hlog: Option<OutFile>,
    trace_out: Option<OutFile>,
    own_result: Option<OutFile>,
}

impl AskedFiles {
    /// Sees that each of them can be written, and that no two are one file.
    fn placed(&self, page: &PageChoice, results: &Place, how: &mut RunOptions) -> Result<OutFiles, Failure> {
        let of = |given: &Option<SettingValue>, kind| {
            given.as_ref().map(|given| OutFile::given(given, kind, &how.env)).transpose()
        };
        let files = OutFiles {
            ndjson: of(&self.ndjson, DocumentKind::IntervalLines)?,
            csv: of(&self.csv, DocumentKind::SeriesCsv)?,
            hlog: of(&self.hlog, DocumentKind::HistogramLog)?,
            trace_out: of(&self.trace_out, DocumentKind::Trace)?,
            own_result: of(&self.own_result, DocumentKind::Result)?,
        };
        let page = page.out_file()?;
        let all = [&files.ndjson, &files.csv, &files.hlog, &files.trace_out, &files.own_result, &page];
        let all: Vec<&OutFile> = all.into_iter().flatten().collect();
        refuse_doubles(&all)?;
        how.claims = all.iter().filter_map(|file| file.claim()).collect();
        how.claims.extend(claim_of(results));
        Ok(files)
    }
}

impl PreparedRun {
    /// Reads a request.
    ///
    /// # Errors
    /// Returns an error if the request cannot be read or built, or an option has no effect.
    pub fn read(request: &RunRequest, common: &Common, env: &Env) -> Result<PreparedRun, Failure> {
        PreparedRun::read_as(request, common, env, standing_of)
    }

    fn read_as(
        args: &RunRequest,
        common: &Common,
        env: &Env,
        standing: impl FnOnce(&RankFlags, &mut Settings) -> Result<Standing, Failure>,
    ) -> Result<PreparedRun, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let standing = standing(&args.fleet, &mut settings)?;
        let mut how = RunOptions::of(&args.run, &mut settings)?;
        let ndjson = settings.text("ndjson", args.run.ndjson.as_deref(), None);
        let csv = settings.text("csv", args.run.csv.as_deref(), None);
        let hlog = settings.text("hlog", args.run.hlog.as_deref(), None);
        let trace_out = settings.text("trace-out", args.run.trace_out.as_deref(), None);
        let place = place_of(args.run.results.as_deref(), &mut settings)?;
        let conditions = conditions_of(&args.run.fail_if)?;
        let vs = settings.text("vs", args.run.vs.as_deref(), None);
        how.log_ios = trace_out.is_some() && !how.find_knee && vs.is_none();
        let rounds = settings.parse("rounds", args.run.rounds.as_deref(), None, parse_rounds)?;
        let page = PageChoice::of(&args.page, &mut settings)?;
        let (offsets, words) = (args.run.offsets.as_deref(), &args.workload);
        let seed = common.seed.as_deref();
        let trace =
            TraceRun::read(&args.replay, offsets, words, &args.configuration, &how, seed, &mut settings)?;
        let (workload, configuration) = match &trace {
            None => (
                workload_to_run(words, seed, &mut settings)?,
                configuration_if_any(&args.configuration, &mut settings)?,
            ),
            Some(trace) => (trace.placeholder(), None),
        };
        let mut idle = refuse_idle(&settings, &how, &workload)?;
        if let Some(configuration) = &configuration {
            // A run has times of its own, whatever the prediction beside it says.
            idle.extend(effect::check_in_time(configuration, &workload.workloads, &settings)?);
        }
        let catalog = settings.given("catalog").map(SettingValue::path);
        let toml = configuration
            .as_ref()
            .map(|asked| toml_of(&asked.configuration, asked.cache, asked.age, catalog.as_deref()));
        let settings = settings.finish();
        Ok(PreparedRun {
            how,
            files: AskedFiles { ndjson, csv, hlog, trace_out, own_result: None },
            place,
            conditions,
            vs,
            rounds,
            page,
            workload,
            trace,
            configuration,
            toml,
            idle,
            standing,
            env: env.clone(),
            settings,
        })
    }

    /// True if nothing is to run: the answer is a plan, as text.
    pub fn is_dry_run(&self) -> bool {
        self.how.dry_run
    }

    /// Checks that the files beside the answer can be written.
    fn placed(&mut self) -> Result<OutFiles, Failure> {
        self.files.placed(&self.page, &self.place, &mut self.how)
    }

    fn answer<'a>(&'a self, csv: Option<&'a OutFile>, next: Vec<String>) -> AnswerParts<'a> {
        AnswerParts {
            conditions: &self.conditions,
            configuration: self.configuration.as_ref(),
            page: &self.page,
            csv,
            keeping: Keeping::new(self.place.clone(), "run", self.toml.clone(), &self.env),
            env: &self.env,
            next,
        }
    }

    /// The targets, and the stages that run on them.
    fn fitted(&mut self, targets: &[String]) -> Result<(RunTargets, Vec<Workload>), Failure> {
        let mut places = places(targets, &self.workload)?;
        if let Some(trace) = &self.trace {
            let (workloads, notes) = trace.fitted(&mut places, &mut self.how)?;
            notes.iter().for_each(|note| self.env.note(note));
            return Ok((places, workloads));
        }
        let (workloads, notes) = fit(&self.workload, &places, &self.how)?;
        self.idle.iter().chain(&notes).for_each(|note| self.env.note(note));
        Ok((places, workloads))
    }
}

/// Reads a request and runs every stage. [`Env::intervals_to`] takes the progress, [`Env::stop`] ends the run early.
///
/// # Errors
/// Returns an error if the request cannot be read, or the run is not possible, needs consent, or measured nothing.
pub fn run(request: &RunRequest, common: &Common, env: &Env) -> Result<Finished, Failure> {
    run_prepared(PreparedRun::read(request, common, env)?, request, common)
}

/// Runs every stage of a request that has been read.
///
/// # Errors
/// Returns an error if the run is not possible, needs consent, or measured nothing.
pub fn run_prepared(mut asked: PreparedRun, args: &RunRequest, common: &Common) -> Result<Finished, Failure> {
    let env = asked.env.clone();
    let standing = std::mem::replace(&mut asked.standing, Standing::NONE);
    let (others, own_path) = match standing {
        Standing::Rank(team) => return one_of_several(args, &mut asked, &team),
        Standing::Alone { others, own_result } => (others, own_result),
    };
    if let Some(given) = &own_path {
        refuse_without_a_result(given, &asked)?;
    }
    if let Some(given) = asked.files.trace_out.as_ref().filter(|_| asked.how.dry_run) {
        let help = "leave out --trace-out, or leave out --dry-run";
        return Err(given.refuse("nothing runs, so there is no I/O").help(help));
    }
    if let (Some(vs), Some(_)) = (&asked.vs, &asked.trace) {
        return Err(vs
            .refuse("turns have a fixed length, and a trace has its own")
            .help("leave one of the two out"));
    }
    if let Some(vs) = asked.vs {
        let keeping = Keeping::new(asked.place, "run", None, &env);
        let contest = versus(args, common, (asked.workload, asked.how), (&vs, asked.rounds))?;
        return contest.run(&asked.conditions, keeping, &asked.page);
    }
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    if asked.how.dry_run {
        asked.page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
    }
    asked.page.can_be_written()?;
    let (places, mut workloads) = asked.fitted(&args.targets)?;
    asked.files.own_result = own_path;
    let files = asked.placed()?;
    let how = &asked.how;

    let world = World::real();
    settle(&world, &mut workloads, &places, 1)?;
    check_goal(&workloads, how)?;
    let ready = match make_ready(&world, &places, &workloads, how)? {
        Readiness::Ready(ready) => *ready,
        Readiness::Plan(plan) => return Ok(Finished::with(PlainAnswer::for_people(plan), Exit::Done)),
    };
    if how.find_knee {
        let found = knee(&world, &ready, &workloads, how)?;
        let is_interrupted = found.is_none() || env.is_stopped();
        let mut unwritten = Unwritten::default();
        if let Some(answer) = &found {
            unwritten.take(asked.page.write(|| curve_document(&answer.curve)));
        }
        let removed = if how.remove { ready.remove_made() } else { Ok(()) };
        let exit = if is_interrupted { Exit::Interrupted } else { Exit::Done };
        return Ok(Finished::beside(
            found.map(|found| Box::new(found) as _),
            unwritten,
            removed.map(|()| exit),
        ));
    }
    let style = LiveStyle::default();
    let Some((workloads, found)) = at_goal(&world, &ready, workloads, how, style)? else {
        return Ok(Finished::without_answer(Exit::Interrupted));
    };
    let mut outputs = files.outputs()?;
    let mut stages = run_stages(&world, &ready, &workloads, how, &mut outputs, style)?;
    stages.iter_mut().for_each(|stage| stage.result.checks.extend(found.clone()));
    let mut unwritten = outputs.finish();
    if let Some(seen) = others.seen(&env) {
        stages.iter_mut().for_each(|stage| stage.result.checks.push(alone_check(&seen, &env)));
    }
    if let Some(file) = &files.trace_out {
        let written = unwritten.take(write_trace(file, &stages, &ready.names));
        stages.iter_mut().take(1).for_each(|stage| stage.result.notes.extend(written.clone()));
    }
    let next: Vec<String> = next_search(&workloads, &env).into_iter().collect();
    let parts = asked.answer(files.csv.as_ref(), next);
    let (answer, asserted) = parts.of(&mut told_of(&mut stages), &ready.prepared, &mut unwritten);
    if let Some(file) = &files.own_result {
        unwritten.take(own_result(file, &stages, &ready.prepared));
    }
    let removed = if how.remove { ready.remove_made() } else { Ok(()) };
    let ended = match removed.and_then(|()| exit_of(&stages, workloads.len(), &env)) {
        Ok(Exit::Done) => asserted,
        ended => ended,
    };
    Ok(Finished::beside(Some(Box::new(answer)), unwritten, ended))
}

/// Reads what a run is to be, and counts what it needs of memory; no target is opened.
///
/// # Errors
/// Returns an error if the run is not possible.
pub fn check(mut asked: PreparedRun, args: &RunRequest, common: &Common) -> Result<(), Failure> {
    if let (Some(vs), Standing::Alone { .. }) = (&asked.vs, &asked.standing) {
        let other = (vs, asked.rounds);
        return versus(args, common, (asked.workload, asked.how), other).map(drop);
    }
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    let (places, mut workloads) = asked.fitted(&args.targets)?;
    settle(&World::real(), &mut workloads, &places, 1)?;
    check_needs(&places, &workloads, &asked.how)
}

impl OutFiles {
    const NONE: OutFiles =
        OutFiles { ndjson: None, csv: None, hlog: None, trace_out: None, own_result: None };

    /// Opens those that are written while a run goes on.
    fn outputs(&self) -> Result<Outputs, Failure> {
        Outputs::open(self.ndjson.as_ref(), self.hlog.as_ref())
    }
}

/// Refuses a file for the result if the run has no result of its own.
///
/// # Errors
/// Returns an error if an option leaves the run without a result of its own; it names the option.
fn refuse_without_a_result(own_result: &SettingValue, asked: &PreparedRun) -> Result<(), Failure> {
    let conflicts = [
        (asked.vs.is_some(), "--vs", "a comparison of two sides has no result of one run"),
        (asked.how.find_knee, "--find-knee", "a search for the knee has no result of one run"),
        (asked.how.dry_run, "--dry-run", "nothing runs, so there is no result"),
    ];
    match conflicts.into_iter().find(|(is_set, ..)| *is_set) {
        Some((_, option, why)) => {
            Err(own_result.refuse(why).help(format!("leave out --own-result, or leave out {option}")))
        }
        None => Ok(()),
    }
}

/// Runs as one rank of several: the one that has the coordinator answers for all.
fn one_of_several(args: &RunRequest, asked: &mut PreparedRun, team: &Team) -> Result<Finished, Failure> {
    refuse_alone_only(asked)?;
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    let (places, workloads) = asked.fitted(&args.targets)?;
    // Only the rank that answers writes files.
    let files = match team.opens_coordinator && !asked.how.dry_run {
        true => asked.placed()?,
        false => OutFiles::NONE,
    };
    let work = RankWork { places: &places, workloads: &workloads, how: &asked.how };
    if asked.how.dry_run {
        asked.page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
        return Ok(Finished::with(PlainAnswer::for_people(work.plan(team)?), Exit::Done));
    }
    if !team.opens_coordinator {
        let end = as_rank(team, &team.meet, &work, LiveStyle::default());
        let mut own: Option<(RunAnswer, Unwritten)> = None;
        let ended = end.finish(team, &asked.env, |stages, ready| {
            let mut unwritten = Unwritten::default();
            let parts = asked.answer(files.csv.as_ref(), Vec::new());
            let (answer, judged) = parts.of(&mut told_of(stages), &ready.prepared, &mut unwritten);
            own = Some((answer, unwritten));
            judged.map(drop)
        });
        return match own {
            // The coordinator is lost: what this rank did is its own answer.
            Some((answer, unwritten)) => {
                let mut finished = Finished::beside(Some(Box::new(answer)), unwritten, ended);
                finished.exit = finished.failures.last().map_or(finished.exit, Failure::exit);
                Ok(finished)
            }
            None => ended.map(Finished::without_answer),
        };
    }
    let mut outputs = files.outputs()?;
    let cluster = team.with_coordinator(&work, &mut outputs, LiveStyle::default())?;
    Ok(answer(asked, &files, cluster, outputs.finish()))
}

/// Answers for ranks whose coordinator is in this process, which issues no load itself.
pub(crate) fn at_coordinator(
    at: OfRanks<'_>,
    args: &RunRequest,
    common: &Common,
    env: &Env,
) -> Result<Finished, Failure> {
    // The ranks are elsewhere, whatever started this process.
    let mut asked = PreparedRun::read_as(args, common, env, |_, _| Ok(Standing::NONE))?;
    refuse_alone_only(&asked)?;
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    let files = asked.placed()?;
    let (_, workloads) = asked.fitted(&args.targets)?;
    let mut outputs = files.outputs()?;
    let cluster = gather(at, &workloads, &asked.how, &mut outputs, LiveStyle::default())?;
    Ok(answer(&asked, &files, cluster, outputs.finish()))
}

/// Time that a coordinator of these words is patient with a rank that says nothing.
pub(crate) fn patience(args: &RunRequest, common: &Common, env: &Env) -> Result<Duration, Failure> {
    RunOptions::of(&args.run, &mut Settings::load(env, common.config.as_deref())?)
        .map(|how| coordinator::patience(&how))
}

/// The answer of all ranks together.
fn answer(asked: &PreparedRun, files: &OutFiles, mut cluster: Cluster, mut unwritten: Unwritten) -> Finished {
    let prepared = cluster.prepared();
    let parts = asked.answer(files.csv.as_ref(), Vec::new());
    let (answer, asserted) = parts.of(&mut cluster.told(), &prepared, &mut unwritten);
    let (ended, failures) = match cluster.exit() {
        Exit::Done => (asserted, Vec::new()),
        exit => (Ok(exit), cluster.failures()),
    };
    let mut finished = Finished::beside(Some(Box::new(answer)), unwritten, ended);
    finished.failures.extend(failures);
    finished
}

/// Options that work only on one machine.
fn refuse_alone_only(asked: &PreparedRun) -> Result<(), Failure> {
    let refused = |what: &str, why: &str| {
        Err(Failure::input(format!("{what} works only on one machine: {why}"))
            .help("leave it out, or run it on one host, with --alone under a launcher"))
    };
    if asked.trace.is_some() {
        return refused("--trace", "the ranks would all replay the same I/Os");
    }
    if asked.how.find_knee {
        return refused("--find-knee", "each probe depends on the previous one on the same machine");
    }
    if asked.how.load_goal.is_some() {
        return refused("--find-load", "each probe depends on the previous one on the same machine");
    }
    if asked.files.trace_out.is_some() {
        return refused("--trace-out", "each rank has its own I/Os");
    }
    if asked.how.until.is_some() {
        return refused("--until", "its ranks would end at different times");
    }
    match &asked.vs {
        Some(_) => refused("--vs", "its turns run one after the other on the same machine"),
        None => Ok(()),
    }
}

/// Conditions about a difference have nothing to differ from here, and a search has no figure of its own.
fn refuse_unjudgeable(conditions: &[Condition], how: &RunOptions) -> Result<(), Failure> {
    if let Some(condition) = conditions.iter().find(|condition| condition.needs_two()) {
        return Err(Failure::input(format!(
            "--fail-if '{condition}' is a condition on a difference, and there is only one run"
        ))
        .help(
            "write a value without a sign, such as 'iops < 50000', or compare two: --vs, iobound compare",
        ));
    }
    match conditions.first().filter(|_| how.find_knee) {
        Some(condition) => Err(Failure::input(format!(
            "--fail-if '{condition}' has no effect here: a search has only its curve"
        ))
        .help("leave it out, or leave out --find-knee")),
        None => Ok(()),
    }
}

/// Number of rounds, unless it is said: as many as batches in a confidence interval.
const ROUNDS: usize = 10;

fn parse_rounds(text: &str) -> Result<usize, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    match usize::try_from(count) {
        Ok(count @ 4..=1_000) => Ok(count),
        _ => Err(format!("{count} rounds: write 4 to 1,000 rounds, which a confidence interval needs")),
    }
}

/// Both sides of `--vs`: the other has what its words say, and else what the first has.
fn versus(
    args: &RunRequest,
    common: &Common,
    (asked, how): (AskedWorkload, RunOptions),
    (given, rounds): (&SettingValue, Option<usize>),
) -> Result<Contest, Failure> {
    let words = split_words(&given.text).map_err(|why| given.refuse(why))?;
    if words.is_empty() {
        return Err(given
            .refuse("nothing is otherwise")
            .help("write targets or flags: --vs /mnt/b, --vs '--depth 16'"));
    }
    let parsed: VersusFlags = read_words(&words).map_err(|first| {
        given.refuse(format!("`{}`: {first}", given.text)).help(
            "write targets, flags of the workload, --buffered, --write-through, --engine or --cpus; options for both sides go \
             before --vs",
        )
    })?;
    let (run_args, workload_args) = parsed.over(&args.run, &args.workload);
    let env = how.env.clone();
    let mut settings = Settings::load(&env, common.config.as_deref())?;
    let how_b = RunOptions::of(&run_args, &mut settings)?;
    let asked_b = workload_to_run(&workload_args, common.seed.as_deref(), &mut settings)?;
    let places_a = places(&args.targets, &asked)?;
    let places_b = if parsed.targets.is_empty() && asked_b.files.is_empty() {
        places_a.clone()
    } else {
        places(&parsed.targets, &asked_b)?
    };
    let side = |words: String, asked: AskedWorkload, places: RunTargets, how: RunOptions| {
        let (mut workloads, notes) = fit(&asked, &places, &how)?;
        notes.iter().for_each(|note| env.note(note));
        match (workloads.pop(), workloads.is_empty()) {
            (Some(workload), true) => Ok(Side { words, places, workload, how }),
            _ => Err(Failure::input(format!("--vs: {words} has several stages, and --vs compares one"))
                .help("compare the stages one by one")),
        }
    };
    let a = side(shell_line(args.targets.iter().map(String::as_str)), asked, places_a, how)?;
    let b = side(given.text.clone(), asked_b, places_b, how_b)?;
    if a.places == b.places
        && a.workload == b.workload
        && run_args.engine == args.run.engine
        && run_args.cpus == args.run.cpus
    {
        env.note("both sides are the same: every difference is random");
    }
    Contest::new([a, b], rounds.unwrap_or(ROUNDS))
}

/// The words of a line that a person wrote as one argument, taken apart as a shell does it.
///
/// # Errors
/// Returns an error if a quote is not closed.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, String> {
    split_here(text).ok_or_else(|| format!("`{text}`: a quote is not closed"))
}
