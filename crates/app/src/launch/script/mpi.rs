//! A command line for MPI's launchers. Nothing of MPI is linked: the ranks read what the launcher sets.

use std::fmt::Write;

use iobound_workload::shell_word;

use super::{DRAW, Job, PORT};
use crate::Exit;

/// The MPI launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mpi {
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// MPICH's `mpiexec` (Hydra), and those made of it: Intel MPI, MVAPICH.
    Mpich,
}

impl Job {
    /// For a shell where `mpirun` or `mpiexec` is.
    pub(super) fn mpi(&self, mpi: Mpi) -> String {
        let mut script = format!("# {}. For a shell on a host with MPI.\n{DRAW}", self.about());
        match self.names.first() {
            Some(first) => {
                let _ =
                    writeln!(script, "# Rank 0 is on the first host.\nexport IOBOUND_MEET={}", place(first));
            }
            None => {
                let _ = writeln!(
                    script,
                    "# Run this on the first host of the allocation, which runs rank 0.\n\
                     export IOBOUND_MEET=\"$(hostname):{PORT}\""
                );
            }
        }
        let (ranks, each) = (self.ranks(), self.each);
        let hosts = match (mpi, &self.file, self.names.is_empty()) {
            (_, _, true) => String::new(),
            (Mpi::OpenMpi, Some(file), _) => format!(" --hostfile {}", shell_word(file)),
            (Mpi::Mpich, Some(file), _) => format!(" -f {}", shell_word(file)),
            (Mpi::OpenMpi, None, _) => {
                let slots: Vec<String> = self.names.iter().map(|name| format!("{name}:{each}")).collect();
                format!(" --host {}", slots.join(","))
            }
            (Mpi::Mpich, None, _) => format!(" -hosts {}", self.names.join(",")),
        };
        // By name and not by value: values would be in the list of processes.
        let started = match mpi {
            Mpi::OpenMpi => {
                format!(
                    "mpirun --enable-recovery{hosts} -np {ranks} --map-by ppr:{each}:node -x IOBOUND_TOKEN -x IOBOUND_MEET"
                )
            }
            Mpi::Mpich => {
                format!("mpiexec{hosts} -n {ranks} -ppn {each} -genvlist IOBOUND_TOKEN,IOBOUND_MEET")
            }
        };
        let line = format!("{started} {}", self.line());
        script.push_str(&match mpi {
            Mpi::OpenMpi => recovering(&line),
            Mpi::Mpich => format!("{line}\n"),
        });
        script
    }
}

/// The line, with an exit code that says whether all went well. Open MPI (4.1) ends every rank when one dies, and rank 0
/// with its answer, but for --enable-recovery; with it, it ends with 0 whatever became of the ranks.
fn recovering(line: &str) -> String {
    format!(
        "# When a rank dies the others go on (--enable-recovery). mpirun then ends with 0 all the same: whether ranks failed,\n\
         # what they say does.\n\
         said=$(mktemp)\n\
         {{ {line} 2>&1 >&3 | tee \"$said\" >&2; code=${{PIPESTATUS[0]}}; }} 3>&1\n\
         if grep -q '^error: ' \"$said\"; then code={}; fi\n\
         rm -f \"$said\"\n\
         (exit \"$code\")\n",
        Exit::Io as u8
    )
}

/// A host and the port of the meeting.
fn place(host: &str) -> String {
    if host.contains(':') { format!("'[{host}]:{PORT}'") } else { format!("{host}:{PORT}") }
}
