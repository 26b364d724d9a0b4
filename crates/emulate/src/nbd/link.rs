//! One connection's place among those of a server: what it has sent, what it waits for, what it has not taken yet.

use std::io::{ErrorKind, IoSlice};

use iobound_units::{Instant, Span};

use super::input::OWN;
use super::reply;
use super::session::{Session, Step};
use super::transport::{MOST_PARTS, Transport};
use super::wire::allocation;
use crate::batch::{Batch, Completed};
use crate::emulator::Emulator;
use crate::request::{Action, FrontId, Owner, Request};

/// The most requests of one connection that are held at a time: then no more are read until replies are taken.
pub const MOST_REQUESTS: u32 = 4096;
/// The most data of one connection that is held at a time, in bytes: what it writes, what it reads, what it has not taken.
/// One request more may begin below it.
pub const MOST_HELD: u64 = 64 << 20;

/// Time for a client to go on with a message that has come in part, while memory is short and it holds some of it.
const SENDS: Span = Span::from_ms(500);
/// Time for a client to take its replies, likewise.
const TAKES: Span = Span::from_secs(2);
/// A client that moves fewer bytes in that time is too slow to hold memory that others wait for.
const LEAST_MOVED: u64 = 64 << 10;

/// Memory for replies that each connection may keep.
const OUT: usize = 4 << 10;

/// Answers of a handshake that a client may leave untaken, in bytes.
const HAGGLES: usize = 64 << 10;

/// Memory that a connection holds in buffers, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Parts of messages that have come, and the rest of those that it is reserved for.
    pub(super) input: usize,
    /// Reads under way, and replies that the client has not taken.
    pub(super) replies: usize,
}

/// The memory that is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shortage {
    pub(super) input: bool,
    pub(super) replies: bool,
}

/// State that lasts as long as the client.
#[derive(Debug)]
struct Wire<T> {
    transport: T,
    session: Session,
    /// Replies that the transport did not take, from `sent`.
    out: Vec<u8>,
    sent: usize,
    /// About how many replies are in `out`; those of before it was empty are not.
    queued: u32,
    /// More may have come.
    readable: bool,
    /// The other end is gone or says no more: reading will say so, however little comes.
    hung_up: bool,
    /// More may fit.
    writable: bool,
    /// Nothing more can be done with what has come.
    starving: bool,
    /// Nothing more is read; it ends with the last reply.
    closing: bool,
    /// Memory for the whole message that comes is reserved: it can always be read to its end.
    has_lease: bool,
    /// More has come than there is memory for.
    paused: bool,
    /// Bytes received and sent.
    moved: u64,
    /// A request has come.
    has_asked: bool,
    /// Since when the server waits for the client while memory is short, and how much had moved then.
    waits: Option<(Instant, u64)>,
}

/// A place in the slab. It is not given to another client while requests of its last one are under way.
#[derive(Debug)]
pub(super) struct Link<T> {
    wire: Option<Wire<T>>,
    /// Different for each client of this place.
    pub(super) serial: u64,
    in_flight: u32,
    in_flight_bytes: u64,
    in_flight_reads: u64,
    /// The server's memory counters.
    counted: Held,
    /// The one of the batch are its replies.
    pub(super) replies: Vec<u32>,
    /// True if the server has it in its list of those to look at.
    pub(super) listed: bool,
}

/// Data that moves with a request, either way.
fn moved(action: Action, len: u32) -> u64 {
    match action {
        Action::Read | Action::Write { .. } => u64::from(len),
        Action::Flush | Action::Trim | Action::Zero { .. } => 0,
    }
}

/// The data that a request's reply has.
fn read(action: Action, len: u32) -> u64 {
    if action == Action::Read { u64::from(len) } else { 0 }
}

impl<T> Wire<T> {
    fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Memory of what comes: what is held of it, or reserved.
    fn input(&self) -> usize {
        let lease = if self.has_lease { self.session.needs() } else { 0 };
        self.session.held().max(lease)
    }

    /// Queues data behind what is queued. Much of it gets the memory that it takes and no more.
    fn keep(&mut self, data: &[u8]) {
        if data.len() >= 64 << 10 {
            self.out.reserve_exact(data.len());
        }
        self.out.extend_from_slice(data);
    }
}

impl<T: Transport> Link<T> {
    pub(super) fn new() -> Link<T> {
        Link {
            wire: None,
            serial: 0,
            in_flight: 0,
            in_flight_bytes: 0,
            in_flight_reads: 0,
            counted: Held::default(),
            replies: Vec::new(),
            listed: false,
        }
    }

    /// A client came.
    pub(super) fn open(&mut self, transport: T) {
        let mut out = Vec::new();
        let session = Session::new(&mut out);
        self.serial += 1;
        self.wire = Some(Wire {
            transport,
            session,
            out,
            sent: 0,
            queued: 0,
            readable: true,
            hung_up: false,
            writable: true,
            starving: true,
            closing: false,
            has_lease: false,
            paused: false,
            moved: 0,
            has_asked: false,
            waits: None,
        });
    }

    /// Ends the connection at once; what is under way completes without a reply.
    pub(super) fn cut(&mut self) {
        self.wire = None;
    }

    /// True if a client is there that has asked for nothing since its handshake.
    pub(super) fn is_unused(&self) -> bool {
        self.wire.as_ref().is_some_and(|wire| !wire.has_asked && !wire.session.is_haggling())
    }

    /// True if a client is there that has not finished the handshake.
    pub(super) fn is_haggling(&self) -> bool {
        self.wire.as_ref().is_some_and(|wire| wire.session.is_haggling())
    }

    /// The memory that was counted last, and that it holds now.
    pub(super) fn recount(&mut self) -> (Held, Held) {
        let wire = self.wire.as_ref();
        let held = Held {
            input: wire.map_or(0, Wire::input),
            replies: self.in_flight_reads as usize
                + wire.map_or(0, |wire| wire.out.capacity().saturating_sub(OUT)),
        };
        (std::mem::replace(&mut self.counted, held), held)
    }

    /// Memory that it holds now, without what is only reserved.
    pub(super) fn held(&self) -> usize {
        self.counted.replies + self.wire.as_ref().map_or(0, |wire| wire.session.held())
    }

    /// Gives memory back that nothing is in.
    pub(super) fn release(&mut self) {
        if let Some(wire) = &mut self.wire {
            wire.session.release();
        }
    }

    /// True if it has the memory for the message that comes.
    pub(super) fn has_lease(&self) -> bool {
        self.wire.as_ref().is_some_and(|wire| wire.has_lease && wire.session.needs() > 0)
    }

    /// True if the client holds memory that is short, and has kept the server waiting for it too long.
    pub(super) fn overstays(&mut self, now: Instant, short: Shortage) -> bool {
        let Some(wire) = &mut self.wire else { return false };
        let sends_late =
            short.input && !wire.readable && wire.session.is_within_message() && wire.input() > 0;
        let takes_late = short.replies && !wire.writable && wire.unsent() > 0;
        if !sends_late && !takes_late {
            wire.waits = None;
            return false;
        }
        let (since, moved) = *wire.waits.get_or_insert((now, wire.moved));
        if now.since(since) < if sends_late { SENDS } else { TAKES } {
            return false;
        }
        wire.waits = Some((now, wire.moved));
        wire.moved - moved < LEAST_MOVED
    }

    /// True if another client can have the place.
    pub(super) fn is_free(&self) -> bool {
        self.wire.is_none() && self.in_flight == 0
    }

    pub(super) fn is_open(&self) -> bool {
        self.wire.is_some()
    }

    /// Its transport.
    pub(super) fn transport(&self) -> Option<&T> {
        self.wire.as_ref().map(|wire| &wire.transport)
    }

    /// Its transport, if it waits until that takes more.
    pub(super) fn blocked(&self) -> Option<&T> {
        self.wire.as_ref().filter(|wire| wire.unsent() > 0 && !wire.writable).map(|wire| &wire.transport)
    }

    /// Self-description of the transport.
    pub(super) fn ready(&mut self, readable: bool, writable: bool, hung_up: bool) {
        if let Some(wire) = &mut self.wire {
            wire.readable |= readable || hung_up;
            wire.writable |= writable || hung_up;
            wire.hung_up |= hung_up;
        }
    }

    fn may_take(&self, short: Shortage) -> bool {
        self.wire.as_ref().is_some_and(|wire| {
            !wire.closing
                // The answers of a handshake are short: it goes on whatever others hold.
                && if wire.session.is_haggling() { wire.unsent() < HAGGLES } else { !short.replies }
                && self.in_flight + wire.queued < MOST_REQUESTS
                && self.in_flight_bytes + (wire.unsent() as u64) < MOST_HELD
        })
    }

    /// Reads no more: what is under way is replied to, and then it ends.
    pub(super) fn close(&mut self) {
        if let Some(wire) = &mut self.wire {
            wire.closing = true;
        }
    }

    /// Reads once what has come, if what came before is used up, with at most `spare` bytes of memory more. A large message
    /// is read only if its whole is within that: else many could begin that none can end. Returns whether it is paused.
    pub(super) fn receive(&mut self, spare: usize) -> bool {
        let Some(wire) = self.wire.as_mut().filter(|wire| wire.readable && wire.starving && !wire.closing)
        else {
            return false;
        };
        let may_hold = wire.input().saturating_add(spare);
        let needs = wire.session.needs();
        wire.has_lease = needs > 0 && needs <= may_hold;
        let most = if needs <= may_hold { OWN.saturating_add(may_hold) } else { OWN };
        let room = wire.session.room(most);
        wire.paused = room.is_empty();
        if wire.paused {
            return true;
        }
        match wire.transport.receive(room) {
            // A client that sends nothing more may still wait for replies.
            Ok(0) => wire.closing = true,
            Ok(len) => {
                wire.readable = len == room.len() || wire.hung_up;
                wire.session.filled(len);
                wire.starving = false;
                wire.moved += len as u64;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => wire.readable = false,
            Err(_) => self.wire = None,
        }
        false
    }

    /// Gives at most so many of its requests to the emulator.
    pub(super) fn take(
        &mut self,
        owner: (FrontId, u32),
        emulator: &mut Emulator,
        now: Instant,
        most: usize,
        short: Shortage,
    ) {
        for _ in 0..most {
            if !self.may_take(short) || emulator.room() == 0 {
                return;
            }
            let Some(wire) = &mut self.wire else { return };
            match wire.session.next(emulator.exports(), &mut wire.out) {
                Step::More => {
                    wire.starving = true;
                    return;
                }
                Step::Answered => wire.queued += 1,
                Step::Close => {
                    wire.closing = true;
                    return;
                }
                Step::Allocation { export, cookie, offset, len, only_one } => {
                    wire.has_asked = true;
                    let most = if only_one { 1 } else { allocation::MOST };
                    let (mut runs, len) = (Vec::new(), u64::from(len));
                    match emulator.allocation(export, offset, len, most, &mut runs) {
                        Ok(()) => reply::put_allocation(&runs, cookie, &mut wire.out),
                        Err(errno) => reply::put_error(wire.session.form(), errno, cookie, &mut wire.out),
                    }
                    wire.queued += 1;
                }
                Step::Request { export, action, cookie, offset, len, payload } => {
                    wire.has_asked = true;
                    let owner = Owner { front: owner.0, connection: owner.1, cookie };
                    let request = Request { owner, export, action, offset, len };
                    match emulator.submit(now, request, payload) {
                        Ok(()) => {
                            self.in_flight += 1;
                            self.in_flight_bytes += moved(action, len);
                            self.in_flight_reads += read(action, len);
                        }
                        Err(errno) => {
                            reply::put_error(wire.session.form(), errno, cookie, &mut wire.out);
                            wire.queued += 1;
                        }
                    }
                }
            }
        }
    }

    /// A request of it is complete.
    pub(super) fn completed(&mut self, request: &Request) {
        self.in_flight -= 1;
        self.in_flight_bytes -= moved(request.action, request.len);
        self.in_flight_reads -= read(request.action, request.len);
    }

    /// Queues a reply with a copy of its data.
    pub(super) fn queue(&mut self, completed: &Completed, data: &[u8]) {
        let Some(wire) = &mut self.wire else { return };
        let Request { owner, action, offset, .. } = completed.request;
        let result = completed.result.as_ref().map(|_| data.len()).map_err(|errno| *errno);
        reply::put(wire.session.form(), action, owner.cookie, offset, result, &mut wire.out);
        wire.keep(data);
        wire.queued += 1;
    }

    /// Sends its replies of the batch, with data from its place; the rest is queued. The list stays, for the caller
    /// that counts them; `heads` is scratch.
    pub(super) fn reply(&mut self, batch: &Batch, heads: &mut Vec<u8>) {
        let replies = std::mem::take(&mut self.replies);
        let completed = || replies.iter().map(|n| &batch.completed[*n as usize]);
        match &mut self.wire {
            Some(wire) if wire.unsent() == 0 && wire.writable => {
                let form = wire.session.form();
                heads.clear();
                let mut ends = Vec::with_capacity(replies.len());
                for one in completed() {
                    let Request { owner, action, offset, .. } = one.request;
                    let result = one.result.as_ref().map(ExactSizeIterator::len).map_err(|errno| *errno);
                    reply::put(form, action, owner.cookie, offset, result, heads);
                    ends.push(heads.len());
                }
                let mut parts = Vec::with_capacity(2 * replies.len() + 1);
                let mut from = 0;
                // Headers without data between them are one part.
                for (one, end) in completed().zip(ends) {
                    let data = batch.bytes(one);
                    if !data.is_empty() {
                        parts.extend([IoSlice::new(&heads[from..end]), IoSlice::new(data)]);
                        from = end;
                    }
                }
                if from < heads.len() {
                    parts.push(IoSlice::new(&heads[from..]));
                }
                self.send(&mut parts, replies.len() as u32);
            }
            _ => {
                for one in completed() {
                    self.queue(one, batch.bytes(one));
                }
                self.flush();
            }
        }
        self.replies = replies;
    }

    /// Sends these parts, which are so many replies, and queues the rest.
    fn send(&mut self, parts: &mut [IoSlice<'_>], replies: u32) {
        let Some(wire) = &mut self.wire else { return };
        let mut parts = parts;
        while !parts.is_empty() {
            match wire.transport.send(&parts[..parts.len().min(MOST_PARTS)]) {
                Ok(sent) => {
                    wire.moved += sent as u64;
                    IoSlice::advance_slices(&mut parts, sent);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wire.writable = false;
                    wire.queued += replies;
                    parts.iter().for_each(|part| wire.keep(part));
                    return;
                }
                Err(_) => {
                    self.wire = None;
                    return;
                }
            }
        }
    }

    /// Sends what is queued, as far as it fits; ends a connection that has nothing more to say or to hear.
    pub(super) fn flush(&mut self) {
        let Some(wire) = &mut self.wire else { return };
        while wire.writable && wire.unsent() > 0 {
            match wire.transport.send(&[IoSlice::new(&wire.out[wire.sent..])]) {
                Ok(sent) => {
                    wire.sent += sent;
                    wire.moved += sent as u64;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => wire.writable = false,
                Err(_) => {
                    self.wire = None;
                    return;
                }
            }
        }
        if wire.unsent() == 0 {
            (wire.sent, wire.queued) = (0, 0);
            wire.out.clear();
            wire.out.shrink_to(OUT);
            if wire.closing && self.in_flight == 0 {
                self.wire = None;
            }
        } else if wire.sent > wire.out.len() / 2 {
            wire.out.drain(..wire.sent);
            wire.sent = 0;
            wire.out.shrink_to(2 * wire.out.len());
        }
    }

    /// True if it is to be looked at again, and whether at once; `room`: whether the emulator takes more.
    pub(super) fn waits(&self, room: bool, short: Shortage) -> (bool, bool) {
        let Some(wire) = &self.wire else { return (false, false) };
        let reads = wire.starving && wire.readable && !wire.closing;
        let takes = !wire.starving && !wire.closing;
        let sends = wire.unsent() > 0 && wire.writable;
        (reads || takes || sends, (reads && !wire.paused) || sends || (takes && room && self.may_take(short)))
    }
}
