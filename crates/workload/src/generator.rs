//! The next I/O of a queue: constant time, no allocation after construction.
//!
//! Sequential I/Os follow on from the last I/O of the queue on that target, random or not (DiskSpd's `-rs`), and
//! begin again at the region's start when the next would end beyond it. The operation of each I/O is drawn anew;
//! DiskSpd keeps it within a sequential run, which changes no rate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use iobound_units::{Bytes, Io, Op, Percent, TargetId};

use crate::alias::Alias;
use crate::backlog::Written;
use crate::cap::HeldBack;
use crate::flow::{FlowGroups, FlowMember};
use crate::followers::{Due, Followers};
use crate::offsets::Jumps;
use crate::queue::{Extent, Queue};
use crate::random::{Random, key_of};
use crate::slots::Slots;
use crate::stream::{Stream, align_of};
use crate::tour::Tour;
use crate::{Job, Share, Workload};

/// Draws the I/Os of one queue.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    uniform: Option<Uniform>,
    choice: Option<Alias>,
    kinds: Vec<Kind>,
    places: Vec<QueueTarget>,
    turn: usize,
    followers: Option<Box<Followers>>,
    /// Writes are read back, and nothing else is issued.
    reads_back: bool,
    /// Operations that caps hold back at this moment.
    held: HeldBack,
}

/// A queue whose I/Os differ in nothing but their offset, which is anywhere: what most queues are, drawn without a look at
/// anything else.
#[derive(Clone, Copy, Debug)]
struct Uniform {
    /// The I/O at the region's start.
    first: Io,
    slots: Slots,
}

/// One share of the mix, ready to issue.
#[derive(Clone, Copy, Debug)]
struct Kind {
    op: Op,
    len: u32,
    fua: bool,
    /// Divisor of offsets in a stream.
    align: u64,
    jump: Jump,
}

/// True if an I/O is random.
#[derive(Clone, Copy, Debug)]
enum Jump {
    Always,
    Never,
    /// True if 64 random bits are below this.
    Below(u64),
}

/// A target of the queue.
#[derive(Debug)]
struct QueueTarget {
    target: TargetId,
    start: u64,
    jumps: Jumps,
    stream: Stream,
    tour: Option<Tour>,
    /// Written since its last flush.
    dirty: bool,
}

/// Positions of the shared sequential streams of a run: one atomic cursor for each job and target. Every thread of
/// the run must draw from the same.
///
/// Beside them, what the jobs of each [`Flow`](crate::Flow) group have issued.
#[derive(Clone, Debug, Default)]
pub struct Cursors {
    streams: BTreeMap<(u16, TargetId), Arc<AtomicU64>>,
    groups: FlowGroups,
}

impl Cursors {
    /// Cursors at the start, for all queues of a run.
    pub fn new(queues: &[Queue]) -> Cursors {
        let keys = queues.iter().flat_map(|queue| queue.targets().map(|target| (queue.job, target)));
        Cursors { streams: keys.map(|key| (key, Arc::default())).collect(), groups: FlowGroups::new(queues) }
    }

    /// The place of a queue in its flow group; `None` without one.
    pub fn flow_of(&self, queue: &Queue) -> Option<FlowMember> {
        self.groups.member(queue)
    }

    fn of(&self, job: u16, target: TargetId) -> Arc<AtomicU64> {
        Arc::clone(self.streams.get(&(job, target)).expect("cursors were made for all queues of the run"))
    }
}

impl Workload {
    /// The generators of all queues of a run, in their order.
    pub fn generators(&self, queues: &[Queue]) -> Vec<Generator> {
        self.generators_on(queues, &Cursors::new(queues))
    }

    /// The generators of some queues of a run, such as those of one real thread; `cursors` are those of all.
    pub fn generators_on(&self, queues: &[Queue], cursors: &Cursors) -> Vec<Generator> {
        let generator =
            |queue: &Queue| Generator::new(&self.jobs[usize::from(queue.job)], queue, self.seed, cursors);
        queues.iter().map(generator).collect()
    }

    /// Writes of a job's queues, by queue: the part that was read back during the run, and the rest.
    pub fn written(&self, queues: &[Queue], bytes: &[Bytes]) -> Vec<Written> {
        let of = |(generator, bytes): (&mut Generator, &Bytes)| {
            generator.pass_over_writes(*bytes);
            let left = generator.unread().map_or(*bytes, |unread| unread.min(*bytes));
            Written { read_back: Bytes(bytes.get() - left.get()), left }
        };
        self.generators(queues).iter_mut().zip(bytes).map(of).collect()
    }
}

impl Generator {
    /// The generator of one queue of [`Workload::queues`].
    fn new(job: &Job, queue: &Queue, seed: u64, cursors: &Cursors) -> Generator {
        let first = queue.extents[0].target;
        let of_queue = [seed, u64::from(queue.job), u64::from(queue.thread), u64::from(first.0)];
        // Discards bring their writes along.
        let is_drawn = |share: &&Share| !job.access.trim_first || share.op == Op::Discard;
        let weight = |share: &Share| Some(share).filter(is_drawn).map_or(0, |share| share.weight);
        let weights: Vec<u32> = job.mix.iter().map(weight).collect();
        let kinds = job.mix.iter().map(|share| Kind {
            op: share.op,
            len: if share.op == Op::Flush { 0 } else { share.block },
            fua: job.durable && share.op == Op::Write,
            align: align_of(share.align),
            jump: Jump::new(share.random.unwrap_or(job.access.random)),
        });
        let places = queue.extents.iter().enumerate().map(|(index, extent)| {
            // Offsets are drawn in a zone, where there are zones.
            let zone =
                job.access.strided.map_or(*extent, |zones| Extent { len: zones.range.get(), ..*extent });
            QueueTarget {
                target: extent.target,
                start: extent.start,
                jumps: Jumps::new(job, &zone, seed, key_of(&[key_of(&of_queue), index as u64])),
                stream: Stream::new(job, zone.len, queue.stream, &|| cursors.of(queue.job, extent.target)),
                tour: job.access.strided.map(|zones| Tour::new(zones, extent.len)),
                dirty: false,
            }
        });
        let (kinds, places): (Vec<Kind>, Vec<QueueTarget>) = (kinds.collect(), places.collect());
        let followers = Followers::of(job);
        let is_plain = followers.is_none() && job.reads_back.is_none();
        let mut generator = Generator {
            random: Random::keyed(&of_queue),
            uniform: if is_plain { Uniform::of(&kinds, &places) } else { None },
            choice: (weights.len() > 1).then(|| Alias::new(&weights)),
            kinds,
            places,
            turn: 0,
            followers,
            reads_back: job.reads_back.is_some(),
            held: HeldBack::default(),
        };
        generator.pass_over_writes(queue.passes_over);
        generator
    }

    /// Passes over I/Os until so much of them was written.
    fn pass_over_writes(&mut self, bytes: Bytes) {
        let mut written = 0;
        while written < bytes.get() {
            let io = self.next_of_any();
            written += if io.op == Op::Write { u64::from(io.len) } else { 0 };
        }
    }

    /// Writes that were not read back yet; `None` for a job that reads nothing back.
    fn unread(&self) -> Option<Bytes> {
        Some(self.followers.as_ref()?.backlog.as_ref()?.bytes())
    }

    /// True if the next I/O follows from writes: a flush, or a read of what was written. No arrival time, rate or amount
    /// of work counts it.
    #[inline]
    pub fn follows(&self) -> bool {
        self.followers.as_ref().is_some_and(|followers| followers.are_due())
    }

    /// The next I/O.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "it never ends, so it is no iterator of options")]
    pub fn next(&mut self) -> Io {
        match &self.uniform {
            Some(Uniform { first, slots }) => {
                let offset = first.offset + self.random.below(slots.count) * slots.unit;
                Io { offset, ..*first }
            }
            None if self.reads_back => self.next_read_back(),
            None => self.next_of_any(),
        }
    }

    /// The next I/O, of any operation but these; the mix has another.
    pub fn next_other_than(&mut self, held: HeldBack) -> Io {
        self.held = held;
        let io = self.next();
        self.held = HeldBack::default();
        io
    }

    /// The next write as a read. A queue of a job that writes nothing has nothing to read back, and does not ask.
    #[cold]
    fn next_read_back(&mut self) -> Io {
        loop {
            let io = self.next_of_any();
            if io.op == Op::Write {
                return Io { op: Op::Read, fua: false, ..io };
            }
        }
    }

    #[inline]
    fn next_of_any(&mut self) -> Io {
        match self.followers.as_mut().and_then(|followers| followers.next()) {
            None => {}
            Some(Due::Io(io)) => return io,
            Some(Due::Flush) => return self.next_flush(),
        }
        let share = self.draw_share();
        let mut kind = self.kinds[share];
        let place = &mut self.places[self.turn];
        if kind.op == Op::Flush {
            let target = place.target;
            self.pass_turn();
            return Io::flush(target);
        }
        let zone = match &mut place.tour {
            None => 0,
            Some(tour) => {
                if tour.next_zone() {
                    place.jumps.restart();
                    place.stream.restart();
                }
                tour.at
            }
        };
        let jumps = match kind.jump {
            Jump::Always => true,
            Jump::Never => false,
            Jump::Below(bound) => self.random.bits() < bound,
        };
        let offset = if jumps {
            let (offset, len) = place.jumps.draw(share, kind.len, &mut self.random);
            kind.len = len;
            place.stream.jumped(offset, kind.len);
            offset
        } else {
            if !place.stream.fits(kind.len, kind.align) {
                kind = largest_that_fits(&self.kinds, kind, &place.stream);
            }
            place.stream.draw(kind.len, kind.align)
        };
        let io = Io {
            offset: place.start + zone + offset,
            len: kind.len,
            target: place.target,
            op: kind.op,
            fua: kind.fua,
        };
        if let Some(tour) = &mut place.tour {
            tour.moved += u64::from(kind.len);
        }
        if let Some(followers) = &mut self.followers {
            place.dirty |= followers.drawn(io);
        }
        self.pass_turn();
        io
    }

    #[inline]
    fn draw_share(&mut self) -> usize {
        let Some(choice) = &self.choice else { return 0 };
        loop {
            let share = choice.choose(&mut self.random);
            if !self.held.contains(self.kinds[share].op) {
                return share;
            }
        }
    }

    #[inline]
    fn pass_turn(&mut self) {
        if self.places.len() > 1 {
            self.turn += 1;
            if self.turn == self.places.len() {
                self.turn = 0;
            }
        }
    }

    /// A flush of the first target written since its last one; after the last of them, writes count anew.
    #[cold]
    fn next_flush(&mut self) -> Io {
        let mut written = self.places.iter_mut().filter(|place| place.dirty);
        let place = written.next().expect("flushes are due after a write");
        let more = written.next().is_some();
        place.dirty = false;
        let target = place.target;
        if let (false, Some(followers)) = (more, &mut self.followers) {
            followers.flushed();
        }
        Io::flush(target)
    }
}

/// The largest kind of the same operation that ends inside the region, so that sequential I/Os of several sizes reach
/// its end; `kind` where none does.
#[cold]
fn largest_that_fits(kinds: &[Kind], kind: Kind, stream: &Stream) -> Kind {
    let smaller = kinds.iter().filter(|other| other.op == kind.op && stream.fits(other.len, other.align));
    smaller.max_by_key(|other| other.len).copied().unwrap_or(kind)
}

impl Uniform {
    fn of(kinds: &[Kind], places: &[QueueTarget]) -> Option<Uniform> {
        let ([kind], [place]) = (kinds, places) else { return None };
        let Kind { op, len, fua, jump: Jump::Always, .. } = *kind else { return None };
        // Where every I/O jumps, it is nobody's business where a stream would go on.
        match &place.jumps {
            Jumps::Uniform(slots) if op != Op::Flush && place.tour.is_none() => {
                let first = Io { offset: place.start, len, target: place.target, op, fua };
                Some(Uniform { first, slots: slots[0] })
            }
            _ => None,
        }
    }
}

impl Jump {
    fn new(random: Percent) -> Jump {
        match random {
            Percent::HUNDRED => Jump::Always,
            Percent::ZERO => Jump::Never,
            some => Jump::Below(((u128::from(some.ppm()) << 64) / 1_000_000) as u64),
        }
    }
}
