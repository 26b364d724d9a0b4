//! What binds, explained in a line.

use iobound_catalog::{Resolved, ResolvedDisk};
use iobound_model::Dimension;
use iobound_predict::{Binding, GateUse, Prediction};

use super::disks::disks_text;
use super::{Predicted, Stage};
use crate::limit::{binding_title, grouped, limit_figure};
use crate::number::{count_text, percent_text, time_text};

/// What holds the expected figure back: each binding explained, those that tie joined.
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
            let mean = mean.map_or(String::new(), |us| format!(" / {}", time_text(us)));
            let outstanding = grouped(prediction.outstanding);
            match fullest(prediction) {
                Some(gate) => {
                    let above = format!("{} %", (gate.share * 100.0) as u64 + 1);
                    format!("{title}: {outstanding}{mean}; every limit below {above}")
                }
                None => format!("{title}: {outstanding}{mean}; no limit stands in the way"),
            }
        }
        Binding::Rate => {
            let most = fullest(prediction)
                .map_or(String::new(), |gate| format!("; every limit at {} or less", percent_text(gate.share)));
            format!("{title}: all {} IOPS of it are reached{most}", count_text(prediction.expected.iops))
        }
        Binding::CacheDirty => {
            format!("{title}: writes wait until older ones have left it for the disks")
        }
        Binding::Limit(group, dimension) => {
            let of = who(predicted.resolved, prediction, group, *dimension);
            format!("{title}: {of}")
        }
        Binding::Client | Binding::Unknown => title,
    }
}

/// Whose limit it is, and how much it lets through: `10 x P30, 51,000 enforced`.
fn who(resolved: &Resolved, prediction: &Prediction, group: &str, dimension: Dimension) -> String {
    let full: Vec<&str> = prediction
        .ceiling
        .full
        .iter()
        .filter(|(_, full)| *full == dimension)
        .map(|(gate, _)| &resolved.blueprint.gates[usize::from(gate.0)].name)
        .filter(|name| name.group == group)
        .filter_map(|name| name.instance.as_deref())
        .collect();
    let name = format!("{group}.{}", dimension.name());
    let gate = prediction.gates.iter().find(|gate| gate.name == name);
    // The figure is the sum of all gates of the group: said only where all of them are full.
    let some_only = gate.is_some_and(|gate| !full.is_empty() && full.len() < gate.count);
    let owner = match group {
        "disk" => {
            let of: Vec<&ResolvedDisk> = resolved
                .disks
                .iter()
                .filter(|disk| !some_only || full.iter().any(|name| is_of(name, &disk.name)))
                .collect();
            let words = disks_text(of.iter().copied(), false);
            match of.as_slice() {
                [one] if some_only => format!("{} ({})", one.name, one.described),
                _ => words,
            }
        }
        "account" => "the storage account".into(),
        _ => resolved.vm.full_name(),
    };
    match gate {
        Some(gate) if !some_only => format!("{owner}, {} enforced", limit_figure(gate.enforced, dimension)),
        _ => format!("{owner}, of all disks only these are full"),
    }
}

/// Whether a gate's instance is the disk's: its name, or its name with a direction.
fn is_of(instance: &str, disk: &str) -> bool {
    instance == disk || instance.strip_prefix(disk).is_some_and(|rest| matches!(rest, ".read" | ".write"))
}

fn fullest(prediction: &Prediction) -> Option<&GateUse> {
    prediction.gates.iter().max_by(|one, other| one.share.total_cmp(&other.share))
}

/// What makes the ceiling: `10 x P30`, `VM uncached IOPS`.
pub(super) fn ceiling_of(predicted: &Predicted<'_>, prediction: &Prediction) -> String {
    let parts: Vec<String> = prediction
        .ceiling_binding
        .iter()
        .map(|binding| match binding {
            Binding::Limit(group, dimension) if group == "disk" => {
                let disks = disks_text(&predicted.resolved.disks, false);
                match dimension {
                    Dimension::Ios => format!("IOPS of {disks}"),
                    Dimension::Bytes => format!("throughput of {disks}"),
                }
            }
            Binding::Rate => "all that is asked for".into(),
            other => binding_title(other),
        })
        .collect();
    parts.join(" and ")
}
