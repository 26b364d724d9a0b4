//! All connections of one emulator, over any transport, on any clock: its owner gives it turns.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use iobound_units::{Instant, Span};

use super::link::{Link, MOST_HELD, Shortage};
use super::transport::Transport;
use crate::batch::{Batch, Completed};
use crate::front::Front;
use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;
use crate::sys::Wake;

/// A connection's place, until it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

/// Remaining work after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Time of the next completion.
    pub next: Option<Instant>,
    /// True if another turn would find something to do at once.
    pub again: bool,
    /// Number of requests that were given to the emulator.
    pub taken: usize,
}

/// Most connections at a time. When there are more, the oldest one that has not finished the handshake is closed, else the
/// oldest one that has asked for nothing since.
pub const MOST_LINKS: usize = 4096;
/// Time for the handshake, from the connection to the first request's turn.
pub const HANDSHAKE: Span = Span::from_secs(10);
/// A client that has asked for nothing since its handshake may be closed for another one this long after it came. One that
/// has asked is never closed for another one: it may be a disk that a kernel has mounted, and idle for days.
pub const UNUSED: Span = Span::from_secs(10);
/// A connection that is closed for another one has been silent at least this long: an honest client has spoken by then.
const GRACE: Span = Span::from_ms(250);

/// Memory for requests that have come in part, of all connections, each counted as a whole from its first bytes. A request
/// that has no room in it is read when it has.
pub const MOST_INPUT: usize = 128 << 20;
/// Memory for reads under way and for replies that clients have not taken, of all connections. Beyond it, no request is
/// taken.
pub const MOST_REPLIES: usize = 256 << 20;
/// Pause between two searches for clients that hold memory without using it, while memory is short.
const SWEEP: Span = Span::from_ms(20);

/// Memory for data kept between turns, in bytes: the limit of one connection.
const KEPT: usize = MOST_HELD as usize;

/// All connections of one emulator.
#[derive(Debug)]
pub struct Server<T> {
    front: FrontId,
    links: Vec<Link<T>>,
    free: Vec<u32>,
    /// Those that have something to do, each once.
    active: Vec<u32>,
    /// Those whose transport took less than there was, in this turn.
    blocked: Vec<u32>,
    /// Those that have replies in the batch.
    touched: Vec<u32>,
    /// Client to ask first: another one whenever not all could be served.
    first: usize,
    batch: Batch,
    heads: Vec<u8>,
    mailbox: Arc<Mailbox>,
    lateness: Arc<Lateness>,
    /// Most connections at a time.
    most: usize,
    /// Connections in the order in which they came, with the time and the client's serial, until their handshake is over.
    haggling: VecDeque<(u32, u64, Instant)>,
    /// Those of them that have asked for nothing since, in the same order.
    unused: VecDeque<(u32, u64, Instant)>,
    /// Memory of all connections.
    input: usize,
    replies: usize,
    /// The connection that is the next to get memory for a large message: while it waits, no other one does.
    first_starved: Option<u32>,
    /// Some connection could not read for want of memory, in this turn.
    starved: bool,
    swept: Instant,
}

/// Completions while another front had the emulator: its replies wait here for the server's next turn.
#[derive(Debug)]
pub(crate) struct Mailbox {
    mail: Mutex<Vec<(Completed, Vec<u8>)>>,
    pub(crate) wake: Wake,
}

impl Front for Mailbox {
    fn deliver(&self, batch: &Batch, completed: &[&Completed]) {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        mail.extend(completed.iter().map(|&one| (one.clone(), batch.bytes(one).to_vec())));
        drop(mail);
        self.wake.up();
    }
}

impl Mailbox {
    pub(crate) fn new() -> std::io::Result<Mailbox> {
        Ok(Mailbox { mail: Mutex::default(), wake: Wake::new()? })
    }
}

impl<T: Transport> Server<T> {
    /// Without connections, as this one of the emulator's fronts.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub fn new(front: FrontId) -> std::io::Result<Server<T>> {
        Ok(Server::with(front, Arc::new(Mailbox::new()?), Arc::default()))
    }

    pub(crate) fn with(front: FrontId, mailbox: Arc<Mailbox>, lateness: Arc<Lateness>) -> Server<T> {
        Server {
            front,
            links: Vec::new(),
            free: Vec::new(),
            active: Vec::new(),
            blocked: Vec::new(),
            touched: Vec::new(),
            first: 0,
            batch: Batch::default(),
            heads: Vec::new(),
            mailbox,
            lateness,
            most: MOST_LINKS,
            haggling: VecDeque::new(),
            unused: VecDeque::new(),
            input: 0,
            replies: 0,
            first_starved: None,
            starved: false,
            swept: Instant::ZERO,
        }
    }

    /// Allows at most so many connections, and no more than [`MOST_LINKS`].
    pub(crate) fn limit(&mut self, most: usize) {
        self.most = most.clamp(1, MOST_LINKS);
    }

    /// The delay with which its replies go out.
    pub fn lateness(&self) -> &Arc<Lateness> {
        &self.lateness
    }

    /// Adds a client, which is to finish its handshake within [`HANDSHAKE`]. `None` if there are as many as may be and none
    /// of them may be closed: then its transport is dropped.
    pub fn open(&mut self, transport: T, now: Instant) -> Option<LinkId> {
        if !self.has_room(now) {
            return None;
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.links.push(Link::new());
            self.links.len() as u32 - 1
        });
        let link = &mut self.links[id as usize];
        link.open(transport);
        self.haggling.push_back((id, link.serial, now));
        self.recount(id);
        self.look_at(id);
        Some(LinkId(id))
    }

    /// True if another client can come. Where there are as many as may be, the oldest silent one makes room.
    pub fn has_room(&mut self, now: Instant) -> bool {
        !self.free.is_empty() || self.links.len() < self.most || self.evict(now)
    }

    /// True if a connection can be closed for another one, at once or soon: none of its requests has come.
    pub(crate) fn has_idle(&mut self) -> bool {
        self.oldest_haggling().is_some() || self.oldest_unused().is_some()
    }

    /// Closes the oldest connection whose handshake is not over, if it is old enough, else the oldest one that has asked for
    /// nothing since. Says whether there was one.
    pub(crate) fn evict(&mut self, now: Instant) -> bool {
        let haggling = self.oldest_haggling().filter(|(_, since)| now.since(*since) >= GRACE);
        if let Some((id, _)) = haggling {
            self.haggling.pop_front();
            self.cut(id);
            return true;
        }
        let unused = self.oldest_unused().filter(|(_, since)| now.since(*since) >= UNUSED);
        if let Some((id, _)) = unused {
            self.unused.pop_front();
            self.cut(id);
        }
        unused.is_some()
    }

    /// The oldest connection whose handshake is not over, and when it came.
    fn oldest_haggling(&mut self) -> Option<(u32, Instant)> {
        while let Some(&(id, serial, since)) = self.haggling.front() {
            let link = &self.links[id as usize];
            if link.serial == serial && link.is_haggling() {
                return Some((id, since));
            }
            let is_unused = link.serial == serial && link.is_unused();
            self.haggling.pop_front();
            if is_unused {
                self.keep_unused((id, serial, since));
            }
        }
        None
    }

    /// Keeps a connection that asks for nothing yet. The list has no more than twice as many as there are places.
    fn keep_unused(&mut self, connection: (u32, u64, Instant)) {
        if self.unused.len() >= 2 * self.links.len() {
            let links = &self.links;
            self.unused.retain(|(id, serial, _)| {
                let link = &links[*id as usize];
                link.serial == *serial && link.is_unused()
            });
        }
        self.unused.push_back(connection);
    }

    /// The oldest connection that has asked for nothing since its handshake, and when it came.
    fn oldest_unused(&mut self) -> Option<(u32, Instant)> {
        while let Some(&(id, serial, since)) = self.unused.front() {
            let link = &self.links[id as usize];
            if link.serial == serial && link.is_unused() {
                return Some((id, since));
            }
            self.unused.pop_front();
        }
        None
    }

    /// Ends a connection at once. Its place is free when nothing of it is under way.
    fn cut(&mut self, id: u32) {
        let link = &mut self.links[id as usize];
        link.cut();
        if link.is_free() && !link.listed {
            self.free.push(id);
        }
        self.recount(id);
    }

    /// Memory that all connections hold now, in bytes: what has come of requests, beyond 20 KiB of each, reads under way and
    /// replies that nobody has taken.
    pub fn held(&self) -> usize {
        self.links.iter().map(Link::held).sum()
    }

    fn recount(&mut self, id: u32) {
        let (was, is) = self.links[id as usize].recount();
        self.input = self.input - was.input + is.input;
        self.replies = self.replies - was.replies + is.replies;
    }

    fn short(&self) -> Shortage {
        Shortage { input: self.starved, replies: self.replies >= MOST_REPLIES }
    }

    /// The place that the next client will have.
    pub fn next_id(&self) -> LinkId {
        LinkId(self.free.last().copied().unwrap_or(self.links.len() as u32))
    }

    /// Reads no more of anybody: each connection ends when what it has under way is replied to.
    pub fn close(&mut self) {
        for id in 0..self.links.len() as u32 {
            if self.links[id as usize].is_open() {
                self.links[id as usize].close();
                self.look_at(id);
            }
        }
    }

    /// Events of a transport: more input may have come, more output may fit, the other end is gone.
    pub fn ready(&mut self, id: LinkId, readable: bool, writable: bool, hung_up: bool) {
        let link = &mut self.links[id.0 as usize];
        if link.is_open() {
            link.ready(readable, writable, hung_up);
            self.look_at(id.0);
        }
    }

    /// Those that took less than there was since the last turn began: each is to be [`Server::ready`] when it takes more.
    pub fn blocked(&self) -> impl Iterator<Item = (LinkId, &T)> {
        let link = |id: &u32| self.links[*id as usize].blocked().map(|transport| (LinkId(*id), transport));
        self.blocked.iter().filter_map(link)
    }

    /// Transport of a connection, while it lasts.
    pub fn transport(&self, id: LinkId) -> Option<&T> {
        self.links[id.0 as usize].transport()
    }

    /// Number of clients.
    pub fn clients(&self) -> usize {
        self.links.iter().filter(|link| link.is_open()).count()
    }

    /// Number of places, taken or free: no more than there were clients at a time, and requests of gone ones.
    pub fn places(&self) -> usize {
        self.links.len()
    }

    fn look_at(&mut self, id: u32) {
        let link = &mut self.links[id as usize];
        if !link.listed {
            link.listed = true;
            self.active.push(id);
        }
    }

    /// Reads what has come, gives its requests to the emulator at the time that it is then, and sends all replies that are
    /// due: one look at the emulator, one message to each client.
    pub fn turn(&mut self, shared: &Shared) -> Turn {
        self.receive();
        let input = self.input;
        let short = self.short();
        let Server { front, links, active, first, batch, .. } = self;
        let (front, mut room, mut taken, mut at) = (*front, false, 0, Instant::ZERO);
        let next = shared.pace(Some(front), batch, |emulator, now| {
            at = now;
            let before = emulator.room();
            for n in 0..active.len() {
                let id = active[(n + *first) % active.len()];
                // The rest is shared evenly among the remaining connections.
                let most = emulator.room().div_ceil(active.len() - n);
                links[id as usize].take((front, id), emulator, now, most, short);
            }
            room = emulator.room() > 0;
            taken = before.saturating_sub(emulator.room());
        });
        if !room {
            *first = first.wrapping_add(1) & 0xffff;
        }
        self.collect();
        self.fetch_mail(shared);
        self.reply(shared);
        self.batch.keep_at_most(KEPT);
        let limit = self.enforce(at);
        // Connections that wait for memory may go on after some was freed.
        let again = self.tidy(room) || (self.starved && self.input < input);
        Turn { next: next.into_iter().chain(limit).min(), again, taken }
    }

    /// Reads what has come, as far as there is memory for it.
    fn receive(&mut self) {
        self.starved = false;
        if let Some(id) = self.first_starved {
            self.receive_one(id);
        }
        for n in 0..self.active.len() {
            self.receive_one(self.active[n]);
        }
    }

    fn receive_one(&mut self, id: u32) {
        let link = &mut self.links[id as usize];
        let in_turn = self.first_starved.is_none_or(|first| first == id) || link.has_lease();
        let spare = if in_turn { MOST_INPUT.saturating_sub(self.input) } else { 0 };
        let is_starved = link.receive(spare);
        self.starved |= is_starved;
        if is_starved && self.first_starved.is_none() {
            self.first_starved = Some(id);
        } else if !is_starved && self.first_starved == Some(id) {
            self.first_starved = None;
        }
        self.recount(id);
    }

    /// Closes clients that are too late with their handshake, or that hold memory that is short. Returns when to look again.
    fn enforce(&mut self, now: Instant) -> Option<Instant> {
        while let Some((id, since)) = self.oldest_haggling() {
            if now.since(since) < HANDSHAKE {
                break;
            }
            self.haggling.pop_front();
            self.cut(id);
        }
        let late = self.haggling.front().map(|(_, _, since)| *since + HANDSHAKE);
        let short = self.short();
        if short == Shortage::default() {
            return late;
        }
        if now.since(self.swept) >= SWEEP {
            self.swept = now;
            for id in 0..self.links.len() as u32 {
                let link = &mut self.links[id as usize];
                link.release();
                if link.overstays(now, short) {
                    self.cut(id);
                } else {
                    self.recount(id);
                }
            }
        }
        Some(self.swept + SWEEP).into_iter().chain(late).min()
    }

    /// Sends the replies that are due, and reads nothing: requests that have come wait for the next [`Server::turn`].
    pub(crate) fn pay(&mut self, shared: &Shared) {
        shared.pace(Some(self.front), &mut self.batch, |_, _| {});
        self.collect();
        self.reply(shared);
    }

    /// Sorts what completed by connection.
    fn collect(&mut self) {
        for (n, completed) in self.batch.completed.iter().enumerate() {
            let owner = completed.request.owner;
            if owner.front != self.front {
                continue;
            }
            let link = &mut self.links[owner.connection as usize];
            link.completed(&completed.request);
            if link.replies.is_empty() {
                self.touched.push(owner.connection);
            }
            link.replies.push(n as u32);
        }
    }

    fn fetch_mail(&mut self, shared: &Shared) {
        let mail = std::mem::take(&mut *self.mailbox.mail.lock().unwrap_or_else(PoisonError::into_inner));
        if mail.is_empty() {
            return;
        }
        for (completed, data) in &mail {
            let id = completed.request.owner.connection;
            let link = &mut self.links[id as usize];
            link.completed(&completed.request);
            link.queue(completed, data);
            self.look_at(id);
        }
        self.lateness.replied(shared.now(), mail.iter().map(|(completed, _)| completed.due));
    }

    fn reply(&mut self, shared: &Shared) {
        for n in 0..self.touched.len() {
            let id = self.touched[n];
            let link = &mut self.links[id as usize];
            link.reply(&self.batch, &mut self.heads);
            let due = link.replies.drain(..).map(|n| self.batch.completed[n as usize].due);
            self.lateness.replied(shared.now(), due);
            // To see whether it ends, and whether more can be read.
            self.look_at(id);
        }
        self.touched.clear();
    }

    /// Sends remaining data, and forgets connections that have nothing to do; true if one has work at once.
    fn tidy(&mut self, room: bool) -> bool {
        for n in 0..self.active.len() {
            let id = self.active[n];
            self.links[id as usize].flush();
            self.recount(id);
        }
        let short = self.short();
        let Server { links, active, free, blocked, .. } = self;
        let mut again = false;
        blocked.clear();
        active.retain(|id| {
            let link = &mut links[*id as usize];
            if link.blocked().is_some() {
                blocked.push(*id);
            }
            let (stays, at_once) = link.waits(room, short);
            again |= at_once;
            link.listed = stays;
            if link.is_free() {
                free.push(*id);
            }
            stays
        });
        again
    }
}
