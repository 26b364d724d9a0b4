//! The end of a run that has told enough (`--until`).

use iobound_measure::Interval;
use iobound_measure::confidence::batch_means;
use iobound_measure::rounds::counted;
use iobound_measure::steady::SteadyVerdict as Steadiness;

use super::how::Until;

/// True if a run has told enough.
pub(super) struct Enough {
    until: Option<Until>,
    /// The intervals that count.
    series: Vec<Interval>,
    /// Their number to be when they are judged again.
    judged_at: usize,
    pub(super) reached: bool,
}

impl Enough {
    pub(super) fn new(until: Option<Until>) -> Enough {
        Enough { until, series: Vec::new(), judged_at: 1, reached: false }
    }

    /// Takes the next interval of all threads; says whether the run is over.
    pub(super) fn take(&mut self, interval: &Interval) -> bool {
        let Some(until) = self.until else { return false };
        self.series.extend(counted(std::slice::from_ref(interval)));
        if self.series.len() < self.judged_at {
            return false;
        }
        // All of them are looked at each time, so not at each of a long run's: another hundredth narrows a confidence
        // interval by half a per cent.
        self.judged_at = self.series.len() + 1 + self.series.len() / 100;
        self.reached = match until {
            // Five rounds of five intervals: fewer would be steady by chance.
            Until::Steady => {
                self.series.len() >= 25
                    && Steadiness::of(&self.series).is_some_and(|verdict| verdict.is_steady())
            }
            Until::Known(share) => {
                let iops: Vec<f64> = self
                    .series
                    .iter()
                    .map(|interval| interval.count() as f64 / interval.length().secs_f64())
                    .collect();
                batch_means(&iops)
                    .is_some_and(|estimate| estimate.independent && estimate.relative() <= share.fraction())
            }
        };
        self.reached
    }
}
