//! The volume mirrors its data or keeps parity: each write goes to several disks.
//!
//! Documentation: SQL Server on Azure VMs, storage checklist: simple spaces, because Azure keeps three copies of each disk already; Microsoft,
//! "Storage Spaces": parity has to read before it writes.
//! Evidence: the layout of the volume.
//! Remedy: a stripe without redundancy on a cloud's disks; on local disks redundancy may be wanted.

use crate::finding::{Confidence, Finding};
use crate::setup::{Layout, Look, SetupSystem, Use};

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let volume = look
        .setup
        .volumes
        .iter()
        .filter(|volume| matches!(volume.layout, Layout::Mirrored | Layout::Parity))
        // Parity costs more.
        .max_by_key(|volume| volume.layout == Layout::Parity)?;
    let effect = match volume.layout {
        Layout::Parity => "a small write reads and writes data and parity",
        _ => "each write goes to several disks, and counts on each",
    };
    // A local disk's data is lost with its host: there, redundancy may be what somebody wants.
    let is_clouds = |device: &String| {
        look.setup.disk(device).is_some_and(|disk| matches!(disk.used_for, Some(Use::Data | Use::Os)))
    };
    let (confidence, weight) = if !volume.disks.is_empty() && volume.disks.iter().all(is_clouds) {
        (Confidence::Likely, 1.9)
    } else {
        (Confidence::Possible, 1.0)
    };
    let claim = format!("{} ({}) is redundant: {effect}", volume.name, volume.kind);
    let advice = match look.setup.system {
        SetupSystem::Linux => {
            "use a stripe (mdadm --level=0, lvcreate -i) if the cloud already keeps copies of the disks"
        }
        SetupSystem::Windows => {
            "use a simple space if the cloud already keeps copies of the disks: New-VirtualDisk \
             -ResiliencySettingName Simple"
        }
    };
    Some(
        Finding::new("redundant-volume", confidence, weight, claim)
            .because(format!("{} says so", volume.told_by))
            .advise(advice)
            .to_be_sure("count the writes of each disk: their sum is a multiple of the volume's"),
    )
}
