#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the words are the help's: its brackets mean optional parts"
)]
use clap::Args;

/// How this machine is looked at. Each but the hidden ones is also a variable `IOBOUND_...`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "This machine")]
pub(crate) struct MachineArgs {
    /// The cloud's metadata service: http://HOST[:PORT], or off [default: the link-local address, where the firmware
    /// names a cloud]
    #[arg(long, value_name = "URL|off")]
    pub(crate) metadata: Option<String>,
    /// A tree of files that stands for the machine: for tests
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(crate) world: Option<String>,
    /// The same machine after the time watched: for tests
    #[arg(long, value_name = "FOLDER", hide = true, requires = "world")]
    pub(crate) world_after: Option<String>,
}
