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

/// An Ultra disk provisioned for less than this share of what its size allows was hardly chosen.
const ULTRA_IOPS_A_GIB: f64 = 1_000.0;
const HARDLY: f64 = 0.05;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.usages.iter().find(|usage| usage.group == "disk" && case.level(usage) >= Level::Full)?;
    let disk = case.resolved.disks.iter().find(|disk| !disk.is_os)?;
    let of = |parameter: &str| -> Option<f64> {
        let word = disk.disk?.word();
        case.catalog
            .rules()
            .find(|rule| rule.scope == word && rule.parameter == parameter)?
            .value
            .parse()
            .ok()
    };
    let is_default = match (disk.disk?, full.dimension) {
        (DiskType::PremiumV2, Dimension::Ios) => disk.ios? as f64 == of("baseline_iops")?,
        (DiskType::PremiumV2, Dimension::Bytes) => {
            disk.bytes? as f64 <= of("baseline_throughput")? * 1e6 * 1.05
        }
        (DiskType::Gp3, Dimension::Ios) => disk.ios? as f64 == of("iops_baseline")?,
        (DiskType::Gp3, Dimension::Bytes) => disk.bytes? as f64 <= of("throughput_baseline")? * 1e6 * 1.05,
        (DiskType::Ultra, Dimension::Ios) => {
            (disk.ios? as f64) < HARDLY * ULTRA_IOPS_A_GIB * (disk.size.get() as f64 / (1u64 << 30) as f64)
        }
        _ => false,
    };
    if !is_default {
        return None;
    }
    let level = case.level(full);
    if level == Level::Above {
        return None;
    }
    let claim = format!(
        "{} is what {} has when nothing is provisioned",
        figure(full.published, full.dimension),
        disk.described
    );
    let finding = Finding::new("provisioned-default", Confidence::Strong, 2.0, claim)
        .because(format!("{:.2} x of it is used", full.of_published()))
        .advise("provision what is needed: it takes effect without a restart");
    Some(Finding { remedies: change::better_disk(case, full.dimension).into_iter().collect(), ..finding })
}
