//! Runs in the words of another tool, answered in its forms.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iobound_formats::{Foreign, Ran, RanMachine, RanTarget};
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_units::Span;
use iobound_workload::Workload;

use super::how::How;
use super::outputs::Outputs;
use super::ready::make_ready;
use super::stage::{Stage, run_stages};
use super::targets::Places;
use crate::arguments::CommonArgs;
use crate::commands::run::fit_to;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::LiveStyle;
use crate::output;
use crate::results::{Keeping, ToKeep};
use crate::settings::Settings;
use crate::workload::PathMap;

/// A run in another tool's words that is over.
pub(crate) struct ForeignRun {
    pub(crate) stages: Vec<Stage>,
    /// How many stages there were to be.
    pub(crate) of: usize,
    targets: Vec<RanTarget>,
    machines: Vec<RanMachine>,
}

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

/// Settles the paths, runs every stage. `None` where only the plan was wanted.
pub(crate) fn run_foreign(
    mut foreign: Foreign,
    map: &[String],
    how: &How,
    recreates: bool,
    mut keeping: Keeping,
    settings: &mut Settings,
    common: &CommonArgs,
) -> Result<Option<ForeignRun>, Failure> {
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
    let world = World::real();
    fit_to(&mut stages, &places, how)?;
    let Some(ready) = make_ready(&world, &places, &stages, how)? else { return Ok(None) };
    let prepared: f64 = ready.prepared.iter().map(|file| file.seconds).sum();
    let mut outputs = Outputs::default();
    let mut ran = run_stages(&world, &ready, &stages, how, &mut outputs, LiveStyle::of(common))?;
    let keep: Vec<ToKeep<'_>> = ran.iter().map(|stage| stage.to_keep(&ready.prepared)).collect();
    let ids = keeping.keep(&keep);
    drop(keep);
    if !ids.is_empty() {
        output::note(&format!("kept as {}", ids.join(", ")));
    }
    for (stage, id) in ran.iter_mut().zip(ids) {
        stage.result.id = Some(id);
    }
    let targets =
        ready.names.iter().map(|target| RanTarget { path: target.name.clone(), size: target.size }).collect();
    let kernel = Kernel::of(&world);
    let system = [kernel.name, kernel.release].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let host = kernel.host.unwrap_or_default();
    let machines = ran.iter().map(|stage| {
        let since =
            |at: SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
        let began = since(stage.outcome.began);
        let lasted = stage.outcome.total.series.last().map_or(0, |last| last.end.ns() / 1_000_000);
        RanMachine {
            host: host.clone(),
            system: system.clone(),
            command: line_of(&std::env::args().collect::<Vec<_>>()),
            version: env!("CARGO_PKG_VERSION").into(),
            began_unix_ms: began,
            ended_unix_ms: began + lasted,
            prepared_for: (prepared > 0.0).then(|| Span::from_ns((prepared * 1e9) as u64)),
            cpu: stage.result.cpu.clone().unwrap_or_default(),
            devices: stage.result.devices.clone(),
        }
    });
    let machines = machines.collect();
    Ok(Some(ForeignRun { stages: ran, of: stages.len(), targets, machines }))
}

impl ForeignRun {
    /// The runs of the stages, as the writers of forms take them.
    pub(crate) fn runs(&self) -> Vec<Ran<'_>> {
        self.stages
            .iter()
            .zip(&self.machines)
            .map(|(stage, machine)| Ran {
                workload: &stage.workload,
                lanes: &stage.outcome.lanes,
                targets: &self.targets,
                total: &stage.outcome.total,
                threads: &stage.outcome.threads,
                machine,
                checks: &stage.result.checks,
            })
            .collect()
    }

    /// Findings that a form of another tool has no place for.
    pub(crate) fn say_checks(&self) {
        use iobound_measure::result::Outcome;
        for check in self.stages.iter().flat_map(|stage| &stage.result.checks) {
            match check.outcome {
                Outcome::Failed | Outcome::Warning => {
                    output::note(&format!("{}: {}", check.name, check.says))
                }
                Outcome::Ok | Outcome::Unknown => {}
            }
        }
    }

    /// How the program ends.
    pub(crate) fn exit(&self) -> Exit {
        crate::commands::run::exit_of(&self.stages, self.of)
    }
}
