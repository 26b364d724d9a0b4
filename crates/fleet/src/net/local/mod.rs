//! Sockets of one machine, by path: the meeting of ranks that one user starts on one machine.

#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(not(unix))]
use windows as platform;

pub(crate) use platform::LocalListener;
pub(super) use platform::{Accepting, LocalStream, check, connect, host_name};

/// A process that connected, as its socket identifies it.
pub(super) struct LocalPeer {
    /// The process, for people.
    pub(super) from: String,
    /// User that is neither this one nor root.
    pub(super) other_user: Option<u32>,
}
