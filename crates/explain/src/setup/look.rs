//! Input of the rules without load.

use iobound_catalog::{Catalog, Limits, Resolved, VmLimit};

use crate::setup::{Mounted, Setup, SetupDisk, Use};

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
        // The system's own log is not a database's log.
        let mounted = |mount: &Mounted| {
            (!mount.point.starts_with("/var/log") && names_log(&mount.point))
                || mount.label.as_deref().is_some_and(names_log)
        };
        disk.name.as_deref().is_some_and(names_log)
            || self
                .setup
                .volumes_on(disk.device())
                .any(|volume| names_log(&volume.name) || volume.mounts.iter().any(mounted))
    }
}

/// True if a name has a word for a log: `pg_wal`, `LogPool`, `SQLVMLOG1`.
pub(crate) fn names_log(text: &str) -> bool {
    const WORDS: [&str; 10] =
        ["log", "logs", "wal", "redo", "journal", "xlog", "binlog", "translog", "commitlog", "logdisk"];
    /// Prefixes before a word for a log, without anything between, as in labels of SQL Server's volumes.
    const BEFORE: [&str; 4] = ["sqlvm", "sql", "tx", "t"];
    let is_word = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        let mut behind = BEFORE.iter().filter_map(|before| word.strip_prefix(before));
        WORDS.contains(&word.as_str()) || behind.any(|rest| WORDS.contains(&rest))
    };
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        // `DataLog` is two words.
        let starts = |(at, pair): (usize, &[u8])| {
            (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).then_some(at + 1)
        };
        let cuts = word.as_bytes().windows(2).enumerate().filter_map(starts);
        let cuts: Vec<usize> = std::iter::once(0).chain(cuts).chain([word.len()]).collect();
        is_word(word) || cuts.windows(2).any(|cut| is_word(&word[cut[0]..cut[1]]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_known_by_a_word_of_its_name() {
        for name in ["pg_wal", "/srv/redo01", "L:\\Logs", "LogPool", "SQLVMLOG1", "DataLog", "TLog", "binlog"]
        {
            assert!(names_log(name), "{name}");
        }
        for name in ["catalog", "Blog", "dialog", "data", "LOGIN", "walter", "", "F:\\"] {
            assert!(!names_log(name), "{name}");
        }
    }
}
