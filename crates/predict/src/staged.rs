//! A run of a workload's own length, ready for whoever drives the stack himself: the emulator, in real time.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, Change, Dimension, GateId, Stack, Start, StartCredits};
use iobound_units::Instant;
use iobound_workload::{Target, Workload};

use crate::burst::Levels;
use crate::conditions::is_shallow;
use crate::error::PredictError;
use crate::question::Question;
use crate::scene::Scene;
use crate::simulate::{contents_of, scene_and_levels, start_of};
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

/// Gives the gates what is left of their credits.
pub(crate) fn set_credits(stack: &mut Stack, levels: &Levels) -> Result<(), PredictError> {
    for (gate, levels) in levels.iter().enumerate() {
        for dimension in Dimension::ALL {
            if let Some(level) = levels[dimension as usize] {
                let change = Change::Credits(GateId(gate as u16), dimension, level as u64);
                stack.change(Instant::ZERO, change).map_err(PredictError::Blueprint)?;
            }
        }
    }
    Ok(())
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
    let lanes = question.workload.lanes(targets)?;
    let outstanding: u64 = lanes.iter().map(|lane| u64::from(lane.depth)).sum();
    let resolved = question.resolved;
    Ok(if is_shallow(outstanding) { resolved.at_depth_1() } else { resolved.blueprint.clone() })
}
