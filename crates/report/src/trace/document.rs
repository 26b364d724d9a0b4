use iobound_documents::{
    BytesPerSecond, Iops, Microseconds, Seconds, Share, TraceDepth, TraceDevice, TraceDocument,
    TraceFitDocument, TraceFitError, TraceHits, TraceLatency, TraceOp, TracePoint, TraceRate, TraceRead,
    TraceReuse, TraceSize, TraceWorkingSet, Version,
};
use iobound_measure::Histogram;
use iobound_trace::{Analysis, DeviceFigures, FittedWorkload, OpFigures, RateSummary, TraceFacts};
use iobound_units::Op;

/// Lengths of an operation that are shown.
const SIZES: usize = 8;
/// Windows of the series.
const POINTS: usize = 10_000;

/// Reading of the files.
pub fn trace_read(files: &[String], facts: &TraceFacts) -> TraceRead {
    let first = facts.malformed.first.as_ref();
    TraceRead {
        files: files.to_vec(),
        format: facts.format.clone(),
        time_unit: facts.time_unit.clone(),
        lines: facts.lines,
        passed: facts.passed,
        malformed: facts.malformed.count,
        first_malformed: first.map(|(line, text, why)| format!("line {line}: {why}: `{text}`")),
        other_ops: facts.other_ops,
        zero_length: facts.zero_length,
        unsorted: facts.unsorted,
        notes: facts.notes.clone(),
    }
}

/// A distribution of latencies; `None` of none.
pub fn latency_part<const DIGITS: u8>(latency: &Histogram<DIGITS>) -> Option<TraceLatency> {
    let moments = latency.moments();
    let (mean, max) = (moments.mean_ns()?, moments.max_ns()?);
    let us = |ns: f64| Microseconds::of(ns / 1e3);
    let at = |percentile: f64| us(latency.percentile_ns(percentile) as f64);
    Some(TraceLatency {
        ios: moments.count(),
        mean_us: us(mean),
        p50_us: at(50.0),
        p90_us: at(90.0),
        p95_us: at(95.0),
        p99_us: at(99.0),
        p999_us: at(99.9),
        max_us: us(max as f64),
    })
}

fn bytes(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

fn share(part: u64, of: u64) -> Share {
    Share::of(if of == 0 { 0.0 } else { part as f64 / of as f64 })
}

fn rate(summary: &RateSummary) -> TraceRate {
    let per_second = 1e9 / summary.window_ns.max(1) as f64;
    TraceRate {
        windows: summary.windows,
        mean_iops: Iops::of(summary.mean * per_second),
        p99_iops: Iops::of(summary.p99 as f64 * per_second),
        peak_iops: Iops::of(summary.most as f64 * per_second),
        dispersion: Share::of(summary.dispersion),
    }
}

fn op_part(analysis: &Analysis, op: Op) -> Option<TraceOp> {
    let ios = analysis.ios_of(op);
    (ios > 0).then(|| {
        let mut sizes: Vec<(u64, u64)> = Vec::new();
        for device in &analysis.devices {
            for (length, count) in device.of(op).sizes.most_frequent(iobound_trace::MOST_SIZES) {
                match sizes.iter_mut().find(|size| size.0 == length) {
                    Some(size) => size.1 += count,
                    None => sizes.push((length, count)),
                }
            }
        }
        sizes.sort_by_key(|(length, count)| (std::cmp::Reverse(*count), *length));
        sizes.truncate(SIZES);
        TraceOp {
            op: op.name().to_string(),
            ios,
            bytes: bytes(analysis.bytes_of(op)),
            sizes: sizes.into_iter().map(|(bytes, ios)| TraceSize { bytes, ios }).collect(),
            latency: latency_part(&analysis.latency_of(op)),
        }
    })
}

fn device_part(name: &str, device: &DeviceFigures) -> TraceDevice {
    let of = |op: Op| device.of(op);
    let sequential = |figures: &OpFigures| share(figures.sequential, figures.ios);
    TraceDevice {
        name: name.to_string(),
        ios: device.ios(),
        reads: of(Op::Read).ios,
        writes: of(Op::Write).ios,
        flushes: of(Op::Flush).ios,
        discards: of(Op::Discard).ios,
        read_bytes: bytes(of(Op::Read).bytes),
        written_bytes: bytes(of(Op::Write).bytes),
        first_byte: device.lowest,
        end_byte: device.highest,
        sequential_reads: sequential(of(Op::Read)),
        sequential_writes: sequential(of(Op::Write)),
        read_latency: latency_part(&of(Op::Read).latency),
        write_latency: latency_part(&of(Op::Write).latency),
    }
}

fn reuse_part(analysis: &Analysis) -> TraceReuse {
    let reuse = &analysis.reuse;
    let hits = reuse.curve().into_iter().map(|point| TraceHits {
        cache_bytes: point.cache_bytes,
        all: Share::of(point.all),
        reads: Share::of(point.reads),
    });
    let points = analysis.working_set.points(reuse).into_iter().map(|point| TraceWorkingSet {
        at_s: Seconds::of(point.at_ns as f64 / 1e9),
        window_bytes: point.window_bytes as u64,
        total_bytes: point.total_bytes as u64,
    });
    TraceReuse {
        working_set_bytes: reuse.distinct_bytes() as u64,
        sampled: Share::of(reuse.sampled()),
        hits: hits.collect(),
        over_time: points.collect(),
    }
}

fn series(analysis: &Analysis) -> Vec<TracePoint> {
    let (window_ns, points) = analysis.rates.points();
    let together = points.len().div_ceil(POINTS).max(1);
    let seconds = window_ns as f64 / 1e9;
    let point = |(at, points): (usize, &[iobound_trace::RatePoint])| {
        let long = seconds * together as f64;
        let ios: u64 = points.iter().map(|point| point.ios).sum();
        let moved = points.iter().fold(0u64, |sum, point| sum.saturating_add(point.bytes));
        TracePoint {
            start_s: Seconds::of(at as f64 * long),
            iops: Iops::of(ios as f64 / long),
            throughput_bytes_per_s: BytesPerSecond::of(moved as f64 / long),
        }
    };
    points.chunks(together).enumerate().map(point).collect()
}

/// The document of an analysed trace.
pub fn trace_document(
    analysis: &Analysis,
    names: &[String],
    read: TraceRead,
    interrupted: bool,
    error: Option<String>,
) -> TraceDocument {
    let (reads, writes) = (analysis.ios_of(Op::Read), analysis.ios_of(Op::Write));
    let depth = &analysis.depth;
    TraceDocument {
        schema: Version::default(),
        read,
        interrupted,
        error,
        ios: analysis.ios(),
        duration_s: Seconds::of(analysis.end_ns as f64 / 1e9),
        iops: analysis.mean_iops().map(Iops::of),
        throughput_bytes_per_s: analysis.mean_bytes_per_s().map(BytesPerSecond::of),
        reads: (reads + writes > 0).then(|| share(reads, reads + writes)),
        sequential: Share::of(analysis.sequential()),
        ops: Op::ALL.into_iter().filter_map(|op| op_part(analysis, op)).collect(),
        devices: analysis
            .devices
            .iter()
            .enumerate()
            .map(|(at, device)| device_part(names.get(at).map_or("", String::as_str), device))
            .collect(),
        per_second: rate(&analysis.rates.per_second()),
        per_10ms: rate(&analysis.rates.per_10_ms()),
        depth: depth.mean(analysis.end_ns).map(|mean| TraceDepth {
            mean: Share::of(mean),
            p50: depth.at_issue().percentile_ns(50.0),
            p99: depth.at_issue().percentile_ns(99.0),
            max: depth.most(),
        }),
        reuse: reuse_part(analysis),
        series: series(analysis),
    }
}

/// The document of a fitted workload.
pub fn trace_fit_document(fitted: &FittedWorkload, read: TraceRead) -> TraceFitDocument {
    let errors = fitted.errors.iter().map(|error| TraceFitError {
        figure: error.figure.to_string(),
        unit: error.unit.to_string(),
        trace: Share::of(error.trace),
        workload: Share::of(error.workload),
        error: (error.trace != 0.0).then(|| Share::of((error.workload - error.trace) / error.trace)),
    });
    TraceFitDocument {
        schema: Version::default(),
        read,
        workload: fitted.workload.to_toml(),
        covered: Share::of(fitted.covered),
        errors: errors.collect(),
    }
}
