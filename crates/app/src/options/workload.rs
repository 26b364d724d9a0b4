//! Options about the workload.

use super::{Options, options};

/// The group of the help that the options of a workload belong to.
const HEADING: &str = "Workload (default: random 4KiB reads, 32 outstanding)";

/// Options that are a whole workload from elsewhere, by name.
pub const FOREIGN: [&str; 6] = ["diskspd", "diskspd-xml", "fio", "iometer", "preset", "workload"];

/// The names of the options that describe one job and its times, in the order of the help.
pub fn native() -> Vec<&'static str> {
    let names = WorkloadOptions::specs().into_iter().map(|spec| spec.name);
    names.filter(|name| !FOREIGN.contains(name) && *name != "map").collect()
}

options! {
    /// The I/Os to issue: one job in options, or a workload from a file or another tool.
    pub struct WorkloadOptions {
    }
    jobs: JobOptions;
    times: TimeOptions;
}

options! {
    /// The I/Os to issue, without their duration.
    pub struct JobOptions in HEADING {
        /// Random offsets (the default)
        random: bool = Form::Switch;
        /// Sequential offsets; =shared: one stream for all threads
        sequential: Option<String> = Form::Alone(""), "shared";
        /// Percentage of random I/Os; the others are sequential
        random_share: Option<String> = Form::One, "PERCENT";
        /// Block size, or a mix of sizes with weights: 8KiB, 4KiB:60,64KiB:40 [default: 4KiB]
        block: Option<String> = Form::One, "SIZE|SPLIT",
            on "Workload" PageField::text("short", "Block", "4KiB", "8KiB, 4KiB:60,64KiB:40");
        /// Percentage of reads; the others are writes [default: 100%]
        read: Option<String> = Form::One, "PERCENT",
            on "Workload" PageField::text("short", "Reads", "100%", "the rest are writes");
        /// Queue depth: outstanding I/Os of each thread on each volume
        depth: Option<String> = Form::One, "N",
            on "Workload" PageField::text("short", "Depth", "32", "I/Os in flight a thread");
        /// Threads on each volume
        threads: Option<String> = Form::One, "N",
            on "Workload" PageField::text("short", "Threads", "1", "on each volume");
        /// Open loop at this rate in all, divided equally among volumes and threads: 5000iops, 200MB/s
        rate: Option<String> = Form::One, "IOPS|MB/s",
            on "Workload" PageField::text("short", "Rate", "none", "5000iops, 200MB/s");
        /// Arrival times with --rate: fixed, poisson [default: fixed]
        arrivals: Option<String> = Form::One, "fixed|poisson";
        /// Closed loop with this upper limit for each thread and volume
        cap: Option<String> = Form::One, "IOPS|MB/s";
        /// Size of the used part of each volume
        size: Option<String> = Form::One, "SIZE",
            on "Workload" PageField::text("short", "Used part", "all", "100GiB of the volume");
        /// Offset of the used part [default: 0]
        offset: Option<String> = Form::One, "SIZE";
        /// Exponent of a Zipf distribution of offsets
        zipf: Option<String> = Form::One, "THETA",
            on "Workload" PageField::text("short", "Zipf", "even", "skew: 1.1");
        /// Hot zone: 90/10 sends 90 % of the I/Os to 10 % of the range
        hot: Option<String> = Form::One, "IOS/RANGE";
        /// Number of writes between two flushes
        flush_every: Option<String> = Form::One, "N";
        /// Pause after each I/O, or after each --burst of I/Os
        think: Option<String> = Form::One, "TIME";
        /// I/Os between two pauses
        burst: Option<String> = Form::One, "N";
        /// Distance between the starts of two sequential I/Os
        stride: Option<String> = Form::One, "SIZE";
        /// Alignment of offsets
        align: Option<String> = Form::One, "SIZE";
        /// A DiskSpd command line: '-b4K -o8 -t4 -r'
        diskspd: Option<String> = Form::Line, "LINE",
            on "Workload" PageField::text("long", "DiskSpd line", "", "-b4K -d60 -o8 -t4 -si");
        /// A DiskSpd XML profile
        diskspd_xml: Option<String> = Form::One, "FILE";
        /// An fio command line ('--name=a --size=10g --rw=randread') or job file
        fio: Option<String> = Form::Line, "LINE|FILE",
            on "Workload" PageField::text("long", "fio line", "", "--name=a --size=10g --rw=randread");
        /// An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
        iometer: Option<String> = Form::One, "FILE|SPEC",
            on "Workload" PageField::text("long", "Access specification", "4096,100,67,100,0,1,0,0", "a line of an .icf file");
        /// Workload of a real system; `iobound catalog presets` lists them
        preset: Option<String> = Form::One, "NAME",
            on "Workload" PageField::offers("System", "presets", "postgres-oltp, sqlserver-oltp");
        /// Jobs in a TOML file
        workload: Option<String> = Form::One, "FILE";
        /// Replacement for a path in another tool's workload: e:=data (a volume), e:=/mnt/data (a directory)
        map: Vec<String> = Form::Many, "FROM=TO";
    }
}

options! {
    /// Duration of a workload.
    pub struct TimeOptions in HEADING {
        /// Measurement time [default: 30s]; for `predict`, of a run from idle with full burst credits
        duration: Option<String> = Form::One, "TIME";
        /// Warm-up time, excluded from the results
        warmup: Option<String> = Form::One, "TIME";
        /// Time that I/O continues after the measurement
        cooldown: Option<String> = Form::One, "TIME";
    }
}
