//! Disks in files, which Windows does not have here: holes, marks and locks are Linux's.

use std::convert::Infallible;

use iobound_machine::open::{Directory, Identity};
use iobound_units::{Bytes, Problem};

use super::memory::Memory;
use super::pool::Pool;
use super::{Backing, unusable};
use crate::request::Errno;

/// The bytes of one disk in a file; never exists on Windows.
#[derive(Debug)]
pub struct SparseFile(Infallible);

impl SparseFile {
    /// The file of a disk.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn open(
        folder: &Directory,
        _name: &str,
        _size: Bytes,
        _overwrite: &[Identity],
        _pool: &Pool,
    ) -> Result<SparseFile, Problem> {
        Err(absent(folder))
    }

    /// A file without a name.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn scratch(folder: &Directory, _size: Bytes, _pool: &Pool) -> Result<SparseFile, Problem> {
        Err(absent(folder))
    }
}

fn absent(folder: &Directory) -> Problem {
    unusable(folder.path(), "disks in files exist on Linux only", "keep the data in memory: --backing memory")
}

impl Backing for SparseFile {
    fn read(&mut self, _offset: u64, _into: &mut [u8]) -> Result<(), Errno> {
        match self.0 {}
    }

    fn write(&mut self, _offset: u64, _data: &[u8]) -> Result<(), Errno> {
        match self.0 {}
    }

    fn discard(&mut self, _offset: u64, _len: u64) -> Result<(), Errno> {
        match self.0 {}
    }

    fn held(&self) -> Bytes {
        match self.0 {}
    }

    fn volatile(&self) -> Memory {
        match self.0 {}
    }
}
