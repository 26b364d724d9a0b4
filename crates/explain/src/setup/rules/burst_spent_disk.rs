//! Disks whose figures last for a while.
//!
//! Documentation: Azure disk bursting (Premium SSD up to 512 GiB, 30 minutes); EBS gp2 below 1,000 GiB;
//! jake-webber.com/2019-01-22-rds-burst-balance.html.
//! Remedy: disks whose base is enough.

use iobound_catalog::Cloud;
use iobound_model::Dimension;
use iobound_units::Grouped;

use super::Look;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let has_data = resolved.disks.iter().any(|disk| !disk.is_os);
    let credit = |disk: &&iobound_catalog::ResolvedDisk| {
        let gates = resolved.blueprint.gates.iter().filter(|gate| gate.name.group == "disk");
        let own = |gate: &&iobound_model::GateSpec| gate.name.instance.as_deref() == Some(disk.name.as_str());
        gates.filter(own).find_map(|gate| gate.credit(Dimension::Ios))
    };
    let bursting: Vec<_> =
        resolved.disks.iter().filter(|disk| disk.is_os != has_data && credit(disk).is_some()).collect();
    let first = *bursting.first()?;
    let names: Vec<String> = bursting.iter().map(|disk| disk.name.clone()).collect();
    let claim = format!(
        "{} ({}) {} {} IOPS for long, and {} while credits last",
        crate::setup::listed(&names),
        first.described,
        if names.len() == 1 { "has" } else { "have" },
        Grouped(first.ios?),
        Grouped(credit(&first)?.burst)
    );
    // gp2 is taken by its burst figure, an Azure disk by its base.
    let weight = if resolved.vm.cloud == Cloud::Aws { 1.0 } else { 0.4 };
    Some(
        Finding::new("burst-spent-disk", Confidence::Possible, weight, claim)
            .advise("count on the base, or take a disk whose base is enough"),
    )
}
