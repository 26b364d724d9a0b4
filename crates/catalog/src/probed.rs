//! Disks whose limits were measured by `iobound probe`: the tables `[[probed]]` of a configuration file.

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::error::CatalogError;

/// The VM size of a configuration of probed disks.
pub const PROBED: &str = "probed";

/// A disk as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbedDisk {
    /// Its name, which `disk` of a `[[disk]]` refers to.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Latency of reads below every limit.
    pub read: ProbedLatency,
    /// Latency of writes; that of reads where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<ProbedLatency>,
    /// The cache before the media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<ProbedCache>,
    /// Its limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limit: Vec<ProbedLimit>,
}

/// A latency of 4 KiB and what larger I/Os take more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbedLatency {
    /// Mean of 4 KiB, in microseconds.
    pub mean_us: f64,
    /// The least as a share of the mean.
    pub floor: f64,
    /// More for each further KiB, in microseconds.
    pub per_kib_us: f64,
}

/// A read cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbedCache {
    /// Bytes that it holds.
    pub size: u64,
    /// Latency of hits.
    pub hit: ProbedLatency,
}

/// A limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbedLimit {
    /// `ios` or `bytes`.
    pub counts: String,
    /// `all`, `reads`, `writes` or `hits`.
    pub of: String,
    /// I/Os or bytes a second.
    pub per_second: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// An I/O counts one for each begun unit of this many bytes; absent: one, whatever its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<u64>,
    /// True if sequential I/Os fill units together.
    #[serde(default)]
    pub merges: bool,
    /// Length of a slice in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_ms: Option<f64>,
    /// Depth of a token bucket in milliseconds at the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket_ms: Option<f64>,
    /// Amount a second of a burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_per_second: Option<f64>,
    /// Credits of a full burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_size: Option<f64>,
    /// Disks with a limit of the same name share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
}

/// The tables of a file, to be read.
#[derive(Deserialize)]
struct ProbedTables {
    #[serde(default)]
    probed: Vec<ProbedDisk>,
}

/// The tables of a file, to be written.
#[derive(Serialize)]
struct WrittenDisks<'a> {
    probed: &'a [ProbedDisk],
}

impl ProbedDisk {
    /// The tables `[[probed]]` of these disks in TOML.
    pub fn tables(disks: &[ProbedDisk]) -> String {
        toml::to_string(&WrittenDisks { probed: disks }).expect("figures and names are valid TOML")
    }

    fn check(&self) -> Result<(), String> {
        let positive = |figure: f64| figure.is_finite() && figure > 0.0;
        if self.size == 0 {
            return Err(format!("probed disk {}: size = 0: give its size in bytes", self.name));
        }
        let latencies = [Some(self.read), self.write, self.cache.map(|cache| cache.hit)];
        for latency in latencies.into_iter().flatten() {
            let ok = positive(latency.mean_us)
                && latency.mean_us < 3.6e9
                && (0.0..=1.0).contains(&latency.floor)
                && (0.0..1e6).contains(&latency.per_kib_us);
            if !ok {
                return Err(format!(
                    "probed disk {}: a latency has mean_us above 0 and below an hour, floor from 0 to 1, per_kib_us from 0 on",
                    self.name
                ));
            }
        }
        for limit in &self.limit {
            limit.check().map_err(|why| format!("probed disk {}: {why}", self.name))?;
        }
        Ok(())
    }
}

impl ProbedLimit {
    fn check(&self) -> Result<(), String> {
        let positive = |figure: f64| figure.is_finite() && (1.0..1e15).contains(&figure);
        if !["ios", "bytes"].contains(&self.counts.as_str()) {
            return Err(format!("counts = \"{}\": write ios or bytes", self.counts));
        }
        if !["all", "reads", "writes", "hits"].contains(&self.of.as_str()) {
            return Err(format!("of = \"{}\": write all, reads, writes or hits", self.of));
        }
        if ![self.per_second, self.low, self.high].into_iter().all(positive)
            || !(self.low..=self.high).contains(&self.per_second)
        {
            return Err(format!(
                "per_second = {}, low = {}, high = {}: a limit is 1 or more and lies between low and high",
                self.per_second, self.low, self.high
            ));
        }
        if self.slice_ms.is_some() && self.bucket_ms.is_some() {
            return Err("slice_ms and bucket_ms: a limit has slices or a bucket: leave one out".into());
        }
        let times = [self.slice_ms, self.bucket_ms].into_iter().flatten();
        if let Some(time) = times.into_iter().find(|time| !(0.001..1e7).contains(time)) {
            return Err(format!("{time} ms: a slice or a bucket is 0.001 to 10,000,000 ms long"));
        }
        if self.burst_per_second.is_some() != self.burst_size.is_some() {
            return Err("burst_per_second and burst_size are given together: add the other".into());
        }
        let bursts = [self.burst_per_second, self.burst_size].into_iter().flatten();
        if let Some(burst) = bursts.into_iter().find(|burst| !positive(*burst)) {
            return Err(format!("burst of {burst}: a burst is 1 or more"));
        }
        if self.unit == Some(0) {
            return Err("unit = 0: leave it out where an I/O counts one whatever its size".into());
        }
        if self.merges && self.unit.is_none() {
            return Err("merges = true needs the unit that sequential I/Os fill: add unit".into());
        }
        Ok(())
    }
}

impl Catalog {
    /// This catalogue with the tables `[[probed]]` of a configuration file.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read or contradicts itself.
    pub fn with_probed(mut self, file: &str, text: &str) -> Result<Catalog, CatalogError> {
        let fail = |why: String| CatalogError::File { file: file.to_string(), line: 0, why };
        let tables: ProbedTables = toml::from_str(text).map_err(|error| fail(error.message().to_string()))?;
        for disk in tables.probed {
            disk.check().map_err(fail)?;
            if self.probed.iter().any(|other| other.name == disk.name) {
                return Err(fail(format!("two probed disks are named {}: rename one", disk.name)));
            }
            self.probed.push(disk);
        }
        Ok(self)
    }
}
