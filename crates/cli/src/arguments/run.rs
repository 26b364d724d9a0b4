use clap::Args;

/// Options of a run on real targets. Each is also a variable `IOBOUND_...`; the values are read by
/// `run::how`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Use the page cache [default: bypass it with O_DIRECT]
    #[arg(long)]
    pub(crate) buffered: bool,
    /// Make each write durable before it completes
    #[arg(long)]
    pub(crate) write_through: bool,
    /// Existing file or device that may be overwritten; must be a target; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) overwrite: Vec<String>,
    /// Show what would be written, and the time it would take, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Refuse targets with doubtful figures, such as devices in memory or never written
    #[arg(long)]
    pub(crate) strict: bool,
    /// Run although other processes use the device
    #[arg(long)]
    pub(crate) busy_ok: bool,
    /// Upper limit of IOPS, whatever the workload asks for
    #[arg(long, value_name = "N")]
    pub(crate) max_iops: Option<String>,
    /// Stop when system pressure (PSI) exceeds these percentages: memory=10%,cpu=50%,io=80% [default: memory=10%]
    #[arg(long, value_name = "SHARES")]
    pub(crate) max_pressure: Option<String>,
    /// I/O engine: io_uring, libaio, sync [default: chosen by target]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    /// Processors to which threads are bound in turn: 0-3,8
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Length of an interval of the series [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub(crate) interval: Option<String>,
    /// Stop when the result is steady (SNIA), or when the 95 % confidence interval is narrow enough: steady, ci=2%
    #[arg(long, value_name = "WHAT")]
    pub(crate) until: Option<String>,
    /// Find the lowest concurrency that reaches the highest IOPS; --depth and --threads are the bounds
    #[arg(long)]
    pub(crate) find_knee: bool,
    /// Find the highest queue depth that keeps a latency goal, and run with it; --depth is the bound: p99:5ms
    #[arg(long, value_name = "GOAL")]
    pub(crate) find_load: Option<String>,
    /// Write offset, generation and CRC-32C into blocks, and verify them by reading back
    #[arg(long)]
    pub(crate) verify: bool,
    /// Action after a failed I/O: stop, continue [default: stop]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_error: Option<String>,
    /// Percentage of written data that compresses away
    #[arg(long, value_name = "PERCENT")]
    pub(crate) compressible: Option<String>,
    /// Percentage of written blocks that repeat earlier blocks
    #[arg(long, value_name = "PERCENT")]
    pub(crate) dedupe: Option<String>,
    /// Remove files that were made for the run at its end
    #[arg(long)]
    pub(crate) remove: bool,
    /// File or descriptor (fd:3) for one line of JSON for each interval
    #[arg(long, value_name = "FILE")]
    pub(crate) ndjson: Option<String>,
    /// File for the series of intervals as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<String>,
    /// Compare with these targets or workload options in turns (ABBA), each side for --duration: '/mnt/b',
    /// '--depth 16'
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) vs: Option<String>,
    /// Number of rounds of four turns, with --vs [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<String>,
    /// Condition that ends the program with exit code 1: 'iops < 50000', 'p99 > 5ms', with --vs 'p99 > +5%'; repeat for more
    #[arg(long, value_name = "CONDITION")]
    pub(crate) fail_if: Vec<String>,
    /// Results store, or off [default: IOBOUND_RESULTS, else in the user's data folder]
    #[arg(long, value_name = "FILE|off")]
    pub(crate) results: Option<String>,
    /// File for an HdrHistogram interval log
    #[arg(long, value_name = "FILE")]
    pub(crate) hlog: Option<String>,
}
