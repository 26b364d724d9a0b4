//! The thread of a coordinator: what connections bring goes into the book, and what comes out goes to them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iobound_units::Span;
use tokio::sync::{Notify, mpsc, oneshot};
use tonic::Status;
use tonic::transport::{Identity, Server, ServerTlsConfig};

use super::door::{Brings, Brought, Door, take};
use super::listen::Listener;
use super::{Clock, causes};
use crate::event::Event;
use crate::gathered::Gathered;
use crate::protocol::{CoordinatorBook, Out, Peer};
use crate::state::FleetState;
use crate::tls::CoordinatorTls;
use crate::wire::{MOST_OF_A_MESSAGE, RankWord, fleet_server::FleetServer, rank_word};

/// Number of words that may wait for the book: beyond, their connections wait.
const WAITING: usize = 1_024;

/// Time that those that have something to hear may take at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Requests to a coordinator by its own process.
pub(crate) enum Ask {
    Stop(String),
    Expect(Duration),
    State(oneshot::Sender<FleetState>),
    Close(oneshot::Sender<Gathered>),
}

/// State of a coordinator's thread.
pub(crate) struct Drive {
    pub(crate) book: CoordinatorBook,
    pub(crate) of: u32,
    pub(crate) listener: Listener,
    pub(crate) clock: Clock,
    pub(crate) beat: Duration,
    pub(crate) asks: mpsc::UnboundedReceiver<Ask>,
    pub(crate) events: std::sync::mpsc::Sender<Event>,
}

type Says = mpsc::UnboundedSender<Result<RankWord, Status>>;

impl Drive {
    /// A server's identity, where it can be one.
    pub(crate) fn identity(tls: &CoordinatorTls) -> Result<Server, String> {
        let identity = Identity::from_pem(&tls.cert, &tls.key);
        let config = ServerTlsConfig::new().identity(identity).timeout(Duration::from_secs(5));
        Server::builder().tls_config(config).map_err(|error| causes(&error))
    }

    /// Works until it is asked to close, or its owner is gone.
    pub(crate) fn work(self, server: Server) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve(server))?;
        // Streams that are still held do not delay the end.
        runtime.shutdown_background();
        Ok(())
    }

    async fn serve(mut self, server: Server) -> io::Result<()> {
        let (brings, mut brought) = mpsc::channel(WAITING);
        let incoming = take(&self.listener, self.of, brings.clone(), self.clock).await?;
        let service = FleetServer::new(Door::new(brings, self.clock))
            .max_decoding_message_size(MOST_OF_A_MESSAGE)
            .max_encoding_message_size(MOST_OF_A_MESSAGE);
        let closing = Arc::new(Notify::new());
        let close = Arc::clone(&closing);
        let serving = tokio::spawn(
            server
                .max_concurrent_streams(2)
                .initial_stream_window_size(1 << 20)
                .initial_connection_window_size(1 << 20)
                .add_service(service)
                .serve_with_incoming_shutdown(incoming, async move { close.notified().await }),
        );
        let mut peers: BTreeMap<Peer, (Says, Arc<AtomicBool>)> = BTreeMap::new();
        let mut ticks = tokio::time::interval(self.beat / 2);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let wants = loop {
            tokio::select! {
                biased;
                ask = self.asks.recv() => match ask {
                    Some(Ask::Stop(why)) => self.book.stop(&why, self.clock.now()),
                    Some(Ask::Expect(whole)) => {
                        self.book.expect(Span::from_ns(u64::try_from(whole.as_nanos()).unwrap_or(u64::MAX)));
                    }
                    // Who asked and went away needs no answer.
                    Some(Ask::State(to)) => drop(to.send(self.book.state())),
                    Some(Ask::Close(to)) => break Some(to),
                    None => break None,
                },
                brings = brought.recv() => {
                    if let Some(brings) = brings {
                        self.takes(brings, &mut peers);
                    }
                }
                _ = ticks.tick() => self.book.tick(self.clock.now()),
            }
            self.hands_out(&mut peers);
        };
        if !self.book.is_over() {
            self.book.stop("the coordinator was closed before the work was done", self.clock.now());
        }
        self.hands_out(&mut peers);
        drop(brought);
        // Their streams end once they have heard what there is.
        drop(peers);
        closing.notify_one();
        let _ = tokio::time::timeout(FAREWELL, serving).await;
        if let Some(to) = wants {
            // As above: nobody may be there any more.
            drop(to.send(self.book.gathered()));
        }
        Ok(())
    }

    fn takes(&mut self, brought: Brought, peers: &mut BTreeMap<Peer, (Says, Arc<AtomicBool>)>) {
        let Brought { peer, what, at } = brought;
        match what {
            Brings::Opened { from, let_in, says } => {
                peers.insert(peer, (says, let_in));
                self.book.opened(peer, from.to_string());
            }
            Brings::Heard(word) => {
                self.book.heard(peer, word, at);
                if self.book.is_let_in(peer)
                    && let Some((_, let_in)) = peers.get(&peer)
                {
                    let_in.store(true, Ordering::Relaxed);
                }
            }
            Brings::Garbled(what) => self.book.garbled(peer, &what, at),
            Brings::Closed(how) => {
                peers.remove(&peer);
                self.book.closed(peer, &how, at);
            }
            // Who listens to no events any more hears none.
            Brings::Refused(why) => drop(self.events.send(Event::Refused { why })),
        }
    }

    fn hands_out(&mut self, peers: &mut BTreeMap<Peer, (Says, Arc<AtomicBool>)>) {
        while let Some((peer, out)) = self.book.out() {
            match out {
                Out::Say(word) => {
                    if let Some((says, _)) = peers.get(&peer) {
                        // A connection that is gone says so itself.
                        let _ = says.send(Ok(rank_word(&word)));
                    }
                }
                Out::Close => drop(peers.remove(&peer)),
            }
        }
        while let Some(event) = self.book.event() {
            // As above.
            let _ = self.events.send(event);
        }
    }
}
