//! Part of the distribution in which latencies moved.

use iobound_units::Op;

use crate::histogram::Histogram;
use crate::result::RunResult;

/// The slices of a distribution that are told apart, by rank in percent: half of the I/Os, and ever fewer of the slow ones.
const EDGES: [f64; 6] = [0.0, 50.0, 90.0, 99.0, 99.9, 100.0];

/// A slice needs ten I/Os on both sides to be shown; 100 - 99.9 is not quite 0.1 in binary.
const LEAST: f64 = 10.0 - 1e-6;

/// Shift of a distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The I/Os by rank, the fastest first.
    pub slices: Vec<Slice>,
    /// Latency at which the shares of I/Os below it differ most.
    pub gap: Gap,
}

/// The I/Os of a range of ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// From this percent of the I/Os, by latency.
    pub from: f64,
    /// To this percent.
    pub to: f64,
    /// Their mean latency in a, in µs.
    pub a_us: f64,
    /// In b.
    pub b_us: f64,
    /// Contribution to the difference of the means of all I/Os, in µs: the slices' sum up to it.
    pub adds_us: f64,
}

/// The largest difference of two distributions (Kolmogorov's and Smirnov's): a share of the I/Os that is faster than a
/// latency in one of them and not in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// At this latency, in µs.
    pub at_us: f64,
    /// The share of a's I/Os that take at most as long.
    pub a: f64,
    /// The share of b's.
    pub b: f64,
}

impl Shift {
    /// Of two results that have their latencies with them: of reads and writes together, over all jobs.
    pub fn of(a: &RunResult, b: &RunResult) -> Option<Shift> {
        Shift::between(&latencies(a)?, &latencies(b)?)
    }

    /// Of two histograms; `None` where one is empty.
    pub fn between(a: &Histogram, b: &Histogram) -> Option<Shift> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let slices = EDGES.windows(2).filter_map(|edge| {
            let (from, to) = (edge[0], edge[1]);
            let share = (to - from) / 100.0;
            if share * (a.count().min(b.count()) as f64) < LEAST {
                return None;
            }
            let (a_us, b_us) = (mean_between(a, from, to) / 1e3, mean_between(b, from, to) / 1e3);
            Some(Slice { from, to, a_us, b_us, adds_us: (b_us - a_us) * share })
        });
        Some(Shift { slices: slices.collect(), gap: gap(a, b) })
    }
}

/// The reads' and writes' latencies of all jobs.
fn latencies(result: &RunResult) -> Option<Histogram> {
    let mut all = Histogram::new();
    for job in &result.jobs {
        let histograms = job.histograms.as_ref()?;
        for op in [Op::Read, Op::Write] {
            let histogram = if op == Op::Read { &histograms.read } else { &histograms.write };
            if let Some(histogram) = histogram {
                all.merge(histogram);
            }
        }
    }
    Some(all)
}

/// The mean latency in ns of the I/Os of a range of ranks; those of a bin lie in its middle.
fn mean_between(histogram: &Histogram, from: f64, to: f64) -> f64 {
    let count = histogram.count() as f64;
    let (first, last) = (from / 100.0 * count, to / 100.0 * count);
    let (mut seen, mut sum) = (0.0, 0.0);
    for bucket in histogram.buckets() {
        let n = bucket.count as f64;
        let inside = (last.min(seen + n) - first.max(seen)).max(0.0);
        sum += inside * f64::midpoint(bucket.lowest_ns as f64, bucket.highest_ns as f64);
        seen += n;
    }
    sum / (last - first)
}

fn gap(a: &Histogram, b: &Histogram) -> Gap {
    let mut buckets: Vec<(u64, u64, u64)> =
        a.buckets().map(|bucket| (bucket.highest_ns, bucket.count, 0)).collect();
    buckets.extend(b.buckets().map(|bucket| (bucket.highest_ns, 0, bucket.count)));
    buckets.sort_unstable();
    let (of_a, of_b) = (a.count() as f64, b.count() as f64);
    let (mut seen_a, mut seen_b) = (0, 0);
    let mut widest = Gap { at_us: 0.0, a: 0.0, b: 0.0 };
    let mut rest = buckets.iter().peekable();
    while let Some((at, in_a, in_b)) = rest.next() {
        seen_a += in_a;
        seen_b += in_b;
        // A bin that both have is in the list twice: it is looked at with all of its I/Os.
        if rest.peek().is_some_and(|next| next.0 == *at) {
            continue;
        }
        let here = Gap { at_us: *at as f64 / 1e3, a: seen_a as f64 / of_a, b: seen_b as f64 / of_b };
        if (here.a - here.b).abs() > (widest.a - widest.b).abs() {
            widest = here;
        }
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl Iterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn a_tail_that_grew_is_where_the_mean_grew() {
        // 10,000 I/Os of 1 ms; in b the slowest 1 % take 11 ms: the mean grows by 1 % of 10 ms, all of it in the last slices.
        let a = histogram((0..10_000).map(|_| 1_000_000));
        let b = histogram((0..10_000).map(|n| if n < 9_900 { 1_000_000 } else { 11_000_000 }));
        let shift = Shift::between(&a, &b).unwrap();
        let added: Vec<f64> = shift.slices.iter().map(|slice| slice.adds_us).collect();
        assert!(added[..3].iter().all(|added| added.abs() < 1e-6), "{added:?}");
        // Bins are 0.1 % wide.
        assert!((added[3] - 90.0).abs() < 0.2 && (added[4] - 10.0).abs() < 0.1, "{added:?}");
        assert!((shift.gap.at_us - 1_000.0).abs() < 1.0 && shift.gap.a == 1.0 && shift.gap.b == 0.99);
    }

    #[test]
    fn equal_distributions_have_no_gap() {
        let a = histogram((1..5_000).map(|n| n * 1_000));
        let shift = Shift::between(&a, &a.clone()).unwrap();
        assert_eq!(shift.gap.a, shift.gap.b);
        assert!(shift.slices.iter().all(|slice| slice.adds_us == 0.0));
        // A thousandth of 4,999 I/Os are five: too few for a slice of their own.
        assert_eq!(shift.slices.len(), 4);
        assert_eq!(Shift::between(&a, &Histogram::new()), None);
    }
}
