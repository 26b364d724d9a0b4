use std::collections::BTreeMap;
use std::path::Path;

use iobound_explain::setup::{self, Mounted, SetupDisk, SetupVolume};
use iobound_machine::block::{Device, Layout, assembly, facts};
use iobound_machine::{DeviceNumber, Mount, Mounts, World};

/// Layers of arrays that are looked through.
const DEEPEST: u32 = 8;

/// All devices that are built from disks and are not part of another one, and disks that are mounted directly.
pub(super) fn volumes(world: &World, disks: &[SetupDisk]) -> Vec<SetupVolume> {
    let mut mounts = mounted(world);
    let mut volumes = Vec::new();
    for device in Device::all(world) {
        let mounts = mounts.remove(device.name()).unwrap_or_default();
        let below: Vec<String> = device.disks_below().iter().map(|disk| disk.name().to_string()).collect();
        // Volumes on files and memory belong to no disk.
        if below.is_empty() || !below.iter().all(|name| disks.iter().any(|disk| disk.device() == name)) {
            continue;
        }
        let read_ahead_kib = facts(world, &device).read_ahead_kib;
        let own = device.name().to_string();
        match assembly(world, &device) {
            Some(found) => {
                let is_part = !device.holders().is_empty() && mounts.is_empty();
                if is_part {
                    continue;
                }
                let (layout, told_by) = layout_of(world, &device, 0);
                volumes.push(SetupVolume {
                    name: found.name,
                    device: own,
                    kind: found.kind,
                    layout,
                    told_by,
                    disks: below,
                    read_ahead_kib,
                    mounts,
                });
            }
            None if !mounts.is_empty() => volumes.push(SetupVolume {
                name: own.clone(),
                device: own,
                kind: "disk".to_string(),
                layout: setup::Layout::Single,
                told_by: "/sys/block".to_string(),
                disks: below,
                read_ahead_kib,
                mounts,
            }),
            None => {}
        }
    }
    // Several that share disks: the one that spans the most stands for them.
    volumes.sort_by(|one, other| other.disks.len().cmp(&one.disks.len()).then(one.name.cmp(&other.name)));
    volumes
}

/// Layout of a device's addresses on the disks, through layers that do not change them.
fn layout_of(world: &World, device: &Device, depth: u32) -> (setup::Layout, String) {
    let Some(found) = assembly(world, &device.whole()) else {
        return (setup::Layout::Single, "/sys/block".to_string());
    };
    let layout = match found.layout {
        Layout::Whole => {
            return match found.members.first().filter(|_| depth < DEEPEST) {
                Some(member) => layout_of(world, member, depth + 1),
                None => (setup::Layout::Single, found.source),
            };
        }
        Layout::Striped { columns, interleave } => {
            // A single disk is not a stripe. A stripe over arrays has more disks than columns, because each array uses
            // all of its disks.
            if columns < 2 { setup::Layout::Single } else { setup::Layout::Striped { columns, interleave } }
        }
        Layout::Linear => setup::Layout::Linear,
        Layout::Mirrored => setup::Layout::Mirrored,
        Layout::Parity => setup::Layout::Parity,
        Layout::Unknown { why } => setup::Layout::Unknown { why },
    };
    (layout, found.source)
}

/// The mounts of each whole device, by the kernel's names.
fn mounted(world: &World) -> BTreeMap<String, Vec<Mounted>> {
    let mounts = Mounts::of(world);
    let mut roots: BTreeMap<DeviceNumber, bool> = BTreeMap::new();
    for mount in mounts.iter() {
        *roots.entry(mount.number).or_default() |= mount.root == Path::new("/");
    }
    let mut found: BTreeMap<String, Vec<Mounted>> = BTreeMap::new();
    for mount in mounts.iter() {
        // Folders and files of it that are mounted elsewhere, as containers have them, are the same file system.
        let has_root = roots.get(&mount.number).copied().unwrap_or(false);
        if has_root && mount.root != Path::new("/") && mount.filesystem != "btrfs" {
            continue;
        }
        let Some(device) = device_of(world, mount) else { continue };
        let list = found.entry(device.whole().name().to_string()).or_default();
        let point = mount.point.display().to_string();
        if list.iter().any(|other: &Mounted| other.point == point) || (!has_root && !list.is_empty()) {
            continue;
        }
        list.push(Mounted {
            point,
            filesystem: mount.filesystem.clone(),
            options: mount.options.clone(),
            start_bytes: device.start_bytes().unwrap_or(0),
        });
    }
    found
}

/// The device of a mount: by its number, or by its source for btrfs, which has an anonymous number.
fn device_of(world: &World, mount: &Mount) -> Option<Device> {
    if !mount.number.is_anonymous() {
        return Device::find(world, mount.number);
    }
    if mount.filesystem != "btrfs" {
        return None;
    }
    Device::named(world, mount.source.strip_prefix("/dev").ok()?.to_str()?)
}
