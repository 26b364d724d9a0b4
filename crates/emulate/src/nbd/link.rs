//! One connection's place among those of a server: what it has sent, what it waits for, what it has not taken yet.

use std::io::{ErrorKind, IoSlice};

use iobound_units::Instant;

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

/// What is there while the client is.
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
}

/// A place in the slab. It is not given to another client while requests of its last one are under way.
#[derive(Debug)]
pub(super) struct Link<T> {
    wire: Option<Wire<T>>,
    in_flight: u32,
    in_flight_bytes: u64,
    /// Which of the batch are its replies.
    pub(super) replies: Vec<u32>,
    /// Whether the server has it in its list of those to look at.
    pub(super) listed: bool,
}

/// What moves with a request, either way.
fn moved(action: Action, len: u32) -> u64 {
    match action {
        Action::Read | Action::Write { .. } => u64::from(len),
        Action::Flush | Action::Trim | Action::Zero { .. } => 0,
    }
}

impl<T> Wire<T> {
    fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }
}

impl<T: Transport> Link<T> {
    pub(super) fn new() -> Link<T> {
        Link { wire: None, in_flight: 0, in_flight_bytes: 0, replies: Vec::new(), listed: false }
    }

    /// A client came.
    pub(super) fn open(&mut self, transport: T) {
        let mut out = Vec::new();
        let session = Session::new(&mut out);
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
        });
    }

    /// Whether another client can have the place.
    pub(super) fn is_free(&self) -> bool {
        self.wire.is_none() && self.in_flight == 0
    }

    pub(super) fn is_open(&self) -> bool {
        self.wire.is_some()
    }

    /// What carries it.
    pub(super) fn transport(&self) -> Option<&T> {
        self.wire.as_ref().map(|wire| &wire.transport)
    }

    /// What carries it, if it waits until that takes more.
    pub(super) fn blocked(&self) -> Option<&T> {
        self.wire.as_ref().filter(|wire| wire.unsent() > 0 && !wire.writable).map(|wire| &wire.transport)
    }

    /// What the transport says of itself.
    pub(super) fn ready(&mut self, readable: bool, writable: bool, hung_up: bool) {
        if let Some(wire) = &mut self.wire {
            wire.readable |= readable || hung_up;
            wire.writable |= writable || hung_up;
            wire.hung_up |= hung_up;
        }
    }

    fn may_take(&self) -> bool {
        self.wire.as_ref().is_some_and(|wire| {
            !wire.closing
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

    /// Reads once what has come, if what came before is used up.
    pub(super) fn receive(&mut self) {
        let Some(wire) = self.wire.as_mut().filter(|wire| wire.readable && wire.starving && !wire.closing)
        else {
            return;
        };
        let room = wire.session.room();
        match wire.transport.receive(room) {
            // Whoever sends nothing more may still wait for replies.
            Ok(0) => wire.closing = true,
            Ok(len) => {
                wire.readable = len == room.len() || wire.hung_up;
                wire.session.filled(len);
                wire.starving = false;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => wire.readable = false,
            Err(_) => self.wire = None,
        }
    }

    /// Gives at most so many of its requests to the emulator.
    pub(super) fn take(&mut self, owner: (FrontId, u32), emulator: &mut Emulator, now: Instant, most: usize) {
        for _ in 0..most {
            if !self.may_take() || emulator.room() == 0 {
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
                    let most = if only_one { 1 } else { allocation::MOST };
                    let (mut runs, len) = (Vec::new(), u64::from(len));
                    match emulator.allocation(export, offset, len, most, &mut runs) {
                        Ok(()) => reply::put_allocation(&runs, cookie, &mut wire.out),
                        Err(errno) => reply::put_error(wire.session.form(), errno, cookie, &mut wire.out),
                    }
                    wire.queued += 1;
                }
                Step::Request { export, action, cookie, offset, len, payload } => {
                    let owner = Owner { front: owner.0, connection: owner.1, cookie };
                    let request = Request { owner, export, action, offset, len };
                    match emulator.submit(now, request, payload) {
                        Ok(()) => {
                            self.in_flight += 1;
                            self.in_flight_bytes += moved(action, len);
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
    }

    /// Queues a reply with a copy of its data.
    pub(super) fn queue(&mut self, completed: &Completed, data: &[u8]) {
        let Some(wire) = &mut self.wire else { return };
        let Request { owner, action, offset, .. } = completed.request;
        let result = completed.result.as_ref().map(|_| data.len()).map_err(|errno| *errno);
        reply::put(wire.session.form(), action, owner.cookie, offset, result, &mut wire.out);
        wire.out.extend_from_slice(data);
        wire.queued += 1;
    }

    /// Sends its replies of the batch, data from where it is; what does not fit is queued. The list stays, for whoever
    /// counts them; `heads` is scratch.
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

    /// Sends these parts, which are so many replies, and queues what is left of them.
    fn send(&mut self, parts: &mut [IoSlice<'_>], replies: u32) {
        let Some(wire) = &mut self.wire else { return };
        let mut parts = parts;
        while !parts.is_empty() {
            match wire.transport.send(&parts[..parts.len().min(MOST_PARTS)]) {
                Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wire.writable = false;
                    wire.queued += replies;
                    parts.iter().for_each(|part| wire.out.extend_from_slice(part));
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
                Ok(sent) => wire.sent += sent,
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
            wire.out.shrink_to(64 << 10);
            if wire.closing && self.in_flight == 0 {
                self.wire = None;
            }
        } else if wire.sent > wire.out.len() / 2 {
            wire.out.drain(..wire.sent);
            wire.sent = 0;
        }
    }

    /// Whether it is to be looked at again, and whether at once; `room`: whether the emulator takes more.
    pub(super) fn waits(&self, room: bool) -> (bool, bool) {
        let Some(wire) = &self.wire else { return (false, false) };
        let reads = wire.starving && wire.readable && !wire.closing;
        let takes = !wire.starving && !wire.closing;
        let sends = wire.unsent() > 0 && wire.writable;
        (reads || takes || sends, reads || sends || (takes && room && self.may_take()))
    }
}
