//! Reads, and where they wait for the machine's own disk.

use super::{Emulator, ExportId};
use crate::batch::Batch;
use crate::fetch::{Fetches, Late};
use crate::request::{Errno, Request};
use crate::store::Cold;

/// Reason why a read gave nothing.
enum NotRead {
    Failed(Errno),
    /// The data has to be awaited.
    Cold,
}

impl Emulator {
    /// Has reads that would wait for the machine's own disk wait in threads of their own: they complete in the poll after
    /// `wake` was called, which may be from any thread, with the time at which they were due.
    pub fn wait_elsewhere(&mut self, wake: impl Fn() + Send + Sync + 'static) {
        self.fetches = Some(Fetches::new(wake));
    }

    /// Appends to `into` the data that a read of this range would return if it completed now. Takes no time of the
    /// model. Parts that must be waited for are left to `cold`, if there is one; then nothing is appended.
    ///
    /// # Errors
    /// Returns [`Errno::Invalid`] for a range beyond the export, or the error of the store below.
    pub fn peek(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u32,
        into: &mut Vec<u8>,
        mut cold: Option<&mut Cold>,
    ) -> Result<(), Errno> {
        self.check(export, offset, u64::from(len))?;
        let start = into.len();
        into.resize(start + len as usize, 0);
        let result = self.contents.read(export, offset, &mut into[start..], cold.as_deref_mut());
        if result.is_err() || cold.is_some_and(|cold| !cold.is_empty()) {
            into.truncate(start);
        }
        result
    }

    /// Completes a read, or has fetched what it would have to wait for.
    #[inline]
    pub(super) fn read(&mut self, late: Late, batch: &mut Batch) {
        let Request { export, offset, len, .. } = self.under_way(late.tag).request;
        let Emulator { contents, cold, fetches, .. } = self;
        let leaves = fetches.is_some() && !late.waits();
        // Of memory nothing is ever cold.
        let filled = batch.fill(len as usize, |into| {
            contents.read(export, offset, into, leaves.then_some(&mut *cold)).map_err(NotRead::Failed)?;
            if cold.is_empty() { Ok(()) } else { Err(NotRead::Cold) }
        });
        let result = match filled {
            Ok(range) => Ok(range),
            Err(NotRead::Cold) if fetches.as_mut().is_some_and(|fetches| fetches.begin(late, cold)) => return,
            // No thread to be had: it is waited for here.
            Err(NotRead::Cold) => batch.fill(len as usize, |into| contents.read(export, offset, into, None)),
            Err(NotRead::Failed(errno)) => {
                cold.take();
                Err(errno)
            }
        };
        self.complete(late.tag, late.due, result, batch);
    }

    /// Completes reads whose data was fetched, with the data as it is now.
    pub(super) fn take_fetched(&mut self, batch: &mut Batch) {
        let mut came = Vec::new();
        self.fetches.iter_mut().for_each(|fetches| fetches.take(&mut came));
        for (late, result) in came {
            match result {
                Ok(()) => self.read(late, batch),
                Err(errno) => self.complete(late.tag, late.due, Err(errno), batch),
            }
        }
    }
}
