//! Self-description of NVMe devices beyond `/sys`: pages that are read with admin commands, as root.

mod admin;
mod ebs;
mod identify;

pub use admin::{Page, read};
pub use ebs::{Bin, EbsExceeded, EbsStatistics};
pub use identify::{azure_local_name, ebs_device_name};

use iobound_catalog::Cloud;

use crate::block::Device;

/// Model of the controller of an EBS volume (awsdocs/amazon-ec2-user-guide `nvme-ebs-volumes.md`).
const EBS_MODEL: &str = "Amazon Elastic Block Store";

/// True if a device is a disk of the host's, false if it is a remote disk, by the model that its controller states; `None`: it is
/// neither of them in this cloud.
pub fn is_local(device: &Device, cloud: Cloud) -> Option<bool> {
    if device.family() != "nvme" {
        return None;
    }
    let model = device.value("device/model")?;
    let known = cloud.rules().guest.nvme.iter().find(|(beginning, _)| model.starts_with(beginning));
    known.map(|(_, is_local)| *is_local)
}

/// True if a device is an EBS volume, by the model that its controller states.
pub fn is_ebs(device: &Device) -> bool {
    device.family() == "nvme" && device.value("device/model").as_deref() == Some(EBS_MODEL)
}

/// The number of a device's namespace, from 1: the kernel's own word, else that of its name.
pub fn namespace(device: &Device) -> Option<u32> {
    device.number_of("nsid").or_else(|| {
        let whole = device.whole();
        whole.name().strip_prefix("nvme")?.rsplit_once('n')?.1.parse().ok()
    })
}

/// The EBS volume of a device: its serial number is the volume's name without the dash.
pub fn ebs_volume(device: &Device) -> Option<String> {
    let serial = device.value("device/serial")?;
    let rest = serial.strip_prefix("vol")?.trim_start_matches('-').to_string();
    rest.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| format!("vol-{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn a_controller_is_known_by_its_model_and_a_namespace_by_its_number() {
        let tree = Tree::new();
        let disk = tree.disk("nvme0n3", "259:0");
        let of = |disk: &Device| Cloud::ALL.map(|cloud| is_local(disk, cloud));
        assert_eq!(of(&disk), [None; 3]);
        tree.value(&disk, "device/model", "MSFT NVMe Accelerator v1.0              ");
        assert_eq!((of(&disk), namespace(&disk)), ([Some(false), None, None], Some(3)));
        tree.value(&disk, "nsid", "4");
        assert_eq!(namespace(&disk), Some(4));
        tree.value(&disk, "device/model", "Microsoft NVMe Direct Disk v2");
        assert_eq!(of(&disk), [Some(true), None, None]);
        tree.value(&disk, "device/model", "Amazon EC2 NVMe Instance Storage");
        assert_eq!(of(&disk), [None, Some(true), None]);
        tree.value(&disk, "device/model", "nvme_card-pd");
        assert_eq!(of(&disk), [None, None, Some(false)]);
        tree.value(&disk, "device/model", "nvme_card0");
        assert_eq!(of(&disk), [None, None, Some(true)]);
        tree.value(&disk, "device/model", "SAMSUNG MZVL2512HCJQ-00BL7");
        assert_eq!(of(&disk), [None; 3]);
        let scsi = tree.disk("sda", "8:0");
        tree.value(&scsi, "device/model", "Amazon Elastic Block Store");
        assert_eq!(of(&scsi), [None; 3]);
        assert!(!is_ebs(&scsi));
        tree.value(&disk, "device/model", EBS_MODEL);
        assert!(is_ebs(&disk));
    }

    #[test]
    fn the_serial_number_of_a_volume_is_its_name() {
        let tree = Tree::new();
        let disk = tree.disk("nvme1n1", "259:1");
        assert_eq!(ebs_volume(&disk), None);
        tree.value(&disk, "device/serial", "vol0123456789abcdef0");
        assert_eq!(ebs_volume(&disk).as_deref(), Some("vol-0123456789abcdef0"));
        tree.value(&disk, "device/serial", "AWS22222");
        assert_eq!(ebs_volume(&disk), None);
    }
}
