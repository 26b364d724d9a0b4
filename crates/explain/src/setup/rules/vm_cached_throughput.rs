//! Disks with a host cache pass a limit of the VM that is lower than the one without.
//!
//! Documentation: Azure VM and disk performance: what is cached passes the cached limit, hit or miss;
//! openshift/installer#4326: 128 MB/s on a D8s_v3, whose uncached limit is 192.
//! Remedy: host cache none where it does not help.

use iobound_catalog::CacheSetting;
use iobound_units::format_throughput;

use super::Look;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let (cached, uncached) = (resolved.vm.cached.bytes?, resolved.vm.uncached.bytes?);
    let disks = resolved.disks.iter().filter(|disk| disk.cache != CacheSetting::None);
    let together: u64 = disks.clone().filter_map(|disk| disk.bytes).sum();
    if cached >= uncached || together <= cached {
        return None;
    }
    let names: Vec<String> = disks.map(|disk| disk.name.clone()).collect();
    let claim = format!(
        "all I/O of disks with a host cache passes {}, and {} could pass without it",
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
            .advise("host cache none for what is mostly written, read once, or larger than the cache")
            .to_be_sure("iobound predict --config FILE with :readonly and with :none"),
    )
}
