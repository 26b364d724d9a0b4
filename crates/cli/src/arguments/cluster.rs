use clap::Args;

/// How many hosts there are of a configuration. Each is also a key of `[machine]` in a `--config` file and a variable
/// `IOBOUND_...`; the values are read by `hosts`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    /// So many of these hosts, each under the same workload: their sum, the slowest of them, and a scan that waits for it
    #[arg(long, value_name = "N")]
    pub(crate) hosts: Option<String>,
    /// One of them delivers so much of what is expected [default: the low end of the band; with --at, its credits spent]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) slow_host: Option<String>,
}

/// Over how many hosts a need is split.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct SplitArgs {
    /// The need is of so many equal hosts together: 8, or the cheapest number of 4..16, or auto (1..16)
    #[arg(long, value_name = "N|MIN..MAX|auto")]
    pub(crate) hosts: Option<String>,
    /// The need is met by a scan that waits for a host that delivers so much of its limits [default: 100 %]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) slow_host: Option<String>,
}
