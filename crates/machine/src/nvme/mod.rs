//! Self-description of NVMe devices beyond `/sys`: pages that are read with admin commands, as root.

mod admin;
mod ebs;
mod identify;

pub use admin::{Page, read};
pub use ebs::{Bin, EbsExceeded, EbsStatistics};
pub use identify::{azure_local_name, ebs_device_name};

use crate::block::Device;

/// Kind of a device's controller, by its model (Azure/azure-vm-utils; awsdocs/amazon-ec2-user-guide `nvme-ebs-volumes.md`;
/// GoogleCloudPlatform/guest-configs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Azure's remote disks: one controller, a namespace each.
    AzureRemote,
    /// Azure's local disks.
    AzureLocal,
    /// An EBS volume.
    Ebs,
    /// A disk of the EC2 host.
    Ec2Local,
    /// A persistent disk of Google's.
    GooglePersistent,
    /// A disk of the Google host.
    GoogleLocal,
}

/// Kind of a device, by the model that its controller states; `None`: no NVMe, or none of a cloud's.
pub fn controller(device: &Device) -> Option<Controller> {
    if device.family() != "nvme" {
        return None;
    }
    let model = device.value("device/model")?;
    Some(match model.as_str() {
        "MSFT NVMe Accelerator v1.0" => Controller::AzureRemote,
        model if model.starts_with("Microsoft NVMe Direct Disk") => Controller::AzureLocal,
        "Amazon Elastic Block Store" => Controller::Ebs,
        "Amazon EC2 NVMe Instance Storage" => Controller::Ec2Local,
        "nvme_card-pd" => Controller::GooglePersistent,
        model if model.starts_with("nvme_card") => Controller::GoogleLocal,
        _ => return None,
    })
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
        assert_eq!(controller(&disk), None);
        tree.value(&disk, "device/model", "MSFT NVMe Accelerator v1.0              ");
        assert_eq!((controller(&disk), namespace(&disk)), (Some(Controller::AzureRemote), Some(3)));
        tree.value(&disk, "nsid", "4");
        assert_eq!(namespace(&disk), Some(4));
        tree.value(&disk, "device/model", "Microsoft NVMe Direct Disk v2");
        assert_eq!(controller(&disk), Some(Controller::AzureLocal));
        tree.value(&disk, "device/model", "SAMSUNG MZVL2512HCJQ-00BL7");
        assert_eq!(controller(&disk), None);
        let scsi = tree.disk("sda", "8:0");
        tree.value(&scsi, "device/model", "Amazon Elastic Block Store");
        assert_eq!(controller(&scsi), None);
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
