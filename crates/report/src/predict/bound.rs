//! The binding limit, explained in a line.

use iobound_catalog::{Resolved, ResolvedDisk};
use iobound_model::{Dimension, LimiterSpec};
use iobound_predict::{Age, Binding, LimiterUse, Prediction};

use super::disks::disks_text;
use super::{Predicted, Stage};
use crate::limit::{binding_title, grouped, limit_figure};
use crate::number::{count_text, percent_text, time_text};

/// A limiter that is this full holds its I/Os back.
const FULL: f64 = 0.97;
/// Share of the ceiling from which the expected figure has reached it.
const REACHED: f64 = 0.99;

/// Binding limits of the expected figure: each explained, those that tie joined.
pub(super) fn bound_by(predicted: &Predicted<'_>, stage: &Stage) -> String {
    let prediction = &stage.prediction;
    let parts: Vec<String> =
        prediction.binding.iter().map(|binding| one(predicted, prediction, binding)).collect();
    parts.join("; and ")
}

fn one(predicted: &Predicted<'_>, prediction: &Prediction, binding: &Binding) -> String {
    let title = binding_title(binding);
    match binding {
        Binding::QueueDepth => {
            let mean = prediction.latency.and_then(|latency| latency.mean);
            let mean = mean.map_or(String::new(), |us| format!(" at {} each", time_text(us)));
            let keeps = match prediction.outstanding {
                1 => format!("the application keeps 1 I/O in flight{mean}"),
                outstanding => format!("the application keeps {} I/Os in flight{mean}", grouped(outstanding)),
            };
            let more = match &prediction.knee {
                Some(knee) if knee.outstanding > prediction.outstanding => {
                    // By arithmetic it is the least: the ceiling times the latency of an I/O that meets no other.
                    let least = grouped(knee.depth * knee.threads);
                    format!("; {least} would reach {} IOPS", count_text(knee.iops))
                }
                _ => String::new(),
            };
            match fullest(prediction) {
                Some(limiter) => {
                    let above = (limiter.share * 100.0).round() as u64 + 1;
                    format!("{title}: {keeps}{more}; every limit is below {above} %")
                }
                None => format!("{title}: {keeps}; no limit binds, so more depth gives more IOPS"),
            }
        }
        Binding::Rate => {
            let most = fullest(prediction).map_or(String::new(), |limiter| {
                format!("; every limit at {} or less", percent_text(limiter.share))
            });
            format!("{title}: all {} IOPS of it are reached{most}", count_text(prediction.expected.iops))
        }
        Binding::CacheDirty => {
            format!("{title}: writes wait until older ones have left it for the disks")
        }
        Binding::Limit(group, dimension) => {
            let of = who(predicted, prediction, group, *dimension);
            format!("{title}: {of}")
        }
        Binding::Client | Binding::Unknown => title,
    }
}

/// Owner of a limit, and its enforced value: `10 x P30, 51,000 enforced`.
fn who(predicted: &Predicted<'_>, prediction: &Prediction, group: &str, dimension: Dimension) -> String {
    let name = format!("{group}.{}", dimension.name());
    let named = |limiter: &&LimiterUse| limiter.name == name;
    let is_any_full = prediction.limiters.iter().filter(named).any(|limiter| limiter.share >= FULL);
    // Of data and log, or of reads and writes, those that are full.
    let binds = |limiter: &&LimiterUse| named(limiter) && (!is_any_full || limiter.share >= FULL);
    let limits = prediction.limiters.iter().filter(binds);
    let (count, all) = limits.fold((0, 0.0), |(count, sum), of| (count + of.count, sum + of.enforced));
    let full = full_now(predicted.resolved, prediction, group, dimension);
    let owner = owner(predicted.resolved, group, &full);
    // With some of several full, theirs is the figure; what credits add to it is not known here.
    let is_part = !full.is_empty() && full.len() < count;
    let enforced = match (is_part, predicted.age) {
        (false, _) => Some(all).filter(|_| count > 0),
        (true, Age::Sustained) => Some(full.iter().map(|limiter| enforced(limiter, dimension)).sum()),
        (true, Age::At(_)) => None,
    };
    match enforced {
        Some(enforced) => format!("{owner}, {} enforced", limit_figure(enforced, dimension)),
        None => owner,
    }
}

/// The limiters of the disks that hold the expected figure back: those that are full at the ceiling where that is reached, else those
/// that the simulated I/O fills. Limits other than the disks' have one owner.
fn full_now<'a>(
    resolved: &'a Resolved,
    prediction: &Prediction,
    group: &str,
    dimension: Dimension,
) -> Vec<&'a LimiterSpec> {
    if group != "disk" {
        return Vec::new();
    }
    let is_reached = prediction.ceiling.iops.is_some_and(|most| prediction.expected.iops >= REACHED * most);
    let at_ceiling = full_limiters(resolved, prediction, group, dimension);
    if is_reached && !at_ceiling.is_empty() {
        return at_ceiling;
    }
    busy_disks(resolved, prediction, dimension)
}

fn enforced(limiter: &LimiterSpec, dimension: Dimension) -> f64 {
    limiter.limit(dimension).map_or(0.0, |limit| limit.enforced_micro(limiter.factor) as f64 / 1e6)
}

/// The limiters of the disks that the simulated I/O fills.
fn busy_disks<'a>(
    resolved: &'a Resolved,
    prediction: &Prediction,
    dimension: Dimension,
) -> Vec<&'a LimiterSpec> {
    let limiters = resolved.blueprint.limiters.iter().zip(&prediction.shares);
    limiters
        .filter(|(limiter, _)| limiter.name.group == "disk")
        .filter(|(_, shares)| shares[dimension as usize].is_some_and(|share| share >= FULL))
        .map(|(limiter, _)| limiter)
        .collect()
}

/// The limiters of a group that are full at the ceiling.
fn full_limiters<'a>(
    resolved: &'a Resolved,
    prediction: &Prediction,
    group: &str,
    dimension: Dimension,
) -> Vec<&'a LimiterSpec> {
    let full = prediction.ceiling.full.iter().filter(|(_, full)| *full == dimension);
    full.map(|(limiter, _)| &resolved.blueprint.limiters[usize::from(limiter.0)])
        .filter(|limiter| limiter.name.group == group)
        .collect()
}

/// Owner of the limiters: the disks behind those that are full, the VM size, the storage account.
fn owner(resolved: &Resolved, group: &str, full: &[&LimiterSpec]) -> String {
    match group {
        "disk" => {
            let behind = |disk: &ResolvedDisk| {
                let mut instances = full.iter().filter_map(|limiter| limiter.name.instance.as_deref());
                full.is_empty() || instances.any(|instance| is_of(instance, &disk.name))
            };
            disks_text(resolved.disks.iter().filter(|disk| behind(disk)), false)
        }
        "account" => "the storage account".into(),
        _ => resolved.vm.full_name(),
    }
}

/// True if a limiter's instance is the disk's: its name, or its name with a direction.
fn is_of(instance: &str, disk: &str) -> bool {
    instance == disk || instance.strip_prefix(disk).is_some_and(|rest| matches!(rest, ".read" | ".write"))
}

fn fullest(prediction: &Prediction) -> Option<&LimiterUse> {
    prediction.limiters.iter().max_by(|one, other| one.share.total_cmp(&other.share))
}

/// Owner of the ceiling: `10 x P30`, `VM uncached IOPS`.
pub(super) fn ceiling_of(predicted: &Predicted<'_>, prediction: &Prediction) -> String {
    let parts: Vec<String> = prediction
        .ceiling_binding
        .iter()
        .map(|binding| match binding {
            Binding::Limit(group, dimension) if group == "disk" => {
                let full = full_limiters(predicted.resolved, prediction, group, *dimension);
                let disks = owner(predicted.resolved, group, &full);
                match dimension {
                    Dimension::Ios => format!("IOPS of {disks}"),
                    Dimension::Bytes => format!("throughput of {disks}"),
                }
            }
            Binding::Rate => "everything requested".into(),
            other => binding_title(other),
        })
        .collect();
    parts.join(" and ")
}
