use crate::observed::Latency;

/// The goal, to judge the remedies by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Want {
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
    /// Latency in µs.
    pub latency_us: Latency,
}
