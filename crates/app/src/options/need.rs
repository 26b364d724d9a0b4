//! Options about what is needed.

use super::options;

options! {
    /// The need.
    pub struct NeedOptions in "Need" {
        /// IOPS of the workload's block size, or a range if you do not know: 20000..60000
        iops: Option<String> = Form::One, "IOPS|MIN..MAX",
            on "Need" PageField::text("short", "IOPS", "", "50000, or 20000..60000");
        /// Throughput; if it exceeds IOPS x block size, larger I/Os are assumed
        throughput: Option<String> = Form::One, "MB/s",
            on "Need" PageField::text("short", "Throughput", "400MB/s", "in place of IOPS");
        /// Take the need from the probed disks of --config, all together; other options of this section override parts of it
        like: bool = Form::Switch;
        /// Capacity of the data volume
        capacity: Option<String> = Form::One, "SIZE",
            on "Need" PageField::text("short", "Capacity", "", "of all data: 4TiB");
        /// Size of the data in use at a time, for the host cache [default: the capacity]
        working_set: Option<String> = Form::One, "SIZE";
        /// Highest latency at the requested rate: p99:5ms, mean:1ms
        latency: Option<String> = Form::One, "FIGURE:TIME",
            on "Need" PageField::text("short", "Latency", "p99:5ms", "at the rate");
        /// A log on disks of its own: 'iops=2000 block=32KiB capacity=256GiB'
        log: Option<String> = Form::One, "NEED",
            on "Need" PageField::text("", "Log on other disks", "iops=2000 block=32KiB capacity=256GiB", "its own need");
        /// Temporary data that may be lost with the VM, on its local disks: 'iops=20000 block=64KiB read=50% capacity=200GiB'
        temp: Option<String> = Form::One, "NEED";
        /// Percentage of every limit to keep free, so that I/Os do not queue; 0% buys the exact rate [default: 10%]
        headroom: Option<String> = Form::One, "PERCENT",
            on "Terms" PageField::text("short", "Headroom", "10%", "free of every limit");
    }
}
