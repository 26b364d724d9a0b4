//! A file-system filter driver of a virus scanner is loaded.
//!
//! Documentation: Microsoft, "Load order groups and altitudes for minifilter drivers": altitudes 320000 to 329999 are those of
//! virus scanners, which may look at each open, read and write. SQL Server's guide to antivirus software excludes data, log and backup files.
//! Evidence: `fltmc filters` lists one. Without a load it does not show whether the data is excluded.
//! Remedy: exclude the data files.

use crate::finding::{Confidence, Finding};
use crate::setup::{Look, listed};

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let scanners = &look.setup.virus_scanners;
    if scanners.is_empty() {
        return None;
    }
    let drivers = if scanners.len() == 1 { "the filter driver" } else { "the filter drivers" };
    let claim = format!("{drivers} {} may scan files of the load for viruses", listed(scanners));
    Some(
        Finding::new("filter-driver", Confidence::Possible, 0.7, claim)
            .because("fltmc filters: an altitude from 320000 to 329999")
            .advise("exclude the files of the data, the log and the test (Add-MpPreference -ExclusionPath for Defender)")
            .to_be_sure("the same load with the files excluded, or on the raw disk, which no filter sees"),
    )
}
