//! Read-ahead reads what nobody asked for.
//!
//! Documentation: Azure/AKS#5743: 65,536 KiB advertised by the NVMe accelerator; DS14_v2 with 4,096 KiB.
//! Documentation without a load: Azure/AKS#5743, Azure/azure-vm-utils#99: 65,536 KiB from the optimal size that the
//! NVMe accelerator states; Azure-Samples/cassandra-on-azure-vms, `cassandra-read-ahead.md`: 4,096 KiB.
//! Evidence: the device reads many times what the application gets, in larger I/Os.
//! Remedy: read-ahead of 8 to 128 KiB for random reads; with it gone, the depth is what is next to bind.
//! Remedy without a load: 128 KiB, the kernel's own default.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::observed::Access;
use crate::remedy::{Change, Circumstance, Remedy};
use crate::setup::{Look, listed};
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let observed = case.observed;
    let total = &observed.total;
    let device = total.throughput_bytes_per_s?;
    let asked = observed
        .application_bytes_per_s
        .or_else(|| total.iops.zip(total.block).map(|(iops, block)| iops * block));
    let times = asked.map_or(1.0, |asked| device / asked);
    let large = observed.read_ahead.is_some_and(|size| size.get() >= of::LARGE_READ_AHEAD);
    let reads = total.read.is_none_or(|read| read > of::HARDLY);
    let in_order = total.access == Some(Access::Sequential);
    let merged = case.usages.iter().any(|usage| {
        usage.dimension == Dimension::Ios
            && case.is_certain(usage)
            && usage.used
                > of::AMPLIFIED * usage.burst.map_or(usage.enforced, |(rate, _)| rate.max(usage.enforced))
    });
    // More than the limits let through is no evidence of what moved it, unless both rates were measured.
    let is_beyond =
        case.usages.iter().any(|usage| usage.dimension == Dimension::Bytes && case.excess(usage).is_some());
    let is_measured = !is_beyond || observed.application_bytes_per_s.is_some();
    let amplified = times >= of::AMPLIFIED && is_measured;
    let full = case.usages.iter().any(|usage| {
        usage.dimension == Dimension::Bytes && matches!(case.level(usage), Level::Full | Level::Nearly)
    });
    // Throughput / block is a computed rate: the stated block may as well be that of the application, or wrong.
    let is_counted = !observed.are_ios_derived;
    let (confidence, weight) = match (amplified, large) {
        (true, _) => (Confidence::Strong, 3.0),
        (false, true) if full && !in_order => (Confidence::Strong, 2.6),
        (false, true) if !in_order => (Confidence::Likely, 1.2),
        // So many I/Os of this size would not pass: they are read in larger ones.
        (false, false) if full && merged && !in_order && is_counted && is_measured => {
            (Confidence::Strong, 2.6)
        }
        (false, false) if full && merged && !in_order && is_measured => (Confidence::Possible, 1.0),
        _ => return None,
    };
    if !reads {
        return None;
    }
    let claim = match amplified {
        true => format!("the device transfers {times:.1} x the requested bytes"),
        false if merged && !large => {
            "the throughput limit is reached with more I/Os than any IOPS limit allows: the kernel merges them into larger ones"
                .to_string()
        }
        false => "the kernel reads far ahead of random reads".to_string(),
    };
    let mut finding = Finding::new("read-ahead", confidence, weight, claim);
    if let Some(size) = observed.read_ahead {
        finding = finding.because(format!("read-ahead is {size}"));
    }
    if let Some(asked) = asked.filter(|_| amplified) {
        finding = finding.because(format!(
            "{:.1} MB/s at the device, {:.1} MB/s asked for",
            device / 1e6,
            asked / 1e6
        ));
    }
    let finding = finding
        .advise(
            "set read-ahead to 8 to 128 KiB (blockdev --setra 16 to 256), with a udev rule that keeps it; then use \
             more threads, because each thread waits for its own reads",
        )
        .to_be_sure("the same reads with O_DIRECT");
    // With the requested reads only, each read waits for the media: the depth binds next.
    let without = Change::Again("read-ahead of 128 KiB or less", Circumstance::RequestedOnly);
    let mut remedies = vec![Remedy::of(without.clone())];
    if let Some(depth) = total.depth {
        let deeper = (2.0 * depth).clamp(1.0, 65_536.0) as u32;
        remedies.push(Remedy::all(vec![without, Change::Depth(deeper)]));
    }
    let known =
        total.block.is_some() && (total.depth.is_some() || observed.application_bytes_per_s.is_some());
    if !known {
        remedies.clear();
    }
    Some(Finding { remedies, ..finding })
}

/// More than this is far beyond the kernel's 128 KiB.
const LARGE_KIB: u64 = 1_024;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
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
        "the kernel reads up to {} KiB ahead on {}: a small random read may read that much",
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
            "the kernel sets it from the device's optimal I/O size, {} KiB",
            iobound_units::Grouped(kib)
        ));
    }
    let first = names.first().map_or("nvme0n1", String::as_str);
    Some(
        finding
            .advise(format!(
                "echo 128 > /sys/block/{first}/queue/read_ahead_kb, and a udev rule that keeps it"
            ))
            .to_be_sure("the same reads with O_DIRECT, which uses no read-ahead"),
    )
}
