mod files;
mod pages;
mod poller;
mod socket;
mod wake;

use std::time::Duration;

use iobound_units::Span;

pub(crate) use files::{next_data, next_hole, open_image, read_at, read_cached};
pub(crate) use pages::Pages;
pub(crate) use poller::{Poller, poll};
pub use socket::Socket;
pub(crate) use socket::{PrivateSocket, Source, accept, source_of};
pub(crate) use wake::Wake;

/// A poll ends when it is woken.
pub(crate) const LONGEST_POLL: Option<Duration> = None;

/// The timer is exact to a microsecond or so.
pub(crate) const SHORTEST_SLEEP: Span = Span::ZERO;

/// Most clients at a time: a quarter of the process's descriptors stays for files, the control socket and metrics.
pub(crate) fn most_clients() -> usize {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    most.map_or(usize::MAX, |most| usize::try_from(most / 4 * 3).unwrap_or(usize::MAX))
}
