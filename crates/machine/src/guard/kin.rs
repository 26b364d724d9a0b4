use std::collections::BTreeSet;

use super::look::Probe;
use crate::block::{Backing, Device};
use crate::{DeviceNumber, World};

/// Relation of a device to the one to overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is that one.
    Itself,
    /// It is a part of it.
    Partition,
    /// It is the disk that it is a part of.
    Disk,
    /// It is another partition of the same disk that has sectors in common with it.
    Overlap,
    /// It is what a loop device that is to be written over shows.
    Below,
    /// It is an active array, volume or cache with data on it.
    BuiltOn,
    /// It is a loop device that shows it, or shows what it shows.
    Loop,
}

impl Relation {
    /// True if a write to the subject writes to it.
    pub(super) fn is_below(self) -> bool {
        matches!(self, Relation::Itself | Relation::Disk | Relation::Below)
    }
}

/// A device whose data a write may change.
#[derive(Clone, Debug)]
pub(super) struct Kin {
    pub(super) device: Device,
    pub(super) relation: Relation,
    /// `a partition of sdb`; empty for the device itself.
    how: String,
}

impl Kin {
    /// `sdb1, a partition of sdb,`: it begins a sentence.
    pub(super) fn name(&self) -> String {
        if self.how.is_empty() {
            self.device.name().to_string()
        } else {
            format!("{}, {},", self.device.name(), self.how)
        }
    }
}

/// Every device whose data lies on a device, or shares its bytes, wherever that is: partitions, what is built on them,
/// loop devices, and the disk that it is a part of. The disk's other partitions are strangers unless their sectors overlap.
///
/// `same_file` tells whether two loop devices show one file, by whatever names.
pub(super) fn kin(
    world: &World,
    look: &dyn Probe,
    same_file: &dyn Fn(&Backing, &Backing) -> bool,
    subject: &Device,
) -> Vec<Kin> {
    let loops = Device::all(world).into_iter().filter(|device| device.family() == "loop");
    let loops = loops.filter_map(|device| Some((look.backing(world, &device)?, device))).collect();
    let mut gathered = Gathered { world, same_file, loops, kin: Vec::new(), seen: BTreeSet::new() };
    gathered.around(subject, Relation::Itself, String::new());
    gathered.kin
}

struct Gathered<'a> {
    world: &'a World,
    same_file: &'a dyn Fn(&Backing, &Backing) -> bool,
    loops: Vec<(Backing, Device)>,
    kin: Vec<Kin>,
    seen: BTreeSet<DeviceNumber>,
}

impl Gathered<'_> {
    fn add(&mut self, device: &Device, relation: Relation, how: String) -> bool {
        let new = self.seen.insert(device.number());
        if new {
            self.kin.push(Kin { device: device.clone(), relation, how });
        }
        new
    }

    /// Devices that lie on a device, that it is a part of, or that share its bytes through a loop.
    fn around(&mut self, device: &Device, relation: Relation, how: String) {
        self.above(device, relation, how);
        let whole = device.whole();
        if device.is_partition() && self.add(&whole, Relation::Disk, format!("the disk of {}", device.name()))
        {
            self.users_of(&whole);
        }
        if device.is_partition() {
            for other in whole.partitions().iter().filter(|other| overlap(device, other)) {
                self.above(other, Relation::Overlap, format!("which overlaps {}", device.name()));
            }
        }
        let Some((backing, _)) = self.loops.iter().find(|(_, shown)| shown.number() == whole.number()) else {
            return;
        };
        let backing = backing.clone();
        let twins: Vec<Device> = self
            .loops
            .iter()
            .filter(|(other, _)| other.is_same(&backing) || (self.same_file)(other, &backing))
            .map(|(_, twin)| twin.clone())
            .collect();
        for twin in twins {
            self.above(&twin, Relation::Loop, format!("which shows the same data as {}", whole.name()));
        }
        let below = backing.device.and_then(|number| Device::find(self.world, number));
        if let Some(below) = below.filter(|below| !self.seen.contains(&below.number())) {
            self.around(&below, Relation::Below, format!("which {} shows", whole.name()));
        }
    }

    /// A device and all that lies on it.
    fn above(&mut self, device: &Device, relation: Relation, how: String) {
        if !self.add(device, relation, how) {
            return;
        }
        let inherited = match relation {
            Relation::BuiltOn | Relation::Loop | Relation::Overlap => relation,
            _ => Relation::Partition,
        };
        for partition in device.partitions() {
            self.above(&partition, inherited, format!("a partition of {}", device.name()));
        }
        self.users_of(device);
    }

    fn users_of(&mut self, device: &Device) {
        for holder in device.holders() {
            self.above(&holder, Relation::BuiltOn, format!("which is built on {}", device.name()));
        }
        let shown = |(backing, _): &&(Backing, Device)| backing.device == Some(device.number());
        let loops: Vec<Device> = self.loops.iter().filter(shown).map(|(_, on)| on.clone()).collect();
        for on in loops {
            self.above(&on, Relation::Loop, format!("which shows {}", device.name()));
        }
    }
}

/// True if two partitions of a disk have sectors in common, as after a mistake in `sfdisk` or `addpart`. The kernel lets
/// both be used at once.
fn overlap(one: &Device, other: &Device) -> bool {
    let range =
        |device: &Device| Some((device.start_bytes()?, device.start_bytes()?.checked_add(device.bytes()?)?));
    let (Some(one_range), Some(other_range)) = (range(one), range(other)) else { return false };
    one.number() != other.number() && one_range.0 < other_range.1 && other_range.0 < one_range.1
}
