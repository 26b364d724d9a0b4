use std::ops::Range;

use iobound_units::Instant;

use crate::request::{Errno, Request};

/// A request that is complete, and not yet replied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// What was asked, and by whom.
    pub request: Request,
    /// When the model says it is complete: lateness is counted from here.
    pub due: Instant,
    /// Where in [`Batch::data`] a read's bytes are (an empty range of everything else), or why there are none.
    pub result: Result<Range<usize>, Errno>,
}

/// What completed together, with the data that was read: filled under the emulator's lock, and sent without it.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order of their times.
    pub completed: Vec<Completed>,
    /// The bytes of all reads.
    pub data: Vec<u8>,
}

impl Batch {
    /// Makes room for the next, and keeps the memory.
    pub fn clear(&mut self) {
        self.completed.clear();
        self.data.clear();
    }

    /// The bytes of a read that succeeded.
    pub fn bytes(&self, completed: &Completed) -> &[u8] {
        completed.result.as_ref().map_or(&[], |range| &self.data[range.clone()])
    }
}
