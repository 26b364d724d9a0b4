//! Each write waits for the disk, because no cache acknowledges it earlier.
//!
//! Documentation: azure-docs#46036: logs need Write Accelerator or Ultra disks; etcd's FAQ: a slow disk shows in
//! `wal_fsync_duration_seconds`.
//! Evidence: writes one at a time, at the latency of a remote disk without ReadWrite host cache, and every limit with room. If each
//! of them is flushed, or if they are small and go to a log by its name, no deeper queue helps, and this comes before it. Without either
//! it is *possible*.
//! Remedy: fewer, larger flushes; a faster disk type; a local disk for what may be lost.

use iobound_catalog::CacheSetting;
use iobound_units::Bytes;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::observed::Figures;
use crate::setup::names_log;
use crate::thresholds as of;

/// Writes of one volume, or of all together.
struct Writes<'a> {
    figures: &'a Figures,
    /// Place of a disk that bears them.
    disk: usize,
    /// The volume's name if that is a log's.
    log: Option<&'a str>,
}

/// The volume of a disk or a volume: `log` of `log.0`.
fn volume_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(volume, _)| volume)
}

/// Volumes that were seen apart and are logs by their names, then all together.
fn subjects<'a>(case: &'a Case<'_>) -> Vec<Writes<'a>> {
    let disks = &case.resolved.disks;
    let place = |name: &str| disks.iter().position(|disk| disk.name == name || volume_of(&disk.name) == name);
    let mut all: Vec<Writes<'a>> = case
        .observed
        .parts
        .iter()
        .filter(|part| names_log(volume_of(&part.name)))
        .filter_map(|part| {
            let log = Some(volume_of(&part.name));
            Some(Writes { figures: &part.figures, disk: place(&part.name)?, log })
        })
        .collect();
    let data = disks.iter().position(|disk| !disk.is_os).unwrap_or(0);
    let mut volumes = disks.iter().filter(|disk| !disk.is_os).map(|disk| volume_of(&disk.name));
    let first = volumes.next();
    let log = first.filter(|name| names_log(name) && volumes.all(|other| other == *name));
    all.push(Writes { figures: &case.observed.total, disk: data, log });
    all
}

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() {
        return None;
    }
    subjects(case).into_iter().find_map(|writes| waiting(case, &writes))
}

/// Writes that wait for the disk, one at a time.
fn waiting(case: &Case<'_>, writes: &Writes<'_>) -> Option<Finding> {
    let read = writes.figures.read.or(case.observed.total.read).filter(|read| *read <= 1.0 - of::MOSTLY)?;
    let figures = Figures { read: Some(read), ..writes.figures.clone() };
    let disk = case.resolved.disks.get(writes.disk)?;
    let is_remote = disk.disk.is_some();
    let [fast, _, slow] = case.media_ms_of(writes.disk, &figures)?;
    let ms = figures.latency_us.typical()? / 1e3;
    // Without a measured scatter the fastest is not known: a shorter latency is the disk's own.
    let is_unmeasured = fast == slow && ms * 1e3 > of::MEMORY_US;
    let of_media = ms <= of::SLOW_MEDIA * slow && (ms >= of::FAST_MEDIA * fast || is_unmeasured);
    // A log is written by one thread, whether or not somebody counted.
    let held = figures.outstanding();
    let is_one =
        held.map_or(writes.log.is_some(), |held| (of::ONE_THREAD..=1.0 / of::IDLE_HELD).contains(&held));
    if !is_remote || disk.cache == CacheSetting::ReadWrite || !is_one || !of_media {
        return None;
    }
    let small = figures.block.filter(|block| *block <= of::LOG_BLOCK);
    let of_log = writes.log.zip(small).map(|(name, block)| {
        format!(
            "the volume `{name}` is a log by its name, and its writes are small ({})",
            Bytes(block.round() as u64)
        )
    });
    let mut known: Vec<String> = case.syncs().into_iter().chain(of_log).collect();
    let (confidence, weight) = match (known.is_empty(), held) {
        (true, _) => (Confidence::Possible, 0.6),
        // Above `shallow-queue`: a write that waits for its flush allows no deeper queue.
        (false, Some(_)) => (Confidence::Strong, 1.2),
        (false, None) => (Confidence::Likely, 1.2),
    };
    let claim = format!("each write waits {ms:.2} ms for the disk: no cache acknowledges it earlier");
    let mut finding = Finding::new("no-write-cache", confidence, weight, claim);
    finding.evidence.append(&mut known);
    let finding = finding
        .because(format!(
            "{:.0} % of the I/Os are writes, {}",
            (1.0 - read) * 100.0,
            if held.is_some() { "one at a time" } else { "the number outstanding is unknown" }
        ))
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
        .advise(match case.resolved.vm.cloud.rules().has_host_cache {
            true => "commit several transactions with one flush (group commit), a disk type with less latency, Write Accelerator on M sizes",
            false => "commit several transactions with one flush (group commit), or a disk type with less latency",
        })
        .to_be_sure("the same writes without fsync: they are much faster if the flush is what waits");
    Some(Finding { remedies: change::faster_media(case), ..finding })
}
