//! State that a workload leaves behind on a configuration: for whoever serves the stack at its full size, to clients whose I/Os
//! nobody knows.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, Dimension, LimiterId, Stack};
use iobound_workload::{Queue, Workload};

use crate::burst::Levels;
use crate::error::PredictError;
use crate::question::Question;
use crate::scene::Contents;
use crate::simulate::set_credits;
use crate::staged::{blueprint_of, contents_of, scene_and_levels};
use crate::targets::targets_of;
use crate::warm;

/// The credits and the cache contents that a question's runs begin with, not yet in a stack.
#[derive(Debug)]
pub struct Left {
    blueprint: Blueprint,
    workload: Workload,
    queues: Vec<Queue>,
    levels: Levels,
    contents: Contents,
}

/// Credits left when the question's workload has run for its age, and in the caches by its cache state: as
/// [`crate::predict`] has them.
///
/// # Errors
/// Returns an error if the jobs do not fit the configuration or the caller's callback ends it.
pub fn left_by(
    question: &Question<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Left, PredictError> {
    let targets = targets_of(question.resolved);
    let blueprint = blueprint_of(question, &targets)?;
    let contents = contents_of(question, &blueprint, &targets, watch)?;
    let (_, levels) = scene_and_levels(question, &blueprint, &targets, contents, true, watch)?;
    let workload = question.workload.clone();
    let queues = workload.queues(&targets)?;
    Ok(Left { blueprint, workload, queues, levels, contents })
}

impl Left {
    /// Gives the credits to a stack at its start, of the question's own blueprint.
    ///
    /// # Errors
    /// Returns an error if the stack has another blueprint.
    pub fn set_credits(&self, stack: &mut Stack) -> Result<(), PredictError> {
        set_credits(stack, &self.levels)
    }

    /// Fills the caches of a stack at its start, of the question's own blueprint at its full size. It may have more volumes,
    /// and other latencies. A first run is drawn I/O by I/O, tens of millions in ten seconds: for as long as it is `wanted`.
    pub fn fill(&self, stack: &mut Stack, wanted: &mut dyn FnMut() -> bool) {
        match self.contents {
            _ if self.blueprint.caches.is_empty() => {}
            Contents::Cold => {}
            Contents::Warm => warm::fill_warm(stack, &self.blueprint, &self.workload, &self.queues),
            Contents::After(ios) => {
                warm::fill_by_first_run(stack, &self.workload, &self.queues, ios, wanted);
            }
        }
    }

    /// The credits that are left, and the most that there can be, by limiter.
    pub fn credits(&self) -> impl Iterator<Item = (LimiterId, Dimension, u64, u64)> + '_ {
        self.levels.iter().zip(&self.blueprint.limiters).enumerate().flat_map(|(n, (levels, limiter))| {
            Dimension::ALL.into_iter().filter_map(move |dimension| {
                let left = levels[dimension as usize]? as u64;
                Some((LimiterId(n as u16), dimension, left, limiter.credit(dimension)?.capacity))
            })
        })
    }

    /// Number of I/Os of the first run whose traces the caches hold; `None` where they hold no run's.
    pub fn first_run_ios(&self) -> Option<u64> {
        match self.contents {
            Contents::After(ios) => Some(ios),
            Contents::Cold | Contents::Warm => None,
        }
    }
}
