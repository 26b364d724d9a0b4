//! The next I/O of a lane: constant time, no allocation after construction.
//!
//! Sequential I/Os follow on from the last I/O of the lane on that target, random or not (DiskSpd's `-rs`), and
//! begin again at the region's start when the next would end beyond it. The operation of each I/O is drawn anew;
//! DiskSpd keeps it within a sequential run, which changes no rate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use iobound_units::{Io, Op, Percent, TargetId};

use crate::alias::Alias;
use crate::lane::Lane;
use crate::offsets::Jumps;
use crate::random::{Random, key_of};
use crate::slots::Slots;
use crate::stream::Stream;
use crate::{Job, Workload};

/// Draws the I/Os of one lane.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    uniform: Option<Uniform>,
    choice: Option<Alias>,
    kinds: Vec<Kind>,
    places: Vec<Place>,
    turn: usize,
    flushes: Option<Flushes>,
}

/// A lane whose I/Os differ in nothing but their offset, which is anywhere: what most lanes are, drawn without a look at
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
    jump: Jump,
}

/// Whether an I/O is random.
#[derive(Clone, Copy, Debug)]
enum Jump {
    Always,
    Never,
    /// Where 64 random bits are below this.
    Below(u64),
}

/// A target of the lane.
#[derive(Debug)]
struct Place {
    target: TargetId,
    start: u64,
    jumps: Jumps,
    stream: Stream,
    /// Written since its last flush.
    dirty: bool,
}

/// A flush of every written target after a number of writes.
#[derive(Clone, Copy, Debug)]
struct Flushes {
    every: u64,
    /// Writes until the next; at zero, flushes are due.
    left: u64,
}

/// Where the shared sequential streams of a run stand: one atomic cursor for each job and target. Every thread of
/// the run must draw from the same.
#[derive(Clone, Debug, Default)]
pub struct Cursors(BTreeMap<(u16, TargetId), Arc<AtomicU64>>);

impl Cursors {
    /// Cursors at the start, for all lanes of a run.
    pub fn new(lanes: &[Lane]) -> Cursors {
        let keys = lanes.iter().flat_map(|lane| lane.targets().map(|target| (lane.job, target)));
        Cursors(keys.map(|key| (key, Arc::default())).collect())
    }

    fn of(&self, job: u16, target: TargetId) -> Arc<AtomicU64> {
        Arc::clone(self.0.get(&(job, target)).expect("cursors were made for all lanes of the run"))
    }
}

impl Workload {
    /// The generators of all lanes of a run, in their order.
    pub fn generators(&self, lanes: &[Lane]) -> Vec<Generator> {
        self.generators_on(lanes, &Cursors::new(lanes))
    }

    /// The generators of some lanes of a run, such as those of one real thread; `cursors` are those of all.
    pub fn generators_on(&self, lanes: &[Lane], cursors: &Cursors) -> Vec<Generator> {
        let generator =
            |lane: &Lane| Generator::new(&self.jobs[usize::from(lane.job)], lane, self.seed, cursors);
        lanes.iter().map(generator).collect()
    }
}

impl Generator {
    /// The generator of one lane of [`Workload::lanes`].
    fn new(job: &Job, lane: &Lane, seed: u64, cursors: &Cursors) -> Generator {
        let first = lane.extents[0].target;
        let of_lane = [seed, u64::from(lane.job), u64::from(lane.thread), u64::from(first.0)];
        let weights: Vec<u32> = job.mix.iter().map(|share| share.weight).collect();
        let kinds = job.mix.iter().map(|share| Kind {
            op: share.op,
            len: if share.op == Op::Flush { 0 } else { share.block },
            fua: job.durable && share.op == Op::Write,
            jump: Jump::new(share.random.unwrap_or(job.access.random)),
        });
        let places = lane.extents.iter().enumerate().map(|(index, extent)| Place {
            target: extent.target,
            start: extent.start,
            jumps: Jumps::new(job, extent, seed, key_of(&[key_of(&of_lane), index as u64])),
            stream: Stream::new(job, extent.len, lane.stream, &|| cursors.of(lane.job, extent.target)),
            dirty: false,
        });
        let (kinds, places): (Vec<Kind>, Vec<Place>) = (kinds.collect(), places.collect());
        Generator {
            random: Random::keyed(&of_lane),
            uniform: if job.flush_every.is_none() { Uniform::of(&kinds, &places) } else { None },
            choice: (weights.len() > 1).then(|| Alias::new(&weights)),
            kinds,
            places,
            turn: 0,
            flushes: job.flush_every.map(|every| Flushes { every, left: every }),
        }
    }

    /// Whether the next I/O is a flush after writes, which no arrival time or rate counts.
    #[inline]
    pub fn flush_due(&self) -> bool {
        matches!(self.flushes, Some(Flushes { left: 0, .. }))
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
            None => self.next_of_any(),
        }
    }

    #[inline]
    fn next_of_any(&mut self) -> Io {
        if self.flush_due() {
            return self.next_flush();
        }
        let share = self.choice.as_ref().map_or(0, |choice| choice.choose(&mut self.random));
        let kind = self.kinds[share];
        let place = &mut self.places[self.turn];
        if kind.op == Op::Flush {
            let target = place.target;
            self.pass_turn();
            return Io::flush(target);
        }
        let jumps = match kind.jump {
            Jump::Always => true,
            Jump::Never => false,
            Jump::Below(bound) => self.random.bits() < bound,
        };
        let offset = if jumps {
            let offset = place.jumps.draw(share, &mut self.random);
            place.stream.jumped(offset, kind.len);
            offset
        } else {
            place.stream.draw(kind.len)
        };
        let io = Io {
            offset: place.start + offset,
            len: kind.len,
            target: place.target,
            op: kind.op,
            fua: kind.fua,
        };
        if let (Some(flushes), Op::Write) = (&mut self.flushes, kind.op) {
            place.dirty = true;
            flushes.left -= 1;
        }
        self.pass_turn();
        io
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
        if let (false, Some(flushes)) = (more, &mut self.flushes) {
            flushes.left = flushes.every;
        }
        Io::flush(target)
    }
}

impl Uniform {
    fn of(kinds: &[Kind], places: &[Place]) -> Option<Uniform> {
        let ([kind], [place]) = (kinds, places) else { return None };
        let Kind { op, len, fua, jump: Jump::Always } = *kind else { return None };
        // Where every I/O jumps, it is nobody's business where a stream would go on.
        match &place.jumps {
            Jumps::Uniform(slots) if op != Op::Flush => {
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
