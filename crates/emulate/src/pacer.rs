//! The thread that moves the emulator on, and serves NBD: it sleeps until something completes or a client speaks.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::coalescer::Coalescer;
use crate::front::Front;
use crate::nbd::{Door, LinkId, Listener, Server, Socket, Turn};
use crate::request::FrontId;
use crate::shared::Shared;
use crate::sys::{self, PollEvent, Poller};
use crate::wake_lead::WakeLead;
use iobound_units::{Instant, Span};

/// True if the pacer waits awake, for replies that are less late, at the price of a processor's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spin {
    /// It sleeps.
    Never,
    /// It sleeps until so long before something completes.
    Last(Span),
    /// It sleeps until 10 µs before something completes. The timer is set earlier by the usual wake-up delay.
    #[default]
    AsNeeded,
    /// It never sleeps.
    Always,
}

impl Spin {
    /// By default the thread watches only the clock for so long: the requests of a client that has just had a reply are read and
    /// queued in less, so that none makes a reply late.
    const LAST: Span = Span::from_us(10);

    /// Time before something completes in which the thread watches only the clock.
    fn early(self) -> Span {
        match self {
            Spin::Never | Spin::Always => Span::ZERO,
            Spin::Last(span) => span,
            Spin::AsNeeded => Spin::LAST,
        }
    }
}

/// The thread; when this is dropped, it replies to what is under way, half a second at most, and ends all its connections.
#[derive(Debug)]
pub struct Pacer {
    stop: Arc<AtomicBool>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Pacer {
    /// Starts it for an emulator whose fronts have threads of their own.
    ///
    /// # Errors
    /// Returns an error if no thread or no descriptor is available.
    pub fn start(shared: &Arc<Shared>, spin: Spin) -> io::Result<Pacer> {
        // Nothing is of this front: it has no connections.
        Pacer::serve(shared, Door::new(FrontId(u8::MAX), Vec::new())?, spin)
    }

    /// Starts it, with the clients that come through this door; the door's front is set, unless it has no listeners.
    ///
    /// # Errors
    /// Returns an error if no thread or no descriptor is available.
    pub fn serve(shared: &Arc<Shared>, door: Door, spin: Spin) -> io::Result<Pacer> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut pace = Pace::new(Arc::clone(shared), door, spin, Arc::clone(&stop))?;
        let thread = std::thread::Builder::new().name("pacer".into()).spawn(move || pace.run())?;
        Ok(Pacer { stop, shared: Arc::clone(shared), thread: Some(thread) })
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.shared.wake.up();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Time that clients are given at the end: several times what any modelled disk takes that is not stalled.
const PARTING: Span = Span::from_ms(500);

/// Pause before the next `accept` when no descriptor or place is free: nothing tells when there is one again.
const FULL: Span = Span::from_ms(50);

struct Pace {
    shared: Arc<Shared>,
    server: Server<Socket>,
    /// Each with whether clients may wait there.
    listeners: Vec<(Listener, bool)>,
    /// Time at which to accept again, if there was no descriptor or slot for a client.
    full_until: Option<Instant>,
    /// An accepted client without a place.
    kept: Option<Socket>,
    spin: Spin,
    stop: Arc<AtomicBool>,
    poller: Poller,
    armed: Option<Alarm>,
    /// Due time for which the timer woke the thread last. The thread does not sleep again before it.
    woken: Option<Instant>,
    lead: WakeLead,
    coalescer: Coalescer,
}

/// A timer that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm {
    /// Time at which something is due.
    next: Instant,
    /// When the timer is to wake the thread.
    at: Instant,
}

impl Pace {
    fn new(shared: Arc<Shared>, door: Door, spin: Spin, stop: Arc<AtomicBool>) -> io::Result<Pace> {
        let (front, mut server, listeners, mailbox) = door.open();
        server.limit(sys::most_clients());
        if !listeners.is_empty() {
            shared.set_front(front, Arc::clone(&mailbox) as Arc<dyn Front>);
        }
        let sources: Vec<_> = listeners.iter().map(Listener::source).collect();
        let poller = Poller::new(&[&shared.wake, &mailbox.wake], &sources)?;
        drop(sources);
        Ok(Pace {
            shared,
            server,
            listeners: listeners.into_iter().map(|listener| (listener, true)).collect(),
            full_until: None,
            kept: None,
            spin,
            stop,
            poller,
            armed: None,
            woken: None,
            lead: WakeLead::default(),
            coalescer: Coalescer::default(),
        })
    }

    fn run(&mut self) {
        self.poller.begin();
        let mut events = Vec::new();
        while !self.stop.load(Ordering::Acquire) {
            self.accept();
            let mut turn = self.server.turn(&self.shared);
            turn.next = turn.next.into_iter().chain(self.full_until).min();
            for (id, socket) in self.server.blocked() {
                self.poller.ask_for_room(id.0, socket);
            }
            self.wait(turn, &mut events);
        }
        self.part(&mut events);
    }

    /// Replies to what is under way, if that takes no longer than [`PARTING`], before the connections end.
    fn part(&mut self, events: &mut Vec<PollEvent>) {
        self.server.close();
        let until = self.shared.now() + PARTING;
        let mut turn = self.server.turn(&self.shared);
        while self.server.clients() > 0 && self.shared.now() < until {
            turn.next = Some(turn.next.map_or(until, |next| next.min(until)));
            self.wait(turn, events);
            turn = self.server.turn(&self.shared);
        }
    }

    /// Waits for the next event.
    fn wait(&mut self, turn: Turn, events: &mut Vec<PollEvent>) {
        let Turn { next, again, taken } = turn;
        let early = self.spin.early();
        let lead = self.lead.of_wait(Span::from_ns(u64::MAX));
        let before = next.map(|next| Instant::from_ns(next.ns().saturating_sub(lead.ns())));
        if self.spin != Spin::Always && self.coalescer.naps(taken, || self.shared.now(), before) {
            std::thread::sleep(Coalescer::NAP);
        }
        let sleeps = !again && self.spin != Spin::Always && self.arm(next);
        let slept_from = sleeps.then(|| self.shared.now());
        let server = &self.server;
        self.poller.wait(sleeps, |id| server.transport(LinkId(id)), events);
        self.shared.awake();
        for &event in &*events {
            match event {
                PollEvent::Woken => {}
                PollEvent::Timer => {
                    let Some(alarm) = self.armed.take() else { continue };
                    self.woken = Some(alarm.next);
                    // A thread that was at work when the alarm was due was not woken by it.
                    if slept_from.is_some_and(|from| from < alarm.at) {
                        self.lead.woke(self.shared.now().since(alarm.at));
                    }
                }
                PollEvent::Listener(n) => self.listeners[n].1 = true,
                PollEvent::Link { id, readable, writable, hung_up } => {
                    let id = LinkId(id);
                    if writable && let Some(socket) = self.server.transport(id) {
                        self.poller.has_room(id.0, socket);
                    }
                    self.server.ready(id, readable, writable, hung_up);
                }
            }
        }
        if let Some(next) = next {
            self.await_due(next, early);
        }
    }

    /// Waits awake for what is due so soon that neither a sleep nor the reading of requests would end before it, and
    /// replies to it. Requests wait until then, by so little at most; what comes is asked for before each such wait, so
    /// that replies that are due one after the other keep no client from being heard.
    fn await_due(&mut self, next: Instant, early: Span) {
        let now = self.shared.now();
        if early.is_zero() || next <= now || next > now + early {
            return;
        }
        while self.shared.now() < next {
            std::hint::spin_loop();
        }
        self.server.pay(&self.shared);
    }

    /// Sets the timer for what is next; says whether there is time to sleep.
    fn arm(&mut self, next: Option<Instant>) -> bool {
        let Some(next) = next else { return true };
        if self.armed.is_some_and(|alarm| alarm.next == next) {
            return true;
        }
        if self.woken == Some(next) {
            return false;
        }
        let now = self.shared.now();
        let wait = next.since(now);
        let lead = if self.spin == Spin::AsNeeded { self.lead.of_wait(wait) } else { Span::ZERO };
        let left = wait.ns().saturating_sub((self.spin.early() + lead).ns());
        if left <= sys::SHORTEST_SLEEP.ns() || !self.poller.arm(Span::from_ns(left)) {
            return false;
        }
        self.armed = Some(Alarm { next, at: now + Span::from_ns(left) });
        true
    }

    /// Accepts waiting clients. Where there are as many as may be, or no descriptor is free, the oldest client that has not
    /// finished its handshake makes room; if none may be closed yet, the others wait at the listener.
    fn accept(&mut self) {
        if self.kept.is_none() && self.listeners.iter().all(|(_, waiting)| !waiting) {
            return;
        }
        let now = self.shared.now();
        if self.full_until.is_some_and(|until| now < until) {
            return;
        }
        self.full_until = None;
        if let Some(socket) = self.kept.take()
            && !self.admit(socket, now)
        {
            return;
        }
        for n in 0..self.listeners.len() {
            while self.listeners[n].1 {
                match self.listeners[n].0.accept() {
                    Ok(socket) => {
                        if !self.admit(socket, now) {
                            return;
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.listeners[n].1 = false,
                    // Gone before it was let in.
                    Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                    // No descriptor to be had, or no memory.
                    Err(_) if self.server.evict(now) => {}
                    Err(_) => {
                        self.full_until = Some(now + FULL);
                        return;
                    }
                }
            }
        }
    }

    /// Adds a client. Returns false if it has to wait until a silent one may be closed. It is closed itself if all others
    /// are past their handshake: nobody can be closed for it.
    fn admit(&mut self, socket: Socket, now: Instant) -> bool {
        if !self.server.has_room(now) {
            if self.server.has_idle() {
                self.kept = Some(socket);
                self.full_until = Some(now + FULL);
                return false;
            }
            return true;
        }
        if self.poller.add(self.server.next_id().0, &socket).is_ok() {
            self.server.open(socket, now);
        }
        true
    }
}
