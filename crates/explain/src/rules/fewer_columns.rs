//! The stripe has fewer columns than disks.
//! Without a load: A stripe has fewer columns than disks.
//!
//! Documentation: Server Manager stops at 8 columns; the rest of the disks is another row of the volume.
//! Documentation without a load: Storage Spaces stops at 8 columns, `lvcreate -i` takes what it is told; the rest of
//! the disks is another row of the volume.
//! Evidence: what was seen is the limit of the columns.
//! Remedy: as many columns as disks.

use iobound_units::Counted;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::setup::{Layout, Look, SetupSystem};
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    // A volume of one column is linear, which is a cause of its own.
    let volumes = &case.resolved.blueprint.volumes;
    let volume =
        volumes.iter().find(|volume| (2..volume.disks.len()).contains(&usize::from(volume.columns)))?;
    let columns = f64::from(volume.columns) / volume.disks.len() as f64;
    let disks = case.usages.iter().filter(|usage| usage.group == "disk");
    // A stream is in one group of columns at a time, and its disks are what is full.
    let share = disks
        .map(|usage| usage.used / (usage.enforced * volume.disks.len() as f64 / usage.count as f64))
        .fold(0.0, f64::max);
    let as_columns = (of::NEARLY * columns..=of::AT_BURST * columns).contains(&share);
    let vm = case.full().any(|usage| usage.group.starts_with("vm."));
    let (confidence, weight) =
        if as_columns && !vm { (Confidence::Strong, 2.2) } else { (Confidence::Possible, 0.8) };
    let claim = format!(
        "a stripe of {} on {} uses {} of them at a time",
        Counted(u64::from(volume.columns), "column"),
        Counted(volume.disks.len() as u64, "disk"),
        volume.columns
    );
    let finding = Finding::new("fewer-columns", confidence, weight, claim)
        .because(format!(
            "{:.0} % of all disks' limit was seen, {:.0} % are the columns'",
            share * 100.0,
            columns * 100.0
        ))
        .advise("make the volume with as many columns as disks (New-VirtualDisk -NumberOfColumns)")
        .to_be_sure("iostat -x for each disk: some are idle at a time");
    Some(Finding { remedies: vec![Remedy::of(Change::AllColumns)], ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let found = look.setup.volumes.iter().find_map(|volume| match volume.layout {
        Layout::Striped { columns, .. } if (columns as usize) < volume.disks.len() => Some((volume, columns)),
        _ => None,
    });
    let (volume, columns) = found?;
    let claim = format!(
        "{} is a stripe of {} on {}: only {columns} at a time",
        volume.name,
        Counted(u64::from(columns), "column"),
        Counted(volume.disks.len() as u64, "disk")
    );
    Some(
        Finding::new("fewer-columns", Confidence::Strong, 2.1, claim)
            .because(format!("{} says so", volume.told_by))
            .advise(match look.setup.system {
                SetupSystem::Linux => format!("recreate it with {} columns", volume.disks.len()),
                SetupSystem::Windows => format!(
                    "recreate it with all columns: New-VirtualDisk -NumberOfColumns {}; Server Manager stops at 8",
                    volume.disks.len()
                ),
            }),
    )
}
