use iobound_units::Ppm;

use crate::error::TraceError;
use crate::record::Record;
use crate::source::{Source, TraceFacts};

/// Changes of a trace's times and places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Speed, in millionths: times are divided by it. Recorded latencies stay.
    pub speed: Ppm,
    /// Offsets are multiplied by it, in millionths, and rounded down to 4 KiB.
    pub offsets: Ppm,
}

/// A source on another clock, or on devices of another size. It begins at zero.
pub struct Scaled<S> {
    inner: S,
    scale: Scale,
    begin_ns: Option<u64>,
}

impl<S: Source> Scaled<S> {
    /// The records of `inner`, scaled. A speed of zero is a caller's mistake.
    pub fn new(inner: S, scale: Scale) -> Scaled<S> {
        assert!(scale.speed.0 > 0, "a speed is above zero");
        Scaled { inner, scale, begin_ns: None }
    }
}

/// `value × up ÷ down`, at most [`u64::MAX`].
fn times(value: u64, up: u64, down: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(up) / u128::from(down)).unwrap_or(u64::MAX)
}

const WHOLE: u64 = 1_000_000;
const PAGE: u64 = 4_096;

impl<S: Source> Source for Scaled<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        self.inner.read(batch)?;
        let begin = match batch.get(before) {
            Some(first) => *self.begin_ns.get_or_insert(first.at_ns),
            None => return Ok(()),
        };
        for record in &mut batch[before..] {
            record.at_ns = times(record.at_ns.saturating_sub(begin), WHOLE, u64::from(self.scale.speed.0));
            if u64::from(self.scale.offsets.0) != WHOLE {
                record.offset = times(record.offset, u64::from(self.scale.offsets.0), WHOLE) / PAGE * PAGE;
            }
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}
