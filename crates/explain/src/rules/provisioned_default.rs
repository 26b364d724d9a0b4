//! A disk whose figures are provisioned was never raised.
//!
//! Documentation: Premium SSD v2 and gp3 begin at 3,000 IOPS and 125 MB/s, Ultra through CSI at 500 IOPS (azuredisk-csi-driver#1442).
//! Evidence: the disk is at the figure that costs nothing, and that is full.
//! Remedy: provision more.

use iobound_catalog::DiskType;
use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.usages.iter().find(|usage| usage.group == "disk" && case.level(usage) == Level::Full)?;
    let disk = case.resolved.disks.iter().find(|disk| !disk.is_os)?;
    let kind = disk.disk?;
    let (ios, bytes) = (disk.ios.map(|ios| ios as f64), disk.bytes.map(|bytes| bytes as f64));
    let included = change::included(case, kind);
    let gib = disk.size.get() as f64 / (1u64 << 30) as f64;
    let is_default = match (kind, full.dimension) {
        (DiskType::PremiumV2 | DiskType::Gp3, Dimension::Ios) => ios? <= included.0,
        // Rounded up to whole MB/s by who provisions in those.
        (DiskType::PremiumV2 | DiskType::Gp3, Dimension::Bytes) => bytes? <= of::HELPS * included.1,
        (DiskType::Ultra, _) => ios? <= of::ULTRA_DEFAULT_IOPS.max(of::ULTRA_IOPS_A_GIB * gib),
        _ => false,
    };
    if !is_default {
        return None;
    }
    let claim = format!(
        "{} is what {} has when nothing is provisioned",
        figure(full.published, full.dimension),
        disk.described
    );
    let finding = Finding::new("provisioned-default", Confidence::Strong, 2.0, claim)
        .because(format!("{:.2} x of it is used", full.of_published()))
        .advise("provision what is needed: it takes effect without a restart")
        .to_be_sure("raise it for an hour: the rate must follow");
    Some(Finding { remedies: change::better_disk(case, full.dimension), ..finding })
}
