//! Upper end of the band of a latency goal, as `predict` has it.

use iobound_catalog::{BandFigure, DiskLayout, Regime, discrepancies};
use iobound_predict::{BandRule, Ends};

use crate::need::{LatencyTarget, Statistic};

/// The band of a candidate's latency goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalBand {
    /// The goal's statistic as the model expects it, in µs: what chooses candidates.
    pub expected: f64,
    /// Upper end of its band, in µs.
    pub high: f64,
}

impl GoalBand {
    /// The band of a statistic in µs, as expected and on the slowest disks and limits that were measured.
    pub(crate) fn of(layout: DiskLayout, statistic: Statistic, [expected, slow]: [f64; 2]) -> GoalBand {
        // The rate is reached, or it is no candidate.
        let regime = Regime::Rate;
        let rule = BandRule { factors: discrepancies(), regime, layout };
        let mechanism = Ends { low: expected.min(slow), high: expected.max(slow) };
        let (band, _) = match statistic {
            Statistic::Mean => rule.mean(mechanism, expected),
            Statistic::P50 => rule.percentile(BandFigure::P50, mechanism, expected),
            Statistic::P99 => rule.percentile(BandFigure::P99, mechanism, expected),
            // Published runs calibrate no other percentile.
            Statistic::P90 | Statistic::P95 => (mechanism, None),
        };
        GoalBand { expected, high: band.high }
    }

    /// True if the upper end of the band keeps the goal too.
    pub fn is_sure(&self, goal: &LatencyTarget) -> bool {
        self.high <= goal.most.us_f64()
    }
}
