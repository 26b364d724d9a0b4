//! Options about the machine and its disks.

use super::{Options, options};

options! {
    /// A VM size, its disks and the state they are in. Each is also a key of `[machine]` in a `--config` file and a
    /// variable `IOBOUND_...`; the values are read by `settings::configuration`.
    pub struct ConfigurationOptions in "Configuration" {
        /// VM size; the short name is enough: DS14 for Standard_DS14
        vm: Option<String> = Form::One, "NAME",
            on "Machine" PageField::offers("VM size", "vms", "D16ds_v5, m5.large");
        /// Volume of disks, [NAME=][COUNTx]DISK[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB, P40+performance-plus, P10+P50 (performance tier),
        /// premiumv2@1TiB+20000iops+600MB/s; repeat for more volumes
        disk: Vec<String> = Form::Many, "SPEC",
            on "Disks" PageField::offers("Disks", "disks", "10xP30:readonly, log=2xP20");
        /// The operating system's disk, a volume named `os`
        os_disk: Option<String> = Form::One, "SPEC";
        /// Interleave of a stripe: bytes on one disk before the next [default: 64KiB]
        stripe: Option<String> = Form::One, "SIZE",
            on "Disks" PageField::text("short", "Interleave", "64KiB", "of a stripe");
        /// Disks that one stripe spans [default: all of the volume's]
        columns: Option<String> = Form::One, "N",
            on "Disks" PageField::text("short", "Columns", "all", "disks a stripe");
        /// Make each disk a volume of its own
        separate: Option<String> = TOGGLE, "true|false",
            on "Disks" PageField::choice("Volumes", &[("", "striped"), ("true", "a volume for each disk")], "of several disks");
        /// Offset of the partition on the volume [default: 0]
        partition_offset: Option<String> = Form::One, "SIZE";
        /// Date of the figures, disk counts and rules: 2016, 2018-06, 2020-08, current, or a day such as 2026-07-01 [default: current]
        era: Option<String> = Form::One, "ERA",
            on "Machine" PageField::choice("Figures of", &[("", "today"), ("2020-08", "2020-08"), ("2018-06", "2018-06"), ("2016", "2016")], "limits of that time");
        /// Media latency instead of the catalogue's: read=2.6ms,write=2ms
        media: Option<String> = Form::One, "LATENCY";
        /// Result of a run below every limit; its latency becomes the media latency
        calibrate: Option<String> = Form::One, "RESULT";
        /// Content of host caches at the start: warm, cold, second-run [default: warm]
        cache_state: Option<String> = Form::One, "STATE",
            on "Disks" PageField::choice("Caches are", &[("", "warm"), ("cold", "cold"), ("second-run", "as after one run")], "host caches at the start");
        /// Burst credits: sustained (spent), 0 (full), or the time since they were full: 20min [default: sustained]
        at: Option<String> = Form::One, "TIME",
            on "Disks" PageField::text("short", "Credits", "spent", "0: full; 20min: after it");
        /// Storage accounts of unmanaged disks, with --era 2016: one-each, shared [default: one-each]
        accounts: Option<String> = Form::One, "one-each|shared";
        /// Let Premium SSDs above 512 GiB burst on demand, which is billed
        on_demand_burst: Option<String> = TOGGLE, "true|false";
        /// Use the limits exactly as published (factor 1), not as enforced
        published: Option<String> = TOGGLE, "true|false";
        /// Your own catalogue file (TOML or CSV); its figures override the shipped ones
        catalog: Option<String> = Form::One, "FILE";
    }
}

/// Options about the setup of machine and disks. They have no effect without a configuration.
pub fn details() -> Vec<&'static str> {
    let names = ConfigurationOptions::specs().into_iter().map(|spec| spec.name);
    names.filter(|name| !["vm", "disk", "os-disk", "catalog"].contains(name)).collect()
}
