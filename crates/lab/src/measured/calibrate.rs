//! The factors that calibrate bands, by conformal prediction.
//!
//! Each published figure has a score: published ÷ each end of the model's own band. The factors are the narrowest pair, by their
//! quotient, between which a share of the scores lies. Sources weigh the same, the measurements of a source weigh the same, and
//! the repeats of a measurement weigh the same: rows of one source are not independent. The share is `CALIBRATED × (S + 1) ÷ S`
//! of S sources, which is what leaving each source out in turn would take off.

use std::collections::{BTreeMap, BTreeSet};

use iobound_catalog::{BandCell, BandFigure, CALIBRATED, Discrepancy, DiskLayout, MeasuredKind, Regime};
use iobound_workload::pow;

use super::point::MeasuredPoint;

/// A number of disks has factors of its own from this many sources: fewer can't tell a tail from the rest.
pub const LEAST_SOURCES: usize = 7;

/// Of few sources all scores lie between the factors, if there are at least this many sources; fewer calibrate nothing.
const FEWEST_SOURCES: usize = 3;

/// From this many sources a band may be narrower than the model's own.
const MANY_SOURCES: u32 = 14;

/// The logarithms of percentiles' factors grow by this ÷ sources where sources are few: the tails of latency differ so much from
/// source to source that the widest of a handful contains too few of the next.
const FEW_WIDEN: f64 = 3.0;

/// A score with its weight.
#[derive(Clone, Copy, Debug)]
struct Score {
    low: f64,
    high: f64,
    weight: f64,
}

/// The weight of each point: equal for sources, in them for measurements, in them for runs. The sum is 1.
pub(crate) fn weights(points: &[&MeasuredPoint<'_>]) -> Vec<f64> {
    let mut by: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for point in points {
        *by.entry(&point.run.source).or_default().entry(point.run.condition()).or_default() += 1;
    }
    let weight = |point: &&MeasuredPoint<'_>| {
        let of = &by[point.run.source.as_str()];
        1.0 / by.len() as f64 / of.len() as f64 / of[&point.run.condition()] as f64
    };
    points.iter().map(weight).collect()
}

/// The points that calibrate: no VM that its source calls slow, of a run one figure for the rate, and no percentile of a run whose rate
/// is far from the expected one: it is that of another regime.
fn calibrating<'p, 'a>(points: &'p [MeasuredPoint<'a>]) -> Vec<&'p MeasuredPoint<'a>> {
    let mut rated: BTreeSet<&str> = BTreeSet::new();
    let order = |point: &MeasuredPoint<'_>| match point.kind {
        MeasuredKind::Iops => 0,
        MeasuredKind::Throughput => 1,
        _ => 2,
    };
    let mut sorted: Vec<&MeasuredPoint<'a>> = points.iter().filter(|point| !point.run.is_slow_vm).collect();
    sorted.sort_by_key(|point| order(point));
    sorted.retain(|point| match point.figure() {
        BandFigure::Rate => rated.insert(&point.run.id),
        BandFigure::P50 | BandFigure::P99 => point.has_near_rate(),
    });
    sorted
}

/// The factors of all cells that have enough sources.
pub fn calibrate(points: &[MeasuredPoint<'_>]) -> Vec<Discrepancy> {
    let points = calibrating(points);
    let mut factors = Vec::new();
    for regime in Regime::calibrated() {
        for figure in BandFigure::ALL {
            let of: Vec<&MeasuredPoint<'_>> =
                points.iter().filter(|p| p.regime == regime && p.figure() == figure).copied().collect();
            for layout in std::iter::once(None).chain(DiskLayout::ALL.map(Some)) {
                let inside = of.iter().filter(|point| layout.is_none_or(|layout| point.layout == layout));
                let inside: Vec<&MeasuredPoint<'_>> = inside.copied().collect();
                factors.extend(factors_of(BandCell { regime, figure, layout }, &inside));
            }
        }
    }
    contain_limits(&mut factors);
    factors
}

/// Few sources can't tell how far a limit scatters that credits lift, or that the host cache's hits meet: they are limits like
/// others, so their factors contain those of limits. Where none calibrate the percentiles of such runs, those of limits do.
fn contain_limits(factors: &mut Vec<Discrepancy>) {
    let limits = factors
        .iter()
        .find(|of| of.of == BandCell { regime: Regime::Limit, figure: BandFigure::Rate, layout: None });
    let Some(limits) = limits.copied() else { return };
    let few = |of: &&mut Discrepancy| {
        matches!(of.of.regime, Regime::Burst | Regime::Assumed | Regime::Cache)
            && of.of.figure == BandFigure::Rate
            && of.sources < MANY_SOURCES
    };
    for of in factors.iter_mut().filter(few) {
        (of.low, of.high) = (of.low.min(limits.low), of.high.max(limits.high));
    }
    for regime in Regime::calibrated() {
        for figure in [BandFigure::P50, BandFigure::P99] {
            if factors.iter().any(|of| (of.of.regime, of.of.figure) == (regime, figure)) {
                continue;
            }
            let of_limits = BandCell { regime: Regime::Limit, figure, layout: None };
            let found = factors.iter().find(|of| of.of == of_limits).copied();
            factors.extend(found.map(|of| Discrepancy { of: BandCell { regime, ..of_limits }, ..of }));
        }
    }
}

fn factors_of(of: BandCell, points: &[&MeasuredPoint<'_>]) -> Option<Discrepancy> {
    let sources: BTreeSet<&str> = points.iter().map(|point| point.run.source.as_str()).collect();
    let runs: BTreeSet<&str> = points.iter().map(|point| point.run.id.as_str()).collect();
    let least = match (of.layout, of.regime) {
        (Some(_), _) => LEAST_SOURCES,
        // The model's own band rests on what is not known of these: any published run says more.
        (None, Regime::Assumed | Regime::Minimum) => 1,
        (None, _) => FEWEST_SOURCES,
    };
    if sources.len() < least {
        return None;
    }
    let scores: Vec<Score> = points
        .iter()
        .zip(weights(points))
        .map(|(point, weight)| {
            let [low, high] = point.ratios();
            Score { low, high, weight }
        })
        .collect();
    let count = sources.len() as f64;
    let (mut low, mut high) = narrowest(&scores, (CALIBRATED * (count + 1.0) / count).min(1.0));
    if sources.len() < MANY_SOURCES as usize {
        // Few sources are no reason to be surer than the model.
        (low, high) = (low.min(1.0), high.max(1.0));
        if of.figure != BandFigure::Rate {
            let wider = 1.0 + FEW_WIDEN / count;
            (low, high) = (pow(low, wider), pow(high, wider));
        }
    }
    // As the file has it.
    let rounded = |factor: f64| (factor * 1e4).round() / 1e4;
    let (sources, runs) = (sources.len() as u32, runs.len() as u32);
    Some(Discrepancy { of, low: rounded(low), high: rounded(high), sources, runs })
}

/// The two factors with the least quotient between which this share of the scores lies.
fn narrowest(scores: &[Score], share: f64) -> (f64, f64) {
    const SLACK: f64 = 1e-9;
    let mut by_high: Vec<Score> = scores.to_vec();
    by_high.sort_by(|one, other| one.high.total_cmp(&other.high));
    let mut lows: Vec<f64> = scores.iter().map(|score| score.low).collect();
    lows.sort_by(f64::total_cmp);
    lows.dedup();
    let mut best: Option<(f64, f64)> = None;
    for low in lows {
        let mut mass = 0.0;
        for score in by_high.iter().filter(|score| score.low >= low) {
            mass += score.weight;
            if mass >= share - SLACK {
                if best.is_none_or(|(least, most)| score.high / low < most / least - SLACK) {
                    best = Some((low, score.high));
                }
                break;
            }
        }
    }
    best.unwrap_or((1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(figures: &[(f64, f64)]) -> Vec<Score> {
        figures.iter().map(|(ratio, weight)| Score { low: *ratio, high: *ratio, weight: *weight }).collect()
    }

    #[test]
    fn the_narrowest_factors_leave_the_longer_tail_out() {
        let of = scores(&[(0.5, 0.1), (0.98, 0.2), (1.0, 0.3), (1.01, 0.2), (1.02, 0.1), (1.5, 0.1)]);
        assert_eq!(narrowest(&of, 0.8), (0.98, 1.02));
        assert_eq!(narrowest(&of, 0.7), (0.98, 1.01));
        assert_eq!(narrowest(&of, 0.9), (0.98, 1.5));
        assert_eq!(narrowest(&of, 1.0), (0.5, 1.5));
    }

    #[test]
    fn a_band_that_is_too_wide_gets_factors_that_narrow_it() {
        // Published figures at 0.9 to 1.1 of the expected one, and a band of 0.5 to 2.
        let of: Vec<Score> = [0.9, 1.0, 1.1]
            .map(|ratio| Score { low: ratio / 0.5, high: ratio / 2.0, weight: 1.0 / 3.0 })
            .to_vec();
        let (low, high) = narrowest(&of, 1.0);
        assert!((low - 1.8).abs() < 1e-9 && (high - 0.55).abs() < 1e-9, "{low} {high}");
    }
}
