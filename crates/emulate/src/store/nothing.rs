//! No data at all: where only the time of I/Os matters, as in a rehearsal of a load that looks at nothing it reads.

use iobound_units::Bytes;

use super::{Backing, Memory, Pool};
use crate::request::Errno;

/// Keeps nothing: all reads are zeroes, and there is always room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

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

    fn held(&self) -> Bytes {
        Bytes::ZERO
    }

    /// What a host cache has acknowledged is kept until it is written back: more than any dirty limit, and taken as it is used.
    fn volatile(&self) -> Memory {
        Pool::new(Bytes::gib(64)).expect("an address space that is not taken").disk()
    }
}
