//! Persistent Disk: figures by the total size of all disks of the kind on the VM.

use crate::clouds::names::DiskType;
use crate::error::CatalogError;

/// Figures that all disks of a kind on a VM share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pooled {
    /// I/O units and bytes a second, whatever the size.
    pub base: [u64; 2],
    /// Millionths of I/O units a second of a GiB, read and written.
    pub ios_per_gib: [u64; 2],
    /// Bytes a second of a million GiB.
    pub bytes_per_gib: u64,
}

impl Pooled {
    /// I/O units and bytes a second of so many GiB on one VM, read and written.
    pub fn limits(&self, gib: u64) -> [[u64; 2]; 2] {
        let above = |base: u64, each: u64| {
            let more = u128::from(each) * u128::from(gib) / 1_000_000;
            base.saturating_add(u64::try_from(more).unwrap_or(u64::MAX))
        };
        self.ios_per_gib.map(|each| [above(self.base[0], each), above(self.base[1], self.bytes_per_gib)])
    }

    /// I/O units and bytes a second that many GiB on one VM let through, in the direction that has more.
    pub fn most(&self, gib: u64) -> [u64; 2] {
        let [read, write] = self.limits(gib);
        [read[0].max(write[0]), read[1]]
    }

    /// I/O units of the direction that has more that so many reads and writes take up: a read of an HDD takes two.
    pub fn taken(&self, [read, write]: [u64; 2]) -> u64 {
        let [each_read, each_write] = self.ios_per_gib;
        let most = u128::from(each_read.max(each_write));
        let alone = |ios: u64, each: u64| {
            let above = u128::from(ios.saturating_sub(self.base[0])) * most;
            let above = above.div_ceil(u128::from(each.max(1)));
            u64::try_from(above).unwrap_or(u64::MAX).saturating_add(ios.min(self.base[0]))
        };
        read.saturating_add(write).max(alone(read, each_read)).max(alone(write, each_write))
    }

    /// The least GiB on one VM that let so many I/O units and bytes a second through, as [`Pooled::most`] counts them.
    pub fn gib_for(&self, [ios, bytes]: [u64; 2]) -> u64 {
        let least = |need: u64, base: u64, each: u64| {
            let missing = u128::from(need.saturating_sub(base)) * 1_000_000;
            u64::try_from(missing.div_ceil(u128::from(each.max(1)))).unwrap_or(u64::MAX)
        };
        let [read, write] = self.ios_per_gib;
        least(ios, self.base[0], read.max(write)).max(least(bytes, self.base[1], self.bytes_per_gib))
    }

    /// I/O units and bytes a second of a disk that has the VM for itself: of I/O units, those of the direction that has more.
    pub(crate) fn provision(
        &self,
        disk: DiskType,
        gib: u64,
        is_provisioned: bool,
    ) -> Result<[u64; 2], CatalogError> {
        if is_provisioned {
            return Err(CatalogError::refused(
                format!("{} with provisioned figures", disk.title()),
                "the total size of the disks of this type on the VM determines its IOPS and throughput",
                "leave them out, or use hyperdisk-balanced",
            ));
        }
        Ok(self.most(gib))
    }
}
