//! The cheapest measurement that would decide, if no finding is more than *possible*. Each unknown figure is set to its
//! possible values, and the rules judge each of them. The answer is the figure that separates the causes best for its
//! cost.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::explain::findings;
use crate::finding::Confidence;
use crate::observed::{Moment, Observed};
use crate::thresholds as of;
use crate::usage::usages;

use iobound_units::Span;

/// A measurement with the observations that it may lead to, each as likely as the others.
struct Measurement {
    says: &'static str,
    /// Against a look at counters that are there anyway, which is 1.
    cost: f64,
    outcomes: Vec<Observed>,
}

/// A look at another tool's counters.
const OTHER_COUNTERS: f64 = 1.25;
/// A run of one's own, which others on the machine notice.
const OWN_RUN: f64 = 4.0;
/// A run on the device itself, for which its data has to be moved away.
const RAW_RUN: f64 = 8.0;
/// Cost of a measurement that confirms one cause whatever it says.
const CONFIRMS: f64 = 0.1;

/// Next measurement; `None`: no missing figure would decide.
pub(crate) fn measure_next(case: &Case<'_>) -> Option<String> {
    let worth = |one: &Measurement| information(case, one) / one.cost;
    let mut best: Option<(f64, &'static str)> = None;
    for one in measurements(case) {
        let worth = worth(&one);
        if worth > best.map_or(0.0, |(most, _)| most) {
            best = Some((worth, one.says));
        }
    }
    best.map(|(_, says)| says.to_string())
}

/// Expected information, as Gini's impurity, which needs no logarithm of the platform: of the outcomes that decide, how
/// well they part the causes. What leaves all causes possible tells nothing.
fn information(case: &Case<'_>, measurement: &Measurement) -> f64 {
    let all = measurement.outcomes.len() as f64;
    let mut decided: BTreeMap<&'static str, f64> = BTreeMap::new();
    for observed in &measurement.outcomes {
        let (configuration, catalog, resolved) = (case.configuration, case.catalog, case.resolved);
        let then =
            Case::new(configuration, catalog, resolved, observed, case.want, case.cache).aged(case.age);
        if let Some(first) = findings(&then).first().filter(|first| first.confidence > Confidence::Possible) {
            *decided.entry(first.rule).or_default() += 1.0 / all;
        }
    }
    decided.values().map(|share| share * (CONFIRMS + 1.0 - share)).sum()
}

/// IOPS at which the first limit is full; `None` if no limit counts IOPS.
fn fullest_rate(case: &Case<'_>) -> Option<f64> {
    let mut one = case.observed.clone();
    one.total.iops = Some(1.0);
    let usages = usages(case.resolved, &one);
    usages.iter().map(|usage| usage.enforced / usage.used.max(f64::EPSILON)).reduce(f64::min)
}

fn measurements(case: &Case<'_>) -> Vec<Measurement> {
    let seen = case.observed;
    let total = &seen.total;
    let with = |change: &dyn Fn(&mut Observed)| {
        let mut observed = seen.clone();
        change(&mut observed);
        observed.derive();
        observed
    };
    let mut all = Vec::new();
    let mut add = |is_open: bool, says, cost, outcomes: Vec<Observed>| {
        if is_open && !outcomes.is_empty() {
            all.push(Measurement { says, cost, outcomes });
        }
    };
    let media = case.media_ms().unwrap_or([1.0; 3]);
    // The same look tells the size of the I/Os, and with it a rate that only bytes are known of.
    let sized: Vec<Observed> = match total.block {
        Some(_) => vec![seen.clone()],
        None => {
            [12u32, 17].map(|power| with(&|seen| seen.total.block = Some(f64::from(1u32 << power)))).to_vec()
        }
    };
    // An idle disk, one thread, the media's own latency, and far more than that.
    let latencies = |seen: &Observed| -> Vec<Observed> {
        let held = |held: f64| seen.total.iops.map(|iops| held / iops * 1e6);
        let all = [
            held(of::ONE_THREAD / 2.0).filter(|us| *us >= of::FAST_MEDIA * media[0] * 1e3),
            held(1.0).filter(|us| *us <= of::SLOW_MEDIA * media[2] * 1e3),
            Some(media[1] * 1e3),
            Some((2.0 * of::FETCHED * media[2]).max(2.0 * of::FETCHED_MS) * 1e3),
        ];
        let with = |us| {
            let mut observed = seen.clone();
            observed.total.latency_us.mean = Some(us);
            observed
        };
        all.into_iter().flatten().map(with).collect()
    };
    add(
        total.latency_us.typical().is_none() && seen.parts.is_empty(),
        "the disks' latency, queue and I/O size (iostat -x 1: await, aqu-sz, areq-sz), which costs no load: --observed latency=",
        1.0,
        sized.iter().flat_map(latencies).collect(),
    );
    // A latency without a rate: at a limit, or far below it.
    let rates = |share: f64| {
        let full = fullest_rate(case)?;
        Some(with(&|seen| seen.total.iops = Some(share * full)))
    };
    add(
        total.iops.or(total.throughput_bytes_per_s).is_none(),
        "the rate and the queue (iostat -x 1: r/s, w/s, rkB/s, wkB/s, aqu-sz), which costs no load: --observed iops=",
        1.0,
        [rates(1.0), rates(0.1)].into_iter().flatten().collect(),
    );
    // A constant rate, or seconds at the fullest limit.
    let paced = |seen: &Observed, peaks: bool| {
        let mut observed = seen.clone();
        let mean = seen.total.iops.unwrap_or(0.0);
        let fullest = mean / case.fullest().max(f64::EPSILON);
        let at = |index: usize| if peaks { fullest * f64::from(u8::from(index == 0)) } else { mean };
        observed.series = (0..10).map(|index| Moment::of_ios(index as f64, at(index))).collect();
        observed
    };
    add(
        total.iops.is_some()
            && total.latency_us.typical().is_some()
            && seen.series.is_empty()
            && !case.is_local(),
        "the same second by second (iostat -x 1 in a file: --result), which costs no load",
        1.0,
        sized.iter().flat_map(|seen| [paced(seen, false), paced(seen, true)]).collect(),
    );
    add(
        total.block.is_none(),
        "the size of the I/Os (iostat -x 1: areq-sz), which costs no load: --observed block=",
        1.0,
        [12u32, 16, 18, 20]
            .map(|power| with(&|observed| observed.total.block = Some(f64::from(1u32 << power))))
            .to_vec(),
    );
    add(
        total.read.is_none(),
        "the share of reads (iostat -x 1: r/s, w/s), which costs no load: --observed read=",
        1.0,
        [0.0, 1.0].map(|read| with(&|observed| observed.total.read = Some(read))).to_vec(),
    );
    add(
        seen.duration.is_none() && case.after().is_none(),
        "the time since the load began: --observed after=",
        1.0,
        [30, 7_200].map(|s| with(&|observed| observed.after = Some(Span::from_secs(s)))).to_vec(),
    );
    add(
        seen.synced.is_none() && seen.flushes_per_s.is_none() && case.writes(),
        "whether a flush follows each write (iostat -x 1: f/s; strace -fc -e trace=fsync,fdatasync -p PID): --observed sync=",
        OTHER_COUNTERS,
        [true, false].map(|told| with(&|observed| observed.synced = Some(told))).to_vec(),
    );
    let may_fetch = case.resolved.vm.cloud.rules().fetches_snapshots && !case.is_local();
    add(
        seen.from_snapshot.is_none() && may_fetch,
        "whether the volume was created from a snapshot or an image: --observed from-snapshot=",
        1.0,
        [true, false].map(|told| with(&|observed| observed.from_snapshot = Some(told))).to_vec(),
    );
    add(
        seen.cpu.is_none(),
        "the busiest processor (mpstat -P ALL 1), which costs no load: --observed cpu=",
        OTHER_COUNTERS,
        [0.3, 1.0].map(|share| with(&|observed| observed.cpu = Some(share))).to_vec(),
    );
    add(
        seen.iowait.is_none(),
        "the time that processors wait for I/O (iostat -c 1: %iowait), which costs no load: --observed iowait=",
        OTHER_COUNTERS,
        [0.002, 0.6].map(|share| with(&|observed| observed.iowait = Some(share))).to_vec(),
    );
    add(
        seen.buffered.is_none(),
        "the same with direct I/O: a rate that falls to a limit came from memory",
        OWN_RUN,
        [true, false].map(|buffered| with(&|observed| observed.buffered = Some(buffered))).to_vec(),
    );
    let raw = |times: f64| total.iops.map(|iops| with(&|observed| observed.raw_iops = Some(times * iops)));
    add(
        seen.raw_iops.is_none(),
        "the same load without a file system, on a spare volume of the same kind and never on one in use, because it overwrites the data: --observed raw=12000",
        RAW_RUN,
        [raw(1.0), raw(2.0 * of::RAW_MORE)].into_iter().flatten().collect(),
    );
    all
}
