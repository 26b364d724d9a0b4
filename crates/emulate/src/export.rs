//! Exports for clients: every volume and every single disk, by name.

use iobound_model::{Blueprint, DiskId, VolumeSpec};
use iobound_units::{Bytes, TargetId};

use crate::not_built::NotBuilt;

/// An export's index: that of its volume in the blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExportId(pub u16);

impl ExportId {
    /// As a target of the model.
    pub fn target(self) -> TargetId {
        TargetId(self.0)
    }
}

/// True if an export is what was asked for, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A volume of the configuration.
    Volume,
    /// One disk of a volume: writes to it show in the volume.
    Disk,
}

/// A block device that clients can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name in every front: `data`, `data.0`.
    pub name: String,
    /// Its size, a multiple of [`Export::SECTOR`].
    pub size: Bytes,
    /// Its kind.
    pub kind: ExportKind,
    /// Number of disks that it lies on.
    pub disks: u16,
}

impl Export {
    /// The smallest unit that can be read or written.
    pub const SECTOR: u32 = 512;

    /// The exports of a blueprint, in the order of its volumes, of which the first `volumes` were asked for.
    pub(crate) fn all(blueprint: &Blueprint, volumes: usize) -> Vec<Export> {
        let kind = |n| if n < volumes { ExportKind::Volume } else { ExportKind::Disk };
        blueprint.volumes.iter().enumerate().map(|(n, volume)| Export::of(volume, kind(n))).collect()
    }

    /// Export of a volume, in whole sectors.
    pub(crate) fn of(volume: &VolumeSpec, kind: ExportKind) -> Export {
        let sector = u64::from(Export::SECTOR);
        Export {
            name: volume.name.clone(),
            size: Bytes(volume.size.get() / sector * sector),
            kind,
            disks: volume.disks.len() as u16,
        }
    }
}

/// Refuses ranges that would divide a sector: a block device has whole sectors only.
pub(crate) fn in_sectors(blueprint: &Blueprint) -> Result<(), NotBuilt> {
    let refuse = |name: &str, what: &str, is: Bytes| {
        let sector = Export::SECTOR;
        Err(NotBuilt(format!("{name}: {what} of {} bytes: a device needs a multiple of {sector}", is.get())))
    };
    let divides = |bytes: Bytes| !bytes.get().is_multiple_of(u64::from(Export::SECTOR));
    for VolumeSpec { name, disks, interleave, partition_offset, .. } in &blueprint.volumes {
        if disks.len() > 1 && divides(*interleave) {
            return refuse(name, "an interleave", *interleave);
        }
        if divides(*partition_offset) {
            return refuse(name, "a partition offset", *partition_offset);
        }
    }
    let disk = blueprint.disks.iter().find(|disk| divides(disk.max_transfer));
    disk.map_or(Ok(()), |disk| refuse(&disk.name, "a largest transfer", disk.max_transfer))
}

/// The blueprint with a volume more for each disk that is not one already.
pub fn with_single_disks(blueprint: &Blueprint) -> Blueprint {
    let mut wider = blueprint.clone();
    for (n, disk) in blueprint.disks.iter().enumerate() {
        let id = DiskId(n as u16);
        let is_one = |volume: &VolumeSpec| volume.disks == [id] && volume.partition_offset == Bytes::ZERO;
        if blueprint.volumes.iter().any(is_one) || blueprint.volume(&disk.name).is_some() {
            continue;
        }
        wider.volumes.push(VolumeSpec {
            name: disk.name.clone(),
            size: disk.size,
            disks: vec![id],
            columns: 1,
            interleave: Bytes::kib(64),
            partition_offset: Bytes::ZERO,
        });
    }
    wider
}
