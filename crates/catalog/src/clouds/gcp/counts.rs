//! Numbers of disks that a machine takes: of Hyperdisk together, and of one type.

use super::machines::sized_row;
use crate::clouds::names::DiskType;
use crate::error::CatalogError;
use crate::table::{Csv, csv};

/// Published numbers by machine.
const TABLE: Csv = csv!("gcp_disk_counts.csv");

/// The most disks on one machine; `None`: no page states a number below that of all disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DiskCounts {
    /// Of all types.
    pub(super) all: Option<u64>,
    /// Of all types of Hyperdisk together.
    pub(super) hyperdisks: Option<u64>,
    balanced: Option<u64>,
    balanced_ha: Option<u64>,
}

impl DiskCounts {
    /// The published numbers of a machine.
    pub(super) fn find(machine: &str) -> Result<DiskCounts, CatalogError> {
        let Some(row) = sized_row(TABLE, machine)? else { return Ok(DiskCounts::default()) };
        Ok(DiskCounts {
            all: row.count("disks")?,
            hyperdisks: row.count("hyperdisks")?,
            balanced: row.count("hyperdisk_balanced")?,
            balanced_ha: row.count("hyperdisk_balanced_ha")?,
        })
    }

    /// The most disks of one type.
    pub(super) fn of(self, disk: DiskType) -> Option<u64> {
        let own =
            [(DiskType::HyperdiskBalanced, self.balanced), (DiskType::HyperdiskBalancedHa, self.balanced_ha)];
        let own = own.into_iter().find(|(of, _)| *of == disk).and_then(|(_, most)| most);
        own.into_iter().chain(self.hyperdisks.filter(|_| is_hyperdisk(disk))).min()
    }
}

/// True for the types of Hyperdisk.
pub(super) fn is_hyperdisk(disk: DiskType) -> bool {
    disk.word().starts_with("hyperdisk")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds::gcp::custom::steps;

    #[test]
    fn every_row_has_machines_and_a_number() {
        for row in TABLE.table().rows() {
            let machines = row.required("machines").unwrap();
            assert!(steps(&machines).is_some() || machines.split(' ').all(|name| name.contains('-')));
            let most = row.count("hyperdisks").unwrap().unwrap();
            assert!(row.count("hyperdisk_balanced").unwrap().is_none_or(|of| of <= most), "{machines}");
            assert!(row.count("disks").unwrap().is_none_or(|of| of >= most), "{machines}");
        }
    }

    #[test]
    fn numbers_go_by_name_then_by_vcpus() {
        let of = |machine: &str, disk: DiskType| DiskCounts::find(machine).unwrap().of(disk);
        let balanced = DiskType::HyperdiskBalanced;
        for (machine, expected) in [
            ("c3-standard-8", Some(16)),
            ("c3-highcpu-44", Some(32)),
            ("c3-standard-192-metal", Some(16)),
            ("c4-highmem-2", Some(8)),
            ("c4-standard-288", Some(128)),
            ("c4-standard-288-metal", Some(32)),
            ("n4-custom-10-20480", Some(16)),
            ("n4d-standard-2", Some(4)),
            ("n2-custom-22-45056", Some(48)),
            ("e2-standard-8", None),
        ] {
            assert_eq!(of(machine, balanced), expected, "{machine}");
        }
        assert_eq!(of("c3-standard-8", DiskType::HyperdiskMl), Some(32));
        assert_eq!(of("c4-standard-96", DiskType::HyperdiskBalancedHa), Some(64));
        assert_eq!(of("c3-standard-8", DiskType::PdSsd), None);
    }
}
