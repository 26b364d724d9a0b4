//! Which rank this process is.

use std::fmt;

/// Which rank this process is, and of how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// From 0.
    pub rank: u32,
    /// How many there are; at least 1.
    pub of: u32,
    /// Who says so.
    pub launcher: Launcher,
    /// Its place among the ranks of this machine, where the launcher says it.
    pub local: Option<Local>,
    /// What the launcher calls this start of its: different for every start on a machine. `None` where it has no name.
    pub job: Option<String>,
}

/// A place among the ranks of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// From 0.
    pub rank: u32,
    /// How many are on this machine.
    pub of: u32,
}

/// Who started the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A person or a script, with `--rank` and `--of`.
    Given,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// A process manager that speaks PMI: MPICH, Intel MPI, others.
    Pmi,
    /// Slurm's `srun`.
    Slurm,
    /// A Kubernetes Indexed Job.
    Kubernetes,
}

/// What was said of the seat and can't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatError {
    /// What was read.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for SeatError {}

impl Seat {
    /// A seat that a person gives.
    ///
    /// # Errors
    /// A rank that is none of so many.
    pub fn given(rank: u32, of: u32) -> Result<Seat, SeatError> {
        if rank >= of {
            return Err(SeatError {
                what: format!("rank {rank} of {of}: ranks are counted from 0"),
                mend: format!("--rank is 0 to {}", of.saturating_sub(1)),
            });
        }
        Ok(Seat { rank, of, launcher: Launcher::Given, local: None, job: None })
    }
}

/// The seat that the launcher's environment says; `None` where it says nothing of one. `IOBOUND_RANK` and `IOBOUND_OF`
/// are not read here but for the size that an Indexed Job does not tell: they are settings, and stand above the launcher's.
///
/// # Errors
/// What is said contradicts itself.
pub fn seat(env: &dyn Fn(&str) -> Option<String>) -> Result<Option<Seat>, SeatError> {
    let _ = env;
    Ok(None)
}
