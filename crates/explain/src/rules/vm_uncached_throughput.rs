//! The VM lets no more bytes to its disks.
//!
//! Documentation: a size has a limit over all disks without host cache (Azure VM and disk performance); an EC2 instance
//! one over all volumes.
//! Evidence: what was seen is the limit × its enforcement, whatever the block size or the depth.
//! Remedy: a larger size (akopytov/sysbench#475, apache/pulsar#7058); for reads, a host cache that holds them.

use iobound_model::Dimension;

use crate::case::Case;
use crate::finding::Finding;
use crate::rules::{limit, uncached};

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "vm-uncached-throughput", case.remote_limiter(), Dimension::Bytes)?;
    let finding = finding.to_be_sure("add one more disk: the total stays the same if this is the limit");
    let title = uncached::title(case.remote_limiter(), Dimension::Bytes);
    Some(Finding { remedies: uncached::remedies(case, Dimension::Bytes), title, ..finding })
}
