//! Figures of jobs and operations together.

use iobound_measure::percentile::supported;
use iobound_measure::result::{ByOperation, Figures, Latency, round};

use super::job::{PartLatency, ReadJob};
use crate::fio::out::{Latency as Bins, Spread};

/// Directions of jobs that ran at the same time.
#[derive(Clone)]
pub(super) struct Sum {
    pub ios: u64,
    pub bytes: Option<u64>,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub runtime_ms: u64,
    pub latencies: Vec<PartLatency>,
    /// True if a part of it has no latency.
    pub unmeasured: bool,
}

impl Default for Sum {
    fn default() -> Self {
        Sum {
            ios: 0,
            bytes: Some(0),
            iops: Some(0.0),
            bytes_per_s: Some(0.0),
            runtime_ms: 0,
            latencies: Vec::new(),
            unmeasured: false,
        }
    }
}

/// Reads, writes, flushes and trims of these jobs.
pub(super) fn sums(jobs: &[ReadJob]) -> [Sum; 4] {
    let mut sums = [(); 4].map(|()| Sum::default());
    for job in jobs {
        for (sum, part) in sums.iter_mut().zip(&job.parts) {
            if let Some(part) = part {
                sum.add(&Sum::from(part));
            }
        }
    }
    sums
}

/// Reads and writes together, and each operation by itself. Rates of jobs that ran `one_after_other` are no rate of
/// all of them.
pub(super) fn whole(sums: &[Sum; 4], one_after_other: bool) -> (Figures, ByOperation) {
    let [read, write, flush, discard] = sums;
    let mut total = read.clone();
    total.add(write);
    let figures = |sum: &Sum| (sum.ios > 0).then(|| sum.figures(one_after_other));
    let by_operation = ByOperation {
        read: figures(read),
        write: figures(write),
        flush: figures(flush),
        discard: figures(discard),
    };
    (total.figures(one_after_other), by_operation)
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.zip(other.bytes).map(|(a, b)| a.saturating_add(b));
        self.iops = self.iops.zip(other.iops).map(|(a, b)| a + b);
        self.bytes_per_s = self.bytes_per_s.zip(other.bytes_per_s).map(|(a, b)| a + b);
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.latencies.extend(other.latencies.iter().cloned());
        self.unmeasured |= other.unmeasured;
    }

    /// True if its latency is from submission rather than from issue.
    pub(super) fn is_from_submission(&self) -> bool {
        self.latencies.iter().any(|latency| latency.from_submission)
    }

    fn figures(&self, one_after_other: bool) -> Figures {
        // Sums of what somebody wrote can be beyond all numbers.
        let rate = |rate: &f64| !one_after_other && rate.is_finite();
        Figures {
            ios: Some(self.ios),
            bytes: self.bytes,
            errors: None,
            iops: self.iops.filter(rate).map(round::iops),
            throughput_bytes_per_s: self.bytes_per_s.filter(rate).map(round::bytes_per_s),
            latency_us: self.latency(),
            service_us: None,
        }
    }

    /// The latency of all parts; `None` where one of them was not measured, or not alike.
    fn latency(&self) -> Option<Latency> {
        let alike = self.latencies.windows(2).all(|pair| pair[0].from_submission == pair[1].from_submission);
        if self.unmeasured || !alike || self.latencies.is_empty() {
            return None;
        }
        let mut spread = Spread::default();
        self.latencies.iter().for_each(|latency| spread.merge(&latency.spread));
        let percentile = self.percentiles(spread.samples);
        let us = |ns: f64| Some(ns).filter(|ns| ns.is_finite()).map(round::us);
        Some(Latency {
            label: None,
            mean: us(spread.mean),
            stdev: us(spread.deviation()),
            min: us(spread.min as f64),
            max: us(spread.max as f64),
            p50: percentile(50.0),
            p90: percentile(90.0),
            p95: percentile(95.0),
            p99: percentile(99.0),
            p99_9: percentile(99.9),
            p99_99: percentile(99.99),
            p99_999: percentile(99.999),
            p99_9999: percentile(99.9999),
        })
    }

    /// Percentiles in µs: those that are written of one part, those of the bins of several. What the sample can't
    /// support is absent, as in any result.
    fn percentiles(&self, samples: u64) -> impl Fn(f64) -> Option<f64> + '_ {
        let bins: Option<Vec<&Bins>> = self.latencies.iter().map(|latency| latency.bins.as_ref()).collect();
        let merged = bins.map(|bins| {
            let mut merged = Bins::default();
            bins.into_iter().for_each(|bins| merged.merge(bins));
            merged
        });
        move |percent: f64| {
            if !supported(percent, samples) {
                return None;
            }
            let written = match self.latencies.as_slice() {
                [one] => one
                    .percentiles
                    .iter()
                    .find(|(known, _)| (known - percent).abs() < 1e-7)
                    .map(|(_, ns)| *ns),
                _ => None,
            };
            let of_bins = || merged.as_ref().map(|merged| merged.percentiles(&[percent])[0]);
            written.or_else(of_bins).map(|ns| round::us(ns as f64))
        }
    }
}
