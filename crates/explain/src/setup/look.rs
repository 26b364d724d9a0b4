//! Input of the rules without load.

use iobound_catalog::{Catalog, Limits, Resolved, VmLimit};

use crate::setup::{Setup, SetupDisk, Use};

/// Input of the rules: a setup, and the catalogue's facts about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) resolved: Option<&'a Resolved>,
    pub(crate) catalog: &'a Catalog,
}

/// The limit of all disks that the VM lets through, and what they have together: IOPS, then bytes a second.
pub(crate) struct Sums {
    pub(crate) vm: Limits,
    pub(crate) disks: [u64; 2],
}

impl<'a> Look<'a> {
    /// Of the data disks, or of the operating system's disk if there are no others.
    pub(crate) fn sums(&self) -> Option<Sums> {
        let resolved = self.resolved?;
        let has_data = resolved.disks.iter().any(|disk| !disk.is_os);
        let counted = resolved.disks.iter().filter(|disk| disk.disk.is_some() && disk.is_os != has_data);
        let mut limits = counted.clone().filter_map(|disk| Some(disk.disk?.kind().limit));
        // Disks of several limits are seen beside the one of all disks.
        let first = limits.next().filter(|first| limits.all(|other| other == *first));
        let (mut sums, mut any) = ([0u64; 2], false);
        for disk in counted {
            any = true;
            sums[0] = sums[0].saturating_add(disk.ios?);
            sums[1] = sums[1].saturating_add(disk.bytes?);
        }
        let vm = resolved.vm.remote(first.unwrap_or(VmLimit::Uncached)).sustained;
        any.then_some(Sums { vm, disks: sums })
    }

    /// Disks with data, or the operating system's disk if there are no others.
    pub(crate) fn data(&self) -> Vec<&'a SetupDisk> {
        let of = |used_for: Use| -> Vec<&'a SetupDisk> {
            self.setup.disks.iter().filter(|disk| disk.used_for == Some(used_for)).collect()
        };
        let data = of(Use::Data);
        if data.is_empty() { of(Use::Os) } else { data }
    }

    /// True if a disk is what databases keep logs on, by the names of its files.
    pub(crate) fn is_log(&self, disk: &SetupDisk) -> bool {
        const WORDS: [&str; 10] =
            ["log", "logs", "wal", "redo", "journal", "xlog", "binlog", "translog", "commitlog", "logdisk"];
        let says = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
        };
        // The system's own log is not a database's log.
        let mounted = |point: &str| !point.starts_with("/var/log") && says(point);
        disk.name.as_deref().is_some_and(says)
            || self
                .setup
                .volumes_on(disk.device())
                .any(|volume| says(&volume.name) || volume.mounts.iter().any(|mount| mounted(&mount.point)))
    }
}
