//! A disk whose figures are provisioned was never raised.
//!
//! Documentation: Premium SSD v2 and gp3 begin at 3,000 IOPS and 125 MB/s, Ultra through CSI at 500 IOPS
//! (kubernetes-sigs/azuredisk-csi-driver#1442).
//! Remedy: provision what is needed.

use iobound_catalog::DiskType;
use iobound_units::Grouped;

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::{Certainty, listed};

/// An Ultra disk of less than this share of what its size allows was hardly chosen.
const HARDLY: u64 = 20;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let rule = |disk: DiskType, parameter: &str| -> Option<u64> {
        let rule =
            look.catalog.rules().find(|rule| rule.scope == disk.word() && rule.parameter == parameter)?;
        rule.value.parse().ok()
    };
    let is_default = |disk: &iobound_catalog::ResolvedDisk| -> Option<bool> {
        let (kind, ios) = (disk.disk?, disk.ios?);
        Some(match kind {
            DiskType::PremiumV2 => ios == rule(kind, "baseline_iops")?,
            DiskType::Gp3 => ios == rule(kind, "iops_baseline")?,
            DiskType::Ultra => {
                let most = (disk.size.get() >> 30).saturating_mul(rule(kind, "iops_per_gib_max")?);
                ios.saturating_mul(HARDLY) < most.min(rule(kind, "iops_max")?)
            }
            _ => false,
        })
    };
    let data = resolved.disks.iter().filter(|disk| !disk.is_os && is_default(disk) == Some(true));
    let names: Vec<String> = data.clone().map(|disk| disk.name.clone()).collect();
    let first = data.clone().next()?;
    let kind = first.disk?;
    let is_told =
        look.setup.disks.iter().any(|disk| disk.disk == Some(kind) && disk.figures.0 == Certainty::Known);
    let (confidence, weight, if_so) = match (is_told, kind) {
        (true, _) => (Confidence::Likely, 1.3, ""),
        (false, _) => {
            (Confidence::Possible, 0.7, ", unless somebody raised it, which can't be seen from here")
        }
    };
    let claim = format!(
        "{} {} {} IOPS, what {} begins with{if_so}",
        listed(&names),
        if names.len() == 1 { "has" } else { "have" },
        Grouped(first.ios?),
        kind.title()
    );
    Some(
        Finding::new("provisioned-default", confidence, weight, claim)
            .advise("provision what is needed: it takes effect without a restart")
            .to_be_sure(match kind {
                DiskType::Gp3 => "aws ec2 describe-volumes: Iops, Throughput",
                _ => "az disk show: diskIOPSReadWrite, diskMBpsReadWrite",
            }),
    )
}
