//! Figures of a prediction.

use iobound_measure::result::Latency;
use iobound_measure::{Measured, summary};
use iobound_units::Span;

use crate::band::{BandBasis, LatencyBands};
use crate::binding::Binding;
use crate::burst::Burst;
use crate::ceiling::Ceiling;
use crate::knee::Knee;
use crate::uses::{LimiterUse, PartUse};

/// Expected figures of a configuration under a workload.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The most that the enforced limits allow for long.
    pub ceiling: Ceiling,
    /// The limit that binds at the ceiling.
    pub ceiling_binding: Vec<Binding>,
    /// The simulation's figures.
    pub expected: Expected,
    /// Response times of reads and writes together.
    pub latency: Option<Latency>,
    /// The bands of response times.
    pub latency_bands: LatencyBands,
    /// Origin of the bands, and what they claim.
    pub band: BandBasis,
    /// The limits that hold the expected figure back, first the one that holds longest.
    pub binding: Vec<Binding>,
    /// The limits, with what is used of them.
    pub limiters: Vec<LimiterUse>,
    /// The same limiter by limiter, in the blueprint's order: used ÷ enforced of I/Os and of bytes.
    pub shares: Vec<[Option<f64>; 2]>,
    /// Figures that credits allow at first.
    pub burst: Option<Burst>,
    /// The concurrency that reaches the ceiling.
    pub knee: Option<Knee>,
    /// The volumes' own figures.
    pub volumes: Vec<PartUse>,
    /// The disks' own figures: what reaches their media.
    pub disks: Vec<PartUse>,
    /// The share of reads that host caches hold.
    pub hit_rate: Option<f64>,
    /// Outstanding I/Os asked for.
    pub outstanding: u64,
    /// The latency of one I/O alone.
    pub alone: Span,
}

/// The simulation's figures and their band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// I/Os a second.
    pub iops: f64,
    /// The low end of the band.
    pub low_iops: f64,
    /// The high end.
    pub high_iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
}

impl Expected {
    /// The same I/Os at another rate.
    pub(crate) fn at(self, iops: f64) -> Expected {
        let throughput_bytes_per_s = self.throughput_bytes_per_s * iops / self.iops;
        Expected { iops, throughput_bytes_per_s, ..self }
    }
}

/// The latency of all reads and writes of a run.
pub fn latency_of(measured: &Measured) -> Option<Latency> {
    summary::run(measured).total.latency_us
}
