//! A machine while it is watched: the screen and the line of each second, and what it came to.

mod document;
mod text;

pub use document::{watch_second_json, watch_summary_json};
pub use text::{watch_line, watch_screen, watch_text};

use iobound_model::Dimension;
use iobound_units::Span;

use crate::doctor::WatchedDisk;

/// A second of a machine, or another interval.
#[derive(Clone, Debug)]
pub struct WatchSecond {
    /// Its end, since the watch began.
    pub at: Span,
    /// Time that it was, in seconds.
    pub seconds: f64,
    /// Each disk.
    pub disks: Vec<WatchedDisk>,
    /// Each volume of Windows, whose I/Os are those of the disks once more.
    pub volumes: Vec<WatchedDisk>,
    /// Each disk's share of its own fullest limit, from 0; `None` where its limits are not known.
    pub shares: Vec<Option<f64>>,
    /// The limits of the configuration that something passes, the fullest first; none where it is not known.
    pub limits: Vec<WatchLimit>,
    /// The share of the time that somebody waited for I/O; `None`: the kernel does not say.
    pub io_pressure: Option<f64>,
    /// Limits that a device itself says were exceeded, and for how long of this time, in µs.
    pub exceeded: Vec<(String, u64)>,
}

/// A limit while it is watched.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchLimit {
    /// `disk.iops`, `vm.cached.throughput`.
    pub name: String,
    /// Number of limiters.
    pub count: usize,
    /// Its unit of count.
    pub dimension: Dimension,
    /// Enforced limit, a second.
    pub enforced: f64,
    /// The most that passed, a second: of a cached disk nobody sees from within which reads hit.
    pub used: f64,
    /// The most that can be left of its credits, as a share: they were full at best when the watch began.
    pub credits: Option<f64>,
}

impl WatchLimit {
    /// The share of it that is used.
    pub fn share(&self) -> f64 {
        if self.enforced > 0.0 { self.used / self.enforced } else { 0.0 }
    }
}

/// From here on a limit binds, as it does for `predict`.
pub const FULL: f64 = 0.98;

/// Summary of a watch.
#[derive(Clone, Debug)]
pub struct WatchSummary<'a> {
    /// Watched devices, in words.
    pub what: &'a str,
    /// The duration.
    pub watched: Span,
    /// Each disk, over the seconds.
    pub disks: &'a [DiskSeconds],
    /// Each volume of Windows.
    pub volumes: &'a [DiskSeconds],
    /// Each limit: its name, the share of its fullest second, and seconds at [`FULL`] or more.
    pub limits: &'a [(String, usize, f64, f64)],
    /// Limits that devices themselves say were exceeded, in µs.
    pub exceeded: &'a [(String, u64)],
    /// The file that was written.
    pub recorded: Option<&'a str>,
    /// Further notes.
    pub notes: &'a [String],
}

/// A disk over the seconds of a watch.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskSeconds {
    /// The kernel's name.
    pub device: String,
    /// The disk of the configuration that it is.
    pub disk: Option<String>,
    /// IOPS: mean, and of the seconds the median, the 95th percentile, the most.
    pub iops: [f64; 4],
    /// The same of bytes a second.
    pub throughput_bytes_per_s: [f64; 4],
    /// Mean latency of an I/O in µs.
    pub latency_us: Option<f64>,
    /// Outstanding I/Os: the same four.
    pub depth: [f64; 4],
}
