//! Several hosts of one kind: what they deliver together, what the slowest of them does, and what a scan costs that waits
//! for it.
//!
//! Two kinds of figures, and no other. **Sums** are of hosts that do not wait for each other: independent queries, each on one
//! host. Of a **scan** every host does its part, and the answer is there with the last: so many hosts at the rate of the slowest.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_units::Percent;

use crate::answer::{Expected, Prediction};
use crate::burst;
use crate::conditions::{Conditions, Known};
use crate::error::PredictError;
use crate::question::Age;
use crate::scatter::{Delivered, Distribution, END, Host, PossibleHosts as Kind, Surface};

/// Number of hosts, and speed of the slowest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// Number of hosts; at least one.
    pub hosts: u64,
    /// Share of the expected figure that one of them delivers, above 0 %; `None`: as the model has it.
    pub slow: Option<Percent>,
}

/// Figures of hosts of one kind under the same workload each.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Number of hosts.
    pub hosts: u64,
    /// Of hosts that do not wait for each other.
    pub sum: Sum,
    /// The same at first, where all have full credits; `None`: credits change nothing.
    pub burst: Option<BurstSum>,
    /// The slowest of them.
    pub slowest: Slowest,
    /// Of hosts that wait for the last.
    pub scan: Scan,
}

/// Multiples of one host's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum {
    /// I/Os a second that the limits allow; `None`: no limit stands in the way.
    pub ceiling_iops: Option<f64>,
    /// Bytes a second that they allow.
    pub ceiling_bytes_per_s: Option<f64>,
    /// Expected figures; the band's ends are those of hosts that all lie there.
    pub expected: Expected,
}

/// Figures that credits allow at first, of all hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstSum {
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// Their time; `None`: the workload does not use the credits up.
    pub seconds: Option<f64>,
}

/// The slowest host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slowest {
    /// Its I/Os a second: the mean over clusters.
    pub iops: f64,
    /// In one cluster of twenty it has no more.
    pub low_iops: f64,
    /// In one of twenty it has more.
    pub high_iops: f64,
    /// Its bytes a second.
    pub throughput_bytes_per_s: f64,
}

/// A scan of all data, each host its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    /// Bytes that the workload's jobs lie on, of all hosts.
    pub data_bytes: f64,
    /// Hosts that are all as expected: bytes a second.
    pub equal_bytes_per_s: f64,
    /// Hosts that scatter, at the rate of the slowest.
    pub waiting_bytes_per_s: f64,
    /// With one slow host.
    pub slow: SlowHost,
    /// Time for all data at the three rates, in that order; `None`: the rates are of a moment and do not last, or
    /// one of them is nothing.
    pub seconds: Option<[f64; 3]>,
    /// Time for equal hosts that begin with full credits; `None`: credits change nothing, or the rates are of a moment.
    pub seconds_from_full: Option<f64>,
}

/// A slow host, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowHost {
    /// Share of the expected figure that it delivers.
    pub share: f64,
    /// Origin of this share.
    pub why: WhySlow,
    /// Rate left for the cluster's scan, in bytes a second: the slower of this host and the slowest of the others.
    pub throughput_bytes_per_s: f64,
    /// The share of the throughput of equal hosts that a scan loses.
    pub lost: f64,
    /// The share that independent queries lose.
    pub lost_independent: f64,
}

/// Speed of a slow host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhySlow {
    /// As asked for.
    Asked,
    /// Its burst credits are spent, while the others' are not.
    Credits,
    /// The slowest media and the smallest enforcement that were seen.
    Band,
}

impl WhySlow {
    /// The word of documents.
    pub const fn name(self) -> &'static str {
        match self {
            WhySlow::Asked => "asked",
            WhySlow::Credits => "credits",
            WhySlow::Band => "band",
        }
    }
}

/// Places of the media's scatter that are simulated, and of the limits': the figure is nearly straight between them.
const MEDIA: i32 = 8;
const LIMITS: i32 = 2;

/// Figures of the hosts of one kind, by simulation at places of the scatter.
fn distribution(
    conditions: &Conditions<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Distribution, PredictError> {
    let kind = Kind::of(conditions.question.resolved, conditions.outstanding);
    let (media, limits) = kind.scatter();
    let places = |scatters: bool, steps: i32| -> Vec<i32> {
        if !scatters {
            return vec![0];
        }
        (0..=steps).map(|step| 2 * END / steps * step - END).collect()
    };
    let limits = places(limits, LIMITS);
    let mut rows: Vec<Vec<Delivered>> = Vec::new();
    for media in places(media, MEDIA) {
        let mut row = Vec::with_capacity(limits.len());
        for limits in &limits {
            let blueprint = kind.blueprint(Host { media, limits: *limits });
            let simulated = conditions.settle(&blueprint, Known::Band, watch)?;
            row.push(Delivered { iops: simulated.iops(), bytes: simulated.throughput_bytes_per_s() });
        }
        rows.push(row);
    }
    Ok(Surface::new(rows).distribution())
}

pub(crate) fn cluster_under(
    conditions: &Conditions<'_>,
    prediction: &Prediction,
    asked: &Hosts,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Cluster, PredictError> {
    let hosts = asked.hosts as f64;
    let one = prediction.expected;
    let distribution = distribution(conditions, watch)?;
    let slowest = distribution.slowest_of(asked.hosts);
    let quantile = |share: f64| distribution.quantile_of_slowest(asked.hosts, share);
    Ok(Cluster {
        hosts: asked.hosts,
        sum: Sum {
            ceiling_iops: prediction.ceiling.iops.map(|iops| iops * hosts),
            ceiling_bytes_per_s: prediction.ceiling.throughput_bytes_per_s.map(|bytes| bytes * hosts),
            expected: Expected {
                iops: one.iops * hosts,
                low_iops: one.low_iops * hosts,
                high_iops: one.high_iops * hosts,
                throughput_bytes_per_s: one.throughput_bytes_per_s * hosts,
            },
        },
        burst: prediction.burst.as_ref().map(|burst| BurstSum {
            iops: burst.iops * hosts,
            throughput_bytes_per_s: burst.throughput_bytes_per_s * hosts,
            seconds: burst.seconds,
        }),
        slowest: Slowest {
            iops: slowest.iops,
            low_iops: quantile(0.05),
            high_iops: quantile(0.95),
            throughput_bytes_per_s: slowest.bytes,
        },
        scan: scan(conditions, prediction, asked, slowest, watch)?,
    })
}

fn scan(
    conditions: &Conditions<'_>,
    prediction: &Prediction,
    asked: &Hosts,
    slowest: Delivered,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Scan, PredictError> {
    let hosts = asked.hosts as f64;
    let one = prediction.expected;
    let (share, why) = match (asked.slow, conditions.question.age) {
        (Some(share), _) => (share.fraction(), WhySlow::Asked),
        (None, Age::At(_)) if prediction.burst.is_some() => {
            let spent = burst::spent(&conditions.blueprint);
            let dry = conditions.settle_from(&conditions.blueprint, &spent, Known::Expected, watch)?;
            (dry.iops() / one.iops, WhySlow::Credits)
        }
        (None, _) => (prediction.band.mechanism.low / one.iops, WhySlow::Band),
    };
    let share = share.min(1.0);
    let equal = one.throughput_bytes_per_s * hosts;
    let waiting = slowest.bytes * hosts;
    let with_slow = waiting.min(equal * share);
    let data_bytes = data_of(conditions) * hosts;
    let lasts = prediction.burst.is_none() || conditions.question.age == Age::Sustained;
    let seconds_from_full = prediction.burst.as_ref().filter(|_| lasts).map(|burst| {
        let first = burst.throughput_bytes_per_s * hosts;
        match burst.seconds {
            Some(seconds) if first * seconds < data_bytes => seconds + (data_bytes - first * seconds) / equal,
            _ => data_bytes / first,
        }
    });
    Ok(Scan {
        data_bytes,
        equal_bytes_per_s: equal,
        waiting_bytes_per_s: waiting,
        slow: SlowHost {
            share,
            why,
            throughput_bytes_per_s: with_slow,
            lost: 1.0 - with_slow / equal,
            lost_independent: (1.0 - share) / hosts,
        },
        // At a rate of nothing nothing ends.
        seconds: (lasts && with_slow > 0.0)
            .then(|| [equal, waiting, with_slow].map(|rate| data_bytes / rate)),
        seconds_from_full,
    })
}

/// Bytes of one host that the jobs lie on: what several of them use counts once.
fn data_of(conditions: &Conditions<'_>) -> f64 {
    let mut used: Vec<(u16, u64, u64)> = conditions
        .queues
        .iter()
        .flat_map(|queue| &queue.extents)
        .map(|extent| (extent.target.0, extent.start, extent.start.saturating_add(extent.len)))
        .collect();
    used.sort_unstable();
    let (mut bytes, mut seen) = (0u64, (0u16, 0u64));
    for (target, start, end) in used {
        let from = if seen.0 == target { start.max(seen.1) } else { start };
        bytes = bytes.saturating_add(end.saturating_sub(from));
        seen = (target, if seen.0 == target { end.max(seen.1) } else { end });
    }
    bytes as f64
}
