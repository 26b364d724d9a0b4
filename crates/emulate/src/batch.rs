use std::ops::Range;

use iobound_units::Instant;

use crate::request::{Errno, Request};

/// A request that is complete, and not yet replied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The request, and its client.
    pub request: Request,
    /// Completion time of the model: lateness is counted from here.
    pub due: Instant,
    /// Place of a read's bytes in the batch (an empty range for other requests), or the error.
    pub result: Result<Range<usize>, Errno>,
}

/// Completions of one turn, with the data that was read: filled under the emulator's lock, and sent without it.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order of their times.
    pub completed: Vec<Completed>,
    /// The bytes of all reads are in its first part; it never shrinks, since zeroes that are written over would cost what half
    /// a copy does.
    data: Vec<u8>,
    used: usize,
}

impl Batch {
    /// Makes room for the next, and keeps the memory.
    pub fn clear(&mut self) {
        self.completed.clear();
        self.used = 0;
    }

    /// Frees memory beyond `most` bytes of data, after a burst of many connections at once. Its content is lost.
    pub(crate) fn keep_at_most(&mut self, most: usize) {
        if self.data.len() > most {
            self.clear();
            self.data.truncate(most);
            self.data.shrink_to_fit();
        }
    }

    /// The bytes of a read that succeeded.
    pub fn bytes(&self, completed: &Completed) -> &[u8] {
        completed.result.as_ref().map_or(&[], |range| &self.data[range.clone()])
    }

    /// Has `len` bytes filled, and returns their place. If that fails, they are not part of the batch.
    pub(crate) fn fill<E>(
        &mut self,
        len: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Range<usize>, E> {
        let range = self.used..self.used + len;
        if range.end > self.data.len() {
            self.data.resize(range.end, 0);
        }
        read(&mut self.data[range.clone()])?;
        self.used = range.end;
        Ok(range)
    }
}
