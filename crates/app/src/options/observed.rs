//! Options about files of measurements.

use super::options;

options! {
    /// Measurements in files. The values are read by `observed`.
    pub struct ObservedOptions in "Measurements in files" {
        /// File with measurements. Results: iobound run, fio (JSON), DiskSpd (text, XML), Iometer (CSV). Counters: iostat -x
        /// (text, JSON), /proc/diskstats, Performance Monitor (CSV), sys.dm_io_virtual_file_stats, pg_stat_io, Azure Monitor
        /// and Cloud Monitoring (CSV, JSON), CloudWatch (JSON). The format is recognised. Repeat it if two samples are in two
        /// files
        result: Vec<String> = Form::Many, "FILE";
        /// Format of the file, if it is not recognised: iobound, fio, diskspd, iometer, iostat, diskstats, perfmon, sqlserver,
        /// postgres, azure-monitor, cloudwatch, cloud-monitoring
        from: Option<String> = Form::One, "KIND";
        /// Time between two samples, if the files do not state it
        interval: Option<String> = Form::One, "TIME";
        /// Disk or volume of the configuration for a device: sdc=data.0, 'E:=data'; repeat for more
        map: Vec<String> = Form::Many, "DEVICE=NAME";
    }
}
