//! Answer of a reader of counters.

use std::fmt;

use iobound_units::Span;

use super::device::Device;
use super::reader::CloudMetrics;

/// Program that kept the counters.
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
    /// A cloud's metrics of a VM.
    Cloud(&'static CloudMetrics),
}

impl Observer {
    /// All of them but the clouds, which the caller knows.
    pub const ALL: [Observer; 5] =
        [Observer::Iostat, Observer::Diskstats, Observer::Perfmon, Observer::SqlServer, Observer::Postgres];

    /// The word of the command line: `iostat`, `azure-monitor`.
    pub const fn word(self) -> &'static str {
        match self {
            Observer::Iostat => "iostat",
            Observer::Diskstats => "diskstats",
            Observer::Perfmon => "perfmon",
            Observer::SqlServer => "sqlserver",
            Observer::Postgres => "postgres",
            Observer::Cloud(metrics) => metrics.word,
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
            Observer::Cloud(metrics) => metrics.name,
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
    /// Start of each interval of [`Device::series`], in seconds since the first; without times, its number.
    pub starts_s: Vec<f64>,
    /// The share of their time that processors were in use: of the busiest where each is told, else of all.
    pub cpu: Option<f64>,
    /// The share of their time that processors waited for I/O.
    pub iowait: Option<f64>,
    /// True if the I/Os went through the operating system's page cache, where that is known.
    pub buffered: Option<bool>,
    /// Used share of limits.
    pub consumed: Vec<Consumed>,
    /// I/Os that limits held back, by the cloud's own count.
    pub held: Vec<HeldBack>,
    /// Notes about how it was read, in sentences.
    pub notes: Vec<String>,
}

/// Owner of the limit of a [`Consumed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// A data disk; without a LUN, of all data disks together.
    DataDisk(Option<u32>),
    /// A disk of which the devices tell which one it is.
    Disk,
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
            Scope::Disk => f.write_str("disk"),
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

/// I/Os of a device that a limit held back, by the cloud's own count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// The device, as [`Device::name`] has it.
    pub device: String,
    /// True if it was a limit of the VM, false if it was one of the disk; `None`: the cloud does not tell which.
    pub by_vm: Option<bool>,
    /// I/Os a second or bytes a second.
    pub measure: Measure,
    /// Number of intervals in which I/Os were held back, and of all of them.
    pub intervals: [u32; 2],
    /// The metric and the most that was held back, in words.
    pub told: String,
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
