//! Limits that the cloud itself says held I/Os back.

use iobound_catalog::Resolved;
use iobound_explain::HeldLimit;
use iobound_formats::observation::{DeviceKind, HeldBack, Measure, Observation};
use iobound_model::Dimension;
use iobound_units::Counted;

use super::places::{Places, named};

/// Limits that held I/Os of the configuration's disks back, and a note on those of other devices. A limit of the VM holds for the
/// disks outside of the configuration too.
pub(super) fn held(
    observation: &Observation,
    found: &Places,
    resolved: &Resolved,
) -> (Vec<HeldLimit>, Option<String>) {
    let name_of = |one: &HeldBack| {
        let index = observation.devices.iter().position(|device| device.name == one.device);
        let place = match index {
            Some(index) => found.names.get(index).cloned().flatten(),
            None => named(&one.device, resolved),
        };
        let is_total = |index: usize| observation.devices[index].kind == DeviceKind::Total;
        let is_whole = found.is_whole && index.is_some_and(is_total);
        place.or_else(|| (is_whole || one.by_vm == Some(true)).then(|| one.device.clone()))
    };
    let (mut limits, mut left) = (Vec::new(), Vec::new());
    for one in &observation.held {
        match name_of(one) {
            Some(name) => limits.push(HeldLimit {
                name,
                by_vm: one.by_vm,
                dimension: if one.measure == Measure::Ios { Dimension::Ios } else { Dimension::Bytes },
                intervals: one.intervals,
                told: one.told.clone(),
            }),
            None => left.push(one.device.clone()),
        }
    }
    let count = Counted(left.len() as u64, "throttle metric");
    left.dedup();
    let note = (!left.is_empty()).then(|| {
        format!(
            "left out: {count} of {}, because the configuration has no such disk (--disk NAME=… names a disk)",
            left.join(", ")
        )
    });
    (limits, note)
}
