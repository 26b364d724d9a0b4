//! The VM lets no more bytes through its host cache.
//! Without a load: disks with a host cache pass a limit of the VM that is lower than the one without.
//!
//! Documentation: all that goes to cached disks, hits, misses and writes, passes the cached limit, which may be lower
//! than the uncached one (Azure VM and disk performance; openshift/installer#4326).
//! Documentation without a load: Azure VM and disk performance: what is cached passes the cached limit, hit or miss;
//! openshift/installer#4326: 128 MB/s on a D8s_v3, whose uncached limit is 192.
//! Evidence: what was seen is the limit × its enforcement, whatever the block size or the depth.
//! Remedy: host cache none, on all disks or on some, since the limits add up; a larger size.
//! Remedy without a load: host cache none where it does not help.

use iobound_catalog::CacheSetting;
use iobound_model::Dimension;
use iobound_units::format_throughput;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit;
use crate::setup::Look;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "vm-cached-throughput", "vm.cached", Dimension::Bytes)?;
    let mut remedies = change::uncached(case);
    remedies.extend(change::larger_vm(case, "vm.cached", Dimension::Bytes));
    let finding = finding.to_be_sure("add one disk without host cache: the total must rise");
    Some(Finding { remedies, ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let (cached, uncached) = (resolved.vm.cached.bytes?, resolved.vm.uncached.bytes?);
    let disks = resolved.disks.iter().filter(|disk| disk.cache != CacheSetting::None);
    let together: u64 = disks.clone().filter_map(|disk| disk.bytes).sum();
    if cached >= uncached || together <= cached {
        return None;
    }
    let names: Vec<String> = disks.map(|disk| disk.name.clone()).collect();
    let claim = format!(
        "all I/O of disks with a host cache passes {}; without the cache, {} could pass",
        format_throughput(cached as f64),
        format_throughput(uncached as f64)
    );
    Some(
        Finding::new("vm-cached-throughput", Confidence::Likely, 1.6, claim)
            .because(format!(
                "{} could move {}",
                crate::setup::listed(&names),
                format_throughput(together as f64)
            ))
            .advise("host cache none for data that is mostly written, read once, or larger than the cache")
            .to_be_sure("iobound predict --config FILE with :readonly and with :none"),
    )
}
