//! Offers of the catalogue whose limits are those that were measured.

use iobound_catalog::{
    Catalog, CatalogError, Cloud, Configuration, DiskType, Redundancy, Resolved, Sold, VmSize, parse_spec,
    resolve,
};
use iobound_model::{Dimension, Discipline, GateSpec};
use iobound_probe::{Answer, Counts, Enforcement, FoundLimit, Scope};
use iobound_report::MatchingOffer;
use iobound_units::format_throughput;

/// A limit that differs by more than this is another limit.
const SAME: f64 = 0.03;
/// A slice or a bucket of another kind or length counts as much as this difference of a limit.
const OTHER_ENFORCEMENT: f64 = 0.02;
const SHOWN: usize = 5;

/// Measurements of one target.
struct Measured<'a> {
    limits: [Option<&'a FoundLimit>; 2],
}

/// Enforced limits of an offer, and the catalogue's reason for them.
#[derive(Clone)]
struct Offered {
    name: String,
    limits: [Option<f64>; 2],
    discipline: Discipline,
    because: String,
    is_vm: bool,
}

/// Offers with the limits of a probe of one target, the nearest first.
pub(super) fn offers(answer: &Answer, catalog: &Catalog) -> Result<Vec<MatchingOffer>, CatalogError> {
    let [target] = answer.targets.as_slice() else { return Ok(Vec::new()) };
    let limit =
        |counts| [Scope::Reads, Scope::Both].into_iter().find_map(|scope| answer.limit(0, counts, scope));
    let measured = Measured { limits: [limit(Counts::Ios), limit(Counts::Bytes)] };
    if measured.limits.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let mut found: Vec<(f64, Offered)> = Vec::new();
    let vms = catalog.vms()?;
    for cloud in Cloud::modelled() {
        let of_cloud: Vec<&VmSize> =
            vms.iter().filter(|vm| vm.cloud == cloud && vm.uncached.known()).collect();
        let largest = |disk: DiskType| {
            let takes = |vm: &&&VmSize| !disk.kind().needs_premium || vm.premium != Some(false);
            of_cloud.iter().filter(takes).max_by_key(|vm| vm.uncached.ios)
        };
        for (spec, disk) in specs(catalog, cloud, target.size, &measured)? {
            let Some(vm) = largest(disk) else { continue };
            let Some(offered) = disk_offer(catalog, vm, &spec) else { continue };
            found.extend(measured.difference(&offered).map(|difference| (difference, offered)));
        }
        for vm in of_cloud {
            let Some(offered) = vm_offer(catalog, vm) else { continue };
            found.extend(measured.difference(&offered).map(|difference| (difference, offered)));
        }
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.is_vm.cmp(&other.1.is_vm)));
    let first = found.first().map(|(_, offered)| offered.clone());
    let offer = |(n, (difference, offered)): (usize, (f64, Offered))| MatchingOffer {
        told_apart_by: first.as_ref().filter(|_| n > 0).map(|first| told_apart(first, &offered)),
        name: offered.name,
        because: offered.because,
        difference,
    };
    Ok(found.into_iter().take(SHOWN).enumerate().map(offer).collect())
}

/// Disks of a cloud that may have the measured limits: its tiers, and its provisioned kinds with those figures.
fn specs(
    catalog: &Catalog,
    cloud: Cloud,
    size: u64,
    measured: &Measured<'_>,
) -> Result<Vec<(String, DiskType)>, CatalogError> {
    let tiers = catalog.tiers()?.into_iter();
    let current = tiers.filter(|tier| {
        tier.era == iobound_catalog::Era::current()
            && tier.redundancy == Redundancy::Lrs
            && tier.disk.cloud() == cloud
    });
    let mut specs: Vec<(String, DiskType)> = current.map(|tier| (tier.name, tier.disk)).collect();
    let gib = size.div_ceil(1 << 30).max(1);
    for disk in DiskType::ALL.into_iter().filter(|disk| disk.cloud() == cloud) {
        let Sold::Apart { .. } = disk.kind().sold else { continue };
        let factor = catalog.rule_micro_if(disk.word(), "enforced_factor")?.unwrap_or(1_000_000) as f64 / 1e6;
        let figure = |at: usize| measured.limits[at].map(|limit| limit.per_second.value / factor);
        let mut text = format!("{}@{gib}GiB", disk.word());
        specs.push((text.clone(), disk));
        if let Some(ios) = figure(0) {
            text.push_str(&format!("+{:.0}iops", round(ios)));
            specs.push((text.clone(), disk));
        }
        if let Some(bytes) = figure(1) {
            text.push_str(&format!("+{:.0}MiB/s", (bytes / 1_048_576.0).round().max(1.0)));
            specs.push((text, disk));
        }
    }
    Ok(specs)
}

/// The nearest figure of three digits: nobody provisions 5,003 IOPS.
fn round(value: f64) -> f64 {
    let scale = 10f64.powf((value.max(1.0).log10() - 2.0).floor());
    (value / scale).round() * scale
}

fn disk_offer(catalog: &Catalog, vm: &VmSize, spec: &str) -> Option<Offered> {
    let resolved = built(catalog, vm, spec)?;
    let gate = resolved.blueprint.gates.iter().find(|gate| gate.name.group == "disk")?;
    Some(offered(spec.to_string(), gate, false))
}

/// The limit that all uncached disks of a VM share.
fn vm_offer(catalog: &Catalog, vm: &VmSize) -> Option<Offered> {
    let rules = vm.cloud.rules();
    // The examples of a cloud begin with a disk that every size with remote disks takes.
    let spec = rules.disk_examples.split([',', ' ']).next()?;
    let resolved = built(catalog, vm, spec)?;
    let gate = resolved.blueprint.gates.iter().find(|gate| gate.name.group == rules.remote_gate)?;
    Some(offered(format!("{}, with larger disks", vm.full_name()), gate, true))
}

fn built(catalog: &Catalog, vm: &VmSize, spec: &str) -> Option<Resolved> {
    let mut configuration = Configuration::of(&vm.full_name());
    configuration.volumes = vec![parse_spec(spec).ok()?];
    resolve(&configuration, catalog).ok()
}

fn offered(name: String, gate: &GateSpec, is_vm: bool) -> Offered {
    let factor = f64::from(gate.factor.0) / 1e6;
    let enforced = |dimension| {
        let limit = gate.limit(dimension)?;
        Some(limit.enforced_micro(gate.factor) as f64 / 1e6)
    };
    let limits = [enforced(Dimension::Ios), enforced(Dimension::Bytes)];
    let published = |dimension: Dimension| {
        let limit = gate.limit(dimension)?;
        let value = limit.enforced_micro(gate.factor) as f64 / 1e6;
        let text = |value: f64| match dimension {
            Dimension::Ios => format!("{value:.0} IOPS"),
            Dimension::Bytes => format_throughput(value),
        };
        Some(match limit.enforced {
            Some(_) => format!("{} (published {})", text(value), text(limit.published as f64)),
            None if factor == 1.0 => text(value),
            None => format!("{} = {} x {factor}", text(value), text(limit.published as f64)),
        })
    };
    let mut because: Vec<String> =
        [Dimension::Ios, Dimension::Bytes].into_iter().filter_map(published).collect();
    because.push(match gate.discipline {
        Discipline::Slice { length } => format!("slices of {length}"),
        Discipline::Bucket { depth } => format!("a bucket of {depth}"),
    });
    Offered { name, limits, discipline: gate.discipline, because: because.join(", "), is_vm }
}

impl Measured<'_> {
    /// Mean difference between an offer and what was measured; `None` where a limit is another one.
    fn difference(&self, offered: &Offered) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (found, offer) in self.limits.iter().zip(offered.limits) {
            let Some(found) = found else { continue };
            let difference = (found.per_second.value / offer?).ln().abs();
            if difference > SAME {
                return None;
            }
            sum += difference;
            count += 1.0;
        }
        let enforcement = self.limits.iter().flatten().next()?.enforcement;
        let is_other = match (enforcement, offered.discipline) {
            (Enforcement::Slice { length, .. }, Discipline::Slice { length: offer }) => {
                (length.value / offer.secs_f64()).ln().abs() > 0.1
            }
            (Enforcement::Bucket { depth }, Discipline::Bucket { depth: offer }) => {
                (depth.value.max(1e-4) / offer.secs_f64()).ln().abs() > 0.2
            }
            (Enforcement::Unresolved, _) => false,
            _ => true,
        };
        Some(sum / count + if is_other { OTHER_ENFORCEMENT } else { 0.0 })
    }
}

/// The measurement that tells two offers apart.
fn told_apart(first: &Offered, other: &Offered) -> String {
    if first.is_vm != other.is_vm {
        return "load on a second disk: the limit of a VM holds both disks together".into();
    }
    if first.discipline != other.discipline {
        return "the enforcement: slices and buckets of other lengths".into();
    }
    let differ = |at: usize| match (first.limits[at], other.limits[at]) {
        (Some(one), Some(two)) => (one / two).ln().abs() > 0.002,
        (one, two) => one.is_some() != two.is_some(),
    };
    match (differ(0), differ(1)) {
        (true, _) => "a longer run at the limit in IOPS: the limits differ by less than 3 %".into(),
        (false, true) => "a longer run at the throughput limit: the limits differ by less than 3 %".into(),
        (false, false) if first.is_vm => "the name of the VM size: the limits are the same".into(),
        (false, false) => "the latency and the size: the limits are the same".into(),
    }
}
