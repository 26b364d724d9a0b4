//! Requests of the kernel on their way to the emulator.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};

use fuser::{ReplyData, ReplyEmpty, ReplyWrite};

use super::replies::{Replies, Waiting};
use crate::batch::Batch;
use crate::export::{Export, ExportId};
use crate::request::{Action, Errno, FrontId, Owner, Request};
use crate::shared::Shared;
use crate::store::Cold;

const SECTOR: u64 = Export::SECTOR as u64;
/// A range of more is several requests: the most whole MiB that one holds.
const LONGEST: u64 = u32::MAX as u64 / (1 << 20) * (1 << 20);
/// Memory for data that a thread keeps, in bytes: a burst of many replies takes more, and gives it back.
const KEPT: usize = 64 << 20;

/// Number of times that data around a write is fetched before it is waited for with everybody else.
const MOST_TRIES: u32 = 3;

/// Mode of an open file, which decides the meaning of a range that is not of whole sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// As a disk: whole sectors only.
    Direct,
    /// As a file: any range. The sectors that it begins and ends in are completed from the data.
    Buffered,
}

/// True if a write has gone to the emulator, or waits for what is around it.
enum Submitted {
    Whole,
    Cold,
}

/// Requested range, and the whole sectors around it.
struct SectorSpan {
    asked: Range<u64>,
    whole: Range<u64>,
}

impl SectorSpan {
    fn of(asked: Range<u64>) -> SectorSpan {
        let whole = asked.start / SECTOR * SECTOR..asked.end.next_multiple_of(SECTOR);
        SectorSpan { asked, whole }
    }

    fn skip(&self) -> usize {
        (self.asked.start - self.whole.start) as usize
    }

    fn take(&self) -> usize {
        (self.asked.end - self.asked.start) as usize
    }

    fn len(&self) -> u32 {
        (self.whole.end - self.whole.start) as u32
    }
}

fn is_whole(offset: u64, len: u64) -> bool {
    (offset | len).is_multiple_of(SECTOR)
}

/// Objects that a thread needs while it speaks to the emulator.
#[derive(Default)]
struct Room {
    batch: Batch,
    refused: Vec<(Request, Errno)>,
}

/// The emulator as this front sees it.
pub(super) struct FuseServer {
    shared: Arc<Shared>,
    id: FrontId,
    replies: Arc<Replies>,
    /// Of threads that are not at work: their memory is kept.
    rooms: Mutex<Vec<Room>>,
}

impl FuseServer {
    pub(super) fn new(shared: &Arc<Shared>, id: FrontId, replies: &Arc<Replies>) -> FuseServer {
        FuseServer { shared: Arc::clone(shared), id, replies: Arc::clone(replies), rooms: Mutex::default() }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    fn size(&self, export: ExportId) -> Option<u64> {
        self.shared.lock().exports().get(usize::from(export.0)).map(|export| export.size.get())
    }

    fn in_room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        let rooms = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = rooms().pop().unwrap_or_default();
        let done = work(&mut room);
        room.batch.keep_at_most(KEPT);
        rooms().push(room);
        done
    }

    fn request(&self, cookie: u64, export: ExportId, action: Action, range: &Range<u64>) -> Request {
        let owner = Owner { front: self.id, connection: 0, cookie };
        Request { owner, export, action, offset: range.start, len: (range.end - range.start) as u32 }
    }

    /// Requests a range of whole sectors. Waits while there is no room for it: the kernel keeps later requests.
    ///
    /// # Errors
    /// Returns the refused range with its waiting request.
    fn ask(
        &self,
        export: ExportId,
        action: Action,
        range: Range<u64>,
        payload: &[u8],
        waiting: Waiting,
    ) -> Result<(), (Waiting, Errno)> {
        let cookie = self.replies.keep(waiting);
        let request = self.request(cookie, export, action, &range);
        self.in_room(|Room { batch, refused }| {
            loop {
                self.shared.enter(self.id, [(request, payload)], refused, batch);
                self.replies.send_own(batch);
                match refused.pop() {
                    None => return Ok(()),
                    Some((_, Errno::Busy)) => self.shared.wait_for_room(),
                    Some((_, errno)) => return Err((self.replies.take(cookie), errno)),
                }
            }
        })
    }

    /// Makes the request, and reports a refusal to its client, too.
    fn ask_or_tell(
        &self,
        export: ExportId,
        action: Action,
        range: Range<u64>,
        payload: &[u8],
        waiting: Waiting,
    ) {
        if let Err((waiting, errno)) = self.ask(export, action, range, payload, waiting) {
            waiting.tell(&[], Err(errno));
        }
    }

    pub(super) fn read(&self, export: ExportId, offset: u64, len: u32, access: Access, reply: ReplyData) {
        let range = offset..offset.saturating_add(u64::from(len));
        let mut waiting = Waiting::Read { reply, skip: 0, take: len as usize };
        let is_whole = is_whole(offset, u64::from(len));
        if !is_whole && access == Access::Direct {
            return waiting.tell(&[], Err(Errno::Invalid));
        }
        if is_whole && !range.is_empty() {
            match self.ask(export, Action::Read, range.clone(), &[], waiting) {
                // Past the end: what there is before it is read, as of any file.
                Err((refused, Errno::Invalid)) => waiting = refused,
                Err((refused, errno)) => return refused.tell(&[], Err(errno)),
                Ok(()) => return,
            }
        }
        let Waiting::Read { reply, .. } = waiting else { unreachable!("it is given back as it was") };
        let Some(size) = self.size(export) else { return reply.error(fuser::Errno::ENOENT) };
        if range.is_empty() || range.start >= size {
            return reply.data(&[]);
        }
        let sectors = SectorSpan::of(range.start..range.end.min(size));
        let waiting = Waiting::Read { reply, skip: sectors.skip(), take: sectors.take() };
        self.ask_or_tell(export, Action::Read, sectors.whole, &[], waiting);
    }

    pub(super) fn write(
        &self,
        export: ExportId,
        offset: u64,
        data: &[u8],
        (access, fua): (Access, bool),
        reply: ReplyWrite,
    ) {
        let range = offset..offset.saturating_add(data.len() as u64);
        let mut waiting = Waiting::Write { reply, len: data.len() as u32 };
        let is_whole = is_whole(offset, data.len() as u64);
        if !is_whole && access == Access::Direct {
            return waiting.tell(&[], Err(Errno::Invalid));
        }
        if is_whole && !range.is_empty() {
            match self.ask(export, Action::Write { fua }, range.clone(), data, waiting) {
                // Past the end: what fits before it is written, and nothing where nothing does, as on any disk.
                Err((refused, Errno::Invalid)) => waiting = refused,
                Err((refused, errno)) => return refused.tell(&[], Err(errno)),
                Ok(()) => return,
            }
        }
        let Waiting::Write { reply, .. } = waiting else { unreachable!("it is given back as it was") };
        let Some(size) = self.size(export) else { return reply.error(fuser::Errno::ENOENT) };
        if range.is_empty() {
            return reply.written(0);
        }
        if range.start >= size {
            return reply.error(fuser::Errno::ENOSPC);
        }
        let sectors = SectorSpan::of(range.start..range.end.min(size));
        let waiting = Waiting::Write { reply, len: sectors.take() as u32 };
        self.complete_and_write(export, &sectors, &data[..sectors.take()], fua, waiting);
    }

    /// Writes the sectors of the data, with their existing content before and after it. One lock makes two writes to
    /// the same sector both take effect. The model sees only the write: a system's page cache, which is bypassed here,
    /// would usually have the rest of the sector.
    fn complete_and_write(
        &self,
        export: ExportId,
        sectors: &SectorSpan,
        data: &[u8],
        fua: bool,
        waiting: Waiting,
    ) {
        let cookie = self.replies.keep(waiting);
        let request = self.request(cookie, export, Action::Write { fua }, &sectors.whole);
        let mut whole = Vec::with_capacity(sectors.len() as usize);
        let (mut cold, mut tries) = (Cold::default(), 0);
        loop {
            let submitted = {
                let mut emulator = self.shared.lock();
                whole.clear();
                let leaves = (tries < MOST_TRIES).then_some(&mut cold);
                let peeked = emulator.peek(export, sectors.whole.start, sectors.len(), &mut whole, leaves);
                peeked.and_then(|()| {
                    if !cold.is_empty() {
                        return Ok(Submitted::Cold);
                    }
                    whole[sectors.skip()..sectors.skip() + sectors.take()].copy_from_slice(data);
                    emulator.submit(self.shared.now(), request, &whole).map(|()| Submitted::Whole)
                })
            };
            // Outside the lock, so that nothing else waits for the machine's own disk.
            let fetched = submitted.and_then(|submitted| cold.fetch().map(|()| submitted));
            match fetched {
                Ok(Submitted::Whole) => break,
                Ok(Submitted::Cold) => tries += 1,
                Err(Errno::Busy) => self.shared.wait_for_room(),
                Err(errno) => return self.replies.take(cookie).tell(&[], Err(errno)),
            }
        }
        self.move_on();
    }

    /// Replies to what is complete, and sees that the pacer knows what comes next.
    fn move_on(&self) {
        self.in_room(|Room { batch, refused }| {
            self.shared.enter(self.id, [], refused, batch);
            self.replies.send_own(batch);
        });
    }

    pub(super) fn flush(&self, export: ExportId, reply: ReplyEmpty) {
        self.ask_or_tell(export, Action::Flush, 0..0, &[], Waiting::Plain(reply));
    }

    /// Makes a range zeroes, and frees its place unless it is to be `kept`. As on a disk: whole sectors before the end.
    pub(super) fn clear(
        self: &Arc<Self>,
        export: ExportId,
        range: Range<u64>,
        kept: bool,
        reply: ReplyEmpty,
    ) {
        let is_inside = self.size(export).is_some_and(|size| range.end <= size);
        if range.is_empty() || !is_whole(range.start, range.end) || !is_inside {
            return reply.error(fuser::Errno::EINVAL);
        }
        let action = if kept { Action::Zero { fua: false, allocate: true } } else { Action::Trim };
        if range.end - range.start <= LONGEST {
            return self.ask_or_tell(export, action, range, &[], Waiting::Plain(reply));
        }
        // One after the other, on a thread of its own, so that the thread that reads the kernel's requests does not
        // wait for the model. Without a thread the reply is dropped, and the kernel gets an I/O error.
        let server = Arc::clone(self);
        let work = move || {
            let starts = range.clone().step_by(LONGEST as usize);
            let mut fragments = starts.map(|start| start..range.end.min(start + LONGEST));
            match fragments.try_for_each(|fragment| server.wait_for(export, action, fragment)) {
                Ok(()) => reply.ok(),
                Err(errno) => Waiting::Plain(reply).tell(&[], Err(errno)),
            }
        };
        let _ = std::thread::Builder::new().name("fuse-clear".into()).spawn(work);
    }

    /// Asks, and waits until it is complete.
    fn wait_for(&self, export: ExportId, action: Action, range: Range<u64>) -> Result<(), Errno> {
        let (sender, receiver) = sync_channel(1);
        self.ask_or_tell(export, action, range, &[], Waiting::Thread(sender));
        receiver.recv().unwrap_or(Err(Errno::Io))
    }
}
