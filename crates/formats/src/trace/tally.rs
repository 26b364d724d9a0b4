use iobound_trace::{Malformed, TraceError};

/// Number of malformed lines that is small in any file.
const FEW: u64 = 10;
/// More malformed lines than one in so many are no mishap.
const ONE_IN: u64 = 1_000;
/// Characters of a malformed line that are shown.
const SHOWN: usize = 120;

/// The malformed lines of a file, or the records or events of a binary one.
pub(super) struct MalformedTally {
    /// `lines`, `records` or `events`.
    noun: &'static str,
    malformed: Malformed,
}

impl MalformedTally {
    pub(super) fn of_lines() -> MalformedTally {
        MalformedTally { noun: "lines", malformed: Malformed::default() }
    }

    pub(super) fn of_records() -> MalformedTally {
        MalformedTally { noun: "records", malformed: Malformed::default() }
    }

    pub(super) fn of_events() -> MalformedTally {
        MalformedTally { noun: "events", malformed: Malformed::default() }
    }

    /// Counts a line with this number, from 1, as malformed.
    ///
    /// # Errors
    /// Returns an error if more than a few lines are malformed.
    pub(super) fn add(&mut self, number: u64, text: &[u8], why: &str) -> Result<(), TraceError> {
        self.malformed.count += 1;
        if self.malformed.first.is_none() {
            let shown: String = String::from_utf8_lossy(text)
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .take(SHOWN)
                .collect();
            self.malformed.first = Some((number, shown, why.to_string()));
        }
        let count = self.malformed.count;
        if count > FEW && count.saturating_mul(ONE_IN) > number { Err(self.refused(number)) } else { Ok(()) }
    }

    fn refused(&self, number: u64) -> TraceError {
        let Malformed { count, first } = &self.malformed;
        let (at, text, why) = first.clone().unwrap_or_default();
        let noun = self.noun;
        let one = noun.trim_end_matches('s');
        TraceError::new(format!(
            "{count} of {number} {noun} cannot be read; the first is {one} {at}: {why}: `{text}`"
        ))
        .help(format!("name a file of a known format, or remove these {noun}"))
    }

    /// Checks a file at its end: its number of lines, and of I/Os that were read.
    ///
    /// # Errors
    /// Returns an error if lines are malformed and none is an I/O.
    pub(super) fn ended(&self, number: u64, ios: u64) -> Result<(), TraceError> {
        if self.malformed.count > 0 && ios == 0 { Err(self.refused(number)) } else { Ok(()) }
    }

    pub(super) fn malformed(&self) -> &Malformed {
        &self.malformed
    }
}
