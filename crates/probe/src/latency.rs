//! Latency below every limit, by operation and size.

use crate::arithmetic::squared;
use iobound_units::Span;

use crate::answer::{Estimate, FoundLatency};
use crate::limit::{quantile, seconds};
use crate::session::{Halt, Session};
use crate::step::{Mix, Pace, Step};

/// I/Os for a mean within 1 % where latencies scatter by a fifth.
const WANTED: f64 = 600.0;

/// I/Os a second that do not meet: at most 30 % of the time an I/O is outstanding.
fn pace(at_most: f64, expected: f64) -> f64 {
    (0.35 * at_most).min(0.3 / expected.max(1e-6)).max(4.0)
}

/// Time that a measurement takes, in seconds, with the rest before it.
pub(crate) fn seconds_for(at_most: f64, expected: f64) -> f64 {
    0.5 + (WANTED / pace(at_most, expected)).clamp(1.0, 8.0)
}

/// Latency of a step's I/Os at a third of `at_most` a second, one after the other.
pub(crate) fn latency(
    session: &mut Session<'_>,
    of: &Step,
    at_most: f64,
    expected: f64,
) -> Result<Option<FoundLatency>, Halt> {
    let rate = pace(at_most, expected);
    let time = seconds((WANTED / rate).clamp(1.0, 8.0));
    let step = Step { pace: Pace::Rate(rate as u64), time, ..of.clone() };
    session.rest(Span::from_ms(500))?;
    let recording = session.run(&step)?;
    let values: Vec<f64> = recording.ios.iter().map(|io| io.end.since(io.issued).secs_f64()).collect();
    if values.len() < 20 {
        return Ok(None);
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| squared(value - mean)).sum::<f64>() / (count - 1.0);
    Ok(Some(FoundLatency {
        is_write: of.mix == Mix::Writes,
        block: of.block,
        floor: quantile(&recording, 0.0),
        mean: Estimate::around(mean, 1.96 * (variance / count).sqrt()),
        p99: quantile(&recording, 0.99),
        count: values.len(),
    }))
}
