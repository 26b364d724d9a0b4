use super::{Backing, Beneath, Device, beneath};
use crate::{Node, World};

/// Medium of a device, as far as it changes the meaning of a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Medium {
    /// Reason why it is memory and no disk, where it is: `zram0 is memory`.
    pub memory: Option<String>,
    /// True if anything was ever written to it, where that is known: what never was is read from nowhere.
    pub written: Option<bool>,
}

/// Limit of layers of loops and arrays that are followed; more than anybody builds.
const DEEPEST: u32 = 8;

/// Medium of a device.
pub fn medium(world: &World, device: &Device) -> Medium {
    Medium { memory: memory(world, device, 0), written: written(world, device, 0) }
}

fn memory(world: &World, device: &Device, depth: u32) -> Option<String> {
    let whole = device.whole();
    let name = whole.name();
    match whole.family() {
        "zram" | "ram" => return Some(format!("{name} is memory")),
        "nullb" => {
            return Some(format!(
                "{name} is the kernel's null device: it discards data or keeps it in memory"
            ));
        }
        _ => {}
    }
    if depth == DEEPEST {
        return None;
    }
    if let Some(backing) = Backing::of(world, &whole) {
        let below = backing.device.and_then(|number| Device::find(world, number));
        let reason = match below {
            Some(below) => memory(world, &below, depth + 1),
            None => file_in_memory(world, &backing, depth),
        };
        return reason.map(|reason| format!("{name} lies on {}: {reason}", backing.path.display()));
    }
    // An array is memory where all of it is: a slow member makes it slow.
    let reasons: Option<Vec<String>> =
        whole.slaves().iter().map(|slave| memory(world, slave, depth + 1)).collect();
    let reasons = reasons.filter(|reasons| !reasons.is_empty())?;
    Some(format!("{name} is made of memory: {}", reasons.join(", ")))
}

fn file_in_memory(world: &World, backing: &Backing, depth: u32) -> Option<String> {
    let node = Node::of(&world.path(&backing.path)).ok().filter(|node| backing.is(node))?;
    match beneath(world, &backing.path, &node) {
        Beneath::Memory { filesystem } => Some(format!("{filesystem} is memory")),
        Beneath::Devices(devices) => devices.iter().find_map(|device| memory(world, device, depth + 1)),
        Beneath::Unknown { .. } => None,
    }
}

fn written(world: &World, device: &Device, depth: u32) -> Option<bool> {
    let whole = device.whole();
    if whole.family() == "zram" {
        // Columns of mm_stat (Documentation/admin-guide/blockdev/zram.rst): the first is what is stored, in bytes,
        // and the sixth the pages of one repeated word, which older kernels leave out of the first.
        let stat = whole.value("mm_stat")?;
        let columns: Vec<u64> = stat.split_whitespace().map_while(|column| column.parse().ok()).collect();
        return Some(columns.first().copied()? > 0 || columns.get(5).is_some_and(|pages| *pages > 0));
    }
    let backing = Backing::of(world, &whole)?;
    if let Some(below) = backing.device.and_then(|number| Device::find(world, number)) {
        return if depth < DEEPEST { written(world, &below, depth + 1) } else { None };
    }
    let node = Node::of(&world.path(&backing.path)).ok().filter(|node| backing.is(node))?;
    // A file that takes no space has nothing in it; one that does may still have holes.
    (node.allocated_bytes == 0).then_some(false)
}
