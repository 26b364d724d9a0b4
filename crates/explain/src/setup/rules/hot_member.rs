//! A stripe is of unlike disks: it goes as its slowest.
//!
//! Documentation: Azure "premium storage: design for high performance": stripe disks of one size; each of them gets the
//! same part of the load.
//! Remedy: disks of one kind in a stripe.

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::Layout;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    for volume in look.setup.volumes.iter().filter(|volume| matches!(volume.layout, Layout::Striped { .. })) {
        let disks: Vec<_> = volume.disks.iter().filter_map(|device| look.setup.disk(device)).collect();
        let kinds: Vec<String> = disks
            .iter()
            .filter_map(|disk| Some(format!("{} {}", disk.device(), disk.spec.clone()?)))
            .collect();
        let differ = disks.windows(2).any(|two| two[0].spec != two[1].spec);
        if !differ || kinds.len() < disks.len() {
            continue;
        }
        let claim = format!("{} is a stripe of unlike disks: it goes as its slowest", volume.name);
        return Some(
            Finding::new("hot-member", Confidence::Likely, 1.8, claim)
                .because(crate::setup::listed(&kinds))
                .advise("make it of disks that are alike"),
        );
    }
    None
}
