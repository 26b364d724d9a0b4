//! Experiments one after the other, within a budget.

use iobound_units::{Instant, Op, Span};

use crate::answer::{Cost, Ending};
use crate::step::{Disk, Recording, Step};

/// Why the experiments end.
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

/// Counts of all I/Os in intervals of 10 ms, by target and time, since the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    bins: Vec<(u64, u16, u32, u64)>,
}

const BIN: u64 = 10_000_000;

impl History {
    fn add(&mut self, recording: &Recording) {
        for io in &recording.ios {
            let bin = io.end.ns() / BIN;
            match self.bins.iter_mut().rev().take(8).find(|(at, target, ..)| (*at, *target) == (bin, io.target)) {
                Some((_, _, ios, bytes)) => {
                    *ios += 1;
                    *bytes += u64::from(io.len);
                }
                None => self.bins.push((bin, io.target, 1, u64::from(io.len))),
            }
        }
    }

    /// The most that a target used beyond `per_second` since it began, up to `until`: what a store of credits held that began
    /// full. `of_bytes`: bytes, else I/Os.
    pub(crate) fn overdraft(&self, target: usize, of_bytes: bool, per_second: f64, until: Instant) -> f64 {
        let (mut deficit, mut most, mut last) = (0.0_f64, 0.0_f64, 0u64);
        for (bin, at, ios, bytes) in &self.bins {
            if usize::from(*at) != target || bin * BIN > until.ns() {
                continue;
            }
            let elapsed = (bin - last) as f64 * BIN as f64 / 1e9;
            last = *bin;
            let used = if of_bytes { *bytes as f64 } else { f64::from(*ios) };
            deficit = (deficit - per_second * elapsed).max(0.0) + used;
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

    /// The time.
    pub(crate) fn time(&mut self) -> Instant {
        self.disk.now()
    }

    /// Time that is left.
    pub(crate) fn left(&mut self) -> Span {
        let used = self.disk.now().since(self.began);
        Span::from_ns(self.budget.ns().saturating_sub(used.ns()))
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
        let recording = self.disk.run(&workload).map_err(|error| Halt::Failed(error.why))?;
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
