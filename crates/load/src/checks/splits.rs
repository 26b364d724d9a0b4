//! True if an I/O of the workload is one request to the device.

use iobound_measure::result::{Check, DeviceFacts, Outcome as Verdict};
use iobound_units::Op;
use iobound_workload::{Targets, Workload};

use super::{Seen, check};

/// The I/O that becomes the most requests: how many, its bytes, the device.
fn worst<'a>(workload: &Workload, devices: &'a [DeviceFacts]) -> Option<(u64, u64, &'a DeviceFacts, u64)> {
    let of_device = |device: &'a DeviceFacts| {
        let most = device.max_request_kib.filter(|kib| *kib > 0)? * 1024;
        let jobs = workload.jobs.iter().filter(|job| match &job.targets {
            Targets::All => true,
            Targets::Named(names) => names.iter().any(|name| device.targets.contains(name)),
        });
        let shares = jobs.flat_map(|job| &job.mix);
        let moved = shares.filter(|share| share.weight > 0 && share.op.moves_data());
        let block = moved.map(|share| u64::from(share.block)).max()?;
        Some((block.div_ceil(most), block, device, most))
    };
    devices.iter().filter_map(of_device).max_by_key(|(requests, ..)| *requests)
}

/// Says how many requests an I/O becomes: limits of IOPS count requests. Through the page cache the kernel makes
/// requests as it likes, and nothing is said.
pub(super) fn splits(seen: &Seen) -> Option<Check> {
    const NAME: &str = "splits";
    let (requests, block, device, most) = worst(seen.workload, seen.devices).filter(|_| seen.direct)?;
    if requests <= 1 {
        let says = format!("an I/O is at most one request to {}", device.name);
        return Some(check(NAME, Verdict::Ok, says));
    }
    let says = format!(
        "an I/O of {} KiB is {requests} requests to {}, which takes {} KiB at most{}: an IOPS limit counts each \
         request; compare with such limits at --block {}KiB or less",
        block / 1024,
        device.name,
        most / 1024,
        counted(seen).unwrap_or_default(),
        most / 1024,
    );
    Some(check(NAME, Verdict::Warning, says))
}

/// The kernel's counts, if it counted for 60 s or more.
fn counted(seen: &Seen) -> Option<String> {
    let counters = seen.counters.filter(|counters| counters.seconds >= 1.0)?;
    let total = &seen.outcome.total;
    let seconds = total.window().secs_f64();
    let ios: u64 = total.jobs.iter().map(|job| job.op(Op::Read).count() + job.op(Op::Write).count()).sum();
    let requests = (counters.reads + counters.writes) as f64;
    let quiet_edges = seen.workload.warmup.is_zero() && seen.workload.cooldown.is_zero();
    let share = if quiet_edges { 1.0 } else { seconds / counters.seconds };
    (ios > 0 && seconds >= 1.0)
        .then(|| format!(" (the kernel counted {:.1} an I/O)", requests * share / ios as f64))
}
