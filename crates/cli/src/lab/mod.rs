//! Choice and conduct of the lab's rows: on the model, several at once; on real targets, one after the other.

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

/// Options of runs on real targets. Variables `IOBOUND_...` set the others, as for `run`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RealArgs {
    /// Run all rows on this folder, file or block device instead of the file's own targets; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) target: Vec<String>,
    /// Existing file or device that may be overwritten; must be a target; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) overwrite: Vec<String>,
    /// Show what would be written to the targets, and the time it would take, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run although other processes use the device
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
