//! An EC2 instance from inside: its firmware and its NVMe controllers (awsdocs/amazon-ec2-user-guide `nvme-ebs-volumes.md`). The
//! metadata service takes a token first.

use crate::clouds::guest::{DeviceNaming, FirmwareMark, GuestRules};

pub(super) const RULES: GuestRules = GuestRules {
    firmware: &[
        // On Nitro the product is the instance type.
        FirmwareMark {
            table: "sys_vendor",
            is: |text| text == "Amazon EC2",
            size: |product| product.contains('.').then(|| product.to_string()),
        },
        // On Xen, `4.11.amazon`.
        FirmwareMark::without_size("bios_version", |text| text.to_ascii_lowercase().contains("amazon")),
    ],
    nvme: &[("Amazon Elastic Block Store", false), ("Amazon EC2 NVMe Instance Storage", true)],
    naming: DeviceNaming::Serial,
    metadata: None,
};
