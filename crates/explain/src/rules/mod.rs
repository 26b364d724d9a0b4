//! The known causes, one file each: what the documentation says, what speaks for it, what helps, and who says so. `loaded` looks at an
//! observed load, `unloaded` at a setup alone.

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
mod not_storage;
mod page_cache;
mod provisioned_default;
mod read_ahead;
mod shallow_queue;
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
    /// Findings of it in a load that was observed.
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
    ($name:literal, $module:ident) => {
        Rule { name: $name, loaded: $module::judge, unloaded: None }
    };
    ($name:literal, $module:ident, unloaded) => {
        Rule { name: $name, loaded: $module::loaded, unloaded: Some($module::unloaded) }
    };
}

/// All rules, by name; what none of them finds is `unexplained`.
pub const RULES: &[Rule] = &[
    rule!("above-every-limit", above_every_limit),
    rule!("bad-host", bad_host),
    rule!("block-size-knee", block_size_knee),
    rule!("burst-measured", burst_measured),
    rule!("burst-spent-disk", burst_spent_disk, unloaded),
    rule!("burst-spent-vm", burst_spent_vm, unloaded),
    rule!("cache-flush-stall", cache_flush_stall, unloaded),
    rule!("cached-miss", cached_miss),
    rule!("client-cpu", client_cpu),
    rule!("cold-cache", cold_cache),
    rule!("deep-queue", deep_queue),
    rule!("device-block", device_block),
    rule!("disk-iops", disk_iops),
    rule!("disk-throughput", disk_throughput),
    rule!("fewer-columns", fewer_columns, unloaded),
    rule!("file-system", file_system, unloaded),
    rule!("hot-member", hot_member, unloaded),
    rule!("large-io-charge", large_io_charge),
    rule!("lazy-load", lazy_load),
    rule!("linear-volume", linear_volume, unloaded),
    rule!("media-latency", media_latency),
    rule!("not-storage", not_storage),
    rule!("page-cache", page_cache),
    rule!("provisioned-default", provisioned_default, unloaded),
    rule!("read-ahead", read_ahead, unloaded),
    rule!("shallow-queue", shallow_queue),
    rule!("stripe-misaligned", stripe_misaligned, unloaded),
    rule!("too-short", too_short),
    rule!("unit-mixup", unit_mixup),
    rule!("unreachable", unreachable, unloaded),
    rule!("unwritten", unwritten),
    rule!("vm-cached-iops", vm_cached_iops),
    rule!("vm-cached-throughput", vm_cached_throughput, unloaded),
    rule!("vm-uncached-iops", vm_uncached_iops),
    rule!("vm-uncached-throughput", vm_uncached_throughput),
    rule!("vm-unused", vm_unused, unloaded),
    rule!("write-under-read-cache", write_under_read_cache, unloaded),
];
