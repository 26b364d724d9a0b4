use std::convert::Infallible;
use std::io::{self, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::windows::io::{AsRawSocket, AsSocket, BorrowedSocket, FromRawSocket, OwnedSocket};
use std::path::Path;

use windows_sys::Win32::Networking::WinSock;

/// Handle of a socket that can be waited for.
pub(crate) type Source<'a> = BorrowedSocket<'a>;

/// Source of a TCP listener.
pub(crate) fn source_of(listener: &TcpListener) -> Source<'_> {
    listener.as_socket()
}

/// A stream socket of TCP.
#[derive(Debug)]
pub struct Socket(TcpStream);

impl Socket {
    /// A connected one.
    pub fn new(socket: impl Into<OwnedSocket>) -> Socket {
        Socket(TcpStream::from(socket.into()))
    }

    /// There are no unix sockets here.
    pub(crate) fn to_path(path: &Path) -> io::Result<Socket> {
        Err(no_unix_sockets(path))
    }

    /// The socket for calls that do not wait.
    pub(crate) fn without_waiting(self) -> io::Result<Socket> {
        self.0.set_nonblocking(true)?;
        Ok(self)
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.0.as_socket()
    }

    /// Sends what is small at once.
    pub(crate) fn set_nodelay(&self) -> io::Result<()> {
        self.0.set_nodelay(true)
    }

    /// Asks for buffers of that size.
    pub(crate) fn set_buffers(&self, bytes: usize) -> io::Result<()> {
        let bytes = (bytes as i32).to_ne_bytes();
        for option in [WinSock::SO_SNDBUF, WinSock::SO_RCVBUF] {
            // SAFETY: the socket is open as long as `self`, and the value is a whole number of the length that is said.
            let done = unsafe {
                let socket = self.0.as_raw_socket() as WinSock::SOCKET;
                WinSock::setsockopt(socket, WinSock::SOL_SOCKET, option, bytes.as_ptr(), bytes.len() as i32)
            };
            if done != 0 {
                return Err(last_error());
            }
        }
        Ok(())
    }

    pub(crate) fn receive_now(&self, into: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(into)
    }

    pub(crate) fn send_now(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        (&self.0).write_vectored(parts)
    }

    pub(crate) fn receive_waiting(&self, into: &mut [u8]) -> io::Result<usize> {
        self.receive_now(into)
    }

    pub(crate) fn send_waiting(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_now(parts)
    }
}

/// The next client that waits at a listener. Its calls do not wait.
pub(crate) fn accept(listener: Source<'_>) -> io::Result<Socket> {
    // SAFETY: the listener is open as long as it is borrowed, and the client's address is not asked for.
    let accepted = unsafe {
        let listener = listener.as_raw_socket() as WinSock::SOCKET;
        WinSock::accept(listener, std::ptr::null_mut(), std::ptr::null_mut())
    };
    if accepted == WinSock::INVALID_SOCKET {
        return Err(last_error());
    }
    // SAFETY: the socket is new, and nobody else closes it.
    let socket = unsafe { OwnedSocket::from_raw_socket(accepted as u64) };
    Socket::new(socket).without_waiting()
}

pub(super) fn last_error() -> io::Error {
    // SAFETY: the call reads a number of this thread.
    io::Error::from_raw_os_error(unsafe { WinSock::WSAGetLastError() })
}

fn no_unix_sockets(path: &Path) -> io::Error {
    let why = format!("{}: unix sockets are Linux's: use tcp:127.0.0.1:10809", path.display());
    io::Error::new(io::ErrorKind::Unsupported, why)
}

/// A unix socket that listens; never exists on Windows.
#[derive(Debug)]
pub(crate) struct PrivateSocket(Infallible);

impl PrivateSocket {
    /// Begins to listen.
    ///
    /// # Errors
    /// Always returns an error.
    pub(crate) fn bind(path: &Path) -> io::Result<PrivateSocket> {
        Err(no_unix_sockets(path))
    }

    pub(crate) fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) fn source(&self) -> Source<'_> {
        match self.0 {}
    }
}
