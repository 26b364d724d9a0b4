//! Relations between the figures of a disk without tiers: which may be provisioned, and which follow from others.

use iobound_model::Credit;

pub use crate::clouds::gcp::pooled::Pooled;
pub use crate::clouds::gcp::tied::{Tie, Tied};
use crate::clouds::names::DiskType;
use crate::era::Era;
use crate::error::CatalogError;
use crate::rules::{Rule, Rules};

/// Rule that decides IOPS and throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Performance {
    /// Both are provisioned.
    Chosen(Chosen),
    /// IOPS are provisioned, and bytes follow from them.
    ByIos(ByIos),
    /// Both follow from the size, IOPS by the GiB; small disks burst.
    BySize(BySize),
    /// Bytes follow from the size. Random I/Os are charged in whole MiB.
    Streaming(Streaming),
    /// Figures that are tied to each other and to the size.
    Tied(Tied),
    /// Both follow from the total size of all disks of the kind on the VM, which share them.
    Pooled(Pooled),
}

/// IOPS and throughput that are provisioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// I/O units a second, the least and the most.
    pub ios: [u64; 2],
    /// I/O units a second that a GiB allows.
    pub ios_per_gib: u64,
    /// A disk of no more GiB than this has the least I/O units only.
    pub least_up_to_gib: u64,
    /// Bytes a second, the least and the most.
    pub bytes: [u64; 2],
    /// Bytes a second that one I/O unit a second allows.
    pub bytes_per_io: u64,
    /// True if the least of both comes with the disk, free of charge. Else both have to be given.
    pub included: bool,
}

/// IOPS that are provisioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByIos {
    /// I/O units a second, the least and the most.
    pub ios: [u64; 2],
    /// I/O units a second that a GiB allows.
    pub ios_per_gib: u64,
    /// Bytes a second by I/O units, the first from one on.
    pub steps: Vec<Step>,
}

/// Bytes that follow from I/O units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// For more than this many I/O units a second.
    pub above: u64,
    /// Bytes for each of them.
    pub bytes_per_io: u64,
    /// Bytes a second, at most.
    pub most: u64,
}

impl ByIos {
    /// Bytes a second of a disk with so many I/O units.
    pub fn bytes(&self, ios: u64) -> u64 {
        let step = self.steps.iter().rev().find(|step| ios > step.above);
        step.map_or(0, |step| ios.saturating_mul(step.bytes_per_io).min(step.most))
    }

    /// The least I/O units that let so many bytes through; those of the last step where it lets fewer through.
    pub fn ios_for(&self, bytes: u64) -> u64 {
        let step = self.steps.iter().find(|step| step.most >= bytes).or(self.steps.last());
        step.map_or(0, |step| bytes.div_ceil(step.bytes_per_io.max(1)).max(step.above + 1))
    }
}

/// IOPS by the GiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BySize {
    /// I/O units a second, the least and the most.
    pub ios: [u64; 2],
    /// I/O units a second of a GiB.
    pub ios_per_gib: u64,
    /// Figures of a disk with fewer IOPS of its own, while its credits last.
    pub burst: Credit,
    /// Disks of no more GiB than this have the smaller of the two throughputs.
    pub small_up_to_gib: u64,
    /// Bytes a second of small disks, and of others.
    pub bytes: [u64; 2],
}

/// Bytes by the TiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streaming {
    /// I/O units a second.
    pub ios: u64,
    /// Bytes a second of a TiB, and while credits last.
    pub per_tib: [u64; 2],
    /// Bytes a second, at most.
    pub most: u64,
    /// Bytes of credits for each byte of the disk.
    pub credits: u64,
}

/// Reads the rules of one kind in one era.
#[derive(Debug)]
pub struct RuleReader<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) disk: DiskType,
    pub(crate) era: Era,
}

impl RuleReader<'_> {
    pub(crate) fn rule(&self, parameter: &str) -> Result<&Rule, CatalogError> {
        self.rules.require(self.disk.word(), parameter, self.era)
    }

    pub(crate) fn count(&self, parameter: &str) -> Result<u64, CatalogError> {
        self.rule(parameter)?.count()
    }

    /// KiB as bytes.
    pub(crate) fn kib(&self, parameter: &str) -> Result<u64, CatalogError> {
        Ok(self.count(parameter)?.saturating_mul(1_024))
    }

    /// A throughput in the kind's own megabytes, as bytes.
    pub(crate) fn bytes(&self, parameter: &str) -> Result<u64, CatalogError> {
        let micro = self.rule(parameter)?.micro()?;
        let bytes = u128::from(micro) * u128::from(self.disk.kind().megabyte) / 1_000_000;
        Ok(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}
