//! Options about the I/Os of a need.

use super::options;

options! {
    /// The I/Os of a need, in the options of the other verbs. A plan needs neither depth nor locality.
    pub struct ShapeOptions in "Workload (default: random 4KiB reads)" {
        /// Block size, or a mix of sizes with weights: 8KiB, 4KiB:60,64KiB:40 [default: 4KiB]
        block: Option<String> = Form::One, "SIZE|SPLIT",
            on "Need" PageField::text("short", "Block", "4KiB", "size of an I/O");
        /// Percentage of reads; the others are writes [default: 100%]
        read: Option<String> = Form::One, "PERCENT",
            on "Need" PageField::text("short", "Reads", "100%", "the rest are writes");
        /// The same as --iops or --throughput: 5000iops, 200MB/s
        rate: Option<String> = Form::One, "IOPS|MB/s";
        /// A DiskSpd command line: '-b4K -o8 -t4 -r'
        diskspd: Option<String> = Form::Line, "LINE";
        /// A DiskSpd XML profile
        diskspd_xml: Option<String> = Form::One, "FILE";
        /// An fio command line ('--name=a --size=10g --rw=randread') or job file
        fio: Option<String> = Form::Line, "LINE|FILE";
        /// An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
        iometer: Option<String> = Form::One, "FILE|SPEC";
        /// Workload of a real system; `iobound catalog presets` lists them
        preset: Option<String> = Form::One, "NAME",
            on "Need" PageField::offers("or a system", "presets", "its mix of I/Os");
        /// Jobs in a TOML file
        workload: Option<String> = Form::One, "FILE";
    }
}
