//! Bursts, what is measured below them, and figures that are measured again.

use iobound_units::{Bytes, Span};

use crate::answer::{Accounting, Burst, Counts, FoundLimit, Noise, Scope};
use crate::arithmetic::squared;
use crate::inquiry::Inquiry;
use crate::limit::sustained;
use crate::question::Figure;
use crate::ramp::{Ramp, quantile};
use crate::session::Halt;
use crate::sizes::{SPENDING, merging};
use crate::step::{Completed, Mix, SMALL, Step};
use crate::wanted::Wanted;
use crate::watch::{burst_rate, watch};

/// Time to measure charges again after a burst: a limit is loaded to see one end only where the budget holds this as well.
pub(crate) const AFTER_BURST: Span = Span::from_secs(18);
/// Rates that differ by less than this share are one limit.
const SAME: f64 = 0.03;
/// A throughput limit that fell and what the limit in I/Os lets through differ by less than this share: each is known to a few percent.
const SAME_AFTER_FALL: f64 = 0.07;
/// A rate above this many times the limit below a burst comes from credits.
pub(crate) const CREDITS: f64 = 1.1;
/// A shorter time shows no burst that was not seen before.
pub(crate) const LEAST_WATCH: Span = Span::from_secs(5);

impl Inquiry<'_, '_> {
    /// Reads that are held by a target's own limit, with the depth ramp of them.
    pub(crate) fn load_at(&self, target: usize, counts: Counts) -> (Wanted, Ramp) {
        let known = self.known[target].as_ref().expect("the limit in I/Os is looked for first");
        let (block, ramp) = match (counts, &known.bytes) {
            (Counts::Bytes, Some((block, ramp))) => (*block, ramp),
            _ => (SMALL, &known.ios),
        };
        (self.wanted(target, counts, Scope::Reads, block), ramp.clone())
    }

    /// The limit of reads of a target, alone or shared with writes, by its place.
    pub(crate) fn read_limit(&self, target: usize, counts: Counts) -> Option<usize> {
        [Scope::Reads, Scope::Both].into_iter().find_map(|scope| self.place(target, counts, scope))
    }

    /// Time for which a limit is loaded first. A burst of throughput is rarer than one of IOPS, and large I/Os have loaded it for longer
    /// before.
    pub(crate) fn watch_time(&self, counts: Counts) -> Span {
        match counts {
            Counts::Ios => self.settings.watch,
            Counts::Bytes => Span::from_ns(self.settings.watch.ns() / 2),
        }
    }

    /// Time for which a limit is loaded once more: twice that of before, and long enough to see an end.
    pub(crate) fn longer_watch(&self, target: usize, counts: Counts) -> Span {
        let limit = self.read_limit(target, counts).map(|at| &self.answer.limits[at]);
        limit.map_or(LEAST_WATCH, |limit| Span::from_ns(2 * limit.watched.ns()).max(LEAST_WATCH))
    }

    /// Loads a limit for this time, or for what the budget has left: a burst that ends shows a lower limit.
    pub(crate) fn burst(&mut self, target: usize, counts: Counts, time: Span) -> Result<(), Halt> {
        let Some(at) = self.read_limit(target, counts) else { return Ok(()) };
        if self.answer.limits[at].burst.is_some() {
            return Ok(());
        }
        let left = Span::from_ns(self.session.left().ns().saturating_sub(AFTER_BURST.ns()));
        if time.min(left) < LEAST_WATCH {
            return Err(Halt::Budget);
        }
        let (wanted, ramp) = self.load_at(target, counts);
        let before = self.answer.limits[at].clone();
        let limit = &mut self.answer.limits[at];
        watch(self.session, &wanted, limit, &ramp, time.min(left))?;
        let watched = limit.watched;
        if counts == Counts::Bytes && self.is_of_ios(at, wanted.block) {
            // The limit in I/Os fell below this one: a burst of I/Os ended, and none of bytes.
            self.answer.limits[at] = FoundLimit { watched, ..before };
        }
        let limit = &self.answer.limits[at];
        match limit.burst {
            Some(_) if counts == Counts::Ios => self.known(target).small = Some(limit.per_second.value),
            // Another budget watches for as long as it should.
            None if left < time => return Err(Halt::Budget),
            _ => {}
        }
        Ok(())
    }

    /// Limits of reads whose burst was not seen, if they have one, with the time for which each was loaded.
    pub(crate) fn unseen_bursts(&self) -> impl Iterator<Item = (usize, Counts, Span)> {
        let own = self.answer.limits.iter().filter(|limit| limit.targets.len() == 1 && limit.burst.is_none());
        own.filter(|limit| matches!(limit.scope, Scope::Reads | Scope::Both))
            .map(|limit| (limit.targets[0], limit.counts, limit.watched))
    }

    /// True if a throughput limit that fell is what the limit in I/Os lets through of this size.
    fn is_of_ios(&self, at: usize, block: u32) -> bool {
        let limit = &self.answer.limits[at];
        let target = limit.targets[0];
        let small = self.known[target].as_ref().and_then(|known| known.small);
        let charge = charge_of(self.answer.targets[target].accounting, block);
        let by_ios = small.map(|small| small / charge * f64::from(block));
        limit.burst.is_some()
            && by_ios.is_some_and(|by_ios| (limit.per_second.value / by_ios - 1.0).abs() < SAME_AFTER_FALL)
    }

    /// A sentence for each limit that a longer budget would watch for longer.
    pub(crate) fn note_unseen_bursts(&mut self) {
        let unseen: Vec<_> = self.unseen_bursts().collect();
        for (target, counts, time) in unseen {
            let what = if counts == Counts::Ios { "IOPS" } else { "throughput" };
            self.note(
                target,
                format!("a burst of {what} that lasts longer than {time} was not seen to end: a longer --budget watches longer"),
            );
        }
    }

    /// Measures a limit or a latency again, where its interval is wider than the required precision.
    pub(crate) fn repeat(&mut self, target: usize, figure: Figure) -> Result<(), Halt> {
        match figure {
            Figure::Limit(counts) => {
                let Some(at) = self.read_limit(target, counts) else { return Ok(()) };
                let (wanted, ramp) = self.load_at(target, counts);
                let before = self.answer.limits[at].per_second;
                let is_burst = self.answer.limits[at].burst.is_some();
                // Credits that pauses have earned pass first: their rate is not the limit.
                for _ in 0..SPENDING {
                    let now = sustained(self.session, &wanted, &ramp, Span::from_secs(6))?;
                    if is_burst && now.value > CREDITS * before.value {
                        continue;
                    }
                    if now.share() < before.share() {
                        self.answer.limits[at].per_second = now;
                    }
                    break;
                }
                Ok(())
            }
            Figure::Latency(block) => self.latency(target, Mix::Reads, block),
            Figure::BurstRate => self.burst_rate(target),
            Figure::Credits(counts) => self.credits(target, counts),
        }
    }

    /// The rate of a burst that was over before it was flat: it is reached again with what a rest earns.
    fn burst_rate(&mut self, target: usize) -> Result<(), Halt> {
        let Some((at, burst)) = self.burst_of_unknown_rate(target) else { return Ok(()) };
        let sustained = self.answer.limits[at].per_second.value;
        let ramp = self.known(target).ios.clone();
        let depth = (burst.per_second.value * ramp.latency).ceil() as u32;
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let rate = burst_rate(self.session, &wanted, &ramp, sustained, depth)?;
        if let (Some(rate), Some(burst)) = (rate, &mut self.answer.limits[at].burst)
            && (!rate.is_at_least() || rate.value > burst.per_second.value)
        {
            burst.per_second = rate;
        }
        Ok(())
    }

    /// A target's burst of IOPS of which only a lower bound of the rate is known, with the place of its limit.
    pub(crate) fn burst_of_unknown_rate(&self, target: usize) -> Option<(usize, Burst)> {
        let at = self.read_limit(target, Counts::Ios)?;
        let burst = self.answer.limits[at].burst.filter(|burst| burst.per_second.is_at_least())?;
        Some((at, burst))
    }

    /// The charge of sequential reads: last, because they use less of a burst than their number.
    pub(crate) fn merging(&mut self, target: usize) -> Result<(), Halt> {
        let Some(at) = self.read_limit(target, Counts::Ios) else { return Ok(()) };
        let ios = self.answer.limits[at].per_second.value;
        let Some(between) = self.between(target, ios) else { return Ok(()) };
        let merges: Option<Bytes> = merging(self.session, target, between)?;
        self.answer.targets[target].merges_up_to = merges;
        Ok(())
    }

    /// Removes a throughput limit that is only the IOPS limit of the burst. Marks the burst's rate as a lower bound where the throughput
    /// limit holds small I/Os too.
    pub(crate) fn settle_bursts(&mut self) {
        for target in 0..self.known.len() {
            let Some(known) = &self.known[target] else { continue };
            let Some((block, _)) = known.bytes else { continue };
            let charge = charge_of(self.answer.targets[target].accounting, block);
            let (Some(ios), Some(bytes)) =
                (self.read_limit(target, Counts::Ios), self.read_limit(target, Counts::Bytes))
            else {
                continue;
            };
            let rate = self.answer.limits[bytes].per_second.value;
            let Some(burst) = &mut self.answer.limits[ios].burst else { continue };
            let per_second = &mut burst.per_second;
            let is = |one: f64, other: f64| (one / other - 1.0).abs() < SAME;
            if is(per_second.value * f64::from(SMALL), rate) {
                per_second.high = f64::INFINITY;
            } else if !per_second.is_at_least() && is(per_second.value / charge * f64::from(block), rate) {
                self.answer.limits.remove(bytes);
                self.note(
                    target,
                    format!(
                        "no throughput limit up to {:.1} MB/s: the burst's IOPS limit large reads first",
                        rate / 1e6
                    ),
                );
            }
        }
    }

    /// Drift and disturbance: the first experiment again.
    pub(crate) fn noise(&mut self) -> Result<(), Halt> {
        let before = self.known(0).ios.latency;
        self.session.rest(Span::from_ms(500))?;
        let recording = self.session.run(&Step::reads(0, SMALL, 1, Span::from_secs(2)))?;
        let now = quantile(&recording, 0.5).min(1.15 * quantile(&recording, 0.1));
        let drift = if before > 0.0 { now / before - 1.0 } else { 0.0 };
        let mut medians = Vec::new();
        for start in 0..20u64 {
            let from = recording.began.ns() + start * 100_000_000;
            let within = |io: &&Completed| (from..from + 100_000_000).contains(&io.end.ns());
            let mut values: Vec<f64> =
                recording.ios.iter().filter(within).map(|io| io.end.since(io.issued).secs_f64()).collect();
            values.sort_unstable_by(f64::total_cmp);
            medians.extend(values.get(values.len() / 4).copied());
        }
        let mean = medians.iter().sum::<f64>() / medians.len().max(1) as f64;
        let square =
            medians.iter().map(|value| squared(value - mean)).sum::<f64>() / medians.len().max(1) as f64;
        let variation = if mean > 0.0 { square.sqrt() / mean } else { 0.0 };
        self.answer.noise = Some(Noise { drift, variation });
        Ok(())
    }
}

/// Count of an I/O of a length by a charge that was found.
pub(crate) fn charge_of(accounting: Option<Accounting>, len: u32) -> f64 {
    match accounting {
        Some(Accounting::Unit(unit)) => u64::from(len).div_ceil(unit.get()) as f64,
        _ => 1.0,
    }
}
