use std::time::Duration;

use clap::{Args, Parser};
use iobound_machine::World;
use iobound_measure::compare::Condition;
use iobound_units::parse_count;
use iobound_workload::{Load, Workload};

use crate::arguments::{CommonArgs, ConfigurationArgs, RankArgs, RunArgs, VersusArgs, WorkloadArgs};
use crate::commands::compare::conditions_of;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::desk::{self, OfRanks, gather};
use crate::fleet::{Cluster, RankWork, Standing, Team, alone_check, as_rank, standing_of};
use crate::live::LiveStyle;
use crate::page::{AskedPage, PageArgs};
use crate::results::{Keeping, Place, place_of, toml_of};
use crate::run::{
    Answer, Contest, How, Outputs, Places, Side, can_be_written, exit_of, fit, knee, line_of, make_ready,
    own_result, places, refuse_idle, run_stages, settle, told_of,
};
use crate::settings::{self, Given, Settings, configuration_if_any};
use crate::workload::{AskedWorkload, workload_of};
use crate::{effect, output};

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
  iobound run /mnt/data --rank 1 --of 4 --meet db0:7711 --token-file token   one of four machines

A file or device that exists is only read, unless --overwrite names it as well. In a folder, the run
makes a file of its own, a tenth of what is free and at most 4 GiB unless --size says more, and keeps
it for the next.

Started by mpirun, srun or as a Kubernetes Indexed Job, or with --rank, --of and --meet, it is one of
several ranks that start together. Rank 0 shows and answers for all: --json, --ndjson, --csv, --hlog,
--html, --fail-if and --results are of all ranks, and the others, which are given the same words, write
none of them. In a target, {rank} and {host} stand for themselves; in a folder each rank has a file of
its own. A token is in --token-file or IOBOUND_TOKEN; ranks on one machine that a launcher started
need none.";

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
    #[command(flatten)]
    fleet: RankArgs,
}

/// What a run is to be, once all words are read.
struct Asked {
    how: How,
    ndjson: Option<Given>,
    csv: Option<Given>,
    hlog: Option<Given>,
    place: Place,
    conditions: Vec<Condition>,
    vs: Option<Given>,
    rounds: Option<usize>,
    page: AskedPage,
    workload: AskedWorkload,
    configuration: Option<settings::Asked>,
    toml: Option<String>,
    /// What is to be said of options that change nothing.
    idle: Vec<String>,
    standing: Standing,
}

impl Asked {
    /// Reads all words; or, where only the settings were wanted, shows them.
    fn read(
        args: &RunVerbArgs,
        common: &CommonArgs,
        standing: impl FnOnce(&RankArgs, &mut Settings) -> Result<Standing, Failure>,
    ) -> Result<Result<Asked, Exit>, Failure> {
        let mut settings = Settings::load(common)?;
        let standing = standing(&args.fleet, &mut settings)?;
        let how = How::of(&args.run, &mut settings)?;
        let ndjson = settings.text("ndjson", args.run.ndjson.as_deref(), None);
        let csv = settings.text("csv", args.run.csv.as_deref(), None);
        let hlog = settings.text("hlog", args.run.hlog.as_deref(), None);
        let place = place_of(args.run.results.as_deref(), &mut settings)?;
        let conditions = conditions_of(&args.run.fail_if)?;
        let vs = settings.text("vs", args.run.vs.as_deref(), None);
        let rounds = settings.parse("rounds", args.run.rounds.as_deref(), None, parse_rounds)?;
        let page = AskedPage::of(&args.page, &mut settings)?;
        let workload = workload_of(&args.workload, common, &mut settings)?;
        let configuration = configuration_if_any(&args.configuration, &mut settings)?;
        let mut idle = refuse_idle(&settings, &how, &workload, common)?;
        if let Some(configuration) = &configuration {
            idle.extend(effect::check(configuration, &workload.workloads, &settings)?);
        }
        let catalog = settings.given("catalog").map(Given::path);
        let toml = configuration
            .as_ref()
            .map(|asked| toml_of(&asked.configuration, asked.cache, asked.age, catalog.as_deref()));
        let (won, unused) = settings.finish();
        if common.show_config {
            return output::settings(&won, &unused, common).map(Err);
        }
        output::unused_variables(&unused);
        Ok(Ok(Asked {
            how,
            ndjson,
            csv,
            hlog,
            place,
            conditions,
            vs,
            rounds,
            page,
            workload,
            configuration,
            toml,
            idle,
            standing,
        }))
    }

    fn outputs(&self) -> Result<Outputs, Failure> {
        Outputs::open(self.ndjson.as_ref(), self.hlog.as_ref())
    }

    /// Sees that what is written beside the answer can be.
    fn can_be_written(&self) -> Result<(), Failure> {
        self.page.can_be_written()?;
        [&self.ndjson, &self.csv, &self.hlog].into_iter().flatten().try_for_each(can_be_written)
    }

    fn answer(&self, next: Vec<String>) -> Answer<'_> {
        Answer {
            conditions: &self.conditions,
            configuration: self.configuration.as_ref(),
            page: &self.page,
            csv: self.csv.as_ref(),
            keeping: Keeping::new(self.place.clone(), "run", self.toml.clone()),
            next,
        }
    }

    /// The targets, and the stages that run on them.
    fn fitted(&self, targets: &[String]) -> Result<(Places, Vec<Workload>), Failure> {
        let places = places(targets, &self.workload)?;
        let (workloads, notes) = fit(&self.workload, &places, &self.how)?;
        self.idle.iter().chain(&notes).for_each(|note| output::note(note));
        Ok((places, workloads))
    }
}

/// Runs every stage, and shows what it reached.
pub(crate) fn run(args: &RunVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut asked = match Asked::read(args, common, standing_of)? {
        Ok(asked) => asked,
        Err(exit) => return Ok(exit),
    };
    let standing = std::mem::replace(&mut asked.standing, Standing::NONE);
    let (others, own_path) = match standing {
        Standing::Rank(team) => return one_of_several(args, common, &asked, &team),
        Standing::Alone { others, own_result } => (others, own_result),
    };
    if let Some(vs) = asked.vs {
        let keeping = Keeping::new(asked.place, "run", None);
        let other = Other { words: &vs, rounds: asked.rounds };
        let contest = versus(args, common, (asked.workload, asked.how), other)?;
        return contest.run(&asked.conditions, keeping, &asked.page, common);
    }
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    if asked.how.dry_run {
        asked.page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
    }
    asked.page.can_be_written()?;
    let (places, mut workloads) = asked.fitted(&args.targets)?;
    asked.can_be_written()?;
    own_path.iter().try_for_each(can_be_written)?;
    let how = &asked.how;

    let world = World::real();
    settle(&world, &mut workloads, &places, 1)?;
    let Some(ready) = make_ready(&world, &places, &workloads, how)? else { return Ok(Exit::Done) };
    if how.find_knee {
        let exit = knee(&world, &ready, &workloads, how, &asked.page, common)?;
        if how.remove {
            ready.remove_made()?;
        }
        return Ok(exit);
    }
    let mut outputs = asked.outputs()?;
    let mut stages = run_stages(&world, &ready, &workloads, how, &mut outputs, LiveStyle::of(common))?;
    outputs.finish()?;
    if let Some(seen) = others.seen() {
        stages.iter_mut().for_each(|stage| stage.result.checks.push(alone_check(&seen)));
    }
    let next: Vec<String> = next(&workloads).into_iter().collect();
    let asserted = asked.answer(next).give(&mut told_of(&mut stages), &ready.prepared, common)?;
    if let Some(given) = own_path {
        own_result(&given.path(), &stages, &ready.prepared)?;
    }
    if how.remove {
        ready.remove_made()?;
    }
    match exit_of(&stages, workloads.len()) {
        Exit::Done => asserted,
        exit => Ok(exit),
    }
}

/// Runs as one rank of several: the one that has the desk answers for all.
fn one_of_several(
    args: &RunVerbArgs,
    common: &CommonArgs,
    asked: &Asked,
    team: &Team,
) -> Result<Exit, Failure> {
    refuse_alone_only(asked)?;
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    let (places, workloads) = asked.fitted(&args.targets)?;
    let work = RankWork { places: &places, workloads: &workloads, how: &asked.how };
    if asked.how.dry_run {
        asked.page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
        return work.plan(team);
    }
    if !team.opens_desk {
        let end = as_rank(team, &team.meet, &work, LiveStyle::of(common));
        return end.finish(team, |stages, ready| {
            asked.answer(Vec::new()).give(&mut told_of(stages), &ready.prepared, common).map(drop)
        });
    }
    asked.can_be_written()?;
    let mut outputs = asked.outputs()?;
    let cluster = team.with_desk(&work, &mut outputs, LiveStyle::of(common))?;
    outputs.finish()?;
    answer(asked, cluster, common)
}

/// Answers for ranks whose desk is in this process, which issues no load itself.
pub(crate) fn at_desk(at: OfRanks<'_>, args: &RunVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    // The ranks are elsewhere, whatever started this process.
    let asked = match Asked::read(args, common, |_, _| Ok(Standing::NONE))? {
        Ok(asked) => asked,
        Err(exit) => return Ok(exit),
    };
    refuse_alone_only(&asked)?;
    refuse_unjudgeable(&asked.conditions, &asked.how)?;
    asked.can_be_written()?;
    let (_, workloads) = asked.fitted(&args.targets)?;
    let mut outputs = asked.outputs()?;
    let cluster = gather(at, &workloads, &mut outputs, LiveStyle::of(common))?;
    outputs.finish()?;
    answer(&asked, cluster, common)
}

/// How long a desk of these words is patient with a rank that says nothing.
pub(crate) fn patience(args: &RunVerbArgs, common: &CommonArgs) -> Result<Duration, Failure> {
    How::of(&args.run, &mut Settings::load(common)?).map(|how| desk::patience(&how))
}

/// The answer of all ranks together.
fn answer(asked: &Asked, mut cluster: Cluster, common: &CommonArgs) -> Result<Exit, Failure> {
    let prepared = cluster.prepared();
    let asserted = asked.answer(Vec::new()).give(&mut cluster.told(), &prepared, common)?;
    match cluster.exit() {
        Exit::Done => asserted,
        exit => {
            cluster.report();
            Ok(exit)
        }
    }
}

/// What is of one machine alone.
fn refuse_alone_only(asked: &Asked) -> Result<(), Failure> {
    let refused = |what: &str, why: &str| {
        Err(Failure::input(format!("{what} is of one machine: {why}"))
            .mend("leave it out, or run it on one host, with --alone where a launcher says otherwise"))
    };
    if asked.how.find_knee {
        return refused("--find-knee", "each of its probes follows from the one before, on that machine");
    }
    if asked.how.until.is_some() {
        return refused("--until", "ranks that each end when they know enough do not end together");
    }
    match &asked.vs {
        Some(_) => refused("--vs", "its turns follow one another on that machine"),
        None => Ok(()),
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
        let (mut workloads, notes) = fit(&asked, &places, &how)?;
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
}
