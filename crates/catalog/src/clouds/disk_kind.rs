//! A kind of disk as data. Callers ask for a property; only the folder of its cloud knows the kind by name.

use crate::clouds::names::{Cloud, DiskType};
use crate::error::CatalogError;
use crate::performance::{Performance, RuleReader};

/// A kind of disk.
#[derive(Debug)]
pub struct DiskKind {
    /// The word of `--disk`, and the scope of its rules: `premiumv2`, `gp3`.
    pub word: &'static str,
    /// The vendor's name for people: `Premium SSD v2`.
    pub title: &'static str,
    /// The vendor's name in its interfaces: `PremiumV2`, `gp3`.
    pub sku: &'static str,
    /// The cloud that sells it.
    pub cloud: Cloud,
    /// Rule that decides its figures.
    pub sold: Sold,
    /// Bytes of a megabyte a second as its figures count them.
    pub megabyte: u64,
    /// The limit of the VM that its I/Os pass.
    pub limit: VmLimit,
    /// True if reads and writes share the throughput.
    pub half_duplex: bool,
    /// True if the media are hard disks.
    pub is_hdd: bool,
    /// True if the VM size must support premium storage.
    pub needs_premium: bool,
    /// The VM's cache in front of it.
    pub host_cache: HostCache,
    /// True if it was a page blob in a storage account, in eras that had these.
    pub was_unmanaged: bool,
    /// The vendor's prices for I/Os on it.
    pub operations: Operations,
    /// A kind that replaces it: the same use, sold today.
    pub successor: Option<DiskType>,
    /// The ladder to climb for more than its own tiers let through.
    pub better_ladder: Option<DiskType>,
    /// Kinds with faster media, the next one first.
    pub faster: &'static [DiskType],
    /// The settings of such a disk that its VM can't see, for the reason of an assumption.
    pub unseen: &'static str,
}

/// Rules that decide the figures of a kind.
#[derive(Clone, Copy, Debug)]
pub enum Sold {
    /// All of them come with a tier of a ladder.
    InTiers {
        /// One of its tiers, for messages: `P30`.
        example: &'static str,
    },
    /// They are provisioned, or follow from the size.
    Apart {
        /// Reads the bounds from the rules of the kind.
        performance: fn(&RuleReader<'_>) -> Result<Performance, CatalogError>,
        /// The rule whose source stands for all of them.
        source: &'static str,
        /// The names of its prices.
        meters: Meters,
        /// The end of `--disk` that provisions what must be: `+5000iops`.
        example: &'static str,
        /// True if the vendor writes MB/s where it sells MiB/s: `+125MB/s` means 125 MiB/s.
        writes_mb_for_mib: bool,
    },
}

/// Parts of the names of the meters that a disk is billed by.
#[derive(Clone, Copy, Debug)]
pub struct Meters {
    /// A GiB.
    pub gib: &'static str,
    /// An IOPS above those that are free; `None`: they have no price of their own.
    pub ios: Option<&'static str>,
    /// A megabyte a second above those that are free.
    pub throughput: Option<&'static str>,
    /// The number of IOPS up to which their price is known.
    pub priced_ios: u64,
}

/// A limit of a VM on remote disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VmLimit {
    /// Of all disks without host cache.
    Uncached,
    /// Of Premium SSD v2 and Ultra disks, where a size has another for them.
    UncachedV2,
    /// Of all disks of one kind.
    Kind(DiskType),
}

/// The VM's cache in front of a kind of disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCache {
    /// There is none.
    Unsupported,
    /// A person can choose it.
    Supported,
    /// The vendor advises a read cache for databases.
    Advised,
}

/// Billing of I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operations {
    /// They are not.
    Free,
    /// Each is.
    Billed,
    /// Each is, up to a number an hour, of which the catalogue does not know all.
    Capped {
        /// The note for a tier of which it is not known.
        unknown: &'static str,
    },
}
