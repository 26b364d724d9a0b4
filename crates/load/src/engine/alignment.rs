//! Alignment that direct I/O requires of a workload: checked before the first I/O.

use std::fmt;
use std::path::PathBuf;

use iobound_units::{Bytes, Op};
use iobound_workload::{Job, QueueError, Target, Workload};

use super::target::{OpenFile, Targets};

/// A size of a job that is not a multiple of the direct I/O alignment of its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misaligned {
    /// The job.
    pub job: String,
    /// Its part: `block`, `offset` and so on, as the native words call it.
    pub what: &'static str,
    /// Its size.
    pub size: Bytes,
    /// The file or device.
    pub path: PathBuf,
    /// Required multiple.
    pub alignment: Bytes,
}

impl fmt::Display for Misaligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misaligned { job, what, size, path, alignment } = self;
        write!(
            f,
            "job {job}: its {what} is {} B, and {} takes direct I/O only in multiples of {} B: use such a multiple, or \
             --buffered, which measures the page cache too",
            size.get(),
            path.display(),
            alignment.get()
        )
    }
}

impl std::error::Error for Misaligned {}

/// Sees that every I/O of a workload is one that its targets take. Through the page cache all are.
///
/// # Errors
/// Returns an error if the jobs do not fit the targets; the inner result has the first refused size.
pub fn check_alignment(
    workload: &Workload,
    names: &[Target],
    opened: &Targets,
) -> Result<Result<(), Misaligned>, QueueError> {
    let queues = workload.queues(names)?;
    let of_queues = queues.iter().flat_map(|queue| queue.targets().map(move |target| (queue.job, target)));
    for (job, target) in of_queues.filter(|(_, target)| opened.is_direct(*target)) {
        let job = &workload.jobs[usize::from(job)];
        for file in opened.files_of(target) {
            if let Some(misaligned) = misaligned(job, file) {
                return Ok(Err(misaligned));
            }
        }
    }
    Ok(Ok(()))
}

fn misaligned(job: &Job, file: &OpenFile) -> Option<Misaligned> {
    let issued = || job.mix.iter().filter(|share| share.weight > 0 && share.op != Op::Flush);
    let blocks = issued().map(|share| ("block", Bytes(u64::from(share.block))));
    let aligns = issued().filter_map(|share| Some(("alignment", share.align?)));
    let steps = [
        ("offset", Some(job.region.offset)),
        ("stride", job.access.stride),
        ("thread stride", job.access.thread_stride),
        ("distance from the end", job.access.backward),
        ("zone", job.access.strided.map(|zones| zones.range)),
        ("distance of zones", job.access.strided.map(|zones| zones.skip)),
    ];
    let mut sizes =
        blocks.chain(aligns).chain(steps.into_iter().filter_map(|(what, size)| Some((what, size?))));
    let (what, size) = sizes.find(|(_, size)| size.get() % file.alignment.get() != 0)?;
    Some(Misaligned { job: job.name.clone(), what, size, path: file.path.clone(), alignment: file.alignment })
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use iobound_units::{Span, TargetId};
    use iobound_workload::Share;

    use super::*;

    /// Message of a device with 4 KiB sectors about 64 KiB reads at multiples of 4 KiB, changed.
    fn said(direct: bool, change: impl FnOnce(&mut Job)) -> Option<String> {
        let opened = Targets::of_one(File::open("/dev/null").unwrap(), Bytes(4096), direct);
        let names = [Target { name: "one".into(), id: TargetId(0), size: Bytes::mib(1), members_of: None }];
        let mut job = Job::new("log");
        job.mix[0].block = 65_536;
        job.set_align(Some(Bytes(4096)));
        change(&mut job);
        let workload = Workload::new(vec![job], Span::from_secs(1));
        check_alignment(&workload, &names, &opened).unwrap().err().map(|error| error.to_string())
    }

    #[test]
    fn every_size_of_a_job_is_a_multiple_of_what_direct_io_takes() {
        assert_eq!(said(true, |_| {}), None);
        let block = said(true, |job| job.mix[0].block = 512).unwrap();
        assert!(
            block.contains("job log: its block is 512 B") && block.contains("multiples of 4096 B"),
            "{block}"
        );
        assert!(block.contains("--buffered"), "{block}");
        assert!(said(true, |job| job.region.offset = Bytes(512)).unwrap().contains("its offset is 512 B"));
        assert!(said(true, |job| job.set_align(Some(Bytes(1024)))).unwrap().contains("alignment is 1024 B"));
        assert!(
            said(true, |job| job.access.stride = Some(Bytes(2048))).unwrap().contains("stride is 2048 B")
        );
    }

    #[test]
    fn the_page_cache_takes_any() {
        assert_eq!(said(false, |job| job.mix[0].block = 512), None);
    }

    #[test]
    fn what_is_never_issued_needs_no_alignment() {
        let unused = Share { weight: 0, op: Op::Read, block: 512, random: None, align: None };
        assert_eq!(said(true, |job| job.mix.push(unused)), None);
        let flush = Share { weight: 1, op: Op::Flush, block: 0, random: None, align: None };
        assert_eq!(said(true, |job| job.mix.push(flush)), None);
    }
}
