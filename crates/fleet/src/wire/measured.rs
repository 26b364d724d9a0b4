//! All that was recorded of a run.

use iobound_measure::{
    Cell, Interval, IntervalTally, JobLayout, LatencyCount, Layout, Loop, Measured, MeasuredCell,
    MeasuredCellOp, MeasuredJob, MeasuredOp, Phase, SeriesLatencies, Together,
};
use iobound_units::{Instant, Op, Span, TargetId};

use super::histogram::{narrow, read_latencies, wide, wire_latencies};
use super::{WireError, histogram, line, messages, there};

/// The most jobs of a run that is sent: each takes a megabyte where it is read.
const MOST_JOBS: usize = 256;

/// The most cells, which are fewer once threads and targets were put together.
const MOST_CELLS: usize = 4_096;

pub(super) fn wire(measured: &Measured) -> messages::Measured {
    let Measured { layout, start, end, jobs, cells, series, latencies, series_left_out } = measured;
    let lists = |index| [Op::Read, Op::Write].map(|op| latencies.of(index, op));
    messages::Measured {
        begin_ns: layout.begin.ns(),
        start_ns: start.ns(),
        planned_end_ns: layout.end.ns(),
        end_ns: end.ns(),
        interval_ns: layout.interval.ns(),
        threads: u32::from(layout.threads),
        targets: layout.targets.clone(),
        jobs: layout.jobs.iter().zip(jobs).map(|(layout, job)| wire_job(layout, job)).collect(),
        cells: cells.iter().map(wire_cell).collect(),
        series: (0..).zip(series).map(|(index, own)| wire_interval(own, lists(index))).collect(),
        series_left_out: *series_left_out,
    }
}

fn wire_job(layout: &JobLayout, job: &MeasuredJob) -> messages::Job {
    let op = |op: &MeasuredOp| messages::JobOp {
        bytes: op.bytes,
        errors: op.errors,
        response: histogram::wire(&op.response),
        service: op.service.as_ref().and_then(histogram::wire),
    };
    messages::Job {
        name: layout.name.clone(),
        open: layout.is_open(),
        requested_depth: layout.requested_depth,
        requested_iops: layout.requested_iops,
        ops: job.by_op.iter().map(op).collect(),
        unfinished: job.unfinished,
        never_issued: job.never_issued,
        outstanding_ns: Some(wide(job.outstanding_ns)),
    }
}

fn wire_cell(cell: &MeasuredCell) -> messages::Cell {
    let op = |op: &MeasuredCellOp| messages::CellOp {
        bytes: op.bytes,
        errors: op.errors,
        response: histogram::wire(&op.response),
    };
    messages::Cell {
        job: u32::from(cell.cell.job),
        thread: u32::from(cell.cell.thread),
        target: u32::from(cell.cell.target.0),
        ops: cell.by_op.iter().map(op).collect(),
        outstanding_ns: Some(wide(cell.outstanding_ns)),
    }
}

/// An interval, with the latencies of its reads and writes where they were kept.
pub(super) fn wire_interval(
    interval: &Interval,
    latencies: [Option<&[LatencyCount]>; 2],
) -> messages::Interval {
    let tally = |tally: &IntervalTally, latencies: Option<&[LatencyCount]>| {
        let (steps, counts) = wire_latencies(latencies.unwrap_or_default());
        messages::Tally {
            count: tally.count,
            bytes: tally.bytes,
            errors: tally.errors,
            sum_ns: Some(wide(tally.sum_ns)),
            min_ns: tally.min.ns(),
            max_ns: tally.max.ns(),
            p50_ns: tally.p50.map(Span::ns),
            p99_ns: tally.p99.map(Span::ns),
            kept: latencies.is_some(),
            steps,
            counts,
            squares_ns2: Some(wide(tally.squares_ns2)),
        }
    };
    let phase = match interval.phase {
        Phase::Warmup => messages::Phase::Warmup,
        Phase::Counted => messages::Phase::Counted,
        Phase::Cooldown => messages::Phase::Cooldown,
    };
    messages::Interval {
        start_ns: interval.start.ns(),
        end_ns: interval.end.ns(),
        phase: phase.into(),
        whole: interval.whole,
        read: Some(tally(&interval.read, latencies[0])),
        write: Some(tally(&interval.write, latencies[1])),
    }
}

pub(super) fn read(wire: messages::Measured) -> Result<Measured, WireError> {
    if wire.jobs.is_empty() || wire.jobs.len() > MOST_JOBS {
        return Err(WireError(format!("{} jobs: the number must be 1 to {MOST_JOBS}", wire.jobs.len())));
    }
    if wire.cells.len() > MOST_CELLS {
        return Err(WireError(format!("{} cells, of at most {MOST_CELLS}", wire.cells.len())));
    }
    let (layouts, jobs): (Vec<JobLayout>, Vec<MeasuredJob>) =
        wire.jobs.into_iter().map(read_job).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let cells = wire.cells.into_iter().map(read_cell).collect::<Result<Vec<_>, _>>()?;
    let series = wire.series.into_iter().map(read_interval).collect::<Result<Vec<_>, _>>()?;
    let lists = series.iter().map(|(_, lists)| [0, 1].map(|direction: usize| lists[direction].as_deref()));
    let latencies = SeriesLatencies::from_lists(lists)?;
    let targets = wire.targets.into_iter().map(|name| line(name, "a target's name"));
    let measured = Measured {
        layout: Layout {
            jobs: layouts,
            threads: small(wire.threads, "threads")?,
            targets: targets.collect::<Result<_, _>>()?,
            cells: cells.iter().map(|cell| cell.cell).collect(),
            begin: Instant::from_ns(wire.begin_ns),
            start: Instant::from_ns(wire.start_ns),
            end: Instant::from_ns(wire.planned_end_ns),
            interval: Span::from_ns(wire.interval_ns),
        },
        start: Instant::from_ns(wire.start_ns),
        end: Instant::from_ns(wire.end_ns),
        jobs,
        cells,
        series: series.into_iter().map(|(interval, _)| interval).collect(),
        latencies,
        series_left_out: wire.series_left_out,
    };
    measured.check()?;
    Ok(measured)
}

fn read_job(wire: messages::Job) -> Result<(JobLayout, MeasuredJob), WireError> {
    let open = wire.open;
    if wire.requested_iops.is_some_and(|iops| !iops.is_finite() || iops < 0.0) {
        return Err(WireError(format!("a job that asks for {:?} IOPS", wire.requested_iops)));
    }
    let layout = JobLayout {
        name: line(wire.name, "a job's name")?,
        kind: if open { Loop::Open } else { Loop::Closed },
        requested_depth: wire.requested_depth,
        requested_iops: wire.requested_iops,
    };
    let op = |op: messages::JobOp| {
        Ok(MeasuredOp {
            bytes: op.bytes,
            errors: op.errors,
            response: histogram::read(op.response)?,
            service: match (open, op.service) {
                (false, Some(_)) => {
                    return Err(WireError("service times of a closed loop".into()));
                }
                (false, None) => None,
                (true, service) => Some(histogram::read(service)?),
            },
        })
    };
    let job = MeasuredJob {
        by_op: each(wire.ops, op)?,
        unfinished: wire.unfinished,
        never_issued: wire.never_issued,
        outstanding_ns: narrow(wire.outstanding_ns),
    };
    Ok((layout, job))
}

fn read_cell(wire: messages::Cell) -> Result<MeasuredCell, WireError> {
    let op = |op: messages::CellOp| {
        Ok(MeasuredCellOp { bytes: op.bytes, errors: op.errors, response: histogram::read(op.response)? })
    };
    Ok(MeasuredCell {
        cell: Cell {
            job: small(wire.job, "a job")?,
            thread: small(wire.thread, "a thread")?,
            target: TargetId(small(wire.target, "a target")?),
        },
        by_op: each(wire.ops, op)?,
        outstanding_ns: narrow(wire.outstanding_ns),
    })
}

type Latencies = [Option<Vec<LatencyCount>>; 2];

pub(super) fn read_interval(wire: messages::Interval) -> Result<(Interval, Latencies), WireError> {
    let phase = match wire.phase() {
        messages::Phase::Warmup => Phase::Warmup,
        messages::Phase::Counted => Phase::Counted,
        messages::Phase::Cooldown => Phase::Cooldown,
    };
    let tally = |tally: messages::Tally| {
        let latencies = read_latencies(&tally.steps, &tally.counts)?;
        let read = IntervalTally {
            count: tally.count,
            bytes: tally.bytes,
            errors: tally.errors,
            sum_ns: narrow(tally.sum_ns),
            squares_ns2: narrow(tally.squares_ns2),
            min: Span::from_ns(tally.min_ns),
            max: Span::from_ns(tally.max_ns),
            p50: tally.p50_ns.map(Span::from_ns),
            p99: tally.p99_ns.map(Span::from_ns),
        };
        Ok::<_, WireError>((read, tally.kept.then_some(latencies)))
    };
    let (read, reads) = tally(there(wire.read, "an interval's reads")?)?;
    let (write, writes) = tally(there(wire.write, "an interval's writes")?)?;
    let interval = Interval {
        start: Instant::from_ns(wire.start_ns),
        end: Instant::from_ns(wire.end_ns),
        phase,
        whole: wire.whole,
        read,
        write,
    };
    Ok((interval, [reads, writes]))
}

/// An interval by itself, with the latencies of its reads and writes.
pub(super) fn read_together(wire: messages::Interval) -> Result<Together, WireError> {
    let (interval, latencies) = read_interval(wire)?;
    Ok(Together::new(interval, latencies.map(Option::unwrap_or_default))?)
}

fn each<W, T>(
    wire: Vec<W>,
    read: impl Fn(W) -> Result<T, WireError>,
) -> Result<[T; Op::ALL.len()], WireError> {
    let count = wire.len();
    let all = wire.into_iter().map(read).collect::<Result<Vec<T>, _>>()?;
    <[T; Op::ALL.len()]>::try_from(all)
        .map_err(|_| WireError(format!("{count} operations, of {}", Op::ALL.len())))
}

fn small(number: u32, what: &str) -> Result<u16, WireError> {
    u16::try_from(number).map_err(|_| WireError(format!("{what} of the number {number}")))
}
