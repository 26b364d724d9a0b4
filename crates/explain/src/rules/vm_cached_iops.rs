//! The VM lets no more I/Os through its host cache.
//!
//! Documentation: all that goes to cached disks, hits, misses and writes, passes the cached limit, which may be lower
//! than the uncached one (Azure VM and disk performance; openshift/installer#4326).
//! Evidence: what was seen is the limit × its enforcement, whatever the block size or the depth.
//! Remedy: host cache none, on all disks or on some, since the limits add up; a larger size.

use iobound_model::Dimension;

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::limit;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "vm-cached-iops", "vm.cached", Dimension::Ios)?;
    let mut remedies = change::uncached(case);
    remedies.extend(change::larger_vm(case, "vm.cached", Dimension::Ios));
    let finding = finding.to_be_sure("add one disk without host cache: the total must rise");
    Some(Finding { remedies, ..finding })
}
