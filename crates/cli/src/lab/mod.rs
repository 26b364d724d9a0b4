//! How the lab's rows are chosen and carried out: on the model, several at once; on real targets, one after the other.

mod carry_out;
mod choice;
mod measured;
#[cfg(all(feature = "load", target_os = "linux"))]
mod real;
#[cfg(not(all(feature = "load", target_os = "linux")))]
#[path = "no_real.rs"]
mod real;
#[cfg(all(feature = "load", target_os = "linux"))]
mod rehearsal;
#[cfg(not(all(feature = "load", target_os = "linux")))]
#[path = "no_rehearsal.rs"]
mod rehearsal;

use clap::Args;

pub(crate) use carry_out::{CarriedOut, carry_out};
pub(crate) use choice::chosen;
pub(crate) use measured::measured;
pub(crate) use real::{Real, RunOptions, how_of, shelf_at};
pub(crate) use rehearsal::Rehearsal;

/// What can be said of the runs on real targets; how else they go, variables `IOBOUND_...` say, as for `run`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RealArgs {
    /// Run all rows on this folder, file or block device as well, and not on those that the file names; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) target: Vec<String>,
    /// What exists and may be written over: must be the target itself; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) overwrite: Vec<String>,
    /// Says what would be written to the targets and for how long, and ends
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Runs although other I/O is on the device
    #[arg(long)]
    pub(crate) busy_ok: bool,
}

impl RealArgs {
    /// The first flag that is nothing without a target.
    pub(crate) fn flag(&self) -> Option<&'static str> {
        let flags = [
            ("--overwrite", !self.overwrite.is_empty()),
            ("--dry-run", self.dry_run),
            ("--busy-ok", self.busy_ok),
        ];
        flags.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}
