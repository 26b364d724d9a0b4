//! One direction of a job: figures, latencies, samples.

use iobound_measure::{Interval, IntervalTally, MeasuredOp, Phase, ThreadMeasured};
use iobound_units::{Op, Span};

use super::spread::{Latency, Spread};
use crate::fio::JobReporting;

/// Reads, writes or trims of an entry, or all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DirectionReport {
    pub bytes: u64,
    pub ios: u64,
    /// Time that counting was on, in ms; zero without I/Os.
    pub runtime_ms: u64,
    /// From issue until the kernel accepted the I/O.
    pub slat: Latency,
    /// From then to completion; from issue where submission was not measured apart.
    pub clat: Latency,
    /// From issue to completion.
    pub lat: Latency,
    /// KiB/s of each sample.
    pub bw: Spread,
    /// IOPS of each sample.
    pub iops: Spread,
}

impl DirectionReport {
    /// Figures of a thread in these operations.
    pub(super) fn of(
        thread: &ThreadMeasured,
        ops: &[Op],
        runtime: Span,
        asked: &JobReporting,
    ) -> DirectionReport {
        let job = thread.own_job();
        let mut direction = DirectionReport::default();
        for op in ops {
            direction.take(job.op(*op), thread, *op, asked);
        }
        if direction.ios == 0 {
            return direction;
        }
        // fio never divides by zero: what ran shorter than a millisecond took one.
        direction.runtime_ms = ((runtime.ns() + 500_000) / 1_000_000).max(1);
        if !asked.disable_bw {
            let sampled = |every, value: fn(&Sample) -> u64| {
                let values: Vec<u64> =
                    samples(&thread.measured.series, ops, every).iter().map(value).collect();
                Spread::of(&values)
            };
            direction.bw = sampled(asked.bw_sample, |sample| sample.per_second(sample.bytes) / 1024);
            direction.iops = sampled(asked.iops_sample, |sample| sample.per_second(sample.count));
        }
        direction
    }

    fn take(&mut self, measured: &MeasuredOp, thread: &ThreadMeasured, op: Op, asked: &JobReporting) {
        self.bytes += measured.bytes;
        self.ios += measured.count();
        let lat = from_issue(measured);
        let apart = thread.apart.as_ref();
        if !asked.disable_slat
            && let Some(apart) = apart
        {
            self.slat.add(apart.submission(op));
        }
        if !asked.disable_clat {
            self.clat.add(apart.map_or(lat, |apart| apart.completion(op)));
        }
        if !asked.disable_lat {
            self.lat.add(lat);
        }
    }

    /// Takes in what another job of the group did at the same time.
    pub(super) fn merge(&mut self, other: &DirectionReport) {
        self.bytes += other.bytes;
        self.ios += other.ios;
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.slat.merge(&other.slat);
        self.clat.merge(&other.clat);
        self.lat.merge(&other.lat);
        self.bw.add(&other.bw);
        self.iops.add(&other.iops);
    }

    /// Takes in what the same thread did after it.
    pub(super) fn follow(&mut self, other: &DirectionReport) {
        let runtime_ms = self.runtime_ms + other.runtime_ms;
        self.merge(other);
        self.runtime_ms = runtime_ms;
    }

    /// Bytes a second, whole as fio has them.
    pub(super) fn bytes_per_second(&self) -> u64 {
        per_second(self.bytes, self.runtime_ms)
    }

    /// I/Os a second, whole.
    pub(super) fn whole_iops(&self) -> u64 {
        per_second(self.ios, self.runtime_ms)
    }

    /// I/Os a second.
    pub(super) fn iops(&self) -> f64 {
        if self.runtime_ms == 0 { 0.0 } else { 1000.0 * self.ios as f64 / self.runtime_ms as f64 }
    }
}

/// Latency from issue, as all of fio's are: in an open loop that is the service time.
pub(super) fn from_issue(measured: &MeasuredOp) -> &iobound_measure::Histogram<3> {
    measured.service.as_ref().unwrap_or(&measured.response)
}

/// An amount in so many ms as a rate; zero where there was no time.
pub(super) fn per_second(amount: u64, ms: u64) -> u64 {
    if ms == 0 { 0 } else { (u128::from(amount) * 1000 / u128::from(ms)) as u64 }
}

/// Consecutive intervals taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub end: iobound_units::Instant,
    pub length: Span,
    pub count: u64,
    pub bytes: u64,
    pub sum_ns: u128,
}

impl Sample {
    pub(super) fn per_second(&self, amount: u64) -> u64 {
        (u128::from(amount) * 1_000_000_000 / u128::from(self.length.ns().max(1))) as u64
    }
}

/// The counted time in pieces of at least `every`: whole intervals, what is left over at the end dropped.
pub(super) fn samples(series: &[Interval], ops: &[Op], every: Span) -> Vec<Sample> {
    let whole = series.iter().filter(|interval| interval.phase == Phase::Counted && interval.whole);
    let mut samples = Vec::new();
    let mut open: Option<Sample> = None;
    for interval in whole {
        let sample = open.get_or_insert(Sample {
            end: interval.end,
            length: Span::ZERO,
            count: 0,
            bytes: 0,
            sum_ns: 0,
        });
        sample.end = interval.end;
        sample.length += interval.length();
        for tally in ops.iter().filter_map(|op| tally(interval, *op)) {
            sample.count += tally.count;
            sample.bytes += tally.bytes;
            sample.sum_ns += tally.sum_ns;
        }
        if sample.length >= every {
            samples.extend(open.take());
        }
    }
    samples
}

/// A series has reads and writes only.
fn tally(interval: &Interval, op: Op) -> Option<&IntervalTally> {
    match op {
        Op::Read => Some(&interval.read),
        Op::Write => Some(&interval.write),
        Op::Flush | Op::Discard => None,
    }
}
