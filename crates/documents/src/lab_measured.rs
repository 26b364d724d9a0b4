//! `lab --measured`: `iobound.lab-measured/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{Amount, Share};

/// Published measurements beside the model's bands. Shares give each source the same weight, and each measurement of a source;
/// repeats of one measurement count once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabMeasuredDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<LabMeasuredDocument>,
    /// Share of published runs that a calibrated band claims to contain.
    pub claimed: Share,
    /// IOPS and throughput, by what the model says binds, for all clouds and for each.
    pub by_regime: Vec<CoverageRowPart>,
    /// IOPS and throughput, by cloud.
    pub by_cloud: Vec<CoverageRowPart>,
    /// All figures, by kind.
    pub by_figure: Vec<CoverageRowPart>,
    /// All figures, by source.
    pub by_source: Vec<CoverageRowPart>,
    /// VMs that their source calls slow. No factor includes them.
    pub slow_vms: Vec<SlowVmsPart>,
    /// Runs that the model refuses.
    pub refused: Vec<RefusedRunPart>,
    /// The published figures.
    pub figures: Vec<MeasuredFigurePart>,
}

impl Contract for LabMeasuredDocument {
    const ID: &'static str = "iobound.lab-measured/1";
}

/// Number of published figures that lie in the bands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageRowPart {
    /// Name of the group.
    pub name: String,
    /// Independent sources.
    #[schemars(extend("x-unit" = "sources"))]
    pub sources: u64,
    /// Independent measurements.
    #[schemars(extend("x-unit" = "measurements"))]
    pub measurements: u64,
    /// Published figures.
    #[schemars(extend("x-unit" = "figures"))]
    pub figures: u64,
    /// Share inside the model's own band.
    pub inside_mechanism: Share,
    /// Share inside the calibrated band.
    pub inside_band: Share,
    /// Share inside the band by the factors of all other sources.
    pub inside_left_out: Share,
    /// Share below that band.
    pub below_left_out: Share,
    /// Median over measurements of (high - low) ÷ expected of the calibrated band.
    pub median_width: Share,
}

/// VMs that their source calls slow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowVmsPart {
    /// The source.
    pub source: String,
    /// Cloud of the VMs.
    pub cloud: String,
    /// Slow VMs.
    #[schemars(extend("x-unit" = "VMs"))]
    pub slow: u32,
    /// Equal VMs under the same test.
    #[schemars(extend("x-unit" = "VMs"))]
    pub of: u32,
    /// Sources of the cloud.
    #[schemars(extend("x-unit" = "sources"))]
    pub sources: u32,
    /// One VM in this many is slow, if each source counts the same.
    #[schemars(extend("x-unit" = "VMs"))]
    pub one_in: Amount,
    /// Published ÷ expected of the slowest slow VM.
    pub least: Share,
    /// Published ÷ expected of the fastest slow VM.
    pub most: Share,
}

/// A run that the model refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedRunPart {
    /// Name of the run.
    pub run: String,
    /// Reason.
    pub why: String,
}

/// A published figure beside its bands. `figure` names the unit of the figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredFigurePart {
    /// Name of the run.
    pub run: String,
    /// Source of the run.
    pub source: String,
    /// Document of the source.
    pub url: String,
    /// Date of the measurement, otherwise of the publication.
    pub measured: String,
    /// Cloud.
    pub cloud: String,
    /// VM size.
    pub vm: String,
    /// Disks.
    pub disks: Vec<String>,
    /// Kind and unit of the figures: `iops`, `bytes_per_s`, `mean_us`, `p50_us` or `p99_us`.
    pub figure: String,
    /// Regime that binds, as `expected.band.regime` of a prediction.
    pub regime: String,
    /// Number of disks: `one` or `several`.
    pub layout: String,
    /// Published figure.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub published: Amount,
    /// Expected figure.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub expected: Amount,
    /// Lower end of the calibrated band.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub low: Amount,
    /// Upper end of the calibrated band.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub high: Amount,
    /// Lower end of the model's own band.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub mechanism_low: Amount,
    /// Upper end of the model's own band.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub mechanism_high: Amount,
    /// Lower end of the band by the factors of all other sources.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub left_out_low: Amount,
    /// Upper end of the band by the factors of all other sources.
    #[schemars(extend("x-unit" = "by `figure`"))]
    pub left_out_high: Amount,
    /// Position of the figure: `inside` the calibrated band, `below` or `above` it.
    pub verdict: String,
    /// Facts that the source does not state.
    pub unstated: Vec<String>,
}
