//! The latency of one I/O alone.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, StartCredits};
use iobound_units::Span;
use iobound_workload::{Load, Target, Workload};

use crate::burst;
use crate::error::PredictError;
use crate::question::Question;
use crate::scene::Scene;
use crate::simulate::{Effort, ROUGHLY, Setup, simulate_setup};

/// The workload with `depth` outstanding on each queue, and no rate or pause of its own.
pub(crate) fn at_depth(workload: &Workload, depth: u32) -> Workload {
    let mut workload = workload.clone();
    for job in &mut workload.jobs {
        job.load = Load::Closed { depth, cap: None };
        job.cap_of = None;
        job.think = None;
    }
    workload
}

/// The mean latency of one I/O alone: one thread of each job, one outstanding.
pub(crate) fn alone(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    scene: &Scene,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Span, PredictError> {
    let mut workload = at_depth(question.workload, 1);
    for job in &mut workload.jobs {
        job.threads = 1;
    }
    let levels = burst::full(blueprint);
    let simulated = simulate_setup(
        &Setup {
            blueprint,
            workload: &workload,
            targets,
            scene,
            passed: 0,
            levels: &levels,
            start: StartCredits::Spent,
            stalls: &[],
            effort: Effort::Settle { most_ios: 2_000, within: ROUGHLY, warmup: Span::from_ms(100) },
        },
        watch,
    )?;
    let (mut ios, mut ns) = (0u64, 0u128);
    for job in &simulated.measured.jobs {
        for op in &job.by_op[..2] {
            let moments = op.response.moments();
            ios += op.count();
            ns += moments.sum_ns();
        }
    }
    Ok(Span::from_ns((ns / u128::from(ios.max(1))) as u64))
}
