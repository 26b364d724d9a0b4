//! The stack and the data behind it, in the caller's time.

mod reads;
mod under_way;

use std::ops::Range;

use iobound_model::{
    Blueprint, Change, DiskId, DiskSpec, Event, Outcome, Reconciled, Stack, Start, reconcile,
};
use iobound_units::{Bytes, Instant, Io, Op, Tag};

use crate::batch::{Batch, Completed};
use crate::export::{Export, ExportId, ExportKind, in_sectors, with_single_disks};
use crate::fetch::{Fetches, Late};
use crate::not_built::NotBuilt;
use crate::request::{Action, Errno, Request};
use crate::state::{ExportCounts, Look};
use crate::store::{Backing, Cold, Contents, Durability, Run};
use under_way::UnderWay;

/// The stack and the data behind it. Reads no clock: on a virtual one it is the simulator, with data.
pub struct Emulator {
    stack: Stack,
    blueprint: Blueprint,
    exports: Vec<Export>,
    contents: Contents,
    /// By tag, what is under way.
    requests: Vec<Option<UnderWay>>,
    /// By export, what has been done.
    counts: Vec<ExportCounts>,
    /// Tags that are free; the last one is the next.
    free: Vec<Tag>,
    /// Complete without the model: what had no room.
    failed: Vec<Completed>,
    events: Vec<Event>,
    /// Zeroes of which a fragment is done and others are not.
    unfinished: Vec<Tag>,
    /// Threads that wait for the machine's own disk; without them reads wait in [`Emulator::poll`].
    fetches: Option<Fetches>,
    /// Scratch: empty between calls.
    cold: Cold,
}

impl Emulator {
    /// The stack of a blueprint and of each of its disks alone, for at most `capacity` requests at a time, over one
    /// backing for each disk.
    ///
    /// # Errors
    /// Returns an error if the blueprint contradicts itself or divides sectors, or a stack cannot hold so many
    /// requests.
    pub fn new(
        blueprint: &Blueprint,
        start: &Start,
        capacity: usize,
        backings: Vec<Box<dyn Backing>>,
    ) -> Result<Emulator, NotBuilt> {
        let volumes = blueprint.volumes.len();
        in_sectors(blueprint)?;
        let blueprint = with_single_disks(blueprint);
        let stack = Stack::new(&blueprint, start, capacity)?;
        let exports = Export::all(&blueprint, volumes);
        let contents = Contents::new(&blueprint, backings);
        Ok(Emulator {
            stack,
            counts: vec![ExportCounts::default(); exports.len()],
            exports,
            contents,
            blueprint,
            requests: vec![None; capacity],
            free: (0..capacity as u32).rev().map(Tag).collect(),
            failed: Vec::new(),
            events: Vec::with_capacity(1024),
            unfinished: Vec::new(),
            fetches: None,
            cold: Cold::default(),
        })
    }

    /// Exports, by id.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// Parts of the stack, with a volume for each single disk.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The stack: to look at its limiters, to warm its caches.
    pub fn stack(&mut self) -> &mut Stack {
        &mut self.stack
    }

    /// Number of requests more that can be taken.
    pub fn room(&self) -> usize {
        self.free.len()
    }

    /// Takes a request at `now`, with a write's data. It completes in a later [`Emulator::poll`], also if it fails.
    /// Later reads get the data at once. Zeroes that keep their place may be longer than any data: a part of them is
    /// written at once, and each further one when the previous one is complete.
    ///
    /// # Errors
    /// Returns [`Errno::Invalid`] for a range beyond the export or not in whole sectors, and [`Errno::Busy`] without
    /// room. Nothing completes then.
    pub fn submit(&mut self, now: Instant, request: Request, payload: &[u8]) -> Result<(), Errno> {
        let export = self.exports.get(usize::from(request.export.0)).ok_or(Errno::Invalid)?;
        let end = request.offset.checked_add(u64::from(request.len)).ok_or(Errno::Invalid)?;
        let sector = u64::from(Export::SECTOR);
        let is_whole = request.offset.is_multiple_of(sector) && end.is_multiple_of(sector);
        if end > export.size.get() || !is_whole || (request.len == 0 && request.action != Action::Flush) {
            return Err(Errno::Invalid);
        }
        if self.free.is_empty() {
            return Err(Errno::Busy);
        }
        // Ranges that the flusher took before now do not include this write.
        self.stack.poll(now, &mut self.events);
        self.hear();
        let mut under_way = UnderWay { request, since: now, given: 0 };
        let fragment = under_way.next_fragment();
        if let Err(errno) = self.keep(&fragment, payload) {
            self.counts[usize::from(request.export.0)].count(&request, 0, Some(errno));
            self.failed.push(Completed { request, due: now, result: Err(errno) });
            return Ok(());
        }
        let tag = self.free.pop().expect("there is room");
        under_way.given = fragment.len;
        self.requests[tag.0 as usize] = Some(under_way);
        self.stack.submit(now, tag, io_of(&fragment));
        Ok(())
    }

    /// Appends to `runs` what there is of a range of an export, as [`Contents::allocation`] does. Takes no time of the model.
    ///
    /// # Errors
    /// Returns [`Errno::Invalid`] for a range beyond the export, or the error of the store below.
    pub fn allocation(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u64,
        most: usize,
        runs: &mut Vec<Run>,
    ) -> Result<(), Errno> {
        self.check(export, offset, len)?;
        self.contents.allocation(export, offset, len, most, runs)
    }

    fn check(&self, export: ExportId, offset: u64, len: u64) -> Result<(), Errno> {
        let size = self.exports.get(usize::from(export.0)).ok_or(Errno::Invalid)?.size.get();
        let is_within = offset.checked_add(len).is_some_and(|end| end <= size);
        if is_within { Ok(()) } else { Err(Errno::Invalid) }
    }

    /// Effect of a request on the data.
    fn keep(&mut self, request: &Request, payload: &[u8]) -> Result<(), Errno> {
        let Request { export, offset, len, .. } = *request;
        match request.action {
            Action::Write { fua } => {
                assert_eq!(payload.len(), len as usize, "a write with its data");
                self.contents.write(export, offset, payload, durability(fua))
            }
            Action::Zero { fua, allocate: true } => {
                self.contents.zero(export, offset, u64::from(len), durability(fua))
            }
            Action::Trim | Action::Zero { allocate: false, .. } => {
                self.contents.discard(export, offset, u64::from(len))
            }
            Action::Read | Action::Flush => Ok(()),
        }
    }

    /// Tells the data what the model says of it; completions wait for the next poll.
    fn hear(&mut self) {
        let contents = &mut self.contents;
        self.events.retain(|event| {
            let is_done = matches!(event, Event::Done { .. });
            if !is_done {
                contents.hear(event);
            }
            is_done
        });
    }

    /// Everything that is complete by `now`, with the data of reads.
    pub fn poll(&mut self, now: Instant, batch: &mut Batch) {
        self.stack.poll(now, &mut self.events);
        batch.completed.append(&mut self.failed);
        if self.fetches.as_ref().is_some_and(|fetches| !fetches.is_empty()) {
            self.take_fetched(batch);
        }
        if !self.events.is_empty() {
            self.hear_all(batch);
        }
        while let Some(tag) = self.unfinished.pop() {
            self.go_on(now, tag, batch);
        }
    }

    /// Events of the model, with the requests that they complete.
    fn hear_all(&mut self, batch: &mut Batch) {
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            let Event::Done { tag, at, outcome } = event else {
                self.contents.hear(&event);
                continue;
            };
            let UnderWay { request, given, .. } = self.under_way(tag);
            let result = match (outcome, request.action) {
                (Outcome::Error, _) => Err(Errno::Io),
                (Outcome::Ok, Action::Read) => {
                    self.read(Late::new(tag, at), batch);
                    continue;
                }
                (Outcome::Ok, Action::Flush) => self.contents.flush(request.export).map(|()| 0..0),
                (Outcome::Ok, _) if *given < request.len => {
                    self.unfinished.push(tag);
                    continue;
                }
                (Outcome::Ok, _) => Ok(0..0),
            };
            self.complete(tag, at, result, batch);
        }
        self.events = events;
    }

    #[inline]
    fn under_way(&self, tag: Tag) -> &UnderWay {
        self.requests[tag.0 as usize].as_ref().expect("a request for each tag")
    }

    #[inline]
    fn complete(&mut self, tag: Tag, due: Instant, result: Result<Range<usize>, Errno>, batch: &mut Batch) {
        let UnderWay { request, since, .. } =
            self.requests[tag.0 as usize].take().expect("a request for each tag");
        self.free.push(tag);
        let failed = result.as_ref().err().copied();
        self.counts[usize::from(request.export.0)].count(&request, due.since(since).ns(), failed);
        batch.completed.push(Completed { request, due, result });
    }

    /// Goes on with zeroes of which a fragment is done.
    fn go_on(&mut self, now: Instant, tag: Tag, batch: &mut Batch) {
        let fragment = self.under_way(tag).next_fragment();
        match self.keep(&fragment, &[]) {
            Ok(()) => {
                let under_way = self.requests[tag.0 as usize].as_mut().expect("a request for each tag");
                under_way.given += fragment.len;
                self.stack.submit(now, tag, io_of(&fragment));
            }
            Err(errno) => self.complete(tag, now, Err(errno), batch),
        }
    }

    /// Time of the next completion, if nothing is submitted before; a past time if a completion is ready.
    pub fn next_event(&self) -> Option<Instant> {
        if self.failed.is_empty() && self.events.is_empty() {
            return self.stack.next_event();
        }
        Some(Instant::ZERO)
    }

    /// Changes the stack at `now`; what adds to it is [`Emulator::become_wanted`]'s.
    ///
    /// # Errors
    /// Returns an error if the stack refuses the change.
    pub fn change(&mut self, now: Instant, change: Change) -> Result<(), NotBuilt> {
        self.stack.poll(now, &mut self.events);
        self.hear();
        self.stack.change(now, change.clone())?;
        self.blueprint.apply(&change);
        if let Change::Disk(id, spec) = change {
            self.contents.change(id, &spec);
        }
        Ok(())
    }

    /// Changes the stack, at `now`, to the one that `wanted` builds. Existing parts stay and are changed; new ones are
    /// added, with a backing for each new disk. Returns the parts that stay although `wanted` differs, as words.
    ///
    /// # Errors
    /// Returns an error if a running stack cannot take this form. Nothing is changed then, except a volume of more
    /// disks than there is room for.
    pub fn become_wanted(
        &mut self,
        now: Instant,
        wanted: &Blueprint,
        mut backing: impl FnMut(&DiskSpec) -> Result<Box<dyn Backing>, NotBuilt>,
    ) -> Result<Vec<String>, NotBuilt> {
        in_sectors(wanted)?;
        let Reconciled { changes, kept, .. } = reconcile(&self.blueprint, &with_single_disks(wanted))?;
        let mut backings = Vec::new();
        for change in &changes {
            if let Change::AddDisk(spec) = change {
                backings.push(backing(spec)?);
            }
        }
        let mut backings = backings.into_iter();
        for change in changes {
            self.change(now, change.clone())?;
            match change {
                Change::AddDisk(spec) => {
                    self.contents.add_disk(&spec, backings.next().expect("a backing for each new disk"));
                }
                Change::AddVolume(spec) => {
                    self.contents.add_volume(&spec, &self.blueprint);
                    let is_volume = wanted.volume(&spec.name).is_some();
                    let kind = if is_volume { ExportKind::Volume } else { ExportKind::Disk };
                    self.exports.push(Export::of(&spec, kind));
                    self.counts.push(ExportCounts::default());
                }
                _ => {}
            }
        }
        Ok(kept)
    }

    /// The VM loses its host at `now`: what is complete by then is in the batch, everything else that was asked for has
    /// failed, the caches are cold, and what the media does not have is gone. The disks are where they were, with what the
    /// media has.
    pub fn crash(&mut self, now: Instant, batch: &mut Batch) {
        self.poll(now, batch);
        self.stack.crash(now);
        self.contents.crash();
        self.fetches.iter_mut().for_each(Fetches::forget);
        for (tag, request) in self.requests.iter_mut().enumerate() {
            if let Some(UnderWay { request, since, .. }) = request.take() {
                self.free.push(Tag(tag as u32));
                let counts = &mut self.counts[usize::from(request.export.0)];
                counts.count(&request, now.since(since).ns(), Some(Errno::Io));
                batch.completed.push(Completed { request, due: now, result: Err(Errno::Io) });
            }
        }
    }

    /// Writes what the host caches have acknowledged to the media, at once and whatever the model says: the end of a server
    /// that closes cleanly.
    ///
    /// # Errors
    /// Returns an error if there is not enough room or the store below fails.
    pub fn settle(&mut self) -> Result<(), Errno> {
        self.contents.settle()
    }

    /// Bytes of a disk that are acknowledged and not on its media: a crash loses them.
    pub fn unsettled(&self, disk: DiskId) -> Bytes {
        self.contents.unsettled(disk)
    }

    /// All that has been done by now; latencies are of the time since the last look.
    pub fn look(&mut self, now: Instant) -> Look {
        let look = self.glance(now);
        self.counts.iter_mut().for_each(|counts| counts.latencies.clear());
        look
    }

    /// As [`Emulator::look`], which stays the last one: the next has the same latencies and those to come.
    pub fn glance(&mut self, now: Instant) -> Look {
        self.stack.poll(now, &mut self.events);
        self.hear();
        let mut look = Look::at_stack(now, &mut self.stack, &self.blueprint);
        look.exports.clone_from(&self.counts);
        look.held = self.contents.held();
        look.under_way = self.requests.len() - self.free.len();
        look
    }

    /// The export of that name.
    pub fn export(&self, name: &str) -> Option<ExportId> {
        self.exports.iter().position(|export| export.name == name).map(|n| ExportId(n as u16))
    }
}

fn durability(fua: bool) -> Durability {
    if fua { Durability::OnMedia } else { Durability::AsCached }
}

/// Operation of the model for a request.
fn io_of(request: &Request) -> Io {
    let (target, offset, len) = (request.export.target(), request.offset, request.len);
    let io = |op, fua| Io { op, target, offset, len, fua };
    match request.action {
        Action::Read => io(Op::Read, false),
        Action::Write { fua } | Action::Zero { fua, .. } => io(Op::Write, fua),
        Action::Trim => io(Op::Discard, false),
        Action::Flush => Io::flush(target),
    }
}
