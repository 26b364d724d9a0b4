//! Figures of an answer beside the secret parameters, with the precision that each must have.

use iobound_model::{Algorithm, Charge};
use iobound_probe::{Accounting, Answer, Counts, Enforcement, Scope};

use super::hidden::Hidden;

/// One figure of the table.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) figure: &'static str,
    pub(crate) ok: bool,
    pub(crate) text: String,
}

fn within(figure: &'static str, found: Option<f64>, truth: f64, share: f64) -> Mark {
    let ok = found.is_some_and(|found| (found / truth - 1.0).abs() <= share);
    let text = match found {
        Some(found) => format!("{found:.5} of {truth:.5} ({:+.2} %)", (found / truth - 1.0) * 100.0),
        None => format!("nothing of {truth:.5}"),
    };
    Mark { figure, ok, text }
}

/// Every figure that the disk has, judged.
pub(crate) fn marks(hidden: &Hidden, answer: &Answer) -> Vec<Mark> {
    let mut marks = Vec::new();
    let target = &answer.targets[0];
    let found = answer.limit(0, Counts::Ios, Scope::Reads);
    // Alone, a target has the shared limit where that is lower than its own.
    let own = hidden.shared.as_ref().map_or(hidden.iops, |(rate, _)| hidden.iops.min(rate.round()));
    marks.push(within("iops", found.map(|found| found.per_second.value), own, 0.02));
    let units = |len: u64| hidden.charge.units(len) as f64;
    // Large I/Os of a burst pass at the rate of the burst.
    let rate = hidden.burst.map_or(own, |(rate, _)| rate);
    let crossing = hidden.bytes / rate;
    let most = [256u64 << 10, 1 << 20].iter().map(|len| rate / units(*len) * *len as f64).fold(0.0, f64::max);
    let bytes = answer.limit(0, Counts::Bytes, Scope::Reads);
    let lasting = most / rate * own;
    if hidden.bytes < 0.9 * most && hidden.bytes > 0.9 * lasting {
        // Only while credits last is the throughput limit in reach.
    } else if hidden.bytes < 0.9 * most {
        marks.push(within("throughput", bytes.map(|found| found.per_second.value), hidden.bytes, 0.02));
    } else if hidden.bytes > 1.1 * most {
        let text = format!("{:?} where there is none in reach", bytes.map(|found| found.per_second));
        marks.push(Mark { figure: "throughput", ok: bytes.is_none(), text });
    }
    if let Some(mark) = unit(hidden, target.accounting, crossing) {
        marks.push(mark);
    }
    if let Charge::Merged(_) = hidden.charge
        && crossing > 1.5 * 32_768.0
    {
        let ok = target.merges_up_to.is_some();
        marks.push(Mark { figure: "merging", ok, text: format!("{:?}", target.merges_up_to) });
    } else if !matches!(hidden.charge, Charge::Merged(_)) {
        let ok = target.merges_up_to.is_none();
        marks.push(Mark { figure: "merging", ok, text: format!("{:?} where none is", target.merges_up_to) });
    }
    let enforcement = found.map(|found| found.enforcement);
    marks.push(match (hidden.algorithm, enforcement) {
        (Algorithm::Slice { length }, Some(Enforcement::Slice { length: found, .. })) => {
            within("slice", Some(found.value), length.secs_f64(), 0.05)
        }
        (Algorithm::Slice { length }, other) => {
            let text = format!("{other:?} of slices of {length}");
            Mark { figure: "slice", ok: false, text }
        }
        // Beneath credits a bucket is never full enough to be seen.
        (Algorithm::Bucket { .. }, Some(found)) if hidden.burst.is_some() => {
            let ok = !matches!(found, Enforcement::Slice { .. });
            Mark { figure: "bucket", ok, text: format!("{found:?} under credits") }
        }
        (Algorithm::Bucket { depth }, Some(Enforcement::Bucket { depth: found })) => {
            within("bucket", Some(found.value), depth.secs_f64(), 0.10)
        }
        (Algorithm::Bucket { depth }, other) => {
            let text = format!("{other:?} of a bucket of {depth}");
            Mark { figure: "bucket", ok: false, text }
        }
    });
    if let Some((rate, size)) = hidden.burst {
        let burst = found.and_then(|found| found.burst);
        // The throughput limit holds small I/Os too.
        let rate = rate.min(hidden.bytes / 4096.0);
        marks.push(within("burst rate", burst.map(|burst| burst.per_second.value), rate, 0.02));
        // The disk began with full credits, so that what was seen is all of them, also where the probe cannot know that.
        let is_proven = burst.is_some_and(|burst| !burst.size.is_at_least());
        let figure = if is_proven { "burst size" } else { "burst size: at least" };
        marks.push(within(figure, burst.map(|burst| burst.size.value), size, 0.10));
    } else if let Some(burst) = found.and_then(|found| found.burst) {
        marks.push(Mark { figure: "burst rate", ok: false, text: format!("{burst:?} where none is") });
    }
    for latency in target.latencies.iter().filter(|latency| !latency.is_write) {
        let truth = hidden.media.mean_for(u64::from(latency.block)).secs_f64();
        marks.push(within("latency", Some(latency.mean.value), truth, 0.03));
    }
    if target.latencies.is_empty() {
        marks.push(Mark { figure: "latency", ok: false, text: "none".into() });
    }
    if let Some((hit, size)) = hidden.cache {
        let cache = target.cache;
        marks.push(within("hit latency", cache.map(|cache| cache.hit.value), hit.mean.secs_f64(), 0.03));
        match cache {
            // What the budget does not reach has to be said as it is.
            Some(found) if found.size.is_none() => marks.push(Mark {
                figure: "cache size: at least",
                ok: found.at_least as f64 <= 1.15 * size as f64,
                text: format!("{} of {size}", found.at_least),
            }),
            _ => {
                let found = cache.and_then(|cache| cache.size).map(|found| found.value);
                marks.push(within("cache size", found, size as f64, 0.15));
            }
        }
        let served = answer.limit(0, Counts::Ios, Scope::Hits).map(|found| found.per_second.value);
        marks.push(within("cached iops", served, (hidden.iops * 3.0).round(), 0.02));
    } else if let Some(cache) = target.cache {
        marks.push(Mark { figure: "cache size", ok: false, text: format!("{cache:?} where none is") });
    }
    if let Some((rate, members)) = &hidden.shared {
        let of = |limit: &&iobound_probe::FoundLimit| limit.targets.len() > 1 && limit.counts == Counts::Ios;
        let found: Vec<_> = answer.limits.iter().filter(of).collect();
        let is_it = found.len() == 1 && found[0].targets == *members;
        let text =
            format!("{:?} of {members:?}", found.iter().map(|limit| &limit.targets).collect::<Vec<_>>());
        marks.push(Mark { figure: "topology", ok: is_it, text });
        marks.push(within("shared iops", found.first().map(|limit| limit.per_second.value), *rate, 0.02));
    } else if answer.limits.iter().any(|limit| limit.targets.len() > 1) {
        marks.push(Mark { figure: "topology", ok: false, text: "a shared limit where none is".into() });
    }
    marks
}

/// The charge, where the throughput limit lets it be seen; `None` near the border.
fn unit(hidden: &Hidden, found: Option<Accounting>, crossing: f64) -> Option<Mark> {
    let unit = match hidden.charge {
        Charge::Each => None,
        Charge::Per(unit) => Some(unit),
        Charge::Merged(merge) => Some(merge.unit),
    };
    let mark = |ok| Some(Mark { figure: "unit", ok, text: format!("{found:?} of {:?}", hidden.charge) });
    match unit {
        Some(unit) if found == Some(Accounting::Unit(unit)) => mark(true),
        // An I/O of a unit and a sector passes half as often as one of a unit.
        Some(unit) if (unit.get() as f64) < 1.6 * crossing => mark(found == Some(Accounting::Unit(unit))),
        Some(unit) if (unit.get() as f64) < 2.2 * crossing => None,
        _ => mark(!matches!(found, Some(Accounting::Unit(_)))),
    }
}
