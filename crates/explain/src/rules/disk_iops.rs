//! The disks let no more I/Os through.
//!
//! Documentation: each tier has an IOPS limit, 256 KiB to an I/O (Azure disk types, EBS volume types).
//! Evidence: what was seen is the limit × its enforcement, whatever the block size or the depth.

use iobound_model::Dimension;

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::limit;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "disk-iops", "disk", Dimension::Ios)?;
    let mut remedies = Vec::new();
    remedies.extend(change::more_disks(case));
    remedies.extend(change::better_disk(case, Dimension::Ios));
    let finding = finding.to_be_sure(
        "read one disk alone, then all at once: a sum that grows with the disks is the disks' limit",
    );
    Some(Finding { remedies, ..finding })
}
