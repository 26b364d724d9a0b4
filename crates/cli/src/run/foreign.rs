//! Runs in the words of another tool, answered in its forms.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iobound_formats::{Foreign, Ran, RanMachine, RanTarget};
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_measure::result::Check;
use iobound_measure::{Measured, ThreadMeasured};
use iobound_report::Prepared;
use iobound_units::Span;
use iobound_workload::{Lane, Workload};

use super::answer::{exit_of, own_result};
use super::fit::fit_to;
use super::how::How;
use super::outputs::{Outputs, can_be_written};
use super::ready::make_ready;
use super::stage::{Stage, run_stages};
use super::targets::Places;
use crate::arguments::{CommonArgs, RankArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::desk::{OfRanks, gather};
use crate::fleet::{RankWork, Standing, Team, alone_check, as_rank, standing_of};
use crate::live::LiveStyle;
use crate::output;
use crate::results::{Keeping, ToKeep};
use crate::settings::Settings;
use crate::workload::PathMap;

/// A run in another tool's words that is over.
pub(crate) struct ForeignRun {
    pub(crate) stages: Vec<ForeignStage>,
    pub(crate) targets: Vec<RanTarget>,
    pub(crate) machines: Vec<RanMachine>,
    /// How the program ends, once the answer is out.
    pub(crate) exit: Result<Exit, Failure>,
}

/// A stage of it, as the writers of forms take it apart.
pub(crate) struct ForeignStage {
    pub(crate) workload: Workload,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) total: Measured,
    pub(crate) threads: Vec<ThreadMeasured>,
    pub(crate) checks: Vec<Check>,
}

/// What becomes of such words.
pub(crate) enum Foreigns {
    /// A run whose answer is to be printed.
    Ran(ForeignRun),
    /// Nothing more is to be said: only the plan was wanted, or another rank answers.
    Over(Exit),
}

/// A desk in this process for ranks elsewhere, and the word for who started them.
pub(crate) type At<'a> = Option<OfRanks<'a>>;

/// The words as one line, as a shell would have had them.
pub(crate) fn line_of(words: &[String]) -> String {
    let quoted = |word: &String| {
        let plain =
            !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"`|<>&;^".contains(c));
        if plain { word.clone() } else { format!("\"{}\"", word.replace('"', "\\\"")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What the environment says of how to run: these verbs have the other tool's flags and none of ours.
pub(crate) fn how_of(settings: &mut Settings) -> Result<How, Failure> {
    How::of(&Default::default(), settings)
}

/// Settles the paths, runs every stage: alone, as one rank of several, or, at a desk, by others.
pub(crate) fn run_foreign(
    mut foreign: Foreign,
    map: &[String],
    how: &How,
    recreates: bool,
    mut keeping: Keeping,
    settings: &mut Settings,
    (common, at): (&CommonArgs, At<'_>),
) -> Result<Foreigns, Failure> {
    let standing = match &at {
        // The ranks are elsewhere, whatever started this process.
        Some(_) => Standing::NONE,
        None => standing_of(&RankArgs::default(), settings)?,
    };
    // These verbs answer in the other tool's forms, which has flags of its own for them.
    let ours = [("json", common.json), ("show-config", common.show_config), ("seed", common.seed.is_some())];
    if let Some((name, _)) = ours.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "--{name} is none of this tool's words, and its answer has its own form"
        ))
        .mend("leave it out, or ask iobound run with --diskspd, --fio or --iometer"));
    }
    let mut map = PathMap::of(&settings.texts("map", map))?;
    foreign.files.iter_mut().for_each(|file| map.apply_to_file(file));
    let mut workloads: Vec<Workload> = foreign.workloads().cloned().collect();
    workloads.iter_mut().for_each(|workload| map.apply(workload));
    if let Some(given) = map.unused().next() {
        return Err(given
            .refuse("no path of the workload begins with it")
            .mend("leave it out, or check how paths begin"));
    }
    let mut stages: Vec<Workload> = workloads.iter().flat_map(Workload::stages).collect();
    for note in &foreign.notes {
        output::note(&format!("{}: {}", note.about, note.says));
    }
    let places = Places::of_files(&foreign.files, recreates);
    if places.targets.is_empty() {
        return Err(Failure::input("there is no target").mend("name a file or a device"));
    }
    if let Some(path) = places.of_windows() {
        let path = path.display();
        return Err(Failure::input(format!("{path} is a path of Windows"))
            .mend("say where it lies here: --map e:=/mnt/data, or write a path of this machine"));
    }
    fit_to(&mut stages, &places, how)?;
    let world = World::real();
    let (others, own_path) = match (at, standing) {
        (Some(at), _) => {
            let mut outputs = Outputs::default();
            let style = LiveStyle::of(common);
            let cluster = gather(at, &stages, &mut outputs, style)?;
            return Ok(Foreigns::Ran(cluster.into_foreign(&mut keeping)));
        }
        (None, Standing::Rank(team)) => return one_of_several(&team, &places, &stages, how, keeping, common),
        (None, Standing::Alone { others, own_result }) => (others, own_result),
    };
    own_path.iter().try_for_each(can_be_written)?;
    let Some(ready) = make_ready(&world, &places, &stages, how)? else {
        return Ok(Foreigns::Over(Exit::Done));
    };
    let mut outputs = Outputs::default();
    let mut ran = run_stages(&world, &ready, &stages, how, &mut outputs, LiveStyle::of(common))?;
    if let Some(seen) = others.seen() {
        ran.iter_mut().for_each(|stage| stage.result.checks.push(alone_check(&seen)));
    }
    if let Some(given) = own_path {
        own_result(&given.path(), &ran, &ready.prepared)?;
    }
    keep(&mut ran, &ready.prepared, &mut keeping);
    let exit = exit_of(&ran, stages.len());
    let targets = ready.names.iter().map(|it| RanTarget { path: it.name.clone(), size: it.size }).collect();
    Ok(Foreigns::Ran(of_one(ran, targets, &ready.prepared, Ok(exit))))
}

/// Runs as one rank of several: the one that has the desk answers for all.
fn one_of_several(
    team: &Team,
    places: &Places,
    workloads: &[Workload],
    how: &How,
    mut keeping: Keeping,
    common: &CommonArgs,
) -> Result<Foreigns, Failure> {
    if how.until.is_some() {
        return Err(Failure::input(
            "IOBOUND_UNTIL: ranks that each end when they know enough do not end together",
        )
        .mend("unset it"));
    }
    let work = RankWork { places, workloads, how };
    if how.dry_run {
        return work.plan(team).map(Foreigns::Over);
    }
    let style = LiveStyle::of(common);
    if team.opens_desk {
        let cluster = team.with_desk(&work, &mut Outputs::default(), style)?;
        return Ok(Foreigns::Ran(cluster.into_foreign(&mut keeping)));
    }
    let mut own = None;
    let ended = as_rank(team, &team.meet, &work, style).finish(team, |stages, ready| {
        keep(stages, &ready.prepared, &mut keeping);
        let of = |it: &iobound_workload::Target| RanTarget { path: it.name.clone(), size: it.size };
        let targets: Vec<RanTarget> = ready.names.iter().map(of).collect();
        own = Some((std::mem::take(stages), targets, ready.prepared.clone()));
        Ok(())
    });
    match (ended, own) {
        // The desk is lost: what this rank did is its own answer.
        (Err(lost), Some((stages, targets, prepared))) => {
            Ok(Foreigns::Ran(of_one(stages, targets, &prepared, Err(lost))))
        }
        (ended, _) => ended.map(Foreigns::Over),
    }
}

fn keep(stages: &mut [Stage], prepared: &[Prepared], keeping: &mut Keeping) {
    let keep: Vec<ToKeep<'_>> = stages.iter().map(|stage| stage.to_keep(prepared)).collect();
    let ids = keeping.keep(&keep);
    drop(keep);
    if !ids.is_empty() {
        output::note(&format!("kept as {}", ids.join(", ")));
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
            ..this_machine()
        }
    });
    let machines = machines.collect();
    let stages = ran.into_iter().map(|stage| ForeignStage {
        workload: stage.workload,
        lanes: stage.outcome.lanes,
        total: stage.outcome.total,
        threads: stage.outcome.threads,
        checks: stage.result.checks,
    });
    ForeignRun { stages: stages.collect(), targets, machines, exit }
}

/// What the forms say of the machine of this process.
pub(crate) fn this_machine() -> RanMachine {
    let kernel = Kernel::of(&World::real());
    RanMachine {
        host: kernel.host.unwrap_or_default(),
        system: [kernel.name, kernel.release].into_iter().flatten().collect::<Vec<_>>().join(" "),
        command: line_of(&std::env::args().collect::<Vec<_>>()),
        version: env!("CARGO_PKG_VERSION").into(),
        ..RanMachine::default()
    }
}

impl ForeignRun {
    /// The runs of the stages, as the writers of forms take them.
    pub(crate) fn runs(&self) -> Vec<Ran<'_>> {
        self.stages
            .iter()
            .zip(&self.machines)
            .map(|(stage, machine)| Ran {
                workload: &stage.workload,
                lanes: &stage.lanes,
                targets: &self.targets,
                total: &stage.total,
                threads: &stage.threads,
                machine,
                checks: &stage.checks,
            })
            .collect()
    }

    /// Findings that a form of another tool has no place for.
    pub(crate) fn say_checks(&self) {
        use iobound_measure::result::Outcome;
        for check in self.stages.iter().flat_map(|stage| &stage.checks) {
            match check.outcome {
                Outcome::Failed | Outcome::Warning => {
                    output::note(&format!("{}: {}", check.name, check.says))
                }
                Outcome::Ok | Outcome::Unknown => {}
            }
        }
    }

    /// How the program ends.
    ///
    /// # Errors
    /// Not as was asked, and why: the answer is out by then.
    pub(crate) fn ended(self) -> Result<Exit, Failure> {
        self.exit
    }
}
