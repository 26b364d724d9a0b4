//! The throughput limit of the disks.
//!
//! Documentation: each tier has a limit of throughput (Azure disk types, EBS volume types).
//! Evidence: the measured rate is the limit × its enforcement, whatever the block size or the depth.
//! Remedy: more disks in the stripe; the next tier; more provisioned; a newer type (Azure/AKS#447: a larger disk).

use iobound_model::Dimension;

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::limit;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = limit::judge(case, "disk-throughput", "disk", Dimension::Bytes)?;
    let mut remedies = change::better_disk(case, Dimension::Bytes);
    remedies.extend(change::more_disks(case, Dimension::Bytes));
    if remedies.is_empty() {
        remedies = change::more_of_both(case, Dimension::Bytes);
    }
    let finding = finding.to_be_sure(
        "read one disk alone, then all at once: if the sum grows with the disks, the disks' limit binds",
    );
    Some(Finding { remedies, ..finding })
}
