//! An IOPS test met the throughput limit.
//!
//! Documentation: bandwidth / IOPS = the block size from which throughput binds (scylla-machine-image#961: exactly 262,144).
//! Evidence: the throughput limit is full, the IOPS limit of the same limiter is not.
//! Remedy: a smaller block where IOPS are wanted.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.dimension == Dimension::Bytes)?;
    let ios = case.usages.iter().find(|u| u.group == full.group && u.dimension == Dimension::Ios)?;
    let block = case.observed.total.block?;
    if case.level(ios) != Level::Below {
        return None;
    }
    let knee = full.enforced / ios.enforced;
    let wished = case.want.and_then(|want| want.iops).zip(case.observed.total.iops);
    // A test of small blocks, and a wish that smaller ones would meet.
    let missed = block <= of::IOPS_BLOCK
        && block > knee
        && wished.is_some_and(|(want, got)| want > of::HELPS * got && want <= ios.enforced);
    let (confidence, weight) = if missed { (Confidence::Strong, 1.5) } else { (Confidence::Possible, 0.3) };
    let claim = format!(
        "blocks of {:.1} KiB meet the throughput limit first: above {:.1} KiB, IOPS are bytes / block",
        block / 1024.0,
        knee / 1024.0
    );
    let finding = Finding::new("block-size-knee", confidence, weight, claim)
        .because(format!(
            "{} at {:.0} %, {} at {:.0} %",
            full.name(),
            full.share() * 100.0,
            ios.name(),
            ios.share() * 100.0
        ))
        .advise("measure IOPS with blocks below the knee, throughput with blocks above it")
        .to_be_sure("halve the block: IOPS double, bytes stay");
    let smaller = ((knee / 4096.0).floor() as u32 * 4096).max(4096);
    Some(Finding { remedies: vec![Remedy::of(Change::Block(smaller))], ..finding })
}
