//! The coordinator's side, once a rank is let in: stage after stage.

use iobound_units::{Instant, Span};

use super::ToCoordinator;
use super::ToRank;
use super::clocks::Answered;
use super::coordinator::{CoordinatorBook, Phase};
use super::intervals::Intervals;
use super::place::{Asks, OfStage, Place};
use crate::event::Event;
use crate::wire::{MOST_OF_A_REPORT, report_of};

/// Number of times that a rank is asked for its clock before a stage, and after the last.
const PINGS: u32 = 16;
const PINGS_AT_THE_END: u32 = 4;

/// Number of ranks that are asked at a time: more make each other's round trips longer.
const ASKED_AT_A_TIME: usize = 64;

/// Minimum time until a start: ranks wake up, and start lines are crossed.
const LEAST_AHEAD: Span = Span::from_ms(100);

impl CoordinatorBook {
    /// Messages of an accepted rank.
    pub(super) fn of_rank(&mut self, rank: u32, word: ToCoordinator, now: Instant) {
        match word {
            ToCoordinator::Hello(_) => {}
            ToCoordinator::Beat { work } => {
                let prepares = self.phase == Phase::Preparing;
                let place = self.place_mut(rank);
                if prepares && place.work != work {
                    place.progress = now;
                }
                place.work = work;
            }
            ToCoordinator::Pong { number, at } => self.answered(rank, number, at, now),
            ToCoordinator::Ready { stage } => self.prepared(rank, stage, now),
            ToCoordinator::Began { stage, at } => match self.place_mut(rank).stages.get_mut(stage as usize) {
                Some(of) => of.began = Some(at),
                None => self.out_of_turn(rank, "began", stage, now),
            },
            ToCoordinator::Tick { stage, together } => {
                let place = self.place_mut(rank);
                let start = together.interval().start;
                let in_order = place.last.is_none_or(|last| last.start < start);
                if !place.runs(stage) || !in_order {
                    self.out_of_turn(rank, "an interval", stage, now);
                    return;
                }
                (place.last, place.progress) = (Some(*together.interval()), now);
                if stage == self.stage {
                    self.intervals.take(*together, now);
                }
            }
            ToCoordinator::Fragment { stage, bytes, last } => self.reported(rank, stage, &bytes, last, now),
            ToCoordinator::GiveUp { why } => self.lose(rank, why, now),
            ToCoordinator::Bye => self.lose(rank, "it left before its work was done".into(), now),
        }
    }

    fn out_of_turn(&mut self, rank: u32, what: &str, stage: u32, now: Instant) {
        self.lose(rank, format!("it sent '{what}' for stage {stage} out of order"), now);
    }

    fn prepared(&mut self, rank: u32, stage: u32, now: Instant) {
        let before = stage.checked_sub(1);
        let in_turn = self.place(rank).ready == stage
            && before.is_none_or(|before| self.place(rank).has_reported(before))
            && self.common.as_ref().is_some_and(|common| stage < common.stages);
        if !in_turn {
            self.out_of_turn(rank, "ready", stage, now);
            return;
        }
        self.place_mut(rank).ready = stage + 1;
        self.counts.ready += u32::from(stage == self.stage);
        self.events.push_back(Event::Ready { rank, stage });
    }

    fn ask(&mut self, rank: u32, asks: Asks, now: Instant) {
        let place = self.place_mut(rank);
        place.asks = Some(asks);
        place.pings.begin(if asks == Asks::Start { PINGS } else { PINGS_AT_THE_END });
        let number = place.pings.send(now);
        self.say(rank, ToRank::Ping { number }, now);
    }

    fn answered(&mut self, rank: u32, number: u32, at: Instant, now: Instant) {
        let place = self.place_mut(rank);
        let Some(asks) = place.asks else { return };
        match place.pings.answer(number, at, now) {
            Answered::Stray => {}
            Answered::More => {
                let number = place.pings.send(now);
                self.say(rank, ToRank::Ping { number }, now);
            }
            Answered::Done => {
                place.asks = None;
                let Some(sample) = place.pings.best() else { return };
                match asks {
                    Asks::Start => {
                        place.stages.push(OfStage { sample, began: None, report: None, reporting: false });
                        self.measured.remove(&rank);
                    }
                    Asks::End(stage) => {
                        (place.last_sample, place.progress) = (Some(sample), now);
                        self.say(rank, ToRank::Got { stage }, now);
                    }
                }
            }
        }
    }

    fn reported(&mut self, rank: u32, stage: u32, fragment: &[u8], last: bool, now: Instant) {
        let begun = self.starts.len() > stage as usize;
        let place = self.place_mut(rank);
        place.progress = now;
        let Some(of) = place.stages.get_mut(stage as usize).filter(|of| begun && of.report.is_none()) else {
            self.out_of_turn(rank, "a report", stage, now);
            return;
        };
        let was_running = !std::mem::replace(&mut of.reporting, true);
        let told = place.last.map(|last| last.start);
        if was_running && stage == self.stage {
            self.counts.running -= 1;
            self.intervals.ended(told);
        }
        let place = self.place_mut(rank);
        if place.report_bytes.len() + fragment.len() > MOST_OF_A_REPORT {
            self.lose(rank, format!("its report is larger than {MOST_OF_A_REPORT} bytes"), now);
            return;
        }
        place.report_bytes.extend_from_slice(fragment);
        if !last {
            return;
        }
        match report_of(&std::mem::take(&mut place.report_bytes)) {
            Ok(report) => {
                place.stages[stage as usize].report = Some(report);
                self.counts.reported += u32::from(stage == self.stage);
                self.events.push_back(Event::Reported { rank, stage });
                if self.stopped.is_some() || self.has_reported_all(rank) {
                    self.ask(rank, Asks::End(stage), now);
                } else {
                    self.say(rank, ToRank::Got { stage }, now);
                }
            }
            Err(error) => self.lose(rank, format!("its report is invalid: {error}"), now),
        }
    }

    /// Whatever has become possible is done.
    pub(super) fn go_on(&mut self, now: Instant) {
        loop {
            let before = (self.phase, self.stage);
            match self.phase {
                Phase::Gathering => self.all_there(now),
                Phase::Preparing => self.all_ready(),
                Phase::Measuring => self.all_measured(now),
                Phase::Running => self.all_reported(now),
                Phase::Ending => {
                    self.hand_on(now);
                    self.all_gone();
                }
                Phase::Over => {}
            }
            if (self.phase, self.stage) == before {
                return;
            }
        }
    }

    fn all_there(&mut self, now: Instant) {
        if self.counts.here < self.of {
            return;
        }
        self.phase = Phase::Preparing;
        for rank in 0..self.of {
            self.place_mut(rank).progress = now;
            self.say(rank, ToRank::AllThere, now);
        }
    }

    fn here(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| place.is_here())
    }

    fn all_ready(&mut self) {
        if self.counts.here == 0 {
            self.phase = Phase::Ending;
        } else if self.counts.ready == self.counts.here {
            self.phase = Phase::Measuring;
            self.to_measure = self.here().map(|place| place.rank).collect();
        }
    }

    fn all_measured(&mut self, now: Instant) {
        while self.measured.len() < ASKED_AT_A_TIME {
            let Some(rank) = self.to_measure.pop_front() else { break };
            self.measured.insert(rank);
            self.ask(rank, Asks::Start, now);
        }
        if !self.measured.is_empty() || !self.to_measure.is_empty() {
            return;
        }
        self.phase = Phase::Running;
        // The slowest round trip seen is what the word may take to its rank, twice over; each is a word that is written.
        let slowest = self.here().map(|place| place.pings.slowest().ns()).max().unwrap_or(0);
        let ahead = LEAST_AHEAD.ns() + slowest.saturating_mul(2) + u64::from(self.of) * 20_000;
        let start = now + Span::from_ns(ahead);
        let stage = self.stage;
        self.starts.push(start);
        self.due = self.whole.map(|whole| start + whole);
        let mut uncertain: Vec<Span> = Vec::new();
        for rank in 0..self.of {
            let place = self.place_mut(rank);
            place.last = None;
            let Some(of) = place.stages.get(stage as usize).filter(|_| place.is_here()) else { continue };
            uncertain.push(of.sample.offset.uncertainty);
            let at = of.sample.of_rank(start);
            place.progress = start;
            self.say(rank, ToRank::Start { stage, at }, now);
        }
        self.recount();
        uncertain.sort_unstable_by(|a, b| b.cmp(a));
        let uncertainty = uncertain.iter().take(2).fold(Span::ZERO, |sum, one| sum + *one);
        self.events.push_back(Event::Starts { stage, ahead: Span::from_ns(ahead), uncertainty });
    }

    fn all_reported(&mut self, now: Instant) {
        self.hand_on(now);
        if self.counts.reported < self.counts.here {
            return;
        }
        self.intervals = Intervals::default();
        if self.common.as_ref().is_some_and(|common| self.stage + 1 < common.stages) {
            self.stage += 1;
            self.phase = Phase::Preparing;
            self.places.iter_mut().for_each(|place| place.progress = now);
            self.recount();
        } else {
            self.phase = Phase::Ending;
        }
    }

    /// Hands on the intervals that are complete, or whose time is up.
    fn hand_on(&mut self, now: Instant) {
        let running = self.counts.running;
        while let Some((together, ranks, expected)) = self.intervals.next(running, now) {
            let together = Box::new(together);
            self.events.push_back(Event::Interval { stage: self.stage, together, ranks, expected });
        }
    }

    fn all_gone(&mut self) {
        if self.counts.here == 0 {
            self.phase = Phase::Over;
            self.events.push_back(Event::Over);
        }
    }
}
