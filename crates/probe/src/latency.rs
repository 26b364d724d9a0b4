//! Latency below every limit, by operation and size.

use crate::arithmetic::squared;
use iobound_units::Span;

use crate::answer::{Estimate, FoundLatency};
use crate::limit::seconds;
use crate::ramp::quantile;
use crate::session::{Halt, Session};
use crate::step::{Completed, Mix, Pace, SMALL, Step};

/// I/Os for a mean within 1.6 % (95 %) where latencies scatter by a fifth.
const WANTED: f64 = 600.0;
/// Small I/Os at most (12 s): for a mean within 1 %, which a prediction at depth 1 needs.
const WANTED_SMALL: f64 = 1_500.0;
/// Share of a limit below which no I/O waits for it.
const BELOW: f64 = 0.35;

/// I/Os of a train, at least and at most. The first wakes processors that slept in the pause before it, and is not counted: its
/// latency is that of the client more than that of the disk, and no I/O of a load has it.
const TRAIN: [f64; 2] = [3.0, 8.0];
/// Share of what passes at once that a train uses.
const OF_AT_ONCE: f64 = 0.8;

/// Limits that a measurement of latencies stays below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    /// I/Os a second that the limits let through; `f64::MAX` where there is none.
    pub(crate) per_second: f64,
    /// I/Os that they let through at once at least.
    pub(crate) at_once: f64,
}

/// A measurement of a size.
struct Paced {
    pace: Pace,
    /// I/Os a second that count.
    counted: f64,
}

impl Paced {
    /// I/Os one after the other, far below the limits.
    fn of(below: Below, expected: f64) -> Paced {
        let natural = 1.0 / expected.max(1e-6);
        let cap = (BELOW * below.per_second).max(4.0);
        // A disk without a limit needs no cap.
        if below.per_second == f64::MAX {
            return Paced { pace: Pace::Depth(1), counted: natural };
        }
        let [least, most] = TRAIN;
        if cap >= natural || below.at_once < least {
            return Paced { pace: Pace::OneByOne(cap as u64), counted: cap.min(natural) };
        }
        let train = (OF_AT_ONCE * below.at_once).floor().clamp(least, most);
        let pause = train / cap;
        let counted = (train - 1.0) / (pause + (train - 1.0) / natural);
        Paced { pace: Pace::Trains(train as u64, seconds(pause)), counted }
    }

    /// Time that it takes, in seconds.
    fn seconds(&self, block: u32) -> f64 {
        let (wanted, longest) = if block == SMALL { (WANTED_SMALL, 12.0) } else { (WANTED, 8.0) };
        (wanted / self.counted).clamp(1.0, longest)
    }

    /// The I/Os that count, in order.
    fn counted(&self, ios: Vec<Completed>) -> Vec<Completed> {
        let Pace::Trains(_, pause) = self.pace else { return ios };
        let follows = |pair: &&[Completed]| pair[1].issued.since(pair[0].end).ns() < pause.ns() / 2;
        ios.windows(2).filter(follows).map(|pair| pair[1]).collect()
    }
}

/// Time that a measurement of a size takes, in seconds, with the rest before it.
pub(crate) fn seconds_for(block: u32, below: Below, expected: f64) -> f64 {
    0.5 + Paced::of(below, expected).seconds(block)
}

/// Latency of a step's I/Os, one outstanding, as at depth 1 of other tools, at no more than 35 % of the limits.
pub(crate) fn latency(
    session: &mut Session<'_>,
    of: &Step,
    below: Below,
    expected: f64,
) -> Result<Option<FoundLatency>, Halt> {
    let paced = Paced::of(below, expected);
    let step = Step { pace: paced.pace, time: seconds(paced.seconds(of.block)), ..of.clone() };
    session.rest(Span::from_ms(500))?;
    let mut recording = session.run(&step)?;
    recording.ios = paced.counted(recording.ios);
    let values: Vec<f64> = recording.ios.iter().map(|io| io.end.since(io.issued).secs_f64()).collect();
    if values.len() < 20 {
        return Ok(None);
    }
    Ok(Some(FoundLatency {
        is_write: of.mix == Mix::Writes,
        block: of.block,
        floor: quantile(&recording, 0.0),
        mean: mean(&values),
        p99: quantile(&recording, 0.99),
        count: values.len(),
    }))
}

/// Latencies that vary by more than this share of their mean are of a disk that something else disturbs at times.
const DISTURBED: f64 = 0.5;
/// Groups of I/Os, in their order, whose means are compared.
const GROUPS: usize = 20;

/// The mean with its interval. Where the machine stalls at times, the median of the means of groups: a few groups with a stall
/// do not move it.
fn mean(values: &[f64]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| squared(value - mean)).sum::<f64>() / (count - 1.0);
    let size = values.len() / GROUPS;
    if variance.sqrt() < DISTURBED * mean || size < 2 {
        return Estimate::around(mean, 1.96 * (variance / count).sqrt());
    }
    let mut means: Vec<f64> =
        values.chunks_exact(size).map(|group| group.iter().sum::<f64>() / size as f64).collect();
    means.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| means[((means.len() - 1) as f64 * share).round() as usize];
    let middle = (means[(means.len() - 1) / 2] + means[means.len() / 2]) / 2.0;
    // Ranks that hold the median of 20 in 95 of 100 cases, by the binomial distribution.
    Estimate { value: middle, low: at(0.26), high: at(0.74) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_of_the_machine_do_not_move_the_mean() {
        let mut random = iobound_workload::Random::keyed(&[3]);
        let mut values: Vec<f64> = (0..600).map(|_| 0.0008 + 0.0004 * random.unit()).collect();
        let free = mean(&values);
        assert!((free.value / 0.001 - 1.0).abs() < 0.02, "{free:?}");
        // Five stalls of 20 ms: the plain mean is 17 % higher.
        (0..5).for_each(|n| values[n * 110 + 7] += 0.02);
        let stalled = mean(&values);
        assert!((stalled.value / 0.001 - 1.0).abs() < 0.03, "{stalled:?}");
        assert!(stalled.low <= stalled.value && stalled.value <= stalled.high);
    }
}
