#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the words are the help's: its brackets mean optional parts"
)]
use clap::Args;

/// The sources of facts about this machine. Each but the hidden ones is also a variable `IOBOUND_...`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "This machine")]
pub(crate) struct MachineArgs {
    /// Metadata service of the cloud: http://HOST[:PORT], or off [default: the link-local address, if the firmware
    /// names a cloud]
    #[arg(long, value_name = "URL|off")]
    pub(crate) metadata: Option<String>,
    /// Folder that replaces the machine's own files: for tests
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(crate) world: Option<String>,
    /// Folder with the same files after the watched time: for tests
    #[arg(long, value_name = "FOLDER", hide = true, requires = "world")]
    pub(crate) world_after: Option<String>,
}
