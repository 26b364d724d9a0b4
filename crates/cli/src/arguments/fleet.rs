use clap::Args;

/// The rank of a run in a fleet. Each is also a variable `IOBOUND_...`; the values are read by `fleet::standing`. The
/// token is `IOBOUND_TOKEN` or a file: what stands on a command line, everybody on the machine can read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rank of a fleet (a launcher's environment sets it too)")]
pub(crate) struct RankArgs {
    /// Rank of this process, from 0. Rank 0 runs the coordinator and prints the answer of all ranks
    #[arg(long, value_name = "R")]
    pub(crate) rank: Option<String>,
    /// Number of ranks
    #[arg(long, value_name = "N")]
    pub(crate) of: Option<String>,
    /// Address of the coordinator: rank 0's host and a port, or a socket path if all ranks are on this machine
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) meet: Option<String>,
    /// File with the secret that the ranks share; - reads one line of standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<String>,
    /// CA certificate (PEM) that verifies the coordinator
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<String>,
    /// Name in the coordinator's certificate, if it is not the host of --meet
    #[arg(long, value_name = "NAME")]
    pub(crate) tls_name: Option<String>,
    /// Certificate of the coordinator (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<String>,
    /// Private key of the coordinator (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<String>,
    /// Process that runs the coordinator: rank0, or elsewhere; rank 0 then joins like the others [default: rank0]
    #[arg(long, value_name = "WHERE")]
    pub(crate) desk: Option<String>,
    /// Time to wait for the other ranks [default: 2min]
    #[arg(long, value_name = "TIME")]
    pub(crate) join_within: Option<String>,
    /// Run alone; ignore MPI, Slurm and Kubernetes variables
    #[arg(long)]
    pub(crate) alone: bool,
    /// Also write this rank's own result with its histograms; {rank} and {host} are replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) own_result: Option<String>,
}
