//! A run on several machines: what each host reached, how far they lie apart, and who is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Check;
use super::figures::{Depth, Figures};
use super::machine::{Cpu, DeviceFacts};
use super::round;

/// A host below this share of the median is a straggler.
pub const STRAGGLES: f64 = 0.9;
/// Of fewer hosts than this nobody can say which of them is the odd one.
pub const LEAST_TO_STRAGGLE: usize = 3;

/// Facts about the ranks of a run, besides the figures of all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fleet {
    /// Launcher that started the ranks: `open_mpi`, `pmi`, `slurm`, `kubernetes`, `ssh`, or `given` with `--rank`.
    pub launcher: String,
    /// Expected ranks.
    #[schemars(extend("x-unit" = "ranks"))]
    pub ranks: u32,
    /// Ranks that reported their figures.
    #[schemars(extend("x-unit" = "ranks"))]
    pub reported: u32,
    /// Ranks that did not report.
    #[serde(default)]
    pub missing: Vec<MissingRank>,
    /// All that the ranks did from the start of counting until the first of them was done, ÷ that time, by whole
    /// intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_done: Option<RanksDone>,
    /// All that was counted ÷ the time until the last rank was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_done: Option<RanksDone>,
    /// Spread over the ranks; absent if none has figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_host: Option<PerHost>,
    /// Ranks with less than 0.9 of the median IOPS, the slowest first; of three ranks or more.
    #[serde(default)]
    pub stragglers: Vec<Straggler>,
    /// Time from when the first rank could issue its first I/O to when the last could, by the coordinator's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "ms"))]
    pub start_skew_ms: Option<f64>,
    /// Uncertainty of `start_skew_ms`: half the shortest round trip of each of the two ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "ms"))]
    pub start_skew_uncertainty_ms: Option<f64>,
    /// Method of the clock comparison, and the drift of the clocks, as a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clock: String,
}

/// A rank that told nothing of what it measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingRank {
    /// Number of the rank.
    pub rank: u32,
    /// Machine of the rank; absent if it never joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Reason.
    pub why: String,
}

/// Sum of all ranks until a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RanksDone {
    /// Reads and writes per second.
    pub iops: f64,
    /// Bytes per second.
    pub throughput_bytes_per_s: f64,
    /// Time since the start of counting.
    #[schemars(extend("x-unit" = "s"))]
    pub seconds: f64,
}

/// Distance between the hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerHost {
    /// IOPS of a rank.
    pub iops: Spread,
    /// Throughput of a rank.
    pub throughput_bytes_per_s: Spread,
}

/// The least, the mean and the most of a figure, and whose they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Lowest figure.
    #[schemars(extend("x-unit" = "by the figure"))]
    pub min: f64,
    /// Label of the rank that has it.
    pub min_host: String,
    /// Mean over all ranks.
    #[schemars(extend("x-unit" = "by the figure"))]
    pub mean: f64,
    /// Highest figure.
    #[schemars(extend("x-unit" = "by the figure"))]
    pub max: f64,
    /// Label of the rank that has it.
    pub max_host: String,
}

/// A host that was much slower than the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Straggler {
    /// Number of the rank.
    pub rank: u32,
    /// Label of the rank.
    pub host: String,
    /// IOPS of the rank ÷ median IOPS of all ranks.
    #[schemars(extend("x-unit" = "1"))]
    pub of_median: f64,
}

/// Figures of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostResult {
    /// Number of the rank.
    pub rank: u32,
    /// Machine of the rank.
    pub host: String,
    /// Name of the rank among the others: its machine, or `machine:rank` if several ranks share the machine.
    pub label: String,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Outstanding I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// Time from the agreed start to when the rank could issue its first I/O, by the coordinator's clock; it can be
    /// negative within the uncertainty of the clock offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "ms"))]
    pub start_offset_ms: Option<f64>,
    /// End of the rank: `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// Reason why it failed; absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Limit of the rank; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<HostLimit>,
    /// I/O engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Release of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Paths of its targets on its machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Processor time that the run took, without `processors`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// Block devices below the targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFacts>,
    /// Checks of the rank that are not `ok`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
}

/// Limit of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostLimit {
    /// Limit of the rank. With the configuration, as `binding` of a prediction, by the share of each limit that it
    /// used. Else `client` if its check says so, `rate` if 98 % of the requested rate was reached, `device` if a device
    /// was busy 95 % of the time or more with 4 requests or more on average, `queue_depth` if none was, `unknown` without
    /// counters.
    pub by: String,
    /// Reason, as a sentence.
    pub says: String,
}

impl PerHost {
    /// Of these hosts; `None` where none has figures.
    pub fn of(hosts: &[HostResult]) -> Option<PerHost> {
        Some(PerHost {
            iops: spread(hosts, |host| host.total.iops, round::iops)?,
            throughput_bytes_per_s: spread(
                hosts,
                |host| host.total.throughput_bytes_per_s,
                round::bytes_per_s,
            )?,
        })
    }
}

fn spread(
    hosts: &[HostResult],
    figure: impl Fn(&HostResult) -> Option<f64>,
    rounded: impl Fn(f64) -> f64,
) -> Option<Spread> {
    let known: Vec<(f64, &str)> =
        hosts.iter().filter_map(|host| Some((figure(host)?, host.label.as_str()))).collect();
    // Of equal ones the first, so that the answer does not depend on the order of a sort.
    let min = known.iter().copied().reduce(|a, b| if b.0 < a.0 { b } else { a })?;
    let max = known.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let mean = known.iter().map(|(value, _)| value).sum::<f64>() / known.len() as f64;
    Some(Spread {
        min: min.0,
        min_host: min.1.to_string(),
        mean: rounded(mean),
        max: max.0,
        max_host: max.1.to_string(),
    })
}

/// The hosts whose IOPS are below [`STRAGGLES`] of the median, the slowest first; none of fewer than
/// [`LEAST_TO_STRAGGLE`].
pub fn stragglers(hosts: &[HostResult]) -> Vec<Straggler> {
    let mut iops: Vec<f64> = hosts.iter().filter_map(|host| host.total.iops).collect();
    if iops.len() < LEAST_TO_STRAGGLE {
        return Vec::new();
    }
    iops.sort_by(f64::total_cmp);
    let half = iops.len() / 2;
    let median = if iops.len() % 2 == 1 { iops[half] } else { (iops[half - 1] + iops[half]) / 2.0 };
    if median <= 0.0 {
        return Vec::new();
    }
    let mut slow: Vec<(f64, &HostResult)> = hosts
        .iter()
        .filter_map(|host| Some((host.total.iops? / median, host)))
        .filter(|(share, _)| *share < STRAGGLES)
        .collect();
    slow.sort_by(|(one, a), (other, b)| one.total_cmp(other).then(a.rank.cmp(&b.rank)));
    let straggler = |(share, host): (f64, &HostResult)| Straggler {
        rank: host.rank,
        host: host.label.clone(),
        of_median: round::share(share),
    };
    slow.into_iter().map(straggler).collect()
}

/// Name of ranks where they stand together: by their machines, and by their numbers too where several ranks share
/// one.
pub fn labels(ranks: &[(u32, &str)]) -> Vec<String> {
    let mut names: Vec<&str> = ranks.iter().map(|(_, host)| *host).collect();
    names.sort_unstable();
    let shared = |host: &str| {
        let first = names.partition_point(|name| *name < host);
        names.get(first + 1).is_some_and(|next| *next == host)
    };
    ranks
        .iter()
        .map(|(rank, host)| if shared(host) { format!("{host}:{rank}") } else { (*host).to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(rank: u32, iops: f64) -> HostResult {
        let total =
            Figures { iops: Some(iops), throughput_bytes_per_s: Some(iops * 4096.0), ..Figures::default() };
        HostResult { rank, label: format!("db{rank}"), total, ..HostResult::default() }
    }

    #[test]
    fn a_straggler_is_below_nine_tenths_of_the_median() {
        // The median of 500, 890, 1,000, 1,010 is 945; nine tenths of it are 850.5.
        let hosts = [host(0, 1_000.0), host(1, 500.0), host(2, 1_010.0), host(3, 890.0)];
        let slow = stragglers(&hosts);
        assert_eq!(slow.len(), 1);
        assert_eq!((slow[0].rank, slow[0].host.as_str(), slow[0].of_median), (1, "db1", 0.5291));
        assert_eq!(stragglers(&hosts[..2]), [], "of two nobody knows which is the odd one");
        assert_eq!(stragglers(&[host(0, 0.0), host(1, 0.0), host(2, 0.0)]), []);
    }

    #[test]
    fn the_slowest_straggler_is_first() {
        let hosts = [host(0, 80.0), host(1, 100.0), host(2, 100.0), host(3, 100.0), host(4, 50.0)];
        let ranks: Vec<u32> = stragglers(&hosts).iter().map(|straggler| straggler.rank).collect();
        assert_eq!(ranks, [4, 0]);
    }

    #[test]
    fn the_least_and_the_most_have_the_names_of_their_hosts() {
        let per_host = PerHost::of(&[host(0, 300.0), host(1, 100.0), host(2, 200.0)]).unwrap();
        let Spread { min, min_host, mean, max, max_host } = per_host.iops;
        assert_eq!(
            (min, min_host.as_str(), mean, max, max_host.as_str()),
            (100.0, "db1", 200.0, 300.0, "db0")
        );
        assert_eq!(PerHost::of(&[HostResult::default()]), None);
    }

    #[test]
    fn ranks_that_share_a_machine_are_told_apart_by_their_numbers() {
        assert_eq!(labels(&[(0, "a"), (1, "b"), (2, "a")]), ["a:0", "b", "a:2"]);
        assert_eq!(labels(&[(0, "a"), (1, "ab")]), ["a", "ab"]);
    }
}
