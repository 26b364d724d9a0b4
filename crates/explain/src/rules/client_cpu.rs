//! A processor of the client is full.
//!
//! Documentation: scylladb#27885: interrupts on one processor, figures lower on a larger VM;
//! GoogleCloudPlatform/PerfKitBenchmarker#1307: 290,000 of 412,500 reads a second with one job, "likely to be
//! thread-bound"; redpanda-data/redpanda#17261.
//! Evidence: no limit is full and a processor is. A processor that is only busy makes it *possible*. If the use of
//! processors is unknown, it is *possible* for local disks with more I/Os or bytes a second than one process moves.
//! Remedy: spread threads and interrupts over the processors.

use iobound_model::Dimension;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::thresholds as of;

const ADVICE: &str = "spread interrupts over the processors (irqbalance, /proc/irq/*/smp_affinity; check that it knows every \
network and disk queue), more threads or processes, on the NUMA node of the disk, larger I/Os";

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() {
        return None;
    }
    let Some(cpu) = case.observed.cpu else { return fast_disks(case) };
    // The kernel times I/Os of disks apart from the application: a full processor makes none slow.
    let slow = case.media_ms()?[2];
    let is_slow = case
        .observed
        .total
        .latency_us
        .typical()
        .is_some_and(|us| us / 1e3 > of::SLOW_MEDIA * slow.max(of::LOCAL_SLOW_MS));
    let (confidence, weight) = match cpu {
        cpu if cpu >= of::CPU_FULL && !is_slow => (Confidence::Strong, 1.5),
        cpu if cpu >= of::CPU_FULL => (Confidence::Possible, 1.1),
        cpu if cpu >= of::CPU_BUSY && !case.waits() => (Confidence::Possible, 0.95),
        _ => return None,
    };
    let claim = format!("the busiest processor is {:.0} % in use, and no limit is reached", cpu * 100.0);
    let mut finding = Finding::new("client-cpu", confidence, weight, claim)
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0));
    if case.outstanding().is_some_and(|held| held <= 1.0 / of::IDLE_HELD) {
        finding = finding.because("one I/O at a time: a single thread both computes and waits");
    }
    Some(
        on_nodes(case, finding)
            .advise(ADVICE)
            .to_be_sure("pin the load to other processors: the rate changes"),
    )
}

/// Finding of a full processor where no limits are known; `None`: it is not full.
pub fn busy_processor(cpu: f64) -> Option<Finding> {
    (cpu >= of::CPU_FULL).then(|| {
        let claim = format!("the busiest processor is {:.0} % in use: it may hold the I/O back", cpu * 100.0);
        Finding::new("client-cpu", Confidence::Possible, 1.5, claim)
            .because("the limits of this machine's disks are unknown")
            .advise(ADVICE)
            .to_be_sure("pin the load to other processors: the rate changes")
    })
}

/// Says that processors and disks may be on different NUMA nodes, on VMs that have several.
fn on_nodes(case: &Case<'_>, finding: Finding) -> Finding {
    match case.resolved.vm.vcpus_available {
        Some(vcpus) if vcpus >= of::SEVERAL_NODES => finding.because(format!(
            "{vcpus} processors are on several NUMA nodes: threads and interrupts on another node than the disk cost more"
        )),
        _ => finding,
    }
}

/// Local disks with more I/Os a second than one process, or a few processors, issue.
fn fast_disks(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    let many = total.iops.filter(|iops| *iops >= of::CLIENT_IOPS).map(|iops| figure(iops, Dimension::Ios));
    let large = total.throughput_bytes_per_s.filter(|bytes| *bytes >= of::CLIENT_BYTES_PER_S);
    let moved = many.or(large.map(|bytes| figure(bytes, Dimension::Bytes)))?;
    // Waiting processors have no other work. I/Os that are not slower than the media wait for the media.
    let waits_for_media = total
        .latency_us
        .typical()
        .zip(case.media_ms())
        .is_some_and(|(us, [_, _, slow])| us / 1e3 <= of::SLOW_MEDIA * slow);
    if !case.is_local() || case.waits() || waits_for_media {
        return None;
    }
    let claim = format!(
        "the disks have more than {moved}, about what one process or a few processors of a client move"
    );
    let finding = Finding::new("client-cpu", Confidence::Possible, 0.6, claim)
        .because(format!("the fullest limit is at {:.0} %, of local disks", case.fullest() * 100.0));
    Some(
        on_nodes(case, finding)
            .advise(ADVICE)
            .to_be_sure("the busiest processor (mpstat -P ALL 1), and the same with two processes: a rate that rises says the client"),
    )
}
