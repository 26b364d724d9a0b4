//! The place of a control socket: a unix socket that only this user may write to.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use iobound_machine::open::SocketName;

use crate::sys::{PrivateSocket, Source};

/// A socket that listens, and its name, which is removed with it.
#[derive(Debug)]
pub(super) struct Endpoint {
    _name: SocketName,
    /// `None` once it is taken.
    listener: Option<UnixListener>,
}

impl Endpoint {
    /// Listens at a path. A socket that a killed program left there is replaced.
    ///
    /// # Errors
    /// Returns an error if a live socket or another file exists there, or no socket can be created.
    pub(super) fn bind(path: &Path) -> Result<Endpoint, String> {
        let (listener, name) = PrivateSocket::bind(path).map_err(|error| error.to_string())?.into_parts();
        Ok(Endpoint { _name: name, listener: Some(listener) })
    }

    /// The listener, for the thread that serves it.
    pub(super) fn take_listener(&mut self) -> Listening {
        Listening(self.listener.take().expect("it is taken once"))
    }

    /// Begins each line of a client: nothing, as the path itself is private.
    pub(super) fn prefix(&self) -> String {
        String::new()
    }
}

/// A listener that is served.
pub(super) struct Listening(UnixListener);

impl Listening {
    pub(super) fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }
}

/// The rest of a line that begins with this prefix.
pub(super) fn behind<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    line.strip_prefix(prefix)
}

/// Connects to an emulator; the prefix of a line for it.
///
/// # Errors
/// Returns an error if nothing listens there.
pub(super) fn connect(path: &Path) -> io::Result<(UnixStream, String)> {
    Ok((UnixStream::connect(path)?, String::new()))
}
