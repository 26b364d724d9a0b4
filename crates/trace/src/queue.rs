use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iobound_measure::Histogram;

/// Completions that are remembered; more outstanding I/Os than this are counted without being told apart.
const MOST: usize = 1 << 20;

/// Outstanding I/Os, by the recorded latencies.
#[derive(Clone, Debug, Default)]
pub struct QueueDepth {
    completions: BinaryHeap<Reverse<u64>>,
    at_issue: Histogram<3>,
    latency_ns: u128,
    most: u64,
}

impl QueueDepth {
    /// Adds an I/O that was outstanding in this time.
    pub fn add(&mut self, at_ns: u64, completed_ns: u64) {
        while self.completions.peek().is_some_and(|first| first.0 <= at_ns) {
            self.completions.pop();
        }
        if self.completions.len() == MOST {
            self.completions.pop();
        }
        self.completions.push(Reverse(completed_ns));
        let depth = self.completions.len() as u64;
        self.at_issue.record(depth);
        self.most = self.most.max(depth);
        self.latency_ns += u128::from(completed_ns - at_ns);
    }

    /// Mean number of outstanding I/Os over a time, by Little's law: the sum of all latencies divided by the time.
    pub fn mean(&self, over_ns: u64) -> Option<f64> {
        (over_ns > 0 && self.most > 0).then(|| self.latency_ns as f64 / over_ns as f64)
    }

    /// Outstanding I/Os when an I/O was issued, itself included.
    pub fn at_issue(&self) -> &Histogram<3> {
        &self.at_issue
    }

    /// The most outstanding I/Os; zero if no latency was recorded.
    pub fn most(&self) -> u64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outstanding_ios_are_those_that_have_not_completed() {
        let mut depth = QueueDepth::default();
        for (at, done) in [(0, 10), (0, 20), (10, 30), (40, 50)] {
            depth.add(at, done);
        }
        assert_eq!(depth.most(), 2);
        assert_eq!(depth.mean(50), Some(60.0 / 50.0));
    }
}
