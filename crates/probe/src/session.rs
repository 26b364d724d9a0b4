//! Experiments one after the other, within a budget.

use iobound_units::{Instant, Op, Span};

use crate::answer::{Cost, Ending};
use crate::step::{Disk, Recording, Step};

/// Reason why the experiments end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The budget does not hold the next experiment.
    Budget,
    /// The user interrupted.
    Stopped,
    /// The disk failed.
    Failed(String),
}

impl Halt {
    pub(crate) fn ending(self) -> Ending {
        match self {
            Halt::Budget => Ending::Budget,
            Halt::Stopped => Ending::Stopped,
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

/// The disk, the budget, and what has been used of it.
pub(crate) struct Session<'a> {
    disk: &'a mut dyn Disk,
    began: Instant,
    budget: Span,
    seed: u64,
    pub(crate) cost: Cost,
    pub(crate) history: History,
}

impl<'a> Session<'a> {
    pub(crate) fn new(disk: &'a mut dyn Disk, budget: Span, seed: u64) -> Session<'a> {
        let began = disk.now();
        Session { disk, began, budget, seed, cost: Cost::default(), history: History::default() }
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

    /// Runs an experiment; the same seed visits the same places.
    pub(crate) fn run_with(&mut self, step: &Step, seed: u64) -> Result<Recording, Halt> {
        self.check(step.time)?;
        let workload = step.workload(self.disk.targets(), seed);
        let recording = self.disk.run(&workload).map_err(|error| Halt::Failed(error.what))?;
        for io in &recording.ios {
            self.cost.ios += 1;
            match io.op {
                Op::Write => self.cost.written += u64::from(io.len),
                _ => self.cost.read += u64::from(io.len),
            }
        }
        self.history.add(&recording);
        self.settle();
        // An interrupted experiment is too short to conclude from.
        if self.disk.is_stopped() { Err(Halt::Stopped) } else { Ok(recording) }
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
