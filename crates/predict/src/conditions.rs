//! Common conditions of all runs of one prediction: where they take place, and what they begin with.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, CacheMode, LimiterId, Stalls, StartCredits};
use iobound_units::Span;
use iobound_workload::{Queue, Target};

use crate::burst::Levels;
use crate::ceiling::ceiling;
use crate::demand::{Flow as Demanding, flows};
use crate::ends::is_shallow;
use crate::error::PredictError;
use crate::levels::{full_hits, levels_of, limits_in_force, scene_of};
use crate::question::{CacheState, Question};
use crate::scene::Scene;
use crate::second_run::{Care, SecondRun, first_run_ios};
use crate::settling::{settling_time, time_to_rest};
use crate::simulate::{EXACTLY, Effort, ROUGHLY, Setup, Simulated, check_outstanding, simulate_setup};
use crate::targets::targets_of;

/// I/Os of the expected figure's simulation, and of each end of the band.
const EXPECTED_IOS: u64 = 400_000;
const BAND_IOS: u64 = 40_000;
/// Simulated time of each part of a second run for the expected figure, and for each end of the band.
const EXPECTED_COUNTED: Span = Span::from_ms(600);
const BAND_COUNTED: Span = Span::from_ms(300);

/// Precision of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// As the expected figure is.
    Expected,
    /// As an end of the band is.
    Band,
}

/// Common conditions of the runs of a question. Filling a cache takes as long as a run does, so it is made once.
pub(crate) struct Conditions<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) targets: Vec<Target>,
    pub(crate) queues: Vec<Queue>,
    /// I/Os asked for at a time.
    pub(crate) outstanding: u64,
    /// The typical host.
    pub(crate) blueprint: Blueprint,
    pub(crate) scene: Scene,
    pub(crate) levels: Levels,
    rest: Span,
    second_run: Option<SecondRun>,
}

impl<'a> Conditions<'a> {
    /// Those of a question.
    ///
    /// # Errors
    /// Returns an error if the configuration's volumes cannot hold the workload or the caller's callback ends it.
    pub(crate) fn of(
        question: &'a Question<'a>,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Conditions<'a>, PredictError> {
        let resolved = question.resolved;
        let targets = targets_of(resolved);
        let queues = question.workload.queues(&targets)?;
        let outstanding: u64 = queues.iter().map(|queue| u64::from(queue.depth)).sum();
        check_outstanding(outstanding)?;
        let blueprint =
            if is_shallow(outstanding) { resolved.at_depth_1() } else { resolved.blueprint.clone() };
        let scene = scene_of(question, &blueprint, &targets)?;
        let levels = levels_of(question, &blueprint, &targets, &scene, watch)?;
        let rough = flows(question.workload, &queues, &blueprint, &full_hits(&blueprint));
        let rest = time_to_rest(&rough, &blueprint, outstanding);
        let second_run = match question.cache {
            CacheState::SecondRun => {
                let first_run = first_run_ios(question, &blueprint, &targets, watch)?;
                let fastest = ceiling(&rough, &limits_in_force(&blueprint, &levels)).iops;
                let how = (fastest, Care { warmup: rest, counted: EXPECTED_COUNTED });
                Some(SecondRun::new(question, &blueprint, &targets, &queues, first_run, how)?)
            }
            _ => None,
        };
        Ok(Conditions { question, targets, queues, outstanding, blueprint, scene, levels, rest, second_run })
    }

    /// Lasting figures under these conditions on a blueprint of the same shape.
    pub(crate) fn settle(
        &self,
        blueprint: &Blueprint,
        known: Known,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Simulated, PredictError> {
        self.settle_from(blueprint, &self.levels, known, watch)
    }

    /// The same from other credits.
    pub(crate) fn settle_from(
        &self,
        blueprint: &Blueprint,
        levels: &Levels,
        known: Known,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Simulated, PredictError> {
        let counted = match known {
            Known::Expected => EXPECTED_COUNTED,
            Known::Band => BAND_COUNTED,
        };
        if let Some(second_run) = &self.second_run {
            let care = Care { warmup: self.rest, counted };
            return second_run.simulate(blueprint, &self.targets, levels, care, watch);
        }
        let workload = self.question.workload;
        let rough: Vec<Demanding> = flows(workload, &self.queues, blueprint, &full_hits(blueprint));
        let warmup = settling_time(&rough, blueprint, self.outstanding, known == Known::Expected);
        let most_ios = match known {
            Known::Expected if self.acknowledges() => EXPECTED_IOS / 2,
            Known::Expected => EXPECTED_IOS,
            Known::Band => BAND_IOS,
        };
        let within = if known == Known::Expected { EXACTLY } else { ROUGHLY };
        let setup = Setup {
            blueprint,
            workload,
            targets: &self.targets,
            scene: &self.scene,
            passed: 0,
            levels,
            start: StartCredits::Spent,
            stalls: &[],
            effort: Effort::Settle { most_ios, within, warmup },
        };
        simulate_setup(&setup, watch)
    }

    /// The same while limiters stall, over so much time after the queues have settled; `None` of a second run, whose parts are
    /// shorter than that.
    pub(crate) fn stalled(
        &self,
        blueprint: &Blueprint,
        stalls: &[(LimiterId, Stalls)],
        counted: Span,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Option<Simulated>, PredictError> {
        if self.second_run.is_some() {
            return Ok(None);
        }
        let workload = self.question.workload;
        let rough: Vec<Demanding> = flows(workload, &self.queues, blueprint, &full_hits(blueprint));
        let warmup = settling_time(&rough, blueprint, self.outstanding, false);
        let setup = Setup {
            blueprint,
            workload,
            targets: &self.targets,
            scene: &self.scene,
            passed: 0,
            levels: &self.levels,
            start: StartCredits::Spent,
            stalls,
            effort: Effort::For { warmup, counted },
        };
        simulate_setup(&setup, watch).map(Some)
    }

    /// A write that a cache acknowledges is simulated twice: when it is, and when it is written back.
    pub(crate) fn acknowledges(&self) -> bool {
        let mut caches = self.blueprint.disks.iter().filter_map(|disk| disk.cache);
        caches.any(|used| used.mode == CacheMode::ReadWrite)
    }
}
