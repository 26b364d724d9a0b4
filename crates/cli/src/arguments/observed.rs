use clap::Args;

/// What was seen, in files. The values are read by `observed`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What was seen, in files")]
pub(crate) struct ObservedArgs {
    /// A result of iobound run, fio (JSON), DiskSpd (text, XML) or Iometer (CSV); or counters that were kept: iostat -x
    /// (text, JSON), /proc/diskstats, Performance Monitor (CSV), sys.dm_io_virtual_file_stats, pg_stat_io, Azure Monitor
    /// (CSV, JSON). Known by what is in it; repeat for two samples
    #[arg(long, value_name = "FILE")]
    pub(crate) result: Vec<String>,
    /// What the file is, where that isn't plain: iobound, fio, diskspd, iometer, iostat, diskstats, perfmon, sqlserver,
    /// postgres, azure-monitor
    #[arg(long, value_name = "KIND")]
    pub(crate) from: Option<String>,
    /// The time between two samples, where the files do not tell it
    #[arg(long, value_name = "TIME")]
    pub(crate) interval: Option<String>,
    /// Which disk or volume of the configuration a device is: sdc=data.0, 'E:=data'; repeat for more
    #[arg(long, value_name = "DEVICE=NAME")]
    pub(crate) map: Vec<String>,
}
