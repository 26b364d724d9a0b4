//! A connection that ends by itself where nobody says in time who they are.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;
use tonic::transport::server::Connected;

/// How long somebody may be connected without having been let in.
const UNKNOWN: Duration = Duration::from_secs(5);

/// One end of a connection.
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// What is known of a connection, for whoever answers on it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Where it comes from, for people.
    pub(super) from: Arc<str>,
    /// Set once somebody on it was let in.
    pub(super) let_in: Arc<AtomicBool>,
}

/// A connection with its time, and its place among those that may be open.
pub(super) struct Guarded {
    socket: Socket,
    known: Known,
    time: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Guarded {
    pub(super) fn new(socket: Socket, from: &str, place: OwnedSemaphorePermit) -> Guarded {
        let known = Known { from: from.into(), let_in: Arc::default() };
        Guarded { socket, known, time: Box::pin(tokio::time::sleep(UNKNOWN)), _place: place }
    }
}

impl Connected for Guarded {
    type ConnectInfo = Known;

    fn connect_info(&self) -> Known {
        self.known.clone()
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let let_in = self.known.let_in.load(Ordering::Relaxed);
        if !let_in && self.time.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "nobody said who they are")));
        }
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_read(context, buffer),
            Socket::Unix(socket) => Pin::new(socket).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_write(context, bytes),
            Socket::Unix(socket) => Pin::new(socket).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_flush(context),
            Socket::Unix(socket) => Pin::new(socket).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_shutdown(context),
            Socket::Unix(socket) => Pin::new(socket).poll_shutdown(context),
        }
    }
}
