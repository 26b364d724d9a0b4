//! Writes are smaller than the block of the device.
//!
//! Documentation: scylladb/seastar#2802: writes of 512 bytes to an instance store that prefers 4 KiB: it reads, changes and
//! writes each block.
//! Evidence: writes of less than 4 KiB to a local disk, and every limit with room.
//! Remedy: writes of 4 KiB and more, aligned.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    let block = total.block.filter(|block| *block < of::DEVICE_BLOCK)?;
    let read = total.read.filter(|read| *read <= 1.0 - of::MOSTLY)?;
    // A rate this low is not a load.
    total.iops.filter(|iops| *iops >= of::CLIENT_IOPS)?;
    if !case.is_local() || !case.has_room() {
        return None;
    }
    let claim = format!(
        "writes of {block:.0} B are smaller than a block of the device: each becomes a read and a write of 4 KiB"
    );
    let finding = Finding::new("device-block", Confidence::Possible, 0.65, claim)
        .because(format!("{:.0} % of the I/Os are writes", (1.0 - read) * 100.0))
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
        .advise("write 4 KiB and more, aligned (/sys/block/NAME/queue/physical_block_size)")
        .to_be_sure("the same with blocks of 4 KiB");
    Some(Finding { remedies: vec![Remedy::of(Change::Block(of::DEVICE_BLOCK as u32))], ..finding })
}
