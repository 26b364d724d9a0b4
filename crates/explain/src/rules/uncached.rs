//! Remedies for a VM's uncached limit.

use iobound_catalog::CacheSetting;
use iobound_model::Dimension;

use crate::case::Case;
use crate::change;
use crate::remedy::{Change, Remedy};
use crate::thresholds as of;
use crate::usage::has_cache;

/// The title of a finding about the limit of this group, if its cloud has a name of its own for it.
pub(super) fn title(group: &str, dimension: Dimension) -> Option<&'static str> {
    match (group, dimension) {
        ("vm.ebs", Dimension::Ios) => Some("The instance's EBS IOPS limit"),
        ("vm.ebs", Dimension::Bytes) => Some("The instance's EBS throughput limit"),
        ("vm.disks", Dimension::Ios) => Some("The machine's IOPS limit on its disks"),
        ("vm.disks", Dimension::Bytes) => Some("The machine's throughput limit on its disks"),
        _ => None,
    }
}

/// A larger VM; and where most I/Os read, a host cache, which has a limit of its own.
pub(super) fn remedies(case: &Case<'_>, dimension: Dimension) -> Vec<Remedy> {
    let mut remedies = change::larger_vm(case, case.remote_limiter(), dimension);
    let reads = case.observed.total.read.is_none_or(|read| read >= of::MOSTLY);
    if case.resolved.vm.host_cache != Some(false) && reads && !has_cache(case.resolved) {
        remedies.push(Remedy::of(Change::Cache(CacheSetting::ReadOnly)));
    }
    remedies
}
