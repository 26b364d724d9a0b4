//! Gain of a run from token buckets that are full when it begins.
//!
//! A bucket that rested holds `depth` seconds of its rate. At a limit of `L` a run of `T` seconds does `L × (T + depth)`: public
//! runs at an EBS limit are `L × (T + x) / T`, with `x` near 1 s after idle (sources of `rules.csv`, `ebs-buckets`).

use iobound_model::{Algorithm, Blueprint, Dimension};
use iobound_units::Span;
use iobound_workload::Workload;

use crate::binding::FULL;
use crate::simulate::Simulated;

/// The tokens, in seconds of its rate, of the deepest bucket that holds a run back; `None` where no bucket does.
pub(crate) fn saved(
    blueprint: &Blueprint,
    simulated: &Simulated,
    limits: &[[Option<f64>; 2]],
) -> Option<Span> {
    let seconds = simulated.measured.window().secs_f64();
    let depths = blueprint.limiters.iter().zip(&simulated.limiters).zip(limits).filter_map(
        |((limiter, state), limits)| {
            let Algorithm::Bucket { depth } = limiter.algorithm else { return None };
            let is_full = |dimension: Dimension| {
                let used = match dimension {
                    Dimension::Ios => state.units,
                    Dimension::Bytes => state.bytes,
                };
                limits[dimension as usize].is_some_and(|limit| used as f64 >= FULL * limit * seconds)
            };
            Dimension::ALL.into_iter().any(is_full).then_some(depth)
        },
    );
    depths.max()
}

/// The limits without those of token buckets: what holds a run back while their tokens last.
pub(crate) fn without_buckets(blueprint: &Blueprint, limits: &[[Option<f64>; 2]]) -> Vec<[Option<f64>; 2]> {
    let free = blueprint.limiters.iter().zip(limits).map(|(limiter, limits)| match limiter.algorithm {
        Algorithm::Bucket { .. } => [None; 2],
        Algorithm::Slice { .. } => *limits,
    });
    free.collect()
}

/// The mean rate of a run from idle over its counted time: it goes at `free` while tokens last, and at `lasting` after.
/// With `N(t) = min(free × t, lasting × (t + depth))` I/Os done by `t`, that is the growth of `N` over the counted time.
pub(crate) fn mean_of_run(lasting: f64, free: f64, depth: Span, workload: &Workload) -> f64 {
    let (from, counted) = (workload.warmup.secs_f64(), workload.duration.secs_f64());
    if counted <= 0.0 {
        return lasting;
    }
    let free = free.max(lasting);
    let done = |at: f64| (free * at).min(lasting * (at + depth.secs_f64()));
    (done(from + counted) - done(from)) / counted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(warmup: u64, seconds: u64) -> Workload {
        Workload { warmup: Span::from_ms(warmup), ..Workload::new(Vec::new(), Span::from_secs(seconds)) }
    }

    #[test]
    fn a_run_from_idle_has_the_depth_of_the_bucket_more() {
        let second = Span::from_secs(1);
        let mean = |free, workload: &Workload| mean_of_run(4_000.0, free, second, workload).round();
        // 4,000 x (10 + 1) / 10 where nothing else holds it back.
        assert_eq!(mean(1e6, &run(0, 10)), 4_400.0);
        // At 4,200 a second the tokens last 20 s: all of the run.
        assert_eq!(mean(4_200.0, &run(0, 10)), 4_200.0);
        // A warm-up uses them up.
        assert_eq!(mean(1e6, &run(5_000, 10)), 4_000.0);
        // No faster than it lasts: nothing is gained.
        assert_eq!(mean(0.0, &run(0, 10)), 4_000.0);
    }
}
