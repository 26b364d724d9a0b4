//! The VM lets no more I/Os to its disks.
//!
//! Documentation: a size has a limit over all disks without host cache (Azure VM and disk performance); an EC2 instance one over all volumes.
//! Evidence: what was seen is the limit × its enforcement, whatever the block size or the depth.

use iobound_catalog::CacheSetting;
use iobound_model::Dimension;

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::remedy::{Change, Remedy};
use crate::rules::limit;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "vm-uncached-iops", "vm.uncached", Dimension::Ios)?;
    let mut remedies = Vec::new();
    if case.resolved.vm.host_cache == Some(true) && case.observed.total.read.is_none_or(|read| read > 0.5) {
        remedies.push(Remedy::of(Change::Cache(CacheSetting::ReadOnly)));
    }
    remedies.extend(change::larger_vm(case, "vm.uncached", Dimension::Ios));
    let finding = finding.to_be_sure("add one more disk: the total must stay");
    Some(Finding { remedies, ..finding })
}
