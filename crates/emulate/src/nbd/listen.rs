//! Addresses of the server.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use super::transport::Socket;
use crate::sys::{PrivateSocket, Source, accept, source_of};

/// A place to listen at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A unix socket, for this user alone.
    Unix(PathBuf),
    /// A TCP port; zero takes any free one. The protocol has no password: every client that reaches the address can use
    /// the disks.
    Tcp(SocketAddr),
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::Unix(path) => write!(f, "unix:{}", path.display()),
            Listen::Tcp(address) => write!(f, "tcp:{address}"),
        }
    }
}

/// Socket buffer size requested for each direction: a batch of replies; it gives what its limits allow.
const SOCKET_BUFFER: usize = 4 << 20;

#[derive(Debug)]
enum Open {
    Unix(PrivateSocket),
    Tcp(TcpListener),
}

/// A place where clients come; a unix socket's file is removed when this is dropped.
#[derive(Debug)]
pub struct Listener(Open);

impl Listener {
    /// Begins to listen. A unix socket of a dead server is replaced.
    ///
    /// # Errors
    /// Returns an error if a live server listens there, the path is another file, or the system refuses.
    pub fn bind(listen: &Listen) -> io::Result<Listener> {
        let open = match listen {
            Listen::Unix(path) => Open::Unix(PrivateSocket::bind(path)?),
            Listen::Tcp(address) => Open::Tcp(TcpListener::bind(address).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot listen at {listen}: {error}"))
            })?),
        };
        if let Open::Tcp(socket) = &open {
            socket.set_nonblocking(true)?;
        }
        Ok(Listener(open))
    }

    /// Address in use: port 0 is replaced by the port that was free.
    ///
    /// # Errors
    /// Returns an error if the system does not tell the address.
    pub fn address(&self) -> io::Result<Listen> {
        Ok(match &self.0 {
            Open::Unix(socket) => Listen::Unix(socket.path().to_path_buf()),
            Open::Tcp(socket) => Listen::Tcp(socket.local_addr()?),
        })
    }

    /// The next client that waits.
    pub(crate) fn accept(&self) -> io::Result<Socket> {
        let socket = accept(self.source())?;
        let prepare = || {
            if matches!(self.0, Open::Tcp(_)) {
                socket.set_nodelay()?;
            }
            socket.set_buffers(SOCKET_BUFFER)
        };
        // Of a client that has gone meanwhile: it says nothing of those behind it.
        prepare().map_err(|_: io::Error| ErrorKind::ConnectionAborted)?;
        Ok(socket)
    }

    /// Event source that reports waiting clients.
    pub(crate) fn source(&self) -> Source<'_> {
        match &self.0 {
            Open::Unix(socket) => socket.source(),
            Open::Tcp(socket) => source_of(socket),
        }
    }
}
