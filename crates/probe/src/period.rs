//! The period with which a limiter lets I/Os through, from their completion times.

use crate::arithmetic::{HalvedAngles, squared};

use crate::step::Recording;

/// Number of intervals that the autocorrelation is computed of; a power of two.
const POINTS: usize = 1 << 15;
/// Length of an interval in seconds.
const INTERVAL: f64 = 0.000_25;

/// A period in the completions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// Its length in seconds.
    pub(crate) seconds: f64,
    /// Likeness of the repetitions: 1 is a perfect one.
    pub(crate) correlation: f64,
}

/// The shortest period of completions that repeats clearly; `None` where there is none.
///
/// `from` is the first second that counts. Completions of a limiter that spaces I/Os evenly repeat with every I/O: such a
/// period holds one I/O, and is none of a slice.
pub(crate) fn period(recording: &Recording, from: f64) -> Option<Period> {
    let length = recording.ended.since(recording.began).secs_f64();
    let span = length - from;
    if span < 0.2 {
        return None;
    }
    let interval = INTERVAL;
    let count = ((span / interval) as usize).min(POINTS / 2);
    let mut counts = vec![0.0; count];
    let mut total = 0.0;
    for io in &recording.ios {
        let at = (io.end.since(recording.began).secs_f64() - from) / interval;
        if at >= 0.0 && (at as usize) < count {
            counts[at as usize] += 1.0;
            total += 1.0;
        }
    }
    if total < 50.0 || is_even(recording, from) {
        return None;
    }
    if let Some(period) = of_groups(&ends_from(recording, from)) {
        return Some(period);
    }
    // Single completions are points: a window of a millisecond, or of a third of the mean distance, makes a density of them.
    let width = ((0.001_f64).max(span / total / 3.0) / interval).round() as usize;
    let smooth = smoothed(&counts, width.max(1));
    let correlations = autocorrelation(&smooth);
    let lags = correlations.len() / 2;
    let peaks: Vec<usize> = ((SHORTEST / interval) as usize + 1..lags.saturating_sub(1))
        .filter(|at| correlations[*at] >= correlations[at - 1] && correlations[*at] > correlations[at + 1])
        .collect();
    let best =
        peaks.iter().copied().max_by(|one, other| correlations[*one].total_cmp(&correlations[*other]))?;
    let highest = correlations[best];
    if highest < CLEAR || (best as f64) * interval < TICKS && highest < CLEARER {
        return None;
    }
    // The highest may be a multiple of the period: the shortest part of it that repeats almost as well is the period. A
    // correlation sums to zero over a whole period, so that it is negative somewhere before the first repetition; waves
    // within a slice are not.
    let negative = correlations.iter().position(|value| *value < 0.0)?;
    let is_part = |at: &usize| {
        let multiple = best as f64 / *at as f64;
        let error = multiple.round() * 0.5 / *at as f64 + 0.02;
        *at > negative && (multiple - multiple.round()).abs() < error && correlations[*at] > PART * highest
    };
    let lag = peaks.into_iter().find(is_part)?;
    let correlation = correlations[lag];
    // Multiples of it tell the length more exactly, one after the other.
    let mut seconds = top(&correlations, lag) * interval;
    for multiple in 2..=16usize {
        let expected = (seconds / interval * multiple as f64).round() as usize;
        let reach = (lag / 4).max(1);
        if expected + reach + 1 >= lags {
            break;
        }
        let at = (expected - reach..=expected + reach)
            .max_by(|one, other| correlations[*one].total_cmp(&correlations[*other]))
            .unwrap_or(expected);
        if correlations[at] < 0.5 * correlation {
            break;
        }
        seconds = top(&correlations, at) * interval / multiple as f64;
    }
    Some(Period { seconds, correlation })
}

/// A shorter period cannot be told from the scatter of media.
const SHORTEST: f64 = 0.002;
/// A part of a period repeats with at least this share of its correlation.
const PART: f64 = 0.7;
/// Gaps between completions of a limiter that spaces them evenly vary less than this share of their mean.
const EVEN: f64 = 0.65;
/// A correlation from here on is no accident: that of 50 completions at random stays below it.
const CLEAR: f64 = 0.3;

/// Completions of a slice follow each other at once: a pause of this many mean distances ends it.
const PAUSE: f64 = 5.0;
/// A shorter pause is scatter of media, in seconds.
const LEAST_PAUSE: f64 = 0.002;
/// Fewer groups than this are no repetition.
const GROUPS: usize = 8;
/// Groups of a slice have the same number of completions, but for this share.
const SAME: f64 = 0.1;
/// The load is about twice the limit, so that a slice's quota passes in about half of the slice, and certainly in this share of it.
const BUSY: f64 = 0.75;

/// The period of groups of equally many completions with pauses between them, whose starts may be late by a timer's resolution:
/// the kernel's limiter starts its slices at ticks of some milliseconds.
fn of_groups(ends: &[f64]) -> Option<Period> {
    let (first, last) = (ends.first()?, ends.last()?);
    let pause = (PAUSE * (last - first) / ends.len() as f64).max(LEAST_PAUSE);
    let mut starts: Vec<usize> = (1..ends.len()).filter(|at| ends[*at] - ends[at - 1] > pause).collect();
    // The last group may go on, and the one before the first pause has begun before.
    let end = starts.pop()?;
    if starts.len() < GROUPS {
        return None;
    }
    let bounds = || starts.iter().zip(starts.iter().skip(1).chain([&end]));
    let count = starts.len() as f64;
    let mean = (end - starts[0]) as f64 / count;
    let variance = bounds().map(|(from, to)| squared((to - from) as f64 - mean)).sum::<f64>() / count;
    let busy: f64 = bounds().map(|(from, to)| ends[to - 1] - ends[*from]).sum();
    let whole = ends[end] - ends[starts[0]];
    // One I/O more or less is the fraction of a quota.
    if variance.sqrt() > (SAME * mean).max(0.5) || mean < PAUSE || busy > BUSY * whole {
        return None;
    }
    Some(Period { seconds: whole / count, correlation: (1.0 - variance.sqrt() / mean).max(0.0) })
}

/// Completion times from this second on, in order.
fn ends_from(recording: &Recording, from: f64) -> Vec<f64> {
    let mut ends: Vec<f64> =
        recording.ios.iter().map(|io| io.end.since(recording.began).secs_f64()).collect();
    ends.retain(|end| *end >= from);
    ends.sort_unstable_by(f64::total_cmp);
    ends
}

/// Timers and schedulers of this machine repeat in up to this time, in seconds.
const TICKS: f64 = 0.005;
/// A period as short as theirs is a limiter's from this correlation on.
const CLEARER: f64 = 0.7;

/// True if completions follow each other at even distances: a limiter without slices lets one I/O through at a time.
fn is_even(recording: &Recording, from: f64) -> bool {
    let ends = ends_from(recording, from);
    let gaps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let count = gaps.len().max(1) as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let square = gaps.iter().map(|gap| squared(gap - mean)).sum::<f64>() / count;
    square.sqrt() < EVEN * mean
}

/// The place of a peak between the intervals, by the parabola through its neighbours.
fn top(values: &[f64], at: usize) -> f64 {
    let (left, middle, right) = (values[at - 1], values[at], values[at + 1]);
    let bend = left - 2.0 * middle + right;
    let shift = if bend < 0.0 { 0.5 * (left - right) / bend } else { 0.0 };
    at as f64 + shift.clamp(-0.5, 0.5)
}

/// Mean over a window of this many intervals, twice: a triangle.
fn smoothed(values: &[f64], width: usize) -> Vec<f64> {
    let once = |values: &[f64]| {
        let mut sums = vec![0.0; values.len() + 1];
        for (at, value) in values.iter().enumerate() {
            sums[at + 1] = sums[at] + value;
        }
        let end = |at: usize| (at + width).min(values.len());
        (0..values.len()).map(|at| (sums[end(at)] - sums[at]) / width as f64).collect::<Vec<f64>>()
    };
    once(&once(values))
}

/// Autocorrelation by lag, normalised for the shrinking overlap: 1 at lag zero.
fn autocorrelation(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    let mut real = vec![0.0; POINTS];
    let mut imaginary = vec![0.0; POINTS];
    for (slot, value) in real.iter_mut().zip(values) {
        *slot = value - mean;
    }
    transform(&mut real, &mut imaginary);
    for (re, im) in real.iter_mut().zip(&mut imaginary) {
        (*re, *im) = (*re * *re + *im * *im, 0.0);
    }
    transform(&mut real, &mut imaginary);
    let variance = real[0] / count as f64;
    if variance <= 0.0 {
        return vec![0.0; count];
    }
    (0..count).map(|lag| real[lag] / (count - lag) as f64 / variance).collect()
}

/// Fourier transform in place (Cooley and Tukey, 1965). The length is a power of two.
fn transform(real: &mut [f64], imaginary: &mut [f64]) {
    let count = real.len();
    let bits = count.trailing_zeros();
    for at in 0..count {
        let other = at.reverse_bits() >> (usize::BITS - bits);
        if other > at {
            real.swap(at, other);
            imaginary.swap(at, other);
        }
    }
    let mut half = 1;
    let mut angles = HalvedAngles::new();
    while half < count {
        let Some((cosine, sine)) = angles.next() else { break };
        let (step_re, step_im) = (cosine, -sine);
        for start in (0..count).step_by(2 * half) {
            let (mut re, mut im) = (1.0, 0.0);
            for at in start..start + half {
                let (a, b) = (real[at + half], imaginary[at + half]);
                let (x, y) = (a * re - b * im, a * im + b * re);
                (real[at + half], imaginary[at + half]) = (real[at] - x, imaginary[at] - y);
                (real[at], imaginary[at]) = (real[at] + x, imaginary[at] + y);
                (re, im) = (re * step_re - im * step_im, re * step_im + im * step_re);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Completed;
    use iobound_units::{Instant, Op};

    fn recording(ends: impl Iterator<Item = f64>, seconds: u64) -> Recording {
        let at = |time: f64| Instant::from_ns((time * 1e9) as u64);
        let io = |end: f64| Completed {
            issued: at(end),
            end: at(end),
            op: Op::Read,
            len: 4096,
            target: 0,
            offset: 0,
        };
        Recording {
            began: Instant::ZERO,
            ended: Instant::from_ns(seconds * 1_000_000_000),
            ios: ends.map(io).collect(),
            starved: None,
        }
    }

    #[test]
    fn slices_of_37_ms_with_a_fractional_quota_are_found() {
        // 6.3 I/Os a slice, 0.7 ms apart.
        let ends = (0..100).flat_map(|slice| {
            let quota = ((slice + 1) as f64 * 6.3).floor() - (slice as f64 * 6.3).floor();
            (0..quota as usize).map(move |n| slice as f64 * 0.037 + n as f64 * 0.000_7)
        });
        let found = period(&recording(ends, 4), 0.0).expect("there is a period");
        assert!((found.seconds / 0.037 - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn slices_that_begin_late_by_up_to_8_ms_are_found() {
        // 176 I/Os each 100 ms, as a kernel with 250 ticks a second lets them through.
        let mut random = iobound_workload::Random::keyed(&[8]);
        let late: Vec<f64> = (0..40).map(|_| random.unit() * 0.008).collect();
        let ends = (0..40)
            .flat_map(|slice| (0..176).map(move |n| (slice, f64::from(n) * 5e-6)))
            .map(|(slice, at)| slice as f64 * 0.1 + late[slice] + at);
        let found = period(&recording(ends, 4), 0.0).expect("there is a period");
        assert!((found.seconds / 0.1 - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn completions_at_random_have_no_period() {
        let mut random = iobound_workload::Random::keyed(&[7]);
        let mut now = 0.0;
        let ends: Vec<f64> = (0..3_000)
            .map(|_| {
                now += random.unit() * 0.002;
                now
            })
            .collect();
        assert!(period(&recording(ends.into_iter().take_while(|at| *at < 3.0), 3), 0.0).is_none());
    }
}
