//! All connections of one emulator, over any transport, on any clock: who owns it gives it turns.

use std::sync::{Arc, Mutex, PoisonError};

use iobound_units::Instant;

use super::link::{Link, MOST_HELD};
use super::transport::Transport;
use crate::batch::{Batch, Completed};
use crate::front::Front;
use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;
use crate::wake::Wake;

/// A connection's place, until it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

/// What is left to do after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// When something completes next.
    pub next: Option<Instant>,
    /// Whether another turn would find something to do at once.
    pub again: bool,
    /// How many requests were given to the emulator.
    pub taken: usize,
}

/// The most connections at a time: who comes then is turned away.
pub const MOST_LINKS: usize = 4096;

/// How much memory for data is kept between turns, in bytes: what one connection may hold.
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
    /// Who is asked first: another one whenever not all could be served.
    first: usize,
    batch: Batch,
    heads: Vec<u8>,
    mailbox: Arc<Mailbox>,
    lateness: Arc<Lateness>,
}

/// What completed while another front had the emulator: its replies wait here for the server's next turn.
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
    /// No descriptor to be had.
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
        }
    }

    /// How late its replies go out.
    pub fn lateness(&self) -> &Arc<Lateness> {
        &self.lateness
    }

    /// A client came; `None` if there are as many as can be: then its transport is dropped.
    pub fn open(&mut self, transport: T) -> Option<LinkId> {
        let id = match self.free.pop() {
            Some(id) => id,
            None if self.links.len() == MOST_LINKS => return None,
            None => {
                self.links.push(Link::new());
                self.links.len() as u32 - 1
            }
        };
        self.links[id as usize].open(transport);
        self.look_at(id);
        Some(LinkId(id))
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

    /// What a transport says of itself: that more may have come, that more may fit, that the other end is gone.
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

    /// What carries a connection, while it lasts.
    pub fn transport(&self, id: LinkId) -> Option<&T> {
        self.links[id.0 as usize].transport()
    }

    /// How many clients there are.
    pub fn clients(&self) -> usize {
        self.links.iter().filter(|link| link.is_open()).count()
    }

    /// How many places there are, taken or free: no more than there were clients at a time, and requests of gone ones.
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
        for id in &self.active {
            self.links[*id as usize].receive();
        }
        let Server { front, links, active, first, batch, .. } = self;
        let (front, mut room, mut taken) = (*front, false, 0);
        let next = shared.pace(Some(front), batch, |emulator, now| {
            let before = emulator.room();
            for n in 0..active.len() {
                let id = active[(n + *first) % active.len()];
                // What is left is shared evenly among those that are left.
                let most = emulator.room().div_ceil(active.len() - n);
                links[id as usize].take((front, id), emulator, now, most);
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
        let again = self.tidy(room);
        Turn { next, again, taken }
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

    /// Sends what else is to be sent, forgets who has nothing to do; says whether somebody has at once.
    fn tidy(&mut self, room: bool) -> bool {
        let Server { links, active, free, blocked, .. } = self;
        let mut again = false;
        blocked.clear();
        active.retain(|id| {
            let link = &mut links[*id as usize];
            link.flush();
            if link.blocked().is_some() {
                blocked.push(*id);
            }
            let (stays, at_once) = link.waits(room);
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
