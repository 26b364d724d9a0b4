//! A platform without engines of its own: io_uring and libaio are refused, and each call fails.

use std::fs::File;
use std::io;

use iobound_machine::{NotOnThisPlatform, SystemClock};
use iobound_measure::Usage;
use iobound_units::{Instant, Io, Tag};

use super::absent::AbsentEngine;
use super::answer::AtOnce;
use crate::engine::range::SyncRange;
use crate::engine::target::Targets;

/// A ring of io_uring; never exists on this platform.
pub type Uring<C> = AbsentEngine<C>;

/// A context of libaio; never exists on this platform.
pub type Aio<C> = AbsentEngine<C>;

/// A completion port; never exists on this platform.
pub type Iocp<C> = AbsentEngine<C>;

const ENGINES: NotOnThisPlatform = NotOnThisPlatform { what: "I/O on files and devices" };

/// Returns `false`: this platform has no rings.
pub(crate) const MOST_OUTSTANDING: u64 = 0;

/// Reason why there are no rings.
pub(crate) fn refused_ring() -> Option<String> {
    Some(ENGINES.to_string())
}

/// Reason why there is no libaio.
pub(crate) fn refused_aio(_outstanding: u64) -> Option<String> {
    Some(ENGINES.to_string())
}

/// A reader that asks a file nothing.
pub(crate) struct Reader(std::convert::Infallible);

impl Reader {
    /// There is none.
    pub(crate) fn new(_file: &File, _block: usize) -> io::Result<Reader> {
        Err(ENGINES.into())
    }

    /// Never called.
    pub(crate) fn read_at_once(&mut self, _offset: u64) -> AtOnce {
        match self.0 {}
    }

    /// Never called.
    pub(crate) fn read(&mut self, _offset: u64) -> io::Result<()> {
        match self.0 {}
    }

    /// Never called.
    pub(crate) fn submit(&mut self, _offset: u64) -> io::Result<bool> {
        match self.0 {}
    }
}

/// A file that a call goes to: none.
#[derive(Clone, Copy)]
pub(crate) struct FileToCall;

impl FileToCall {
    /// Those of all targets, in order.
    pub(crate) fn of(targets: &Targets) -> Vec<FileToCall> {
        targets.files().iter().map(|_| FileToCall).collect()
    }

    /// One that no call can go to.
    #[cfg(test)]
    pub(crate) fn none() -> FileToCall {
        FileToCall
    }
}

/// One I/O, which fails.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    tag: Tag,
    clock: SystemClock,
}

/// The outcome of a call.
#[derive(Clone, Copy)]
pub(crate) struct Returned {
    /// Its tag.
    pub(crate) tag: Tag,
    /// Bytes moved, or the negative error number.
    pub(crate) result: i32,
    /// Time of its completion.
    pub(crate) at: Instant,
}

impl Call {
    /// An I/O.
    pub(crate) fn new(tag: Tag, _io: Io, _file: FileToCall, _buffer: *mut u8, clock: SystemClock) -> Call {
        Call { tag, clock }
    }

    /// As on Linux; nothing is synced either.
    pub(crate) fn of_range(self, _range: Option<SyncRange>) -> Call {
        self
    }

    /// Fails: -1 is an error number on every platform.
    pub(crate) fn make(mut self) -> Returned {
        Returned { tag: self.tag, result: -1, at: self.clock.now_of_run() }
    }
}

/// Nothing is known of what a thread costs.
pub(crate) fn thread_usage() -> Usage {
    Usage::default()
}

/// Threads stay where the system puts them.
pub(crate) fn bind(_processors: &[u32]) {}

/// Threads are woken as the system does it.
pub(crate) fn wake_on_time() {}

/// The processors that this process may use: unknown.
pub fn processors() -> Vec<u32> {
    Vec::new()
}

/// Closes standard output and standard error.
///
/// # Errors
/// Always returns an error.
pub fn close_output() -> io::Result<()> {
    Err(ENGINES.into())
}
