//! The claim of a band: in a line, and in documents.

use iobound_catalog::DiskLayout;
use iobound_documents::{
    Amount, BandPart, CoveragePart, Iops, LatencyBandPart, LatencyBandsPart, Microseconds, Share,
};
use iobound_predict::{Coverage, LatencyBand, LatencyBands, Prediction};

use crate::limit::grouped;
use crate::number::{percent_text, rounded, time_text};

/// `80 % of 61 published limit-bound runs on one disk are inside; 1 VM in 20 is slower`.
pub(crate) fn band_words(prediction: &Prediction) -> String {
    let regime = prediction.band.regime.name();
    let Some(coverage) = &prediction.band.coverage else {
        return format!("the band is the model's own: no published {regime}-bound runs calibrate it");
    };
    let slow = prediction
        .band
        .one_slow_vm_in
        .map_or(String::new(), |one_in| format!("; 1 VM in {} is slower", rounded(one_in, 0)));
    let (claimed, runs) = (percent_text(coverage.claimed), runs(coverage));
    format!("{claimed} of {runs} published {regime}-bound runs{} are inside{slow}", of(coverage))
}

fn runs(coverage: &Coverage) -> String {
    grouped(u64::from(coverage.runs))
}

/// ` on several disks`: which runs, where not all.
fn of(coverage: &Coverage) -> &'static str {
    match coverage.layout {
        None => "",
        Some(DiskLayout::One) => " on one disk",
        Some(DiskLayout::Several) => " on several disks",
    }
}

/// The bands of latency in a line; `None` where no published runs calibrate any.
pub(crate) fn latency_band_words(bands: &LatencyBands) -> Option<String> {
    let named = [("mean", bands.mean), ("p50", bands.p50), ("p99", bands.p99)];
    let words: Vec<String> = named
        .into_iter()
        .filter_map(|(name, band)| {
            let band = band?;
            let coverage = band.coverage?;
            let (low, high) = (time_text(band.us.low), time_text(band.us.high));
            Some(format!("{name} {low} to {high} (of {})", runs(&coverage)))
        })
        .collect();
    let claimed = percent_text(bands.mean?.coverage?.claimed);
    (!words.is_empty()).then(|| format!("band, {claimed} of published runs: {}", words.join(", ")))
}

fn coverage_part(coverage: &Coverage) -> CoveragePart {
    CoveragePart {
        claimed: Share::with_decimals(coverage.claimed, 2),
        sources: coverage.sources,
        runs: coverage.runs,
        disks: coverage.layout.map(|layout| layout.name().to_string()),
    }
}

/// Origin of the band of a prediction.
pub(super) fn basis_part(prediction: &Prediction) -> BandPart {
    let basis = &prediction.band;
    BandPart {
        regime: basis.regime.name().to_string(),
        coverage: basis.coverage.as_ref().map(coverage_part),
        one_slow_vm_in: basis.one_slow_vm_in.map(|vms| Amount::with_decimals(vms, 1)),
        mechanism_low_iops: Iops::of(basis.mechanism.low),
        mechanism_high_iops: Iops::of(basis.mechanism.high),
    }
}

/// The bands of latency.
pub(super) fn latency_bands_part(bands: &LatencyBands) -> LatencyBandsPart {
    let one = |band: LatencyBand| LatencyBandPart {
        low: Microseconds::of(band.us.low),
        high: Microseconds::of(band.us.high),
        coverage: band.coverage.as_ref().map(coverage_part),
    };
    LatencyBandsPart { mean: bands.mean.map(one), p50: bands.p50.map(one), p99: bands.p99.map(one) }
}
