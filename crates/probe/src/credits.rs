//! Credits of a burst: the number that a full store holds.

use iobound_units::Span;

use crate::answer::{Accounting, Counts, Estimate, Scope};
use crate::bursts::{CREDITS, charge_of};
use crate::inquiry::Inquiry;
use crate::limit::seconds;
use crate::ramp::deepest;
use crate::session::Halt;

/// Error of a count of credits, as a share.
const COUNTED: f64 = 0.05;
/// A rest earns this many times the credits that were seen: a store that was full holds no more than it did.
const EARNED: f64 = 1.25;
/// Counts that differ by less than this share are of the same full store; a larger store gives all that the rest earned.
const SAME: f64 = 0.1;
/// The load after the rest lasts this many times as long as the credits, so that their end is seen.
const BEYOND: f64 = 1.5;

/// A rest that earns more than the credits that were seen, and a load that spends them.
#[derive(Clone, Copy)]
struct Refill {
    rest: Span,
    load: Span,
    depth: u32,
}

impl Inquiry<'_, '_> {
    /// Credits of each burst that ended: what the target used beyond the limit until then, by the charge that was found. It is a
    /// lower bound, because nobody knows how full the store was when the probe began.
    pub(crate) fn burst_sizes(&mut self) {
        let accountings: Vec<Option<Accounting>> =
            self.answer.targets.iter().map(|target| target.accounting).collect();
        for limit in &mut self.answer.limits {
            let Some(burst) = &mut limit.burst else { continue };
            let target = limit.targets[0];
            let charge = |len: u32| match limit.counts {
                Counts::Bytes => f64::from(len),
                Counts::Ios => charge_of(accountings[target], len),
            };
            let used = self.session.history.overdraft(target, limit.per_second.value, burst.ended, charge);
            if burst.size.is_at_least() {
                burst.size = Estimate::at_least(used, COUNTED * used);
            }
        }
    }

    /// Targets with bursts of reads of which only a lower bound of the credits is known.
    pub(crate) fn uncounted(&self) -> Vec<(usize, Counts)> {
        let reads = |scope| matches!(scope, Scope::Reads | Scope::Both);
        let own = self.answer.limits.iter().filter(|limit| limit.targets.len() == 1 && reads(limit.scope));
        let open = own.filter(|limit| {
            limit.burst.is_some_and(|burst| burst.size.is_at_least() && burst.size.value > 0.0)
        });
        open.map(|limit| (limit.targets[0], limit.counts)).collect()
    }

    /// Rests until a store that was full when the probe began is full again, and counts its credits once more. The same number
    /// shows that it was full; a higher one is a better lower bound.
    pub(crate) fn credits(&mut self, target: usize, counts: Counts) -> Result<(), Halt> {
        let (Some(refill), Some(at)) = (self.refill(target, counts), self.read_limit(target, counts)) else {
            return Ok(());
        };
        if self.session.left() < refill.rest + refill.load {
            return Err(Halt::Budget);
        }
        self.session.rest(refill.rest)?;
        let (wanted, _) = self.load_at(target, counts);
        let recording = self.session.run(&wanted.step(refill.depth, refill.load))?;
        let sums = wanted.cumulative(&recording, 0.02);
        let limit = &mut self.answer.limits[at];
        let Some(burst) = &mut limit.burst else { return Ok(()) };
        let is_spent = sums.rate(0.8 * sums.length(), sums.length()) < CREDITS * limit.per_second.value;
        let (seen, again) = (burst.size.value, sums.most_beyond(limit.per_second.value));
        let apart = (again / seen - 1.0).abs();
        if is_spent && apart < SAME {
            burst.size = Estimate::around(seen, apart.max(COUNTED) * seen);
        } else if again > seen {
            burst.size = Estimate::at_least(again, COUNTED * again);
        }
        Ok(())
    }

    /// Time that counting the credits again takes.
    pub(crate) fn credits_time(&self, target: usize, counts: Counts) -> Span {
        self.refill(target, counts).map_or(Span::ZERO, |refill| refill.rest + refill.load)
    }

    fn refill(&self, target: usize, counts: Counts) -> Option<Refill> {
        let limit = &self.answer.limits[self.read_limit(target, counts)?];
        let (burst, per_second) = (limit.burst?, limit.per_second.value);
        if per_second <= 0.0 {
            return None;
        }
        let earned = EARNED * burst.size.value;
        let surplus = (burst.per_second.value - per_second).max(0.1 * per_second);
        let (wanted, ramp) = self.load_at(target, counts);
        let depth = (2.0 * burst.per_second.value / wanted.weight() * ramp.latency).ceil() as u32;
        Some(Refill {
            rest: seconds(earned / per_second),
            load: seconds(BEYOND * earned / surplus + 2.0),
            depth: depth.clamp(2, deepest(wanted.block)),
        })
    }

    /// A sentence for each burst that may have more credits than were seen.
    pub(crate) fn note_uncounted(&mut self) {
        for (target, counts) in self.uncounted() {
            let what = if counts == Counts::Ios { "IOPS" } else { "throughput" };
            self.note(
                target,
                format!("a burst of {what} may have more credits than were seen: the probe does not know how full they were when it began"),
            );
        }
    }
}
