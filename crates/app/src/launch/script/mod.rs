//! Scripts for other launchers: a batch script, manifests, a command line. Each starts the same words on every host, and
//! hands the ranks what they need to meet: the size where the launcher does not tell it, the place, and a token that is in
//! no list of processes.

mod asked;
mod kubernetes;
mod mpi;
mod slurm;
mod storage;

use iobound_units::{Bytes, Span};
use iobound_workload::shell_line;

pub(crate) use asked::AskedScript;
pub use asked::{ClaimFlags, LauncherFlags, ScriptRequest};
pub(crate) use kubernetes::VolumeClaim;
pub(crate) use mpi::Mpi;

/// Port on rank 0's host at which ranks meet; nobody registered it.
pub(crate) const PORT: u16 = 7711;

/// Command and hosts of the script.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Name of the job in the launcher.
    pub(crate) name: String,
    /// Number of hosts.
    pub(crate) hosts: u32,
    /// Their names, where the person gave them.
    pub(crate) names: Vec<String>,
    /// The file that they are in, where that is a plain list.
    pub(crate) file: Option<String>,
    /// Number of ranks each host that has.
    pub(crate) each: u32,
    /// The longest that it may take.
    pub(crate) time: Option<Span>,
    /// The program there.
    pub(crate) program: String,
    /// The words of the run, from its verb on.
    pub(crate) words: Vec<String>,
}

/// For whom it is.
#[derive(Clone, Debug)]
pub(crate) enum Launcher {
    Slurm,
    Mpi(Mpi),
    Kubernetes(VolumeClaim),
}

impl Job {
    /// Number of ranks.
    pub(crate) fn ranks(&self) -> u32 {
        self.hosts * self.each
    }

    /// The script, manifests or command line for a launcher. `token` is a secret for launchers that cannot draw one.
    pub(crate) fn script(&self, launcher: &Launcher, token: &str) -> String {
        match launcher {
            Launcher::Slurm => self.slurm(),
            Launcher::Mpi(mpi) => self.mpi(*mpi),
            Launcher::Kubernetes(claim) => self.kubernetes(claim, token),
        }
    }

    /// First lines of the script, for people.
    fn about(&self) -> String {
        let each = match self.each {
            1 => "one rank each".to_string(),
            each => format!("{each} ranks each"),
        };
        match self.hosts {
            1 => format!("iobound on one host, {each}"),
            hosts => format!("iobound on {hosts} hosts, {each}"),
        }
    }

    /// The line that runs, for a shell.
    fn line(&self) -> String {
        shell_line(std::iter::once(self.program.as_str()).chain(self.words.iter().map(String::as_str)))
    }
}

/// The lines of a shell that draw a token for this run alone, and keep it out of every list of processes.
const DRAW: &str = "\
# A secret that only the ranks of this run know, passed in the environment, which other users cannot read.
IOBOUND_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
export IOBOUND_TOKEN
";

/// A size as Kubernetes and people write it.
fn quantity(size: Bytes) -> String {
    let bytes = size.get();
    for (unit, shift) in [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)] {
        if bytes >= 1 << shift && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}
