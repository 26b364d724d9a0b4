use std::path::Path;

use super::Device;
use crate::mounts::{Mount, Mounts};
use crate::world::names;
use crate::{Node, World};

/// Device below a file, folder or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beneath {
    /// Block devices; several where a file system spans them (btrfs).
    Devices(Vec<Device>),
    /// The machine's memory, by way of this file system.
    Memory {
        /// `tmpfs`, `ramfs`, `devtmpfs`.
        filesystem: String,
    },
    /// It can't be told from here.
    Unknown {
        /// Reason against it: a sentence for the person.
        why: String,
    },
}

impl Beneath {
    /// The devices, or none.
    pub fn devices(&self) -> &[Device] {
        match self {
            Beneath::Devices(devices) => devices,
            Beneath::Memory { .. } | Beneath::Unknown { .. } => &[],
        }
    }
}

/// The devices that a path lies on. `path` is as this process sees it, with links followed; `node` is what it names.
pub fn beneath(world: &World, path: &Path, node: &Node) -> Beneath {
    deeper(world, &Mounts::of(world), path, node, 0)
}

/// An overlay may lie on an overlay, which the kernel allows twice (`FILESYSTEM_MAX_STACK_DEPTH`).
const DEEPEST: u32 = 4;

fn deeper(world: &World, mounts: &Mounts, path: &Path, node: &Node, depth: u32) -> Beneath {
    let number = node.block().unwrap_or(node.filesystem);
    if node.block().is_some() || !number.is_anonymous() {
        return match Device::find(world, number) {
            Some(device) => Beneath::Devices(vec![device]),
            None => unknown(format!("/sys does not show device {number}")),
        };
    }
    let Some(mount) = mounts.holding(path, node) else {
        return unknown(format!("no mount of this process holds {}", path.display()));
    };
    match mount.filesystem.as_str() {
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => {
            Beneath::Memory { filesystem: mount.filesystem.clone() }
        }
        "btrfs" => of_btrfs(world, mount),
        "overlay" if depth < DEEPEST => of_overlay(world, mounts, mount, depth),
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "glusterfs" | "lustre" | "9p" | "virtiofs" => {
            unknown(format!("{} is served by another machine", mount.filesystem))
        }
        "zfs" => unknown(format!("the file system belongs to the ZFS pool of {}", mount.source.display())),
        other => unknown(format!("a file system of type {other} names no device")),
    }
}

fn unknown(why: String) -> Beneath {
    Beneath::Unknown { why }
}

/// Writes go to the overlay's upper folder, which is rarely visible inside a container.
fn of_overlay(world: &World, mounts: &Mounts, mount: &Mount, depth: u32) -> Beneath {
    let Some(upper) = mount.option("upperdir") else {
        return unknown("the overlay has no folder to write to".to_string());
    };
    match Node::of(&world.path(&upper)) {
        Ok(node) => deeper(world, mounts, &upper, &node, depth + 1),
        Err(_) => {
            unknown(format!("the overlay's folder {} is not visible, as in a container", upper.display()))
        }
    }
}

fn of_btrfs(world: &World, mount: &Mount) -> Beneath {
    let source = Node::of(&world.path(&mount.source)).ok().and_then(|node| node.block());
    let source = source.or_else(|| by_name(world, &mount.source));
    let Some(source) = source else {
        return unknown(format!("the device {} of the btrfs is not visible", mount.source.display()));
    };
    let together =
        btrfs_members(world).into_iter().find(|members| members.iter().any(|m| m.number() == source));
    match together.or_else(|| Some(vec![Device::find(world, source)?])) {
        Some(devices) => Beneath::Devices(devices),
        None => unknown(format!("/sys does not show device {source}")),
    }
}

fn by_name(world: &World, source: &Path) -> Option<crate::DeviceNumber> {
    Some(Device::named(world, source.strip_prefix("/dev").ok()?.to_str()?)?.number())
}

/// The devices of every btrfs that is mounted, one list for each: its mount names only one of them.
pub(crate) fn btrfs_members(world: &World) -> Vec<Vec<Device>> {
    let root = world.path("/sys/fs/btrfs");
    let folders = names(&root).into_iter().map(|name| root.join(name).join("devices"));
    let members = folders.map(|folder| {
        names(&folder).iter().filter_map(|name| Device::named(world, name)).collect::<Vec<_>>()
    });
    members.filter(|members| !members.is_empty()).collect()
}
