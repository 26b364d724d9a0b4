//! The run that a question asks for: where and with what it begins, and the run itself. The emulator takes the
//! beginning alone and drives the stack in real time.

use iobound_drive::{Clock, Flow, VirtualClock};
use iobound_measure::Interval;
use iobound_model::{Blueprint, Stack, Start, StartCredits};
use iobound_workload::{Target, Workload};

use crate::burst::Levels;
use crate::ends::is_shallow;
use crate::error::PredictError;
use crate::levels::levels_of;
use crate::question::{Age, CacheState, Question};
use crate::scene::{Contents, Scene};
use crate::second_run::first_run_ios;
use crate::simulate::{Effort, Setup, Simulated, set_credits, simulate_setup_on};
use crate::targets::targets_of;

/// Start of [`crate::full_run`]: the same sizes, credits and cache contents.
#[derive(Debug)]
pub struct Staged {
    /// The stack; disks are no larger than what is used of them.
    pub blueprint: Blueprint,
    /// The workload, with the sizes of the blueprint.
    pub workload: Workload,
    /// The jobs' targets, by id: the blueprint's volumes.
    pub targets: Vec<Target>,
    levels: Levels,
    scene: Scene,
    start: StartCredits,
}

impl Staged {
    /// Start of a stack of this run; its burst credits are set by [`Staged::set`].
    pub fn start(&self) -> Start {
        Start { seed: self.workload.seed, credits: self.start }
    }

    /// Gives a stack of this blueprint, at its start, the credits and the cache contents of the question. The stack may have
    /// more volumes, and other latencies.
    ///
    /// # Errors
    /// Returns an error if the stack has another blueprint.
    pub fn set(&self, stack: &mut Stack) -> Result<(), PredictError> {
        set_credits(stack, &self.levels)?;
        self.scene.fill(stack);
        Ok(())
    }
}

/// The run that a question asks for, before it begins.
///
/// # Errors
/// Returns an error if the jobs do not fit the configuration or the caller's callback ends it.
pub fn staged(
    question: &Question<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Staged, PredictError> {
    let targets = targets_of(question.resolved);
    let mut blueprint = blueprint_of(question, &targets)?;
    let contents = contents_of(question, &blueprint, &targets, watch)?;
    let (scene, levels) = scene_and_levels(question, &blueprint, &targets, contents, false, watch)?;
    let mut workload = question.workload.clone();
    scene.set(&mut workload, &mut blueprint);
    Ok(Staged { blueprint, workload, targets, levels, scene, start: start_of(question) })
}

/// Stack of a run of a workload's own length: a shallow one has the media of depth 1.
pub(crate) fn blueprint_of(question: &Question<'_>, targets: &[Target]) -> Result<Blueprint, PredictError> {
    let queues = question.workload.queues(targets)?;
    let outstanding: u64 = queues.iter().map(|queue| u64::from(queue.depth)).sum();
    let resolved = question.resolved;
    Ok(if is_shallow(outstanding) { resolved.at_depth_1() } else { resolved.blueprint.clone() })
}

/// Simulates a workload on a blueprint in the given state. `watch` sees every interval, and may end the run.
pub fn simulate(
    setup_of: &Question<'_>,
    blueprint: &Blueprint,
    effort: Effort,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    simulate_on(VirtualClock::default(), setup_of, blueprint, effort, watch).map(|(simulated, _)| simulated)
}

/// As [`simulate`], on a clock of the caller's: a real one makes it the model in real time. The clock is first
/// read when the stack is ready, and shall begin at zero then. With the credits that it began with.
pub(crate) fn simulate_on<C: Clock>(
    clock: C,
    setup_of: &Question<'_>,
    blueprint: &Blueprint,
    effort: Effort,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(Simulated, Levels), PredictError> {
    let targets = targets_of(setup_of.resolved);
    let workload = setup_of.workload;
    let contents = contents_of(setup_of, blueprint, &targets, watch)?;
    let short = matches!(effort, Effort::Settle { .. });
    let (scene, levels) = scene_and_levels(setup_of, blueprint, &targets, contents, short, watch)?;
    let start = match effort {
        Effort::Full => start_of(setup_of),
        Effort::Settle { .. } | Effort::For { .. } => StartCredits::Spent,
    };
    let setup = Setup {
        blueprint,
        workload,
        targets: &targets,
        scene: &scene,
        passed: 0,
        levels: &levels,
        start,
        stalls: &[],
        effort,
    };
    let simulated = simulate_setup_on(clock, &setup, watch)?;
    Ok((simulated, levels))
}

/// Content of token buckets when a run of a question begins: they are full after idle, and empty where the workload has
/// run for some time.
pub(crate) fn start_of(question: &Question<'_>) -> StartCredits {
    match question.age {
        Age::At(age) if !age.is_zero() => StartCredits::Spent,
        Age::At(_) | Age::Sustained => StartCredits::Rested,
    }
}

/// Content of the caches when a run of a question begins.
pub(crate) fn contents_of(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Contents, PredictError> {
    Ok(match question.cache {
        CacheState::Warm => Contents::Warm,
        CacheState::Cold => Contents::Cold,
        CacheState::SecondRun => Contents::After(first_run_ios(question, blueprint, targets, watch)?),
    })
}

/// Scene of a run, and the credits that it begins with.
pub(crate) fn scene_and_levels(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    contents: Contents,
    short: bool,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(Scene, Levels), PredictError> {
    let scene = Scene::new(blueprint, question.workload, targets, contents, short)?;
    let levels = levels_of(question, blueprint, targets, &scene, watch)?;
    Ok((scene, levels))
}
