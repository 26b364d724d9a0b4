//! No page of an NVMe device is a panic, and nothing happened between a look and itself.
#![no_main]

use iobound_machine::nvme::{EbsStatistics, azure_local_name, ebs_device_name};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = (azure_local_name(bytes), ebs_device_name(bytes));
    // The magic is given away, so that what is behind it is reached.
    let mut page = vec![0u8; 4096];
    let length = bytes.len().min(4088);
    page[..4].copy_from_slice(&0x3C23_B510u32.to_le_bytes());
    page[8..8 + length].copy_from_slice(&bytes[..length]);
    if let Some(read) = EbsStatistics::parse(&page) {
        let since = read.since(&read).expect("nothing began anew");
        assert_eq!((since.read_ios, since.exceeded.volume_iops_us), (0, 0));
    }
});
