//! Options of a rank.

use crate::options::options;

options! {
    /// The rank of a run in a fleet. Each is also a variable `IOBOUND_...`; the values are read by `fleet::standing`. The
    /// token is `IOBOUND_TOKEN` or a file: what stands on a command line, everybody on the machine can read.
    pub struct RankFlags in "Rank of a fleet (a launcher's environment sets it too)" {
        /// Rank of this process, from 0. Rank 0 runs the coordinator and prints the answer of all ranks
        rank: Option<String> = Form::One, "R";
        /// Number of ranks
        of: Option<String> = Form::One, "N";
        /// Address of the coordinator: rank 0's host and a port, or a socket path if all ranks are on this machine
        meet: Option<String> = Form::One, "HOST:PORT";
        /// File with the secret that the ranks share; - reads one line of standard input
        token_file: Option<String> = Form::One, "FILE";
        /// CA certificate (PEM) that verifies the coordinator
        tls_ca: Option<String> = Form::One, "FILE";
        /// Name in the coordinator's certificate, if it is not the host of --meet
        tls_name: Option<String> = Form::One, "NAME";
        /// Certificate of the coordinator (PEM)
        tls_cert: Option<String> = Form::One, "FILE";
        /// Private key of the coordinator (PEM)
        tls_key: Option<String> = Form::One, "FILE";
        /// Process that runs the coordinator: rank0, or elsewhere; rank 0 then joins like the others [default: rank0]
        coordinator: Option<String> = Form::One, "rank0|elsewhere";
        /// Time to wait for the other ranks [default: 2min]
        join_within: Option<String> = Form::One, "TIME";
        /// Run alone; ignore MPI, Slurm and Kubernetes variables
        alone: bool = Form::Switch;
        /// Also write this rank's own result with its histograms; {rank} and {host} are replaced
        own_result: Option<String> = Form::One, "FILE";
    }
}
