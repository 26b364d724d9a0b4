//! Written data, and its storage.
//!
//! A [`Backing`] has the bytes of one disk: in a [`Pool`] of memory, in a [`SparseFile`], or in either of them over an
//! [`Image`]. [`Contents`] has all disks, and what lies in their host caches.

mod allocation;
mod cached;
mod cold;
mod contents;
mod disk;
#[cfg_attr(windows, path = "unsupported/file.rs")]
mod file;
mod layer;
#[cfg(not(windows))]
mod mark;
mod memory;
mod nothing;
mod overlay;
mod pool;
mod sectors;
mod slab;
mod table;

pub use allocation::{Allocation, Run};
pub use cold::{Cold, Fetch};
pub use contents::Contents;
pub use disk::Durability;
pub use file::SparseFile;
pub use memory::Memory;
pub use nothing::Nothing;
pub use overlay::{Image, Overlay};
pub use pool::Pool;

use std::ffi::OsString;
use std::io;

use iobound_units::{Bytes, Problem};

use crate::request::Errno;

/// Storage of the bytes of one disk. Ranges that were never written, or were discarded, read as zeroes. Ranges are
/// multiples of a sector and lie within the disk.
pub trait Backing: Send {
    /// Fills `into` with what is at `offset`.
    ///
    /// # Errors
    /// Returns the error of the store below.
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// The same without waiting for the machine's own disk: what it has to be waited for is left to `cold`, and `into` has
    /// then nothing of use. A backing that never waits reads.
    ///
    /// # Errors
    /// Returns the error of the store below.
    fn read_cached(&mut self, offset: u64, into: &mut [u8], cold: &mut Cold) -> Result<(), Errno> {
        let _ = cold;
        self.read(offset, into)
    }

    /// Keeps `data` at `offset`.
    ///
    /// # Errors
    /// Returns an error if there is no room or the store below fails. The data is unchanged or partly overwritten. A
    /// range within one page of 4 KiB takes no place then.
    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno>;

    /// Forgets a range, and frees its place.
    ///
    /// # Errors
    /// Returns the error of the store below.
    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno>;

    /// Makes a range zeroes that keeps its place. Writes them, without a shorter way.
    ///
    /// # Errors
    /// As [`Backing::write`].
    fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        write_zeroes(offset, len, |at, zeroes| self.write(at, zeroes))
    }

    /// Reserves the place of a range, so that later writes find room; existing data stays. Does nothing for stores that
    /// take no place before a write.
    ///
    /// # Errors
    /// Returns an error if there is no room. A part may have been reserved.
    fn reserve(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        let _ = (offset, len);
        Ok(())
    }

    /// Content that begins at `offset`, and its end: after `offset`, and at most `end`, which may lie beyond the disk.
    /// Data, if it is unknown.
    ///
    /// # Errors
    /// Returns the error of the store below.
    fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        let _ = offset;
        Ok((Allocation::Data, end))
    }

    /// Space of the data.
    fn held(&self) -> Bytes;

    /// Memory for what a host cache has acknowledged and is not here yet, under the same limit where there is one.
    fn volatile(&self) -> Memory;
}

/// Writes zeroes, a part after the other.
fn write_zeroes(
    offset: u64,
    len: u64,
    mut write: impl FnMut(u64, &[u8]) -> Result<(), Errno>,
) -> Result<(), Errno> {
    static ZEROES: [u8; 1 << 16] = [0; 1 << 16];
    let (mut at, end) = (offset, offset + len);
    while at < end {
        let part = (end - at).min(ZEROES.len() as u64);
        write(at, &ZEROES[..part as usize])?;
        at += part;
    }
    Ok(())
}

/// A file that cannot be a disk, or be below one.
fn unusable(path: &std::path::Path, found: impl std::fmt::Display, help: impl std::fmt::Display) -> Problem {
    Problem::new(format!("{}: {found}", path.display())).help(help)
}

/// The name of a disk's file.
///
/// # Errors
/// Returns an error if the disk's name is not a valid file name.
pub fn file_name(disk: &str) -> Result<OsString, String> {
    if disk.is_empty() || disk.contains(['/', '\0']) {
        return Err(format!("the disk name {disk:?} is not a file name"));
    }
    Ok(OsString::from(format!("{disk}.img")))
}

/// Error for a client when a file fails.
fn errno_of(error: &io::Error) -> Errno {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Errno::NoSpace
        }
        _ => Errno::Io,
    }
}
