//! The known causes, one file each: documentation, evidence, remedy and source. `loaded` judges an observed load,
//! `unloaded` a setup alone.

mod above_every_limit;
mod allocation_unit;
mod bad_host;
mod block_size_knee;
mod burst_measured;
mod burst_spent;
mod burst_spent_disk;
mod burst_spent_vm;
mod cache_flush_stall;
mod cached_miss;
mod client_cpu;
mod cold_cache;
pub(crate) mod contradiction;
mod deep_queue;
mod device_block;
mod disk_iops;
mod disk_throughput;
mod fewer_columns;
mod file_system;
mod filter_driver;
mod hot_member;
mod large_io_charge;
mod lazy_load;
mod limit;
mod linear_volume;
mod media_latency;
mod micro_burst;
mod no_write_cache;
mod not_storage;
mod page_cache;
mod provisioned_default;
mod read_ahead;
mod redundant_volume;
mod shallow_queue;
mod stalled_volume;
mod stripe_misaligned;
mod throttled;
mod too_short;
mod uncached;
pub(crate) mod unexplained;
mod unit_mixup;
mod unreachable;
mod unwritten;
mod vm_cached_iops;
mod vm_cached_throughput;
mod vm_uncached_iops;
mod vm_uncached_throughput;
mod vm_unused;
mod write_under_read_cache;

pub use client_cpu::busy_processor;
pub(crate) use limit::figure;

use crate::case::Case;
use crate::finding::Finding;
use crate::setup::Look;

/// Claim of a rule about a limit, or about none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Disk,
    Uncached,
    Cached,
    Misses,
    Credits,
    Short,
    Concurrency,
    FirstTouch,
    Host,
    Elsewhere,
    Spread,
    Memory,
    FileSystem,
    ReadAhead,
    Moments,
    Other,
}

/// A cause that is known by its figures.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in every output.
    pub name: &'static str,
    /// The cause as a phrase that a sentence or a heading begins with.
    pub title: &'static str,
    /// Claim about a limit, which chooses the measurement that separates two findings.
    pub(crate) claim: Claim,
    /// Judges an observed load; `None`: only a setup shows it.
    pub(crate) loaded: Option<fn(&Case<'_>) -> Option<Finding>>,
    /// Findings of it in a setup without a load; `None`: nothing shows without one.
    pub(crate) unloaded: Option<fn(&Look<'_>) -> Option<Finding>>,
}

impl Rule {
    /// True if it finds anything in a load.
    pub const fn works_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// True if it finds anything without a load.
    pub const fn works_unloaded(&self) -> bool {
        self.unloaded.is_some()
    }
}

/// The row of a rule: of one that works without a load as well with both of its functions, or with that one alone.
macro_rules! rule {
    ($name:literal, $title:literal, $claim:ident, $module:ident) => {
        Rule {
            name: $name,
            title: $title,
            claim: Claim::$claim,
            loaded: Some($module::judge),
            unloaded: None,
        }
    };
    ($name:literal, $title:literal, $claim:ident, $module:ident, unloaded) => {
        Rule {
            name: $name,
            title: $title,
            claim: Claim::$claim,
            loaded: Some($module::loaded),
            unloaded: Some($module::unloaded),
        }
    };
    ($name:literal, $title:literal, $claim:ident, $module:ident, setup) => {
        Rule {
            name: $name,
            title: $title,
            claim: Claim::$claim,
            loaded: None,
            unloaded: Some($module::unloaded),
        }
    };
}

/// The title of a rule: "The disk's IOPS limit" of `disk-iops`.
pub fn title_of(name: &str) -> &'static str {
    RULES.iter().find(|rule| rule.name == name).map_or("Unexplained", |rule| rule.title)
}

/// Claim of a rule; of what no rule finds, that of no limit.
pub(crate) fn claim_of(name: &str) -> Claim {
    RULES.iter().find(|rule| rule.name == name).map_or(Claim::Other, |rule| rule.claim)
}

/// All rules, by name; what none of them finds is `unexplained`.
pub const RULES: &[Rule] = &[
    rule!("above-every-limit", "More than any limit allows", Memory, above_every_limit),
    rule!("allocation-unit", "The allocation unit does not fit the stripe", Other, allocation_unit, setup),
    rule!("bad-host", "A slow host", Host, bad_host),
    rule!("block-size-knee", "The throughput limit, because of the block size", Other, block_size_knee),
    rule!("burst-measured", "A burst, not the lasting rate", Short, burst_measured),
    rule!("burst-spent-disk", "The disk's burst credits are spent", Credits, burst_spent_disk, unloaded),
    rule!("burst-spent-vm", "The VM's burst credits are spent", Credits, burst_spent_vm, unloaded),
    rule!(
        "cache-flush-stall",
        "The host cache stalls while it writes back",
        FileSystem,
        cache_flush_stall,
        unloaded
    ),
    rule!("cached-miss", "Host-cache misses", Misses, cached_miss),
    rule!("client-cpu", "The client's processors", Elsewhere, client_cpu),
    rule!("cold-cache", "A cold host cache", Misses, cold_cache),
    rule!("contradiction", "The figures contradict each other", Other, contradiction),
    rule!("deep-queue", "The queue is too deep", Concurrency, deep_queue),
    rule!("device-block", "The device's own block size", Host, device_block),
    rule!("disk-iops", "The disk's IOPS limit", Disk, disk_iops),
    rule!("disk-throughput", "The disk's throughput limit", Disk, disk_throughput),
    rule!("fewer-columns", "The stripe does not use all disks", Spread, fewer_columns, unloaded),
    rule!("file-system", "The file system", FileSystem, file_system, unloaded),
    rule!("filter-driver", "A virus scanner sees every I/O of files", Other, filter_driver, setup),
    rule!("hot-member", "One disk of the stripe is busier than the others", Spread, hot_member, unloaded),
    rule!("large-io-charge", "Large I/Os count several times", Disk, large_io_charge),
    rule!("lazy-load", "Blocks are still being loaded from a snapshot", FirstTouch, lazy_load),
    rule!("linear-volume", "The volume fills one disk after the other", Spread, linear_volume, unloaded),
    rule!("media-latency", "The latency of the media", Host, media_latency),
    rule!("micro-burst", "Bursts shorter than the interval", Moments, micro_burst),
    rule!("no-write-cache", "No cache acknowledges writes", FileSystem, no_write_cache),
    rule!("not-storage", "Not the storage", Elsewhere, not_storage),
    rule!("page-cache", "The page cache", Memory, page_cache),
    rule!("provisioned-default", "The provisioned defaults", Disk, provisioned_default, unloaded),
    rule!("read-ahead", "Read-ahead reads more than is used", ReadAhead, read_ahead, unloaded),
    rule!("redundant-volume", "The volume writes everything more than once", Other, redundant_volume, setup),
    rule!("shallow-queue", "The queue is too shallow", Concurrency, shallow_queue),
    rule!("stalled-volume", "A volume that hardly answers", Host, stalled_volume),
    rule!(
        "stripe-misaligned",
        "The file system is not aligned to the stripe",
        Spread,
        stripe_misaligned,
        unloaded
    ),
    rule!("throttled", "Waiting at a limit", Other, throttled),
    rule!("too-short", "The run is too short", Short, too_short),
    rule!("unit-mixup", "Two units are mixed up", Other, unit_mixup),
    rule!("unreachable", "Disks that the VM can't use fully", Uncached, unreachable, unloaded),
    rule!("unwritten", "Blocks that were never written", Memory, unwritten),
    rule!("vm-cached-iops", "The VM's cached IOPS limit", Cached, vm_cached_iops),
    rule!("vm-cached-throughput", "The VM's cached throughput limit", Cached, vm_cached_throughput, unloaded),
    rule!("vm-uncached-iops", "The VM's IOPS limit for remote disks", Uncached, vm_uncached_iops),
    rule!(
        "vm-uncached-throughput",
        "The VM's throughput limit for remote disks",
        Uncached,
        vm_uncached_throughput
    ),
    rule!("vm-unused", "The VM is not the limit", Disk, vm_unused, unloaded),
    rule!(
        "write-under-read-cache",
        "Writes through a read-only host cache",
        Cached,
        write_under_read_cache,
        unloaded
    ),
];
