use iobound_drive::{Flow, MOST_OUTSTANDING};
use iobound_measure::Interval;
use iobound_model::{Blueprint, StartCredits};
use iobound_units::Span;
use iobound_workload::{Target, Workload};

use crate::alone::{alone, at_depth};
use crate::error::PredictError;
use crate::levels::{levels_of, scene_of, unasked_ceiling};
use crate::question::Question;
use crate::simulate::{Effort, ROUGHLY, Setup, check_outstanding, simulate_setup};

/// The smallest concurrency that reaches the most.
#[derive(Clone, Debug, PartialEq)]
pub struct Knee {
    /// Outstanding I/Os in all.
    pub outstanding: u64,
    /// Outstanding I/Os of each of the workload's queues (a thread on a target).
    pub depth: u64,
    /// The workload's queues.
    pub threads: u64,
    /// I/Os a second there.
    pub iops: f64,
    /// Simulated points: outstanding I/Os, I/Os a second, mean latency.
    pub curve: Vec<(u64, f64, Span)>,
    /// The search ended at the most outstanding I/Os that are simulated while the rate still grew.
    pub is_cut_short: bool,
}

/// Number of queues that a workload has on these targets.
pub(crate) fn queues(workload: &Workload, targets: &[Target]) -> Result<u64, PredictError> {
    Ok(workload.queues(targets)?.len() as u64)
}

/// The knee by arithmetic: ceiling × latency of an I/O alone.
pub(crate) fn knee(
    question: &Question<'_>,
    targets: &[Target],
    ceiling_iops: Option<f64>,
    alone: Span,
) -> Result<Option<Knee>, PredictError> {
    let Some(iops) = ceiling_iops else { return Ok(None) };
    let threads = queues(question.workload, targets)?;
    let outstanding = ((iops * alone.secs_f64()) - 1e-9).ceil().max(1.0) as u64;
    let depth = outstanding.div_ceil(threads);
    Ok(Some(Knee { outstanding, depth, threads, iops, curve: Vec::new(), is_cut_short: false }))
}

/// The knee by search: depth doubles until it gains less than 5 %, then the smallest that is within 1 % of the
/// most is bisected. At most 4,096 outstanding I/Os of each queue are tried, and at most [`MOST_OUTSTANDING`] in all.
pub fn find_knee(
    question: &Question<'_>,
    blueprint: &Blueprint,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Knee, PredictError> {
    const DEEPEST: u64 = 4_096;
    /// I/Os of one run.
    const NEAR_IOS: u64 = 25_000;
    const FAR_IOS: u64 = 8_000;
    let targets = crate::targets::targets_of(question.resolved);
    let threads = queues(question.workload, &targets)?;
    check_outstanding(threads)?;
    let deepest = DEEPEST.min(MOST_OUTSTANDING / threads.max(1));
    let scene = scene_of(question, blueprint, &targets)?;
    let levels = levels_of(question, blueprint, &targets, &scene, watch)?;
    let mut curve: Vec<(u64, f64, Span)> = Vec::new();
    let alone = alone(question, blueprint, &targets, &scene, watch)?;
    // Well below the knee no limit is near: the media's mean is all there is to learn.
    let queues = question.workload.queues(&targets)?;
    let near = unasked_ceiling(question, blueprint, &queues, &levels)
        .map_or(0.0, |iops| iops * alone.secs_f64() / 4.0);
    let mut measure = |depth: u64| -> Result<f64, PredictError> {
        let most_ios = if ((depth * threads) as f64) < near { FAR_IOS } else { NEAR_IOS };
        if let Some((_, iops, _)) = curve.iter().find(|(outstanding, _, _)| *outstanding == depth * threads) {
            return Ok(*iops);
        }
        let workload = at_depth(question.workload, depth as u32);
        let setup = Setup {
            blueprint,
            workload: &workload,
            targets: &targets,
            scene: &scene,
            passed: 0,
            levels: &levels,
            start: StartCredits::Spent,
            stalls: &[],
            effort: Effort::Settle { most_ios, within: ROUGHLY, warmup: Span::from_ms(250) },
        };
        let simulated = simulate_setup(&setup, watch)?;
        let iops = simulated.iops();
        let mean = (depth * threads) as f64 / iops;
        curve.push((depth * threads, iops, Span::from_ns((mean * 1e9) as u64)));
        Ok(iops)
    };
    let (mut depth, mut best) = (1, measure(1)?);
    let mut is_cut_short = true;
    while depth * 2 <= deepest {
        let deeper = measure(depth * 2)?;
        if deeper < best * 1.05 {
            best = best.max(deeper);
            is_cut_short = false;
            break;
        }
        best = deeper;
        depth *= 2;
    }
    let (mut below, mut enough) = (depth / 2, if is_cut_short { depth } else { depth * 2 });
    while enough - below > 1 {
        let middle = below.midpoint(enough);
        if measure(middle)? >= best * 0.99 { enough = middle } else { below = middle }
    }
    let iops = measure(enough)?;
    curve.sort_by_key(|(outstanding, _, _)| *outstanding);
    Ok(Knee { outstanding: enough * threads, depth: enough, threads, iops, curve, is_cut_short })
}
