//! Rows on emulated devices: the stack of a row's configuration behind files of FUSE, and the load generator on them, in
//! real time.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use iobound_drive::{Flow, Window};
use iobound_emulate::fuse::{MountOptions, Mounted};
use iobound_emulate::store::{Backing, Nothing, Pool};
use iobound_emulate::transport::{make_up, resting};
use iobound_emulate::{Emulator, FrontId, Pacer, Shared, Spin};
use iobound_lab::{OnModel, PlannedRun, Reached};
use iobound_load::engine::{Needs, OnError, Open, Targets, choose};
use iobound_load::prepare::{Filling, Payload};
use iobound_load::run::{self, Blocks, Options, Outcome, Placement, run};
use iobound_machine::World;
use iobound_machine::memory::memory;
use iobound_measure::Keep;
use iobound_measure::result::{RunResult, Source};
use iobound_model::{Blueprint, Stack, Start, StartCredits};
use iobound_predict::staged;
use iobound_report::{Ended, emulate_model_screen};
use iobound_units::{Bytes, Instant, Op, Span, TargetId};
use iobound_workload::{Job, Load, Share, Target, Workload};

use super::real::{Shelf, keep_row};
use crate::emulate::Watched;
use crate::emulate::guardian::Guardian;
use crate::process::LiveStyle;
use crate::results::ToKeep;
use crate::run::Live;
use crate::scratch::{self, Scratch};
use crate::{Env, Failure};

/// Long enough for the median of thousands of round trips.
const COST_TIME: Span = Span::from_ms(400);
/// Size of the used part of a device.
const COST_SIZE: Bytes = Bytes::mib(64);

/// Conduct of rehearsals.
pub(crate) struct Rehearsal {
    /// Folder of the devices of the running row.
    folder: PathBuf,
    /// Excess of the median of reads over the disk's latency, with one I/O outstanding.
    cost: Span,
    keeping: Shelf,
    /// Place of that folder.
    _scratch: Scratch,
}

impl Rehearsal {
    /// Sees that devices can be served here, and what the way to them costs.
    pub(crate) fn ready(
        runs: &[PlannedRun],
        keeping: &Shelf,
        env: &Env,
    ) -> Result<Option<Rehearsal>, Failure> {
        let Some(first) = runs.iter().find_map(|run| run.on_model.as_ref()) else { return Ok(None) };
        if !iobound_emulate::fuse::IS_BUILT {
            return Err(Failure::not_built("FUSE"));
        }
        scratch::repair(env).iter().for_each(|note| env.note(note));
        let scratch = scratch::folder(scratch::REHEARSAL, env)?;
        let folder = scratch.path().join("disks");
        let cost = transport_cost(&folder, &first.resolved.blueprint, env)?;
        env.note(&format!(
            "rehearsed on FUSE files: the transport overhead of {:.1} us is subtracted from the modelled latencies",
            cost.us_f64()
        ));
        Ok(Some(Rehearsal { folder, cost, keeping: Rc::clone(keeping), _scratch: scratch }))
    }

    /// Rehearses a row; `None` where the person interrupted it.
    ///
    /// # Errors
    /// Returns an error if the devices cannot be served or the load fails.
    pub(crate) fn reach(
        &self,
        run: &PlannedRun,
        on_model: &OnModel,
        env: &Env,
    ) -> Result<Option<Reached>, Failure> {
        let staged = staged(&on_model.question(), &mut |_| {
            if env.is_stopped() { Flow::Stop } else { Flow::Continue }
        });
        let staged = match staged {
            Err(iobound_predict::PredictError::Interrupted) => return Ok(None),
            staged => staged.map_err(Failure::input)?,
        };
        let (blueprint, _) = make_up(&staged.blueprint, self.cost);
        let served = ServedDisks::start(&self.folder, &blueprint, &staged.start(), env, |stack| {
            staged.set(stack).map_err(Failure::input)
        })?;
        let watched = Watched::new(&served.shared, &on_model.resolved);
        let outcome = served.load(&staged.workload, &staged.targets, Some(watched), env)?;
        if let Some(why) = &outcome.error {
            return Err(Failure::io(format!("on the emulated devices: {why}")));
        }
        if env.is_stopped() {
            return Ok(None);
        }
        let mut result = RunResult::from_measured(&outcome.total, Source::Rehearsed);
        let names: Vec<&str> = staged.targets.iter().map(|target| target.name.as_str()).collect();
        result.device = Some(format!("emulated {}", names.join(", ")));
        let Some(reached) = Reached::measured(&result, outcome.total.window()) else {
            return Err(Failure::io("on the emulated devices: it ended before the measurement began"));
        };
        let late = served.mounted.lateness().total().moments().mean_ns();
        let id = keep_row(
            &self.keeping,
            run,
            ToKeep {
                name: Some(&run.name),
                side: None,
                workload: &on_model.workload,
                result: &result,
                measured: Some(&outcome.total),
                ended: Ended::Complete,
                prediction: None,
                prepared: &[],
            },
            env,
        );
        Ok(Some(Reached { late: late.map(|ns| Span::from_ns(ns as u64)), id, ..reached }))
    }
}

/// Devices that are there until this is dropped.
struct ServedDisks {
    // The files go first, then the front that replies to outstanding requests.
    mounted: Mounted,
    _guardian: Option<Guardian>,
    _pacer: Pacer,
    shared: Arc<Shared>,
    volumes: Vec<PathBuf>,
}

impl ServedDisks {
    fn start(
        folder: &Path,
        blueprint: &Blueprint,
        start: &Start,
        env: &Env,
        set: impl FnOnce(&mut Stack) -> Result<(), Failure>,
    ) -> Result<ServedDisks, Failure> {
        /// As many as the kernel hands out at a time, and some.
        const MOST_REQUESTS: usize = 16_384;
        let available = memory(&World::real()).available_bytes.map_or(Bytes::gib(1), Bytes);
        let dirty = Pool::new(Pool::sensible_limit(available))
            .map_err(|error| Failure::io(format!("not enough memory for the host caches: {error}")))?;
        let nothing = |_| Box::new(Nothing::new(dirty.clone())) as Box<dyn Backing>;
        let backings = blueprint.disks.iter().map(nothing).collect();
        let mut emulator =
            Emulator::new(blueprint, start, MOST_REQUESTS, backings).map_err(Failure::input)?;
        set(emulator.stack())?;
        let shared = Shared::new(emulator)
            .map_err(|error| Failure::io(format!("cannot start the emulator: {error}")))?;
        let pacer = Pacer::start(&shared, Spin::default())
            .map_err(|error| Failure::io(format!("cannot start a thread: {error}")))?;
        // Without one a killed program's mount stays until the next start: no reason not to rehearse.
        let guardian = Guardian::over(folder, env).ok().flatten();
        let mounted = Mounted::start(&shared, FrontId(0), &MountOptions::of(folder)).map_err(|error| {
            Failure::io(error).help("--live needs FUSE: /dev/fuse as root, fusermount3 as another user")
        })?;
        let volumes = blueprint.volumes.iter().map(|volume| mounted.directory().join(&volume.name)).collect();
        Ok(ServedDisks { mounted, _guardian: guardian, _pacer: pacer, shared, volumes })
    }

    /// Runs a workload on the volumes, in their order.
    fn load(
        &self,
        workload: &Workload,
        names: &[Target],
        shown: Option<Watched<'_>>,
        env: &Env,
    ) -> Result<Outcome, Failure> {
        let paths: Vec<Vec<PathBuf>> = self.volumes.iter().map(|path| vec![path.clone()]).collect();
        let opened = Targets::open(&paths, Open { writes: true, direct: true }).map_err(Failure::from)?;
        let discards = workload.jobs.iter().flat_map(|job| &job.mix).any(|share| share.op == Op::Discard);
        let queues = workload.queues(names).map_err(Failure::input)?;
        let outstanding = queues.iter().map(|queue| u64::from(queue.depth)).sum();
        let range_syncs = workload.jobs.iter().any(|job| job.flush_range.is_some());
        let needs = Needs { direct: true, discards, range_syncs, outstanding };
        let choice = choose(None, needs, opened.files()).map_err(Failure::input)?;
        let options = Options {
            engine: choice.kind,
            interval: Span::from_secs(1),
            placement: Placement::Anywhere,
            on_error: OnError::Stop,
            apart: None,
            nops: false,
            traces: Vec::new(),
            thread_series: Keep::Nothing,
            report_every: None,
            log_ios: false,
            keep_warmup: false,
            blocks: Blocks::Refreshed(Payload::new(Filling::incompressible(workload.seed))),
            start: run::Start::AtOnce,
        };
        let mut live = shown.map(|watched| {
            let window = Window::of(workload, Instant::ZERO);
            (
                Live::new("a rehearsal on emulated disks".into(), window, false, LiveStyle::default(), env),
                watched,
            )
        });
        let ran = run(workload, names, &Arc::new(opened), &options, &env.stop_flag(), &mut |together| {
            if let Some((live, watched)) = &mut live {
                live.take_beside(together.interval(), || emulate_model_screen(&watched.look()));
            }
            if env.is_stopped() { Flow::Stop } else { Flow::Continue }
        });
        // The live display ends before the summary of the run.
        drop(live);
        ran.map_err(Failure::input)
    }
}

/// Excess of the median of reads over the I/Os' own time on a device without limits, one after the other.
fn transport_cost(folder: &Path, blueprint: &Blueprint, env: &Env) -> Result<Span, Failure> {
    let (blueprint, rest) = resting(blueprint);
    let start = Start { seed: 0, credits: StartCredits::Full };
    let served = ServedDisks::start(folder, &blueprint, &start, env, |_| Ok(()))?;
    let names: Vec<Target> = blueprint
        .volumes
        .iter()
        .map(|volume| Target {
            name: volume.name.clone(),
            id: TargetId(0),
            size: Bytes(volume.size.get().min(COST_SIZE.get())),
            members_of: None,
        })
        .collect();
    let mut job = Job::new("round trips");
    job.mix = vec![Share { weight: 1, op: Op::Read, block: 4096, random: None, align: None }];
    job.load = Load::Closed { depth: 1, cap: None };
    let mut workload = Workload::new(vec![job], COST_TIME);
    workload.warmup = Span::from_ms(100);
    let outcome = served.load(&workload, &names[..1], None, env)?;
    let latency = RunResult::from_measured(&outcome.total, Source::Rehearsed).total.latency_us;
    let median = latency.and_then(|latency| latency.p50).ok_or_else(|| {
        let why = outcome.error.unwrap_or_else(|| "nothing completed".into());
        Failure::io(format!("cannot measure the transport overhead of the emulated devices: {why}"))
    })?;
    Ok(Span::from_ns(((median * 1e3) as u64).saturating_sub(rest.ns())))
}
