//! Coverage: published figures inside the bands, in all, by what binds, by cloud, by source and by figure.

use std::collections::{BTreeMap, BTreeSet};

use iobound_catalog::{Cloud, Discrepancy, MeasuredKind, MeasuredRun, Regime, SlowVms, slow_vms};
use iobound_predict::Ends;

use super::calibrate::{calibrate, weights};
use super::point::{MeasuredPoint, points_of};
use super::question::MeasuredAnswer;

/// A published figure with the band that the factors without its source give.
#[derive(Clone, Debug)]
pub struct ComparedPoint<'a> {
    /// The figure and its bands.
    pub point: MeasuredPoint<'a>,
    /// The band by the factors of all other sources.
    pub left_out: Ends,
}

/// A published run that the model refuses.
#[derive(Clone, Debug)]
pub struct RefusedRun<'a> {
    /// The run.
    pub run: &'a MeasuredRun,
    /// Reason, in a sentence.
    pub why: String,
}

/// The coverage of a group of published figures. Shares give each source the same weight, and each measurement of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageRow {
    /// The group.
    pub name: String,
    /// Independent sources.
    pub sources: usize,
    /// Independent measurements: repeats count once.
    pub measurements: usize,
    /// Published figures.
    pub figures: usize,
    /// The share inside the model's own band.
    pub mechanism: f64,
    /// The share inside the calibrated band.
    pub band: f64,
    /// The share inside the band that the other sources give.
    pub left_out: f64,
    /// The share that is below the band that the other sources give.
    pub below: f64,
    /// The median over measurements of (high - low) ÷ expected.
    pub width: f64,
}

/// VMs that their source calls slow, and what they reached.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowReached {
    /// The VMs.
    pub vms: SlowVms,
    /// Published ÷ expected rate of the slowest of them.
    pub least: f64,
    /// The same of the fastest.
    pub most: f64,
}

/// The published runs beside the model.
#[derive(Clone, Debug, Default)]
pub struct MeasuredLab<'a> {
    /// The figures of runs whose VM no source calls slow.
    pub points: Vec<ComparedPoint<'a>>,
    /// Runs that the model refuses.
    pub refused: Vec<RefusedRun<'a>>,
    /// Slow VMs, source by source.
    pub slow: Vec<SlowReached>,
}

impl<'a> MeasuredLab<'a> {
    /// Compares runs with what the model says of each, and with the bands that `factors` give. `shown` chooses the sources and runs to
    /// show: all runs calibrate.
    pub fn of(
        answers: &[(&'a MeasuredRun, MeasuredAnswer)],
        factors: &[Discrepancy],
        shown: &dyn Fn(&MeasuredRun) -> bool,
    ) -> MeasuredLab<'a> {
        let mut points = all_points(answers);
        for point in &mut points {
            point.band = point.band_by(factors);
        }
        let refused = answers.iter().filter_map(|(run, answer)| match answer {
            MeasuredAnswer::Refused(why) => Some(RefusedRun { run, why: why.clone() }),
            MeasuredAnswer::Predicted(_) => None,
        });
        let sources: BTreeSet<&str> = points.iter().map(|point| point.run.source.as_str()).collect();
        let mut compared = Vec::new();
        for source in sources {
            let (own, others): (Vec<_>, Vec<_>) =
                points.iter().cloned().partition(|point| point.run.source == source);
            if !own.iter().any(|point| shown(point.run)) {
                continue;
            }
            let of_others = calibrate(&others);
            compared.extend(own.into_iter().filter(|point| shown(point.run) && !point.run.is_slow_vm).map(
                |point| {
                    let left_out = point.band_by(&of_others);
                    ComparedPoint { point, left_out }
                },
            ));
        }
        let refused = refused.filter(|refused| shown(refused.run)).collect();
        MeasuredLab { points: compared, refused, slow: reached(&points) }
    }

    /// The coverage of the figures that a test chooses; `None` where there are none.
    pub fn coverage(&self, name: &str, chosen: impl Fn(&MeasuredPoint<'a>) -> bool) -> Option<CoverageRow> {
        let of: Vec<&ComparedPoint<'a>> = self.points.iter().filter(|of| chosen(&of.point)).collect();
        let points: Vec<&MeasuredPoint<'a>> = of.iter().map(|of| &of.point).collect();
        if points.is_empty() {
            return None;
        }
        let weights = weights(&points);
        let share = |inside: &dyn Fn(&ComparedPoint<'a>) -> bool| -> f64 {
            of.iter().zip(&weights).filter(|(of, _)| inside(of)).map(|(_, weight)| weight).sum()
        };
        let measurements: BTreeMap<String, f64> =
            points.iter().map(|point| (point.run.condition(), point.width(point.band))).collect();
        let mut widths: Vec<f64> = measurements.values().copied().collect();
        widths.sort_by(f64::total_cmp);
        let sources: BTreeSet<&str> = points.iter().map(|point| point.run.source.as_str()).collect();
        Some(CoverageRow {
            name: name.to_string(),
            sources: sources.len(),
            measurements: measurements.len(),
            figures: points.len(),
            mechanism: share(&|of| of.point.is_inside(of.point.mechanism)),
            band: share(&|of| of.point.is_inside(of.point.band)),
            left_out: share(&|of| of.point.is_inside(of.left_out)),
            below: share(&|of| !of.point.is_inside(of.left_out) && of.point.published < of.left_out.low),
            width: widths[widths.len() / 2],
        })
    }

    /// Rates by what binds, and by cloud.
    pub fn by_regime(&self) -> Vec<CoverageRow> {
        let mut rows = Vec::new();
        for regime in Regime::ALL {
            let of = |point: &MeasuredPoint<'a>| point.kind.is_rate() && point.regime == regime;
            rows.extend(self.coverage(regime.name(), of));
            for cloud in Cloud::ALL {
                let name = format!("{} {}", regime.name(), cloud.name());
                rows.extend(self.coverage(&name, |point| of(point) && point.run.cloud == cloud));
            }
        }
        rows
    }

    /// By the kind of the figure.
    pub fn by_figure(&self) -> Vec<CoverageRow> {
        let row = |kind: MeasuredKind| self.coverage(kind.name(), |point| point.kind == kind);
        MeasuredKind::ALL.into_iter().filter_map(row).collect()
    }

    /// Rates by cloud, and all.
    pub fn by_cloud(&self) -> Vec<CoverageRow> {
        let of = |cloud: Cloud| {
            self.coverage(cloud.name(), |point| point.kind.is_rate() && point.run.cloud == cloud)
        };
        let all = self.coverage("all", |point| point.kind.is_rate());
        Cloud::ALL.into_iter().filter_map(of).chain(all).collect()
    }

    /// All figures by source.
    pub fn by_source(&self) -> Vec<CoverageRow> {
        let sources: BTreeSet<&str> = self.points.iter().map(|of| of.point.run.source.as_str()).collect();
        sources
            .into_iter()
            .filter_map(|source| self.coverage(source, |point| point.run.source == source))
            .collect()
    }
}

/// The figures of all runs that the model predicts.
pub fn all_points<'a>(answers: &[(&'a MeasuredRun, MeasuredAnswer)]) -> Vec<MeasuredPoint<'a>> {
    answers
        .iter()
        .flat_map(|(run, answer)| match answer {
            MeasuredAnswer::Predicted(prediction) => points_of(run, prediction),
            MeasuredAnswer::Refused(_) => Vec::new(),
        })
        .collect()
}

fn reached(points: &[MeasuredPoint<'_>]) -> Vec<SlowReached> {
    slow_vms()
        .into_iter()
        .filter_map(|vms| {
            let reached = points
                .iter()
                .filter(|point| {
                    point.run.is_slow_vm && point.run.source == vms.source && point.kind.is_rate()
                })
                .map(|point| point.published / point.expected);
            let (least, most) = (reached.clone().reduce(f64::min)?, reached.reduce(f64::max)?);
            Some(SlowReached { vms, least, most })
        })
        .collect()
}
