//! Two workloads or two targets in turns: ABBA or BAAB, round after round, so that drift affects both.

mod readiness;
mod turns;

use iobound_measure::compare::{Condition, Pairing};
use iobound_measure::{Measured, RunResult};
use iobound_report::{Ended, Rounds, compare_document};
use iobound_units::Span;
use iobound_workload::{Workload, describe};

use super::how::RunOptions;
use super::targets::RunTargets;
use crate::compare::{CompareAnswer, compared_with, exit_of, judge, subject};
use crate::outfile::Unwritten;
use crate::page::PageChoice;
use crate::process::LiveStyle;
use crate::results::Named;
use crate::results::{Keeping, ToKeep};
use crate::{Env, Exit, Failure, Finished, PlainAnswer};

/// A side of the contest.
pub(crate) struct Side {
    /// As it was typed.
    pub(crate) words: String,
    pub(crate) places: RunTargets,
    pub(crate) workload: Workload,
    pub(crate) how: RunOptions,
}

/// Two sides, and how they take turns.
pub(crate) struct Contest {
    pub(crate) sides: [Side; 2],
    pub(crate) rounds: usize,
    /// Time that is counted of each turn.
    pub(crate) turn: Span,
    /// Time that I/O runs before, in each turn.
    pub(crate) warmup: Span,
    pub(crate) seed: u64,
}

/// Time that I/O runs before a turn is counted, unless the workload says: until what the other left in queues has gone.
const WARMUP: Span = Span::from_ms(500);
/// Shorter turns are mostly their own beginning.
const SHORTEST: Span = Span::from_ms(100);
/// A turn is cut into intervals no shorter than this.
const LEAST_INTERVAL: Span = Span::from_ms(10);

/// Figures of a side: of all turns, and of each round.
struct Reached {
    whole: Measured,
    rounds: Vec<Measured>,
    /// Machine facts of the first turn, with the findings of any turn.
    around: RunResult,
}

impl Contest {
    /// Two sides in so many rounds.
    ///
    /// # Errors
    /// Returns an error if the sides cannot take turns, or the turns are too short.
    pub(crate) fn new(mut sides: [Side; 2], rounds: usize) -> Result<Contest, Failure> {
        for side in &sides {
            if side.workload.jobs.iter().any(|job| job.stop_after.is_some() || job.times_memory.is_some()) {
                return Err(Failure::input(
                    "--vs: a job ends after an amount of I/O, and turns have a duration",
                )
                .help("leave the amount out of it (stop-after; fio: add --time_based --runtime)"));
            }
        }
        let [a, b] = &sides;
        if (a.workload.duration, a.workload.warmup) != (b.workload.duration, b.workload.warmup) {
            return Err(Failure::input("--vs: the two sides have different times, and turns need the same")
                .help("give --duration and --warmup once, before --vs"));
        }
        let (duration, seed) = (a.workload.duration, a.workload.seed);
        let turn = Span::from_ns(duration.ns() / (2 * rounds as u64));
        if turn < SHORTEST {
            return Err(Failure::input(format!(
                "--vs: {duration} in {rounds} rounds gives turns of {turn}, and the minimum is {SHORTEST}"
            ))
            .help("raise --duration, or lower --rounds"));
        }
        let asked = a.workload.warmup;
        let warmup = if asked.is_zero() { WARMUP.min(turn) } else { asked };
        for side in &mut sides {
            // Whole intervals, so that none of a turn is cut short.
            let parts = turn.ns().div_ceil(side.how.interval.ns()).clamp(1, turn.ns() / LEAST_INTERVAL.ns());
            side.how.interval = Span::from_ns(turn.ns() / parts);
        }
        // And a whole number of nanoseconds of each.
        let turn = Span::from_ns(sides[0].how.interval.ns() * (turn.ns() / sides[0].how.interval.ns()));
        Ok(Contest { sides, rounds, turn, warmup, seed })
    }

    fn env(&self) -> &Env {
        &self.sides[0].how.env
    }

    /// Prepares both sides, lets them take turns, and compares them.
    ///
    /// # Errors
    /// Returns the errors of `run`; also if a turn fails or a condition cannot be judged.
    pub(crate) fn run(
        &self,
        conditions: &[Condition],
        mut keeping: Keeping,
        page: &PageChoice,
    ) -> Result<Finished, Failure> {
        if self.sides[0].how.dry_run {
            page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
        }
        page.can_be_written()?;
        let ready = match self.make_ready()? {
            Ok(ready) => ready,
            Err(plan) => return Ok(Finished::with(PlainAnswer::for_people(plan), Exit::Done)),
        };
        let took = self.take_turns(&ready, LiveStyle::default())?;
        let Some(reached) = took.reached else {
            return Err(Failure::interrupted("the first round did not finish: there is nothing to compare"));
        };
        let ended = if took.complete { Ended::Complete } else { Ended::Interrupted };
        let mut results = reached.each_ref().map(result_of);
        let keep: Vec<ToKeep<'_>> = (0..2)
            .map(|side| ToKeep {
                name: None,
                side: Some(["a", "b"][side]),
                workload: &self.sides[side].workload,
                result: &results[side],
                measured: Some(&reached[side].whole),
                ended: ended.clone(),
                prediction: None,
                prepared: ready.prepared(side),
            })
            .collect();
        let ids = keeping.keep(&keep);
        drop(keep);
        for (result, id) in results.iter_mut().zip(ids) {
            result.id = Some(id);
        }
        // Where the distribution moved is in them.
        results.iter_mut().zip(&reached).for_each(|(result, side)| result.attach_histograms(&side.whole));
        let (answer, asserted) = self.compared(&results, &reached, (conditions, &ended), page.is_asked());
        let mut unwritten = Unwritten::default();
        unwritten.take(page.write(|| answer.with_screen(compare_document)));
        let removed = if self.sides[0].how.remove { ready.remove_made() } else { Ok(()) };
        let ended = match ended {
            Ended::Complete => asserted,
            Ended::Interrupted | Ended::Failed(_) => Ok(Exit::Interrupted),
        };
        Ok(Finished::beside(Some(Box::new(answer)), unwritten, removed.and(ended)))
    }

    /// The comparison, and the exit code by the conditions or why they can't be judged.
    fn compared(
        &self,
        results: &[RunResult; 2],
        reached: &[Reached; 2],
        (conditions, ended): (&[Condition], &Ended),
        with_results: bool,
    ) -> (CompareAnswer, Result<Exit, Failure>) {
        let rounds: Vec<(RunResult, RunResult)> = reached[0]
            .rounds
            .iter()
            .zip(&reached[1].rounds)
            .map(|(a, b)| {
                let of =
                    |measured| RunResult::from_measured(measured, iobound_measure::result::Source::Measured);
                (of(a), of(b))
            })
            .collect();
        let named: Vec<Named> =
            self.sides.iter().zip(results).map(|(side, result)| side.named(result, ended)).collect();
        let pairing = Pairing::Rounds(&rounds);
        let with = compared_with(&subject(&named[0]), &subject(&named[1]), pairing, ("A", "B"));
        let judged = judge(conditions, &named[0], &named[1], pairing, None);
        let again = results.iter().map(|result| result.id.clone()).collect::<Option<Vec<String>>>();
        let next = again.iter().map(|ids| format!("iobound results show {}", ids[1])).collect();
        let turns =
            Rounds { count: rounds.len(), turn_s: self.turn.secs_f64(), warmup_s: self.warmup.secs_f64() };
        let answer = CompareAnswer {
            sides: named,
            letters: vec!["A".into(), "B".into()],
            against: vec![with],
            judged: judged.as_ref().map_or_else(|_| Vec::new(), Vec::clone),
            with_results,
            rounds: Some(turns),
            next,
        };
        (answer, judged.map(|judged| exit_of(&judged, |note| self.env().note(note))))
    }
}

/// All turns of a side as one run.
fn result_of(reached: &Reached) -> RunResult {
    let figures = RunResult::from_measured(&reached.whole, iobound_measure::result::Source::Measured);
    let around = reached.around.clone();
    let own = figures.start.clone().unwrap_or_default();
    let start = around.start.map(|start| iobound_measure::result::Start {
        warmup_s: own.warmup_s,
        counted_s: own.counted_s,
        interval_s: own.interval_s,
        ..start
    });
    RunResult {
        engine: around.engine,
        device: around.device,
        devices: around.devices,
        cpu: around.cpu,
        kernel: around.kernel,
        start,
        checks: around.checks,
        notes: figures.notes.iter().cloned().chain(around.notes).collect(),
        ..figures
    }
}

impl Side {
    fn named(&self, result: &RunResult, ended: &Ended) -> Named {
        let jobs: Vec<String> = self.workload.jobs.iter().map(describe).collect();
        Named {
            word: self.words.clone(),
            result: result.clone(),
            asked: Some(jobs.join("; ")),
            workload: Some(self.workload.to_toml()),
            configuration: None,
            ended: Some(ended.name().to_string()),
            stages: 1,
        }
    }
}
