//! Engines on real targets keep the same promises as the model and the null engine, and their loop allocates nothing.
#![cfg(any(target_os = "linux", windows))]

#[path = "../../drive/tests/common/mod.rs"]
mod common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::build::*;
use common::conform::Body;
use iobound_drive::{EndReason, Flow, Window, Worker, layout_of, run_part};
use iobound_load::engine::{
    Aio, Iocp, Kind, Needs, OnError, Open, RealEngine, Refreshed, Setup, Slots, Sync, Targets, Uring, choose,
};
use iobound_load::prepare::{Filling, Payload};
use iobound_machine::SystemClock;
use iobound_measure::Recorder;
use iobound_units::{Bytes, Instant, Percent, Span};
use iobound_workload::{Job, Workload};

const SIZE: Bytes = Bytes::mib(64);

/// The largest block of the body.
const LARGEST: u32 = 262_144;

struct Bench {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(SIZE.get()).unwrap();
        Bench { _folder: folder, path }
    }
}

fn is_here(kind: Kind) -> bool {
    choose(Some(kind), Needs { direct: false, discards: false, range_syncs: false, outstanding: 1 }, &[])
        .is_ok()
}

fn setup(path: &Path, capacity: usize) -> Setup<Refreshed> {
    // Not every file system of a temporary directory has direct I/O.
    let opened = Targets::open(&[vec![path.into()]], Open { writes: true, direct: false }).unwrap();
    Setup {
        targets: Arc::new(opened),
        slots: Slots::new(capacity, LARGEST, true).unwrap(),
        contents: Refreshed::new(Payload::new(Filling::incompressible(1)), 0, capacity),
        stop: Arc::default(),
        on_error: OnError::Stop,
        apart: None,
        range_sync: None,
    }
}

fn started<E: RealEngine>(engine: std::io::Result<E>) -> E {
    let mut engine = engine.unwrap();
    engine.start(SystemClock::starting_in(Span::ZERO));
    engine
}

fn conforms<E: RealEngine>(discards: bool, make: impl Fn(Setup<Refreshed>) -> std::io::Result<E>) {
    let bench = Bench::new();
    // The body's second lasts 40 ms, so that all of it is done soon.
    let body = Body { size: SIZE, second: Span::from_ms(40), discards };
    body.conforms(
        |capacity| started(make(setup(&bench.path, capacity))),
        |engine| assert_eq!(engine.leave().error, None),
    );
}

#[test]
fn io_uring_conforms() {
    if is_here(Kind::IoUring) {
        conforms(true, Uring::new);
    }
}

#[test]
fn libaio_conforms() {
    if is_here(Kind::Libaio) {
        conforms(false, Aio::new);
    }
}

#[test]
fn completion_port_conforms() {
    if is_here(Kind::Iocp) {
        conforms(false, Iocp::new);
    }
}

#[test]
fn plain_calls_conform() {
    if is_here(Kind::Sync) {
        conforms(true, Sync::new);
    }
}

/// An engine that is silently absent would test nothing.
#[test]
fn the_platform_has_its_own_engine() {
    assert!(is_here(if cfg!(windows) { Kind::Iocp } else { Kind::Sync }));
}

/// Number of allocations of a run of this many bytes, with its start and end.
fn allocations<E: RealEngine>(
    job: &Job,
    bytes: u64,
    make: impl Fn(Setup<Refreshed>) -> std::io::Result<E>,
) -> u64 {
    let bench = Bench::new();
    let job = Job { stop_after: Some(Bytes(bytes)), ..job.clone() };
    let workload = Workload::new(vec![job], Span::from_secs(600));
    let targets = target(SIZE);
    let window = Window::of(&workload, Instant::ZERO);
    let mut worker = Worker::new(&workload, &targets, window).unwrap();
    worker.time_lateness();
    let queues: Vec<_> = worker.queues().cloned().collect();
    // One interval: handing one out is the watcher's to pay for.
    let recorder = Recorder::new(layout_of(&workload, &queues, &targets, window, Span::from_secs(600)));
    let mut engine = started(make(setup(&bench.path, worker.capacity())));
    let mut part = None;
    let used = allocation_counter::measure(|| {
        part = Some(run_part(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue, &mut |_, _, _| {}));
    });
    assert_eq!(part.unwrap().reason, EndReason::WorkDone);
    assert_eq!(engine.leave().error, None);
    used.count_total
}

/// A run of sixteen times as many I/Os allocates no more.
fn allocates_nothing_on_the_way<E: RealEngine>(make: impl Fn(Setup<Refreshed>) -> std::io::Result<E>) {
    let mut mixed = closed(1, 16);
    mixed.set_mix(4096, Percent::from_ppm(500_000).unwrap());
    let timed = open(20_000, iobound_workload::Arrivals::Poisson, 16);
    let flushed = Job { flush_every: Some(100), ..writes(closed(1, 4)) };
    for job in [closed(1, 1), closed(1, 32), mixed, timed, flushed] {
        let few = allocations(&job, 256 * 4096, &make);
        let many = allocations(&job, 16 * 256 * 4096, &make);
        assert_eq!(few, many, "{job:?}");
    }
}

#[test]
fn the_loop_on_io_uring_allocates_nothing_after_the_start() {
    if is_here(Kind::IoUring) {
        allocates_nothing_on_the_way(Uring::new);
    }
}

#[test]
fn the_loop_on_libaio_allocates_nothing_after_the_start() {
    if is_here(Kind::Libaio) {
        allocates_nothing_on_the_way(Aio::new);
    }
}

#[test]
fn the_loop_on_plain_calls_allocates_nothing_after_the_start() {
    if is_here(Kind::Sync) {
        allocates_nothing_on_the_way(Sync::new);
    }
}

#[test]
fn the_loop_on_a_completion_port_allocates_nothing_after_the_start() {
    if is_here(Kind::Iocp) {
        allocates_nothing_on_the_way(Iocp::new);
    }
}
