//! fio's report of a run: text, JSON with and without bins, the terse line, and the logs.
//!
//! Layouts from `stat.c` of fio 3.42 and runs of 3.33. Each stage of a job file (what `stonewall` parts) is a run of
//! its own. What differs from fio, because it is not measured or not the same here:
//!
//! - `pid` is the number of the thread, from 1.
//! - `error` is 84 (`EILSEQ`) where verification failed, and 5 (`EIO`) wherever an I/O failed. Short transfers are errors: `short_ios` and `drop_ios` are zero.
//! - Submission time (`slat`) is there where the engine measured it apart; else `clat` is from issue.
//! - Samples of bandwidth and IOPS are of the run's own series, of at least `bwavgtime` each; trims have none.
//! - Depths are shares of all I/Os with the flushes, so that they sum to 100 %.
//! - Times of day are UTC.

mod bins_log;
mod direction;
mod distribution;
mod entry;
mod group;
mod iolog;
mod json;
mod logs;
mod normal;
mod number;
mod spread;
mod steady;
mod terse;

pub use iolog::{iolog_names, iologs};
pub use logs::{LogFile, log_names, logs};
pub(super) use spread::{Latency, Spread};
pub use steady::Steadiness;

use super::{Format, JobFile, Reporting};
use crate::Ran;

/// The version of fio whose layouts these are.
pub const LAYOUT: &str = "fio-3.42";

/// fio's report in every form that `reporting` asks for, in fio's order. `stages` are the runs of the stages in
/// order; their workloads' jobs are the sections of `file`.
///
/// # Panics
/// If `file`, `reporting` and the jobs of the stages do not belong together.
pub fn report(stages: &[Ran<'_>], file: &JobFile, reporting: &Reporting) -> String {
    written(&FioReport::new(stages, file, reporting))
}

/// [`report`] of a run that goes on (`--status-interval`): `stages` hold what was done up to now, and those that have not
/// begun zeros.
///
/// # Panics
/// As [`report`].
pub fn report_so_far(stages: &[Ran<'_>], file: &JobFile, reporting: &Reporting) -> String {
    written(&FioReport { is_over: false, ..FioReport::new(stages, file, reporting) })
}

fn written(report: &FioReport<'_>) -> String {
    let write = |format: &Format| match format {
        Format::Terse => terse::terse(report),
        Format::Json => json::json(report, false),
        Format::JsonPlus => json::json(report, true),
        Format::Normal => normal::normal(report),
    };
    report.reporting.formats.iter().map(write).collect()
}

/// Text of fio before I/O begins: a line for each job, the version, and the number of threads. Empty where
/// text is not asked for. `threads` is how many there are in all.
pub fn opening(
    workloads: &[&iobound_workload::Workload],
    threads: usize,
    file: &JobFile,
    reporting: &Reporting,
) -> String {
    if !reporting.formats.contains(&Format::Normal) {
        return String::new();
    }
    normal::opening(workloads, threads, file, reporting)
}

/// All that the forms are made of.
struct FioReport<'a> {
    stages: &'a [Ran<'a>],
    file: &'a JobFile,
    reporting: &'a Reporting,
    entries: Vec<entry::Entry<'a>>,
    groups: Vec<(usize, group::Group<'a>)>,
    disks: Vec<group::Disk>,
    /// True if the run has ended.
    is_over: bool,
}

impl<'a> FioReport<'a> {
    fn new(stages: &'a [Ran<'a>], file: &'a JobFile, reporting: &'a Reporting) -> FioReport<'a> {
        assert_eq!(
            file.jobs.len(),
            reporting.jobs.len(),
            "a report is of the job file that it was read from"
        );
        let entries = entry::entries(stages, reporting);
        let groups = group::groups(&entries);
        let shown = reporting.jobs.iter().any(|job| job.disk_util);
        let disks = if shown { group::disks(stages) } else { Vec::new() };
        FioReport { stages, file, reporting, entries, groups, disks, is_over: true }
    }

    fn group(&self, number: usize) -> &group::Group<'a> {
        let found = self.groups.iter().find(|(known, _)| *known == number);
        &found.expect("every entry's group is listed").1
    }

    /// End of the run: ms since 1970-01-01 UTC.
    fn ended_unix_ms(&self) -> u64 {
        self.stages.iter().map(|ran| ran.machine.ended_unix_ms).max().unwrap_or(0)
    }

    /// Seconds from the start of the first stage to the end of the last.
    fn elapsed_s(&self) -> u64 {
        let began = self.stages.iter().map(|ran| ran.machine.began_unix_ms).min().unwrap_or(0);
        self.ended_unix_ms().saturating_sub(began).div_ceil(1000)
    }

    /// Seconds until the last stage is to end, by its time alone; zero of a run that has ended.
    fn eta_s(&self) -> u64 {
        if self.is_over {
            return 0;
        }
        let left = |ran: &Ran<'_>| ran.total.layout.end.ns().saturating_sub(ran.total.end.ns());
        self.stages.iter().map(left).sum::<u64>().div_ceil(1_000_000_000)
    }

    /// The version whose layout this is, and the program that wrote it.
    fn version(&self) -> String {
        match self.stages.first().map(|ran| ran.machine.version.as_str()) {
            Some(version) if !version.is_empty() => format!("{LAYOUT} (iobound {version})"),
            _ => format!("{LAYOUT} (iobound)"),
        }
    }
}
