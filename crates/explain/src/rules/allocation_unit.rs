//! The file system's allocation unit does not fit the interleave of the stripe below it.
//!
//! Documentation: SQL Server on Azure VMs, storage checklist: format data disks with an allocation unit of 64 KiB, and stripe them with an
//! interleave of 64 KiB for transactions or 256 KiB for warehouses.
//! Evidence: the interleave is no multiple of the allocation unit, so that clusters span two disks; or the unit is below 64 KiB, so
//! that an extent of 64 KiB can begin anywhere and reach into a second disk.
//! Remedy: an allocation unit of 64 KiB, and an interleave of 64 KiB or a multiple of it.

use iobound_units::Bytes;

use crate::finding::{Confidence, Finding};
use crate::setup::{Layout, Look};

/// The allocation unit that is recommended on stripes: the size of an extent of SQL Server.
const RECOMMENDED: u64 = 65_536;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let striped = look.setup.volumes.iter().filter_map(|volume| match volume.layout {
        Layout::Striped { columns, interleave } if columns > 1 && interleave > 0 => {
            Some((volume, interleave))
        }
        _ => None,
    });
    let units = striped.flat_map(|(volume, interleave)| {
        let known = volume.mounts.iter().filter_map(|mount| Some((mount, mount.allocation_unit?)));
        known.map(move |(mount, unit)| (volume, mount, unit, interleave))
    });
    let found = units.filter_map(|(volume, mount, unit, interleave)| {
        let of = format!("{} on {}", mount.point, volume.name);
        let (unit_size, interleave_size) = (Bytes(unit), Bytes(interleave));
        let (confidence, weight, claim) = if interleave % unit != 0 {
            let claim = format!(
                "{of} allocates {unit_size} at once, and the interleave is {interleave_size}: one cluster lies on several \
                 disks"
            );
            (Confidence::Likely, 1.6, claim)
        } else if unit < RECOMMENDED {
            let claim = format!(
                "{of} allocates {unit_size} at once, and the interleave is {interleave_size}: an extent of {} can begin \
                 in the middle of a column and reach into the next disk",
                Bytes(RECOMMENDED)
            );
            (Confidence::Possible, 0.8, claim)
        } else {
            return None;
        };
        let finding = Finding::new("allocation-unit", confidence, weight, claim)
            .because(format!("{}, allocation unit {unit_size}; {}", mount.filesystem, volume.told_by))
            .advise(
                "format it with 64 KiB (Format-Volume -AllocationUnitSize 65536), on an interleave of 64 KiB or a \
                 multiple of it (New-VirtualDisk -Interleave 65536)",
            )
            .to_be_sure("diskspd -b64K -r64K on the volume and on the raw disk: equal where nothing is split");
        Some((weight, finding))
    });
    found.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, finding)| finding)
}
