//! The same workload in virtual time, over NBD and over FUSE.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_drive::{Engine, Flow, Modelled, VirtualClock, Window, Worker, layout_of, run};
use iobound_emulate::nbd::client::{Address, Client};
use iobound_load::engine::{Kind, OnError, Open, Targets};
use iobound_load::prepare::{Filling, Payload};
use iobound_load::run::{Blocks, Options, Placement};
use iobound_measure::{Keep, Measured, Recorder};
use iobound_model::{CacheId, Dimension, LimiterId, Stack, Start, StartCredits};
use iobound_units::{Span, TargetId};
use iobound_workload::{Target, Workload};

use crate::cases::{Case, Held, SEED};
use crate::figures::{Binds, Figures};

fn targets(case: &Case) -> Vec<Target> {
    let volume = &case.resolved().blueprint.volumes[0];
    vec![Target { name: volume.name.clone(), id: TargetId(0), size: volume.size, members_of: None }]
}

/// The run loop on an engine.
fn drive<E: Engine>(
    workload: &Workload,
    targets: &[Target],
    engine: impl FnOnce(usize) -> E,
) -> (Measured, E) {
    let window = Window::of(workload, iobound_units::Instant::ZERO);
    let mut worker = Worker::new(workload, targets, window).expect("the workload fits");
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(workload, &queues, targets, window, Span::from_secs(1)));
    let mut engine = engine(worker.capacity());
    let end = run(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue);
    (end.expect("nothing fails here").measured, engine)
}

/// In virtual time, and what holds it back.
pub(crate) fn simulated(case: &Case, counted: Span) -> (Figures, Binds) {
    let (blueprint, workload) = (case.resolved().blueprint, case.workload(counted));
    let (measured, mut engine) = drive(&workload, &targets(case), |capacity| {
        let start = Start { seed: SEED, credits: StartCredits::Spent };
        let mut stack = Stack::new(&blueprint, &start, capacity).expect("the blueprint holds");
        if case.held == Held::All {
            (0..blueprint.caches.len()).for_each(|cache| stack.complete_cache(CacheId(cache as u16)));
        }
        Modelled::new(stack, VirtualClock::default())
    });
    let seconds = (workload.warmup + workload.duration).secs_f64();
    let mut fullest = 0.0_f64;
    for (n, spec) in blueprint.limiters.iter().enumerate() {
        let state = engine.stack().limiter(LimiterId(n as u16));
        for (dimension, used) in [(Dimension::Ios, state.units), (Dimension::Bytes, state.bytes)] {
            if let Some(limit) = spec.limit(dimension) {
                let enforced = limit.enforced_micro(spec.factor) as f64 / 1e6;
                fullest = fullest.max(used as f64 / seconds / enforced);
            }
        }
    }
    (Figures::of(&measured), Binds::of(fullest, case.held == Held::All))
}

/// Over a unix socket, on one connection.
pub(crate) fn by_nbd(socket: &Path, workload: &Workload, targets: &[Target]) -> Figures {
    let address = Address::Unix(socket.into());
    let exports: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    let client = |_| Client::new(&address, &exports, 1, false).expect("the server is there");
    Figures::of(&drive(workload, targets, client).0)
}

/// On the file, by io_uring.
pub(crate) fn by_fuse(file: &Path, workload: &Workload, targets: &[Target]) -> Figures {
    let open = Open { writes: true, direct: true };
    let files = Arc::new(Targets::open(&[vec![file.to_path_buf()]], open).expect("the file opens"));
    let options = Options {
        engine: Kind::IoUring,
        interval: Span::from_secs(1),
        placement: Placement::Anywhere,
        on_error: OnError::Stop,
        apart: None,
        nops: false,
        traces: Vec::new(),
        thread_series: Keep::Nothing,
        log_ios: false,
        keep_warmup: false,
        blocks: Blocks::Refreshed(Payload::new(Filling::incompressible(1))),
        report_every: None,
        start: iobound_load::run::Start::AtOnce,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let outcome = iobound_load::run::run(workload, targets, &files, &options, &stop, &mut |_| Flow::Continue);
    let outcome = outcome.expect("it runs");
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    Figures::of(&outcome.total)
}

/// A case on a front of its server.
pub(crate) fn emulated(server: &crate::server::Server, front: Front, case: &Case, counted: Span) -> Figures {
    let (workload, targets) = (case.workload(counted), targets(case));
    match front {
        Front::Nbd => by_nbd(&server.socket(), &workload, &targets),
        Front::Fuse => by_fuse(&server.file(&targets[0].name), &workload, &targets),
    }
}

/// Front by which clients reach the disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    Nbd,
    Fuse,
}

impl Front {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Front::Nbd => "NBD",
            Front::Fuse => "FUSE",
        }
    }
}
