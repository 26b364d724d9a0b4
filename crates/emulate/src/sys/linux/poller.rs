use std::io;
use std::mem::MaybeUninit;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::time::Duration;

use iobound_units::Span;
use rustix::event::epoll::{self, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::socket::{Socket, Source};
use super::wake::Wake;
use crate::sys::events::{Interest, PollEvent};

/// Wake-up source of the thread besides its connections, whose marks are their places.
const WAKE: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;
/// Listeners count down from here.
const LISTENERS: u64 = u64::MAX - 2;
/// More listeners than a process has descriptors.
const MOST_LISTENERS: u64 = 1 << 32;

/// Events requested for each connection. Whether it takes more is asked only of those that did not: else each reply that a client
/// takes would wake the thread.
const LISTENS: EventFlags = EventFlags::IN.union(EventFlags::RDHUP).union(EventFlags::ET);

/// Number of events that are taken at a time.
const EVENTS: usize = 256;

/// Waits for connections, listeners, other threads and a time. Everything is edge-triggered: a ready source stays marked until it
/// is used up.
#[derive(Debug)]
pub(crate) struct Poller {
    epoll: OwnedFd,
    /// Unlike the timeouts of `epoll_wait` it is not rounded to milliseconds, and unlike those of `epoll_pwait2` not late
    /// by a thousandth of what it waits.
    timer: OwnedFd,
}

impl Poller {
    /// For these wakes and listeners.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub(crate) fn new(wakes: &[&Wake], listeners: &[Source<'_>]) -> io::Result<Poller> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let edge = EventFlags::IN | EventFlags::ET;
        let watch = |what: Source<'_>, mark| epoll::add(&epoll, what, epoll::EventData::new_u64(mark), edge);
        for source in wakes.iter().filter_map(|wake| wake.source()) {
            watch(source, WAKE)?;
        }
        watch(std::os::fd::AsFd::as_fd(&timer), TIMER)?;
        for (n, listener) in listeners.iter().enumerate() {
            watch(*listener, LISTENERS - n as u64)?;
        }
        Ok(Poller { epoll, timer })
    }

    /// Prepares the thread that waits.
    pub(crate) fn begin(&mut self) {
        // The least there is; without it a sleep is up to 50 µs late.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }

    /// Reports a connection from now on, until it is closed.
    ///
    /// # Errors
    /// Returns an error if the system has no memory for it.
    pub(crate) fn add(&mut self, id: u32, socket: &Socket) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket.source(), mark(id), LISTENS)?)
    }

    /// Reports once when a connection takes bytes again.
    pub(crate) fn ask_for_room(&mut self, id: u32, socket: &Socket) {
        let _ = epoll::modify(&self.epoll, socket.source(), mark(id), LISTENS | EventFlags::OUT);
    }

    /// Reports no more whether a connection takes bytes.
    pub(crate) fn has_room(&mut self, id: u32, socket: &Socket) {
        let _ = epoll::modify(&self.epoll, socket.source(), mark(id), LISTENS);
    }

    /// Sets the timer; says whether it is set.
    pub(crate) fn arm(&mut self, left: Span) -> bool {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec {
            tv_sec: (left.ns() / 1_000_000_000) as i64,
            tv_nsec: (left.ns() % 1_000_000_000) as i64,
        };
        let set = Itimerspec { it_interval: zero, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &set).is_ok()
    }

    /// Waits for the next event if `sleeps`, and says what there is.
    pub(crate) fn wait<'a>(
        &mut self,
        sleeps: bool,
        _sockets: impl Fn(u32) -> Option<&'a Socket>,
        happened: &mut Vec<PollEvent>,
    ) {
        let timeout = Timespec { tv_sec: 0, tv_nsec: 0 };
        let timeout = (!sleeps).then_some(&timeout);
        let mut events = [const { MaybeUninit::uninit() }; EVENTS];
        happened.clear();
        // Interrupted, it was woken all the same.
        if let Ok((events, _)) = epoll::wait(&self.epoll, &mut events, timeout) {
            happened.extend(events.iter().map(event));
        }
    }
}

fn mark(id: u32) -> epoll::EventData {
    epoll::EventData::new_u64(u64::from(id))
}

fn event(event: &epoll::Event) -> PollEvent {
    let flags = event.flags;
    let has = |any: EventFlags| flags.intersects(any);
    match event.data.u64() {
        WAKE => PollEvent::Woken,
        TIMER => PollEvent::Timer,
        mark if mark > LISTENERS - MOST_LISTENERS => PollEvent::Listener((LISTENERS - mark) as usize),
        id => PollEvent::Link {
            id: id as u32,
            readable: has(EventFlags::IN),
            writable: has(EventFlags::OUT),
            hung_up: has(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR),
        },
    }
}

/// Waits until a source has what is wanted of it, or a time is up. Returns which sources do; none if a signal came.
///
/// # Errors
/// Returns an error if the system refuses.
pub(crate) fn poll(sources: &[(Source<'_>, Interest)], most: Option<Duration>) -> io::Result<Vec<bool>> {
    let flags = |interest: Interest| {
        let read = if interest.read { PollFlags::IN } else { PollFlags::empty() };
        read | if interest.write { PollFlags::OUT } else { PollFlags::empty() }
    };
    let mut fds: Vec<PollFd<'_>> = sources
        .iter()
        .map(|(source, interest)| PollFd::from_borrowed_fd(*source, flags(*interest)))
        .collect();
    let most =
        most.map(|most| Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) });
    match rustix::event::poll(&mut fds, most.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(fds.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(error) => Err(error.into()),
    }
}
