//! The known causes, one file each: what the documentation says, what speaks for it, what helps, and who says so.

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

/// A cause that is known by its figures.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in every output.
    pub name: &'static str,
    /// What it finds in a case.
    pub judge: fn(&Case<'_>) -> Option<Finding>,
}

/// All rules, by name; what none of them finds is `unexplained`.
pub const RULES: &[Rule] = &[
    Rule { name: "bad-host", judge: bad_host::judge },
    Rule { name: "block-size-knee", judge: block_size_knee::judge },
    Rule { name: "burst-measured", judge: burst_measured::judge },
    Rule { name: "burst-spent-disk", judge: burst_spent_disk::judge },
    Rule { name: "burst-spent-vm", judge: burst_spent_vm::judge },
    Rule { name: "cache-flush-stall", judge: cache_flush_stall::judge },
    Rule { name: "cached-miss", judge: cached_miss::judge },
    Rule { name: "client-cpu", judge: client_cpu::judge },
    Rule { name: "cold-cache", judge: cold_cache::judge },
    Rule { name: "deep-queue", judge: deep_queue::judge },
    Rule { name: "disk-iops", judge: disk_iops::judge },
    Rule { name: "disk-throughput", judge: disk_throughput::judge },
    Rule { name: "fewer-columns", judge: fewer_columns::judge },
    Rule { name: "file-system", judge: file_system::judge },
    Rule { name: "hot-member", judge: hot_member::judge },
    Rule { name: "large-io-charge", judge: large_io_charge::judge },
    Rule { name: "lazy-load", judge: lazy_load::judge },
    Rule { name: "linear-volume", judge: linear_volume::judge },
    Rule { name: "media-latency", judge: media_latency::judge },
    Rule { name: "not-storage", judge: not_storage::judge },
    Rule { name: "page-cache", judge: page_cache::judge },
    Rule { name: "provisioned-default", judge: provisioned_default::judge },
    Rule { name: "read-ahead", judge: read_ahead::judge },
    Rule { name: "shallow-queue", judge: shallow_queue::judge },
    Rule { name: "stripe-misaligned", judge: stripe_misaligned::judge },
    Rule { name: "too-short", judge: too_short::judge },
    Rule { name: "unit-mixup", judge: unit_mixup::judge },
    Rule { name: "unreachable", judge: unreachable::judge },
    Rule { name: "unwritten", judge: unwritten::judge },
    Rule { name: "vm-cached-iops", judge: vm_cached_iops::judge },
    Rule { name: "vm-cached-throughput", judge: vm_cached_throughput::judge },
    Rule { name: "vm-uncached-iops", judge: vm_uncached_iops::judge },
    Rule { name: "vm-uncached-throughput", judge: vm_uncached_throughput::judge },
    Rule { name: "vm-unused", judge: vm_unused::judge },
    Rule { name: "write-under-read-cache", judge: write_under_read_cache::judge },
];
