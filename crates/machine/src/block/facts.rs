use std::fs;

use iobound_measure::result::DeviceFacts;

use super::{Backing, Device};
use crate::World;
use crate::world::names;

/// Known facts about a device. Its queue is its disk's where it is a partition; targets and counters are not filled.
pub fn facts(world: &World, device: &Device) -> DeviceFacts {
    let disk = device.whole();
    let queue = |name: &str| disk.value(&format!("queue/{name}"));
    let count = |name: &str| disk.number_of::<u64>(&format!("queue/{name}"));
    let sector = |name: &str| disk.number_of::<u32>(&format!("queue/{name}"));
    DeviceFacts {
        name: device.name().to_string(),
        targets: Vec::new(),
        kind: kind(&disk),
        model: model(&disk),
        size_bytes: device.bytes(),
        scheduler: queue("scheduler").as_deref().map(in_use),
        read_ahead_kib: count("read_ahead_kb"),
        queue_requests: count("nr_requests"),
        hardware_queues: hardware_queues(&disk),
        max_request_kib: count("max_sectors_kb"),
        max_hardware_request_kib: count("max_hw_sectors_kb"),
        rotational: count("rotational").map(|rotational| rotational != 0),
        logical_sector: sector("logical_block_size"),
        physical_sector: sector("physical_block_size"),
        write_cache: queue("write_cache"),
        made_of: made_of(world, device),
        counters: None,
    }
}

/// `[mq-deadline] kyber none`: the one in brackets; a queue that has no choice says one word.
fn in_use(schedulers: &str) -> String {
    let chosen = schedulers.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    chosen.unwrap_or(schedulers).to_string()
}

fn kind(disk: &Device) -> Option<String> {
    let family = disk.family();
    let known = match family {
        "nvme" => "nvme",
        "md" => "md",
        "dm-" => "dm",
        "loop" => "loop",
        "zram" => "zram",
        "ram" => "ram",
        _ => return attached(disk).or_else(|| (!family.is_empty()).then(|| family.to_string())),
    };
    Some(known.to_string())
}

/// The bus of the device behind it: `scsi`, `virtio`, `mmc`, `xen`.
fn attached(disk: &Device) -> Option<String> {
    let subsystem = fs::canonicalize(disk.folder().join("device/subsystem")).ok()?;
    Some(subsystem.file_name()?.to_string_lossy().into_owned())
}

/// Reported model: a disk's model with its vendor, an array's level, a volume's name, a loop's file.
fn model(disk: &Device) -> Option<String> {
    if let Some(model) = disk.value("device/model") {
        // SCSI disks say `Msft` and `Virtual Disk` apart; NVMe's vendor is a number, and says nothing.
        let vendor = disk.value("device/vendor").filter(|vendor| !vendor.starts_with("0x"));
        return Some(vendor.map_or(model.clone(), |vendor| format!("{vendor} {model}")));
    }
    let file = || Backing::path_of(disk).map(|path| path.display().to_string());
    disk.value("md/level").or_else(|| disk.value("dm/name")).or_else(file)
}

fn hardware_queues(disk: &Device) -> Option<u32> {
    let queues = names(&disk.folder().join("mq"));
    let queues = queues.iter().filter(|name| name.parse::<u32>().is_ok()).count();
    u32::try_from(queues).ok().filter(|queues| *queues > 0)
}

fn made_of(world: &World, device: &Device) -> Vec<String> {
    if let Some(disk) = device.disk() {
        return vec![disk.name().to_string()];
    }
    let slaves: Vec<String> = device.slaves().iter().map(|slave| slave.name().to_string()).collect();
    if !slaves.is_empty() {
        return slaves;
    }
    let below = Backing::of(world, device).and_then(|backing| match backing.device {
        Some(number) => Device::find(world, number),
        None => Device::find(world, backing.file?.0),
    });
    below.map(|below| below.name().to_string()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_use_is_the_one_in_brackets() {
        assert_eq!(in_use("mq-deadline kyber [none]"), "none");
        assert_eq!(in_use("[mq-deadline] none"), "mq-deadline");
        assert_eq!(in_use("none"), "none");
    }
}
