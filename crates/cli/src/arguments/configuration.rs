#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the words are the help's: its brackets mean optional parts"
)]
use clap::Args;

/// A VM size, its disks and the state they are in. Each is also a key of `[machine]` in a `--config` file and a
/// variable `IOBOUND_...`; the values are read by `settings::configuration`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigurationArgs {
    /// The VM size: DS14 is enough for Standard_DS14
    #[arg(long, value_name = "NAME")]
    pub(crate) vm: Option<String>,
    /// A volume of disks, [NAME=][COUNTx]WHAT[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
    /// premiumv2@1TiB+20000iops+600MB/s; repeat for more volumes
    #[arg(long, value_name = "SPEC")]
    pub(crate) disk: Vec<String>,
    /// The operating system's disk, a volume named `os`
    #[arg(long, value_name = "SPEC")]
    pub(crate) os_disk: Option<String>,
    /// Bytes on one disk of a stripe before the next [default: 64KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) stripe: Option<String>,
    /// Disks that one stripe spans [default: all of the volume's]
    #[arg(long, value_name = "N")]
    pub(crate) columns: Option<String>,
    /// Each disk is a volume of its own
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) separate: Option<String>,
    /// Where the file system starts on the volume [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub(crate) partition_offset: Option<String>,
    /// The figures, disk counts and rules then in force: 2016, 2018-06, 2020-08, current
    #[arg(long, value_name = "ERA")]
    pub(crate) era: Option<String>,
    /// Latency of the media in place of the catalogue's: read=2.6ms,write=2ms
    #[arg(long, value_name = "LATENCY")]
    pub(crate) media: Option<String>,
    /// Latency of the media from a result that was measured below every limit
    #[arg(long, value_name = "RESULT")]
    pub(crate) calibrate: Option<String>,
    /// What host caches hold: warm, cold, second-run [default: warm]
    #[arg(long, value_name = "STATE")]
    pub(crate) cache_state: Option<String>,
    /// Burst credits: sustained (spent), 0 (full), or how long after they were full, 20min
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Unmanaged disks of 2016 in storage accounts: one-each, shared [default: one-each]
    #[arg(long, value_name = "WHICH")]
    pub(crate) accounts: Option<String>,
    /// Premium SSDs above 512 GiB burst on demand, which is billed
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) on_demand_burst: Option<String>,
    /// Limits exactly as published, factor 1, not as they are enforced
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) published: Option<String>,
    /// Your own catalogue file, TOML or CSV: its figures win
    #[arg(long, value_name = "FILE")]
    pub(crate) catalog: Option<String>,
}

impl ConfigurationArgs {
    /// What is said about machine and disks beside which they are, by flag: of no effect where there are none.
    pub(crate) fn details(&self) -> [(&'static str, &Option<String>); 12] {
        [
            ("stripe", &self.stripe),
            ("columns", &self.columns),
            ("separate", &self.separate),
            ("partition-offset", &self.partition_offset),
            ("era", &self.era),
            ("media", &self.media),
            ("calibrate", &self.calibrate),
            ("cache-state", &self.cache_state),
            ("at", &self.at),
            ("accounts", &self.accounts),
            ("on-demand-burst", &self.on_demand_burst),
            ("published", &self.published),
        ]
    }
}
