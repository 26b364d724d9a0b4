//! Configurations that can be bought.

use iobound_catalog::DiskType;

use crate::local::LocalFit;
use crate::offer::Fit;

/// Disks that meet a volume's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The kind of disk, by its place in the market.
    pub offer: usize,
    /// Its type.
    pub disk: DiskType,
    /// Number and kind of the disks.
    pub fit: Fit,
    /// True if it has a read cache. A read-write cache is never chosen: what it acknowledges passes the same limits later,
    /// so that it lasts no longer, and a crash loses it.
    pub cached: bool,
}

/// A VM size and its disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The VM size, by its place in the market.
    pub vm: usize,
    /// The data's disks.
    pub data: Volume,
    /// The log's.
    pub log: Option<Volume>,
    /// Local disks for what may be lost with the VM.
    pub temp: Option<LocalFit>,
    /// Sort key: monthly price in billionths of a dollar; for a kept VM without a known price, that of the disks alone; in
    /// [`Rank::Size`](crate::Rank) its size.
    pub price: u64,
}
