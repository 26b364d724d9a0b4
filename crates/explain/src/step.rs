//! A step of the rate, down to what a limit lets through without credits.

use iobound_units::Grouped;

use crate::case::Case;
use crate::observed::{Figures, Latency, Moment, Observed};
use crate::thresholds as of;

/// A rate that fell to another level and stayed there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Seconds since I/O began.
    pub at_s: f64,
    /// Mean IOPS before.
    pub before: f64,
    /// Mean IOPS after.
    pub after: f64,
}

impl Step {
    /// The largest step down of a series whose two levels are steady; `None` if there is none, or too few moments show it.
    pub(crate) fn of(series: &[Moment]) -> Option<Step> {
        let count = series.len();
        if count < of::SEVERAL_SECONDS {
            return None;
        }
        let total: f64 = series.iter().map(|moment| moment.iops).sum();
        let (mut sum, mut best) = (0.0, (0.0, 0));
        // Two levels part a series best where the squares between them are largest.
        for (index, moment) in series.iter().enumerate() {
            if (of::STEP_MOMENTS..=count - of::STEP_MOMENTS).contains(&index) {
                let (first, last) = (index as f64, (count - index) as f64);
                let between = sum * sum / first + (total - sum) * (total - sum) / last;
                if between > best.0 {
                    best = (between, index);
                }
            }
            sum += moment.iops;
        }
        let (before, after) = series.split_at(best.1);
        let first = after.first()?;
        let step = Step { at_s: first.at_s, before: steady(before)?, after: steady(after)? };
        (step.after < of::STEP * step.before).then_some(step)
    }

    /// The step in a sentence.
    pub fn says(&self) -> String {
        let [before, after] = [self.before, self.after].map(|iops| Grouped(iops.round() as u64));
        format!("the rate stepped down from {before} to {after} IOPS after {:.0} s", self.at_s)
    }
}

/// Mean of a steady part; `None` if it is empty or moves too much.
fn steady(part: &[Moment]) -> Option<f64> {
    let count = part.len() as f64;
    let mean = part.iter().map(|moment| moment.iops).sum::<f64>() / count;
    let off = part.iter().map(|moment| (moment.iops - mean).abs()).sum::<f64>() / count;
    (mean > 0.0 && off <= of::STEADY * mean).then_some(mean)
}

impl Case<'_> {
    /// A step of the observed rate from above a limit to what the limit lets through without credits: what follows it is what
    /// holds the load. `None`: the rate did not step, or to no limit.
    pub fn step(&self) -> Option<Step> {
        let mean = self.observed.total.iops?;
        let step = Step::of(&self.observed.series)?;
        let ends_at_base = self.usages.iter().any(|usage| {
            let share = |iops: f64| self.share(usage) * iops / mean;
            Case::has_burst(usage)
                && (of::FULL..=of::SHORT_RUN).contains(&share(step.after))
                && share(step.before) > of::SHORT_RUN
        });
        ends_at_base.then_some(step)
    }
}

impl Observed {
    /// The same after a step: rates at the level that followed. Latency and queue are those of the whole time, so they are unknown.
    #[must_use]
    pub fn after_step(&self, step: &Step) -> Observed {
        let times = self.total.iops.map_or(1.0, |mean| step.after / mean);
        let after = |figures: &Figures| Figures {
            iops: figures.iops.map(|iops| iops * times),
            throughput_bytes_per_s: figures.throughput_bytes_per_s.map(|bytes| bytes * times),
            latency_us: Latency::default(),
            queue: None,
            ..figures.clone()
        };
        let mut observed = self.clone();
        observed.total = after(&self.total);
        observed.parts.iter_mut().for_each(|part| part.figures = after(&part.figures));
        observed.derive();
        observed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(parts: &[(usize, f64)]) -> Vec<Moment> {
        let iops = parts.iter().flat_map(|(count, iops)| std::iter::repeat_n(*iops, *count));
        iops.enumerate().map(|(index, iops)| Moment { at_s: index as f64, iops }).collect()
    }

    #[test]
    fn a_step_has_its_time_and_its_two_levels() {
        let step = Step::of(&series(&[(10, 7_900.0), (10, 3_600.0)])).unwrap();
        assert_eq!(step, Step { at_s: 10.0, before: 7_900.0, after: 3_600.0 });
        let step = Step::of(&series(&[(40, 7_900.0), (5, 3_600.0)])).unwrap();
        assert_eq!((step.at_s, step.after), (40.0, 3_600.0));
    }

    #[test]
    fn a_constant_a_rising_and_a_jumping_rate_have_no_step_down() {
        for parts in [
            &[(20, 5_000.0)][..],
            &[(10, 3_600.0), (10, 7_900.0)],
            &[(2, 7_900.0), (2, 100.0), (2, 7_900.0), (2, 100.0), (2, 7_900.0), (2, 100.0)],
            &[(3, 7_900.0), (3, 3_600.0)],
        ] {
            assert_eq!(Step::of(&series(parts)), None, "{parts:?}");
        }
    }
}
