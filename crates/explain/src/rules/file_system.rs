//! The file system or its journal holds it back.
//!
//! Documentation: a journal writes twice, and each fsync waits for it.
//! Evidence: the raw device gives more to the same load, and every limit has room.
//! Remedy: preallocated files, fewer flushes, XFS, the log on a disk of its own.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

/// A raw device that gives so many times more is no scatter.
const MORE: f64 = 1.3;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let raw = case.observed.raw_iops?;
    let seen = case.observed.total.iops?;
    if raw < MORE * seen {
        return None;
    }
    let claim = format!("the raw device gives {raw:.0} IOPS to what gets {seen:.0} through the file system");
    let confidence = if case.has_room() { Confidence::Strong } else { Confidence::Likely };
    Some(
        Finding::new("file-system", confidence, 1.6, claim)
            .because(format!("{:.1} x", raw / seen))
            .advise("write files once beforehand, flush less often, try XFS, give the log a disk of its own")
            .to_be_sure("the same with fsync=0"),
    )
}
