//! What a band claims: in a line, and as keys.

use iobound_catalog::DiskLayout;
use iobound_predict::{Coverage, LatencyBand, LatencyBands, Prediction};
use serde_json::{Value, json};

use crate::limit::grouped;
use crate::number::{figure, figure_or_null, percent_text, rounded, time_text, us};

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

/// The keys of what a band claims.
pub(crate) fn coverage_json(coverage: Option<&Coverage>) -> Value {
    coverage.map_or(Value::Null, |coverage| {
        json!({
            "claimed": figure(coverage.claimed, 2),
            "sources": coverage.sources,
            "runs": coverage.runs,
            "disks": coverage.layout.map(DiskLayout::name),
        })
    })
}

/// The keys of where the band of a prediction comes from.
pub(crate) fn basis_json(prediction: &Prediction) -> Value {
    let basis = &prediction.band;
    json!({
        "regime": basis.regime.name(),
        "coverage": coverage_json(basis.coverage.as_ref()),
        "one_slow_vm_in": figure_or_null(basis.one_slow_vm_in, 1),
        "mechanism_low_iops": crate::number::iops(basis.mechanism.low),
        "mechanism_high_iops": crate::number::iops(basis.mechanism.high),
    })
}

/// The keys of the bands of latency.
pub(crate) fn latency_bands_json(bands: &LatencyBands) -> Value {
    let one = |band: Option<LatencyBand>| {
        band.map_or(Value::Null, |band| {
            json!({
                "low": us(band.us.low),
                "high": us(band.us.high),
                "coverage": coverage_json(band.coverage.as_ref()),
            })
        })
    };
    json!({ "mean": one(bands.mean), "p50": one(bands.p50), "p99": one(bands.p99) })
}
