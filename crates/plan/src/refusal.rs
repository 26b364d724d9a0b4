//! Reason why something is not taken.

use iobound_catalog::Arch;

/// A limit that a configuration shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// `vm.uncached.iops`.
    UncachedIos,
    /// `vm.uncached.throughput`.
    UncachedBytes,
    /// `vm.cached.iops`.
    CachedIos,
    /// `vm.cached.throughput`.
    CachedBytes,
    /// Number of disks that can be attached.
    Disks,
    /// GiB of all disks together.
    Capacity,
}

impl Limit {
    /// The name that predictions have for it.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::UncachedIos => "vm.uncached.iops",
            Limit::UncachedBytes => "vm.uncached.throughput",
            Limit::CachedIos => "vm.cached.iops",
            Limit::CachedBytes => "vm.cached.throughput",
            Limit::Disks => "vm.disks",
            Limit::Capacity => "vm.capacity",
        }
    }

    /// True if its figures are bytes a second.
    pub const fn is_bytes(self) -> bool {
        matches!(self, Limit::UncachedBytes | Limit::CachedBytes)
    }
}

/// Reason why a VM size, or what would be built on it, is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A limit is too low.
    Limit {
        /// The limit.
        limit: Limit,
        /// Demand of the need on it a second, or the number of disks.
        wanted: u64,
        /// Its kind.
        have: u64,
    },
    /// It takes no Premium SSDs, and no other disks are enough.
    NoPremium,
    /// A figure that is needed is not known.
    Unknown(&'static str),
    /// Its price is not known.
    Unpriced,
    /// Another processor.
    Arch(Arch),
    /// A previous generation.
    Previous,
    /// Its processors run on credits.
    CpuBurstable,
    /// Made for GPUs, high performance computing or confidential computing.
    Special,
    /// Less than asked for.
    TooFew {
        /// Of what: `vCPUs`, `memory`.
        what: &'static str,
        /// Its limit.
        have: u64,
        /// The least.
        wanted: u64,
    },
    /// More than asked for.
    TooMany {
        /// Of what.
        what: &'static str,
        /// Its limit.
        have: u64,
        /// The most.
        wanted: u64,
    },
    /// The seller does not let it be had in the region: its own reason.
    Restricted(String),
    /// It can be had in no availability zone there, and the disks only in one.
    NoZone,
    /// No local disks of it are known to be enough for the temporary data.
    NoLocal,
    /// It costs more than allowed.
    Price,
    /// No number of disks that any VM takes is enough.
    NoDisks,
    /// At the asked rate it is too slow: the latency that was simulated, in µs.
    Latency(f64),
    /// As before, but the latency of its disks is assumed, and the goal is kept at the fast end of the assumed range.
    UnknownLatency(f64),
    /// The rate is not reached in the simulation: I/Os a second.
    Rate(f64),
}

impl Because {
    /// A word for all that are refused alike.
    pub const fn name(&self) -> &'static str {
        match self {
            Because::Limit { limit, .. } => limit.name(),
            Because::NoPremium => "premium",
            Because::Unknown(_) => "unknown",
            Because::Unpriced => "price_unknown",
            Because::Arch(_) => "arch",
            Because::Previous => "previous_generation",
            Because::CpuBurstable => "cpu_burstable",
            Because::Special => "special",
            Because::TooFew { .. } | Because::TooMany { .. } => "bounds",
            Because::Restricted(_) => "restricted",
            Because::NoZone => "zone",
            Because::NoLocal => "local",
            Because::Price => "price",
            Because::NoDisks => "disks",
            Because::Latency(_) => "latency",
            Because::UnknownLatency(_) => "latency_unknown",
            Because::Rate(_) => "rate",
        }
    }

    /// Share of the need that is possible, in millionths; only for limits.
    pub(crate) fn reached(&self) -> Option<u64> {
        match self {
            Because::Limit { wanted, have, .. } => {
                Some((u128::from(*have) * 1_000_000 / u128::from((*wanted).max(1))) as u64)
            }
            _ => None,
        }
    }
}
