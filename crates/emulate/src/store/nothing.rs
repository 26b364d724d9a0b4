//! No data at all: where only the time of I/Os matters, as in a rehearsal of a load that looks at nothing it reads.

use iobound_units::Bytes;

use super::{Allocation, Backing, Memory, Pool};
use crate::request::Errno;

/// Keeps nothing: what was written reads as zeroes, and there is always room. Only what lies in a host cache is kept, in the
/// pool, since its way to the disk is told by ranges.
#[derive(Clone, Debug)]
pub struct Nothing {
    dirty: Pool,
}

impl Nothing {
    /// A disk whose host cache has this pool for what is dirty.
    pub fn new(dirty: Pool) -> Nothing {
        Nothing { dirty }
    }
}

impl Backing for Nothing {
    fn read(&mut self, _: u64, into: &mut [u8]) -> Result<(), Errno> {
        into.fill(0);
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), Errno> {
        Ok(())
    }

    fn discard(&mut self, _: u64, _: u64) -> Result<(), Errno> {
        Ok(())
    }

    fn zero(&mut self, _: u64, _: u64) -> Result<(), Errno> {
        Ok(())
    }

    fn allocation(&mut self, _: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        Ok((Allocation::Hole, end))
    }

    fn held(&self) -> Bytes {
        Bytes::ZERO
    }

    fn volatile(&self) -> Memory {
        self.dirty.disk()
    }
}
