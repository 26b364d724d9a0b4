//! The thread that moves the emulator on, and serves NBD: it sleeps until something completes or a client speaks.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use iobound_units::{Instant, Span};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::coalescer::Coalescer;
use crate::front::Front;
use crate::nbd::{Door, LinkId, Listener, Server, Socket, Turn};
use crate::request::FrontId;
use crate::shared::Shared;

/// True if the pacer waits awake, for replies that are less late, at the price of a processor's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    /// It sleeps.
    Never,
    /// It sleeps until so long before something completes.
    Last(Span),
    /// It never sleeps.
    Always,
}

impl Default for Spin {
    /// The last 10 µs: a wake-up takes 2 to 7 µs, and the requests of a client that has just had a reply are read and
    /// queued in less than the rest, so neither makes a reply late.
    fn default() -> Spin {
        Spin::Last(Span::from_us(10))
    }
}

impl Spin {
    /// Time that before something completes the thread is to be awake.
    fn early(self) -> Span {
        match self {
            Spin::Never | Spin::Always => Span::ZERO,
            Spin::Last(span) => span,
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

/// Wake-up source of the thread besides its connections, whose marks are their places.
const WAKE: u64 = u64::MAX;
const MAIL: u64 = u64::MAX - 1;
const TIMER: u64 = u64::MAX - 2;
/// Listeners count down from here.
const LISTENERS: u64 = u64::MAX - 3;

/// Events requested for each connection. Whether it takes more is asked only of those that did not: else each reply that a client
/// takes would wake the thread.
const LISTENS: epoll::EventFlags =
    epoll::EventFlags::IN.union(epoll::EventFlags::RDHUP).union(epoll::EventFlags::ET);

fn mark(id: LinkId) -> epoll::EventData {
    epoll::EventData::new_u64(u64::from(id.0))
}

/// Time that clients are given at the end: several times what any modelled disk takes that is not stalled.
const PARTING: Span = Span::from_ms(500);

/// Pause before the next `accept` when no descriptor or place is free: nothing tells when there is one again.
const FULL: Span = Span::from_ms(50);

/// Number of events that are taken at a time.
const EVENTS: usize = 256;

struct Pace {
    shared: Arc<Shared>,
    server: Server<Socket>,
    /// Each with whether clients may wait there.
    listeners: Vec<(Listener, bool)>,
    /// When to accept again, if there was no descriptor or place for a client.
    full_until: Option<Instant>,
    /// An accepted client without a place.
    kept: Option<Socket>,
    spin: Spin,
    stop: Arc<AtomicBool>,
    epoll: OwnedFd,
    /// Unlike the timeouts of `epoll_wait` it is not rounded to milliseconds, and unlike those of `epoll_pwait2` not late
    /// by a thousandth of what it waits.
    timer: OwnedFd,
    armed: Option<Instant>,
    coalescer: Coalescer,
}

impl Pace {
    fn new(shared: Arc<Shared>, door: Door, spin: Spin, stop: Arc<AtomicBool>) -> io::Result<Pace> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let (front, mut server, listeners, mailbox) = door.open();
        server.limit(most_clients());
        if !listeners.is_empty() {
            shared.set_front(front, Arc::clone(&mailbox) as Arc<dyn Front>);
        }
        let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
        let watch =
            |what: &dyn AsFd, mark| epoll::add(&epoll, what.as_fd(), epoll::EventData::new_u64(mark), edge);
        watch(&shared.wake, WAKE)?;
        watch(&mailbox.wake, MAIL)?;
        watch(&timer, TIMER)?;
        for (n, listener) in listeners.iter().enumerate() {
            watch(listener, LISTENERS - n as u64)?;
        }
        Ok(Pace {
            shared,
            server,
            listeners: listeners.into_iter().map(|listener| (listener, true)).collect(),
            full_until: None,
            kept: None,
            spin,
            stop,
            epoll,
            timer,
            armed: None,
            coalescer: Coalescer::default(),
        })
    }

    fn run(&mut self) {
        // The least there is; without it a sleep is up to 50 µs late.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut events = Vec::with_capacity(EVENTS);
        while !self.stop.load(Ordering::Acquire) {
            self.accept();
            let mut turn = self.server.turn(&self.shared);
            turn.next = turn.next.into_iter().chain(self.full_until).min();
            for (id, socket) in self.server.blocked() {
                let _ = epoll::modify(&self.epoll, socket, mark(id), LISTENS | epoll::EventFlags::OUT);
            }
            self.wait(turn, &mut events);
        }
        self.part(&mut events);
    }

    /// Replies to what is under way, if that takes no longer than [`PARTING`], before the connections end.
    fn part(&mut self, events: &mut Vec<epoll::Event>) {
        self.server.close();
        let until = self.shared.now() + PARTING;
        let mut turn = self.server.turn(&self.shared);
        while self.server.clients() > 0 && self.shared.now() < until {
            turn.next = Some(turn.next.map_or(until, |next| next.min(until)));
            self.wait(turn, events);
            turn = self.server.turn(&self.shared);
        }
    }

    /// Waits for the next event. Everything is edge-triggered: a ready descriptor stays marked until it is used up.
    fn wait(&mut self, turn: Turn, events: &mut Vec<epoll::Event>) {
        let Turn { next, again, taken } = turn;
        let early = self.spin.early();
        if self.spin != Spin::Always && self.coalescer.naps(taken, self.shared.now(), next) {
            std::thread::sleep(Coalescer::NAP);
        }
        let sleeps = !again && self.spin != Spin::Always && self.arm(next, early);
        let timeout = Timespec { tv_sec: 0, tv_nsec: 0 };
        events.clear();
        let timeout = (!sleeps).then_some(&timeout);
        // Interrupted, it was woken all the same.
        let _ = epoll::wait(&self.epoll, spare_capacity(events), timeout);
        self.shared.awake();
        for &epoll::Event { flags, data } in &*events {
            match data.u64() {
                WAKE | MAIL => {}
                TIMER => self.armed = None,
                mark if mark > LISTENERS - self.listeners.len() as u64 => {
                    self.listeners[(LISTENERS - mark) as usize].1 = true;
                }
                id => {
                    use epoll::EventFlags as Flags;
                    let (id, has) = (LinkId(id as u32), |any: Flags| flags.intersects(any));
                    if has(Flags::OUT)
                        && let Some(socket) = self.server.transport(id)
                    {
                        let _ = epoll::modify(&self.epoll, socket, mark(id), LISTENS);
                    }
                    let hung_up = has(Flags::RDHUP | Flags::HUP | Flags::ERR);
                    self.server.ready(id, has(Flags::IN), has(Flags::OUT), hung_up);
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
    fn arm(&mut self, next: Option<Instant>, early: Span) -> bool {
        let Some(next) = next else { return true };
        if self.armed == Some(next) {
            return true;
        }
        let left = next.ns().saturating_sub(self.shared.now().ns()).saturating_sub(early.ns());
        if left == 0 {
            return false;
        }
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value =
            Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        let set = Itimerspec { it_interval: zero, it_value: value };
        if timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &set).is_err() {
            return false;
        }
        self.armed = Some(next);
        true
    }

    /// Accepts waiting clients. Where there are as many as may be, or no descriptor is free, the oldest client that has not
    /// finished its handshake makes room; if none may be closed yet, the others wait at the listener.
    fn accept(&mut self) {
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
        if epoll::add(&self.epoll, &socket, mark(self.server.next_id()), LISTENS).is_ok() {
            self.server.open(socket, now);
        }
        true
    }
}

/// Most clients at a time: a quarter of the process's descriptors stays for files, the control socket and metrics.
fn most_clients() -> usize {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    most.map_or(usize::MAX, |most| usize::try_from(most / 4 * 3).unwrap_or(usize::MAX))
}
