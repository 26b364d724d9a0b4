//! State at the start of a run: burst credits, the limits that they leave in force, and the contents of caches.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, Dimension};
use iobound_workload::{Queue, Target};

use crate::alone::alone;
use crate::burst::{self, Levels};
use crate::ceiling::{ceiling, enforced_limits};
use crate::demand::{Flow as Demanding, flows};
use crate::error::PredictError;
use crate::question::{Age, CacheState, Question};
use crate::scene::{Contents, Scene};

/// Hits of every cached read.
pub(crate) fn full_hits(blueprint: &Blueprint) -> Vec<f64> {
    vec![1.0; blueprint.disks.len()]
}

/// The ceiling that a workload would have without rates and pauses of its own, if every cached read were a hit.
pub(crate) fn unasked_ceiling(
    question: &Question<'_>,
    blueprint: &Blueprint,
    queues: &[Queue],
    levels: &Levels,
) -> Option<f64> {
    let flows = flows(question.workload, queues, blueprint, &full_hits(blueprint));
    let unasked: Vec<Demanding> = flows.into_iter().map(|flow| Demanding { asked: None, ..flow }).collect();
    ceiling(&unasked, &limits_in_force(blueprint, levels)).iops
}

/// The enforced limits, of the burst where there are credits.
pub(crate) fn limits_in_force(blueprint: &Blueprint, levels: &Levels) -> Vec<[Option<f64>; 2]> {
    let mut limits = enforced_limits(blueprint);
    for ((limiter, limits), levels) in blueprint.limiters.iter().zip(&mut limits).zip(levels) {
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            if let (Some(limit), Some(credit), Some(level)) =
                (&mut limits[d], limiter.credit(dimension), levels[d])
                && level > 0.0
            {
                *limit = credit.burst as f64 * limiter.factor.as_f64();
            }
        }
    }
    limits
}

/// Content of caches under a question's workload after a long time: nothing before a second run, which begins with what
/// the first has left.
pub(crate) fn scene_of(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
) -> Result<Scene, PredictError> {
    let contents = match question.cache {
        CacheState::Warm => Contents::Warm,
        CacheState::Cold | CacheState::SecondRun => Contents::Cold,
    };
    Scene::new(blueprint, question.workload, targets, contents, true)
}

/// The credits at the asked age.
pub(crate) fn levels_of(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    scene: &Scene,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Levels, PredictError> {
    let spent = burst::spent(blueprint);
    match question.age {
        Age::At(age) if blueprint.has_credits() => {
            let queues = question.workload.queues(targets)?;
            let alone = alone(question, blueprint, targets, scene, watch)?;
            let hits = if question.cache == CacheState::Cold {
                vec![0.0; blueprint.disks.len()]
            } else {
                full_hits(blueprint)
            };
            let flows = flows(question.workload, &queues, blueprint, &hits);
            let reach: Vec<f64> =
                flows.iter().map(|flow| flow.depth as f64 / alone.secs_f64().max(1e-9)).collect();
            Ok(burst::levels_after(blueprint, &flows, &reach, age))
        }
        _ => Ok(spent),
    }
}
