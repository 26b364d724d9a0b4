//! The I/Os that the page cache sends to the disks for a buffered workload.

use iobound_catalog::Resolved;
use iobound_units::{Bytes, Op};
use iobound_workload::{Job, Load, Note, Targets, Workload};

/// Linux's default read-ahead of a block device (`VM_READAHEAD_PAGES`, `read_ahead_kb` = 128).
const READ_AHEAD: u64 = 128 << 10;

/// Read-ahead of a striped volume, in stripe widths: md RAID 0 sets twice the width (Linux drivers/md/raid0.c).
const STRIPE_WIDTHS: u64 = 2;

/// Read-ahead windows in flight: the kernel starts the next one when the reader enters the last one (Linux mm/readahead.c).
const WINDOWS: u32 = 2;

/// Bytes that write-back sends at a time for a file whose dirty pages lie together, as long as the file has more.
const WRITE_BACK: u64 = 1 << 20;

/// Write-back requests in flight: no thread waits for one of them, so the device's queue stays filled.
const WRITE_BACK_DEPTH: u32 = 32;

/// The largest read-ahead that is assumed, in bytes: wider stripes gain nothing more.
const MOST: u64 = 16 << 20;

/// The workload as the disks see it: buffered jobs are replaced by what the page cache reads ahead and writes back, with a
/// note for each. Throughput stays comparable, because every byte moves once; I/Os are those of the page cache. Jobs without
/// `buffered` are unchanged.
pub fn behind_the_page_cache(workload: &Workload, resolved: &Resolved) -> (Workload, Vec<Note>) {
    let mut seen = workload.clone();
    let mut notes = Vec::new();
    for job in &mut seen.jobs {
        if let Some(steps) = job.flush_range.take() {
            job.flush_every = None;
            let says = format!(
                "sync_file_range ({steps}) empties no cache of a disk: it only starts write-back of the page cache earlier, or \
                 waits for it, and is left out"
            );
            notes.push(Note { about: job.name.clone(), says });
        }
    }
    for job in seen.jobs.iter_mut().filter(|job| job.buffered) {
        let says = replace(job, resolved);
        notes.push(Note { about: job.name.clone(), says });
    }
    (seen, notes)
}

/// Changes a buffered job to what reaches the disks, and says how.
fn replace(job: &mut Job, resolved: &Resolved) -> String {
    let moves = |job: &Job, op: Op| job.mix.iter().all(|share| !share.op.moves_data() || share.op == op);
    let Load::Closed { depth, cap: None } = job.load else {
        return "it uses the page cache and has its own rate: assumed that each I/O reaches the disks"
            .to_string();
    };
    let sequential = job.access.random.ppm() == 0 && job.mix.iter().all(|share| share.random.is_none());
    let largest = job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(0);
    if sequential && moves(job, Op::Read) {
        let window = fitting(job, read_ahead(job, resolved).max(largest));
        let windows = (u64::from(depth) * largest).div_ceil(window.max(1));
        set(job, window, WINDOWS.max(u32::try_from(windows).unwrap_or(u32::MAX)));
        return format!(
            "the page cache reads ahead: the figures are of its I/Os, {} each with {} outstanding (Linux's default: 128 KiB, or \
             two widths of a stripe)",
            Bytes(window),
            outstanding(job),
        );
    }
    if moves(job, Op::Write) {
        let size = if sequential { fitting(job, WRITE_BACK.max(largest)) } else { largest };
        set(job, size, WRITE_BACK_DEPTH.max(depth));
        return format!(
            "the page cache writes back: the figures are of its I/Os, {} each with {} outstanding, once its dirty limit is \
             reached; until then writes take memory's time",
            Bytes(size),
            outstanding(job),
        );
    }
    "it uses the page cache: assumed that each I/O reaches the disks, with nothing in memory".to_string()
}

/// Read-ahead of the volumes that a job runs on, in bytes.
fn read_ahead(job: &Job, resolved: &Resolved) -> u64 {
    let volumes = &resolved.blueprint.volumes;
    let used: Vec<usize> = match &job.targets {
        Targets::All => (0..volumes.len()).collect(),
        Targets::Named(names) => {
            names.iter().filter_map(|name| resolved.volumes_of(name)).flatten().collect()
        }
    };
    let widths = used.iter().map(|index| &volumes[*index]).filter(|volume| volume.columns > 1);
    let widest = widths.map(|volume| u64::from(volume.columns) * volume.interleave.get()).max();
    widest.map_or(READ_AHEAD, |width| (STRIPE_WIDTHS * width).clamp(READ_AHEAD, MOST))
}

/// A size that is not larger than what the job uses of a target.
fn fitting(job: &Job, size: u64) -> u64 {
    job.region.size.map_or(size, |region| size.min(region.get().max(512)))
}

fn set(job: &mut Job, block: u64, outstanding: u32) {
    let block = u32::try_from(block).unwrap_or(u32::MAX);
    for share in job.mix.iter_mut().filter(|share| share.op.moves_data()) {
        (share.block, share.align) = (block, None);
    }
    job.load = Load::Closed { depth: outstanding, cap: None };
}

fn outstanding(job: &Job) -> u32 {
    let (Load::Closed { depth, .. } | Load::Open { depth, .. }) = job.load;
    depth
}
