//! Read-ahead reads what nobody asked for.
//!
//! Documentation: Azure/AKS#5743, Azure/azure-vm-utils#99: 65,536 KiB from the optimal size that the NVMe accelerator
//! states; Azure-Samples/cassandra-on-azure-vms, `cassandra-read-ahead.md`: 4,096 KiB.
//! Remedy: 128 KiB, the kernel's own default.

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::listed;

/// More than this is far beyond the kernel's 128 KiB.
const LARGE_KIB: u64 = 1_024;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let of_disks = look.setup.disks.iter().map(|disk| (disk.device(), disk.facts.read_ahead_kib));
    let arrays = look.setup.volumes.iter().filter(|volume| look.setup.disk(&volume.device).is_none());
    let of_volumes = arrays.map(|volume| (volume.device.as_str(), volume.read_ahead_kib));
    let large: Vec<(&str, u64)> = of_volumes
        .chain(of_disks)
        .filter_map(|(device, kib)| Some((device, kib.filter(|kib| *kib >= LARGE_KIB)?)))
        .collect();
    let most = large.iter().map(|(_, kib)| *kib).max()?;
    let names: Vec<String> = large.iter().map(|(device, _)| (*device).to_string()).collect();
    let claim = format!(
        "the kernel reads up to {} KiB ahead on {}: a small random read may cost as much",
        iobound_units::Grouped(most),
        listed(&names)
    );
    let mut finding = Finding::new("read-ahead", Confidence::Strong, 3.0, claim)
        .because("128 KiB is the kernel's default; Azure/AKS#5743 saw 50 to 500 times the reads");
    let stating = look.setup.disks.iter().find(|disk| {
        disk.optimal_io_bytes.is_some_and(|bytes| bytes > 0 && bytes / 1_024 * 2 >= LARGE_KIB)
            && names.iter().any(|name| name == disk.device())
    });
    if let Some(disk) = stating {
        let kib = disk.optimal_io_bytes.unwrap_or_default() / 1_024;
        finding = finding.because(format!(
            "the device states {} KiB as its best I/O, from which the kernel sets it",
            iobound_units::Grouped(kib)
        ));
    }
    let first = names.first().map_or("nvme0n1", String::as_str);
    Some(
        finding
            .advise(format!(
                "echo 128 > /sys/block/{first}/queue/read_ahead_kb, and a udev rule that keeps it"
            ))
            .to_be_sure("the same reads with O_DIRECT, which no read-ahead touches"),
    )
}
