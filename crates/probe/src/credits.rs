//! Credits of a burst: the number that a full store holds.

use iobound_units::Span;

use crate::answer::{Accounting, Counts, Estimate, Scope};
use crate::bursts::{CREDITS, charge_of};
use crate::cumulative::Cumulative;
use crate::inquiry::Inquiry;
use crate::limit::seconds;
use crate::ramp::deepest;
use crate::session::Halt;
use crate::wanted::Wanted;
use crate::watch::load_until;

/// Error of a count of credits over several experiments, as a share: of the charge and of I/Os under way between them.
const COUNTED: f64 = 0.05;
/// The first rest earns this share of the credits that were seen, at the limit's rate.
const FIRST: f64 = 0.5;
/// Burst of the limit itself, a bucket or a slice, that a count of credits may include: in seconds at the limit's rate.
const HELD: f64 = 2.0;
/// The first rest is at least this many times as long as that.
const FIRST_HELD: f64 = 5.0;
/// The second rest is longer than the errors require, by this share.
const MARGIN: f64 = 0.1;
/// A load after a rest lasts at most this many times as long as what was earned at the expected rate.
const BEYOND: f64 = 1.5;
/// Time in which a load shows that the credits are spent, in seconds.
const SPENT: f64 = 2.0;
/// A store that needs a longer rest is not counted: no budget is longer than a day.
const LONGEST_REST: f64 = 80_000.0;
/// Length of a part of a load, after which it ends if the credits are spent.
const PART: Span = Span::from_secs(5);

/// A burst to count: its limit, and the load that spends its credits.
struct Store {
    /// Place of the limit.
    at: usize,
    /// The limit's rate.
    per_second: Estimate,
    /// Credits that were seen.
    seen: f64,
    /// Credits that a second of load spends.
    surplus: f64,
    /// Credits that a second of rest earns at least, if a rest has shown it.
    earned: Option<f64>,
    wanted: Wanted,
    depth: u32,
}

/// Credits that passed after a rest.
struct Count {
    credits: f64,
    error: f64,
    is_spent: bool,
}

impl Store {
    /// The first rest, in seconds.
    fn first_rest(&self) -> f64 {
        (FIRST * self.seen / self.per_second.value).max(FIRST_HELD * HELD)
    }

    /// The longest load that spends this many credits.
    fn load(&self, credits: f64) -> f64 {
        BEYOND * credits / self.surplus + SPENT
    }

    /// Error of a count that took this many seconds of load: the limit's rate is subtracted for as long.
    fn error(&self, seconds: f64) -> f64 {
        let under_way = 2.0 * f64::from(self.depth) * self.wanted.weight();
        self.per_second.share() * self.per_second.value * seconds + under_way
    }

    /// Credits that a rest earned at least, a second of it.
    fn earned(&self, rest: f64, count: &Count) -> f64 {
        (count.credits - count.error - HELD * self.per_second.value).max(0.0) / rest
    }

    /// A rest that must earn more than the credits that were seen, in seconds; `earned` is what a second of it earns.
    fn second_rest(&self, earned: f64) -> f64 {
        let most = (1.0 + COUNTED) * self.seen + 2.0 * self.error(self.seen / self.surplus);
        (1.0 + MARGIN) * most / earned.max(1e-3 * self.per_second.value)
    }

    /// The time that all of it takes. Until a rest has shown how fast credits come back, that is the limit's rate.
    fn time(&self) -> Span {
        let first = self.first_rest();
        let per_second = self.per_second.value;
        let count = (first * per_second).min(self.seen);
        let expected = Count { credits: count, error: self.error(count / self.surplus), is_spent: true };
        let earned = self.earned.unwrap_or_else(|| self.earned(first, &expected).min(per_second));
        let second = self.second_rest(earned);
        let loads = [0.0, count, self.seen].map(|credits| credits / self.surplus + SPENT + PART.secs_f64());
        seconds(first + second + loads.iter().sum::<f64>())
    }
}

impl Inquiry<'_, '_> {
    /// Credits of each burst that ended, where they were not counted before: what the target used beyond the limit until then, by the
    /// charge that was found. It is a lower bound, because nobody knows how full the store was when the probe began.
    pub(crate) fn burst_sizes(&mut self) {
        let accountings: Vec<Option<Accounting>> =
            self.answer.targets.iter().map(|target| target.accounting).collect();
        for limit in &mut self.answer.limits {
            let Some(burst) = limit.burst.as_mut().filter(|burst| !burst.is_counted()) else { continue };
            let target = limit.targets[0];
            let charge = |len: u32| match limit.counts {
                Counts::Bytes => f64::from(len),
                Counts::Ios => charge_of(accountings[target], len),
            };
            let used = self.session.history.overdraft(target, limit.per_second.value, burst.ended, charge);
            burst.size = Estimate::at_least(used, COUNTED * used);
        }
    }

    /// Targets with bursts of reads of which only a lower bound of the credits is known.
    pub(crate) fn uncounted(&self) -> Vec<(usize, Counts)> {
        let reads = |scope| matches!(scope, Scope::Reads | Scope::Both);
        let own = self.answer.limits.iter().filter(|limit| limit.targets.len() == 1 && reads(limit.scope));
        let open = own
            .filter(|limit| limit.burst.is_some_and(|burst| burst.size.is_at_least() && burst.is_counted()));
        open.map(|limit| (limit.targets[0], limit.counts)).collect()
    }

    /// Spends the credits, and counts them after two rests. The first shows how fast they come back. The second must earn more than
    /// were seen: a count that is lower than that is a full store's.
    pub(crate) fn credits(&mut self, target: usize, counts: Counts) -> Result<(), Halt> {
        let Some(store) = self.store(target, counts) else { return Ok(()) };
        let is_too_slow = |earned| store.second_rest(earned) > LONGEST_REST;
        if store.earned.is_some_and(is_too_slow) {
            return Ok(());
        }
        if self.session.left() < store.time() {
            return Err(Halt::Budget);
        }
        // What earlier pauses earned would look like credits that come back faster.
        self.count_after(&store, 0.0, store.seen)?;
        let first_rest = store.first_rest();
        let first = self.count_after(&store, first_rest, first_rest * store.per_second.value)?;
        // The second rest may take more than the budget has left.
        self.raise_to(&store, first.credits);
        let earned = store.earned(first_rest, &first);
        self.known(target).earned[counts as usize] = Some(earned);
        if is_too_slow(earned) {
            return Ok(());
        }
        let second_rest = store.second_rest(earned);
        let second = self.count_after(&store, second_rest, store.seen)?;
        let (credits, error) = (second.credits, second.error);
        let was_full = first.is_spent && second.is_spent && earned * second_rest > credits + error;
        let counted = COUNTED * store.seen;
        if !was_full || store.seen > credits + error + counted + HELD * store.per_second.value {
            self.raise_to(&store, credits.max(first.credits));
        } else if let Some(burst) = &mut self.answer.limits[store.at].burst {
            let apart = (credits - store.seen).abs();
            burst.size = Estimate::around(credits, apart.max(error).max(counted));
        }
        Ok(())
    }

    /// Raises the lower bound of a burst's credits to those of a count, if they are more than were seen.
    fn raise_to(&mut self, store: &Store, credits: f64) {
        if let Some(burst) = self.answer.limits[store.at].burst.as_mut().filter(|_| credits > store.seen) {
            burst.size = Estimate::at_least(credits, COUNTED * credits);
        }
    }

    /// Rests for this many seconds, and loads until the credits are spent; `expected` are those that the rest earned.
    fn count_after(&mut self, store: &Store, rest: f64, expected: f64) -> Result<Count, Halt> {
        self.session.rest(seconds(rest))?;
        let per_second = store.per_second.value;
        let is_spent =
            |sums: &Cumulative| sums.rate(sums.length() - SPENT, sums.length()) < CREDITS * per_second;
        let at_most = seconds(store.load(expected));
        let (sums, _) = load_until(self.session, &store.wanted, store.depth, [PART, at_most], is_spent)?;
        let (credits, at) = sums.most_beyond(per_second);
        Ok(Count { credits, error: store.error(at), is_spent: is_spent(&sums) })
    }

    /// Time that counting the credits again takes.
    pub(crate) fn credits_time(&self, target: usize, counts: Counts) -> Span {
        self.store(target, counts).map_or(Span::ZERO, |store| store.time())
    }

    fn store(&self, target: usize, counts: Counts) -> Option<Store> {
        let at = self.read_limit(target, counts)?;
        let limit = &self.answer.limits[at];
        let (burst, per_second) = (limit.burst?, limit.per_second);
        let (wanted, ramp) = self.load_at(target, counts);
        let depth = (2.0 * burst.per_second.value / wanted.weight() * ramp.latency).ceil() as u32;
        let store = Store {
            at,
            per_second,
            seen: burst.size.value,
            surplus: (burst.per_second.value - per_second.value).max(0.1 * per_second.value),
            earned: self.known[target].as_ref().and_then(|known| known.earned[counts as usize]),
            depth: depth.clamp(2, deepest(wanted.block)),
            wanted,
        };
        (per_second.value > 0.0).then_some(store)
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
