//! The file system or its journal holds it back.
//!
//! Documentation: a journal writes twice, and each fsync waits for it.
//! Evidence: the raw device gives more to the same load, and every limit has room.
//! Remedy: preallocated files, fewer flushes, XFS, the log on a disk of its own.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let raw = case.observed.raw_iops?;
    let seen = case.observed.total.iops?;
    if raw < of::RAW_MORE * seen {
        return None;
    }
    let claim = format!("the raw device gives {raw:.0} IOPS to what gets {seen:.0} through the file system");
    let confidence = if case.has_room() { Confidence::Strong } else { Confidence::Likely };
    let finding = Finding::new("file-system", confidence, 1.6, claim)
        .because(format!("{:.1} x", raw / seen))
        .advise("write files once beforehand, flush less often, try XFS, give the log a disk of its own")
        .to_be_sure("the same with fsync=0");
    Some(Finding { remedies: vec![Remedy::again("on the raw device", Circumstance::Usual)], ..finding })
}
