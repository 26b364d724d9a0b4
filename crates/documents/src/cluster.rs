//! Figures of several hosts in a prediction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::CeilingPart;
use crate::prediction::BurstPart;
use crate::quantity::{Amount, BytesPerSecond, Iops, Seconds, Share, Usd};

/// Several hosts with the same configuration and workload each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterPart {
    /// Number of hosts.
    #[schemars(extend("x-unit" = "hosts"))]
    pub hosts: u64,
    /// Sum of the hosts' ceilings.
    pub ceiling: CeilingPart,
    /// Sum of the hosts' expected figures, of queries that do not wait for another host.
    pub expected: ClusterExpected,
    /// Sum of the hosts' bursts, if all begin with full credits; `null` if credits change nothing.
    pub burst: Option<BurstPart>,
    /// The slowest host. Its figure is the mean of the minimum over clusters whose hosts are drawn independently: one draw for all
    /// media of a host, one for all its limits. Half of the hosts are slower than typical, and few are near the slowest and the
    /// fastest that were observed. Hosts are simulated at 27 points of that distribution, with straight lines between them.
    pub slowest: SlowestHost,
    /// A scan of all data. Each host scans its part, and the scan ends with the last host.
    pub scan: ScanPart,
    /// Price of all hosts; only with `--region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ClusterPrice>,
}

/// Expected figures of all hosts together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterExpected {
    /// I/Os per second.
    pub iops: Iops,
    /// IOPS if all hosts are at the lower end of the band.
    pub low_iops: Iops,
    /// IOPS if all hosts are at the upper end of the band.
    pub high_iops: Iops,
    /// Throughput.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Throughput if all hosts are at the lower end of the band.
    pub low_throughput_bytes_per_s: BytesPerSecond,
    /// Throughput if all hosts are at the upper end of the band.
    pub high_throughput_bytes_per_s: BytesPerSecond,
}

/// The slowest host of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowestHost {
    /// I/Os per second, the mean over clusters.
    pub iops: Iops,
    /// One cluster in twenty has a slowest host with fewer IOPS.
    pub low_iops: Iops,
    /// One cluster in twenty has a slowest host with more IOPS.
    pub high_iops: Iops,
    /// Throughput, the mean over clusters.
    pub throughput_bytes_per_s: BytesPerSecond,
}

/// A scan that waits for the last host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScanPart {
    /// Bytes that the jobs cover, of all hosts.
    #[schemars(with = "u64")]
    pub data_bytes: Amount,
    /// The scan if all hosts are as expected.
    pub equal: ScanRate,
    /// The scan at the rate of the slowest host.
    pub waiting: ScanRate,
    /// The scan with one slow host.
    pub slow_host: SlowHostScan,
    /// Duration if all hosts are as expected and begin with full credits; `null` if credits change nothing.
    pub seconds_from_full_credits: Option<Seconds>,
}

/// Rate and duration of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScanRate {
    /// Throughput of all hosts together.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Duration of the scan; `null` if the rate does not last (`--at`, with credits).
    pub seconds: Option<Seconds>,
}

/// A scan with one slow host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowHostScan {
    /// Share of the expected figure that the slow host delivers.
    pub share: Share,
    /// Origin of `share`: `asked` (`--slow-host`); `band` (assumed: the slowest media and the smallest enforcement that were
    /// observed); `credits` (with `--at`: the credits of this host are spent).
    pub from: String,
    /// Throughput of all hosts together: hosts × the slower of the slow host and the slowest host.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Duration of the scan; `null` if the rate does not last (`--at`, with credits).
    pub seconds: Option<Seconds>,
    /// Throughput that the scan loses against equal hosts, as a share.
    pub lost: Share,
    /// The same loss as a number of hosts.
    #[schemars(extend("x-unit" = "hosts"))]
    pub lost_hosts: Amount,
    /// Throughput that queries lose that do not wait for another host, as a share.
    pub lost_independent: Share,
}

/// Price of all hosts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterPrice {
    /// Price of all hosts for 730 hours; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
    /// Price of the parts whose price is known.
    pub known_month: Usd,
}
