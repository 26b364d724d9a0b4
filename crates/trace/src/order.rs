use std::collections::VecDeque;

use iobound_units::Counted;

use crate::error::TraceError;
use crate::record::Record;
use crate::resolution::TimeResolution;
use crate::source::{BATCH, Source, TraceFacts};

/// Records that are held back to be put in order of time.
const WINDOW: usize = 8 * BATCH;
/// The longest I/O of a replay, in bytes.
const LONGEST: u64 = u32::MAX as u64;

/// A source whose records are put in order of time, within a window of 65,536 records.
///
/// Traces that are written at completion, or by several processors, are out of order by little. A record that is earlier
/// than one that was handed out already is counted in [`TraceFacts::unsorted`] and keeps its place in the file.
pub struct Ordered<S> {
    inner: S,
    /// In order of time.
    held: VecDeque<Record>,
    fresh: Vec<Record>,
    last_ns: u64,
    unsorted: u64,
    /// I/Os that no replay can issue.
    too_long: u64,
    resolution: TimeResolution,
    ended: bool,
    /// A failure of the inner source, reported behind the records that precede it.
    failed: Option<TraceError>,
}

impl<S: Source> Ordered<S> {
    /// The records of `inner` in order.
    pub fn new(inner: S) -> Ordered<S> {
        Ordered {
            inner,
            held: VecDeque::new(),
            fresh: Vec::new(),
            last_ns: 0,
            unsorted: 0,
            too_long: 0,
            resolution: TimeResolution::default(),
            ended: false,
            failed: None,
        }
    }

    fn fill(&mut self) {
        while !self.ended && self.held.len() + self.fresh.len() < WINDOW {
            let before = self.fresh.len();
            if let Err(error) = self.inner.read(&mut self.fresh) {
                self.failed = Some(error);
                self.ended = true;
            }
            self.ended |= self.fresh.len() == before;
        }
        if self.fresh.is_empty() {
            return;
        }
        let last = self.held.back().map_or(0, |record| record.at_ns);
        let is_sorted = self.fresh.first().is_some_and(|first| first.at_ns >= last)
            && self.fresh.is_sorted_by_key(|record| record.at_ns);
        self.held.extend(self.fresh.drain(..));
        if !is_sorted {
            // A stable sort keeps the file's order of equal times, and takes linear time of what is nearly in order.
            self.held.make_contiguous().sort_by_key(|record| record.at_ns);
        }
    }
}

impl<S: Source> Source for Ordered<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if self.held.len() <= WINDOW / 2 {
            self.fill();
        }
        if self.held.is_empty() {
            return self.failed.take().map_or(Ok(()), Err);
        }
        for record in self.held.drain(..BATCH.min(self.held.len())) {
            if record.at_ns < self.last_ns {
                self.unsorted += 1;
            } else {
                self.last_ns = record.at_ns;
            }
            self.too_long += u64::from(record.length > LONGEST);
            self.resolution.add(record.at_ns);
            batch.push(record);
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        let mut facts = self.inner.facts();
        facts.unsorted += self.unsorted;
        if self.too_long > 0 {
            let count = Counted(self.too_long, "I/O");
            facts.notes.push(format!("longer than 4 GiB: {count}, which replays leave out"));
        }
        facts.notes.extend(self.resolution.note());
        facts
    }
}
