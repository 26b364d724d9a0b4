//! The file system or its journal holds it back.
//! Without a load: mount options that cost data or speed.
//!
//! Documentation: a journal writes twice, and each fsync waits for it.
//! Documentation without a load: ext4(5), xfs(5), mount(8): `barrier=0` and `nobarrier` leave flushes out, `sync` makes
//! every write wait, `data=journal` writes everything twice.
//! Evidence: the raw device gives more to the same load, and every limit has room. Without that figure: writes below every limit, of
//! which each is flushed and takes longer than the disk does (*likely*); or writes that only take longer, have no whole sectors, or
//! are those of one buffered writer (*possible*).
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
    let (Some([_, typical, slow]), Some(us)) = (case.media_ms(), case.observed.total.latency_us.typical())
    else {
        return false;
    };
    let ms = us / 1e3;
    case.writes()
        && case.is_local()
        && case.has_room()
        && !case.is_deep()
        && ms >= (of::FLUSHES * typical).max(of::SLOW_MEDIA * slow).max(of::LOCAL_SLOW_MS)
}

/// Time of a flushed write in ms: its latency, or with one outstanding the time from one write to the next, because the kernel counts
/// flushes separately.
fn flushed_ms(case: &Case<'_>) -> Option<f64> {
    let total = &case.observed.total;
    let between = total.depth.filter(|depth| *depth <= 1.0 / of::IDLE_HELD).zip(total.iops);
    let latency = total.latency_us.typical().map(|us| us / 1e3);
    between.map(|(depth, iops)| depth / iops * 1e3).into_iter().chain(latency).reduce(f64::max)
}

/// Evidence for the file system as the cause, if the device was not measured without it, the strongest first: confidence, weight, text.
fn evidence(case: &Case<'_>) -> Vec<(Confidence, f64, String)> {
    let (observed, total) = (case.observed, &case.observed.total);
    let is_slow = case.is_slow() == Some(true);
    let ms = total.latency_us.typical().unwrap_or(0.0) / 1e3;
    let slow = case.media_ms().map_or(f64::INFINITY, |[_, _, slow]| slow);
    let is_one = case.outstanding().is_none_or(|held| held <= 1.0 / of::IDLE_HELD);
    // A mean size is no size that anybody asked for.
    let asked = total.block.filter(|block| !observed.is_block_derived && block % of::SECTOR != 0.0);
    let rows = [
        // Data, the journal and its commit are several I/Os after one another.
        case.syncs().zip(flushed_ms(case)).filter(|(_, ms)| *ms > of::SLOW_MEDIA * slow).map(|(syncs, ms)| {
            let says = format!("{syncs}, and a write takes {ms:.1} ms, where the disk takes {slow:.2} ms at most");
            (Confidence::Likely, 1.3, says)
        }),
        (flushes(case) && case.syncs().is_none()).then(|| {
            (Confidence::Possible, 0.9, format!("writes take {ms:.1} ms, a local disk {slow:.2} ms at most"))
        }),
        (observed.buffered == Some(true) && is_one).then(|| {
            let says = "one writer goes through the page cache, which writes back in its own time".to_string();
            (Confidence::Possible, 0.7, says)
        }),
        asked.map(|block| {
            let says = format!("writes of {block:.0} B are no whole sectors: a file system and its page cache make other I/Os of them");
            (Confidence::Possible, 0.62, says)
        }),
        (is_slow && case.syncs().is_none() && !case.is_deep() && !case.is_local()).then(|| {
            let says = format!("writes take {ms:.1} ms, where the disk takes {slow:.2} ms at most");
            (Confidence::Possible, 0.6, says)
        }),
    ];
    rows.into_iter().flatten().collect()
}

/// Writes below every limit that a file system or its journal may hold back.
fn held_back(case: &Case<'_>) -> Option<Finding> {
    if !case.writes() || !case.has_room() || case.usages.is_empty() {
        return None;
    }
    let mut rows = evidence(case).into_iter();
    let (confidence, weight, first) = rows.next()?;
    let claim = match confidence {
        Confidence::Possible => "flushes, a journal or the page cache may hold the writes back",
        _ => "each write waits for the file system's journal and its flushes",
    };
    let mut finding = Finding::new("file-system", confidence, weight, claim).because(first);
    finding.evidence.extend(rows.map(|(.., says)| says));
    Some(
        finding
            .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
            .advise("flush less often, write files once beforehand, try ext4 and XFS, give the log a disk of its own")
            .to_be_sure("the same load without fsync; or without a file system (raw=IOPS), on a spare volume of the same kind, because it overwrites the data"),
    )
}

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let Some(raw) = case.observed.raw_iops else { return held_back(case) };
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
