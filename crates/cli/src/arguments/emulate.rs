#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the words are the help's: its brackets mean optional parts"
)]
use clap::Args;

use super::JobArgs;

/// The devices that are served. Each is also a variable `IOBOUND_...`; the values are read by `emulate::how`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Emulator")]
pub(crate) struct EmulateArgs {
    /// Serve over NBD: unix:PATH, or tcp:ADDRESS:PORT on the loopback (tcp:127.0.0.1:10809); repeat for more
    #[arg(long, value_name = "WHERE")]
    pub(crate) nbd: Vec<String>,
    /// Allow this address for --nbd, beside the loopback. Everybody who can reach it can use the disks
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) allow: Vec<String>,
    /// Serve as files in this folder, one for each volume and disk
    #[arg(long, value_name = "FOLDER")]
    pub(crate) fuse: Option<String>,
    /// Let other users access the files, for example root for a loop device (needs user_allow_other in /etc/fuse.conf)
    #[arg(long)]
    pub(crate) allow_other: bool,
    /// Storage of the data: memory, or a folder with one sparse file for each disk [default: memory]
    #[arg(long, value_name = "WHERE")]
    pub(crate) backing: Option<String>,
    /// Use this existing file of --backing as a disk, although it is not recognised as one; repeat for more
    #[arg(long, value_name = "PATH")]
    pub(crate) overwrite: Vec<String>,
    /// Memory limit of the data; writes beyond it fail with "no space" [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Initial content of a volume, VOLUME=FILE. The file is only read; repeat for more
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Vec<String>,
    /// Limits and latencies: on, or off to measure the transport alone [default: on]
    #[arg(long, value_name = "on|off")]
    pub(crate) gates: Option<String>,
    /// Busy-wait for this last part of each wait; 0 sleeps, and no value busy-waits always [default: 10us]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub(crate) spin: Option<String>,
    /// At the end, lose what a ReadWrite cache has not written back, like a failing host
    #[arg(long)]
    pub(crate) crash: bool,
    /// Transport overhead to subtract from every latency [default: measured at startup]
    #[arg(long, value_name = "TIME")]
    pub(crate) transport_cost: Option<String>,
    /// Serve Prometheus metrics at this loopback address: 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<String>,
    /// Path of the control socket [default: in the user's run directory, where `emulate ctl` finds it]
    #[arg(long, value_name = "PATH")]
    pub(crate) control: Option<String>,
    /// Stop after this time [default: at Ctrl-C]
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
}

/// The workload that ran on the disks before. `--at` and `--cache-state` start with the credits and caches that it leaves.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BeforeArgs {
    /// Duration of that workload, for --cache-state second-run [default: the workload's own, else 30s]
    #[arg(long, value_name = "TIME", help_heading = "Workload that ran before")]
    pub(crate) ran_for: Option<String>,
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
}
