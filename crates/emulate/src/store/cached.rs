//! Reads of files that do not wait for the machine's own disk.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::allocation::{Allocation, in_file};
use super::cold::Cold;
use super::errno_of;
use crate::request::Errno;
use crate::sys::{self, CachedRead};

/// Size of a fetch.
const STEP: usize = 256 << 10;

/// A file that is read through the page cache, and whether that can be asked for what it has.
#[derive(Clone, Debug)]
pub(super) struct Cached {
    file: Arc<File>,
    /// True if the file system knows reads that do not wait (`RWF_NOWAIT`): ext4, XFS, btrfs and block devices do.
    asks: Arc<AtomicBool>,
    beyond: Beyond,
}

/// Content behind the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    /// Zeroes: an image may be shorter than its volume.
    Zeroes,
    /// Nothing: another process truncated the file.
    #[cfg_attr(windows, allow(dead_code, reason = "disks in files are Linux's"))]
    Fails,
}

impl Cached {
    pub(super) fn new(file: File, beyond: Beyond) -> Cached {
        Cached { file: Arc::new(file), asks: Arc::new(AtomicBool::new(true)), beyond }
    }

    fn read_beyond(&self, into: &mut [u8]) -> Result<(), Errno> {
        into.fill(0);
        if self.beyond == Beyond::Zeroes { Ok(()) } else { Err(Errno::Io) }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Reads, and waits.
    pub(super) fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < into.len() {
            match sys::read_at(&self.file, &mut into[done..], offset + done as u64) {
                Ok(0) => return self.read_beyond(&mut into[done..]),
                Ok(len) => done += len,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(errno_of(&error)),
            }
        }
        Ok(())
    }

    /// Reads what the page cache has, and holes; from the first byte that it does not have on, the rest is left to `cold`.
    /// Waits if the file system cannot be asked.
    pub(super) fn read_cached(&self, offset: u64, into: &mut [u8], cold: &mut Cold) -> Result<(), Errno> {
        let end = offset + into.len() as u64;
        let mut done = 0;
        while done < into.len() {
            let at = offset + done as u64;
            if !self.asks.load(Ordering::Relaxed) {
                return self.read(at, &mut into[done..]);
            }
            match sys::read_cached(&self.file, &mut into[done..], at) {
                Ok(CachedRead::Got(0)) => return self.read_beyond(&mut into[done..]),
                Ok(CachedRead::Got(len)) => done += len,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // The page cache has no pages of holes that nobody read; there is nothing to wait for either.
                Ok(CachedRead::Cold) => match in_file(&self.file, at, end) {
                    (Allocation::Hole, until) => {
                        let len = (until - at) as usize;
                        into[done..done + len].fill(0);
                        done += len;
                    }
                    _ => {
                        let of = self.clone();
                        cold.leave(move || of.fetch(at, end));
                        return Ok(());
                    }
                },
                Ok(CachedRead::Unsupported) => {
                    self.asks.store(false, Ordering::Relaxed);
                }
                Err(error) => return Err(errno_of(&error)),
            }
        }
        Ok(())
    }

    /// Has a range in the page cache when it returns.
    fn fetch(&self, from: u64, end: u64) -> Result<(), Errno> {
        let mut bytes = vec![0; STEP.min((end - from) as usize)];
        let mut at = from;
        while at < end {
            let len = bytes.len().min((end - at) as usize);
            self.read(at, &mut bytes[..len])?;
            at += len as u64;
        }
        Ok(())
    }
}
