//! Block devices: the device below a path, its members, and its properties.

mod assembly;
mod backing;
mod beneath;
mod dm_table;
mod facts;
mod geometry;
mod medium;

pub use assembly::{Assembly, Layout, assembly, queue_hints};
pub use backing::Backing;
pub(crate) use beneath::btrfs_members;
pub use beneath::{Beneath, beneath};
pub use dm_table::{Target, parse_table};
pub use facts::facts;
pub use geometry::Geometry;
pub use medium::{Medium, medium};

use std::fs;
use std::path::{Path, PathBuf};

use crate::world::{names, number, value};
use crate::{DeviceNumber, World};

/// A block device as `/sys` has it: a whole disk, a partition, an array, a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    number: DeviceNumber,
    name: String,
    folder: PathBuf,
}

impl Device {
    /// The device of a number; `None` if `/sys` does not have it.
    pub fn find(world: &World, number: DeviceNumber) -> Option<Device> {
        Device::in_folder(&world.path(format!("/sys/dev/block/{number}")))
    }

    /// The device of a name: `nvme0n1p2`, `md0`.
    pub fn named(world: &World, name: &str) -> Option<Device> {
        Device::in_folder(&world.path("/sys/class/block").join(name))
    }

    /// Every whole device there is: disks, arrays, volumes; partitions are theirs.
    pub fn all(world: &World) -> Vec<Device> {
        let names = world.names("/sys/block");
        names.iter().filter_map(|name| Device::in_folder(&world.path("/sys/block").join(name))).collect()
    }

    fn in_folder(folder: &Path) -> Option<Device> {
        // Links are followed, since a partition's disk is the folder above it, and only the true folder tells that.
        let folder = fs::canonicalize(folder).ok()?;
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Device { number: number(&folder, "dev")?, name, folder })
    }

    /// Its number.
    pub fn number(&self) -> DeviceNumber {
        self.number
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Path of its node by the kernel's own naming; a container may have others, or none.
    pub fn node(&self, world: &World) -> PathBuf {
        let event = self.value("uevent").unwrap_or_default();
        let name = event.lines().find_map(|line| line.strip_prefix("DEVNAME="));
        // A slash of the name is an exclamation mark in /sys.
        let name = name.map_or_else(|| self.name.replace('!', "/"), str::to_string);
        world.path("/dev").join(name)
    }

    /// Its size in bytes: the kernel's unit is 512 bytes, whatever its sectors are.
    pub fn bytes(&self) -> Option<u64> {
        self.number_of::<u64>("size")?.checked_mul(512)
    }

    /// True if the kernel lets nobody write to it.
    pub fn is_read_only(&self) -> bool {
        self.number_of::<u32>("ro") == Some(1)
    }

    /// True if it is a part of a disk.
    pub fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// The disk that it is a part of; `None` for a whole one.
    pub fn disk(&self) -> Option<Device> {
        self.is_partition().then(|| Device::in_folder(self.folder.parent()?)).flatten()
    }

    /// Its disk, or itself if it is not a partition.
    pub fn whole(&self) -> Device {
        self.disk().unwrap_or_else(|| self.clone())
    }

    /// Its partitions, in order of their names.
    pub fn partitions(&self) -> Vec<Device> {
        let folders = names(&self.folder).into_iter().map(|name| self.folder.join(name));
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.filter_map(|folder| Device::in_folder(&folder)).collect()
    }

    /// The arrays, volumes and caches that are built on it and active.
    pub fn holders(&self) -> Vec<Device> {
        self.linked("holders")
    }

    /// The devices that it is built on.
    pub fn slaves(&self) -> Vec<Device> {
        self.linked("slaves")
    }

    /// The whole disks at the bottom of it: itself, its disk, or those of everything that it is built on.
    pub fn disks_below(&self) -> Vec<Device> {
        let mut found = Vec::new();
        self.add_disks_below(&mut found, 0);
        found
    }

    fn add_disks_below(&self, found: &mut Vec<Device>, depth: u32) {
        /// More layers than anybody builds.
        const DEEPEST: u32 = 8;
        let whole = self.whole();
        let slaves = whole.slaves();
        if slaves.is_empty() {
            if !found.contains(&whole) {
                found.push(whole);
            }
        } else if depth < DEEPEST {
            slaves.iter().for_each(|slave| slave.add_disks_below(found, depth + 1));
        }
    }

    /// Start of a partition on its disk, in bytes; 0 for a whole device.
    pub fn start_bytes(&self) -> Option<u64> {
        if !self.is_partition() {
            return Some(0);
        }
        // The kernel's unit here is 512 bytes as well.
        self.number_of::<u64>("start")?.checked_mul(512)
    }

    fn linked(&self, folder: &str) -> Vec<Device> {
        let folder = self.folder.join(folder);
        names(&folder).iter().filter_map(|name| Device::in_folder(&folder.join(name))).collect()
    }

    /// Content of the file `name` of its folder in `/sys`: `queue/scheduler`.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        value(&self.folder, name)
    }

    pub(crate) fn number_of<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        number(&self.folder, name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The first letters of its name, up to its number: `nvme`, `md`, `dm-`.
    pub(crate) fn family(&self) -> &str {
        self.name.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
