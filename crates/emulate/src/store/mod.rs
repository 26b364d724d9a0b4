//! What was written, and where it is kept.
//!
//! A [`Backing`] has the bytes of one disk: in a [`Pool`] of memory, in a [`SparseFile`], or in either of them over an
//! [`Image`]. [`Contents`] has all disks, and what lies in their host caches.

mod contents;
mod disk;
mod file;
mod layer;
mod mark;
mod memory;
mod nothing;
mod overlay;
mod pool;
mod sectors;
mod slab;
mod table;
mod unusable;

pub use contents::Contents;
pub use disk::Durability;
pub use file::SparseFile;
pub use memory::Memory;
pub use nothing::Nothing;
pub use overlay::{Image, Overlay};
pub use pool::Pool;
pub use unusable::Unusable;

use iobound_units::Bytes;

use crate::request::Errno;

/// Where the bytes of one disk are kept. What was never written, or was discarded, reads as zeroes. Ranges are multiples of
/// a sector and lie within the disk.
pub trait Backing: Send {
    /// Fills `into` with what is at `offset`.
    ///
    /// # Errors
    /// What is below failed.
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// Keeps `data` at `offset`.
    ///
    /// # Errors
    /// No room: then what is there is as it was, or partly overwritten. What is below failed.
    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno>;

    /// Forgets a range, and frees its place.
    ///
    /// # Errors
    /// What is below failed.
    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno>;

    /// How much place the data takes.
    fn held(&self) -> Bytes;

    /// Memory for what a host cache has acknowledged and is not here yet, under the same limit where there is one.
    fn volatile(&self) -> Memory;
}
