//! The second run of a workload: what the first has left in the caches is hit, then the run goes where the first
//! never came.
//!
//! A workload draws the same I/Os each time it runs, as DiskSpd does without `-z` and fio with `randrepeat`. So a
//! second run has two parts: what the first run read, and what it did not come to. Each part is simulated from
//! rest, in small, and counts by its share of the run's time. One short run through both would count the quota that
//! the disks save while the caches answer as often as it is shorter.

use iobound_drive::{EndReason, Flow};
use iobound_measure::Interval;
use iobound_measure::{MeasuredCellOp, MeasuredOp};
use iobound_model::{Blueprint, StartCredits};
use iobound_units::{Bytes, Span};
use iobound_workload::{Queue, Target, Workload};

use crate::burst::Levels;
use crate::error::PredictError;
use crate::levels::levels_of;
use crate::question::{CacheState, Question};
use crate::scene::{Contents, Scene};
use crate::simulate::{Effort, ROUGHLY, Setup, Simulated, simulate_setup};
use crate::warm;

/// I/Os of a second run that is simulated from its start to its end.
const WHOLE_RUN_IOS: u64 = 100_000;

/// Number of I/Os that a first run of the workload does from cold caches.
pub(crate) fn first_run_ios(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<u64, PredictError> {
    let cold = Question { cache: CacheState::Cold, ..question.clone() };
    let workload = question.workload;
    let scene = Scene::new(blueprint, workload, targets, Contents::Cold, true)?;
    let levels = levels_of(&cold, blueprint, targets, &scene, watch)?;
    let effort = Effort::Settle { most_ios: 30_000, within: ROUGHLY, warmup: Span::from_ms(250) };
    let (scene, levels, start) = (&scene, &levels, StartCredits::Spent);
    let setup = Setup { blueprint, workload, targets, scene, passed: 0, levels, start, stalls: &[], effort };
    let iops = simulate_setup(&setup, watch)?.iops();
    Ok((iops * length(workload).secs_f64()) as u64)
}

fn length(workload: &Workload) -> Span {
    workload.warmup + workload.duration + workload.cooldown
}

/// Simulated time of each part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    /// Before anything is counted.
    pub(crate) warmup: Span,
    /// While counting is on, at the most.
    pub(crate) counted: Span,
}

/// A second run in small: working sets and caches are smaller by the same factor, so that the same share of the I/Os
/// hits.
#[derive(Debug)]
pub(crate) struct SecondRun {
    workload: Workload,
    by: u64,
    /// I/Os of the first run, in small.
    first_run: u64,
    /// Content of its caches at the start.
    seen: Scene,
    /// Caches half-way through the second run, and the I/Os passed by then, if the parts differ.
    unseen: Option<(Scene, u64)>,
    whole_time: Span,
    uncounted: Span,
}

impl SecondRun {
    /// In small; `fastest` is the most I/Os a second that the limits let hit, where they do.
    pub(crate) fn new(
        question: &Question<'_>,
        blueprint: &Blueprint,
        targets: &[Target],
        queues: &[Queue],
        first_run: u64,
        (fastest, care): (Option<f64>, Care),
    ) -> Result<SecondRun, PredictError> {
        let workload = question.workload;
        let needed = fastest.map(|iops| iops * 1.25 * (care.warmup + care.counted).secs_f64());
        let keeps = warm::keeps(blueprint, workload, queues, first_run);
        let in_parts = keeps && needed.is_some_and(|needed| first_run as f64 >= needed);
        // What the rest of the time lets the second run do beyond the first, at the first run's rate at least.
        let hits = fastest.map_or(0.0, |fastest| first_run as f64 / fastest);
        let beyond = first_run as f64 * (1.0 - hits / length(workload).secs_f64()).max(0.0);
        let ios = match needed.filter(|_| in_parts) {
            // Room for both parts, so that neither runs into the other; a short second part may, and counts little.
            Some(needed) => needed * (first_run as f64 / beyond).clamp(1.0, 4.0),
            None => WHOLE_RUN_IOS as f64,
        };
        let small = warm::in_small(workload, queues, first_run, ios as u64);
        let mut blueprint = blueprint.clone();
        for cache in &mut blueprint.caches {
            cache.capacity = Bytes(cache.capacity.get() / small.by);
        }
        let first_run_ios = first_run / small.by;
        let scene = |ios| Scene::new(&blueprint, &small.workload, targets, Contents::After(ios), false);
        let seen = scene(first_run_ios)?;
        let unseen = if in_parts {
            // Its middle, of what lies beyond, is simulated.
            let before = (beyond / small.by as f64 - needed.unwrap_or(0.0)).max(0.0) / 2.0;
            let passed = first_run_ios + before as u64;
            Some((scene(passed)?, passed))
        } else {
            None
        };
        Ok(SecondRun {
            whole_time: workload.warmup + workload.duration,
            uncounted: workload.warmup,
            workload: small.workload,
            by: small.by,
            first_run: first_run_ios,
            seen,
            unseen,
        })
    }

    /// Simulates it on a blueprint of the original size.
    pub(crate) fn simulate(
        &self,
        blueprint: &Blueprint,
        targets: &[Target],
        levels: &Levels,
        care: Care,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Simulated, PredictError> {
        let mut part = |scene: &Scene, passed: u64, effort: Effort| {
            let workload = &self.workload;
            let start = StartCredits::Spent;
            let setup =
                Setup { blueprint, workload, targets, scene, passed, levels, start, stalls: &[], effort };
            simulate_setup(&setup, watch)
        };
        let Some((unseen, passed)) = &self.unseen else {
            let whole = part(&self.seen, 0, Effort::Full)?;
            // A run of its own length has figures wherever it is stopped; a prediction has not.
            return if whole.reason == EndReason::Stopped {
                Err(PredictError::Interrupted)
            } else {
                Ok(whole)
            };
        };
        let Care { warmup, counted } = care;
        let mut seen = part(&self.seen, 0, Effort::For { warmup, counted })?;
        if seen.iops() == 0.0 {
            return Ok(seen);
        }
        let flip = (self.first_run * self.by) as f64 / seen.iops();
        let (from, to) = (self.uncounted.secs_f64(), self.whole_time.secs_f64());
        let hits = (flip.min(to) - from).max(0.0);
        let misses = (to - flip.max(from)).max(0.0);
        if hits == 0.0 {
            return part(unseen, *passed, Effort::For { warmup, counted });
        }
        // The parts in proportion: so many times what was counted of each.
        let times = (20.0 * hits / (hits + misses)).round().max(1.0);
        let wanted = times * counted.secs_f64() * misses / hits;
        let interval = crate::simulate::SETTLING_INTERVAL;
        let again = (wanted / counted.secs_f64()).ceil();
        let intervals = (wanted / again.max(1.0) / interval.secs_f64()).round() as u64;
        if intervals == 0 {
            return Ok(seen);
        }
        let counted = Span::from_ns(interval.ns() * intervals);
        let rest = part(unseen, *passed, Effort::For { warmup, counted })?;
        let first = seen.clone();
        (1..times as u64).for_each(|_| add(&mut seen, &first));
        (0..again as u64).for_each(|_| add(&mut seen, &rest));
        Ok(seen)
    }
}

/// Adds what another part of the same run did.
fn add(sum: &mut Simulated, part: &Simulated) {
    let length = part.measured.window();
    sum.measured.end += length;
    for (sum, part) in sum.measured.jobs.iter_mut().zip(&part.measured.jobs) {
        sum.outstanding_ns += part.outstanding_ns;
        sum.never_issued += part.never_issued;
        sum.by_op.iter_mut().zip(&part.by_op).for_each(|(sum, part)| add_op(sum, part));
    }
    for (sum, part) in sum.measured.cells.iter_mut().zip(&part.measured.cells) {
        sum.outstanding_ns += part.outstanding_ns;
        sum.by_op.iter_mut().zip(&part.by_op).for_each(|(sum, part)| add_cell_op(sum, part));
    }
    for (sum, part) in sum.limiters.iter_mut().zip(&part.limiters) {
        sum.units += part.units;
        sum.bytes += part.bytes;
        sum.held_ns.iter_mut().zip(part.held_ns).for_each(|(sum, part)| *sum += part);
    }
    for (sum, part) in sum.caches.iter_mut().zip(&part.caches) {
        sum.hits += part.hits;
        sum.misses += part.misses;
        sum.held_ns += part.held_ns;
        sum.written_back += part.written_back;
    }
    for (sum, part) in sum.disks.iter_mut().zip(&part.disks) {
        sum.ios += part.ios;
        sum.bytes += part.bytes;
    }
}

fn add_op(sum: &mut MeasuredOp, part: &MeasuredOp) {
    sum.bytes += part.bytes;
    sum.errors += part.errors;
    sum.response.merge(&part.response);
    if let (Some(sum), Some(part)) = (&mut sum.service, &part.service) {
        sum.merge(part);
    }
}

fn add_cell_op(sum: &mut MeasuredCellOp, part: &MeasuredCellOp) {
    sum.bytes += part.bytes;
    sum.errors += part.errors;
    sum.response.merge(&part.response);
}
