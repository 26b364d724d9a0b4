use iobound_catalog::{CacheSetting, Cloud, DeviceNaming};
use iobound_explain::setup::{Certainty, Exceeded, Partition, SetupDisk, Use};
use iobound_machine::World;
use iobound_machine::block::{Device, facts, queue_hints};
use iobound_machine::cloud::{Attached, CloudDisk, Role, Slot};
use iobound_machine::nvme::{self, EbsStatistics, Page};
use iobound_measure::result::DeviceFacts;

use super::spec::{Bought, bought};

/// Families of devices that are not disks: files, memory, discs, and devices built from disks.
const NO_DISKS: [&str; 8] = ["loop", "ram", "zram", "sr", "fd", "md", "dm-", "mtdblock"];

/// The disks at the bottom of all devices, with the facts about each.
pub(super) fn disks(
    world: &World,
    provider: Option<Cloud>,
    attached: &[Attached],
    cloud: &[CloudDisk],
    has_metadata: bool,
    notes: &mut Vec<String>,
) -> Vec<SetupDisk> {
    let mut refused: Option<String> = None;
    let mut found = Vec::new();
    for device in Device::all(world) {
        let is_disk = !NO_DISKS.iter().any(|family| device.name().starts_with(family))
            && device.slaves().is_empty()
            && device.bytes().is_some_and(|bytes| bytes > 0);
        if !is_disk {
            continue;
        }
        let hint = queue_hints(&device).1;
        let mut disk = SetupDisk::bare(facts(world, &device));
        disk.optimal_io_bytes = Some(hint).filter(|hint| *hint > 0);
        disk.partitions = partitions(&device);
        if nvme::is_ebs(&device) {
            match exceeded(world, &device) {
                Ok(exceeded) => disk.exceeded = Some(exceeded),
                Err(why) => drop(refused.get_or_insert(why)),
            }
        }
        match (provider, attached.iter().find(|own| own.device == device)) {
            (Some(provider), Some(own)) => {
                let Attached { role, slot, name, source, .. } = own;
                let own = DiskIdentity { role: *role, slot: slot.as_ref(), name: name.as_ref(), source };
                fill(&mut disk, provider, &own, cloud, has_metadata, notes);
            }
            (Some(_), None) => {
                disk.figures.1 = "it does not look like a disk that the cloud attached".to_string();
            }
            (None, _) => {}
        }
        found.push(disk);
    }
    if let Some(why) = refused {
        notes.push(format!(
            "cannot read the volumes' own counts of exceeded limits (NVMe log page 0xD0): {why}; run as root"
        ));
    }
    found
}

/// Time that a volume's limits were exceeded since it was attached, by its own count.
pub(super) fn exceeded(world: &World, device: &Device) -> Result<Exceeded, String> {
    statistics(world, device).map(|statistics| counted(&statistics))
}

/// A volume's own statistics.
pub(super) fn statistics(world: &World, device: &Device) -> Result<EbsStatistics, String> {
    let page = nvme::read(world, device, Page::EbsStatistics).map_err(|error| error.to_string())?;
    EbsStatistics::parse(&page).ok_or_else(|| "the log page has an unexpected format".to_string())
}

/// Its exceeded limits in the terms of a setup.
pub(super) fn counted(statistics: &EbsStatistics) -> Exceeded {
    let of = statistics.exceeded;
    Exceeded {
        disk_iops_us: of.volume_iops_us,
        disk_throughput_us: of.volume_throughput_us,
        vm_iops_us: of.instance_iops_us,
        vm_throughput_us: of.instance_throughput_us,
    }
}

/// The disks that the metadata has and no device here is: what was bought, all the same.
pub(super) fn unseen(
    provider: Cloud,
    seen: &[Slot],
    cloud: &[CloudDisk],
    notes: &mut Vec<String>,
) -> Vec<SetupDisk> {
    let mut found = Vec::new();
    let missing = cloud.iter().filter(|disk| !disk.is_ephemeral && !seen.contains(&disk.slot));
    for entry in missing {
        let (name, role) = match &entry.slot {
            Slot::Os => ("os".to_string(), Role::Os),
            Slot::Lun(lun) => (format!("lun{lun}"), Role::Data),
            Slot::Named(_) | Slot::Link(_) => continue,
        };
        let facts = DeviceFacts { name, size_bytes: entry.bytes, ..DeviceFacts::default() };
        let mut disk = SetupDisk { is_seen: false, ..SetupDisk::bare(facts) };
        // No device says anything else: what it is is the metadata's to tell alone.
        let own = DiskIdentity { role, slot: Some(&entry.slot), name: None, source: "the metadata service" };
        fill(&mut disk, provider, &own, cloud, true, notes);
        found.push(disk);
    }
    if !found.is_empty() {
        let names: Vec<&str> = found.iter().map(SetupDisk::device).collect();
        notes.push(format!("no device of this machine is {}, which the metadata lists", names.join(", ")));
    }
    found
}

fn partitions(device: &Device) -> Vec<Partition> {
    let start =
        |part: &Device| Some(Partition { device: part.name().to_string(), start_bytes: part.start_bytes()? });
    device.partitions().iter().filter_map(start).collect()
}

/// The disk of the cloud that a disk is, and what says so.
pub(super) struct DiskIdentity<'a> {
    pub(super) role: Role,
    pub(super) slot: Option<&'a Slot>,
    pub(super) name: Option<&'a String>,
    pub(super) source: &'a str,
}

/// The cloud's facts about a disk.
pub(super) fn fill(
    disk: &mut SetupDisk,
    provider: Cloud,
    own: &DiskIdentity<'_>,
    cloud: &[CloudDisk],
    has_metadata: bool,
    notes: &mut Vec<String>,
) {
    disk.used_for = Some(match own.role {
        Role::Os => Use::Os,
        Role::Data => Use::Data,
        Role::Local => Use::Local,
    });
    disk.told_by = Some(own.source.to_string());
    disk.name = own.name.cloned();
    let entry = own.slot.and_then(|slot| cloud.iter().find(|disk| &disk.slot == slot));
    if let Some(Slot::Lun(lun)) = own.slot {
        disk.lun = Some(*lun);
    }
    if let Some(entry) = entry {
        if provider.rules().guest.naming != DeviceNaming::Serial && disk.name.is_none() {
            disk.name.clone_from(&entry.name);
        }
        disk.write_accelerator = entry.write_accelerator;
        if let Some(cache) = &entry.cache {
            let known = CacheSetting::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(cache));
            if known.is_none() {
                notes.push(format!("{}: unknown host cache `{cache}` in the metadata", disk.device()));
            }
            disk.cache = known;
        }
    }
    if own.role == Role::Local {
        disk.figures =
            (Certainty::Unknown, "a local disk of the host: its data is lost with the VM".to_string());
        return;
    }
    let bytes = disk.facts.size_bytes;
    if let (Some(stated), Some(bytes)) = (entry.and_then(|entry| entry.bytes), bytes)
        && stated != bytes
    {
        let gib = |bytes: u64| format!("{:.1}", bytes as f64 / (1u64 << 30) as f64);
        notes.push(format!(
            "{}: the metadata gives {} GiB, the device has {}: the device's size is used",
            disk.device(),
            gib(stated),
            gib(bytes)
        ));
    }
    let Bought { disk: kind, spec, figures } = bought(provider, entry, bytes, has_metadata);
    (disk.disk, disk.spec, disk.figures) = (kind, spec, figures);
}
