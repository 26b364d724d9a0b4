//! Measurements of devices, as measurements of the configuration's disks and volumes.

use iobound_catalog::{CacheSetting, Resolved, ResolvedDisk};
use iobound_explain::{CreditsUsed, Figures, Latency, Moment, Observed, Part};
use iobound_formats::observation::{Consumed, Device, DeviceKind, Measure, Observation, Scope};
use iobound_measure::RunResult;
use iobound_model::Dimension;

use super::held::held;
use super::places::{Candidate, Map, Places, places};
use crate::failure::Failure;

/// The measurements, and what is to be said of how it was read.
#[derive(Debug)]
pub struct Seen {
    /// For the rules.
    pub observed: Observed,
    /// Sentences.
    pub notes: Vec<String>,
}

/// A device's figures. The queue of a device whose rate or latency is unknown is kept: it may be all there is.
fn figures_of(device: &Device) -> Figures {
    Figures {
        iops: device.ios_per_s(),
        throughput_bytes_per_s: device.bytes_per_s(),
        latency_us: Latency { mean: device.latency_us(), ..Latency::default() },
        block: None,
        depth: None,
        queue: device.outstanding(),
        read: device.read_share(),
        access: None,
    }
}

/// Facts about the configuration in an observation.
pub(super) fn of_observation(
    observation: &Observation,
    maps: &[Map],
    resolved: &Resolved,
) -> Result<Seen, Failure> {
    let mut candidates: Vec<Candidate> = observation
        .devices
        .iter()
        .map(|device| {
            let rate = device.ios_per_s().or(device.bytes_per_s()).or(device.queue).unwrap_or(0.0);
            Candidate { name: device.name.clone(), kind: device.kind, rate }
        })
        .collect();
    let watched = candidates.len();
    candidates.extend(only_consumed(observation));
    // Shares of the VM's limits need no disk.
    let found = match candidates.is_empty() {
        true => Places { is_whole: true, ..Places::default() },
        false => places(&candidates, maps, resolved)?,
    };
    let mut notes = observation.notes.clone();
    notes.extend(found.notes.iter().cloned());
    let mut parts: Vec<Part> = Vec::new();
    for name in found.names.iter().flatten() {
        if parts.iter().all(|part| part.name != *name) {
            let own = observation.devices.iter().zip(&found.names);
            let own: Vec<Figures> = own
                .filter(|(_, place)| place.as_ref() == Some(name))
                .map(|(device, _)| figures_of(device))
                .collect();
            let figures = match own.as_slice() {
                [] => Figures::default(),
                [one] => one.clone(),
                several => Figures::sum(several.iter()),
            };
            parts.push(Part { name: name.clone(), figures });
        }
    }
    apart(&parts, resolved)?;
    let used: Vec<&Device> = observation
        .devices
        .iter()
        .zip(&found.names)
        .filter(|(device, place)| place.is_some() || found.is_whole && device.kind == DeviceKind::Total)
        .map(|(device, _)| device)
        .collect();
    notes.extend(used.iter().filter_map(|device| device.off_littles_law()));
    let mut total = match found.is_whole {
        true => Figures::sum(used.iter().map(|device| figures_of(device)).collect::<Vec<_>>().iter()),
        false => Figures::sum(parts.iter().map(|part| &part.figures)),
    };
    let consumed =
        Shares { all: &observation.consumed, candidates: &candidates[..], places: &found, resolved };
    notes.extend(consumed.fill(&mut total, &mut parts));
    notes.extend(skew(&parts));
    if is_all(&parts, resolved) || watched == 0 && parts.iter().all(|part| !part.figures.has_any()) {
        parts.clear();
    }
    let (held, left) = held(observation, &found, resolved);
    notes.extend(left);
    let knows_bytes = used.iter().all(|device| device.bytes_per_s().is_some());
    let series = (0..observation.starts_s.len()).map(|index| {
        let sum = |of: fn(&Device) -> &[f64]| -> f64 {
            used.iter().map(|device| of(device).get(index).copied().unwrap_or(0.0)).sum()
        };
        Moment {
            at_s: observation.starts_s[index],
            iops: sum(|device| &device.series),
            bytes_per_s: knows_bytes.then(|| sum(|device| &device.bytes_series)),
        }
    });
    let mut observed = Observed {
        total,
        parts,
        series: series.collect(),
        duration: observation.duration,
        cpu: observation.cpu,
        iowait: observation.iowait,
        buffered: observation.buffered,
        flushes_per_s: used.iter().filter_map(|device| device.flushes_per_s).reduce(f64::max),
        credits_used: credits(&observation.consumed),
        held,
        ..Observed::default()
    };
    observed.derive();
    Ok(Seen { observed, notes })
}

/// Facts about the configuration in a result. Its targets are files and devices. Targets outside the configuration
/// count in the total and are not shown apart.
pub(super) fn of_result(result: &RunResult, maps: &[Map], resolved: &Resolved) -> Result<Seen, Failure> {
    let mut observed = Observed::of_result(result);
    let candidates: Vec<Candidate> = observed
        .parts
        .iter()
        .map(|part| Candidate {
            name: part.name.clone(),
            kind: DeviceKind::Disk,
            rate: part.figures.iops.unwrap_or(0.0),
        })
        .collect();
    let mut notes = result.notes.clone();
    let found = match (candidates.len(), maps) {
        (0, []) => Places::default(),
        // Of one target, the whole tells all.
        (1, []) => Places { names: vec![None], ..Places::default() },
        // Files on a stripe are on all its disks; where each volume is a disk, a target may be one.
        (_, []) if resolved.blueprint.volumes.iter().all(|volume| volume.disks.len() == 1) => {
            places(&candidates, maps, resolved)
                .unwrap_or_else(|_| Places { names: vec![None; candidates.len()], ..Places::default() })
        }
        (_, []) => Places { names: known(&candidates, resolved), ..Places::default() },
        _ => places(&candidates, maps, resolved)?,
    };
    let left: Vec<&str> = candidates
        .iter()
        .zip(&found.names)
        .filter(|(_, place)| place.is_none())
        .map(|(candidate, _)| candidate.name.as_str())
        .collect();
    if !left.is_empty() && candidates.len() > 1 {
        notes.push(format!(
            "cannot tell on which disks of the configuration the targets {} are; use --map {}={}",
            left.join(", "),
            left[0],
            resolved.disks.first().map_or("data", |disk| disk.name.as_str())
        ));
    }
    notes.extend(found.notes.iter().filter(|note| !note.starts_with("left out")).cloned());
    let mut parts: Vec<Part> = Vec::new();
    for (part, place) in observed.parts.iter().zip(&found.names) {
        let Some(name) = place else { continue };
        match parts.iter_mut().find(|known| known.name == *name) {
            Some(known) => known.figures = Figures::sum([known.figures.clone(), part.figures.clone()].iter()),
            None => parts.push(Part { name: name.clone(), figures: part.figures.clone() }),
        }
    }
    apart(&parts, resolved)?;
    notes.extend(skew(&parts));
    if is_all(&parts, resolved) {
        parts.clear();
    }
    observed.parts = parts;
    Ok(Seen { observed, notes })
}

/// The candidates that have the name of a disk or a volume.
fn known(candidates: &[Candidate], resolved: &Resolved) -> Vec<Option<String>> {
    let is_known = |name: &str| {
        resolved.disks.iter().any(|disk| disk.name == name) || resolved.volumes_of(name).is_some()
    };
    candidates.iter().map(|one| is_known(&one.name).then(|| one.name.clone())).collect()
}

/// Refuses what would count I/O twice: a volume, and a disk of it.
fn apart(parts: &[Part], resolved: &Resolved) -> Result<(), Failure> {
    for part in parts {
        if resolved.disks.iter().any(|disk| disk.name == part.name) {
            continue;
        }
        let members: Vec<&str> = resolved
            .volumes_of(&part.name)
            .unwrap_or_default()
            .iter()
            .flat_map(|volume| &resolved.blueprint.volumes[*volume].disks)
            .map(|disk| resolved.disks[usize::from(disk.0)].name.as_str())
            .collect();
        if let Some(other) = parts.iter().find(|other| members.contains(&other.name.as_str())) {
            return Err(Failure::input(format!(
                "{} is part of {}: its I/O would count twice",
                other.name, part.name
            ))
            .help("map either the volume or its disks"));
        }
    }
    Ok(())
}

/// True if the only part is all of the configuration.
fn is_all(parts: &[Part], resolved: &Resolved) -> bool {
    let [part] = parts else { return false };
    if resolved.disks.len() == 1 {
        return true;
    }
    let volumes = resolved.volumes_of(&part.name).unwrap_or_default();
    volumes.iter().map(|volume| resolved.blueprint.volumes[*volume].disks.len()).sum::<usize>()
        == resolved.disks.len()
}

/// Inequality of the disks of a volume; of several volumes, of the one with most disks.
fn skew(parts: &[Part]) -> Option<String> {
    let volume = |part: &Part| part.name.rsplit_once('.').map(|(volume, _)| volume.to_string());
    let members = |name: &String| parts.iter().filter(|part| volume(part).as_ref() == Some(name)).count();
    let volumes = parts.iter().filter_map(volume);
    let name = volumes.max_by_key(members)?;
    let rate =
        |part: &Part| Some((part.name.clone(), part.figures.iops.or(part.figures.throughput_bytes_per_s)?));
    let own = parts.iter().filter(|part| volume(part).as_ref() == Some(&name));
    let rates: Vec<(String, f64)> = own.filter_map(rate).collect();
    let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / rates.len().max(1) as f64;
    let (busiest, most) = rates.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    (rates.len() > 1 && mean > 0.0).then(|| {
        format!("of {} disks, the busiest is {busiest}, with {:.2} x the mean", rates.len(), most / mean)
    })
}

/// LUNs of which only shares are told.
fn only_consumed(observation: &Observation) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for used in &observation.consumed {
        let (name, kind) = match used.scope {
            Scope::DataDisk(Some(lun)) => (format!("LUN {lun}"), DeviceKind::Lun(lun)),
            Scope::DataDisk(None) => ("data disks".to_string(), DeviceKind::DataDisks),
            Scope::SystemDisk => ("OS disk".to_string(), DeviceKind::SystemDisk),
            Scope::Disk | Scope::VmCached | Scope::VmUncached => continue,
        };
        let known =
            candidates.iter().map(|one| &one.name).chain(observation.devices.iter().map(|one| &one.name));
        if known.into_iter().all(|known| *known != name) {
            candidates.push(Candidate { name, kind, rate: used.mean });
        }
    }
    // The system's disk alone says nothing of which disk is which.
    if candidates.iter().all(|candidate| candidate.kind == DeviceKind::SystemDisk)
        && observation.consumed.iter().any(|used| matches!(used.scope, Scope::VmCached | Scope::VmUncached))
    {
        candidates.clear();
    }
    candidates
}

fn credits(consumed: &[Consumed]) -> CreditsUsed {
    let most = |of_vm: bool| {
        let own = consumed.iter().filter(|used| {
            let is_vm = matches!(used.scope, Scope::VmCached | Scope::VmUncached);
            is_vm == of_vm && matches!(used.measure, Measure::IosCredits | Measure::BytesCredits)
        });
        own.map(|used| used.most).max_by(f64::total_cmp)
    };
    CreditsUsed { disk: most(false), vm: most(true) }
}

/// Shares of limits, and whose they are.
struct Shares<'a> {
    all: &'a [Consumed],
    candidates: &'a [Candidate],
    places: &'a Places,
    resolved: &'a Resolved,
}

impl Shares<'_> {
    /// Fills in rates that only their share of a published limit tells; says from what.
    fn fill(&self, total: &mut Figures, parts: &mut [Part]) -> Vec<String> {
        let mut said = Vec::new();
        if total.iops.is_none() {
            total.iops = self.of(Dimension::Ios, parts, &mut said);
        }
        if total.throughput_bytes_per_s.is_none() {
            total.throughput_bytes_per_s = self.of(Dimension::Bytes, parts, &mut said);
        }
        said
    }

    fn of(&self, dimension: Dimension, parts: &mut [Part], said: &mut Vec<String>) -> Option<f64> {
        let (measure, what) = match dimension {
            Dimension::Ios => (Measure::Ios, "IOPS"),
            Dimension::Bytes => (Measure::Bytes, "throughput"),
        };
        let mut sum = 0.0;
        for used in self.all.iter().filter(|used| used.measure == measure) {
            let Some(disk) = self.disk(used.scope) else { continue };
            let published = match dimension {
                Dimension::Ios => disk.ios,
                Dimension::Bytes => disk.bytes,
            };
            let Some(published) = published else { continue };
            let rate = used.mean * published as f64;
            sum += rate;
            if let Some(part) = parts.iter_mut().find(|part| part.name == disk.name) {
                let slot = match dimension {
                    Dimension::Ios => &mut part.figures.iops,
                    Dimension::Bytes => &mut part.figures.throughput_bytes_per_s,
                };
                *slot = Some(slot.unwrap_or(rate));
            }
        }
        if sum > 0.0 {
            said.push(format!("{what} is the consumed share of the disks' published limits"));
            return Some(sum);
        }
        self.of_vm(dimension, measure, what, said)
    }

    /// The disk that a scope is of.
    fn disk(&self, scope: Scope) -> Option<&ResolvedDisk> {
        let kind = match scope {
            Scope::DataDisk(Some(lun)) => DeviceKind::Lun(lun),
            Scope::DataDisk(None) => DeviceKind::DataDisks,
            Scope::SystemDisk => DeviceKind::SystemDisk,
            Scope::Disk | Scope::VmCached | Scope::VmUncached => return None,
        };
        let index = self.candidates.iter().position(|candidate| candidate.kind == kind)?;
        let name = self.places.names.get(index)?.as_ref()?;
        self.resolved.disks.iter().find(|disk| disk.name == *name)
    }

    /// Load on a limit of the VM that all disks share: all of it.
    fn of_vm(
        &self,
        dimension: Dimension,
        measure: Measure,
        what: &str,
        said: &mut Vec<String>,
    ) -> Option<f64> {
        let cached = |disk: &ResolvedDisk| disk.cache != CacheSetting::None;
        let data: Vec<&ResolvedDisk> = self.resolved.disks.iter().filter(|disk| !disk.is_os).collect();
        let (scope, group) = match () {
            () if data.iter().all(|disk| !cached(disk)) => {
                (Scope::VmUncached, self.resolved.vm.cloud.rules().remote_limiter)
            }
            () if data.iter().all(|disk| cached(disk)) => (Scope::VmCached, "vm.cached"),
            () => return None,
        };
        let used = self.all.iter().find(|used| (used.scope, used.measure) == (scope, measure))?;
        let limiters = self.resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == group);
        let published =
            limiters.filter_map(|limiter| limiter.limit(dimension)).map(|limit| limit.published).next()?;
        said.push(format!("{what} is the consumed share of the VM's published limit {group}"));
        Some(used.mean * published as f64).filter(|rate| *rate > 0.0)
    }
}
