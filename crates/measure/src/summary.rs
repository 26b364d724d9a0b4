//! IOPS, throughput and latency of a run and of its parts.

use iobound_units::{Op, Span, TargetId};

use crate::histogram::Histogram;
use crate::percentile::supported;
use crate::recorder::{Loop, Measured, MeasuredCell, MeasuredJob};
use crate::result::round;
use crate::result::{ByOperation, Figures, Latency, LoopLabel};

/// Figures of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Reads and writes together.
    pub total: Figures,
    /// Each operation by itself.
    pub by_operation: ByOperation,
}

/// The whole run.
pub fn run(measured: &Measured) -> Summary {
    of_jobs(measured, &measured.jobs, label(measured, 0..measured.jobs.len()))
}

/// One job, by its index.
pub fn job(measured: &Measured, job: usize) -> Summary {
    of_jobs(measured, &measured.jobs[job..=job], label(measured, [job]))
}

/// One thread, by its number, over all jobs and targets. Percentiles are to two digits.
pub fn thread(measured: &Measured, thread: u16) -> Summary {
    of_cells(measured, |part| part.cell.thread == thread)
}

/// One target over all jobs and threads. Percentiles are to two digits.
pub fn target(measured: &Measured, target: TargetId) -> Summary {
    of_cells(measured, |part| part.cell.target == target)
}

/// One cell. Percentiles are to two digits.
pub fn cell(measured: &Measured, part: &MeasuredCell) -> Summary {
    of_these(measured, &[part])
}

/// Every thread, in the order of their numbers, as [`thread`] has it: in time that grows with the number of cells.
pub fn all_threads(measured: &Measured) -> Vec<Summary> {
    let mut cells: Vec<Vec<&MeasuredCell>> = vec![Vec::new(); usize::from(measured.layout.threads)];
    for part in &measured.cells {
        if let Some(own) = cells.get_mut(usize::from(part.cell.thread)) {
            own.push(part);
        }
    }
    cells.iter().map(|own| of_these(measured, own)).collect()
}

/// Every target, in their order, as [`target`] has it: in time that grows with the number of cells.
pub fn all_targets(measured: &Measured) -> Vec<Summary> {
    let mut cells: Vec<Vec<&MeasuredCell>> = vec![Vec::new(); measured.layout.targets.len()];
    for part in &measured.cells {
        if let Some(own) = cells.get_mut(usize::from(part.cell.target.0)) {
            own.push(part);
        }
    }
    cells.iter().map(|own| of_these(measured, own)).collect()
}

/// The loop that all of these jobs have, or that they differ.
pub(crate) fn label(measured: &Measured, jobs: impl IntoIterator<Item = usize>) -> Option<LoopLabel> {
    let label = |job: usize| match measured.layout.jobs[job].kind {
        Loop::Closed => LoopLabel::Closed,
        Loop::Open => LoopLabel::Open,
    };
    jobs.into_iter().map(label).reduce(|a, b| if a == b { a } else { LoopLabel::Mixed })
}

/// Figures of one operation, summed up.
struct Sum<const DIGITS: u8> {
    bytes: u64,
    errors: u64,
    response: Histogram<DIGITS>,
    /// Service times, also of closed loops; `None` if no part was an open loop.
    service: Option<Histogram<DIGITS>>,
}

impl<const DIGITS: u8> Sum<DIGITS> {
    fn new() -> Self {
        Sum { bytes: 0, errors: 0, response: Histogram::new(), service: None }
    }

    fn figures(&self, window: Span, label: Option<LoopLabel>) -> Figures {
        let ios = self.response.count();
        let seconds = Some(window.secs_f64()).filter(|seconds| *seconds > 0.0);
        Figures {
            ios: Some(ios),
            bytes: Some(self.bytes),
            errors: Some(self.errors),
            iops: seconds.map(|seconds| round::iops(ios as f64 / seconds)),
            throughput_bytes_per_s: seconds.map(|seconds| round::bytes_per_s(self.bytes as f64 / seconds)),
            latency_us: latency(&self.response, label),
            service_us: self.service.as_ref().and_then(|service| latency(service, None)),
        }
    }
}

/// The latency of a histogram in µs; `None` without values. Percentiles lie between minimum and maximum,
/// which are exact, and those that the values cannot support are absent.
pub fn latency<const DIGITS: u8>(histogram: &Histogram<DIGITS>, label: Option<LoopLabel>) -> Option<Latency> {
    let moments = histogram.moments();
    let (min_ns, max_ns) = moments.min_ns().zip(moments.max_ns())?;
    let percentile = |percentile: f64| {
        supported(percentile, histogram.count())
            .then(|| round::us(histogram.percentile_ns(percentile) as f64))
    };
    Some(Latency {
        label,
        mean: moments.mean_ns().map(round::us),
        stdev: moments.stdev_ns().map(round::us),
        min: Some(round::us(min_ns as f64)),
        p50: percentile(50.0),
        p90: percentile(90.0),
        p95: percentile(95.0),
        p99: percentile(99.0),
        p99_9: percentile(99.9),
        p99_99: percentile(99.99),
        p99_999: percentile(99.999),
        p99_9999: percentile(99.9999),
        max: Some(round::us(max_ns as f64)),
    })
}

fn of_jobs(measured: &Measured, jobs: &[MeasuredJob], label: Option<LoopLabel>) -> Summary {
    let open = label != Some(LoopLabel::Closed);
    summary(measured.window(), label, |op, sum: &mut Sum<3>| {
        for part in jobs.iter().map(|job| job.op(op)) {
            sum.bytes += part.bytes;
            sum.errors += part.errors;
            sum.response.merge(&part.response);
            if open {
                let service = sum.service.get_or_insert_default();
                service.merge(part.service.as_ref().unwrap_or(&part.response));
            }
        }
    })
}

fn of_cells(measured: &Measured, wanted: impl Fn(&MeasuredCell) -> bool) -> Summary {
    let cells: Vec<_> = measured.cells.iter().filter(|part| wanted(part)).collect();
    of_these(measured, &cells)
}

fn of_these(measured: &Measured, cells: &[&MeasuredCell]) -> Summary {
    let label = label(measured, cells.iter().map(|part| usize::from(part.cell.job)));
    summary(measured.window(), label, |op, sum: &mut Sum<2>| {
        for part in cells.iter().map(|part| &part.by_op[op as usize]) {
            sum.bytes += part.bytes;
            sum.errors += part.errors;
            sum.response.merge(&part.response);
        }
    })
}

/// Sums up each operation, and reads and writes together.
fn summary<const DIGITS: u8>(
    window: Span,
    label: Option<LoopLabel>,
    add: impl Fn(Op, &mut Sum<DIGITS>),
) -> Summary {
    let mut total = Sum::new();
    let mut figures = |op: Op| {
        let mut sum = Sum::new();
        add(op, &mut sum);
        if op.moves_data() {
            add(op, &mut total);
        }
        (sum.response.count() + sum.errors > 0).then(|| sum.figures(window, label))
    };
    let by_operation = ByOperation {
        read: figures(Op::Read),
        write: figures(Op::Write),
        flush: figures(Op::Flush),
        discard: figures(Op::Discard),
    };
    Summary { total: total.figures(window, label), by_operation }
}
