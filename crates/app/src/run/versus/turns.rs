//! The turns themselves.

use iobound_machine::World;
use iobound_measure::result::Outcome;
use iobound_measure::{Measured, RunResult};
use iobound_report::Ended;
use iobound_units::Span;

use super::super::answer::failure_of;
use super::super::outputs::Outputs;
use super::super::stage::{Stage, run_stages};
use super::readiness::Both;
use super::{Contest, Reached};
use crate::Failure;
use crate::process::LiveStyle;

/// The outcome of the turns.
pub(super) struct Turns {
    /// Figures of both in whole rounds; `None` where there was none.
    pub(super) reached: Option<[Reached; 2]>,
    /// True if all rounds were done.
    pub(super) complete: bool,
}

impl Contest {
    /// Lets both sides take turns. Who begins a round is drawn: what comes back every four turns is in both.
    pub(super) fn take_turns(&self, ready: &Both, style: LiveStyle) -> Result<Turns, Failure> {
        let world = World::real();
        let mut draw = self.seed;
        let mut reached: Option<[Reached; 2]> = None;
        for round in 0..self.rounds {
            let first = (next(&mut draw) & 1) as usize;
            let order = [first, 1 - first, 1 - first, first];
            self.env().note(&format!("round {} of {}: {}", round + 1, self.rounds, letters(order)));
            let mut turns: [Vec<Stage>; 2] = [Vec::new(), Vec::new()];
            for side in order {
                let stage = self.turn(&world, ready, side, (round, turns[side].len()), style)?;
                match &stage.ended {
                    Ended::Complete => turns[side].push(stage),
                    Ended::Interrupted => return Ok(Turns { reached, complete: false }),
                    Ended::Failed(why) => {
                        return Err(failure_of(&stage, why).of(["--vs: side A", "--vs: side B"][side]));
                    }
                }
            }
            reached = Some(add(reached, turns));
            if self.env().is_stopped() && round + 1 < self.rounds {
                return Ok(Turns { reached, complete: false });
            }
        }
        Ok(Turns { reached, complete: true })
    }

    /// One turn. Both sides' turns of a number have the same seed, and each turn another: the same offsets again would be
    /// what caches hold.
    fn turn(
        &self,
        world: &World,
        ready: &Both,
        side: usize,
        (round, number): (usize, usize),
        style: LiveStyle,
    ) -> Result<Stage, Failure> {
        let own = &self.sides[side];
        let mut workload = own.workload.clone();
        (workload.duration, workload.warmup, workload.cooldown) = (self.turn, self.warmup, Span::ZERO);
        workload.seed = self.seed.wrapping_add(2 * round as u64 + number as u64);
        let mut outputs = Outputs::default();
        let mut stages = run_stages(world, ready.of(side), &[workload], &own.how, &mut outputs, style)?;
        let stage = stages.pop().expect("a stage ran");
        if self.env().is_hanging() {
            return Err(Failure::io(format!("a device does not answer: round {} did not finish", round + 1)));
        }
        Ok(stage)
    }
}

fn letters(order: [usize; 4]) -> String {
    order.iter().map(|side| ["A", "B"][*side]).collect()
}

/// Puts a round behind those before it.
fn add(reached: Option<[Reached; 2]>, turns: [Vec<Stage>; 2]) -> [Reached; 2] {
    let rounds = turns.each_ref().map(|turns| together(turns));
    let mut around = turns.map(|turns| {
        let mut results = turns.into_iter().map(|stage| stage.result);
        let first = results.next().expect("a round has two turns of each side");
        results.fold(first, found)
    });
    match reached {
        None => {
            let [a, b] = rounds;
            let [around_a, around_b] = around;
            [
                Reached { whole: a.clone(), rounds: vec![a], around: around_a },
                Reached { whole: b.clone(), rounds: vec![b], around: around_b },
            ]
        }
        Some(mut reached) => {
            for (side, round) in rounds.into_iter().enumerate() {
                let own = &mut reached[side];
                own.whole.append(&round);
                own.rounds.push(round);
                let more = std::mem::replace(&mut around[side], RunResult::new(own.around.source));
                let before = std::mem::replace(&mut own.around, RunResult::new(more.source));
                own.around = found(before, more);
            }
            reached
        }
    }
}

/// The turns of a side in a round as one.
fn together(turns: &[Stage]) -> Measured {
    let mut all = turns[0].outcome.total.clone();
    turns[1..].iter().for_each(|turn| all.append(&turn.outcome.total));
    all
}

/// Known facts about the machine by the first turn, and what was found to be wrong in any.
fn found(mut first: RunResult, later: RunResult) -> RunResult {
    for check in later.checks {
        let worse = |outcome: Outcome| match outcome {
            Outcome::Ok => 0,
            Outcome::Unknown => 1,
            Outcome::Warning => 2,
            Outcome::Failed => 3,
        };
        match first.checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) if worse(check.outcome) > worse(known.outcome) => *known = check,
            Some(_) => {}
            None => first.checks.push(check),
        }
    }
    if let (Some(own), Some(more)) = (&mut first.cpu, later.cpu) {
        let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        (own.user_s, own.system_s) = (sum(own.user_s, more.user_s), sum(own.system_s, more.system_s));
        // Of one turn each: of all together they are not known.
        (own.us_per_io, own.steal) = (None, None);
        own.processors.clear();
    }
    first.devices.iter_mut().for_each(|device| device.counters = None);
    first
}

/// The next of a stream of draws: splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
