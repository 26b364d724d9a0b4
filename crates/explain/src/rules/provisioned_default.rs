//! A disk whose figures are provisioned was never raised.
//!
//! Documentation: Premium SSD v2 and gp3 begin at 3,000 IOPS and 125 MB/s, Hyperdisk Balanced at 3,600 IOPS and 290 MiB/s, Ultra
//! through CSI at 500 IOPS (azuredisk-csi-driver#1442).
//! Documentation without a load: Premium SSD v2 and gp3 begin at 3,000 IOPS and 125 MB/s, Ultra through CSI at 500 IOPS
//! (kubernetes-sigs/azuredisk-csi-driver#1442).
//! Evidence: the disk is at the figure that it has when none is given, and that is full.
//! Remedy: provision more.
//! Remedy without a load: provision what is needed.

use iobound_catalog::Performance;
use iobound_model::Dimension;
use iobound_units::Grouped;

use crate::case::{Case, Level};
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::setup::{Certainty, Look, listed};
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let full = case.usages.iter().find(|usage| usage.group == "disk" && case.level(usage) == Level::Full)?;
    let disk = change::data_disk(case)?;
    let kind = disk.disk?;
    let (ios, bytes) = (disk.ios.map(|ios| ios as f64), disk.bytes.map(|bytes| bytes as f64));
    let gib = disk.size.get() as f64 / (1u64 << 30) as f64;
    let bounds = change::bounds_of(case, kind)?;
    let is_default = match (bounds.default_figures(kind, disk.size), full.dimension) {
        (Some([default, _]), Dimension::Ios) => ios? == default as f64,
        // Rounded up to whole MB/s, the unit of provisioning.
        (Some([_, default]), Dimension::Bytes) => (1.0..=of::HELPS).contains(&(bytes? / default as f64)),
        (None, _) => {
            matches!(bounds.performance, Performance::Chosen(_))
                && ios? <= of::ULTRA_DEFAULT_IOPS.max(of::ULTRA_IOPS_A_GIB * gib)
        }
    };
    if !is_default {
        return None;
    }
    let claim = format!(
        "{} is the default of {} when nothing is provisioned",
        figure(full.published, full.dimension),
        disk.described
    );
    let confidence = if case.may_be_asked(full) { Confidence::Possible } else { Confidence::Strong };
    let finding = Finding::new("provisioned-default", confidence, 2.0, claim)
        .at(full.name())
        .because(format!("{:.2} x of it is used", full.of_published()))
        .advise("provision more: it takes effect without a restart")
        .to_be_sure("raise it for an hour: the rate must follow");
    Some(Finding { remedies: change::better_disk(case, full.dimension), ..finding })
}

/// An Ultra disk of less than this share of what its size allows was hardly chosen.
const HARDLY: u64 = 20;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let is_default = |disk: &iobound_catalog::ResolvedDisk| -> Option<bool> {
        let (kind, ios) = (disk.disk?, disk.ios?);
        let Performance::Chosen(bounds) = look.catalog.bounds(kind).ok()??.performance else { return None };
        let [least, most] = bounds.ios;
        let allowed = (disk.size.get() >> 30).saturating_mul(bounds.ios_per_gib).min(most);
        Some(if bounds.included { ios == least } else { ios.saturating_mul(HARDLY) < allowed })
    };
    let data = resolved.disks.iter().filter(|disk| !disk.is_os && is_default(disk) == Some(true));
    let names: Vec<String> = data.clone().map(|disk| disk.name.clone()).collect();
    let first = data.clone().next()?;
    let kind = first.disk?;
    let is_told =
        look.setup.disks.iter().any(|disk| disk.disk == Some(kind) && disk.figures.0 == Certainty::Known);
    let (confidence, weight, if_so) = match (is_told, kind) {
        (true, _) => (Confidence::Likely, 1.3, ""),
        (false, _) => (Confidence::Possible, 0.7, ", unless it was raised, which is not visible from the VM"),
    };
    let claim = format!(
        "{} {} {} IOPS, the default of {}{if_so}",
        listed(&names),
        if names.len() == 1 { "has" } else { "have" },
        Grouped(first.ios?),
        kind.title()
    );
    Some(
        Finding::new("provisioned-default", confidence, weight, claim)
            .advise("provision more: it takes effect without a restart")
            .to_be_sure(kind.cloud().rules().shows_figures),
    )
}
