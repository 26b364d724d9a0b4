//! I/Os above 256 KiB count as several.
//!
//! Documentation: Azure disk types: ceil(size / 256 KiB) units; EBS: likewise, on HDD volumes 1 MiB.
//! Evidence: the limit in I/Os is full in units and far from full in I/Os.
//! Remedy: blocks of a multiple of 256 KiB, or none above it.

use iobound_model::Dimension;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};

/// Largest size charged as one I/O (Azure disk types; EBS SSD volumes).
const UNIT: u32 = 262_144;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let block = case.observed.total.block?;
    let full = case.full().find(|usage| usage.dimension == Dimension::Ios)?;
    let limiters = case.resolved.blueprint.limiters.iter();
    let charges = limiters
        .filter(|limiter| limiter.name.group == full.group)
        .map(|limiter| limiter.charge.units(block as u64));
    let units = charges.max()?;
    if units < 2 {
        return None;
    }
    let claim = format!(
        "an I/O of {:.0} KiB counts as {units}: {:.0} I/Os are {:.0} units of {}",
        block / 1024.0,
        case.observed.total.iops?,
        full.used,
        full.name()
    );
    let finding = Finding::new("large-io-charge", Confidence::Strong, 2.0, claim)
        .because(format!("{:.2} x the limit in units", full.of_published()))
        .advise("I/Os of 256 KiB, or of a multiple that fills its units")
        .to_be_sure("the same with 256 KiB: more I/Os, more bytes if the last unit was mostly empty");
    Some(Finding { remedies: vec![Remedy::of(Change::Block(UNIT))], ..finding })
}
