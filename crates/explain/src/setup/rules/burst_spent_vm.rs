//! An instance that is sold by what it holds for a while.
//!
//! Documentation: AWS, EBS-optimized instances: the smaller sizes hold their maximum for 30 minutes in 24 hours;
//! akopytov/sysbench#475, apache/pulsar#7058.
//! Remedy: a size whose baseline is enough.

use iobound_catalog::Cloud;
use iobound_units::{Grouped, format_throughput};

use super::Look;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let vm = &look.resolved?.vm;
    // Azure's sizes are sold by what they hold, and the burst comes on top.
    if vm.cloud != Cloud::Aws {
        return None;
    }
    let (base, burst) = (vm.uncached, vm.uncached_burst);
    let (ios, most) = (base.ios?, burst.ios?);
    let (bytes, most_bytes) = (base.bytes?, burst.bytes?);
    if most <= ios && most_bytes <= bytes {
        return None;
    }
    let claim = format!(
        "{} moves {} and {} IOPS for long, and {} and {} for a while after rest",
        vm.name,
        format_throughput(bytes as f64),
        Grouped(ios),
        format_throughput(most_bytes as f64),
        Grouped(most)
    );
    Some(
        Finding::new("burst-spent-vm", Confidence::Possible, 0.9, claim)
            .because("30 minutes in 24 hours, by AWS's documentation")
            .advise("count on what it moves for long; iobound predict shows both"),
    )
}
