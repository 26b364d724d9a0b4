//! Other tools' measurements of a machine's disks: counters recorded while the load ran.
//!
//! Each reader is a folder beside this one, and each makes an [`Observation`]: devices as the tool names them, with
//! rates, latency and queue of the interval that was watched. What the tool does not tell is absent. Whose disks of a
//! configuration these are, the caller says.

mod bounds;
mod clock;
pub(crate) mod counters;
mod device;
mod fold;
mod number;
mod recognise;
mod samples;
mod table;

use std::fmt;

use iobound_units::Span;

use crate::FormatError;
use crate::error::{At, Trouble};

pub use device::{Device, DeviceKind, Direction, Role};
pub(crate) use recognise::is_diskstats;
pub use recognise::recognise;

pub(crate) use clock::Clock;
pub(crate) use device::linux_kind;
pub(crate) use fold::{Fold, Reading};
pub(crate) use number::{count, figure};
pub(crate) use samples::{Gone, wrapped};
pub(crate) use table::{Row, Table, tables};

/// Who kept the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// sysstat's `iostat -x`, text or JSON.
    Iostat,
    /// Samples of Linux' `/proc/diskstats`.
    Diskstats,
    /// Windows Performance Monitor or typeperf, as CSV.
    Perfmon,
    /// Two samples of SQL Server's `sys.dm_io_virtual_file_stats`.
    SqlServer,
    /// Two samples of PostgreSQL's `pg_stat_io`.
    Postgres,
    /// Azure Monitor's metrics of a VM, as CSV or JSON.
    AzureMonitor,
    /// Google Cloud Monitoring's metrics of a VM, as CSV or JSON.
    CloudMonitoring,
}

impl Observer {
    /// All of them.
    pub const ALL: [Observer; 7] = [
        Observer::Iostat,
        Observer::Diskstats,
        Observer::Perfmon,
        Observer::SqlServer,
        Observer::Postgres,
        Observer::AzureMonitor,
        Observer::CloudMonitoring,
    ];

    /// The word of the command line: `iostat`, `azure-monitor`.
    pub const fn word(self) -> &'static str {
        match self {
            Observer::Iostat => "iostat",
            Observer::Diskstats => "diskstats",
            Observer::Perfmon => "perfmon",
            Observer::SqlServer => "sqlserver",
            Observer::Postgres => "postgres",
            Observer::AzureMonitor => "azure-monitor",
            Observer::CloudMonitoring => "cloud-monitoring",
        }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Observer::Iostat => "iostat -x",
            Observer::Diskstats => "/proc/diskstats",
            Observer::Perfmon => "Performance Monitor",
            Observer::SqlServer => "sys.dm_io_virtual_file_stats",
            Observer::Postgres => "pg_stat_io",
            Observer::AzureMonitor => "Azure Monitor",
            Observer::CloudMonitoring => "Cloud Monitoring",
        }
    }
}

impl fmt::Display for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A file that somebody kept, or a sample of one.
#[derive(Clone, Copy, Debug)]
pub struct ObservedFile<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// The measurements over an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// By whom.
    pub observer: Observer,
    /// Each device by itself, in the order of their names; empty where only shares of limits are told.
    pub devices: Vec<Device>,
    /// Time that was watched, as far as anybody knows.
    pub duration: Option<Span>,
    /// When each interval of [`Device::series`] began, in seconds since the first; where no time is told, its number.
    pub starts_s: Vec<f64>,
    /// The share of their time that processors were in use: of the busiest where each is told, else of all.
    pub cpu: Option<f64>,
    /// The share of their time that processors waited for I/O.
    pub iowait: Option<f64>,
    /// True if the I/Os went through the operating system's page cache, where that is known.
    pub buffered: Option<bool>,
    /// Used share of limits.
    pub consumed: Vec<Consumed>,
    /// Notes about how it was read, in sentences.
    pub notes: Vec<String>,
}

/// Owner of the limit of a [`Consumed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// A data disk; without a LUN, of all data disks together.
    DataDisk(Option<u32>),
    /// The operating system's disk.
    SystemDisk,
    /// The VM's limit of cached I/O.
    VmCached,
    /// The VM's limit of uncached I/O.
    VmUncached,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::DataDisk(Some(lun)) => write!(f, "data disk LUN {lun}"),
            Scope::DataDisk(None) => f.write_str("data disks"),
            Scope::SystemDisk => f.write_str("OS disk"),
            Scope::VmCached => f.write_str("VM cached"),
            Scope::VmUncached => f.write_str("VM uncached"),
        }
    }
}

/// Used part of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Consumed {
    /// Its owner.
    pub scope: Scope,
    /// Of which figure.
    pub measure: Measure,
    /// The mean, as a share of the limit.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}

/// Unit of count of a [`Consumed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// I/Os a second.
    Ios,
    /// Bytes a second.
    Bytes,
    /// Burst credits of I/Os.
    IosCredits,
    /// Burst credits of bytes.
    BytesCredits,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Ios => "IOPS",
            Measure::Bytes => "bandwidth",
            Measure::IosCredits => "burst I/O credits",
            Measure::BytesCredits => "burst bandwidth credits",
        })
    }
}

/// The most devices, files or disks of one observation: a machine has fewer, and memory is bounded by it.
pub(crate) const DEVICES: usize = 4_096;
/// The most intervals: a day of seconds.
pub(crate) const INTERVALS: usize = 86_400;
/// The most figures that are kept of all devices and intervals together.
pub(crate) const KEPT: usize = 16 << 20;

/// Reads what somebody kept. Tools that count from their start need two samples: two files, or both in one.
/// `interval` is the time between two samples, or of a report, where the files do not tell it.
///
/// # Errors
/// Returns an error if the text is not such a file, samples are missing or do not belong together, or the interval is
/// unknown or contradictory. Each error has the line and the expected text.
pub fn read(
    observer: Observer,
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
) -> Result<Observation, FormatError> {
    let mut trouble = Trouble::new(observer);
    for file in files {
        trouble.source(Some(file.name), file.text);
    }
    let read = match observer {
        Observer::Iostat => crate::iostat::read(files, interval, &mut trouble),
        Observer::Diskstats => crate::diskstats::read(files, interval, &mut trouble),
        Observer::Perfmon => crate::perfmon::read(files, interval, &mut trouble),
        Observer::SqlServer => crate::sqlserver::read(files, interval, &mut trouble),
        Observer::Postgres => crate::postgres::read(files, interval, &mut trouble),
        Observer::AzureMonitor => crate::azure_monitor::read(files, interval, &mut trouble),
        Observer::CloudMonitoring => crate::cloud_monitoring::read(files, interval, &mut trouble),
    };
    let beyond = read.as_ref().and_then(|observation| bounds::check(observation).err());
    if let Some(what) = beyond {
        trouble.add(whole(0), what, "correct the figure in the file, or measure again");
    }
    trouble.or(read)
}

/// The beginning of a file, for what is wrong with the whole of it.
pub(crate) fn whole(source: usize) -> At {
    At { source, at: 0, len: 1 }
}

/// The lines of a text with the offset at which each begins, without their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = next;
        next += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// The interval: what the person said, what the files tell, or a problem where they contradict each other by more than
/// a tenth and a second.
pub(crate) fn agreed(said: Option<Span>, told_s: Option<f64>, at: At, trouble: &mut Trouble) -> Option<f64> {
    let (Some(span), Some(told)) = (said, told_s) else {
        return told_s.or(said.map(Span::secs_f64));
    };
    if (span.secs_f64() - told).abs() > 0.1 * told + 1.0 {
        trouble.add(
            at,
            format!("the interval is given as {span}, but the file's own times are {told:.1} s apart"),
            "leave --interval out to use the times in the file",
        );
        return None;
    }
    told_s
}

/// Number of seconds, as far as a span goes.
pub(crate) fn span(seconds: f64) -> Option<Span> {
    (seconds > 0.0 && seconds < 1e9).then(|| Span::from_ns((seconds * 1e9) as u64))
}
