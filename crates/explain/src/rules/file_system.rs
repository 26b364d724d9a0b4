//! The file system or its journal holds it back.
//! Without a load: mount options that cost data or speed.
//!
//! Documentation: a journal writes twice, and each fsync waits for it.
//! Documentation without a load: ext4(5), xfs(5), mount(8): `barrier=0` and `nobarrier` leave flushes out, `sync` makes
//! every write wait, `data=journal` writes everything twice.
//! Evidence: the raw device gives more to the same load, and every limit has room.
//! Remedy: preallocated files, fewer flushes, XFS, the log on a disk of its own.
//! Remedy without a load: the defaults.

use iobound_units::Grouped;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::setup::Look;
use crate::thresholds as of;

/// True if writes to a local disk take so much longer than its media that they wait for flushes or a journal. No network
/// and no throttle is on their way.
pub(super) fn flushes(case: &Case<'_>) -> bool {
    let total = &case.observed.total;
    let writes = total.read.is_some_and(|read| read <= 1.0 - of::MOSTLY);
    let (Some([_, typical, slow]), Some(us)) = (case.media_ms(), total.latency_us.typical()) else {
        return false;
    };
    let ms = us / 1e3;
    writes
        && case.is_local()
        && case.has_room()
        && !case.is_deep()
        && ms >= (of::FLUSHES * typical).max(of::SLOW_MEDIA * slow).max(of::LOCAL_SLOW_MS)
}

/// Writes that take longer than a local disk does.
fn flushed(case: &Case<'_>) -> Option<Finding> {
    if !flushes(case) {
        return None;
    }
    let ms = case.observed.total.latency_us.typical()? / 1e3;
    let [_, _, slow] = case.media_ms()?;
    let claim = format!(
        "writes take {ms:.1} ms, a local disk {slow:.2} ms at most: flushes or a journal may hold them"
    );
    Some(
        Finding::new("file-system", Confidence::Possible, 0.9, claim)
            .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
            .advise("flush less often, write files once beforehand, try ext4 and XFS, give the log a disk of its own")
            .to_be_sure("the same load without fsync; or without a file system (raw=IOPS), on a spare volume of the same kind, because it overwrites the data"),
    )
}

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let Some(raw) = case.observed.raw_iops else { return flushed(case) };
    let seen = case.observed.total.iops?;
    if raw < of::RAW_MORE * seen {
        return None;
    }
    let claim = format!(
        "the raw device gives {} IOPS, and the file system gives {}",
        Grouped(raw.round() as u64),
        Grouped(seen.round() as u64)
    );
    let confidence = if case.has_room() { Confidence::Strong } else { Confidence::Likely };
    let finding = Finding::new("file-system", confidence, 1.6, claim)
        .because(format!("{:.1} x", raw / seen))
        .advise("write files once beforehand, flush less often, try XFS, give the log a disk of its own")
        .to_be_sure("the same with fsync=0");
    Some(Finding { remedies: vec![Remedy::again("on the raw device", Circumstance::Usual)], ..finding })
}

/// An option, what comes of it, and how far that matters.
const OPTIONS: [(&str, &str, f64); 5] = [
    ("nobarrier", "omits flushes: acknowledged writes and the whole file system can be lost", 1.7),
    ("barrier=0", "omits flushes: acknowledged writes and the whole file system can be lost", 1.7),
    ("sync", "makes every write wait for the disk", 1.6),
    ("dirsync", "makes every change of a folder wait for the disk", 1.1),
    ("data=journal", "writes all data twice", 1.5),
];

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let mounts =
        look.setup.volumes.iter().flat_map(|volume| volume.mounts.iter().map(move |mount| (volume, mount)));
    let found = mounts.flat_map(|(volume, mount)| {
        let has = move |(option, ..): &&(&str, &str, f64)| mount.options.iter().any(|own| own == option);
        OPTIONS.iter().filter(has).map(move |option| (volume, mount, option))
    });
    let (volume, mount, (option, effect, weight)) =
        found.max_by(|(.., one), (.., other)| one.2.total_cmp(&other.2))?;
    let claim = format!("{} on {} is mounted with {option}, which {effect}", mount.point, volume.name);
    Some(
        Finding::new("file-system", Confidence::Likely, *weight, claim)
            .because(format!("{}, /proc/self/mountinfo", mount.filesystem))
            .advise(format!("mount it without {option}")),
    )
}
