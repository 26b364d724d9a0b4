use clap::Args;

/// Which rank of a fleet a run is. Each is also a variable `IOBOUND_...`; the values are read by `fleet::standing`. The
/// token is `IOBOUND_TOKEN` or a file: what stands on a command line, everybody on the machine can read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "One of several machines (a launcher's environment says it too)")]
pub(crate) struct RankArgs {
    /// This is rank R of --of, from 0: rank 0 opens the desk, shows all of them, and writes the answer
    #[arg(long, value_name = "R")]
    pub(crate) rank: Option<String>,
    /// How many ranks there are
    #[arg(long, value_name = "N")]
    pub(crate) of: Option<String>,
    /// Where the ranks meet: rank 0's host and a port, or a socket's path where all are on this machine
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) meet: Option<String>,
    /// The secret that ranks share, in a file of this user; - reads a line of standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<String>,
    /// What a rank believes the desk's certificate by (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<String>,
    /// The name in the desk's certificate, where it is not the host of --meet
    #[arg(long, value_name = "NAME")]
    pub(crate) tls_name: Option<String>,
    /// The desk's certificate (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<String>,
    /// The desk's private key (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<String>,
    /// Who opens the desk: rank0, or elsewhere, where rank 0 joins it as the others do [default: rank0]
    #[arg(long, value_name = "WHERE")]
    pub(crate) desk: Option<String>,
    /// How long the others are waited for [default: 2min]
    #[arg(long, value_name = "TIME")]
    pub(crate) join_within: Option<String>,
    /// This is no rank, whatever a launcher says
    #[arg(long)]
    pub(crate) alone: bool,
    /// This rank's own result too, histograms and all; {rank} and {host} stand for themselves
    #[arg(long, value_name = "FILE")]
    pub(crate) own_result: Option<String>,
}
