//! Options about several hosts.

use super::options;

options! {
    /// Number of hosts with this configuration. Each is also a key of `[machine]` in a `--config` file and a variable
    /// `IOBOUND_...`; the values are read by `hosts`.
    pub struct ClusterOptions in "Cluster" {
        /// Number of equal hosts, each with this workload. Also shows their sum, the slowest host, and a scan that waits for that host
        hosts: Option<String> = Form::One, "N",
            on "Machine" PageField::text("short", "Hosts", "1", "all alike");
        /// Share of the expected figure that the slowest host delivers [default: the low end of the band; with --at, its figure with spent credits]
        slow_host: Option<String> = Form::One, "PERCENT",
            on "Machine" PageField::text("short", "Slow host", "low end", "its speed: 50%");
    }
}

options! {
    /// Number of hosts that share a need.
    pub struct SplitOptions in "Cluster" {
        /// Number of equal hosts that share the need: 8, the cheapest number of 4..16, or auto (1..16)
        hosts: Option<String> = Form::One, "N|MIN..MAX|auto",
            on "Need" PageField::text("short", "Hosts", "1", "8, 4..16, auto");
        /// Share of its limits that the slowest host delivers; a scan waits for it [default: 100 %]
        slow_host: Option<String> = Form::One, "PERCENT",
            on "Need" PageField::text("short", "Slow host", "100%", "its speed: 50%");
    }
}
