use std::path::Path;

use iobound_catalog::{Cloud, CloudDisk, DeviceNaming, Slot};

use crate::block::Device;
use crate::nvme::{self, Page};
use crate::world::value;
use crate::{Mounts, World};

/// Purpose of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It holds the operating system.
    Os,
    /// A disk of the cloud's.
    Data,
    /// A disk of the host's, whose data is gone with the VM.
    Local,
}

/// Disk of the cloud that a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The device.
    pub device: Device,
    /// Its purpose.
    pub role: Role,
    /// Slot that it is attached to, if known.
    pub slot: Option<Slot>,
    /// Its own name, where the device has it: `vol-0123456789abcdef0`.
    pub name: Option<String>,
    /// The source of the fact.
    pub source: String,
}

/// Disk of the cloud for each device, as far as the devices tell; `disks` as the metadata service has them, for those
/// that tell nothing but their size.
pub fn attached(world: &World, provider: Cloud, disks: &[CloudDisk]) -> Vec<Attached> {
    let root = root_disks(world);
    Device::all(world)
        .into_iter()
        .filter_map(|device| {
            let is_root = root.contains(&device);
            let is_local = nvme::is_local(&device, provider);
            match provider.rules().guest.naming {
                DeviceNaming::Lun => by_lun(world, device, is_local, is_root, disks),
                DeviceNaming::Serial => by_serial(world, device, is_local, is_root),
                DeviceNaming::Link => by_link(world, device, is_local, is_root, disks),
            }
        })
        .collect()
}

/// The disks that the root file system lies on.
fn root_disks(world: &World) -> Vec<Device> {
    let mounts = Mounts::of(world);
    let root = mounts.iter().filter(|mount| mount.point == Path::new("/")).last();
    let device = root.and_then(|mount| Device::find(world, mount.number));
    device.map_or_else(Vec::new, |device| device.disks_below())
}

/// An Azure disk: `is_local` is what [`nvme::is_local`] says.
fn by_lun(
    world: &World,
    device: Device,
    is_local: Option<bool>,
    is_root: bool,
    disks: &[CloudDisk],
) -> Option<Attached> {
    match is_local {
        Some(false) => {
            let namespace = nvme::namespace(&device)?;
            // Azure/azure-vm-utils: the first namespace is the operating system's, LUN 0 the second.
            let (role, slot) = match namespace {
                0 | 1 => (Role::Os, Slot::Os),
                data => (Role::Data, Slot::Lun(data - 2)),
            };
            let source = format!("NVMe namespace {namespace}");
            return Some(Attached { device, role, slot: Some(slot), name: None, source });
        }
        Some(true) => {
            let namespace = nvme::namespace(&device).unwrap_or(1);
            let page = nvme::read(world, &device, Page::IdentifyNamespace(namespace)).ok();
            let name = page.and_then(|page| nvme::azure_local_name(&page));
            return Some(Attached { name, ..local(device) });
        }
        None => {}
    }
    let (lun, bus) = scsi(&device)?;
    let of = |role, slot, source: &str| Attached {
        device: device.clone(),
        role,
        slot,
        name: None,
        source: source.to_string(),
    };
    // The VMBus device of the controller (Azure/WALinuxAgent, 66-azure-storage.rules).
    match bus.as_deref().map(|bus| bus.trim_start_matches('{')) {
        Some(bus) if bus.starts_with("00000000-0000-") => {
            return Some(of(Role::Os, Some(Slot::Os), "IDE controller 0"));
        }
        Some(bus) if bus.starts_with("00000000-0001-") => {
            return Some(of(Role::Local, None, "IDE controller 1"));
        }
        Some(bus) if bus.starts_with("f8b3781a-") => {
            return match lun {
                0 => Some(of(Role::Os, Some(Slot::Os), "SCSI controller 0, LUN 0")),
                1 => Some(of(Role::Local, None, "SCSI controller 0, LUN 1")),
                _ => None,
            };
        }
        Some(bus) if ["f8b3781b-", "f8b3781c-", "f8b3781d-"].iter().any(|data| bus.starts_with(data)) => {
            return Some(of(Role::Data, Some(Slot::Lun(lun)), "SCSI controller of data disks, by LUN"));
        }
        _ => {}
    }
    if is_root {
        return Some(of(Role::Os, Some(Slot::Os), "the root file system is on it"));
    }
    let same = |disk: &&CloudDisk| disk.slot == Slot::Lun(lun) && disk.bytes == device.bytes();
    disks.iter().find(same).map(|_| of(Role::Data, Some(Slot::Lun(lun)), "LUN and size"))
}

/// A SCSI disk's LUN, and the VMBus device that its controller is.
fn scsi(device: &Device) -> Option<(u32, Option<String>)> {
    let folder = std::fs::canonicalize(device.folder().join("device")).ok()?;
    // `1:0:0:3`: host, channel, target, LUN.
    let address = folder.file_name()?.to_string_lossy().into_owned();
    let numbers: Vec<u32> = address.split(':').map_while(|number| number.parse().ok()).collect();
    let [_, _, _, lun] = numbers.as_slice() else { return None };
    let bus = folder.ancestors().find_map(|folder| value(folder, "device_id"));
    Some((*lun, bus))
}

/// An EBS volume, or a disk of the EC2 host.
fn by_serial(world: &World, device: Device, is_local: Option<bool>, is_root: bool) -> Option<Attached> {
    let role = if is_root { Role::Os } else { Role::Data };
    match is_local {
        Some(false) => {
            let page = nvme::read(world, &device, Page::IdentifyController).ok();
            let named = page.and_then(|page| nvme::ebs_device_name(&page)).map(Slot::Named);
            let slot = if is_root { Some(Slot::Os) } else { named };
            let name = nvme::ebs_volume(&device);
            Some(Attached { device, role, slot, name, source: "NVMe serial number".to_string() })
        }
        Some(true) => Some(local(device)),
        // On Xen a disk has the name that it was attached with, sd or xvd.
        _ if device.family().starts_with("xvd") => {
            let slot = if is_root { Slot::Os } else { Slot::Named(device.name().to_string()) };
            Some(Attached {
                device,
                role,
                slot: Some(slot),
                name: None,
                source: "the device's name".to_string(),
            })
        }
        _ => None,
    }
}

/// A disk of the host's, by the model that its controller states.
fn local(device: Device) -> Attached {
    Attached { device, role: Role::Local, slot: None, name: None, source: "NVMe model".to_string() }
}

/// A disk by its link in `/dev/disk/by-id`, or by the model that its controller states.
fn by_link(
    world: &World,
    device: Device,
    is_local: Option<bool>,
    is_root: bool,
    disks: &[CloudDisk],
) -> Option<Attached> {
    if is_local == Some(true) {
        return Some(local(device));
    }
    let is_linked = |disk: &&CloudDisk| {
        let Slot::Link(name) = &disk.slot else { return false };
        let link = std::fs::canonicalize(world.path(format!("/dev/disk/by-id/{name}")));
        link.is_ok_and(|link| link.file_name().is_some_and(|file| file.to_string_lossy() == device.name()))
    };
    let (named, role) = (disks.iter().find(is_linked), if is_root { Role::Os } else { Role::Data });
    let Some(disk) = named else {
        let known = is_root || is_local.is_some();
        return known.then(|| Attached { role, ..local(device) });
    };
    let role = if disk.is_ephemeral { Role::Local } else { role };
    let (slot, source) = (Some(disk.slot.clone()), "/dev/disk/by-id".to_string());
    Some(Attached { role, slot, name: disk.name.clone(), source, ..local(device) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    /// A SCSI disk behind a VMBus device.
    fn vmbus(tree: &Tree, name: &str, number: &str, bus: Option<&str>, address: &str) -> Device {
        let device = tree.disk(name, number);
        let controller = format!("/sys/devices/vmbus/{name}-controller");
        if let Some(bus) = bus {
            tree.file(&format!("{controller}/device_id"), &format!("{{{bus}}}\n"));
        }
        let folder = format!("{controller}/host1/target1:0:0/{address}");
        tree.file(&format!("{folder}/model"), "Virtual Disk\n");
        tree.link(&format!("/sys/devices/bus/block/{name}/device"), tree.path(&folder));
        device
    }

    const DATA: &str = "f8b3781b-1e82-4818-a1c3-63d806ec15bb";
    const FIRST: &str = "f8b3781a-1e82-4818-a1c3-63d806ec15bb";

    #[test]
    fn azures_scsi_disks_are_told_by_their_controller_and_lun() {
        let tree = Tree::new();
        vmbus(&tree, "sda", "8:0", Some(FIRST), "0:0:0:0");
        vmbus(&tree, "sdb", "8:16", Some(FIRST), "0:0:0:1");
        vmbus(&tree, "sdc", "8:32", Some(DATA), "1:0:0:7");
        vmbus(&tree, "sdd", "8:48", Some("00000000-0000-8899-0000-000000000000"), "2:0:0:0");
        let found = attached(&tree.world(), Cloud::Azure, &[]);
        let told: Vec<_> =
            found.iter().map(|disk| (disk.device.name(), disk.role, disk.slot.clone())).collect();
        assert_eq!(
            told,
            [
                ("sda", Role::Os, Some(Slot::Os)),
                ("sdb", Role::Local, None),
                ("sdc", Role::Data, Some(Slot::Lun(7))),
                ("sdd", Role::Os, Some(Slot::Os)),
            ]
        );
    }

    #[test]
    fn without_the_controllers_name_lun_and_size_have_to_agree() {
        let tree = Tree::new();
        vmbus(&tree, "sda", "8:0", None, "1:0:0:3");
        let disk = |gib: u64, lun| CloudDisk { bytes: Some(gib << 20), ..CloudDisk::at(Slot::Lun(lun)) };
        // The tree's disks have 64 MiB.
        let slot = |disks: &[CloudDisk]| {
            attached(&tree.world(), Cloud::Azure, disks).first().and_then(|disk| disk.slot.clone())
        };
        assert_eq!(slot(&[disk(64, 3)]), Some(Slot::Lun(3)));
        assert_eq!(slot(&[disk(65, 3)]), None);
        assert_eq!(slot(&[disk(64, 2)]), None);
    }

    /// NVMe disks by name, device number and model.
    fn nvme(tree: &Tree, disks: &[(&str, &str, &str)]) {
        for (name, number, model) in disks {
            let disk = tree.disk(name, number);
            tree.value(&disk, "device/model", model);
        }
    }

    #[test]
    fn azures_nvme_disks_are_told_by_their_namespace() {
        let tree = Tree::new();
        nvme(
            &tree,
            &[
                ("nvme0n1", "259:0", "MSFT NVMe Accelerator v1.0"),
                ("nvme0n2", "259:1", "MSFT NVMe Accelerator v1.0"),
                ("nvme0n12", "259:2", "MSFT NVMe Accelerator v1.0"),
                ("nvme1n1", "259:3", "Microsoft NVMe Direct Disk v2"),
            ],
        );
        let mut page = vec![b'\0'; 4096];
        let text = b"type=local,index=1,name=nvme-300G-1";
        page[384..384 + text.len()].copy_from_slice(text);
        tree.file("/dev/nvme1n1.identify-namespace", &String::from_utf8(page).unwrap());
        let found = attached(&tree.world(), Cloud::Azure, &[]);
        let slots: Vec<_> = found.iter().map(|disk| disk.slot.clone()).collect();
        assert_eq!(slots, [Some(Slot::Os), Some(Slot::Lun(10)), Some(Slot::Lun(0)), None]);
        assert_eq!((found[3].role, found[3].name.as_deref()), (Role::Local, Some("nvme-300G-1")));
    }

    #[test]
    fn ebs_volumes_are_told_by_their_serial_number_and_the_root_by_its_mount() {
        let tree = Tree::new();
        for (name, number, serial) in [("nvme0n1", "259:0", "vol0aa"), ("nvme1n1", "259:2", "vol0bb")] {
            let disk = tree.disk(name, number);
            tree.value(&disk, "device/model", "Amazon Elastic Block Store");
            tree.value(&disk, "device/serial", serial);
        }
        tree.partition("nvme0n1", "nvme0n1p1", "259:1");
        tree.file("/proc/self/mountinfo", "1 0 259:1 / / rw - xfs /dev/nvme0n1p1 rw\n");
        let local = tree.disk("nvme2n1", "259:3");
        tree.value(&local, "device/model", "Amazon EC2 NVMe Instance Storage");
        let found = attached(&tree.world(), Cloud::Aws, &[]);
        let told: Vec<_> = found.iter().map(|disk| (disk.role, disk.name.as_deref())).collect();
        assert_eq!(told, [(Role::Os, Some("vol-0aa")), (Role::Data, Some("vol-0bb")), (Role::Local, None)]);
    }

    #[test]
    fn googles_disks_are_told_by_their_links() {
        let tree = Tree::new();
        tree.disk("sdb", "8:16");
        tree.file("/dev/sdb", "");
        std::fs::create_dir_all(tree.path("/dev/disk/by-id")).unwrap();
        tree.link("/dev/disk/by-id/google-data-1", "../../sdb");
        let disk = CloudDisk {
            name: Some("data-1".to_string()),
            ..CloudDisk::at(Slot::Link("google-data-1".to_string()))
        };
        let found = attached(&tree.world(), Cloud::Gcp, &[disk]);
        assert_eq!((found.len(), found[0].role, found[0].name.as_deref()), (1, Role::Data, Some("data-1")));
    }

    #[test]
    fn googles_nvme_disks_are_told_by_their_model_without_a_link() {
        let tree = Tree::new();
        nvme(
            &tree,
            &[
                ("nvme0n1", "259:0", "nvme_card0"),
                ("nvme1n1", "259:1", "nvme_card-pd"),
                ("nvme2n1", "259:2", "x"),
            ],
        );
        let found = attached(&tree.world(), Cloud::Gcp, &[]);
        let told: Vec<_> =
            found.iter().map(|disk| (disk.device.name(), disk.role, disk.source.as_str())).collect();
        assert_eq!(told, [("nvme0n1", Role::Local, "NVMe model"), ("nvme1n1", Role::Data, "NVMe model")]);
    }
}
