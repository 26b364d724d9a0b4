//! Calls to the operating system about sockets, waiting, memory and files, the only ones beside those of the front that
//! speaks FUSE, of files as disks and of the control socket, which are Linux's alone.

mod events;
#[cfg(target_os = "linux")]
mod linux;
mod reads;
#[cfg(windows)]
mod windows;

use iobound_units::Span;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
use windows as platform;

pub use platform::Socket;

pub(crate) use events::{Interest, PollEvent};
pub(crate) use platform::{
    LONGEST_POLL, Pages, Poller, PrivateSocket, Source, Wake, accept, most_clients, next_data, next_hole,
    open_image, poll, read_at, read_cached, source_of,
};
pub(crate) use reads::{CachedRead, NextData};

/// Sleeps shorter than this are not worth a timer of the platform.
pub(crate) const SHORTEST_SLEEP: Span = platform::SHORTEST_SLEEP;
