use std::io::{self, ErrorKind, IoSlice};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use iobound_machine::open::SocketName;
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    accept_with, bind, listen, recv, sendmsg, socket_with, sockopt,
};

/// Handle of something that can be waited for.
pub(crate) type Source<'a> = BorrowedFd<'a>;

/// Source of a TCP listener.
pub(crate) fn source_of(listener: &TcpListener) -> Source<'_> {
    listener.as_fd()
}

/// A stream socket: unix or TCP.
#[derive(Debug)]
pub struct Socket(OwnedFd);

impl Socket {
    /// A connected one.
    pub fn new(socket: impl Into<OwnedFd>) -> Socket {
        Socket(socket.into())
    }

    /// Connects to a unix socket.
    pub(crate) fn to_path(path: &Path) -> io::Result<Socket> {
        Ok(Socket::new(UnixStream::connect(path)?))
    }

    /// The socket for calls that do not wait: each call says so itself.
    pub(crate) fn without_waiting(self) -> io::Result<Socket> {
        Ok(self)
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }

    /// Sends what is small at once.
    pub(crate) fn set_nodelay(&self) -> io::Result<()> {
        Ok(sockopt::set_tcp_nodelay(&self.0, true)?)
    }

    /// Asks for buffers of that size; more than the system allows is answered with what it allows.
    pub(crate) fn set_buffers(&self, bytes: usize) -> io::Result<()> {
        sockopt::set_socket_send_buffer_size(&self.0, bytes)?;
        Ok(sockopt::set_socket_recv_buffer_size(&self.0, bytes)?)
    }

    #[inline]
    pub(crate) fn receive_now(&self, into: &mut [u8]) -> io::Result<usize> {
        self.receive_by(into, RecvFlags::DONTWAIT)
    }

    #[inline]
    pub(crate) fn send_now(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_by(parts, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
    }

    pub(crate) fn receive_waiting(&self, into: &mut [u8]) -> io::Result<usize> {
        self.receive_by(into, RecvFlags::empty())
    }

    pub(crate) fn send_waiting(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_by(parts, SendFlags::NOSIGNAL)
    }

    #[inline]
    fn receive_by(&self, into: &mut [u8], flags: RecvFlags) -> io::Result<usize> {
        loop {
            match recv(&self.0, &mut *into, flags) {
                Err(Errno::INTR) => {}
                result => return Ok(result?.0),
            }
        }
    }

    #[inline]
    fn send_by(&self, parts: &[IoSlice<'_>], flags: SendFlags) -> io::Result<usize> {
        loop {
            match sendmsg(&self.0, parts, &mut SendAncillaryBuffer::default(), flags) {
                Err(Errno::INTR) => {}
                result => return Ok(result?),
            }
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The next client that waits at a listener.
pub(crate) fn accept(listener: Source<'_>) -> io::Result<Socket> {
    Ok(Socket(accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?))
}

/// A unix socket that listens, for this user alone. Its file is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateSocket {
    listener: UnixListener,
    path: PathBuf,
    name: SocketName,
}

impl PrivateSocket {
    /// Begins to listen; does not wait for clients. A socket of a dead server is replaced.
    ///
    /// # Errors
    /// Returns an error if a live server listens there, the path is another file, or the system refuses.
    pub(crate) fn bind(path: &Path) -> io::Result<PrivateSocket> {
        SocketName::clear(path)?;
        let listener = bind_privately(path)?;
        listener.set_nonblocking(true)?;
        Ok(PrivateSocket { listener, path: path.to_path_buf(), name: SocketName::of(path)? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.listener.as_fd()
    }

    /// The listener, and its name, which is removed when it is dropped.
    pub(crate) fn into_parts(self) -> (UnixListener, SocketName) {
        (self.listener, self.name)
    }
}

/// Binds a socket that nobody but this user can ever connect to: it has its mode from the first moment.
fn bind_privately(path: &Path) -> io::Result<UnixListener> {
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
