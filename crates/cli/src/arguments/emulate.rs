#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the words are the help's: its brackets mean optional parts"
)]
use clap::Args;

use super::JobArgs;

/// Where devices are served, and how. Each is also a variable `IOBOUND_...`; the values are read by `emulate::how`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Emulator")]
pub(crate) struct EmulateArgs {
    /// Serve by NBD: unix:PATH, or tcp:ADDRESS:PORT on the loopback (tcp:127.0.0.1:10809); repeat for more
    #[arg(long, value_name = "WHERE")]
    pub(crate) nbd: Vec<String>,
    /// Another address than the loopback's for --nbd: whoever reaches it has the disks
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) allow: Vec<String>,
    /// Serve as files of this folder, one for each volume and disk
    #[arg(long, value_name = "FOLDER")]
    pub(crate) fuse: Option<String>,
    /// Others may use the files as well, as root does for a loop device (needs user_allow_other in /etc/fuse.conf)
    #[arg(long)]
    pub(crate) allow_other: bool,
    /// Where data is kept: memory, or a folder for a sparse file for each disk [default: memory]
    #[arg(long, value_name = "WHERE")]
    pub(crate) backing: Option<String>,
    /// The most that is kept in memory; what is written beyond fails with "no space" [default: of what is free, half]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// An image that a volume begins with, VOLUME=FILE: it is only read; repeat for more
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Vec<String>,
    /// Limits and latencies: on, off (to see what the transport takes) [default: on]
    #[arg(long, value_name = "on|off")]
    pub(crate) gates: Option<String>,
    /// Waits awake before a reply is due: for the last part of a wait, 0 to sleep through it, or always [default: 10us]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub(crate) spin: Option<String>,
    /// At the end, what a ReadWrite cache has not written back is lost, as when a host fails
    #[arg(long)]
    pub(crate) crash: bool,
    /// What is subtracted from every latency, for the way to the emulator [default: as measured at the start]
    #[arg(long, value_name = "TIME")]
    pub(crate) transport_cost: Option<String>,
    /// Metrics for Prometheus at this address of the loopback: 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<String>,
    /// The control socket [default: in the user's run directory, where `emulate ctl` finds it]
    #[arg(long, value_name = "PATH")]
    pub(crate) control: Option<String>,
    /// Ends after this time [default: with Ctrl-C]
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
}

/// What ran on the disks before: with it `--at` and `--cache-state` have credits and caches as it leaves them.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BeforeArgs {
    /// How long it ran, for --cache-state second-run [default: what the workload says itself, else 30s]
    #[arg(long, value_name = "TIME", help_heading = "What ran before, by the flags of a workload")]
    pub(crate) ran_for: Option<String>,
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
}
