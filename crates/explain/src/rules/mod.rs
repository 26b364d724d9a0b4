//! The known causes, one file each: documentation, evidence, remedy and source. `loaded` judges an observed load,
//! `unloaded` a setup alone.

mod above_every_limit;
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
mod deep_queue;
mod device_block;
mod disk_iops;
mod disk_throughput;
mod fewer_columns;
mod file_system;
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
mod shallow_queue;
mod stalled_volume;
mod stripe_misaligned;
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

use crate::case::Case;
use crate::finding::Finding;
use crate::setup::Look;

/// A cause that is known by its figures.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in every output.
    pub name: &'static str,
    /// The cause as a phrase that a sentence or a heading begins with.
    pub title: &'static str,
    /// Judges an observed load.
    pub loaded: fn(&Case<'_>) -> Option<Finding>,
    /// Findings of it in a setup without a load; `None`: nothing shows without one.
    pub(crate) unloaded: Option<fn(&Look<'_>) -> Option<Finding>>,
}

impl Rule {
    /// True if it finds anything without a load.
    pub const fn works_unloaded(&self) -> bool {
        self.unloaded.is_some()
    }
}

/// The row of a rule: of one that works without a load as well with both of its functions.
macro_rules! rule {
    ($name:literal, $title:literal, $module:ident) => {
        Rule { name: $name, title: $title, loaded: $module::judge, unloaded: None }
    };
    ($name:literal, $title:literal, $module:ident, unloaded) => {
        Rule { name: $name, title: $title, loaded: $module::loaded, unloaded: Some($module::unloaded) }
    };
}

/// The title of a rule: "The disk's IOPS limit" of `disk-iops`.
pub fn title_of(name: &str) -> &'static str {
    RULES.iter().find(|rule| rule.name == name).map_or("Unexplained", |rule| rule.title)
}

/// All rules, by name; what none of them finds is `unexplained`.
pub const RULES: &[Rule] = &[
    rule!("above-every-limit", "More than any limit allows", above_every_limit),
    rule!("bad-host", "A slow host", bad_host),
    rule!("block-size-knee", "The throughput limit, because of the block size", block_size_knee),
    rule!("burst-measured", "A burst, not the lasting rate", burst_measured),
    rule!("burst-spent-disk", "The disk's burst credits are spent", burst_spent_disk, unloaded),
    rule!("burst-spent-vm", "The VM's burst credits are spent", burst_spent_vm, unloaded),
    rule!("cache-flush-stall", "The host cache stalls while it writes back", cache_flush_stall, unloaded),
    rule!("cached-miss", "Host-cache misses", cached_miss),
    rule!("client-cpu", "The client's processors", client_cpu),
    rule!("cold-cache", "A cold host cache", cold_cache),
    rule!("deep-queue", "The queue is too deep", deep_queue),
    rule!("device-block", "The device's own block size", device_block),
    rule!("disk-iops", "The disk's IOPS limit", disk_iops),
    rule!("disk-throughput", "The disk's throughput limit", disk_throughput),
    rule!("fewer-columns", "The stripe does not use all disks", fewer_columns, unloaded),
    rule!("file-system", "The file system", file_system, unloaded),
    rule!("hot-member", "One disk of the stripe is busier than the others", hot_member, unloaded),
    rule!("large-io-charge", "Large I/Os count several times", large_io_charge),
    rule!("lazy-load", "Blocks are still being loaded from a snapshot", lazy_load),
    rule!("linear-volume", "The volume fills one disk after the other", linear_volume, unloaded),
    rule!("media-latency", "The latency of the media", media_latency),
    rule!("micro-burst", "Bursts shorter than the interval", micro_burst),
    rule!("no-write-cache", "No cache acknowledges writes", no_write_cache),
    rule!("not-storage", "Not the storage", not_storage),
    rule!("page-cache", "The page cache", page_cache),
    rule!("provisioned-default", "The provisioned defaults", provisioned_default, unloaded),
    rule!("read-ahead", "Read-ahead reads more than is used", read_ahead, unloaded),
    rule!("shallow-queue", "The queue is too shallow", shallow_queue),
    rule!("stalled-volume", "A volume that hardly answers", stalled_volume),
    rule!("stripe-misaligned", "The file system is not aligned to the stripe", stripe_misaligned, unloaded),
    rule!("too-short", "The run is too short", too_short),
    rule!("unit-mixup", "Two units are mixed up", unit_mixup),
    rule!("unreachable", "Disks that the VM can't use fully", unreachable, unloaded),
    rule!("unwritten", "Blocks that were never written", unwritten),
    rule!("vm-cached-iops", "The VM's cached IOPS limit", vm_cached_iops),
    rule!("vm-cached-throughput", "The VM's cached throughput limit", vm_cached_throughput, unloaded),
    rule!("vm-uncached-iops", "The VM's IOPS limit on remote disks", vm_uncached_iops),
    rule!("vm-uncached-throughput", "The VM's throughput limit on remote disks", vm_uncached_throughput),
    rule!("vm-unused", "The VM is not the limit", vm_unused, unloaded),
    rule!(
        "write-under-read-cache",
        "Writes through a read-only host cache",
        write_under_read_cache,
        unloaded
    ),
];
