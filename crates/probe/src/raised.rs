//! Questions that answers raise: what a burst changes, figures that are not precise enough, and longer loads.

use iobound_units::Span;

use crate::answer::Counts;
use crate::bursts::{AFTER_BURST, LEAST_WATCH};
use crate::inquiry::{Inquiry, Settings};
use crate::probe::{Agenda, REPEATS};
use crate::question::{Figure, Question};
use crate::session::Halt;

/// Required precision of a limit.
const LIMIT: f64 = 0.02;
/// Required precision of a mean latency.
const LATENCY: f64 = 0.03;
/// A limit is watched again only if the budget holds more than this many times the time of before.
const LONGER: f64 = 1.5;

impl Agenda<'_, '_> {
    /// Looks for a burst, and opens the questions that one raises.
    pub(crate) fn burst(&mut self, target: usize, counts: Counts, time: Span) -> Result<(), Halt> {
        let has_one = |inquiry: &Inquiry<'_, '_>| {
            let limit = inquiry.read_limit(target, counts);
            limit.is_some_and(|at| inquiry.answer.limits[at].burst.is_some())
        };
        let was_known = has_one(&self.inquiry);
        self.inquiry.burst(target, counts, time)?;
        if counts == Counts::Ios {
            let mut raised = Vec::new();
            if !was_known && has_one(&self.inquiry) {
                // Below the burst the throughput limit lets larger units be seen.
                raised.extend([Question::Charge(target), Question::Merging(target)]);
            }
            if self.inquiry.burst_of_unknown_rate(target).is_some() {
                raised.push(Question::Repeat(target, Figure::BurstRate));
            }
            raised.retain(|question| !self.open.contains(question));
            self.open.extend(raised);
        }
        Ok(())
    }

    /// Opens a question for each figure whose interval is wider than required.
    pub(crate) fn imprecise(&mut self) {
        let answer = &self.inquiry.answer;
        let mut wide = Vec::new();
        for limit in &answer.limits {
            if limit.targets.len() == 1
                && self.inquiry.read_limit(limit.targets[0], limit.counts).is_some()
                && limit.per_second.share() > LIMIT
            {
                wide.push(Question::Repeat(limit.targets[0], Figure::Limit(limit.counts)));
            }
        }
        for (target, found) in answer.targets.iter().enumerate() {
            let reads = found.latencies.iter().filter(|latency| !latency.is_write);
            let wide_ones = reads.filter(|latency| latency.mean.share() > LATENCY);
            wide.extend(wide_ones.map(|latency| Question::Repeat(target, Figure::Latency(latency.block))));
        }
        if self.open_again(wide) {
            return;
        }
        // Last, because a long rest makes every other figure worse.
        self.inquiry.burst_sizes();
        let again = |(target, counts)| Question::Repeat(target, Figure::Credits(counts));
        let uncounted = self.inquiry.uncounted().into_iter().map(again).collect();
        if !self.open_again(uncounted) {
            self.watch_longer();
        }
    }

    /// True if the budget is longer than usual.
    pub(crate) fn is_longer(&self) -> bool {
        self.inquiry.settings.budget.ns() > Settings::EACH.ns() * self.inquiry.answer.targets.len() as u64
    }

    /// Opens the question whether a limit is a burst once more, with a longer load, where the budget is longer than usual.
    ///
    /// The loads come after everything else, and in the same order and length whatever the budget: a longer budget finds what a
    /// shorter one found, after the same time, and has the rest for what that raises.
    fn watch_longer(&mut self) {
        if !self.is_longer() {
            return;
        }
        let left = self.inquiry.session.left().ns().saturating_sub(AFTER_BURST.ns()) as f64;
        let rounds =
            |counts: Counts, watched: Span| watched.ns() as f64 / self.inquiry.watch_time(counts).ns() as f64;
        let next = self
            .inquiry
            .unseen_bursts()
            .min_by(|one, other| rounds(one.1, one.2).total_cmp(&rounds(other.1, other.2)));
        let Some((target, counts, watched)) = next else { return };
        let question = Question::LongerBurst(target, counts);
        if left > (LONGER * watched.ns() as f64).max(LEAST_WATCH.ns() as f64)
            && !self.unanswered.contains(&question)
        {
            self.open.push(question);
        }
    }

    /// Opens questions that were not repeated too often; false if none is left.
    fn open_again(&mut self, mut wide: Vec<Question>) -> bool {
        wide.retain(|question| {
            self.repeats.iter().filter(|other| *other == question).count() < REPEATS
                && !self.unanswered.contains(question)
        });
        self.repeats.extend(&wide);
        self.open.extend(&wide);
        !wide.is_empty()
    }
}
