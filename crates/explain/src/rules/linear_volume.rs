//! The volume is linear: one disk bears the load.
//!
//! Documentation: LVM makes linear volumes when nothing is said (AKS#2069).
//! Evidence: one disk at its limit, the others idle.
//! Remedy: a stripe over all disks.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

/// A disk with less than this of the busiest one's rate is idle.
const IDLE: f64 = 0.1;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let parts = super::hot_member::seen_apart(case);
    let (name, most) = parts.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let idle = parts.iter().filter(|(_, rate)| *rate < IDLE * most).count();
    if parts.len() < 2 || idle + 1 < parts.len() {
        return None;
    }
    let claim = format!("{name} bears the load, and {idle} other disks are idle: the volume is not striped");
    Some(
        Finding::new("linear-volume", Confidence::Strong, 2.3, claim)
            .because(format!("{name} at {most:.0} a second, the others below {:.0} %", IDLE * 100.0))
            .advise("make a stripe over all disks: lvcreate -i, mdadm --level=0, a simple space with as many columns")
            .to_be_sure("lvs -o +stripes, mdadm --detail"),
    )
}
