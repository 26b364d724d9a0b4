//! Runs whose every I/O is known, so that a figure has an oracle: a list.

use std::sync::Arc;

use iobound_formats::{Foreign, Ran, RanMachine, RanTarget};
use iobound_measure::result::{Cpu, Processor};
use iobound_measure::{
    Batches, Cell, CellId, Gathered, JobLayout, Keep, Layout, Loop, Measured, Recorder, ThreadMeasured, Usage,
};
use iobound_units::{Bytes, Instant, Op, Span, TargetId};
use iobound_workload::{Queue, Target, Workload};

/// One I/O that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Io {
    pub(crate) thread: u16,
    pub(crate) target: u16,
    pub(crate) op: Op,
    pub(crate) bytes: u32,
    pub(crate) latency_ns: u64,
    /// Seconds since counting began.
    pub(crate) completed_s: f64,
}

/// A run, with all that a [`Ran`] borrows, and the list of its I/Os.
pub(crate) struct Run {
    pub(crate) workload: Workload,
    pub(crate) queues: Vec<Queue>,
    pub(crate) targets: Vec<RanTarget>,
    pub(crate) total: Measured,
    pub(crate) threads: Vec<ThreadMeasured>,
    pub(crate) machine: RanMachine,
    pub(crate) ios: Vec<Io>,
}

impl Run {
    pub(crate) fn ran(&self) -> Ran<'_> {
        Ran {
            workload: &self.workload,
            queues: &self.queues,
            targets: &self.targets,
            total: &self.total,
            threads: &self.threads,
            machine: &self.machine,
            checks: &[],
            read_back: &[],
            ios: &[],
            wrong: &[],
        }
    }

    /// The I/Os of these kinds.
    pub(crate) fn of(&self, wanted: impl Fn(&Io) -> bool) -> Vec<Io> {
        self.ios.iter().filter(|io| wanted(io)).copied().collect()
    }
}

/// The mean latency of some I/Os in ms.
pub(crate) fn mean_ms(ios: &[Io]) -> f64 {
    ios.iter().map(|io| io.latency_ns as f64 / 1e6).sum::<f64>() / ios.len() as f64
}

/// Their deviation in ms.
pub(crate) fn stdev_ms(ios: &[Io]) -> f64 {
    let mean = mean_ms(ios);
    let squares: f64 = ios.iter().map(|io| (io.latency_ns as f64 / 1e6 - mean).powi(2)).sum();
    (squares / ios.len() as f64).sqrt()
}

/// The deviation of the IOPS of whole seconds.
pub(crate) fn iops_stdev(ios: &[Io], seconds: usize) -> f64 {
    let mut counts = vec![0.0; seconds];
    for io in ios {
        // An interval holds its end and not its start.
        counts[(io.completed_s.ceil() as usize).max(1) - 1] += 1.0;
    }
    let mean = counts.iter().sum::<f64>() / seconds as f64;
    (counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / seconds as f64).sqrt()
}

/// A machine of two sockets with a core each of two processors.
pub(crate) fn machine(command: &str) -> RanMachine {
    let processor = |cpu: u32, user: f64, system: f64, idle: f64| Processor {
        cpu,
        core: Some(0),
        socket: Some(cpu / 2),
        node: Some(cpu / 2),
        efficiency_class: None,
        user,
        system,
        idle,
        steal: 0.0,
    };
    RanMachine {
        host: "vm-1".to_string(),
        system: "Linux 6.8.0".to_string(),
        command: command.to_string(),
        version: "0.1.0".to_string(),
        // 2026-06-22 22:16:45 UTC
        began_unix_ms: 1_782_166_605_000,
        ended_unix_ms: 1_782_166_620_250,
        prepared_for: None,
        cpu: Cpu {
            online: 4,
            processors: vec![
                processor(0, 0.30, 0.25, 0.45),
                processor(1, 0.0, 0.0, 1.0),
                processor(2, 0.10, 0.05, 0.85),
                processor(3, 0.0, 0.10, 0.90),
            ],
            ..Cpu::default()
        },
        devices: Vec::new(),
        notes: Vec::new(),
    }
}

/// One of the workloads as a run in which every thread on every target completes an I/O every few ms: each
/// third one a write where the job writes at all, with latencies from 100 µs to some ms.
pub(crate) fn run(foreign: &Foreign, index: usize, interval: Span, command: &str) -> Run {
    let workload = foreign.workloads().nth(index).expect("a workload").clone();
    let size = Bytes::gib(1 << 10);
    let targets: Vec<RanTarget> = foreign
        .files
        .iter()
        .map(|file| RanTarget {
            path: file.name.clone(),
            size: file.size.unwrap_or(Bytes::mib(10)),
            files: Vec::new(),
        })
        .collect();
    let known: Vec<Target> = targets
        .iter()
        .zip(0..)
        .map(|(target, id)| Target { name: target.path.clone(), id: TargetId(id), size, members_of: None })
        .collect();
    let queues = workload.queues(&known).expect("queues");
    let start = Instant::ZERO + workload.warmup;
    let end = start + workload.duration;
    let job_of = |name: &String| JobLayout {
        name: name.clone(),
        kind: Loop::Closed,
        requested_depth: None,
        requested_iops: None,
    };
    let cells: Vec<Cell> = queues
        .iter()
        .flat_map(|queue| {
            queue.extents.iter().map(|extent| Cell {
                job: queue.job,
                thread: queue.thread,
                target: extent.target,
            })
        })
        .collect();
    let threads = queues.iter().map(|queue| queue.thread + 1).max().unwrap_or(0);
    let layout = Layout {
        jobs: workload.jobs.iter().map(|job| job_of(&job.name)).collect(),
        threads,
        targets: targets.iter().map(|target| target.path.clone()).collect(),
        cells: cells.clone(),
        begin: Instant::ZERO,
        start,
        end,
        interval,
    };
    let mut ios = Vec::new();
    let layout = Arc::new(layout);
    let mut recorders: Vec<Recorder> =
        (0..threads).map(|thread| Recorder::of_thread(Arc::clone(&layout), thread, Keep::All)).collect();
    for (number, cell) in cells.iter().enumerate() {
        let job = &workload.jobs[usize::from(cell.job)];
        let ops: Vec<(Op, u32)> = job.mix.iter().map(|share| (share.op, share.block)).collect();
        let mut at_ms = 3 + number as u64;
        let end_ms = workload.duration.ns() / 1_000_000;
        let mut turn = 0u64;
        while at_ms < end_ms {
            let (op, bytes) = if ops.len() > 1 && turn.is_multiple_of(3) { ops[1] } else { ops[0] };
            let latency_ns = 100_000 + (turn * 7_919 + number as u64 * 104_729) % 5_000_000;
            let completed = start + Span::from_ms(at_ms);
            let issued = Instant::from_ns(completed.ns() - latency_ns.min(completed.ns()));
            let latency_ns = completed.since(issued).ns();
            let before = cells[..number].iter().filter(|other| other.thread == cell.thread);
            let cell_id = CellId(before.count() as u32);
            recorders[usize::from(cell.thread)].record(cell_id, op, bytes, issued, issued, completed, true);
            let (thread, target) = (cell.thread, cell.target.0);
            ios.push(Io { thread, target, op, bytes, latency_ns, completed_s: at_ms as f64 / 1e3 });
            // Faster and slower seconds.
            at_ms += 2 + (at_ms / 1_000 + number as u64) % 3;
            turn += 1;
        }
    }
    let mut gathered = Gathered::new(layout);
    let measured: Vec<Measured> =
        recorders.into_iter().map(|recorder| gathered.add(recorder, end, &[])).collect();
    let job_of_thread = |thread: usize| {
        queues.iter().find(|queue| usize::from(queue.thread) == thread).map_or(0, |queue| queue.job)
    };
    let threads = measured
        .into_iter()
        .enumerate()
        .map(|(thread, measured)| ThreadMeasured {
            job: job_of_thread(thread),
            measured,
            usage: Usage::default(),
            batches: Batches::default(),
            apart: None,
        })
        .collect();
    let total = gathered.finish(end);
    Run { workload, queues, targets, total, threads, machine: machine(command), ios }
}
