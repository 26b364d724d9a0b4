//! A processor of the client is full.
//!
//! Documentation: scylladb#27885: interrupts on one processor, figures lower on a larger VM.
//! Evidence: no limit is full and a processor is.
//! Remedy: spread threads and interrupts over the processors.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let cpu = case.observed.cpu.filter(|cpu| *cpu >= of::CPU_FULL)?;
    if !case.has_room() {
        return None;
    }
    let claim = format!("the busiest processor is {:.0} % in use, and every limit has room", cpu * 100.0);
    Some(
        Finding::new("client-cpu", Confidence::Strong, 1.5, claim)
            .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
            .advise(
                "spread interrupts over the processors (irqbalance, /proc/irq/*/smp_affinity; see that every network \
                 and disk queue is known to it), more threads, larger I/Os",
            )
            .to_be_sure("pin the load to other processors: the rate changes"),
    )
}
