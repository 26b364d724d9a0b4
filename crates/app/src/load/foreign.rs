//! Runs in the words of another tool, answered in its forms.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iobound_formats::{Foreign, Ran, RanIo, RanMachine, RanTarget};
use iobound_load::engine::WrongBlock;
use iobound_load::run::LoggedIo;
use iobound_machine::World;
use iobound_measure::result::Check;
use iobound_measure::{Measured, ThreadMeasured};
use iobound_report::Prepared;
use iobound_units::Span;
use iobound_workload::{Queue, Target, Workload};

use super::cluster::into_foreign;
use crate::fleet::coordinator::{OfRanks, gather};
use crate::fleet::{RankFlags, RankWork, Standing, Team, alone_check, as_rank, standing_of};
use crate::outfile::{DocumentKind, OutFile, Unwritten};
use crate::process::{LiveStyle, LiveWhen};
use crate::results::{Keeping, ToKeep};
use crate::run::{
    Outputs, Readiness, RunOptions, RunTargets, Stage, at_goal, check_goal, exit_of, fit_to, make_ready,
    own_result, run_stages, this_machine,
};
use crate::settings::Settings;
use crate::workload::PathMap;
use crate::{Common, Env, Exit, Failure, Finished, PlainAnswer, ShownAnswer};

/// A run in another tool's words that is over.
pub(crate) struct ForeignRun {
    pub(crate) stages: Vec<ForeignStage>,
    pub(crate) targets: Vec<RanTarget>,
    pub(crate) machines: Vec<RanMachine>,
    /// Ranks that are missing or failed.
    pub(crate) failures: Vec<Failure>,
    /// Exit code, once the answer is out.
    pub(crate) exit: Result<Exit, Failure>,
}

/// A stage of it, as the writers of forms take it apart.
pub(crate) struct ForeignStage {
    pub(crate) workload: Workload,
    pub(crate) queues: Vec<Queue>,
    pub(crate) total: Measured,
    pub(crate) threads: Vec<ThreadMeasured>,
    pub(crate) checks: Vec<Check>,
    /// The threads of the pass that read back what was written.
    pub(crate) read_back: Vec<ThreadMeasured>,
    /// The threads that did not find what was written, each with its first such block.
    pub(crate) wrong: Vec<(u16, WrongBlock)>,
    wrong_threads: Vec<u16>,
    /// Every I/O of each thread, where a log has a line for each.
    ios: Vec<Vec<RanIo>>,
}

impl ForeignStage {
    /// A stage that nothing was read back of. `queues`, `total` and `threads` are of its outcome.
    pub(crate) fn new(
        workload: Workload,
        (queues, total, threads): (Vec<Queue>, Measured, Vec<ThreadMeasured>),
        checks: Vec<Check>,
    ) -> ForeignStage {
        ForeignStage {
            workload,
            queues,
            total,
            threads,
            checks,
            read_back: Vec::new(),
            wrong: Vec::new(),
            wrong_threads: Vec::new(),
            ios: Vec::new(),
        }
    }
}

/// The outcome of such words.
pub(crate) enum Foreigns {
    /// A run whose answer is to be printed.
    Ran(ForeignRun),
    /// It is over: only the plan was wanted, or another rank answers.
    Over(Finished),
}

/// Circumstances of such a run.
pub(crate) struct ForeignCall<'a> {
    pub(crate) common: &'a Common,
    /// An option of ours that was given, and that these verbs do not have.
    pub(crate) refused: Option<&'static str>,
    pub(crate) at: At<'a>,
    pub(crate) shown: LiveWhen,
}

/// A coordinator in this process for ranks elsewhere, and the name of their launcher.
pub(crate) type At<'a> = Option<OfRanks<'a>>;

/// The words as one line for the readers of foreign command lines, which take it apart into the same words.
///
/// Those readers keep backslashes, which belong to Windows paths. A shell does not, so printed lines are made by
/// `shell_line`.
pub(crate) fn line_of(words: &[String]) -> String {
    let quoted = |word: &String| {
        let plain =
            !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"`|<>&;^".contains(c));
        if plain && !word.ends_with('\\') {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\"'\"'"))
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The words of another tool without `--verbose`, which is iobound's own, and whether it was among them.
pub(crate) fn without_verbose(words: &[String]) -> (Vec<String>, bool) {
    let kept: Vec<String> = words.iter().filter(|word| *word != "--verbose").cloned().collect();
    let is_given = kept.len() < words.len();
    (kept, is_given)
}

/// Asks for `--verbose` of a verb that stands in for another tool: notes then go to standard error as well.
///
/// # Errors
/// Returns an error if `IOBOUND_VERBOSE` is neither true nor false.
pub(crate) fn verbose(given: bool, settings: &mut Settings) -> Result<(), Failure> {
    if settings.switch("verbose", given.then_some("true"))? {
        settings.env().of_process().write_kept_notes();
    }
    Ok(())
}

/// The answer in another tool's form, unless it has a file. One whose file can't be written any more is returned, so that
/// it is not lost.
pub(crate) fn answer(
    file: Option<&OutFile>,
    text: String,
    unwritten: &mut Unwritten,
) -> Option<Box<dyn ShownAnswer>> {
    let is_written = file.is_some_and(|file| unwritten.take(file.write(&text)).is_some());
    (!is_written).then_some(PlainAnswer::for_programs(text))
}

/// Run options from the environment: these verbs have the other tool's flags and none of ours.
pub(crate) fn how_of(settings: &mut Settings) -> Result<RunOptions, Failure> {
    RunOptions::of(&Default::default(), settings)
}

/// Settles the paths, runs every stage: alone, as one rank of several, or, at a coordinator, by others.
pub(crate) fn run_foreign(
    mut foreign: Foreign,
    map: &[String],
    how: &RunOptions,
    recreates: bool,
    mut keeping: Keeping,
    settings: &mut Settings,
    ForeignCall { common, refused, at, shown }: ForeignCall<'_>,
) -> Result<Foreigns, Failure> {
    // A coordinator's own answer is for a person: it shows what it always shows.
    let env = &how.env;
    let style = LiveStyle::default().shown(if at.is_some() { LiveWhen::Always } else { shown });
    let standing = match &at {
        // The ranks are elsewhere, whatever started this process.
        Some(_) => Standing::NONE,
        None => standing_of(&RankFlags::default(), settings)?,
    };
    // These verbs answer in the other tool's forms, which has flags of its own for them.
    if let Some(name) = refused.or(common.seed.is_some().then_some("seed")) {
        return Err(Failure::input(format!(
            "--{name} is not an option of this tool, whose output has its own format"
        ))
        .help("leave it out, or use iobound run with --diskspd, --fio or --iometer"));
    }
    let mut map = PathMap::of(&settings.texts("map", map))?;
    foreign.files.iter_mut().for_each(|file| map.apply_to_file(file));
    let mut workloads: Vec<Workload> = foreign.workloads().cloned().collect();
    workloads.iter_mut().for_each(|workload| map.apply(workload));
    if let Some(given) = map.unused().next() {
        return Err(given
            .refuse("no path of the workload starts with it")
            .help("leave it out, or check the start of the workload's paths"));
    }
    let mut stages: Vec<Workload> = workloads.iter().flat_map(Workload::stages).collect();
    for note in &foreign.notes {
        env.note(&format!("{}: {}", note.about, note.says));
    }
    let places = RunTargets::of_files(&foreign.files, recreates);
    if places.targets.is_empty() {
        return Err(Failure::input("there is no target").help("name a file or a device"));
    }
    if let Some(path) = places.of_windows() {
        let path = path.display();
        return Err(Failure::input(format!("{path} is a Windows path"))
            .help("map it to a local folder: --map e:=/mnt/data, or write a local path"));
    }
    fit_to(&mut stages, &places, how)?;
    let world = World::real();
    let (others, own_path) = match (at, standing) {
        (Some(at), _) => {
            let mut outputs = Outputs::default();
            let cluster = gather(at, &stages, how, &mut outputs, style)?;
            return Ok(Foreigns::Ran(into_foreign(cluster, &mut keeping, env)));
        }
        (None, Standing::Rank(team)) => return one_of_several(&team, &places, &stages, how, keeping, style),
        (None, Standing::Alone { others, own_result }) => (others, own_result),
    };
    let own_file =
        own_path.as_ref().map(|given| OutFile::given(given, DocumentKind::Result, env)).transpose()?;
    let mut how = how.clone();
    how.claims.extend(own_file.as_ref().and_then(OutFile::claim));
    let how = &how;
    check_goal(&stages, how)?;
    let ready = match make_ready(&world, &places, &stages, how)? {
        Readiness::Ready(ready) => *ready,
        Readiness::Plan(plan) => {
            return Ok(Foreigns::Over(Finished::with(PlainAnswer::for_people(plan), Exit::Done)));
        }
    };
    let Some((stages, found)) = at_goal(&world, &ready, stages, how, style)? else {
        return Ok(Foreigns::Over(Finished::without_answer(Exit::Interrupted)));
    };
    let mut outputs = Outputs::default();
    let mut ran = run_stages(&world, &ready, &stages, how, &mut outputs, style)?;
    ran.iter_mut().for_each(|stage| stage.result.checks.extend(found.clone()));
    if let Some(seen) = others.seen(&how.env) {
        ran.iter_mut().for_each(|stage| stage.result.checks.push(alone_check(&seen, &how.env)));
    }
    keep(&mut ran, &ready.prepared, &mut keeping, &how.env);
    // Write errors are reported after the answer.
    let written = own_file.as_ref().map_or(Ok(()), |file| own_result(file, &ran, &ready.prepared));
    let exit = written.and_then(|()| ready.unlink()).and_then(|()| exit_of(&ran, stages.len(), &how.env));
    let targets = targets_of(&ready.names, &places);
    Ok(Foreigns::Ran(of_one(ran, targets, &ready.prepared, exit, &how.env)))
}

/// Runs as one rank of several: the one that has the coordinator answers for all.
fn one_of_several(
    team: &Team,
    places: &RunTargets,
    workloads: &[Workload],
    how: &RunOptions,
    mut keeping: Keeping,
    style: LiveStyle,
) -> Result<Foreigns, Failure> {
    if how.load_goal.is_some() || !how.steady.is_empty() {
        return Err(Failure::input(
            "steadystate and latency_target are judged on one machine: its ranks would end at different times",
        )
        .help("leave them out, or run on one host"));
    }
    if how.until.is_some() {
        return Err(Failure::input("IOBOUND_UNTIL: its ranks would end at different times").help("unset it"));
    }
    let own = RunOptions { status: None, ..how.clone() };
    let work = RankWork { places, workloads, how: &own };
    if how.status.is_some() {
        how.env.note("status-interval: with several machines there is only one report, at the end");
    }
    if how.dry_run {
        let plan = PlainAnswer::for_people(work.plan(team)?);
        return Ok(Foreigns::Over(Finished::with(plan, Exit::Done)));
    }
    if team.opens_coordinator {
        let cluster = team.with_coordinator(&work, &mut Outputs::default(), style)?;
        return Ok(Foreigns::Ran(into_foreign(cluster, &mut keeping, &how.env)));
    }
    let mut own = None;
    let ended = as_rank(team, &team.meet, &work, style).finish(team, &how.env, |stages, ready| {
        keep(stages, &ready.prepared, &mut keeping, &how.env);
        let targets = targets_of(&ready.names, places);
        own = Some((std::mem::take(stages), targets, ready.prepared.clone()));
        Ok(())
    });
    match (ended, own) {
        // The coordinator is lost: what this rank did is its own answer.
        (Err(lost), Some((stages, targets, prepared))) => {
            Ok(Foreigns::Ran(of_one(stages, targets, &prepared, Err(lost), &how.env)))
        }
        (ended, _) => ended.map(|exit| Foreigns::Over(Finished::without_answer(exit))),
    }
}

fn keep(stages: &mut [Stage], prepared: &[Prepared], keeping: &mut Keeping, env: &Env) {
    let keep: Vec<ToKeep<'_>> = stages.iter().map(|stage| stage.to_keep(prepared)).collect();
    let ids = keeping.keep(&keep);
    drop(keep);
    if !ids.is_empty() {
        env.note(&format!("kept as {}", ids.join(", ")));
    }
    for (stage, id) in stages.iter_mut().zip(ids) {
        stage.result.id = Some(id);
    }
}

/// The run of one machine, as the forms show it.
fn of_one(
    ran: Vec<Stage>,
    targets: Vec<RanTarget>,
    prepared: &[Prepared],
    exit: Result<Exit, Failure>,
    env: &Env,
) -> ForeignRun {
    let prepared: f64 = prepared.iter().map(|file| file.seconds).sum();
    let machines = ran.iter().map(|stage| {
        let since =
            |at: SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
        let began = since(stage.outcome.began);
        let lasted = stage.outcome.total.series.last().map_or(0, |last| last.end.ns() / 1_000_000);
        RanMachine {
            began_unix_ms: began,
            ended_unix_ms: began + lasted,
            prepared_for: (prepared > 0.0).then(|| Span::from_ns((prepared * 1e9) as u64)),
            cpu: stage.result.cpu.clone().unwrap_or_default(),
            devices: stage.result.devices.clone(),
            ..this_machine(env)
        }
    });
    let machines = machines.collect();
    let stages = ran.into_iter().map(|stage| {
        let wrong: Vec<(u16, WrongBlock)> = stage.wrong().cloned().collect();
        let read_back = stage.read_back.map_or(Vec::new(), |pass| pass.threads);
        let ios = stage.outcome.ios.iter();
        // Logs of other tools have no flushes.
        let ios = ios.map(|ios| ios.iter().filter(|io| io.len > 0).map(ran_io).collect()).collect();
        let measured = (stage.outcome.queues, stage.outcome.total, stage.outcome.threads);
        ForeignStage {
            ios,
            read_back,
            wrong_threads: wrong.iter().map(|(thread, _)| *thread).collect(),
            wrong,
            ..ForeignStage::new(stage.workload, measured, stage.result.checks)
        }
    });
    ForeignRun { stages: stages.collect(), targets, machines, failures: Vec::new(), exit }
}

/// The targets by id, with the files that the words name.
fn targets_of(names: &[Target], places: &RunTargets) -> Vec<RanTarget> {
    let of = |it: &Target| {
        let asked = places.targets.iter().find(|target| target.name == it.name);
        let files = asked.into_iter().flat_map(|target| &target.files);
        let files = files.map(|file| file.path.display().to_string()).collect();
        RanTarget { path: it.name.clone(), size: it.size, files }
    };
    names.iter().map(of).collect()
}

fn ran_io(io: &LoggedIo) -> RanIo {
    let LoggedIo { end, lat, slat, op, len, offset, target } = *io;
    RanIo { end, lat, slat, op, len, offset, target: target.0 }
}

impl ForeignRun {
    /// Puts the notes made so far into the answer, for the forms that have a place for them.
    pub(crate) fn take_notes(&mut self, env: &Env) {
        let notes = env.of_process().kept_notes();
        self.machines.iter_mut().for_each(|machine| machine.notes.clone_from(&notes));
    }

    /// The runs of the stages, as the writers of forms take them.
    pub(crate) fn runs(&self) -> Vec<Ran<'_>> {
        self.stages
            .iter()
            .zip(&self.machines)
            .map(|(stage, machine)| Ran {
                workload: &stage.workload,
                queues: &stage.queues,
                targets: &self.targets,
                total: &stage.total,
                threads: &stage.threads,
                machine,
                checks: &stage.checks,
                read_back: &stage.read_back,
                ios: &stage.ios,
                wrong: &stage.wrong_threads,
            })
            .collect()
    }

    /// Findings that a form of another tool has no place for.
    pub(crate) fn say_checks(&self, env: &Env) {
        use iobound_measure::result::Outcome;
        for check in self.stages.iter().flat_map(|stage| &stage.checks) {
            match check.outcome {
                Outcome::Failed | Outcome::Warning => env.note(&format!("{}: {}", check.name, check.says)),
                Outcome::Ok | Outcome::Unknown => {}
            }
        }
    }

    /// The end of the run, with its answer and the files that could not be written.
    pub(crate) fn finished(self, answer: Option<Box<dyn ShownAnswer>>, unwritten: Unwritten) -> Finished {
        let mut finished = Finished::beside(answer, unwritten, self.exit);
        finished.failures.extend(self.failures);
        finished
    }
}
