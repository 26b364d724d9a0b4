//! Where clients find the server.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use iobound_machine::open::SocketName;
use rustix::fs::Mode;
use rustix::net::{SocketFlags, accept_with, sockopt};

use super::transport::Socket;

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
    Unix { listener: UnixListener, path: PathBuf, _name: SocketName },
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
            Listen::Unix(path) => {
                SocketName::clear(path)?;
                let listener = bind_privately(path)?;
                Open::Unix { listener, path: path.clone(), _name: SocketName::of(path)? }
            }
            Listen::Tcp(address) => Open::Tcp(TcpListener::bind(address).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot listen at {listen}: {error}"))
            })?),
        };
        let listener = Listener(open);
        match &listener.0 {
            Open::Unix { listener: socket, .. } => socket.set_nonblocking(true)?,
            Open::Tcp(socket) => socket.set_nonblocking(true)?,
        }
        Ok(listener)
    }

    /// Where it really listens: with the port that was free.
    ///
    /// # Errors
    /// Returns an error if the system does not tell the address.
    pub fn address(&self) -> io::Result<Listen> {
        Ok(match &self.0 {
            Open::Unix { path, .. } => Listen::Unix(path.clone()),
            Open::Tcp(socket) => Listen::Tcp(socket.local_addr()?),
        })
    }

    /// The next client that waits.
    pub(crate) fn accept(&self) -> io::Result<Socket> {
        let socket = accept_with(self, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
        let prepare = || {
            if matches!(self.0, Open::Tcp(_)) {
                sockopt::set_tcp_nodelay(&socket, true)?;
            }
            // Asking for more than the system allows is answered with what it allows.
            sockopt::set_socket_send_buffer_size(&socket, SOCKET_BUFFER)?;
            sockopt::set_socket_recv_buffer_size(&socket, SOCKET_BUFFER)
        };
        // Of a client that has gone meanwhile: it says nothing of those behind it.
        prepare().map_err(|_| ErrorKind::ConnectionAborted)?;
        Ok(Socket::new(socket))
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Open::Unix { listener: socket, .. } => socket.as_fd(),
            Open::Tcp(socket) => socket.as_fd(),
        }
    }
}

/// Binds a socket that nobody but this user can ever connect to: it has its mode from the first moment.
pub(crate) fn bind_privately(path: &Path) -> io::Result<UnixListener> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket_with};
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot listen at {}: {error}", path.display()))
    };
    let address = SocketAddrUnix::new(path).map_err(|_| {
        io::Error::new(
            ErrorKind::InvalidInput,
            format!("{}: a unix socket's path has at most 107 bytes: name a shorter one", path.display()),
        )
    })?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // The socket's own mode is that of the file that `bind` makes (unix(7)).
    rustix::fs::fchmod(&socket, Mode::RUSR | Mode::WUSR).map_err(|error| named(error.into()))?;
    bind(&socket, &address).map_err(|error| named(error.into()))?;
    listen(&socket, 1024).map_err(|error| named(error.into()))?;
    Ok(UnixListener::from(socket))
}
