//! Figures of one time span in an output, and the result document made of them.

use iobound_measure::RunResult;
use iobound_measure::percentile::supported;
use iobound_measure::result::{
    ByOperation, CellResult, Cpu, Depth, Figures, JobResult, Latency, LoopLabel, PartResult, PerSecond,
    Point, Source, Start, Tool, round,
};

/// Reads and writes together, reads, writes: the order of DiskSpd's tables.
pub(super) const TOTAL: usize = 0;
pub(super) const READ: usize = 1;
pub(super) const WRITE: usize = 2;

/// One time span.
#[derive(Default)]
pub(super) struct Found {
    /// DiskSpd's version; only XML tells it.
    pub version: Option<String>,
    pub start: Start,
    /// Time that counting was on, in seconds.
    pub seconds: Option<f64>,
    /// True if it was interrupted before anything was counted.
    pub interrupted: bool,
    pub rows: Vec<FoundRow>,
    /// Of each of the three, which row is next to be filled: text has a table for each.
    pub next: [usize; 3],
    /// The sums as they are printed; text only.
    pub totals: [Option<Amounts>; 3],
    /// The latencies of all targets together, and of each.
    pub latencies: FoundLatency,
    pub by_target: Vec<(String, FoundLatency)>,
    pub cpu: Option<Cpu>,
    /// Outstanding I/Os that were asked for.
    pub requested: Option<u64>,
    /// The intervals of `-D`; XML only.
    pub series: Vec<Point>,
    pub notes: Vec<String>,
}

/// A target of a thread.
#[derive(Clone)]
pub(super) struct FoundRow {
    pub thread: u16,
    pub target: String,
    pub amounts: [Amounts; 3],
}

/// Figures of one direction.
#[derive(Clone, Copy, Default)]
pub(super) struct Amounts {
    pub bytes: u64,
    pub ios: u64,
    /// As printed: exact to two decimals, where the time is only known to two.
    pub iops: Option<f64>,
    pub mean_ms: Option<f64>,
    pub stdev_ms: Option<f64>,
}

/// Percentiles in percent (0 is the minimum, 100 the maximum) and ms, for each of the three.
#[derive(Clone, Default)]
pub(super) struct FoundLatency(pub Vec<(f64, [Option<f64>; 3])>);

impl FoundLatency {
    /// The value of a percentile in µs.
    fn us(&self, column: usize, percentile: f64) -> Option<f64> {
        let row = self.0.iter().find(|(known, _)| (known - percentile).abs() < 1e-9)?;
        row.1[column].map(|ms| round::us(ms * 1e6))
    }
}

fn square(x: f64) -> f64 {
    x * x
}

impl Amounts {
    /// Several together: exact but for what printing rounded off.
    fn sum<'a>(all: impl Iterator<Item = &'a Amounts> + Clone) -> Amounts {
        let used = || all.clone().filter(|part| part.ios > 0);
        let ios = all.clone().fold(0u64, |sum, part| sum.saturating_add(part.ios));
        let weighted = |of: fn(&Amounts) -> Option<f64>| -> Option<f64> {
            let sum: Option<f64> = used().map(|part| of(part).map(|value| value * part.ios as f64)).sum();
            sum.filter(|_| ios > 0).map(|sum| sum / ios as f64)
        };
        let mean_ms = weighted(|part| part.mean_ms);
        let squares = weighted(|part| Some(square(part.mean_ms?) + square(part.stdev_ms?)));
        Amounts {
            bytes: all.clone().fold(0u64, |sum, part| sum.saturating_add(part.bytes)),
            ios,
            iops: all.clone().map(|part| part.iops).sum(),
            mean_ms,
            stdev_ms: mean_ms.zip(squares).map(|(mean, squares)| (squares - mean * mean).max(0.0).sqrt()),
        }
    }

    /// The figures; percentiles are of this column of a distribution.
    fn figures(&self, seconds: Option<f64>, column: usize, distribution: Option<&FoundLatency>) -> Figures {
        let seconds = seconds.filter(|seconds| *seconds > 0.0);
        let iops = self.iops.or_else(|| seconds.map(|seconds| self.ios as f64 / seconds));
        // A rate of I/Os known to two decimals tells the throughput better than a time known to two.
        let exact = self.iops.filter(|iops| *iops > 0.0 && self.ios > 0);
        let throughput = match exact {
            Some(iops) => Some(self.bytes as f64 * (iops / self.ios as f64)),
            None => seconds.map(|seconds| self.bytes as f64 / seconds),
        };
        Figures {
            ios: Some(self.ios),
            bytes: Some(self.bytes),
            errors: None,
            iops: iops.map(round::iops),
            throughput_bytes_per_s: throughput.map(round::bytes_per_s),
            latency_us: self.latency(column, distribution),
            service_us: None,
        }
    }

    fn latency(&self, column: usize, distribution: Option<&FoundLatency>) -> Option<Latency> {
        let exact = |percentile: f64| distribution.and_then(|all| all.us(column, percentile));
        let percentile = |percentile: f64| exact(percentile).filter(|_| supported(percentile, self.ios));
        let known = self.ios > 0 && (self.mean_ms.is_some() || exact(100.0).is_some());
        known.then(|| Latency {
            label: Some(LoopLabel::Closed),
            mean: self.mean_ms.map(|ms| round::us(ms * 1e6)),
            stdev: self.stdev_ms.map(|ms| round::us(ms * 1e6)),
            min: exact(0.0),
            p50: percentile(50.0),
            p90: percentile(90.0),
            p95: percentile(95.0),
            p99: percentile(99.0),
            p99_9: percentile(99.9),
            p99_99: percentile(99.99),
            p99_999: percentile(99.999),
            p99_9999: percentile(99.9999),
            max: exact(100.0),
        })
    }
}

impl Found {
    /// The result document of it.
    pub(super) fn result(self) -> RunResult {
        let base = RunResult {
            tool: Some(Tool { name: "diskspd".to_string(), version: self.version.clone() }),
            start: Some(Start { counted_s: self.seconds, ..self.start.clone() }),
            depth: self.requested.map(|requested| Depth {
                requested: Some(requested),
                achieved: None,
                at_device: None,
            }),
            per_second: per_second(&self.series),
            cpu: self.cpu.clone(),
            notes: self.notes.clone(),
            ..RunResult::new(Source::Foreign)
        };
        if self.interrupted {
            return base;
        }
        let every: Vec<&FoundRow> = self.rows.iter().collect();
        let summed = sum(&every);
        let totals = std::array::from_fn(|column| self.totals[column].unwrap_or(summed[column]));
        let (total, by_operation) = self.figures(&totals, Some(&self.latencies));
        let targets = grouped(&self.rows, |row| row.target.clone());
        let alone = targets.len() == 1;
        let of_target = |name: &str| {
            let own = self.by_target.iter().find(|(target, _)| target == name).map(|(_, all)| all);
            own.or(Some(&self.latencies).filter(|_| alone))
        };
        RunResult {
            jobs: vec![JobResult {
                name: JOB.to_string(),
                label: Some(LoopLabel::Closed),
                total: total.clone(),
                by_operation: by_operation.clone(),
                depth: base.depth,
                ..JobResult::default()
            }],
            threads: grouped(&self.rows, |row| row.thread.to_string())
                .into_iter()
                .map(|(name, rows)| self.part(name, &rows, None))
                .collect(),
            targets: targets
                .into_iter()
                .map(|(name, rows)| {
                    let distribution = of_target(&name);
                    self.part(name, &rows, distribution)
                })
                .collect(),
            cells: self.rows.iter().map(|row| self.cell(row)).collect(),
            total,
            by_operation,
            series: self.series,
            ..base
        }
    }

    fn figures(&self, amounts: &[Amounts; 3], distribution: Option<&FoundLatency>) -> (Figures, ByOperation) {
        let of = |column: usize| amounts[column].figures(self.seconds, column, distribution);
        let used = |column: usize| (amounts[column].ios > 0).then(|| of(column));
        let by_operation = ByOperation { read: used(READ), write: used(WRITE), ..ByOperation::default() };
        (of(TOTAL), by_operation)
    }

    fn part(&self, name: String, rows: &[&FoundRow], distribution: Option<&FoundLatency>) -> PartResult {
        let (total, by_operation) = self.figures(&sum(rows), distribution);
        PartResult { name, total, by_operation }
    }

    fn cell(&self, row: &FoundRow) -> CellResult {
        let (total, by_operation) = self.figures(&row.amounts, None);
        let (thread, target) = (row.thread, row.target.clone());
        CellResult { job: JOB.to_string(), thread, target, total, by_operation }
    }
}

/// Name of the one job of a DiskSpd run: its command line has no name for it.
const JOB: &str = "diskspd";

fn sum(rows: &[&FoundRow]) -> [Amounts; 3] {
    std::array::from_fn(|column| Amounts::sum(rows.iter().map(|row| &row.amounts[column])))
}

/// The rows of one name together, in the order of first mention.
fn grouped(rows: &[FoundRow], name: impl Fn(&FoundRow) -> String) -> Vec<(String, Vec<&FoundRow>)> {
    let mut index = std::collections::BTreeMap::new();
    let mut groups: Vec<(String, Vec<&FoundRow>)> = Vec::new();
    for row in rows {
        let name = name(row);
        let at = *index.entry(name.clone()).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(row);
    }
    groups
}

/// The slowest and the fastest second, where the intervals are seconds.
fn per_second(series: &[Point]) -> Option<PerSecond> {
    let seconds = series.iter().all(|point| (point.end_s - point.start_s - 1.0).abs() < 1e-6);
    let iops = || series.iter().map(|point| point.iops);
    (seconds && !series.is_empty()).then(|| PerSecond {
        min: round::iops(iops().fold(f64::MAX, f64::min)),
        max: round::iops(iops().fold(0.0, f64::max)),
    })
}
