use clap::{Args, Parser};
use iobound_machine::World;
use iobound_measure::compare::Condition;
use iobound_predict::{Prediction, Question, predict};
use iobound_report::{Ended, JudgedCondition, RunScreen, RunStage, run_json, run_text, series_csv};
use iobound_units::{Rate, Span, parse_count};
use iobound_workload::{Job, Load, Note, Spread, Targets, Workload};

use crate::arguments::{CommonArgs, ConfigurationArgs, RunArgs, VersusArgs, WorkloadArgs};
use crate::commands::compare::{self, conditions_of};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::LiveStyle;
use crate::page::{AskedPage, PageArgs};
use crate::results::{Keeping, ToKeep, place_of, toml_of};
use crate::run::{
    Contest, How, Outputs, Places, Side, Stage, can_be_written, is_direct, knee, line_of, make_ready,
    refuse_idle, run_stages,
};
use crate::settings::{Given, Settings, configuration_if_any};
use crate::workload::{AskedWorkload, workload_of};
use crate::{effect, interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound run /mnt/data                        30 s of 4 KiB random reads on a file of its own
  iobound run /mnt/data --sequential=shared --block 64KiB --threads 4 --depth 32 --duration 60s
  iobound run /mnt/data --random --read 70% --rate 5000iops --arrivals poisson
  iobound run /mnt/data --find-knee            the least outstanding that reaches the most
  iobound run /mnt/a --vs /mnt/b               two targets in turns: what differs, and how surely
  iobound run /mnt/a --depth 8 --vs '--depth 16' --fail-if 'p99 > +5%'
  iobound run /dev/sdc --duration 60s --json   a device is only read
  iobound run /dev/sdc --read 0% --overwrite /dev/sdc --dry-run
  iobound run /mnt/data --fail-if 'p99 > 5ms'  exit code 1 where that holds
  iobound run /mnt/data --vm DS14 --disk 10xP30    with what was to be expected beside
  iobound run /mnt/data --vm DS14 --disk 10xP30 --html page.html    and as a page, with pictures

A file or device that exists is only read, unless --overwrite names it as well. In a folder, the run
makes a file of its own, a tenth of what is free and at most 4 GiB unless --size says more, and keeps
it for the next.";

/// What do I really get: I/O on real files and devices, measured.
///
/// A file or device that exists is only read, unless --overwrite names it as well. In a folder, the run makes a file
/// of its own and keeps it for the next.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunVerbArgs {
    /// Files, folders (a file of their own) and block devices; NAME=PATH names one for jobs
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs every stage, and shows what it reached.
pub(crate) fn run(args: &RunVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let how = How::of(&args.run, &mut settings)?;
    let ndjson = settings.text("ndjson", args.run.ndjson.as_deref(), None);
    let csv = settings.text("csv", args.run.csv.as_deref(), None);
    let hlog = settings.text("hlog", args.run.hlog.as_deref(), None);
    let place = place_of(args.run.results.as_deref(), &mut settings)?;
    let conditions = conditions_of(&args.run.fail_if)?;
    let vs = settings.text("vs", args.run.vs.as_deref(), None);
    let rounds = settings.parse("rounds", args.run.rounds.as_deref(), None, parse_rounds)?;
    let page = AskedPage::of(&args.page, &mut settings)?;
    let asked = workload_of(&args.workload, common, &mut settings)?;
    let configuration = configuration_if_any(&args.configuration, &mut settings)?;
    let mut idle = refuse_idle(&settings, &how, &asked, common)?;
    if let Some(configuration) = &configuration {
        idle.extend(effect::check(configuration, &asked.workloads, &settings)?);
    }
    let catalog = settings.given("catalog").map(Given::path);
    let toml = configuration
        .as_ref()
        .map(|asked| toml_of(&asked.configuration, asked.cache, asked.age, catalog.as_deref()));
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    if let Some(vs) = vs {
        page.refuse("two are compared", "leave it out, or make a page of each by itself")?;
        let keeping = Keeping::new(place, "run", None);
        let other = Other { words: &vs, rounds };
        return versus(args, common, (asked, how), other)?.run(&conditions, keeping, common);
    }
    refuse_unjudgeable(&conditions, &how)?;
    if how.dry_run {
        page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
    }
    page.can_be_written()?;
    let places = places(&args.targets, &asked)?;
    let (workloads, notes) = fit(asked, &places, &how)?;
    idle.iter().chain(&notes).for_each(|note| output::note(note));
    for given in [&ndjson, &csv, &hlog].into_iter().flatten() {
        can_be_written(given)?;
    }

    let world = World::real();
    let Some(ready) = make_ready(&world, &places, &workloads, &how)? else { return Ok(Exit::Done) };
    if how.find_knee {
        let exit = knee(&world, &ready, &workloads, &how, &page, common)?;
        if how.remove {
            ready.remove_made()?;
        }
        return Ok(exit);
    }
    let mut outputs = Outputs::open(ndjson.as_ref(), hlog.as_ref())?;
    let mut keeping = Keeping::new(place, "run", toml);
    let mut stages = run_stages(&world, &ready, &workloads, &how, &mut outputs, LiveStyle::of(common))?;
    outputs.finish()?;
    if page.is_asked() {
        // What pictures are made of and nobody reads as text.
        for stage in &mut stages {
            stage.result.attach_histograms(&stage.outcome.total);
            stage.result.attach_latencies(&stage.outcome.total);
        }
    }
    let predictions: Vec<Option<Prediction>> = stages
        .iter()
        .map(|stage| {
            let asked = configuration.as_ref()?;
            let mut workload = stage.workload.clone();
            iobound_predict::name_targets(&mut workload, &asked.resolved);
            let question = Question {
                resolved: &asked.resolved,
                workload: &workload,
                cache: asked.cache,
                age: asked.age,
            };
            let predicted = predict(&question, &mut |_| {
                if interrupt::asked() { iobound_drive::Flow::Stop } else { iobound_drive::Flow::Continue }
            });
            predicted.map_err(|why| output::note(&format!("there is no prediction beside: {why}"))).ok()
        })
        .collect();
    let keep: Vec<ToKeep<'_>> = stages
        .iter()
        .zip(&predictions)
        .map(|(stage, prediction)| ToKeep {
            prediction: prediction.as_ref(),
            ..stage.to_keep(&ready.prepared)
        })
        .collect();
    let ids = keeping.keep(&keep);
    drop(keep);
    for (stage, id) in stages.iter_mut().zip(ids) {
        stage.result.id = Some(id);
    }
    let judged = judged(&conditions, &stages);
    let shown: Vec<RunStage<'_>> = stages
        .iter()
        .zip(&predictions)
        .map(|(stage, prediction)| RunStage {
            workload: &stage.workload,
            result: &stage.result,
            prediction: prediction.as_ref(),
            ended: stage.ended.clone(),
        })
        .collect();
    let explain =
        stages.first().and_then(|stage| stage.result.id.as_ref()).filter(|_| configuration.is_some());
    let next: Vec<String> =
        next(&workloads).into_iter().chain(explain.map(|id| format!("iobound explain {id}"))).collect();
    let told = judged.as_ref().map_or(&[][..], Vec::as_slice);
    let screen = RunScreen { stages: &shown, prepared: &ready.prepared, next: &next, conditions: told };
    // First the answer: a file that can't be written any more takes nothing of it away.
    output::page(common, |style| run_text(&screen, style), || run_json(&screen))?;
    page.write(|| run_json(&screen))?;
    if let Some(csv) = &csv {
        let path = csv.path();
        std::fs::write(&path, series_csv(&screen))
            .map_err(|error| Failure::io(format!("{path} can't be written: {error}")))?;
    }
    if how.remove {
        ready.remove_made()?;
    }
    match exit_of(&stages, workloads.len()) {
        Exit::Done => judged.map(|judged| compare::exit_of(&judged)),
        exit => Ok(exit),
    }
}

/// Conditions about a difference have nothing to differ from here, and a search has no figure of its own.
fn refuse_unjudgeable(conditions: &[Condition], how: &How) -> Result<(), Failure> {
    if let Some(condition) = conditions.iter().find(|condition| condition.needs_two()) {
        return Err(Failure::input(format!(
            "--fail-if '{condition}' is about a difference, and there is one run"
        ))
        .mend(
            "write a value without a sign, such as 'iops < 50000', or compare two: --vs, iobound compare",
        ));
    }
    match conditions.first().filter(|_| how.find_knee) {
        Some(condition) => Err(Failure::input(format!(
            "--fail-if '{condition}' changes nothing here: a search has no figures but its curve"
        ))
        .mend("leave it out, or leave out --find-knee")),
        None => Ok(()),
    }
}

/// The conditions, judged by each stage.
fn judged(conditions: &[Condition], stages: &[Stage]) -> Result<Vec<JudgedCondition>, Failure> {
    let mut judged = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        let of = (stages.len() > 1).then(|| format!("stage {}", index + 1));
        for condition in conditions {
            let found = condition.judge(&stage.result).map_err(|why| compare::unjudged(condition, &why))?;
            judged.push(JudgedCondition { condition: condition.clone(), of: of.clone(), judged: found });
        }
    }
    Ok(judged)
}

/// The other side of `--vs`.
struct Other<'a> {
    words: &'a Given,
    rounds: Option<usize>,
}

/// How many rounds there are, unless it is said: as many as batches in a confidence interval.
const ROUNDS: usize = 10;

fn parse_rounds(text: &str) -> Result<usize, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    match usize::try_from(count) {
        Ok(count @ 4..=1_000) => Ok(count),
        _ => Err(format!("{count} rounds: fewer than 4 tell no interval, and more than 1,000 are too many")),
    }
}

/// Both sides of `--vs`: the other has what its words say, and else what the first has.
fn versus(
    args: &RunVerbArgs,
    common: &CommonArgs,
    (asked, how): (AskedWorkload, How),
    other: Other<'_>,
) -> Result<Contest, Failure> {
    let given = other.words;
    let words = split_words(&given.text).map_err(|why| given.refuse(why))?;
    if words.is_empty() {
        return Err(given
            .refuse("nothing is otherwise")
            .mend("write targets or flags: --vs /mnt/b, --vs '--depth 16'"));
    }
    let parsed = VersusArgs::try_parse_from(&words).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
        given.refuse(format!("`{}`: {first}", given.text)).mend(
            "write targets, flags of the workload, --buffered, --write-through, --engine or --cpus; what holds for \
             both stands before --vs",
        )
    })?;
    let (run_args, workload_args) = parsed.over(&args.run, &args.workload);
    let mut settings = Settings::load(common)?;
    let how_b = How::of(&run_args, &mut settings)?;
    let asked_b = workload_of(&workload_args, common, &mut settings)?;
    let places_a = places(&args.targets, &asked)?;
    let places_b = if parsed.targets.is_empty() && asked_b.files.is_empty() {
        places_a.clone()
    } else {
        places(&parsed.targets, &asked_b)?
    };
    let side = |words: String, asked: AskedWorkload, places: Places, how: How| {
        let (mut workloads, notes) = fit(asked, &places, &how)?;
        notes.iter().for_each(|note| output::note(note));
        match (workloads.pop(), workloads.is_empty()) {
            (Some(workload), true) => Ok(Side { words, places, workload, how }),
            _ => Err(Failure::input(format!("--vs: {words} is several stages, and one is compared"))
                .mend("compare the stages one by one")),
        }
    };
    let a = side(line_of(&args.targets), asked, places_a, how)?;
    let b = side(given.text.clone(), asked_b, places_b, how_b)?;
    if a.places == b.places
        && a.workload == b.workload
        && run_args.engine == args.run.engine
        && run_args.cpus == args.run.cpus
    {
        output::note("both sides are the same: what differs is chance");
    }
    Contest::new([a, b], other.rounds.unwrap_or(ROUNDS))
}

/// Words as a shell takes them apart: at spaces, with quotation marks.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut inside, mut begun) = (String::new(), None::<char>, false);
    for c in text.chars() {
        match (inside, c) {
            (Some(quote), c) if c == quote => inside = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (inside, begun) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                    begun = false;
                }
            }
            (None, c) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if inside.is_some() {
        return Err(format!("`{text}` has a quotation mark that does not end"));
    }
    if begun {
        words.push(word);
    }
    Ok(words)
}

/// How the program ends after these stages of so many.
pub(crate) fn exit_of(stages: &[Stage], of: usize) -> Exit {
    for stage in stages {
        match &stage.ended {
            Ended::Complete => {}
            Ended::Interrupted => return Exit::Interrupted,
            Ended::Failed(why) => return failure_of(stage, why).report(),
        }
    }
    if stages.len() < of || interrupt::asked() { Exit::Interrupted } else { Exit::Done }
}

/// Why a stage failed, with the exit code of the cause.
pub(crate) fn failure_of(stage: &Stage, why: &str) -> Failure {
    // What was ended for the sake of others is no error of the target.
    let of_target =
        stage.outcome.error.is_some() || stage.outcome.reason != iobound_drive::EndReason::Stopped;
    if of_target { Failure::io(why) } else { Failure::refused(why) }
}

/// The targets of the command line, else the files of another tool's words.
fn places(targets: &[String], asked: &AskedWorkload) -> Result<Places, Failure> {
    if !targets.is_empty() {
        return Places::named(targets);
    }
    if asked.files.is_empty() {
        return Err(Failure::input("no target is given")
            .mend("name a folder, a file or a block device: iobound run /mnt/data"));
    }
    Ok(Places::of_files(&asked.files, true))
}

/// The stages as they will run on these targets, and what is to be said of them.
fn fit(asked: AskedWorkload, places: &Places, how: &How) -> Result<(Vec<Workload>, Vec<String>), Failure> {
    let by_jobs = asked.is_named_by_jobs();
    let asked_by_files = !asked.files.is_empty();
    let mut notes: Vec<String> =
        asked.notes.iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
    let mut workloads = asked.taken_apart();
    if by_jobs {
        let names = || places.targets.iter().map(|target| target.name.as_str());
        workloads.iter_mut().for_each(|workload| workload.place_by_name(names()));
    }
    // With one target there is no doubt which is meant; with several, a name that is none of them is a slip.
    let may_be_a_slip = !asked_by_files && places.targets.len() > 1;
    if let Some((job, name)) = places.stranger(&workloads).filter(|_| may_be_a_slip) {
        let known: Vec<&str> = places.targets.iter().map(|target| target.name.as_str()).collect();
        return Err(Failure::input(format!("job {job}: no target is called {name}"))
            .mend(format!("use {}, or name a target so: {name}=PATH", known.join(", "))));
    }
    let adopted = fit_to(&mut workloads, places, how)?;
    notes.extend(adopted.iter().map(|note| format!("{}: {}", note.about, note.says)));
    Ok((workloads, notes))
}

/// Makes stages such as run on these targets in this way; the notes say which names stand for which target.
pub(crate) fn fit_to(workloads: &mut [Workload], places: &Places, how: &How) -> Result<Vec<Note>, Failure> {
    let notes = places.adopt(workloads);
    for workload in workloads {
        for job in &mut workload.jobs {
            job.buffered |= how.buffered;
            job.durable |= how.write_through;
        }
        bound_rate(workload, how, places.targets.len())?;
        is_direct(std::slice::from_ref(workload), how)?;
    }
    Ok(notes)
}

/// Holds all jobs together below a number of I/Os a second: open loops must fit, closed ones share what they leave.
fn bound_rate(workload: &mut Workload, how: &How, targets: usize) -> Result<(), Failure> {
    let Some(most) = how.max_iops else { return Ok(()) };
    let open = |job: &Job| match job.load {
        Load::Open { rate, .. } => rate.iops_f64(job.mean_block()),
        Load::Closed { .. } => 0.0,
    };
    let asked: f64 = workload.jobs.iter().map(open).sum();
    let lanes: u64 =
        workload.jobs.iter().filter(|job| is_closed(job)).map(|job| lanes_of(job, targets)).sum();
    // What open loops leave, in whole I/Os.
    let left = (most as f64 - asked).floor();
    if asked > most as f64 || lanes > 0 && left < 1.0 {
        return Err(Failure::input(format!(
            "the jobs' rates are {asked:.0} IOPS together, and --max-iops allows {most}{}",
            if lanes > 0 { " with what the other jobs do" } else { "" }
        ))
        .mend("lower the rates, or raise --max-iops"));
    }
    for job in &mut workload.jobs {
        let block = job.mean_block();
        if let Load::Closed { cap, .. } = &mut job.load {
            // So many a second of all lanes: each has its share, exactly.
            let share = Rate::Ios { count: left as u64, per: Span::from_secs(lanes.max(1)) };
            if cap.is_none_or(|cap| cap.iops_f64(block) > share.iops_f64(block)) {
                *cap = Some(share);
            }
        }
    }
    Ok(())
}

fn is_closed(job: &Job) -> bool {
    matches!(job.load, Load::Closed { .. })
}

/// How many lanes a job has on its part of so many targets.
fn lanes_of(job: &Job, targets: usize) -> u64 {
    let used = match &job.targets {
        Targets::All => targets,
        Targets::Named(names) => names.len(),
    };
    match job.spread {
        Spread::PerTarget | Spread::Every => u64::from(job.threads) * used as u64,
        Spread::Dealt => u64::from(job.threads),
    }
}

/// What to run after this: the same, as a search, where there is one thing to raise.
fn next(workloads: &[Workload]) -> Option<String> {
    let [workload] = workloads else { return None };
    let [job] = &workload.jobs[..] else { return None };
    matches!(job.load, Load::Closed { cap: None, .. }).then(|| as_search(std::env::args().skip(1)))
}

/// Flags with a value that a search takes nothing from.
const NOT_OF_A_SEARCH: [&str; 12] = [
    "--duration",
    "--warmup",
    "--cooldown",
    "--until",
    "--interval",
    "--ndjson",
    "--csv",
    "--hlog",
    "--html",
    "--depth",
    "--fail-if",
    "--results",
];

/// A command line of `run` as a search.
fn as_search(words: impl Iterator<Item = String>) -> String {
    let mut kept = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if NOT_OF_A_SEARCH.contains(&name) || is_of_configuration(name) {
            if value.is_none() {
                words.next();
            }
        } else if ![
            "--json",
            "--html-with-names",
            "--verify",
            "--separate",
            "--published",
            "--on-demand-burst",
        ]
        .contains(&name)
        {
            kept.push(word);
        }
    }
    format!("iobound {} --find-knee", line_of(&kept))
}

/// Flags with a value that say what to compare with.
fn is_of_configuration(name: &str) -> bool {
    let named = name.strip_prefix("--");
    named.is_some_and(|name| {
        ["vm", "disk", "os-disk", "stripe", "columns", "partition-offset", "era", "media", "calibrate"]
            .contains(&name)
            || ["cache-state", "at", "accounts", "catalog"].contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_after_a_run_is_of_the_same_workload() {
        let words =
            "run /mnt/data --block 8KiB --duration=3s --vm DS14 --disk 10xP30 --read 70% --json --csv x";
        assert_eq!(
            as_search(words.split(' ').map(String::from)),
            "iobound run /mnt/data --block 8KiB --read 70% --find-knee"
        );
    }

    #[test]
    fn a_bound_is_shared_by_the_lanes_there_are() {
        let mut job = Job::new("a");
        job.targets = Targets::Named(vec!["a".into()]);
        let mut workload =
            Workload::new(vec![job.clone(), Job { name: "b".into(), ..job }], Span::from_secs(1));
        let how = How { max_iops: Some(1_000), ..How::default() };
        bound_rate(&mut workload, &how, 2).unwrap();
        for job in &workload.jobs {
            let Load::Closed { cap: Some(cap), .. } = job.load else { panic!("no cap") };
            // Two lanes, though there are two targets.
            assert!((cap.iops_f64(4096.0) - 500.0).abs() < 1e-6);
        }
    }
}
