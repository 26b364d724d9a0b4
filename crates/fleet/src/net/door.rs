//! Peers that connect to a coordinator: connections are taken, and each stream on them is a peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use iobound_units::Instant;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{ReceiverStream, UnboundedReceiverStream};
use tonic::transport::server::TlsConnectInfo;
use tonic::{Code, Request, Response, Status, Streaming};

use super::guarded::{Guarded, Known, Places, Socket};
use super::listen::Listener;
use super::local::Accepting;
use super::{Clock, causes};
use crate::protocol::{Peer, ToCoordinator};
use crate::wire::{CoordinatorWord, RankWord, fleet_server, to_coordinator};

/// Most connections beside those of the ranks. When there are more, the oldest one that was not let in is closed.
const STRANGERS: usize = 512;

/// Pause when no connection may be closed yet, or no descriptor is free.
const FULL: Duration = Duration::from_millis(20);

/// Number of may that wait to be served.
const WAITING: usize = 16;

/// Something that a connection brings.
pub(super) enum Brings {
    Opened {
        from: Arc<str>,
        let_in: Arc<AtomicBool>,
        says: mpsc::UnboundedSender<Result<RankWord, Status>>,
    },
    Heard(ToCoordinator),
    Garbled(String),
    Closed(String),
    /// A stranger was rejected, and why.
    Refused(String),
}

/// Input of a connection, with its rank and time.
pub(super) struct Brought {
    pub(super) peer: Peer,
    pub(super) what: Brings,
    pub(super) at: Instant,
}

/// The service behind the connections.
pub(super) struct Door {
    next: AtomicU64,
    brings: mpsc::Sender<Brought>,
    clock: Clock,
}

impl Door {
    pub(super) fn new(brings: mpsc::Sender<Brought>, clock: Clock) -> Door {
        Door { next: AtomicU64::new(0), brings, clock }
    }
}

#[tonic::async_trait]
impl fleet_server::Fleet for Door {
    type MeetStream = UnboundedReceiverStream<Result<RankWord, Status>>;

    async fn meet(
        &self,
        request: Request<Streaming<CoordinatorWord>>,
    ) -> Result<Response<Self::MeetStream>, Status> {
        let known =
            request.extensions().get::<Known>().cloned().or_else(|| {
                request.extensions().get::<TlsConnectInfo<Known>>().map(|of| of.get_ref().clone())
            });
        let Known { from, let_in } =
            known.ok_or_else(|| Status::internal("a connection without an address"))?;
        let peer = self.next.fetch_add(1, Ordering::Relaxed);
        let (says, said) = mpsc::unbounded_channel();
        let (brings, clock) = (self.brings.clone(), self.clock);
        let mut stream = request.into_inner();
        tokio::spawn(async move {
            let bring = async |what| brings.send(Brought { peer, what, at: clock.now() }).await.is_ok();
            if !bring(Brings::Opened { from, let_in, says }).await {
                return;
            }
            loop {
                let what = match stream.next().await {
                    Some(Ok(word)) => match to_coordinator(word) {
                        Ok(word) => Brings::Heard(word),
                        Err(error) => Brings::Garbled(error.0),
                    },
                    // The codec's word for what it can't read, and for what is too long.
                    Some(Err(status)) if matches!(status.code(), Code::Internal | Code::OutOfRange) => {
                        Brings::Garbled(status.message().to_string())
                    }
                    Some(Err(status)) => Brings::Closed(causes(&status)),
                    None => Brings::Closed("it was closed".into()),
                };
                let last = !matches!(what, Brings::Heard(_));
                if !bring(what).await || last {
                    return;
                }
            }
        });
        Ok(Response::new(UnboundedReceiverStream::new(said)))
    }
}

/// Accepts connections as long as the coordinator serves them.
pub(super) async fn take(
    listener: &Listener,
    of: u32,
    brings: mpsc::Sender<Brought>,
    clock: Clock,
) -> std::io::Result<ReceiverStream<std::io::Result<Guarded>>> {
    let places = Places::new(of as usize + STRANGERS);
    let (takes, taken) = mpsc::channel(WAITING);
    match listener {
        Listener::Tcp(listener) => {
            let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
            tokio::spawn(async move {
                loop {
                    let Some((socket, from)) = next(listener.accept().await, &places).await else { continue };
                    // Words are short, and each is waited for.
                    let _ = socket.set_nodelay(true);
                    let guarded = Guarded::new(Socket::Tcp(socket), &from.to_string(), &places);
                    if takes.send(Ok(guarded)).await.is_err() {
                        return;
                    }
                }
            });
        }
        Listener::Local(listener) => {
            let accepting = listener.accepting()?;
            tokio::spawn(async move {
                loop {
                    let Some(socket) = next(accepting.accept().await, &places).await else { continue };
                    let Ok(peer) = Accepting::peer(&socket) else { continue };
                    if let Some(uid) = peer.other_user {
                        let what =
                            Brings::Refused(format!("{} belongs to another user, uid {uid}", peer.from));
                        let refused = Brought { peer: Peer::MAX, what, at: clock.now() };
                        let _ = brings.send(refused).await;
                        continue;
                    }
                    let guarded = Guarded::new(Socket::Local(socket), &peer.from, &places);
                    if takes.send(Ok(guarded)).await.is_err() {
                        return;
                    }
                }
            });
        }
    }
    Ok(ReceiverStream::new(taken))
}

/// An accepted connection, once there is a place for it: the oldest stranger makes room. `None` if none could be accepted.
async fn next<T>(taken: std::io::Result<T>, places: &Places) -> Option<T> {
    match taken {
        Ok(taken) => {
            while places.are_full() && !places.evict() {
                tokio::time::sleep(FULL).await;
            }
            Some(taken)
        }
        // No descriptor or no memory, or the peer has gone.
        Err(_) => {
            places.evict();
            tokio::time::sleep(FULL).await;
            None
        }
    }
}
