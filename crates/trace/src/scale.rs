use iobound_units::{Counted, Ppm};

use crate::error::TraceError;
use crate::record::{LARGEST, Record};
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
    /// I/Os whose scaled time or place is beyond the largest.
    beyond: u64,
}

impl<S: Source> Scaled<S> {
    /// The records of `inner`, scaled. A speed of zero is a caller's mistake.
    pub fn new(inner: S, scale: Scale) -> Scaled<S> {
        assert!(scale.speed.0 > 0, "a speed is above zero");
        Scaled { inner, scale, begin_ns: None, beyond: 0 }
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
        let mut whole = Vec::new();
        while whole.is_empty() {
            self.inner.read(&mut whole)?;
            let Some(first) = whole.first() else { return Ok(()) };
            let begin = *self.begin_ns.get_or_insert(first.at_ns);
            let read = whole.len();
            whole.retain_mut(|record| {
                record.at_ns =
                    times(record.at_ns.saturating_sub(begin), WHOLE, u64::from(self.scale.speed.0));
                if u64::from(self.scale.offsets.0) != WHOLE {
                    record.offset =
                        times(record.offset, u64::from(self.scale.offsets.0), WHOLE) / PAGE * PAGE;
                }
                record.at_ns < u64::MAX && record.end() <= LARGEST
            });
            self.beyond += (read - whole.len()) as u64;
        }
        batch.append(&mut whole);
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        let mut facts = self.inner.facts();
        if self.beyond > 0 {
            let count = Counted(self.beyond, "I/O");
            facts.notes.push(format!(
                "left out: {count} whose scaled offset is beyond 8 EiB, or whose scaled time is beyond 584 years"
            ));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::Op;

    use super::*;
    use crate::record::NO_LATENCY;
    use crate::source::InMemory;

    #[test]
    fn an_io_beyond_the_largest_offset_is_left_out_and_counted() {
        let record = |offset| Record {
            at_ns: 0,
            offset,
            length: 4_096,
            latency_ns: NO_LATENCY,
            device: 0,
            op: Op::Read,
        };
        // 4,000 times 2^52 bytes are beyond 2^63.
        let inner = InMemory::new(vec![record(8_192), record(1 << 52)], vec!["disk".into()]);
        let mut scaled = Scaled::new(inner, Scale { speed: Ppm::ONE, offsets: Ppm(4_000_000_000) });
        let mut batch = Vec::new();
        scaled.read(&mut batch).unwrap();
        assert_eq!(batch.iter().map(|record| record.offset).collect::<Vec<_>>(), [4_000 * 8_192]);
        let notes = scaled.facts().notes;
        assert!(notes[0].contains("left out: 1 I/O"), "{notes:?}");
    }
}
