//! A published figure beside the model's.

use iobound_catalog::{BandFigure, Discrepancy, DiskLayout, MeasuredKind, MeasuredRun, Regime};
use iobound_predict::{BandRule, Ends, Prediction};

/// Tolerance outside a band for a published figure: half of its last digit.
const ROUNDING: f64 = 0.001;

/// A published figure with the model's bands, in the unit of its kind.
#[derive(Clone, Debug)]
pub struct MeasuredPoint<'a> {
    /// The run.
    pub run: &'a MeasuredRun,
    /// The kind of the figure.
    pub kind: MeasuredKind,
    /// The published figure.
    pub published: f64,
    /// The expected figure.
    pub expected: f64,
    /// The model's own band.
    pub mechanism: Ends,
    /// The calibrated band.
    pub band: Ends,
    /// True if published runs calibrate the band.
    pub is_calibrated: bool,
    /// The limit that binds, by the model.
    pub regime: Regime,
    /// The number of disks.
    pub layout: DiskLayout,
    /// The run's published rate ÷ the expected one; `None` if the source gives no rate.
    pub rate: Option<f64>,
    /// The ceiling of a rate.
    ceiling: Option<f64>,
}

impl MeasuredPoint<'_> {
    /// True if the published figure lies inside a band.
    pub fn is_inside(&self, band: Ends) -> bool {
        (band.low * (1.0 - ROUNDING)..=band.high * (1.0 + ROUNDING)).contains(&self.published)
    }

    /// The width of a band ÷ expected.
    pub fn width(&self, band: Ends) -> f64 {
        (band.high - band.low) / self.expected
    }

    /// The factors that calibrate the figure; those of a mean latency are the inverse of the rate's.
    pub fn figure(&self) -> BandFigure {
        match self.kind {
            MeasuredKind::P50 => BandFigure::P50,
            MeasuredKind::P99 => BandFigure::P99,
            _ => BandFigure::Rate,
        }
    }

    /// The band that other factors give.
    pub fn band_by(&self, factors: &[Discrepancy]) -> Ends {
        let rule = BandRule { factors, regime: self.regime, layout: self.layout };
        match self.kind {
            MeasuredKind::Iops | MeasuredKind::Throughput => {
                rule.rate(self.mechanism, self.expected, self.ceiling).0
            }
            MeasuredKind::Mean => rule.mean(self.mechanism, self.expected).0,
            MeasuredKind::P50 | MeasuredKind::P90 | MeasuredKind::P99 => {
                rule.percentile(self.figure(), self.mechanism, self.expected).0
            }
        }
    }

    /// True if the run's rate is between half and twice the expected one. Where it is not, something else binds than the model says.
    pub(crate) fn has_near_rate(&self) -> bool {
        self.rate.is_none_or(|rate| (0.5..=2.0).contains(&rate))
    }

    /// Published ÷ the low end and ÷ the high end of the model's own band; of a mean latency the inverse, which is a rate's.
    pub(crate) fn ratios(&self) -> [f64; 2] {
        match self.kind {
            MeasuredKind::Mean => [self.mechanism.high / self.published, self.mechanism.low / self.published],
            _ => [self.published / self.mechanism.low, self.published / self.mechanism.high],
        }
    }
}

/// The published figures of a run that have a band: all but the 90th percentile.
pub(crate) fn points_of<'a>(run: &'a MeasuredRun, prediction: &Prediction) -> Vec<MeasuredPoint<'a>> {
    let expected = &prediction.expected;
    let latency = prediction.latency.unwrap_or_default();
    let (bands, basis) = (&prediction.latency_bands, &prediction.band);
    let rate = |unit: f64| {
        let times = |ends: Ends| Ends { low: ends.low * unit, high: ends.high * unit };
        let band = times(Ends { low: expected.low_iops, high: expected.high_iops });
        Some((expected.iops * unit, times(basis.mechanism), band, basis.coverage.is_some()))
    };
    let percentile = |of: usize| {
        let (expected, band) =
            [(latency.mean, bands.mean), (latency.p50, bands.p50), (latency.p99, bands.p99)][of];
        let band = band?;
        Some((expected?, basis.latency_mechanism[of]?, band.us, band.coverage.is_some()))
    };
    let block = expected.throughput_bytes_per_s / expected.iops;
    let published = |kind: MeasuredKind| run.figures.iter().find(|of| of.kind == kind).map(|of| of.value);
    let rate_of_run = published(MeasuredKind::Iops)
        .or_else(|| published(MeasuredKind::Throughput).map(|bytes| bytes / block))
        .map(|iops| iops / expected.iops);
    let point = |kind: MeasuredKind, published: f64| {
        let (unit, found) = match kind {
            MeasuredKind::Iops => (1.0, rate(1.0)),
            MeasuredKind::Throughput => (block, rate(block)),
            MeasuredKind::Mean => (1.0, percentile(0)),
            MeasuredKind::P50 => (1.0, percentile(1)),
            MeasuredKind::P99 => (1.0, percentile(2)),
            MeasuredKind::P90 => return None,
        };
        let (expected, mechanism, band, is_calibrated) = found?;
        let ceiling = prediction.ceiling.iops.map(|ceiling| ceiling * unit);
        let (regime, layout) = (basis.regime, basis.layout);
        Some(MeasuredPoint {
            run,
            kind,
            published,
            expected,
            mechanism,
            band,
            is_calibrated,
            regime,
            layout,
            rate: rate_of_run,
            ceiling,
        })
    };
    run.figures.iter().filter_map(|figure| point(figure.kind, figure.value)).collect()
}
