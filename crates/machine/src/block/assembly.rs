use super::dm_table::table;
use super::{Device, Target};
use crate::World;

/// Assembly of a device from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// Its kind: `md raid0`, `lvm`, `dm crypt`.
    pub kind: String,
    /// The name that people know: `vg-data`; the kernel's where it has no other.
    pub name: String,
    /// Layout of its addresses on the devices below.
    pub layout: Layout,
    /// The devices that it is built on: disks, partitions, other arrays.
    pub members: Vec<Device>,
    /// The source of the fact.
    pub source: String,
}

/// Layout of a device's addresses on the devices that it is built on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In turn: so many devices at a time, so many bytes on each.
    Striped {
        /// Devices that one stripe spans.
        columns: u32,
        /// Bytes on one before the next.
        interleave: u64,
    },
    /// One after the other.
    Linear,
    /// As they are, on one device: encrypted, snapshot, plain.
    Whole,
    /// Each on several.
    Mirrored,
    /// With parity: RAID 4, 5, 6.
    Parity,
    /// It can't be told from here.
    Unknown {
        /// Reason against it.
        why: String,
    },
}

/// Assembly of a device; `None` if it is built on no other.
pub fn assembly(world: &World, device: &Device) -> Option<Assembly> {
    let members = device.slaves();
    if members.is_empty() {
        return None;
    }
    match device.family() {
        "md" => Some(md(device, members)),
        "dm-" => Some(dm(world, device, members)),
        _ => None,
    }
}

fn md(device: &Device, members: Vec<Device>) -> Assembly {
    let level = device.value("md/level").unwrap_or_else(|| "of unknown level".to_string());
    let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let columns = device.number_of("md/raid_disks").filter(|disks| *disks > 0).unwrap_or(count);
    let chunk = device.number_of::<u64>("md/chunk_size").filter(|chunk| *chunk > 0);
    let layout = match (level.as_str(), chunk) {
        ("raid0", Some(interleave)) => Layout::Striped { columns, interleave },
        ("linear", _) => Layout::Linear,
        ("raid1" | "raid10", _) => Layout::Mirrored,
        ("raid4" | "raid5" | "raid6", _) => Layout::Parity,
        (level, _) => Layout::Unknown { why: format!("md {level} does not say its chunk") },
    };
    let source = "/sys/block/*/md".to_string();
    Assembly { kind: format!("md {level}"), name: device.name().to_string(), layout, members, source }
}

fn dm(world: &World, device: &Device, members: Vec<Device>) -> Assembly {
    let name = device.value("dm/name").unwrap_or_else(|| device.name().to_string());
    // `LVM-...`, `CRYPT-LUKS2-...`, `mpath-...`: what made it.
    let maker = device.value("dm/uuid").unwrap_or_default();
    let maker = maker.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let kind = match maker.as_str() {
        "lvm" => "lvm".to_string(),
        "" => "dm".to_string(),
        maker => format!("dm {maker}"),
    };
    let (layout, source) = match table(world, device) {
        Ok(targets) => (of_table(&targets, members.len()), "device-mapper table".to_string()),
        Err(error) => by_hints(device, &members, &error.to_string()),
    };
    Assembly { kind, name, layout, members, source }
}

/// The layout of a table: what all of its parts are.
fn of_table(targets: &[Target], members: usize) -> Layout {
    let stripes: Vec<(u32, u64)> = targets.iter().filter_map(Target::stripe).collect();
    match stripes.first() {
        Some((columns, interleave)) if stripes.len() == targets.len() => {
            let same = stripes.iter().all(|stripe| stripe == &(*columns, *interleave));
            match same {
                true => Layout::Striped { columns: *columns, interleave: *interleave },
                false => Layout::Unknown { why: "its segments are striped differently".to_string() },
            }
        }
        Some(_) => Layout::Unknown { why: "only one of its segments is striped".to_string() },
        None if targets.is_empty() => Layout::Unknown { why: "its table is empty".to_string() },
        None if targets.iter().all(|target| target.kind == "linear") => {
            if members > 1 {
                Layout::Linear
            } else {
                Layout::Whole
            }
        }
        None if members == 1 => Layout::Whole,
        None => {
            let kind = targets.first().map_or("", |target| target.kind.as_str());
            if matches!(kind, "raid" | "mirror") {
                return Layout::Unknown { why: format!("a {kind} of device-mapper's") };
            }
            Layout::Unknown { why: format!("of device-mapper's kind {kind}") }
        }
    }
}

/// The smallest and the best size of an I/O that a queue states, in bytes; 0 is nothing stated.
pub fn queue_hints(device: &Device) -> (u64, u64) {
    let whole = device.whole();
    let of = |name: &str| whole.number_of::<u64>(&format!("queue/{name}")).unwrap_or(0);
    (of("minimum_io_size"), of("optimal_io_size"))
}

/// Without root, the answer comes from the queue's figures: the smallest I/O of a stripe is its chunk, the best one a
/// whole row (drivers/md, `stripe_io_hints`). An array that is not striped has the figures of its members, so the
/// answer stays open.
fn by_hints(device: &Device, members: &[Device], refused: &str) -> (Layout, String) {
    if members.len() == 1 {
        return (Layout::Whole, "/sys/block/*/slaves".to_string());
    }
    let (least, best) = queue_hints(device);
    let differs = members.iter().all(|member| queue_hints(member) != (least, best));
    let columns = best.checked_div(least).unwrap_or(0);
    let fits = (2..=members.len() as u64).contains(&columns) && best == columns * least;
    if differs && least >= 4_096 && fits {
        let columns = u32::try_from(columns).unwrap_or(u32::MAX);
        return (Layout::Striped { columns, interleave: least }, "the I/O sizes of its queue".to_string());
    }
    let why = format!("cannot read its table ({refused}); run as root");
    (Layout::Unknown { why }, "/sys/block/*/slaves".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn built(tree: &Tree, name: &str, number: &str, count: u32) -> Device {
        let device = tree.disk(name, number);
        for index in 0..count {
            let letter = char::from(b'b' + index as u8);
            let member = tree.disk(&format!("sd{letter}"), &format!("8:{}", 16 * (index + 1)));
            tree.build_on(&device, &member);
        }
        device
    }

    #[test]
    fn an_array_says_its_level_and_chunk() {
        let tree = Tree::new();
        let md = built(&tree, "md0", "9:0", 4);
        tree.value(&md, "md/level", "raid0");
        tree.value(&md, "md/chunk_size", "65536");
        tree.value(&md, "md/raid_disks", "4");
        let found = assembly(&tree.world(), &md).unwrap();
        assert_eq!(found.layout, Layout::Striped { columns: 4, interleave: 65_536 });
        assert_eq!((found.kind.as_str(), found.members.len()), ("md raid0", 4));
        for (level, layout) in
            [("linear", Layout::Linear), ("raid10", Layout::Mirrored), ("raid5", Layout::Parity)]
        {
            tree.value(&md, "md/level", level);
            assert_eq!(assembly(&tree.world(), &md).unwrap().layout, layout);
        }
        assert_eq!(assembly(&tree.world(), &md.slaves()[0]), None);
    }

    #[test]
    fn a_volumes_table_says_whether_it_is_striped() {
        let tree = Tree::new();
        let dm = built(&tree, "dm-0", "252:0", 2);
        tree.value(&dm, "dm/name", "vg-data");
        tree.value(&dm, "dm/uuid", "LVM-abc");
        let layout = |table: &str| {
            tree.file("/dev/mapper/vg-data.table", table);
            assembly(&tree.world(), &dm).unwrap().layout
        };
        let striped = layout("0 100 striped 2 128 8:16 2048 8:32 2048\n");
        assert_eq!(striped, Layout::Striped { columns: 2, interleave: 65_536 });
        assert_eq!(layout("0 100 linear 8:16 2048\n100 100 linear 8:32 2048\n"), Layout::Linear);
        assert!(matches!(
            layout("0 1 linear 8:16 0\n1 1 striped 2 8 8:16 0 8:32 0\n"),
            Layout::Unknown { .. }
        ));
        assert!(matches!(layout("0 1 cache 8:16 8:32\n"), Layout::Unknown { .. }));
        let found = assembly(&tree.world(), &dm).unwrap();
        assert_eq!((found.kind.as_str(), found.name.as_str()), ("lvm", "vg-data"));
    }

    #[test]
    fn without_its_table_a_stripe_shows_in_the_queue_and_else_nothing_is_claimed() {
        let tree = Tree::new();
        let dm = built(&tree, "dm-0", "252:0", 4);
        for member in dm.slaves() {
            tree.value(&member, "queue/minimum_io_size", "4096");
            tree.value(&member, "queue/optimal_io_size", "0");
        }
        let hints = |least: &str, best: &str| {
            tree.value(&dm, "queue/minimum_io_size", least);
            tree.value(&dm, "queue/optimal_io_size", best);
            assembly(&tree.world(), &dm).unwrap().layout
        };
        // 4 × 64 KiB; two of four columns of 256 KiB.
        assert_eq!(hints("65536", "262144"), Layout::Striped { columns: 4, interleave: 65_536 });
        assert_eq!(hints("262144", "524288"), Layout::Striped { columns: 2, interleave: 262_144 });
        assert!(matches!(hints("4096", "0"), Layout::Unknown { .. }));
        // More columns than members cannot be a stripe over them.
        assert!(matches!(hints("4096", "67108864"), Layout::Unknown { .. }));
    }
}
