//! Persistent Disk: figures by the total size of all disks of the kind on the VM.

use crate::clouds::names::DiskType;
use crate::error::CatalogError;
use crate::performance::RuleReader;
use crate::provision::Provisioned;
use crate::vm::Limits;

/// Figures that all disks of a kind on a VM share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pooled {
    /// I/O units and bytes a second, whatever the size.
    pub base: [u64; 2],
    /// Millionths of I/O units a second of a GiB, read and written.
    pub ios_per_gib: [u64; 2],
    /// Bytes a second of a million GiB.
    pub bytes_per_gib: u64,
    /// True if reads and writes share the throughput.
    pub half_duplex: bool,
}

impl Pooled {
    pub(super) fn read(rules: &RuleReader<'_>) -> Result<Pooled, CatalogError> {
        let micro = |parameter: &str| rules.rule(parameter)?.micro();
        Ok(Pooled {
            base: [rules.count("baseline_iops_per_vm")?, rules.bytes("baseline_throughput_per_vm")?],
            ios_per_gib: [micro("read_iops_per_gib")?, micro("write_iops_per_gib")?],
            bytes_per_gib: micro("throughput_per_gib")?.saturating_mul(rules.disk.kind().megabyte),
            half_duplex: rules.disk.kind().half_duplex,
        })
    }

    /// Limits of reads and of writes of so many GiB on one VM.
    pub fn limits(&self, gib: u64) -> [Limits; 2] {
        let above = |base: u64, each: u64| {
            let more = u128::from(each) * u128::from(gib) / 1_000_000;
            base.saturating_add(u64::try_from(more).unwrap_or(u64::MAX))
        };
        self.ios_per_gib.map(|each| Limits {
            ios: Some(above(self.base[0], each)),
            bytes: Some(above(self.base[1], self.bytes_per_gib)),
        })
    }

    /// The least GiB on one VM that let so many reads, writes and bytes a second through, bytes each way.
    pub fn gib_for(&self, ios: [u64; 2], bytes: [u64; 2]) -> u64 {
        let least = |need: u64, base: u64, each: u64| {
            let missing = u128::from(need.saturating_sub(base)) * 1_000_000;
            u64::try_from(missing.div_ceil(u128::from(each.max(1)))).unwrap_or(u64::MAX)
        };
        let [read, write] = ios;
        let [each_read, each_write] = self.ios_per_gib;
        // Reads and writes share the larger of the two.
        let all = least(read.saturating_add(write), self.base[0], each_read.max(each_write));
        let moved = if self.half_duplex { bytes[0].saturating_add(bytes[1]) } else { bytes[0].max(bytes[1]) };
        all.max(least(read, self.base[0], each_read))
            .max(least(write, self.base[0], each_write))
            .max(least(moved, self.base[1], self.bytes_per_gib))
    }

    /// The figures of a disk that has the VM for itself: of IOPS, those of the direction that has more.
    pub(crate) fn provision(
        &self,
        disk: DiskType,
        gib: u64,
        is_provisioned: bool,
    ) -> Result<Provisioned, CatalogError> {
        if is_provisioned {
            return Err(CatalogError::refused(
                format!("{} with provisioned figures", disk.title()),
                "the total size of the disks of this type on the VM determines its IOPS and throughput",
                "leave them out, or use hyperdisk-balanced",
            ));
        }
        let [read, write] = self.limits(gib);
        let ios = read.ios.max(write.ios).unwrap_or(0);
        Ok(Provisioned { ios, bytes: read.bytes.unwrap_or(0), ..Provisioned::default() })
    }
}
