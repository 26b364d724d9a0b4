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

/// Nothing but sockets can end a poll, so that it looks for its end this often.
pub(crate) const LONGEST_POLL: Option<Duration> = Some(Duration::from_millis(100));

/// A timer of high resolution is up to half a millisecond late, and its thread then has to be scheduled.
pub(crate) const SHORTEST_SLEEP: Span = Span::from_ms(1);

/// Most clients at a time: a wait asks each of them what has happened, one call each.
pub(crate) fn most_clients() -> usize {
    1024
}
