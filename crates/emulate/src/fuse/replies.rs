//! Replies that the kernel waits for, until the emulator says that their requests are complete.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use fuser::{ReplyData, ReplyEmpty, ReplyWrite};

use crate::batch::{Batch, Completed};
use crate::front::Front;
use crate::lateness::Lateness;
use crate::request::{Errno, FrontId};
use crate::shared::Shared;

/// Reply to a complete request.
#[derive(Debug)]
pub(super) enum Waiting {
    /// A read of whole sectors; the request wanted `take` bytes from `skip` on.
    Read { reply: ReplyData, skip: usize, take: usize },
    /// A write of so many bytes.
    Write { reply: ReplyWrite, len: u32 },
    /// Reply without data.
    Plain(ReplyEmpty),
    /// A thread of ours.
    Thread(SyncSender<Result<(), Errno>>),
}

impl Waiting {
    /// Tells it; `bytes` are those of a read.
    pub(super) fn tell(self, bytes: &[u8], result: Result<(), Errno>) {
        let result = result.map_err(code);
        match (self, result) {
            (Waiting::Read { reply, skip, take }, Ok(())) => reply.data(&bytes[skip..skip + take]),
            (Waiting::Read { reply, .. }, Err(code)) => reply.error(code),
            (Waiting::Write { reply, len }, Ok(())) => reply.written(len),
            (Waiting::Write { reply, .. }, Err(code)) => reply.error(code),
            (Waiting::Plain(reply), Ok(())) => reply.ok(),
            (Waiting::Plain(reply), Err(code)) => reply.error(code),
            // Nobody listens any more: the thread ended.
            (Waiting::Thread(sender), result) => drop(sender.send(result.map_err(|_| Errno::Io))),
        }
    }
}

/// In the words of the kernel.
fn code(errno: Errno) -> fuser::Errno {
    match errno {
        Errno::Io => fuser::Errno::EIO,
        Errno::NoSpace => fuser::Errno::ENOSPC,
        Errno::Invalid => fuser::Errno::EINVAL,
        Errno::Busy => fuser::Errno::EAGAIN,
    }
}

/// By cookie, what waits.
#[derive(Debug, Default)]
struct Slots {
    held: Vec<Option<Waiting>>,
    free: Vec<u32>,
}

/// All that waits: the front, to the emulator.
#[derive(Debug)]
pub(super) struct Replies {
    id: FrontId,
    slots: Mutex<Slots>,
    /// For its clock. The emulator holds its fronts, and not the other way round.
    shared: Weak<Shared>,
    lateness: Arc<Lateness>,
}

impl Replies {
    pub(super) fn new(shared: &Arc<Shared>, id: FrontId) -> Replies {
        Replies { id, slots: Mutex::default(), shared: Arc::downgrade(shared), lateness: Arc::default() }
    }

    pub(super) fn lateness(&self) -> &Arc<Lateness> {
        &self.lateness
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps it, and says its cookie. Before its request is submitted: another thread may see it complete first.
    pub(super) fn keep(&self, waiting: Waiting) -> u64 {
        let mut slots = self.slots();
        let cookie = slots.free.pop().unwrap_or(slots.held.len() as u32);
        match slots.held.get_mut(cookie as usize) {
            Some(slot) => *slot = Some(waiting),
            None => slots.held.push(Some(waiting)),
        }
        u64::from(cookie)
    }

    /// Gives it back: its request is complete, or was refused.
    pub(super) fn take(&self, cookie: u64) -> Waiting {
        let mut slots = self.slots();
        let waiting = slots.held[cookie as usize].take().expect("each request completes once");
        slots.free.push(cookie as u32);
        waiting
    }

    /// Replies to what is this front's.
    pub(super) fn send_own(&self, batch: &Batch) {
        let own = |completed: &&Completed| completed.request.owner.front == self.id;
        self.send(batch, batch.completed.iter().filter(own));
    }

    /// The kernel has a reply when the call returns: it is as late as that.
    fn send<'a>(&self, batch: &Batch, completed: impl Iterator<Item = &'a Completed> + Clone) {
        for completed in completed.clone() {
            let result = completed.result.as_ref().map(|_| ()).map_err(|errno| *errno);
            self.take(completed.request.owner.cookie).tell(batch.bytes(completed), result);
        }
        let mut due = completed.map(|completed| completed.due).peekable();
        if due.peek().is_some()
            && let Some(shared) = self.shared.upgrade()
        {
            self.lateness.replied(shared.now(), due);
        }
    }
}

impl Front for Replies {
    fn deliver(&self, batch: &Batch, completed: &[&Completed]) {
        self.send(batch, completed.iter().copied());
    }
}
