//! A run on the model, recorded I/O by I/O and replayed on the same configuration, has the recorded latencies exactly.

mod common;

use common::Case;
use iobound_catalog::{Catalog, Resolved, resolve};
use iobound_drive::{
    Done, Engine, EngineError, Flow, Modelled, ReplayMode, VirtualClock, Window, Worker, layout_of, run,
};
use iobound_measure::Recorder;
use iobound_model::{Stack, Start, StartCredits};
use iobound_predict::{ReplayQuestion, Replayed, replay_on_model, targets_of};
use iobound_trace::{InMemory, NO_LATENCY, Record};
use iobound_units::{Bytes, Instant, Io, Percent, Ppm, Rate, Span, Tag};
use iobound_workload::{Arrivals, Job, Load, Workload};

const SEED: u64 = 11;

/// The model, with a record of each I/O in the order of submission.
struct RecordedModel {
    inner: Modelled<VirtualClock>,
    now: Instant,
    /// By tag: the place of its record.
    outstanding: Vec<usize>,
    records: Vec<Record>,
}

impl Engine for RecordedModel {
    fn now(&mut self) -> Instant {
        self.now = self.inner.now();
        self.now
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        self.outstanding[tag.0 as usize] = self.records.len();
        self.records.push(Record {
            at_ns: self.now.ns(),
            offset: io.offset,
            length: u64::from(io.len),
            latency_ns: NO_LATENCY,
            device: 0,
            op: io.op,
        });
        self.inner.submit(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let before = done.len();
        let waited = self.inner.wait(until, done);
        for Done { tag, at, .. } in &done[before..] {
            let record = &mut self.records[self.outstanding[tag.0 as usize]];
            record.latency_ns = at.ns() - record.at_ns;
        }
        waited
    }
}

/// Records 40,000 I/Os of a load on the model, and replays them.
fn recorded_and_replayed(resolved: &Resolved, load: Load, full_credits: bool, mode: ReplayMode) -> Replayed {
    let mut job = Job::new("recorded");
    job.set_mix(8_192, Percent::whole(67).expect("a share"));
    job.load = load;
    job.stop_after = Some(Bytes(40_000 * 8_192));
    let mut workload = Workload::new(vec![job], Span::from_secs(3_600));
    workload.seed = SEED;
    let targets = targets_of(resolved);
    let queues = workload.queues(&targets).expect("the workload fits");
    let window = Window::of(&workload, Instant::ZERO);
    let layout = layout_of(&workload, &queues, &targets, window, Span::from_secs(1));
    let mut worker = Worker::of_queues(&workload, queues, window).expect("a worker");
    let credits = if full_credits { StartCredits::Full } else { StartCredits::Rested };
    let start = Start { seed: SEED, credits };
    let stack = Stack::new(&resolved.blueprint, &start, worker.capacity()).expect("a stack");
    let mut engine = RecordedModel {
        inner: Modelled::new(stack, VirtualClock::default()),
        now: Instant::ZERO,
        outstanding: vec![0; worker.capacity()],
        records: Vec::new(),
    };
    let end = run(&mut worker, &mut engine, Recorder::new(layout), &mut |_| Flow::Continue).expect("a run");
    let records = engine.records;
    assert!(records.len() >= 39_999 && records.iter().all(|record| record.latency().is_some()), "{end:?}");
    let question =
        ReplayQuestion { resolved, mode, speed: Ppm::ONE, full_credits, seed: SEED, map: &[], goal: None };
    let mut source = InMemory::new(records, vec!["data".into()]);
    replay_on_model(&question, &mut source, &mut || Flow::Continue).expect("a replay")
}

#[test]
fn a_recording_replayed_on_its_own_configuration_has_the_recorded_latencies() {
    let closed = Load::Closed { depth: 64, cap: None };
    // More than a P30 does, so that the backlog grows; the depth holds none back. The first I/O is at the start of the first
    // slice, as in a replay.
    let rate = Rate::Ios { count: 6_000, per: Span::from_secs(1) };
    let open = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 8_192 };
    for (vm, disk, load, full_credits) in [
        ("D8s_v5", "P30", open, false),
        ("D8s_v5", "P30", closed, false),
        ("D16s_v3", "4xP30", closed, false),
        ("DS14", "4xP30:readonly", closed, false),
        ("D8s_v5", "P10", closed, true),
        ("D4s_v5", "premiumv2@1TiB+20000iops+600MB/s", closed, true),
    ] {
        let case = Case::new(vm, &[disk]);
        let resolved = resolve(&case.configuration, &Catalog::shipped()).expect("a configuration");
        for mode in [ReplayMode::Timed, ReplayMode::Dependent] {
            let replay = recorded_and_replayed(&resolved, load, full_credits, mode);
            let (data, what) = (replay.data(), format!("{disk} on {vm}, {mode:?}"));
            assert_eq!(data.moments(), replay.recorded.moments(), "{what}");
            // Histograms are long to print.
            assert!(data == replay.recorded, "{what}");
            assert_eq!(replay.counts.recorded, replay.counts.last_issue, "{what}");
        }
    }
}

#[test]
fn a_replay_shows_the_use_of_every_limit() {
    let case = Case::new("D8s_v5", &["P30"]);
    let resolved = resolve(&case.configuration, &Catalog::shipped()).expect("a configuration");
    let closed = Load::Closed { depth: 64, cap: None };
    let replay = recorded_and_replayed(&resolved, closed, false, ReplayMode::Timed);
    let names: Vec<&str> = replay.limits.iter().map(|limit| limit.limit.name.as_str()).collect();
    assert_eq!(names.len(), 4, "IOPS and throughput of the disk and of the VM: {names:?}");
    let fullest = &replay.limits[0];
    assert_eq!(fullest.limit.name, "disk.iops");
    assert_eq!(fullest.limit.enforced, 5_100.0, "5,000 IOPS and 2 %");
    // 64 outstanding I/Os keep the limit busy up to the end, so that the mean is the limit.
    assert!((0.97..=1.02).contains(&fullest.limit.share), "{}", fullest.limit.share);
    // In the first second the quotas of 21 slices and a carried one pass, where a second has 20.
    assert!((1.05..1.11).contains(&fullest.peak), "{}", fullest.peak);
    // 8 KiB × the I/Os of the disk, as published 200 MB/s and 2 %.
    let bytes = replay.limits.iter().find(|limit| limit.limit.name == "disk.throughput").expect("a limit");
    let expected = fullest.limit.used * 8_192.0 / (200e6 * 1.02);
    assert!((bytes.limit.share - expected).abs() < 1e-6, "{} and {expected}", bytes.limit.share);
    assert!(replay.limits.windows(2).all(|pair| pair[0].peak >= pair[1].peak));
}
