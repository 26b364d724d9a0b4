use std::io;
use std::os::windows::io::{AsRawHandle, AsRawSocket, FromRawHandle, OwnedHandle, RawHandle};
use std::time::Duration;

use iobound_units::Span;
use windows_sys::Win32::Foundation::{DUPLICATE_SAME_ACCESS, DuplicateHandle, HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::Networking::WinSock::{
    FD_ACCEPT, FD_CLOSE, FD_READ, FD_WRITE, POLLRDNORM, POLLWRNORM, SOCKET, SOCKET_ERROR,
    WSAEnumNetworkEvents, WSAEventSelect, WSANETWORKEVENTS, WSAPOLLFD, WSAPoll,
};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, GetCurrentProcess, INFINITE,
    SetWaitableTimer, TIMER_ALL_ACCESS, WaitForMultipleObjects,
};

use super::socket::{Socket, Source, last_error};
use super::wake::Wake;
use crate::sys::events::{Interest, PollEvent};

/// Waits for connections, listeners, other threads and a time. All sockets share one event: after it, each is asked what has
/// happened. Windows reports again only after a receive, a send that did not fit, or an accept, so everything is edge-triggered.
#[derive(Debug)]
pub(crate) struct Poller {
    sockets: Wake,
    /// In the order of their places. Duplicates: the originals belong to other owners.
    wakes: Vec<OwnedHandle>,
    timer: OwnedHandle,
    /// Listeners outlive the poller's owner, which has both.
    listeners: Vec<SOCKET>,
    /// Connections, some of which may be closed by now.
    links: Vec<u32>,
}

impl Poller {
    /// For these wakes and listeners.
    ///
    /// # Errors
    /// Returns an error if no handle is available.
    pub(crate) fn new(wakes: &[&Wake], listeners: &[Source<'_>]) -> io::Result<Poller> {
        let mut poller = Poller {
            sockets: Wake::new()?,
            wakes: wakes.iter().map(|wake| duplicate(wake.handle())).collect::<io::Result<_>>()?,
            timer: timer()?,
            listeners: Vec::new(),
            links: Vec::new(),
        };
        for listener in listeners {
            let listener = listener.as_raw_socket() as SOCKET;
            poller.report(listener, FD_ACCEPT)?;
            poller.listeners.push(listener);
        }
        Ok(poller)
    }

    /// Nothing is to be prepared.
    pub(crate) fn begin(&mut self) {}

    fn report(&self, socket: SOCKET, events: u32) -> io::Result<()> {
        // SAFETY: the socket is open, as its owner is borrowed or outlives the poller, and so is the event.
        let done = unsafe { WSAEventSelect(socket, self.sockets.handle() as isize, events as i32) };
        if done == SOCKET_ERROR { Err(last_error()) } else { Ok(()) }
    }

    /// Reports a connection from now on, until it is closed.
    ///
    /// # Errors
    /// Returns an error if the system has no memory for it.
    pub(crate) fn add(&mut self, id: u32, socket: &Socket) -> io::Result<()> {
        self.report(socket.source().as_raw_socket() as SOCKET, FD_READ | FD_WRITE | FD_CLOSE)?;
        if !self.links.contains(&id) {
            self.links.push(id);
        }
        Ok(())
    }

    /// Windows always reports when a connection takes bytes again.
    pub(crate) fn ask_for_room(&mut self, _id: u32, _socket: &Socket) {}

    /// Windows always reports when a connection takes bytes again.
    pub(crate) fn has_room(&mut self, _id: u32, _socket: &Socket) {}

    /// Sets the timer; says whether it is set.
    pub(crate) fn arm(&mut self, left: Span) -> bool {
        // Awake before its time: the rest is waited for without sleep. Negative times are from now on, in units of 100 ns.
        let left = left.ns().saturating_sub(super::SHORTEST_SLEEP.ns() / 2);
        let due = -i64::try_from(left / 100).unwrap_or(i64::MAX);
        // SAFETY: the timer is open, and `due` outlives the call; no routine is given.
        unsafe {
            SetWaitableTimer(self.timer.as_raw_handle(), &raw const due, 0, None, std::ptr::null(), 0) != 0
        }
    }

    /// Waits for the next event if `sleeps`, and says what there is.
    pub(crate) fn wait<'a>(
        &mut self,
        sleeps: bool,
        sockets: impl Fn(u32) -> Option<&'a Socket>,
        happened: &mut Vec<PollEvent>,
    ) {
        happened.clear();
        let handles: Vec<HANDLE> = std::iter::once(self.sockets.handle())
            .chain(self.wakes.iter().map(AsRawHandle::as_raw_handle))
            .chain([self.timer.as_raw_handle()])
            .collect();
        let (mut first, mut timeout) = (0, if sleeps { INFINITE } else { 0 });
        // One wait reports the first handle only, so the rest is asked as well.
        while first < handles.len() {
            let rest = &handles[first..];
            // SAFETY: the handles are open as long as `self`, and there are as many as are said.
            let ended = unsafe { WaitForMultipleObjects(rest.len() as u32, rest.as_ptr(), 0, timeout) };
            let Some(n) = ended.checked_sub(WAIT_OBJECT_0).filter(|n| (*n as usize) < rest.len()) else {
                return;
            };
            let place = first + n as usize;
            match place {
                0 => self.ask_sockets(&sockets, happened),
                n if n + 1 == handles.len() => happened.push(PollEvent::Timer),
                _ => happened.push(PollEvent::Woken),
            }
            (first, timeout) = (place + 1, 0);
        }
    }

    /// Asks each socket what has happened at it.
    fn ask_sockets<'a>(
        &mut self,
        sockets: &impl Fn(u32) -> Option<&'a Socket>,
        happened: &mut Vec<PollEvent>,
    ) {
        for (n, listener) in self.listeners.iter().enumerate() {
            if happened_at(*listener) & FD_ACCEPT != 0 {
                happened.push(PollEvent::Listener(n));
            }
        }
        self.links.retain(|id| {
            let Some(socket) = sockets(*id) else { return false };
            let events = happened_at(socket.source().as_raw_socket() as SOCKET);
            if events != 0 {
                happened.push(PollEvent::Link {
                    id: *id,
                    readable: events & (FD_READ | FD_CLOSE) != 0,
                    writable: events & FD_WRITE != 0,
                    hung_up: events & FD_CLOSE != 0,
                });
            }
            true
        });
    }
}

/// Events of a socket since it was last asked.
fn happened_at(socket: SOCKET) -> u32 {
    let mut found = WSANETWORKEVENTS::default();
    // SAFETY: `found` outlives the call, which fills it; a socket that is closed is an error that leaves it empty.
    let done = unsafe { WSAEnumNetworkEvents(socket, 0, &raw mut found) };
    if done == SOCKET_ERROR { 0 } else { found.lNetworkEvents as u32 }
}

fn duplicate(handle: RawHandle) -> io::Result<OwnedHandle> {
    let mut copy: HANDLE = std::ptr::null_mut();
    // SAFETY: the call of this process's own number cannot fail.
    let own = unsafe { GetCurrentProcess() };
    // SAFETY: the handle is open, as its owner is borrowed, and `copy` outlives the call, which fills it.
    let done = unsafe { DuplicateHandle(own, handle, own, &raw mut copy, 0, 0, DUPLICATE_SAME_ACCESS) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    Ok(unsafe { OwnedHandle::from_raw_handle(copy) })
}

/// A timer that resets itself when it has woken a thread: of high resolution, which Windows 10 1803 and later have.
fn timer() -> io::Result<OwnedHandle> {
    for flags in [CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, 0] {
        // SAFETY: the call takes no attributes and no name, and returns a new handle or null.
        let timer =
            unsafe { CreateWaitableTimerExW(std::ptr::null(), std::ptr::null(), flags, TIMER_ALL_ACCESS) };
        if !timer.is_null() {
            // SAFETY: the handle is new, and nobody else closes it.
            return Ok(unsafe { OwnedHandle::from_raw_handle(timer) });
        }
    }
    Err(io::Error::last_os_error())
}

/// Waits until a source has what is wanted of it, or a time is up. Returns which sources do.
///
/// # Errors
/// Returns an error if the system refuses.
pub(crate) fn poll(sources: &[(Source<'_>, Interest)], most: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut fds: Vec<WSAPOLLFD> = sources
        .iter()
        .map(|(source, interest)| WSAPOLLFD {
            fd: source.as_raw_socket() as SOCKET,
            events: (if interest.read { POLLRDNORM } else { 0 })
                | (if interest.write { POLLWRNORM } else { 0 }),
            revents: 0,
        })
        .collect();
    // The call refuses an empty list.
    if fds.is_empty() {
        std::thread::sleep(most.unwrap_or_default());
        return Ok(Vec::new());
    }
    let most = most.map_or(-1, |most| i32::try_from(most.as_millis()).unwrap_or(i32::MAX));
    // SAFETY: the sockets are open, as their owners are borrowed, and there are as many as are said.
    let done = unsafe { WSAPoll(fds.as_mut_ptr(), fds.len() as u32, most) };
    if done == SOCKET_ERROR {
        return Err(last_error());
    }
    Ok(fds.iter().map(|fd| fd.revents != 0).collect())
}
