use std::fs::File;
use std::io::{self, IoSliceMut};

use memmap2::MmapMut;
use rustix::io::{Errno, ReadWriteFlags};

use super::aio;
use crate::sys::answer::AtOnce;

/// An open file with a buffer, for the thread that asks how the file takes I/O.
pub(crate) struct Reader {
    file: File,
    /// Page-aligned, and touched, so that no fault of it is taken for a sleep.
    buffer: MmapMut,
    block: usize,
}

impl Reader {
    /// For reads of one block.
    ///
    /// # Errors
    /// Returns an error if no memory or no descriptor is available.
    pub(crate) fn new(file: &File, block: usize) -> io::Result<Reader> {
        let mut buffer = MmapMut::map_anon(block)?;
        buffer.fill(0);
        Ok(Reader { file: file.try_clone()?, buffer, block })
    }

    /// Reads at once or not at all.
    pub(crate) fn read_at_once(&mut self, offset: u64) -> AtOnce {
        match self.read_with(offset, ReadWriteFlags::NOWAIT) {
            Ok(()) => AtOnce::Taken,
            Err(Errno::AGAIN) => AtOnce::NotNow,
            Err(Errno::OPNOTSUPP) => AtOnce::Never,
            Err(_) => AtOnce::Unknown,
        }
    }

    /// Reads.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub(crate) fn read(&mut self, offset: u64) -> io::Result<()> {
        Ok(self.read_with(offset, ReadWriteFlags::empty())?)
    }

    /// Reads by `io_submit`; whether the calling thread slept in it.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub(crate) fn submit(&mut self, offset: u64) -> io::Result<bool> {
        aio::read_one(&self.file, offset, &mut self.buffer[..self.block])
    }

    fn read_with(&mut self, offset: u64, flags: ReadWriteFlags) -> Result<(), Errno> {
        let mut parts = [IoSliceMut::new(&mut self.buffer[..self.block])];
        rustix::io::preadv2(&self.file, &mut parts, offset, flags).map(drop)
    }
}
