//! Experiments one after the other, within a budget.

use iobound_units::{Instant, Op, Span};

use crate::answer::{Cost, Ending};
use crate::step::{Completed, Disk, LARGE, Recording, SMALL, Step};

/// Reason why the experiments end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The budget does not hold the next experiment.
    Budget,
    /// The user interrupted.
    Stopped,
    /// Other work kept processors from the client, in the repetition too.
    Starved,
    /// The disk failed.
    Failed(String),
}

impl Halt {
    pub(crate) fn ending(self) -> Ending {
        match self {
            Halt::Budget => Ending::Budget,
            Halt::Stopped => Ending::Stopped,
            Halt::Starved => Ending::Starved,
            Halt::Failed(why) => Ending::Failed(why),
        }
    }
}

/// Numbers of all I/Os by time, target and length, in intervals of 10 ms.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug)]
struct Bin {
    at: u64,
    target: u16,
    len: u32,
    count: u32,
}

const INTERVAL: u64 = 10_000_000;

/// Attempts at an experiment for which the client lacks processor time.
const STARVED_TRIES: usize = 2;

/// A shorter experiment, which was interrupted, has no rate.
const LEAST_SECONDS: f64 = 0.1;

impl History {
    fn add(&mut self, recording: &Recording) {
        for io in &recording.ios {
            let at = io.end.ns() / INTERVAL;
            let same = |bin: &&mut Bin| (bin.at, bin.target, bin.len) == (at, io.target, io.len);
            match self.bins.iter_mut().rev().take(8).find(same) {
                Some(bin) => bin.count += 1,
                None => self.bins.push(Bin { at, target: io.target, len: io.len, count: 1 }),
            }
        }
    }

    /// The most that a target used beyond `per_second` since it began, up to `until`: what a store of credits held that began
    /// full. `charge` is what an I/O of a length counts.
    pub(crate) fn overdraft(
        &self,
        target: usize,
        per_second: f64,
        until: Instant,
        charge: impl Fn(u32) -> f64,
    ) -> f64 {
        let (mut deficit, mut most, mut last) = (0.0_f64, 0.0_f64, 0u64);
        let until = until.ns() / INTERVAL;
        for bin in self.bins.iter().filter(|bin| usize::from(bin.target) == target && bin.at <= until) {
            let elapsed = (bin.at - last) as f64 * INTERVAL as f64 / 1e9;
            last = bin.at;
            deficit = (deficit - per_second * elapsed).max(0.0) + f64::from(bin.count) * charge(bin.len);
            most = most.max(deficit);
        }
        most
    }
}

/// Latencies between those of a cache's hits and of its misses, by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    /// Border for 4 KiB, in seconds.
    small: f64,
    /// Time that each byte beyond 4 KiB adds, in seconds.
    per_byte: f64,
}

impl Border {
    /// The border between the lowest latencies of hits and misses of 4 KiB, and of large hits. Misses that all waited for a limit
    /// would move it too far from the hits.
    pub(crate) fn of(hit: f64, miss: f64, large_hit: f64) -> Border {
        let per_byte = (large_hit - hit).max(0.0) / f64::from(LARGE - SMALL);
        Border { small: (hit * miss).sqrt().min(3.0 * hit), per_byte }
    }

    fn at(&self, len: u32) -> f64 {
        self.small + self.per_byte * f64::from(len.saturating_sub(SMALL))
    }
}

/// The disk, the budget, and what has been used of it.
pub(crate) struct Session<'a> {
    disk: &'a mut dyn Disk,
    began: Instant,
    budget: Span,
    seed: u64,
    pub(crate) cost: Cost,
    pub(crate) history: History,
    /// By target, where it has a cache.
    borders: Vec<Option<Border>>,
    /// The highest rates of each target without hits, in I/Os and in bytes a second.
    reached: Vec<[f64; 2]>,
    /// The least share of the wanted processor time that the client got in an experiment that says nothing for that reason.
    pub(crate) starved: Option<f64>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(disk: &'a mut dyn Disk, budget: Span, seed: u64) -> Session<'a> {
        let began = disk.now();
        let borders = vec![None; disk.targets().len()];
        let reached = vec![[0.0; 2]; borders.len()];
        let (cost, history) = (Cost::default(), History::default());
        Session { disk, began, budget, seed, cost, history, borders, reached, starved: None }
    }

    /// Leaves hits of a target's cache out of all recordings from now on, unless a step wants them.
    pub(crate) fn leave_out_hits(&mut self, target: usize, border: Border) {
        self.borders[target] = Some(border);
    }

    /// Size of a target in bytes.
    pub(crate) fn size(&self, target: usize) -> u64 {
        self.disk.targets()[target].size.get()
    }

    /// The time, on the disk's clock.
    pub(crate) fn now(&mut self) -> Instant {
        self.disk.now()
    }

    /// Time that was used.
    pub(crate) fn used(&mut self) -> Span {
        self.disk.now().since(self.began)
    }

    /// Time that is left.
    pub(crate) fn left(&mut self) -> Span {
        Span::from_ns(self.budget.ns().saturating_sub(self.used().ns()))
    }

    /// Lets the disk rest.
    pub(crate) fn rest(&mut self, time: Span) -> Result<(), Halt> {
        self.check(time)?;
        self.disk.rest(time);
        self.settle();
        if self.disk.is_stopped() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Runs an experiment, with places of its own on the disk.
    pub(crate) fn run(&mut self, step: &Step) -> Result<Recording, Halt> {
        self.seed = self.seed.wrapping_add(1);
        self.run_with(step, self.seed)
    }

    /// The highest rates of a target in any experiment, in I/Os and in bytes a second.
    pub(crate) fn reached(&self, target: usize) -> [f64; 2] {
        self.reached[target]
    }

    /// Runs an experiment; the same seed visits the same places. It is repeated where other work kept processors from the
    /// client: its rates would be those of the client.
    ///
    /// # Errors
    /// Returns [`Halt::Starved`] if the repetition lacks processor time too.
    pub(crate) fn run_with(&mut self, step: &Step, seed: u64) -> Result<Recording, Halt> {
        for _ in 0..STARVED_TRIES {
            let recording = self.once(step, seed)?;
            let Some(got) = recording.starved else { return Ok(recording) };
            self.starved = Some(self.starved.map_or(got, |least| least.min(got)));
        }
        Err(Halt::Starved)
    }

    fn once(&mut self, step: &Step, seed: u64) -> Result<Recording, Halt> {
        self.check(step.time)?;
        let workload = step.workload(self.disk.targets(), seed);
        let mut recording = self.disk.run(&workload).map_err(|error| Halt::Failed(error.what))?;
        for io in &recording.ios {
            self.cost.ios += 1;
            match io.op {
                Op::Write => self.cost.written += u64::from(io.len),
                _ => self.cost.read += u64::from(io.len),
            }
        }
        if !step.with_hits {
            let is_hit = |io: &Completed| {
                let border = self.borders[usize::from(io.target)].filter(|_| io.op == Op::Read);
                border.is_some_and(|border| io.end.since(io.issued).secs_f64() < border.at(io.len))
            };
            recording.ios.retain(|io| !is_hit(io));
        }
        self.history.add(&recording);
        if !step.with_hits {
            self.reach(&recording);
        }
        self.settle();
        // An interrupted experiment is too short to conclude from.
        if self.disk.is_stopped() { Err(Halt::Stopped) } else { Ok(recording) }
    }

    /// Takes in the rates of an experiment.
    fn reach(&mut self, recording: &Recording) {
        let seconds = recording.ended.since(recording.began).secs_f64();
        if seconds < LEAST_SECONDS {
            return;
        }
        let mut sums = vec![[0.0; 2]; self.reached.len()];
        for io in &recording.ios {
            let [ios, bytes] = &mut sums[usize::from(io.target)];
            (*ios, *bytes) = (*ios + 1.0, *bytes + f64::from(io.len));
        }
        for (most, sum) in self.reached.iter_mut().flatten().zip(sums.iter().flatten()) {
            *most = most.max(sum / seconds);
        }
    }

    fn check(&mut self, time: Span) -> Result<(), Halt> {
        if self.disk.is_stopped() {
            return Err(Halt::Stopped);
        }
        if self.left() < time { Err(Halt::Budget) } else { Ok(()) }
    }

    fn settle(&mut self) {
        self.cost.time = self.disk.now().since(self.began);
    }
}
