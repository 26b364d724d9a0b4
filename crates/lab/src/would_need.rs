//! Conditions that would explain a figure that no known limit explains: each possibility with its number, so
//! that it can be looked for or dismissed.

use iobound_catalog::CacheSetting;
use iobound_model::Dimension;
use iobound_predict::{Binding, LimiterUse};
use iobound_units::{Grouped, Op, Span, format_throughput};

use crate::execute::ModelRun;
use crate::planned::OnModel;
use crate::published::Published;
use crate::verdict::{Band, Compared, Place, compare};

/// An I/O of an Azure SSD is charged in units of this; the last question is only which limit is the nearest.
const UNIT: f64 = 262_144.0;

/// One possibility: what would have to be otherwise.
struct Need {
    says: String,
    /// Factor by which one quantity would have to differ from the known value: never below 1.
    times: f64,
}

impl Need {
    fn of(says: String, needed: f64, known: f64) -> Need {
        let ratio = needed / known;
        Need { says, times: ratio.max(1.0 / ratio) }
    }
}

/// Conditions that would explain an unexplained figure, one a sentence: first where it lies, then those that have to
/// change the least. A limit a tenth lower is sooner true than a latency of thirty times. Empty where nothing is
/// unexplained.
pub(crate) fn would_need(run: &OnModel, modelled: &ModelRun, published: &Published) -> Vec<String> {
    let band = Band::of(modelled);
    let compared = compare(published, &band);
    // The figure farthest outside: of a range, the end that the band does not reach.
    let Some(figure) = compared.iter().rev().find(|compared| compared.place != Place::Inside) else {
        return Vec::new();
    };
    let of = Shown { band, is_throughput: figure.is_throughput };
    let inside =
        published.is_range().then(|| compared.iter().find(|other| other.place == Place::Inside)).flatten();
    let possible = [
        a_limit(figure, &of, modelled),
        a_latency(figure, run, modelled),
        a_depth(figure, modelled),
        a_hit_rate(figure, &of, run, modelled),
    ];
    let mut possible: Vec<Need> = possible.into_iter().flatten().collect();
    possible.sort_by(|one, other| one.times.total_cmp(&other.times));
    let mut needs = vec![where_it_lies(figure, inside, &of, modelled)];
    needs.extend(possible.into_iter().map(|need| need.says));
    needs
}

/// Format of the row's figures: as they were published.
struct Shown {
    band: Band,
    is_throughput: bool,
}

impl Shown {
    fn rate(&self, iops: f64) -> String {
        if self.is_throughput { format_throughput(iops * self.band.block) } else { rounded(iops) }
    }
}

fn rounded(value: f64) -> String {
    if value < 10.0 { format!("{value:.1}") } else { Grouped(value.round() as u64).to_string() }
}

/// Without zeros at its end: `1.02`.
fn trimmed(factor: f64) -> String {
    format!("{factor:.4}").trim_end_matches('0').trim_end_matches('.').to_string()
}

fn where_it_lies(figure: &Compared, inside: Option<&Compared>, of: &Shown, modelled: &ModelRun) -> String {
    let expected = modelled.prediction.expected.iops;
    let edge = match figure.place {
        Place::Above => format!("above the band, which ends at {}", of.rate(of.band.high)),
        _ => format!("below the band, which begins at {}", of.rate(of.band.low)),
    };
    let share = figure.iops / expected;
    let said = format!("{} is {share:.2} of {}: {edge}", of.rate(figure.iops), of.rate(expected));
    match inside {
        Some(inside) => format!("{} lies inside the band, but {said}", of.rate(inside.iops)),
        None => said,
    }
}

/// The limit that would give the figure, beside the one that is known and nearest.
fn a_limit(figure: &Compared, of: &Shown, modelled: &ModelRun) -> Option<Need> {
    let prediction = &modelled.prediction;
    let names: Vec<String> = prediction
        .binding
        .iter()
        .chain(&prediction.ceiling_binding)
        .filter(|binding| matches!(binding, Binding::Limit(..)))
        .map(Binding::to_string)
        .collect();
    let limiter = prediction.limiters.iter().find(|limiter| names.first() == Some(&limiter.name))?;
    let capacity = capacity_iops(limiter, of.band.block)?;
    let needed = limiter.limit * figure.iops / capacity;
    let factor = limiter.enforced / limiter.limit;
    let show = |amount: f64| match limiter.dimension {
        Dimension::Ios => format!("{} IOPS", rounded(amount)),
        Dimension::Bytes => format_throughput(amount),
    };
    let times = if (factor - 1.0).abs() > 1e-3 { format!(" x {}", trimmed(factor)) } else { String::new() };
    let known = format!("{} of {}", limiter.name, show(limiter.limit));
    let says = match figure.place {
        Place::Above if needed > limiter.limit => format!(
            "{known} would have to be {}{times}, {:.2} times what is published",
            show(needed),
            needed / limiter.limit
        ),
        Place::Above => return None,
        _ => format!("an unpublished limit of {}{times}, below {known}", show(needed)),
    };
    Some(Need::of(says, needed, limiter.limit))
}

/// I/Os of this block size that a limiter lets through a second.
fn capacity_iops(limiter: &LimiterUse, block: f64) -> Option<f64> {
    let each = match limiter.dimension {
        Dimension::Ios => (block / UNIT).ceil().max(1.0),
        Dimension::Bytes => block,
    };
    (each > 0.0).then(|| limiter.enforced / each)
}

/// The mean latency that the outstanding I/Os have at the figure, beside that of one alone and of media.
fn a_latency(figure: &Compared, run: &OnModel, modelled: &ModelRun) -> Option<Need> {
    let prediction = &modelled.prediction;
    // At a limit that is too low, no latency helps.
    if figure.place == Place::Above && !prediction.binding.contains(&Binding::QueueDepth) {
        return None;
    }
    let needed = prediction.outstanding as f64 / figure.iops;
    let alone = prediction.alone.secs_f64();
    let is_read = |share: &iobound_workload::Share| share.op == Op::Read && share.weight > 0;
    let reads = run.workload.jobs.iter().any(|job| job.mix.iter().any(is_read));
    let of = |media: &iobound_model::Media| if reads { media.read.mean } else { media.write.mean };
    let bands = &run.resolved.media_bands;
    let fast = bands.iter().map(|band| of(&band.fast)).min()?.secs_f64();
    let slow = bands.iter().map(|band| of(&band.slow)).max()?.secs_f64();
    let media = if fast == slow {
        format!("media take {}", milliseconds(fast))
    } else {
        format!("media take {} to {}", milliseconds(fast), milliseconds(slow))
    };
    let mean = milliseconds(needed);
    let held = alone < fast;
    let beside = match (held, needed > 2.0 * slow) {
        (true, _) => format!("{} times a cache hit of {}", rounded(needed / alone), milliseconds(alone)),
        (false, true) => format!("no media ({media})"),
        (false, false) => media,
    };
    let says =
        format!("a mean latency of {mean} at {} outstanding: {beside}", Grouped(prediction.outstanding));
    // Of the media's range, the end that is nearest.
    let known = if held { alone } else { needed.clamp(fast, slow) };
    Some(Need::of(says, needed, known))
}

fn milliseconds(seconds: f64) -> String {
    if seconds >= 0.01 { format!("{:.1} ms", seconds * 1e3) } else { format!("{:.2} ms", seconds * 1e3) }
}

/// The outstanding I/Os that would give the figure where no limit does.
fn a_depth(figure: &Compared, modelled: &ModelRun) -> Option<Need> {
    let prediction = &modelled.prediction;
    if prediction.alone == Span::ZERO {
        return None;
    }
    let needed = figure.iops * prediction.alone.secs_f64();
    let is_depth = prediction.binding.contains(&Binding::QueueDepth);
    let possible = match figure.place {
        Place::Above => is_depth,
        _ => needed < prediction.outstanding as f64 * 0.9,
    };
    let says = format!("{needed:.1} outstanding on average instead of {}", Grouped(prediction.outstanding));
    possible.then(|| Need::of(says, needed, prediction.outstanding as f64))
}

/// The share of reads that the host cache would hold, where a lower one would give the figure.
fn a_hit_rate(figure: &Compared, of: &Shown, run: &OnModel, modelled: &ModelRun) -> Option<Need> {
    let cached = run.resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None);
    let reads = run.workload.jobs.iter().all(|job| job.read_fraction() > 0.999);
    if !cached || !reads || figure.place == Place::Above {
        return None;
    }
    let remote = format!("{}.", run.resolved.vm.cloud.rules().remote_limiter);
    let missing = modelled
        .prediction
        .limiters
        .iter()
        .filter(|limiter| limiter.name.starts_with("disk.") || limiter.name.starts_with(&remote))
        .filter_map(|limiter| capacity_iops(limiter, of.band.block))
        .fold(f64::INFINITY, f64::min);
    let hits = 1.0 - missing / figure.iops;
    if !(0.0..1.0).contains(&hits) {
        return None;
    }
    let have = modelled.prediction.hit_rate;
    let instead = have.map_or(String::new(), |have| format!(" instead of {:.0} %", have * 100.0));
    let says = format!("a hit rate of {:.0} %{instead}: its misses fill the uncached limits", hits * 100.0);
    Some(Need::of(says, hits.max(1e-6), have.unwrap_or(1.0).max(1e-6)))
}
