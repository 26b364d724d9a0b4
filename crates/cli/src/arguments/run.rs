use clap::Args;

/// How a run on real targets is carried out. Each is also a variable `IOBOUND_...`; the values are read by
/// `run::how`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Through the page cache [default: past it, O_DIRECT]
    #[arg(long)]
    pub(crate) buffered: bool,
    /// Writes are durable when they complete
    #[arg(long)]
    pub(crate) write_through: bool,
    /// What exists and may be written over: must be the target itself; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) overwrite: Vec<String>,
    /// Says what would be written and for how long, and ends
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Refuses what makes figures doubtful, such as devices in memory or never written
    #[arg(long)]
    pub(crate) strict: bool,
    /// Runs although other I/O is on the device
    #[arg(long)]
    pub(crate) busy_ok: bool,
    /// Never more I/Os a second than this, whatever the workload asks
    #[arg(long, value_name = "N")]
    pub(crate) max_iops: Option<String>,
    /// Ends the run when others wait: memory=10%,cpu=50%,io=80% of the time [default: memory=10%]
    #[arg(long, value_name = "SHARES")]
    pub(crate) max_pressure: Option<String>,
    /// How I/O is issued: io_uring, libaio, sync [default: what suits the targets]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    /// Binds threads to these processors in turn: 0-3,8
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Length of an interval of the series [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub(crate) interval: Option<String>,
    /// Ends when steady (SNIA), or when the IOPS are known to a share: steady, ci=2%
    #[arg(long, value_name = "WHAT")]
    pub(crate) until: Option<String>,
    /// Searches the smallest concurrency that reaches the most; --depth and --threads are its bounds
    #[arg(long)]
    pub(crate) find_knee: bool,
    /// Written blocks carry offset, generation and CRC-32C, and are read back
    #[arg(long)]
    pub(crate) verify: bool,
    /// A failed I/O: stop, continue [default: stop]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_error: Option<String>,
    /// Share of what is written that compresses away
    #[arg(long, value_name = "PERCENT")]
    pub(crate) compressible: Option<String>,
    /// Share of what is written that repeats earlier blocks
    #[arg(long, value_name = "PERCENT")]
    pub(crate) dedupe: Option<String>,
    /// Files that were made for the run are removed at its end
    #[arg(long)]
    pub(crate) remove: bool,
    /// A line of JSON for each interval, to a file or a descriptor (fd:3)
    #[arg(long, value_name = "FILE")]
    pub(crate) ndjson: Option<String>,
    /// The series as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<String>,
    /// Compares with this, in turns (ABBA), each side for --duration: targets, flags of the workload, or both: '/mnt/b',
    /// '--depth 16'
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) vs: Option<String>,
    /// With --vs: rounds of four turns each [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<String>,
    /// Ends with exit code 1 where this holds: 'iops < 50000', 'p99 > 5ms'; with --vs 'p99 > +5%' too; repeat for more
    #[arg(long, value_name = "CONDITION")]
    pub(crate) fail_if: Vec<String>,
    /// Where the result is kept, or off [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE|off")]
    pub(crate) results: Option<String>,
    /// An HdrHistogram interval log
    #[arg(long, value_name = "FILE")]
    pub(crate) hlog: Option<String>,
}
