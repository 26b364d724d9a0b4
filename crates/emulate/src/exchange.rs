//! Short exchanges: a client sends one request, gets one answer, and is closed.
//!
//! One thread serves many clients at once and waits for none of them, so a silent or slow client delays nobody. Time,
//! memory and the number of clients are bounded by [`Terms`].

use std::io::{self, ErrorKind, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::sys::{Interest, LONGEST_POLL, Socket, Source, Wake, accept, poll};

/// Limits of a server of short exchanges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Time for a client to send its whole request, and again to take its whole answer.
    pub(crate) patience: Duration,
    /// Longest request, in bytes.
    pub(crate) longest: usize,
    /// Most clients at a time. When there are more, the oldest one without a whole request is closed.
    pub(crate) clients: usize,
}

/// Minimum age of a client that is closed for a new one: an honest client has sent its request by then.
const GRACE: Duration = Duration::from_millis(100);

/// Pause before the next `accept` when no descriptor is free and no client may be closed.
const FULL: Duration = Duration::from_millis(20);

/// Bytes read from one client at a time.
const CHUNK: usize = 16 << 10;

/// Ends a server of short exchanges from another thread.
#[derive(Debug)]
pub(crate) struct End {
    asked: AtomicBool,
    wake: Wake,
}

impl End {
    pub(crate) fn new() -> io::Result<End> {
        Ok(End { asked: AtomicBool::new(false), wake: Wake::new()? })
    }

    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        self.wake.up();
    }
}

/// One client between `accept` and `close`.
struct ExchangeClient {
    stream: Socket,
    came: Instant,
    /// The client is closed at this time.
    until: Instant,
    request: Vec<u8>,
    /// `None` until the request is whole.
    answer: Option<Vec<u8>>,
    sent: usize,
    over: bool,
}

/// The outcome of a read.
enum Came {
    /// The request is not whole yet.
    Part,
    /// The request is whole, or as long as it may be.
    Whole,
    /// The client closed the connection, or it failed.
    Gone,
}

impl ExchangeClient {
    fn receive(&mut self, longest: usize, is_whole: &impl Fn(&[u8]) -> bool) -> Came {
        let mut chunk = [0; CHUNK];
        let room = (longest - self.request.len()).min(CHUNK);
        match self.stream.receive_now(&mut chunk[..room]) {
            Ok(0) => Came::Gone,
            Ok(len) => {
                self.request.extend_from_slice(&chunk[..len]);
                if is_whole(&self.request) || self.request.len() == longest {
                    Came::Whole
                } else {
                    Came::Part
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Came::Part,
            Err(_) => Came::Gone,
        }
    }

    fn send(&mut self) {
        let Some(answer) = &self.answer else { return };
        while self.sent < answer.len() {
            match self.stream.send_now(&[IoSlice::new(&answer[self.sent..])]) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => break,
            }
        }
        self.over = true;
    }
}

/// Serves clients of a non-blocking listener until `end` is asked. A request of `terms.longest` bytes counts as whole.
/// An empty answer closes the connection.
pub(crate) fn serve(
    listener: Source<'_>,
    end: &End,
    terms: Terms,
    is_whole: impl Fn(&[u8]) -> bool,
    answer: impl Fn(&[u8]) -> Vec<u8>,
) {
    // In the order of their arrival.
    let mut clients: Vec<ExchangeClient> = Vec::new();
    let mut full_until: Option<Instant> = None;
    loop {
        let ready = wait(listener, end, &clients, full_until);
        if end.asked.load(Ordering::Acquire) {
            return;
        }
        for (client, ready) in clients.iter_mut().zip(&ready) {
            if !ready {
                client.over = Instant::now() >= client.until;
                continue;
            }
            if client.answer.is_none() {
                match client.receive(terms.longest, &is_whole) {
                    Came::Part => {}
                    Came::Gone => client.over = true,
                    Came::Whole => {
                        client.answer = Some(answer(&std::mem::take(&mut client.request)));
                        client.until = Instant::now() + terms.patience;
                    }
                }
            }
            client.send();
        }
        clients.retain(|client| !client.over);
        if full_until.is_none_or(|until| Instant::now() >= until) {
            full_until = admit(listener, &mut clients, terms);
        }
    }
}

/// Waits until a client, the listener or the end has something to say, or a time is up. Returns which clients do.
fn wait(
    listener: Source<'_>,
    end: &End,
    clients: &[ExchangeClient],
    full_until: Option<Instant>,
) -> Vec<bool> {
    let read = Interest { read: true, write: false };
    let mut sources: Vec<_> = end.wake.source().map(|wake| (wake, read)).into_iter().collect();
    if full_until.is_none() {
        sources.push((listener, read));
    }
    let first = sources.len();
    sources.extend(clients.iter().map(|client| {
        let reads = client.answer.is_none();
        (client.stream.source(), Interest { read: reads, write: !reads })
    }));
    let next = clients.iter().map(|client| client.until).chain(full_until).min();
    // A millisecond more: a wait that ends before its time would be repeated at once.
    let left = next.map(|next| next.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
    let most = left.into_iter().chain(LONGEST_POLL).min();
    match poll(&sources, most) {
        Ok(mut ready) => ready.split_off(first),
        Err(_) => vec![false; clients.len()],
    }
}

/// Accepts waiting clients. Returns the end of the pause if there is no place or descriptor for one of them.
fn admit(listener: Source<'_>, clients: &mut Vec<ExchangeClient>, terms: Terms) -> Option<Instant> {
    loop {
        let now = Instant::now();
        // One more than there may be: the oldest makes room once it is old enough.
        if clients.len() > terms.clients && !evict(clients, now) {
            return Some(now + FULL);
        }
        match accept(listener) {
            Ok(stream) => clients.push(ExchangeClient::new(stream, now, terms)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => {}
            // No descriptor or no memory.
            Err(_) if evict(clients, now) => {}
            Err(_) => return Some(now + FULL),
        }
    }
}

/// Closes the oldest client without a whole request, or the oldest one of all, if it is old enough.
fn evict(clients: &mut Vec<ExchangeClient>, now: Instant) -> bool {
    let silent = clients.iter().position(|client| client.answer.is_none());
    let oldest = silent.unwrap_or(0);
    let may_go =
        clients.get(oldest).is_some_and(|client| now.saturating_duration_since(client.came) >= GRACE);
    if may_go {
        clients.remove(oldest);
    }
    may_go
}

impl ExchangeClient {
    fn new(stream: Socket, now: Instant, terms: Terms) -> ExchangeClient {
        let until = now + terms.patience;
        ExchangeClient { stream, came: now, until, request: Vec::new(), answer: None, sent: 0, over: false }
    }
}
