//! Parts of a series that say more than its mean: a step down to what a limit lets through without credits, and a time at a limit
//! among idle ones.

use iobound_model::Dimension;
use iobound_units::Grouped;

use crate::case::Case;
use crate::observed::{Figures, Latency, Moment, Observed};
use crate::stretch::Stretch;
use crate::thresholds as of;
use crate::usage::Usage;

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

/// The longest run of moments at a limit; of several as long, the first. The last moment lasts to the end of the observation.
fn longest_stretch(
    series: &[Moment],
    duration_s: f64,
    mean: f64,
    is_at: impl Fn(&Moment) -> bool,
) -> Option<Stretch> {
    let end = |index: usize| series.get(index + 1).map_or(duration_s, |next| next.at_s);
    let mut longest: Option<Stretch> = None;
    let mut first = 0;
    for run in series.chunk_by(|one, other| is_at(one) == is_at(other)) {
        let at_s = run[0].at_s;
        let lasts_s = end(first + run.len() - 1) - at_s;
        first += run.len();
        if is_at(&run[0]) && longest.is_none_or(|longest| lasts_s > longest.lasts_s) {
            let count = run.len() as f64;
            let iops = run.iter().map(|moment| moment.iops).sum::<f64>() / count;
            let bytes = run.iter().map(|moment| moment.bytes_per_s).sum::<Option<f64>>();
            let bytes_per_s = bytes.map(|bytes| bytes / count);
            longest = Some(Stretch { at_s, lasts_s, iops, bytes_per_s, mean });
        }
    }
    longest
}

impl Case<'_> {
    /// A minute or more at a limit, with or without credits, though the mean is below every limit. A rate that is exceeded at another
    /// time is not a limit without credits. `None`: there is none, or the length of the intervals is unknown.
    pub fn stretch(&self) -> Option<Stretch> {
        let (series, mean) = (&self.observed.series, self.observed.total.iops?);
        let duration_s = self.observed.duration?.secs_f64();
        if !self.has_room() || self.is_local() {
            return None;
        }
        let mean_bytes = self.observed.total.throughput_bytes_per_s;
        // I/Os of a throughput limit need not have the same size all the time.
        let share = |usage: &Usage, moment: &Moment| {
            let times = match (usage.dimension, moment.bytes_per_s, mean_bytes) {
                (Dimension::Bytes, Some(bytes), Some(mean)) if mean > 0.0 => bytes / mean,
                _ => moment.iops / mean,
            };
            self.share(usage) * times
        };
        let top = |usage: &Usage| series.iter().map(|moment| share(usage, moment)).fold(0.0, f64::max);
        let tops: Vec<f64> = self.usages.iter().map(top).collect();
        let is_at = |moment: &Moment| {
            self.usages.iter().zip(&tops).any(|(usage, top)| {
                let share = share(usage, moment);
                let of_burst = |(rate, _): (f64, f64)| share * usage.enforced / rate;
                let at_burst = usage.burst.map(of_burst).filter(|_| Case::has_burst(usage));
                let at_base = *top <= of::SHORT_RUN && (of::FULL..=of::SHORT_RUN).contains(&share);
                at_base || at_burst.is_some_and(|share| (of::FULL..=of::AT_BURST).contains(&share))
            })
        };
        longest_stretch(series, duration_s, mean, is_at).filter(|stretch| stretch.lasts_s >= of::STRETCH_S)
    }

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
    /// The same after a step: rates at the level that followed.
    #[must_use]
    pub fn after_step(&self, step: &Step) -> Observed {
        let times = self.total.iops.map_or(1.0, |mean| step.after / mean);
        self.at_times(times, times)
    }

    /// The same for a stretch at a limit, which the findings name.
    #[must_use]
    pub fn during(&self, stretch: &Stretch) -> Observed {
        let times = self.total.iops.map_or(1.0, |mean| stretch.iops / mean);
        let mean_bytes = self.total.throughput_bytes_per_s.filter(|mean| *mean > 0.0);
        let of_bytes = stretch.bytes_per_s.zip(mean_bytes).map_or(times, |(bytes, mean)| bytes / mean);
        Observed { stretch: Some(*stretch), ..self.at_times(times, of_bytes) }
    }

    /// The same at so many times the I/Os and the bytes. Latency and queue are those of the whole time, so they are unknown.
    fn at_times(&self, times: f64, of_bytes: f64) -> Observed {
        let after = |figures: &Figures| Figures {
            iops: figures.iops.map(|iops| iops * times),
            throughput_bytes_per_s: figures.throughput_bytes_per_s.map(|bytes| bytes * of_bytes),
            block: figures.block.map(|block| block * of_bytes / times),
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
        iops.enumerate().map(|(index, iops)| Moment::of_ios(index as f64, iops)).collect()
    }

    #[test]
    fn a_step_has_its_time_and_its_two_levels() {
        let step = Step::of(&series(&[(10, 7_900.0), (10, 3_600.0)])).unwrap();
        assert_eq!(step, Step { at_s: 10.0, before: 7_900.0, after: 3_600.0 });
        let step = Step::of(&series(&[(40, 7_900.0), (5, 3_600.0)])).unwrap();
        assert_eq!((step.at_s, step.after), (40.0, 3_600.0));
    }

    #[test]
    fn a_stretch_is_the_longest_time_at_a_rate() {
        let minutes = |parts: &[(usize, f64)]| -> Vec<Moment> {
            let seconds = series(parts).into_iter();
            seconds.map(|moment| Moment { at_s: 60.0 * moment.at_s, ..moment }).collect()
        };
        let all = minutes(&[(1, 5_000.0), (3, 10.0), (2, 5_100.0), (4, 20.0)]);
        let stretch = longest_stretch(&all, 600.0, 1_527.0, |moment| moment.iops > 4_900.0).unwrap();
        assert_eq!((stretch.at_s, stretch.lasts_s, stretch.iops), (240.0, 120.0, 5_100.0));
        // The last minute lasts to the end.
        let last = longest_stretch(&minutes(&[(9, 0.0), (1, 5_000.0)]), 600.0, 500.0, |moment| {
            moment.iops > 4_900.0
        });
        assert_eq!(last.map(|stretch| (stretch.at_s, stretch.lasts_s)), Some((540.0, 60.0)));
        assert_eq!(longest_stretch(&all, 600.0, 1_527.0, |_| false), None);
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
