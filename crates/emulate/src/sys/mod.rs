//! Calls to the operating system about sockets, waiting, memory and files, the only ones beside those of the front that
//! speaks FUSE, of files as disks and of the control socket, which are Linux's alone.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

use iobound_units::Span;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
use windows as platform;

pub use platform::Socket;
pub(crate) use platform::{
    LONGEST_POLL, Pages, Poller, PrivateSocket, Source, Wake, accept, most_clients, next_data, next_hole,
    open_image, poll, read_at, read_cached, source_of,
};

/// Sources that the poller of the event loop reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollEvent {
    /// Another thread has something for the loop.
    Woken,
    /// The time that was set is over.
    Timer,
    /// Clients wait at the listener of this index.
    Listener(usize),
    /// A connection can do something.
    Link {
        /// The connection's number.
        id: u32,
        /// Bytes have arrived.
        readable: bool,
        /// Bytes fit again, after some did not.
        writable: bool,
        /// The client has ended its side.
        hung_up: bool,
    },
}

/// States of a socket that [`poll`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interest {
    /// Bytes can be received.
    pub(crate) read: bool,
    /// Bytes can be sent.
    pub(crate) write: bool,
}

/// The next data of a file, as far as the file system tells without reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "the file systems of Windows are not asked"))]
pub(crate) enum NextData {
    /// It begins at this offset.
    At(u64),
    /// There is none.
    Nowhere,
    /// The file system does not say.
    Unknown,
}

/// Outcome of a read that does not wait for the machine's own disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "Windows has no such reads"))]
pub(crate) enum CachedRead {
    /// So many bytes; none at the end of the file.
    Got(usize),
    /// The page cache does not have the first byte.
    Cold,
    /// The system has no such reads for this file.
    Unsupported,
}

/// Sleeps shorter than this are not worth a timer of the platform.
pub(crate) const SHORTEST_SLEEP: Span = platform::SHORTEST_SLEEP;
