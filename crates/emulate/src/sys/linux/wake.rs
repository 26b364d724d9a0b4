use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

use super::socket::Source;

/// Wakes a thread that waits on descriptors.
#[derive(Debug)]
pub(crate) struct Wake(OwnedFd);

impl Wake {
    pub(crate) fn new() -> io::Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?))
    }

    pub(crate) fn up(&self) {
        // Never read: each write is an edge, whatever is written. Were it full, the thread would have been woken often enough.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Descriptor that a poll can wait for.
    pub(crate) fn source(&self) -> Option<Source<'_>> {
        Some(self.0.as_fd())
    }
}
