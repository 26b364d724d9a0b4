//! A trace on real files: every engine issues all I/Os at their recorded times, and counts them as a run does.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "it writes the files that it replays on")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_drive::{EndReason, Flow, ReplayMode};
use iobound_load::engine::{Kind, Needs, OnError, Open, Targets, choose};
use iobound_load::prepare::{Filling, Payload};
use iobound_load::run::{Blocks, Options, Outcome, Placement, Start, TracePlace, TraceReplay, run};
use iobound_measure::Keep;
use iobound_trace::{InMemory, NO_LATENCY, Record, Source};
use iobound_units::{Bytes, Op, Ppm, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Content, Job, Load, Share, Spread, Target, Workload};

const SIZE: u64 = 4 << 20;
const IOS: u64 = 500;
/// Time between two I/Os.
const GAP_NS: u64 = 1_000_000;

/// Reads and writes of 4 KiB on two devices, some of them beyond the end of their file.
fn records() -> InMemory {
    let record = |n: u64| Record {
        at_ns: 7_000_000_000 + n * GAP_NS,
        offset: n * 7_919 % 2_048 * 4_096,
        length: 4_096,
        latency_ns: if n.is_multiple_of(2) { 100_000 } else { NO_LATENCY },
        device: (n % 2) as u16,
        op: if n.is_multiple_of(4) { Op::Write } else { Op::Read },
    };
    InMemory::new((0..IOS).map(record).collect(), vec!["a".into(), "b".into()])
}

fn replayed(engine: Kind, mode: ReplayMode, scaled_from: Option<u64>) -> Outcome {
    let folder = tempfile::tempdir().expect("there is room");
    let paths: Vec<_> = ["a", "b"].iter().map(|name| folder.path().join(name)).collect();
    for path in &paths {
        std::fs::write(path, vec![0; SIZE as usize]).expect("there is room");
    }
    let files: Vec<_> = paths.iter().map(|path| vec![path.clone()]).collect();
    let opened = Arc::new(Targets::open(&files, Open { writes: true, direct: false }).expect("files"));
    let target = |(n, name): (u16, &str)| Target {
        name: name.into(),
        id: TargetId(n),
        size: Bytes(SIZE),
        members_of: None,
    };
    let targets: Vec<Target> = (0..).zip(["a", "b"]).map(target).collect();
    let mut job = Job::new("trace");
    let share = |op| Share { weight: 1, op, block: 4_096, random: None, align: None };
    job.mix = vec![share(Op::Read), share(Op::Write)];
    job.spread = Spread::Dealt;
    let rate = Rate::Ios { count: IOS, per: Span::from_ns(IOS * GAP_NS) };
    job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 64 };
    let place =
        |device: &str| TracePlace { device: device.into(), target: device.into(), scaled_from, divisor: 1 };
    let trace = TraceReplay {
        job: "trace".into(),
        lowers_depth: false,
        open: Box::new(|| Ok(Box::new(records()))),
        mode,
        speed: Ppm::ONE,
        places: vec![place("a"), place("b")],
        align: 1,
        lasts: Span::from_ns((IOS - 1) * GAP_NS),
    };
    let options = Options {
        engine,
        interval: Span::from_ms(100),
        placement: Placement::Anywhere,
        on_error: OnError::Stop,
        apart: None,
        nops: false,
        traces: vec![Arc::new(trace)],
        thread_series: Keep::Nothing,
        report_every: None,
        log_ios: true,
        keep_warmup: false,
        blocks: Blocks::Refreshed(Payload::new(Filling {
            content: Content::Zeros,
            ..Filling::incompressible(1)
        })),
        start: Start::AtOnce,
    };
    let workload = Workload::new(vec![job], Span::from_secs(3_600));
    let stop = Arc::new(AtomicBool::new(false));
    run(&workload, &targets, &opened, &options, &stop, &mut |_| Flow::Continue).expect("it begins")
}

fn engines() -> Vec<Kind> {
    let needs = Needs { direct: false, discards: false, range_syncs: false, outstanding: 64 };
    Kind::ALL.into_iter().filter(|kind| choose(Some(*kind), needs, &[]).is_ok()).collect()
}

#[test]
fn every_engine_replays_all_ios_of_a_trace_on_their_targets() {
    for engine in engines() {
        let outcome = replayed(engine, ReplayMode::Timed, None);
        assert_eq!((outcome.reason, outcome.error.as_deref()), (EndReason::WorkDone, None), "{engine}");
        let job = &outcome.total.jobs[0];
        assert_eq!((job.op(Op::Read).count(), job.op(Op::Write).count()), (375, 125), "{engine}");
        let replay = &outcome.replays[0];
        let counts = replay.counts.expect("the replay did not fail");
        assert!(counts.complete && counts.issued == IOS && counts.wrapped > 0, "{engine}: {counts:?}");
        // No I/O is issued before its time.
        assert!(counts.last_issue >= replay.lasts, "{engine}: {counts:?}");
        assert_eq!(replay.recorded.count(), IOS / 2, "{engine}");
        assert_eq!(outcome.lateness.as_ref().map(|late| late.count()), Some(IOS), "{engine}");
        let on = |id| outcome.ios[0].iter().filter(|io| io.target == TargetId(id)).count() as u64;
        assert_eq!((on(0), on(1)), (IOS / 2, IOS / 2), "{engine}");
        assert!(outcome.ios[0].iter().all(|io| io.offset + u64::from(io.len) <= SIZE), "{engine}");
    }
}

#[test]
fn offsets_are_scaled_to_a_smaller_target_and_times_may_be_ignored() {
    let outcome = replayed(engines()[0], ReplayMode::Eager, Some(2_048 * 4_096));
    let counts = outcome.replays[0].counts.expect("the replay did not fail");
    assert_eq!((counts.issued, counts.wrapped), (IOS, 0));
    assert!(outcome.lateness.is_none());
    let mut recorded = Vec::new();
    records().read(&mut recorded).expect("they are in memory");
    let mut wanted: Vec<u64> = recorded.iter().map(|record| record.offset / 2 / 512 * 512).collect();
    let mut offsets: Vec<u64> = outcome.ios[0].iter().map(|io| io.offset).collect();
    wanted.sort_unstable();
    offsets.sort_unstable();
    assert_eq!(offsets, wanted);
}
