use clap::Args;

const HEADING: &str = "Workload (default: random 4KiB reads, 32 outstanding)";

/// What to do I/O with: one job in flags, or one workload from elsewhere. The values are read by `workload`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WorkloadArgs {
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
    #[command(flatten)]
    pub(crate) times: TimeArgs,
}

/// How long a workload runs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct TimeArgs {
    /// How long figures are counted; 30s where a run is told nothing else
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// How long I/O runs before
    #[arg(long, value_name = "TIME")]
    pub(crate) warmup: Option<String>,
    /// How long it goes on after
    #[arg(long, value_name = "TIME")]
    pub(crate) cooldown: Option<String>,
}

/// What to do I/O with, whatever the time that it takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct JobArgs {
    /// Random offsets (the default)
    #[arg(long)]
    pub(crate) random: bool,
    /// Sequential; =shared: one stream for all threads
    #[arg(long, value_name = "shared", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) sequential: Option<String>,
    /// So many of the I/Os random, the others sequential
    #[arg(long, value_name = "PERCENT")]
    pub(crate) random_share: Option<String>,
    /// Size of an I/O, or a split: 8KiB, 4KiB:60,64KiB:40
    #[arg(long, value_name = "SIZE|SPLIT")]
    pub(crate) block: Option<String>,
    /// So many of the I/Os read, the others write
    #[arg(long, value_name = "PERCENT")]
    pub(crate) read: Option<String>,
    /// Outstanding I/Os of each thread on each volume
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<String>,
    /// Threads on each volume
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<String>,
    /// Open loop at this rate: 5000iops, 200MB/s
    #[arg(long, value_name = "IOPS|MB/s")]
    pub(crate) rate: Option<String>,
    /// How the I/Os of a rate arrive: fixed, poisson
    #[arg(long, value_name = "HOW")]
    pub(crate) arrivals: Option<String>,
    /// Closed loop no faster than this, by thread and volume
    #[arg(long, value_name = "IOPS|MB/s")]
    pub(crate) cap: Option<String>,
    /// The part of each volume that is used
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Where that part begins
    #[arg(long, value_name = "SIZE")]
    pub(crate) offset: Option<String>,
    /// Hot blocks by Zipf's law
    #[arg(long, value_name = "THETA")]
    pub(crate) zipf: Option<String>,
    /// Hot zone: 90/10 is 90 % of the I/Os on 10 % of the range
    #[arg(long, value_name = "IOS/RANGE")]
    pub(crate) hot: Option<String>,
    /// A flush after so many writes
    #[arg(long, value_name = "N")]
    pub(crate) flush_every: Option<String>,
    /// A pause after each I/O, or after each --burst of them
    #[arg(long, value_name = "TIME")]
    pub(crate) think: Option<String>,
    /// I/Os between two pauses
    #[arg(long, value_name = "N")]
    pub(crate) burst: Option<String>,
    /// The step from one sequential I/O to the next
    #[arg(long, value_name = "SIZE")]
    pub(crate) stride: Option<String>,
    /// Offsets are multiples of this
    #[arg(long, value_name = "SIZE")]
    pub(crate) align: Option<String>,
    /// A DiskSpd command line, as pasted
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    pub(crate) diskspd: Option<String>,
    /// A DiskSpd XML profile
    #[arg(long, value_name = "FILE")]
    pub(crate) diskspd_xml: Option<String>,
    /// An fio command line, or the name of a job file
    #[arg(long, value_name = "LINE|FILE", allow_hyphen_values = true)]
    pub(crate) fio: Option<String>,
    /// An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    #[arg(long, value_name = "FILE|SPEC")]
    pub(crate) iometer: Option<String>,
    /// The workload of a real system: `iobound catalog presets` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Jobs in TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) workload: Option<String>,
    /// Windows paths of a foreign workload: e:=data is the volume data, e:=/mnt/data a directory
    #[arg(long, value_name = "FROM=TO")]
    pub(crate) map: Vec<String>,
}

/// The native flags, by name.
pub(crate) const NATIVE: [&str; 22] = [
    "random",
    "sequential",
    "random-share",
    "block",
    "read",
    "depth",
    "threads",
    "rate",
    "arrivals",
    "cap",
    "size",
    "offset",
    "duration",
    "warmup",
    "cooldown",
    "zipf",
    "hot",
    "flush-every",
    "think",
    "burst",
    "stride",
    "align",
];

/// The workloads from elsewhere, by name.
pub(crate) const FOREIGN: [&str; 6] = ["diskspd", "diskspd-xml", "fio", "iometer", "preset", "workload"];

impl WorkloadArgs {
    /// What was typed for the flag of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let times = &self.times;
        match name {
            "duration" => times.duration.as_deref(),
            "warmup" => times.warmup.as_deref(),
            "cooldown" => times.cooldown.as_deref(),
            _ => self.jobs.get(name),
        }
    }
}

impl JobArgs {
    /// What was typed for the flag of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = match name {
            "random" => return self.random.then_some("true"),
            "sequential" => &self.sequential,
            "random-share" => &self.random_share,
            "block" => &self.block,
            "read" => &self.read,
            "depth" => &self.depth,
            "threads" => &self.threads,
            "rate" => &self.rate,
            "arrivals" => &self.arrivals,
            "cap" => &self.cap,
            "size" => &self.size,
            "offset" => &self.offset,
            "zipf" => &self.zipf,
            "hot" => &self.hot,
            "flush-every" => &self.flush_every,
            "think" => &self.think,
            "burst" => &self.burst,
            "stride" => &self.stride,
            "align" => &self.align,
            "diskspd" => &self.diskspd,
            "diskspd-xml" => &self.diskspd_xml,
            "fio" => &self.fio,
            "iometer" => &self.iometer,
            "preset" => &self.preset,
            "workload" => &self.workload,
            _ => &None,
        };
        value.as_deref()
    }

    /// Takes what `own` says for what is said here.
    #[cfg(all(feature = "load", target_os = "linux"))]
    pub(crate) fn lay_over(&mut self, own: &JobArgs) {
        self.random |= own.random;
        let values = [
            (&mut self.sequential, &own.sequential),
            (&mut self.random_share, &own.random_share),
            (&mut self.block, &own.block),
            (&mut self.read, &own.read),
            (&mut self.depth, &own.depth),
            (&mut self.threads, &own.threads),
            (&mut self.rate, &own.rate),
            (&mut self.arrivals, &own.arrivals),
            (&mut self.cap, &own.cap),
            (&mut self.size, &own.size),
            (&mut self.offset, &own.offset),
            (&mut self.zipf, &own.zipf),
            (&mut self.hot, &own.hot),
            (&mut self.flush_every, &own.flush_every),
            (&mut self.think, &own.think),
            (&mut self.burst, &own.burst),
            (&mut self.stride, &own.stride),
            (&mut self.align, &own.align),
            (&mut self.diskspd, &own.diskspd),
            (&mut self.diskspd_xml, &own.diskspd_xml),
            (&mut self.fio, &own.fio),
            (&mut self.iometer, &own.iometer),
            (&mut self.preset, &own.preset),
            (&mut self.workload, &own.workload),
        ];
        for (value, own) in values {
            if own.is_some() {
                value.clone_from(own);
            }
        }
        if !own.map.is_empty() {
            self.map.clone_from(&own.map);
        }
    }

    /// Takes back one of the flags that another stands instead of.
    #[cfg(all(feature = "load", target_os = "linux"))]
    pub(crate) fn unset(&mut self, name: &str) {
        match name {
            "random" => self.random = false,
            "sequential" => self.sequential = None,
            "zipf" => self.zipf = None,
            "hot" => self.hot = None,
            "rate" => self.rate = None,
            "cap" => self.cap = None,
            other => unreachable!("nothing stands instead of --{other}"),
        }
    }
}
