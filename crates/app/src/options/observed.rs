//! Options about files of measurements.

use super::options;

options! {
    /// Measurements in files. The values are read by `observed`.
    pub struct ObservedOptions in "Measurements in files" {
        /// File with measurements: a result of iobound run, fio (JSON), DiskSpd (text, XML) or Iometer (CSV), or
        /// counters of iostat -x (text, JSON), /proc/diskstats, Performance Monitor (CSV), sys.dm_io_virtual_file_stats,
        /// pg_stat_io or Azure Monitor (CSV, JSON). The format is recognised; repeat for two samples
        result: Vec<String> = Form::Many, "FILE";
        /// Format of the file, if it is not recognised: iobound, fio, diskspd, iometer, iostat, diskstats, perfmon, sqlserver,
        /// postgres, azure-monitor
        from: Option<String> = Form::One, "KIND";
        /// Time between two samples, if the files do not state it
        interval: Option<String> = Form::One, "TIME";
        /// Disk or volume of the configuration for a device: sdc=data.0, 'E:=data'; repeat for more
        map: Vec<String> = Form::Many, "DEVICE=NAME";
    }
}
