//! The coordinator: where ranks meet, on a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tonic::transport::Server;

use iobound_units::Problem;

use crate::event::Event;
use crate::gathered::Gathered;
use crate::meet::Meet;
use crate::net::{Ask, Clock, Drive, Listener};
use crate::protocol::CoordinatorBook;
use crate::rules::Rules;
use crate::state::FleetState;
use crate::tls::CoordinatorTls;
use crate::token::Token;

/// Coordinator at which ranks meet. It has a thread of its own. Dropping it ends the thread, and the ranks at work.
#[derive(Debug)]
pub struct Coordinator {
    address: Meet,
    of: u32,
    asks: mpsc::UnboundedSender<Ask>,
    /// `None` once the last was taken.
    events: Mutex<Option<Receiver<Event>>>,
    thread: Option<JoinHandle<()>>,
}

/// The most ranks of a fleet: what their intervals count adds up in 64 bits.
const MOST_RANKS: u32 = 1 << 14;

impl Coordinator {
    /// Opens a coordinator for `of` ranks. Port 0 is any that is free.
    ///
    /// # Errors
    /// Returns an error if the address is in use or not of this machine, a TCP coordinator has no token, the socket's
    /// folder belongs to another user, or the TLS certificate or key is not valid.
    pub fn open(
        meet: &Meet,
        of: u32,
        token: Option<Token>,
        tls: Option<CoordinatorTls>,
        rules: Rules,
    ) -> Result<Coordinator, Problem> {
        let refused = |what: &str, help: &str| Err(Problem::new(what).help(help));
        if !(1..=MOST_RANKS).contains(&of) {
            return refused(
                &format!("{of} ranks: the number must be 1 to {MOST_RANKS}"),
                "give the number with --of",
            );
        }
        let server = match (meet, &token, &tls) {
            (Meet::Tcp { .. }, None, _) => {
                return refused(
                    "ranks that meet over the network need a token, because anybody can reach the port",
                    "give the coordinator and all ranks the same token: --token-file FILE or IOBOUND_TOKEN (openssl rand -hex 16)",
                );
            }
            (Meet::Socket(_), _, Some(_)) => {
                return refused(
                    "TLS needs a network address, and --meet names a socket of this machine",
                    "leave --tls-cert and --tls-key out, or give --meet HOST:PORT",
                );
            }
            (_, _, Some(tls)) => Drive::identity(tls).map_err(|why| {
                Problem::new(format!("cannot use the certificate and its key: {why}"))
                    .help("--tls-cert takes a file with a certificate as PEM, --tls-key one with its key")
            })?,
            (_, _, None) => Server::builder(),
        };
        let (listener, address) = Listener::open(meet)?;
        let clock = Clock::starting_now();
        let (asks, asked) = mpsc::unbounded_channel();
        let (tells, events) = std::sync::mpsc::channel();
        let drive = Drive {
            book: CoordinatorBook::new(of, token, rules.into(), clock.now()),
            of,
            listener,
            clock,
            beat: rules.beat,
            asks: asked,
            events: tells,
        };
        let thread = std::thread::Builder::new()
            .name("iobound-coordinator".into())
            // Where it can't serve, nobody hears anything: events end, and gathered() says that nothing came.
            .spawn(move || drop(drive.work(server)))
            .map_err(|error| Problem::new(format!("cannot start a thread for the coordinator: {error}")))?;
        Ok(Coordinator { address, of, asks, events: Mutex::new(Some(events)), thread: Some(thread) })
    }

    /// Address for ranks: port 0 is replaced by the port that was free.
    pub fn address(&self) -> Meet {
        self.address.clone()
    }

    /// The events next; `None` where nothing does within that time. After [`Event::Over`] it is `None` at once.
    pub fn next(&self, within: Duration) -> Option<Event> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        // After the last one, and where the thread has ended, nothing comes.
        let event = events.as_ref()?.recv_timeout(within);
        if matches!(event, Ok(Event::Over) | Err(RecvTimeoutError::Disconnected)) {
            *events = None;
        }
        event.ok()
    }

    /// Bounds the time in which a rank has to report a stage, counted from the stage's start: a rank that is later counts
    /// as lost, whatever else it says. Holds for stages that start after it.
    pub fn expect(&self, whole: Duration) {
        drop(self.asks.send(Ask::Expect(whole)));
    }

    /// State of every rank.
    pub fn state(&self) -> FleetState {
        let (to, from) = oneshot::channel();
        // A thread that ended leaves nobody to say anything of.
        drop(self.asks.send(Ask::State(to)));
        from.blocking_recv().unwrap_or(FleetState { ranks: Vec::new(), stage: 0 })
    }

    /// Tells all ranks to end their load and report; those that have not begun end. `why` is a sentence for their people.
    pub fn stop(&self, why: &str) {
        drop(self.asks.send(Ask::Stop(why.to_string())));
    }

    /// Reports received until now; the coordinator closes.
    pub fn gathered(mut self) -> Gathered {
        let (to, from) = oneshot::channel();
        drop(self.asks.send(Ask::Close(to)));
        let gathered = from.blocking_recv().unwrap_or_else(|_| Gathered {
            of: self.of,
            ranks: Vec::new(),
            stages: Vec::new(),
            stopped: Some("the coordinator could not serve its connections".into()),
            refused: Vec::new(),
        });
        self.end();
        gathered
    }

    fn end(&mut self) {
        // Nobody asks any more: the thread ends by itself.
        self.asks = mpsc::unbounded_channel().0;
        if let Some(thread) = self.thread.take() {
            // One that panicked has said so on stderr.
            let _ = thread.join();
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.end();
    }
}
