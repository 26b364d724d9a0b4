//! Completed I/Os over time: the rate, and the point at which it changes.

use crate::step::Recording;

/// A number of completions (or of their bytes) up to the end of each interval of equal length.
#[derive(Clone, Debug)]
pub(crate) struct Cumulative {
    /// Length of an interval in seconds.
    pub(crate) interval: f64,
    /// Sum up to the end of each interval.
    pub(crate) sums: Vec<f64>,
}

/// Two rates, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// Seconds from the start to the change.
    pub(crate) at: f64,
    /// Amount a second before it.
    pub(crate) before: f64,
    /// Amount a second after it.
    pub(crate) after: f64,
    /// Amount that the later line has at the start: what was let through at once, less what was under way.
    pub(crate) surplus: f64,
}

impl Cumulative {
    /// Completions of a recording, in intervals of this many seconds; `weigh` is what an I/O of a length counts.
    pub(crate) fn of(recording: &Recording, interval: f64, weigh: impl Fn(u32) -> f64) -> Cumulative {
        let length = recording.ended.since(recording.began).secs_f64();
        let count = (length / interval).floor() as usize;
        let mut sums = vec![0.0; count];
        for io in &recording.ios {
            let at = (io.end.since(recording.began).secs_f64() / interval) as usize;
            if at < count {
                sums[at] += weigh(io.len);
            }
        }
        let mut sum = 0.0;
        for value in &mut sums {
            sum += *value;
            *value = sum;
        }
        Cumulative { interval, sums }
    }

    /// Least-squares line through the intervals from `from` to before `to`: amount at the start of time, amount a second,
    /// and the sum of squared errors.
    fn line(&self, prefix: &Prefix, from: usize, to: usize) -> (f64, f64, f64) {
        let n = (to - from) as f64;
        let [x, y, xx, xy, yy] = prefix.between(from, to);
        let spread = xx - x * x / n;
        let slope = if spread > 0.0 { (xy - x * y / n) / spread } else { 0.0 };
        let start = (y - slope * x) / n;
        let error = (yy - y * y / n) - slope * slope * spread;
        (start, slope / self.interval, error.max(0.0))
    }

    /// Amount a second between two times in seconds, by least squares; zero where they hold fewer than three intervals.
    pub(crate) fn rate(&self, from: f64, to: f64) -> f64 {
        let (from, to) = (self.index(from), self.index(to));
        if to < from + 3 {
            return 0.0;
        }
        self.line(&Prefix::of(&self.sums), from, to).1
    }

    /// The interval that begins nearest to a time in seconds.
    fn index(&self, time: f64) -> usize {
        ((time / self.interval).round().max(0.0) as usize).min(self.sums.len())
    }

    /// The part between two times in seconds, from zero on.
    pub(crate) fn part(&self, from: f64, to: f64) -> Cumulative {
        let (from, to) = (self.index(from), self.index(to));
        let before = from.checked_sub(1).map_or(0.0, |last| self.sums[last]);
        let sums = self.sums.get(from..to).unwrap_or_default().iter().map(|sum| sum - before).collect();
        Cumulative { interval: self.interval, sums }
    }

    /// Adds completions that follow these at once.
    pub(crate) fn append(&mut self, later: &Cumulative) {
        let before = self.sums.last().copied().unwrap_or_default();
        self.sums.extend(later.sums.iter().map(|sum| before + sum));
    }

    /// The most by which the sum exceeds a rate from the start on, and the second at which it does.
    pub(crate) fn most_beyond(&self, per_second: f64) -> (f64, f64) {
        let beyond = |(at, sum): (usize, &f64)| {
            let time = (at + 1) as f64 * self.interval;
            (sum - per_second * time, time)
        };
        let later = |most: (f64, f64), next: (f64, f64)| if next.0 > most.0 { next } else { most };
        self.sums.iter().enumerate().map(beyond).fold((0.0, 0.0), later)
    }

    /// Length in seconds.
    pub(crate) fn length(&self) -> f64 {
        self.sums.len() as f64 * self.interval
    }

    /// The two lines that fit best, by least squares, with a change between `from` and `to` seconds.
    pub(crate) fn change(&self, from: f64, to: f64) -> Option<Change> {
        let count = self.sums.len();
        let at = |time: f64| (time / self.interval) as usize;
        let (first, last) = (at(from).max(3), at(to).min(count.saturating_sub(3)));
        if first >= last {
            return None;
        }
        let prefix = Prefix::of(&self.sums);
        let error = |split: usize| self.line(&prefix, 0, split).2 + self.line(&prefix, split, count).2;
        let best = (first..last).min_by(|one, other| error(*one).total_cmp(&error(*other)))?;
        let (start, before, _) = self.line(&prefix, 0, best);
        let (surplus, after, _) = self.line(&prefix, best, count);
        // The lines cross where the rate changes; the split lies between two intervals.
        let at =
            if before > after { (surplus - start) / (before - after) } else { best as f64 * self.interval };
        Some(Change { at: at.clamp(0.0, self.length()), before, after, surplus })
    }
}

/// Sums of x, y, x², xy and y² up to each interval; x is the end of an interval, in intervals.
struct Prefix(Vec<[f64; 5]>);

impl Prefix {
    fn of(sums: &[f64]) -> Prefix {
        let mut all = Vec::with_capacity(sums.len() + 1);
        let mut total = [0.0; 5];
        all.push(total);
        for (index, y) in sums.iter().enumerate() {
            let x = (index + 1) as f64;
            for (sum, value) in total.iter_mut().zip([x, *y, x * x, x * y, y * y]) {
                *sum += value;
            }
            all.push(total);
        }
        Prefix(all)
    }

    fn between(&self, from: usize, to: usize) -> [f64; 5] {
        std::array::from_fn(|at| self.0[to][at] - self.0[from][at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_of_1000_that_fills_at_500_a_second_is_found() {
        // 2,000 a second until it is empty, after 1000 / 1500 s.
        let at = |time: f64| if time < 2.0 / 3.0 { 2_000.0 * time } else { 1_000.0 + 500.0 * time };
        let sums = (1..=300).map(|n| at(f64::from(n) * 0.01).floor()).collect();
        let change = Cumulative { interval: 0.01, sums }.change(0.0, 3.0).expect("there is a change");
        assert!((change.at - 2.0 / 3.0).abs() < 0.02, "{change:?}");
        assert!((change.surplus - 1_000.0).abs() < 10.0 && (change.after - 500.0).abs() < 2.0, "{change:?}");
    }

    #[test]
    fn the_rate_of_a_staircase_is_its_slope() {
        let sums = (1..=400).map(|n| f64::from(n / 5) * 25.0).collect();
        let rate = Cumulative { interval: 0.01, sums }.rate(0.0, 4.0);
        assert!((rate / 500.0 - 1.0).abs() < 0.003, "{rate}");
    }
}
