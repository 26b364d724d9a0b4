//! A run that was never made: latencies by a rule, so that every figure of a report can be computed by hand.

use std::sync::Arc;

use iobound_formats::fio::{self, Action, Command};
use iobound_formats::{Ran, RanMachine, RanTarget};
use iobound_measure::result::{DeviceCounters, DeviceFacts};
use iobound_measure::thread::BATCH_BUCKETS;
use iobound_measure::{
    Apart, Batches, Cell, CellId, JobLayout, Keep, Layout, Loop, Measured, Recorder, ThreadMeasured, Usage,
};
use iobound_units::{Bytes, Instant, Op, Span, TargetId};
use iobound_workload::{Load, Queue, Target, Targets, Workload};

/// Start of each of these runs: 2026-01-02 03:04:05 UTC.
pub(crate) const BEGAN_MS: u64 = 1_767_323_045_000;

/// A command line and what came of it, stage by stage.
pub(crate) struct Made {
    pub command: Command,
    pub stages: Vec<Stage>,
}

/// One stage.
pub(crate) struct Stage {
    pub workload: Workload,
    queues: Vec<Queue>,
    pub targets: Vec<RanTarget>,
    total: Measured,
    pub threads: Vec<ThreadMeasured>,
    pub machine: RanMachine,
}

/// The latency of the n-th I/O of a thread: reads take 100 µs and up to 9 µs more, writes twice that, trims 50 µs.
/// The first microsecond is submission.
pub(crate) fn latency_ns(op: Op, n: u64) -> u64 {
    match op {
        Op::Read => 100_000 + n % 10 * 1_000,
        Op::Write => 200_000 + n % 10 * 2_000,
        Op::Flush => 500_000,
        Op::Discard => 50_000,
    }
}

/// I/Os of a thread every second.
pub(crate) const PER_SECOND: u64 = 1_000;

/// Reads the line and makes up what its threads do: an I/O every millisecond from the start on, the operations of
/// the mix in turn, a flush where the job asks for it. `apart` is whether submission is measured apart.
pub(crate) fn made(line: &str, apart: bool) -> Made {
    let command = fio::parse_command(line, &fio::NoContext).unwrap_or_else(|error| panic!("{error}"));
    let Action::Run(foreign) = &command.action else { panic!("{line} runs nothing") };
    let last = foreign.workload.jobs.iter().map(|job| job.stage).max().expect("a job");
    let stages = (0..=last).map(|number| {
        let mut workload = foreign.workload.clone();
        workload.jobs.retain(|job| job.stage == number);
        stage(workload, apart, command.reporting.interval(), u64::from(number))
    });
    let stages = stages.collect();
    Made { command, stages }
}

impl Made {
    pub(crate) fn rans(&self) -> Vec<Ran<'_>> {
        self.stages.iter().map(Stage::ran).collect()
    }
}

impl Stage {
    fn ran(&self) -> Ran<'_> {
        let Stage { workload, queues, targets, total, threads, machine } = self;
        Ran {
            workload,
            queues,
            targets,
            total,
            threads,
            machine,
            checks: &[],
            read_back: &[],
            ios: &[],
            wrong: &[],
        }
    }
}

fn stage(workload: Workload, apart: bool, interval: Span, number: u64) -> Stage {
    let mut names: Vec<String> = Vec::new();
    for job in &workload.jobs {
        if let Targets::Named(own) = &job.targets {
            names.extend(own.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
        }
    }
    let size = Bytes::gib(64);
    let target = |(index, name): (usize, &String)| Target {
        name: name.clone(),
        id: TargetId(index as u16),
        size,
        members_of: None,
    };
    let known: Vec<Target> = names.iter().enumerate().map(target).collect();
    let queues = workload.queues(&known).expect("the jobs fit their targets");
    let layout = layout(&workload, &queues, &names, interval);
    let mut total = Recorder::new(layout.clone());
    let threads: Vec<ThreadMeasured> = (0..layout.threads)
        .map(|thread| self::thread(&workload, &layout, thread, apart, &mut total))
        .collect();
    let duration_ms = layout.end.since(layout.begin).ns() / 1_000_000;
    let began = BEGAN_MS + number * 60_000;
    let machine = RanMachine {
        host: "vm".to_string(),
        version: "0.1.0".to_string(),
        began_unix_ms: began,
        ended_unix_ms: began + duration_ms,
        devices: vec![device()],
        ..RanMachine::default()
    };
    Stage {
        queues,
        targets: names.into_iter().map(|path| RanTarget { path, size, files: Vec::new() }).collect(),
        total: total.finish(layout.end, &[]),
        threads,
        machine,
        workload,
    }
}

fn layout(workload: &Workload, queues: &[Queue], targets: &[String], interval: Span) -> Layout {
    let start = Instant::ZERO + workload.warmup;
    let job = |job: &iobound_workload::Job| JobLayout {
        name: job.name.clone(),
        kind: if matches!(job.load, Load::Open { .. }) { Loop::Open } else { Loop::Closed },
        requested_depth: None,
        requested_iops: None,
    };
    Layout {
        jobs: workload.jobs.iter().map(job).collect(),
        threads: queues.iter().map(|queue| queue.thread + 1).max().expect("a queue"),
        targets: targets.to_vec(),
        cells: queues
            .iter()
            .map(|queue| Cell { job: queue.job, thread: queue.thread, target: queue.extents[0].target })
            .collect(),
        begin: Instant::ZERO,
        start,
        end: start + workload.duration,
        interval,
    }
}

/// Time of each submission.
const SUBMISSION_NS: u64 = 1_000;

fn thread(
    workload: &Workload,
    layout: &Layout,
    thread: u16,
    apart: bool,
    total: &mut Recorder,
) -> ThreadMeasured {
    let cell = layout.cells.iter().position(|cell| cell.thread == thread).expect("every thread has a cell");
    let number = layout.cells[cell].job;
    let job = &workload.jobs[usize::from(number)];
    let mut recorder = Recorder::of_thread(Arc::new(layout.clone()), thread, Keep::All);
    let part = || {
        let single = Layout::single("part", "target", layout.start, layout.end, layout.interval);
        Recorder::new(Layout { begin: layout.begin, ..single })
    };
    let (mut submission, mut completion) = (part(), part());
    let mut record = |op: Op, len: u32, at: Instant, n: u64| {
        let latency = latency_ns(op, n);
        let issued = Instant::from_ns(at.ns() - latency);
        for (part, took) in [(&mut submission, SUBMISSION_NS), (&mut completion, latency - SUBMISSION_NS)] {
            let begin = Instant::from_ns(at.ns() - took);
            part.record(CellId(0), op, len, begin, begin, at, true);
        }
        for (recorder, cell) in [(&mut recorder, 0), (&mut *total, cell as u32)] {
            recorder.record(CellId(cell), op, len, issued, issued, at, true);
        }
    };
    let count = layout.end.since(layout.begin).ns() / 1_000_000 * PER_SECOND / 1_000;
    let mut writes = 0;
    for n in 1..=count {
        let share = &job.mix[(n as usize - 1) % job.mix.len()];
        let at = Instant::from_ns(n * 1_000_000_000 / PER_SECOND);
        record(share.op, share.block, at, n);
        writes += u64::from(share.op == Op::Write);
        if share.op == Op::Write && job.flush_every.is_some_and(|every| writes.is_multiple_of(every)) {
            record(Op::Flush, 0, at, n);
        }
    }
    let mut buckets = [0; BATCH_BUCKETS];
    buckets[Batches::bucket(4)] = count;
    ThreadMeasured {
        job: number,
        measured: recorder.finish(layout.end, &[]),
        usage: Usage {
            user: Span::from_ms(layout.end.since(layout.start).ns() / 1_000_000 / 10),
            system: Span::from_ms(layout.end.since(layout.start).ns() / 1_000_000 / 4),
            context_switches: 77,
            minor_faults: 8,
            major_faults: 1,
            waited: None,
        },
        batches: Batches {
            submitted: buckets,
            completed: buckets,
            outstanding: buckets,
            ..Batches::default()
        },
        apart: apart.then(|| {
            let finish = |part: Recorder| part.finish(layout.end, &[]);
            Box::new(Apart { submission: finish(submission), completion: finish(completion) })
        }),
    }
}

fn device() -> DeviceFacts {
    DeviceFacts {
        name: "nvme0n1".to_string(),
        counters: Some(DeviceCounters {
            seconds: 2.0,
            reads: 1_000,
            reads_merged: 3,
            read_bytes: 4_096_000,
            writes: 500,
            writes_merged: 5,
            written_bytes: 2_048_000,
            flushes: 0,
            discards: 0,
            read_us: Some(100.0),
            write_us: Some(200.0),
            queue: 0.25,
            busy: 0.5,
        }),
        ..DeviceFacts::default()
    }
}
