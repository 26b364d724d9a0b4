//! Checks of records from another process, before they are used.

use iobound_units::Op;

use super::interval::{Interval, LatencyCount};
use super::measured::Measured;
use super::series::{MOST_INTERVALS, tally_of};

/// The most that one interval counts, in I/Os or bytes: those of 2^16 recorders add up in 64 bits.
const MOST_OF_AN_INTERVAL: u64 = 1 << 48;

impl Measured {
    /// True if it is one that a recorder can have left, as far as it can be put beside others: parts that are there, times
    /// in order, nothing that overflows a sum.
    ///
    /// # Errors
    /// Returns an error if the parts contradict each other: a sentence.
    pub fn check(&self) -> Result<(), String> {
        let layout = &self.layout;
        if layout.interval.is_zero() {
            return Err("intervals of no length".into());
        }
        let times = [layout.begin, layout.start, layout.end];
        if !times.is_sorted() || self.start > self.end || self.start < layout.begin {
            return Err("counting ends before it starts".into());
        }
        if self.jobs.len() != layout.jobs.len() {
            return Err(format!("{} jobs, and figures of {}", layout.jobs.len(), self.jobs.len()));
        }
        for (job, of) in self.jobs.iter().zip(&layout.jobs) {
            if job.by_op.iter().any(|op| op.service.is_some() != of.is_open()) {
                return Err(format!("service times of job {} that do not go with its loop", of.name));
            }
        }
        if self.cells.len() != layout.cells.len() {
            return Err(format!("{} cells, and figures of {}", layout.cells.len(), self.cells.len()));
        }
        for (cell, of) in self.cells.iter().zip(&layout.cells) {
            let there = usize::from(of.job) < self.jobs.len()
                && usize::from(of.target.0) < layout.targets.len()
                && of.thread < layout.threads.max(1);
            if cell.cell != *of || !there {
                return Err(format!("{of:?} names a job, thread or target that is not there"));
            }
        }
        if self.sums().is_none_or(|(counts, _)| counts > u128::from(u64::MAX)) {
            return Err("figures that add up to more than can be counted".into());
        }
        if self.series.len() > MOST_INTERVALS || self.series.len() != self.latencies.intervals() {
            return Err(format!(
                "{} intervals, and latencies of {}",
                self.series.len(),
                self.latencies.intervals()
            ));
        }
        for (index, interval) in self.series.iter().enumerate() {
            let latencies = [Op::Read, Op::Write].map(|op| self.latencies.of(index, op));
            check_interval(interval, latencies).map_err(|what| format!("interval {index}: {what}"))?;
        }
        if !self.series.is_sorted_by(|a, b| a.start < b.start && a.end <= b.start) {
            return Err("intervals out of order".into());
        }
        Ok(())
    }

    /// More than any sum of its counts (I/Os, errors, bytes), and than any of its times in ns; `None` where one overflows
    /// even here.
    pub(crate) fn sums(&self) -> Option<(u128, u128)> {
        let (mut counts, mut times) = (0_u128, 0_u128);
        for job in &self.jobs {
            counts += u128::from(job.unfinished) + u128::from(job.never_issued);
            times = times.checked_add(job.outstanding_ns)?;
            for op in &job.by_op {
                counts += u128::from(op.bytes) + u128::from(op.errors);
                for histogram in std::iter::once(&op.response).chain(&op.service) {
                    counts += u128::from(histogram.count());
                    times = times.checked_add(histogram.moments().sum_ns())?;
                }
            }
        }
        for cell in &self.cells {
            times = times.checked_add(cell.outstanding_ns)?;
            for op in &cell.by_op {
                counts += u128::from(op.bytes) + u128::from(op.errors) + u128::from(op.response.count());
                times = times.checked_add(op.response.moments().sum_ns())?;
            }
        }
        for tally in self.series.iter().flat_map(|interval| [interval.read, interval.write]) {
            counts += u128::from(tally.bytes) + u128::from(tally.errors) + u128::from(tally.count);
            times = times.checked_add(tally.sum_ns)?;
        }
        Some((counts, times))
    }
}

/// True if an interval and its latencies go together.
pub(super) fn check_interval(
    interval: &Interval,
    latencies: [Option<&[LatencyCount]>; 2],
) -> Result<(), String> {
    if interval.start > interval.end {
        return Err("it ends before it starts".into());
    }
    for (direction, latencies) in latencies.into_iter().enumerate() {
        let tally = *tally_of(&mut interval.clone(), direction);
        if tally.count.max(tally.bytes).max(tally.errors) > MOST_OF_AN_INTERVAL {
            return Err(format!("more than {MOST_OF_AN_INTERVAL} I/Os or bytes"));
        }
        let longest = u128::from(tally.count) * u128::from(tally.max.ns());
        if tally.min > tally.max || tally.sum_ns > longest {
            return Err(format!(
                "{} I/Os of at most {} with a sum of {} ns",
                tally.count, tally.max, tally.sum_ns
            ));
        }
        let latencies = latencies.unwrap_or_default();
        if !latencies.is_sorted_by(|a, b| a.index < b.index) {
            return Err("latencies out of order".into());
        }
        // Completions that came late are counted, and not among the latencies.
        let kept: u64 = latencies.iter().map(LatencyCount::count).sum();
        if kept > tally.count {
            return Err(format!("{kept} latencies of {} I/Os", tally.count));
        }
    }
    Ok(())
}
