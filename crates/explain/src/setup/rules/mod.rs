//! What looks wrong without a load, one rule a file. A rule that explains a load by the same cause has the same name.

mod burst_spent_disk;
mod burst_spent_vm;
mod cache_flush_stall;
mod fewer_columns;
mod file_system;
mod hot_member;
mod linear_volume;
mod provisioned_default;
mod read_ahead;
mod stripe_misaligned;
mod unreachable;
mod vm_cached_throughput;
mod vm_unused;
mod write_under_read_cache;

use iobound_catalog::{Catalog, Limits, Resolved};

use super::{Setup, SetupDisk, Use};
use crate::finding::Finding;

/// What is looked at: a setup, and what the catalogue says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'a> {
    setup: &'a Setup,
    resolved: Option<&'a Resolved>,
    catalog: &'a Catalog,
}

/// Something that is known to be wrong without a load.
#[derive(Clone, Copy, Debug)]
pub struct SetupRule {
    /// Its name in every output.
    pub name: &'static str,
    judge: fn(&Look<'_>) -> Option<Finding>,
}

/// All rules, by name.
pub const SETUP_RULES: &[SetupRule] = &[
    SetupRule { name: "burst-spent-disk", judge: burst_spent_disk::judge },
    SetupRule { name: "burst-spent-vm", judge: burst_spent_vm::judge },
    SetupRule { name: "cache-flush-stall", judge: cache_flush_stall::judge },
    SetupRule { name: "fewer-columns", judge: fewer_columns::judge },
    SetupRule { name: "file-system", judge: file_system::judge },
    SetupRule { name: "hot-member", judge: hot_member::judge },
    SetupRule { name: "linear-volume", judge: linear_volume::judge },
    SetupRule { name: "provisioned-default", judge: provisioned_default::judge },
    SetupRule { name: "read-ahead", judge: read_ahead::judge },
    SetupRule { name: "stripe-misaligned", judge: stripe_misaligned::judge },
    SetupRule { name: "unreachable", judge: unreachable::judge },
    SetupRule { name: "vm-cached-throughput", judge: vm_cached_throughput::judge },
    SetupRule { name: "vm-unused", judge: vm_unused::judge },
    SetupRule { name: "write-under-read-cache", judge: write_under_read_cache::judge },
];

/// What looks wrong, best first; nothing where nothing does. Without `resolved` only what needs no limits is looked at.
pub fn judge(setup: &Setup, resolved: Option<&Resolved>, catalog: &Catalog) -> Vec<Finding> {
    let look = Look { setup, resolved, catalog };
    let mut findings: Vec<Finding> = SETUP_RULES.iter().filter_map(|rule| (rule.judge)(&look)).collect();
    crate::explain::best_first(&mut findings);
    findings
}

/// The limit of all disks that the VM lets through, and what they have together: IOPS, then bytes a second.
struct Sums {
    vm: Limits,
    disks: [u64; 2],
}

impl<'a> Look<'a> {
    /// Of the data disks, or of the operating system's where there are no others.
    fn sums(&self) -> Option<Sums> {
        let resolved = self.resolved?;
        let has_data = resolved.disks.iter().any(|disk| !disk.is_os);
        let counted = resolved.disks.iter().filter(|disk| disk.disk.is_some() && disk.is_os != has_data);
        let (mut sums, mut any, mut is_v2) = ([0u64; 2], false, true);
        for disk in counted {
            any = true;
            is_v2 &= disk.disk.is_some_and(|kind| kind.uses_v2_limits());
            sums[0] = sums[0].saturating_add(disk.ios?);
            sums[1] = sums[1].saturating_add(disk.bytes?);
        }
        let (v2, other) = (resolved.vm.uncached_v2, resolved.vm.uncached);
        let vm = if is_v2 && v2.known() { v2 } else { other };
        any.then_some(Sums { vm, disks: sums })
    }

    /// The disks that hold data, or the operating system where there are no others.
    fn data(&self) -> Vec<&'a SetupDisk> {
        let of = |used_for: Use| -> Vec<&'a SetupDisk> {
            self.setup.disks.iter().filter(|disk| disk.used_for == Some(used_for)).collect()
        };
        let data = of(Use::Data);
        if data.is_empty() { of(Use::Os) } else { data }
    }

    /// Whether a disk is what databases keep logs on, by the names of what is on it.
    fn is_log(&self, disk: &SetupDisk) -> bool {
        const WORDS: [&str; 10] =
            ["log", "logs", "wal", "redo", "journal", "xlog", "binlog", "translog", "commitlog", "logdisk"];
        let says = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
        };
        // The system's own log is no database's.
        let mounted = |point: &str| !point.starts_with("/var/log") && says(point);
        disk.name.as_deref().is_some_and(says)
            || self
                .setup
                .volumes_on(disk.device())
                .any(|volume| says(&volume.name) || volume.mounts.iter().any(|mount| mounted(&mount.point)))
    }
}
