//! Offers of the catalogue whose limits are those that were measured.

use iobound_catalog::{
    Catalog, CatalogError, Cloud, Configuration, DiskType, Redundancy, Resolved, Sold, VmSize, parse_spec,
    resolve,
};
use iobound_model::{Algorithm, Dimension, LimiterSpec};
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
    algorithm: Algorithm,
    because: String,
    is_vm: bool,
    cloud: Cloud,
    /// Time that full credits last at these limits, in seconds; `None` where they are sustained.
    lasts: Option<f64>,
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
            let offers = disk_offers(catalog, vm, &spec);
            found.extend(offers.into_iter().filter_map(|offered| measured.matching(offered)));
        }
        for vm in of_cloud {
            let offers = vm_offers(catalog, vm);
            found.extend(offers.into_iter().filter_map(|offered| measured.matching(offered)));
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
    Ok(chosen(found).into_iter().enumerate().map(offer).collect())
}

/// The nearest offers, and the nearest of each other cloud.
fn chosen(found: Vec<(f64, Offered)>) -> Vec<(f64, Offered)> {
    let mut shown: Vec<(f64, Offered)> = Vec::with_capacity(SHOWN);
    for (at, (difference, offered)) in found.into_iter().enumerate() {
        let is_of_new_cloud = !shown.iter().any(|(_, other)| other.cloud == offered.cloud);
        if at < SHOWN || is_of_new_cloud {
            shown.push((difference, offered));
        }
    }
    shown
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

/// The limits of a disk: those that it sustains, and those of its burst.
fn disk_offers(catalog: &Catalog, vm: &VmSize, spec: &str) -> Vec<Offered> {
    let Some(resolved) = built(catalog, vm, spec) else { return Vec::new() };
    let limiter = resolved.blueprint.limiters.iter().find(|limiter| limiter.name.group == "disk");
    limiter.map(|limiter| with_burst(spec, limiter, vm.cloud, false)).unwrap_or_default()
}

/// The limits that all uncached disks of a VM share.
fn vm_offers(catalog: &Catalog, vm: &VmSize) -> Vec<Offered> {
    let rules = vm.cloud.rules();
    // The examples of a cloud begin with a disk that every size with remote disks takes.
    let spec = rules.disk_examples.split([',', ' ']).next().unwrap_or_default();
    let Some(resolved) = built(catalog, vm, spec) else { return Vec::new() };
    let limiter =
        resolved.blueprint.limiters.iter().find(|limiter| limiter.name.group == rules.remote_limiter);
    let name = format!("{}, with larger disks", vm.full_name());
    limiter.map(|limiter| with_burst(&name, limiter, vm.cloud, true)).unwrap_or_default()
}

/// A limiter's sustained limits, and those while its credits last.
fn with_burst(name: &str, limiter: &LimiterSpec, cloud: Cloud, is_vm: bool) -> Vec<Offered> {
    let sustained = offered(name.to_string(), limiter, cloud, is_vm);
    let Some(credits) = limiter.credits else { return vec![sustained] };
    let factor = f64::from(limiter.factor.0) / 1e6;
    let mut burst = sustained.clone();
    let mut lasts: Option<f64> = None;
    for (limit, credit) in burst.limits.iter_mut().zip([credits.ios, credits.bytes]) {
        let (Some(base), Some(credit)) = (*limit, credit) else { continue };
        let rate = credit.burst as f64 * factor;
        *limit = Some(rate);
        let time = credit.capacity as f64 / (rate - base).max(1.0);
        lasts = Some(lasts.map_or(time, |other: f64| other.min(time)));
    }
    let Some(time) = lasts else { return vec![sustained] };
    burst.lasts = lasts;
    burst.name = format!("{name}, while its credits last");
    burst.because = format!("{} above the sustained {}, for {time:.0} s", limits_text(&burst), burst.because);
    vec![sustained, burst]
}

/// The limits in words.
fn limits_text(offered: &Offered) -> String {
    let ios = offered.limits[0].map(|ios| format!("{ios:.0} IOPS"));
    let bytes = offered.limits[1].map(format_throughput);
    ios.into_iter().chain(bytes).collect::<Vec<String>>().join(" and ")
}

fn built(catalog: &Catalog, vm: &VmSize, spec: &str) -> Option<Resolved> {
    let mut configuration = Configuration::of(&vm.full_name());
    configuration.volumes = vec![parse_spec(spec).ok()?];
    resolve(&configuration, catalog).ok()
}

fn offered(name: String, limiter: &LimiterSpec, cloud: Cloud, is_vm: bool) -> Offered {
    let factor = f64::from(limiter.factor.0) / 1e6;
    let enforced = |dimension| {
        let limit = limiter.limit(dimension)?;
        Some(limit.enforced_micro(limiter.factor) as f64 / 1e6)
    };
    let limits = [enforced(Dimension::Ios), enforced(Dimension::Bytes)];
    let published = |dimension: Dimension| {
        let limit = limiter.limit(dimension)?;
        let value = limit.enforced_micro(limiter.factor) as f64 / 1e6;
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
    because.push(match limiter.algorithm {
        Algorithm::Slice { length } => format!("slices of {length}"),
        Algorithm::Bucket { depth } => format!("a bucket of {depth}"),
    });
    let because = because.join(", ");
    Offered { name, limits, algorithm: limiter.algorithm, because, is_vm, cloud, lasts: None }
}

impl Measured<'_> {
    /// An offer with its difference, where its limits match. A burst that was seen to end is none of an offer without credits,
    /// and its limit is the sustained one.
    fn matching(&self, offered: Offered) -> Option<(f64, Offered)> {
        let ended = self.limits.iter().flatten().any(|limit| limit.burst.is_some());
        if ended && offered.lasts.is_some() {
            return None;
        }
        // A burst that lasts for less than the limit was loaded would have ended.
        let watched = self.limits.iter().flatten().map(|limit| limit.watched.secs_f64()).fold(0.0, f64::max);
        if offered.lasts.is_some_and(|time| time < watched) {
            return None;
        }
        self.difference(&offered).map(|difference| (difference, offered))
    }

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
        let is_other = match (enforcement, offered.algorithm) {
            (Enforcement::Slice { length, .. }, Algorithm::Slice { length: offer }) => {
                (length.value / offer.secs_f64()).ln().abs() > 0.1
            }
            (Enforcement::Bucket { depth }, Algorithm::Bucket { depth: offer }) => {
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
    if let Some(time) = first.lasts.or(other.lasts).filter(|_| first.lasts.is_some() != other.lasts.is_some())
    {
        return format!("a load of {time:.0} s, which ends a burst");
    }
    if first.algorithm != other.algorithm {
        let text = |algorithm: Algorithm| match algorithm {
            Algorithm::Slice { length } => format!("slices of {length}"),
            Algorithm::Bucket { depth } => format!("a bucket of {depth}"),
        };
        return format!("the enforcement: {} there, {} here", text(first.algorithm), text(other.algorithm));
    }
    let differ = |at: usize| match (first.limits[at], other.limits[at]) {
        (Some(one), Some(two)) => (one / two).ln().abs() > 0.002,
        (one, two) => one.is_some() != two.is_some(),
    };
    match (differ(0), differ(1)) {
        (true, _) | (false, true) => {
            let which = if differ(0) { "in IOPS" } else { "of throughput" };
            format!(
                "a longer run at the limit {which}: {} there, {} here",
                limits_text(first),
                limits_text(other)
            )
        }
        (false, false) if first.is_vm => "the name of the VM size: the limits are the same".into(),
        (false, false) => "the latency and the size: the limits are the same".into(),
    }
}
