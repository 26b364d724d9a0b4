//! A connection that ends by itself if its peer does not identify itself in time, sends too much before, or another
//! connection needs its place.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};
use tonic::transport::server::Connected;

use super::local::LocalStream;

/// Time for a peer to be let in, from its connection.
const UNKNOWN: Duration = Duration::from_secs(5);

/// Minimum age of a connection that is closed for a new one: a rank has identified itself by then.
const GRACE: Duration = Duration::from_millis(500);

/// Most bytes of a peer that was not let in: a TLS handshake and a greeting take less.
const MOST_UNKNOWN: usize = 64 << 10;

/// The places of a coordinator's connections.
#[derive(Clone, Debug)]
pub(super) struct Places {
    most: usize,
    next: Arc<AtomicU64>,
    /// In the order of their arrival.
    open: Arc<Mutex<BTreeMap<u64, Stranger>>>,
}

/// A connection that may be closed for another one, until its peer is let in.
#[derive(Debug)]
struct Stranger {
    came: Instant,
    let_in: Arc<AtomicBool>,
    /// Dropped, it ends the connection.
    _keeps: oneshot::Sender<()>,
}

impl Places {
    pub(super) fn new(most: usize) -> Places {
        Places { most, next: Arc::default(), open: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Stranger>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if there are as many connections as may be.
    pub(super) fn are_full(&self) -> bool {
        self.lock().len() >= self.most
    }

    /// Closes the oldest connection whose peer was not let in, if it is old enough. Says whether there was one.
    pub(super) fn evict(&self) -> bool {
        let mut open = self.lock();
        let oldest = open.iter().find(|(_, stranger)| !stranger.let_in.load(Ordering::Relaxed));
        let may_go = oldest.filter(|(_, stranger)| stranger.came.elapsed() >= GRACE).map(|(id, _)| *id);
        may_go.is_some_and(|id| open.remove(&id).is_some())
    }
}

/// One end of a connection.
pub(super) enum Socket {
    Tcp(TcpStream),
    Local(LocalStream),
}

/// Known facts about a connection, for the code that answers on it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Its origin, for people.
    pub(super) from: Arc<str>,
    /// Set once its peer was let in.
    pub(super) let_in: Arc<AtomicBool>,
}

/// A connection with its time, and its place among those that may be open.
pub(super) struct Guarded {
    socket: Socket,
    known: Known,
    time: Pin<Box<Sleep>>,
    /// Ends with an error when another connection needs the place.
    evicted: oneshot::Receiver<()>,
    /// Bytes that came before the peer was let in.
    unknown: usize,
    places: Places,
    id: u64,
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.places.lock().remove(&self.id);
    }
}

impl Guarded {
    pub(super) fn new(socket: Socket, from: &str, places: &Places) -> Guarded {
        let known = Known { from: from.into(), let_in: Arc::default() };
        let (_keeps, evicted) = oneshot::channel();
        let id = places.next.fetch_add(1, Ordering::Relaxed);
        let stranger = Stranger { came: Instant::now(), let_in: Arc::clone(&known.let_in), _keeps };
        places.lock().insert(id, stranger);
        let (time, places) = (Box::pin(tokio::time::sleep(UNKNOWN)), places.clone());
        Guarded { socket, known, time, evicted, unknown: 0, places, id }
    }

    /// Reason why a connection ends whose peer was not let in, where it does.
    fn ends(&mut self, context: &mut Context<'_>) -> Option<io::Error> {
        if self.known.let_in.load(Ordering::Relaxed) {
            return None;
        }
        let why = if self.time.as_mut().poll(context).is_ready() {
            "the peer did not identify itself"
        } else if Pin::new(&mut self.evicted).poll(context).is_ready() {
            "another connection needed the slot"
        } else if self.unknown > MOST_UNKNOWN {
            "the peer sent more than a greeting"
        } else {
            return None;
        };
        Some(io::Error::new(io::ErrorKind::TimedOut, why))
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
        if let Some(ends) = self.ends(context) {
            return Poll::Ready(Err(ends));
        }
        let before = buffer.filled().len();
        let read = match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_read(context, buffer),
            Socket::Local(socket) => Pin::new(socket).poll_read(context, buffer),
        };
        if !self.known.let_in.load(Ordering::Relaxed) {
            self.unknown += buffer.filled().len() - before;
        }
        read
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
            Socket::Local(socket) => Pin::new(socket).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_flush(context),
            Socket::Local(socket) => Pin::new(socket).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_shutdown(context),
            Socket::Local(socket) => Pin::new(socket).poll_shutdown(context),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    #[test]
    fn the_oldest_stranger_makes_room_and_who_was_let_in_does_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let places = Places::new(2);
            let open = || {
                let (ours, theirs) = UnixStream::pair().unwrap();
                (Guarded::new(Socket::Local(ours), "a test", &places), theirs)
            };
            let (rank, _other) = open();
            rank.known.let_in.store(true, Ordering::Relaxed);
            let (mut stranger, _another) = open();
            assert!(places.are_full());
            assert!(!places.evict(), "it has just come");
            tokio::time::sleep(GRACE).await;
            assert!(places.evict());
            assert!(!places.are_full());
            let ended = stranger.read(&mut [0]).await.unwrap_err();
            assert!(ended.to_string().contains("needed the slot"), "{ended}");
            assert!(!places.evict(), "a rank is not closed");
            drop(rank);
            assert!(places.lock().is_empty());
        });
    }
}
