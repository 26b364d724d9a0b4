//! Event sources, and the events that they report.

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

/// States of a socket that a poll waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interest {
    /// Bytes can be received.
    pub(crate) read: bool,
    /// Bytes can be sent.
    pub(crate) write: bool,
}
