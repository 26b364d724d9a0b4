//! The changes that are worth a prediction: the next larger of what there is.

use iobound_catalog::{
    Bounds, CacheSetting, Configuration, DiskTier, DiskType, Limits, Performance, PerformanceSetting,
    ResolvedDisk, VmLimit, VmSize, What, megabyte_of, resolve, throughput_spec,
};
use iobound_model::Dimension;
use iobound_predict::Age;
use iobound_units::{Bandwidth, Bytes, Iops};

use crate::case::Case;
use crate::observed::{Access, Latency};
use crate::remedy::{BLOCK_OF_BYTES, Change, Remedy};
use crate::thresholds as of;
use crate::usage::Usage;

fn pick(limits: Limits, dimension: Dimension) -> Option<u64> {
    match dimension {
        Dimension::Ios => limits.ios,
        Dimension::Bytes => limits.bytes,
    }
}

/// The figure of a size that a limit of a group is.
fn limit_of(case: &Case<'_>, vm: &VmSize, group: &str, dimension: Dimension) -> Option<u64> {
    let kind = data_disk(case).and_then(|disk| disk.disk);
    let remote = kind.map_or(VmLimit::Uncached, |kind| kind.kind().limit);
    match group {
        "vm.cached" => pick(vm.cached, dimension),
        _ => pick(vm.remote(remote).sustained, dimension),
    }
}

/// The goal, of a dimension.
fn wish(case: &Case<'_>, dimension: Dimension) -> Option<f64> {
    let want = case.want?;
    let block = case.observed.total.block;
    match dimension {
        Dimension::Ios => want.iops,
        Dimension::Bytes => {
            let moved = want.iops.zip(block).map(|(iops, block)| iops * block);
            match (want.throughput_bytes_per_s, moved) {
                (Some(one), Some(other)) => Some(one.max(other)),
                (one, other) => one.or(other),
            }
        }
    }
}

/// VM sizes that let enough through where this one's limit binds, the smallest first.
fn sizes(case: &Case<'_>, enough: impl Fn(&VmSize) -> bool) -> Vec<VmSize> {
    let vm = &case.resolved.vm;
    let Ok(mut sizes) = case.catalog.vms_of(&[vm.cloud]) else { return Vec::new() };
    sizes.retain(|other| {
        other.arch == vm.arch
            && other.premium == vm.premium
            && other.vcpus_available == other.vcpus
            && other.name != vm.name
            && enough(other)
    });
    sizes.sort_by(|one, other| {
        let key = |vm: &VmSize| (vm.vcpus, vm.memory, vm.uncached.ios, vm.uncached.bytes);
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    sizes
}

/// The smallest size of the same family that lets more through.
pub(crate) fn larger_vm(case: &Case<'_>, group: &str, dimension: Dimension) -> Vec<Remedy> {
    larger_size(case, group, dimension).iter().map(to_size).collect()
}

fn larger_size(case: &Case<'_>, group: &str, dimension: Dimension) -> Option<VmSize> {
    let now = limit_of(case, &case.resolved.vm, group, dimension)?;
    let enough = wish(case, dimension).unwrap_or(0.0).max(of::LARGER * now as f64);
    larger_vms(case, |other| {
        limit_of(case, other, group, dimension).is_some_and(|limit| limit as f64 >= enough)
    })
}

fn to_size(vm: &VmSize) -> Remedy {
    Remedy::of(Change::Vm(vm.full_name()))
}

/// The smallest size of the same family that lets through for long what this one does while its credits last, as far as the
/// rest of the configuration lets it through.
pub(crate) fn lasting_vm(case: &Case<'_>, usage: &Usage) -> Vec<Remedy> {
    let reach = case.reach(usage);
    let found = larger_vms(case, |other| {
        other.family == case.resolved.vm.family
            && limit_of(case, other, &usage.group, usage.dimension).is_some_and(|limit| limit as f64 >= reach)
    });
    found.iter().map(to_size).collect()
}

/// The smallest size that suffices, of the own family if it has one; of another family with as many processors and as much memory.
fn larger_vms(case: &Case<'_>, enough: impl Fn(&VmSize) -> bool) -> Option<VmSize> {
    let vm = &case.resolved.vm;
    let takes = case.configuration.volumes.iter().map(|volume| u64::from(volume.count)).sum::<u64>();
    let cached = crate::usage::has_cache(case.resolved);
    let sizes = sizes(case, |other| {
        enough(other)
            && other.max_data_disks.is_none_or(|most| most >= takes)
            && (!cached || other.host_cache == vm.host_cache)
    });
    // Another family is another kind of machine: only if its own family has no such size.
    let own =
        |other: &&VmSize| other.family.is_some() && other.family == vm.family && other.memory >= vm.memory;
    let other = |other: &&VmSize| {
        other.current_generation != Some(false) && other.vcpus >= vm.vcpus && other.memory >= vm.memory
    };
    let found = sizes.iter().find(own).or(sizes.iter().find(other).filter(|_| vm.family.is_some()));
    found.cloned()
}

/// The first disk that holds data; the operating system's disk if there is no other.
pub(crate) fn data_disk<'a>(case: &Case<'a>) -> Option<&'a ResolvedDisk> {
    let resolved = case.resolved;
    resolved.disks.iter().find(|disk| !disk.is_os).or(resolved.disks.first())
}

fn sized(kind: DiskType, size: Bytes, iops: Option<u64>, bytes: Option<u64>) -> (What, String) {
    let said = format!(
        "{}@{}GiB{}{}",
        kind.word(),
        size.get() >> 30,
        iops.map_or(String::new(), |iops| format!("+{iops}iops")),
        bytes.map_or(String::new(), |bytes| format!("+{}", throughput_spec(kind, bytes)))
    );
    let what = What::Sized {
        disk: kind,
        size: Some(size),
        iops: iops.map(Iops),
        throughput: bytes.map(Bandwidth),
        era: None,
    };
    (what, said)
}

/// The least throughput from a rate on that can be provisioned: whole megabytes of the type.
fn whole_megabytes(kind: DiskType, bytes: f64) -> u64 {
    let megabyte = megabyte_of(kind);
    (bytes / megabyte as f64).ceil() as u64 * megabyte
}

/// True if a configuration can be built with such disks.
fn is_built(case: &Case<'_>, configuration: &Configuration, change: &Change) -> bool {
    let Change::Disk(what, _) = change else { return true };
    let mut configuration = configuration.clone();
    let os_only = configuration.volumes.is_empty();
    for volume in configuration.volumes.iter_mut().chain(configuration.os_disk.iter_mut().filter(|_| os_only))
    {
        (volume.what, volume.setting) = (what.clone(), PerformanceSetting::OfSize);
    }
    resolve(&configuration, case.catalog).is_ok()
}

fn disk_change((what, said): (What, String)) -> Change {
    Change::Disk(what, said)
}

/// Factor offered if no goal is given: the next step, and one far above it.
const STEPS: [f64; 3] = [of::LARGER, 4.0, 8.0];

/// Most that the VM lets through to all data disks: more disk capability than this is wasted. Infinite if cache hits or
/// burst credits may let more through.
fn vm_allows(case: &Case<'_>, dimension: Dimension) -> f64 {
    size_allows(case, &case.resolved.vm, dimension)
}

/// The same of another VM size.
fn size_allows(case: &Case<'_>, vm: &VmSize, dimension: Dimension) -> f64 {
    if crate::usage::has_cache(case.resolved) || case.age != Age::Sustained || case.is_local() {
        return f64::INFINITY;
    }
    let of = |dimension| {
        let limit = limit_of(case, vm, case.remote_limiter(), dimension);
        limit.map_or(f64::INFINITY, |limit| limit as f64)
    };
    match (dimension, case.observed.total.block) {
        (Dimension::Ios, Some(block)) => of(Dimension::Ios).min(of(Dimension::Bytes) / block),
        (Dimension::Bytes, Some(block)) => of(Dimension::Bytes).min(of(Dimension::Ios) * block),
        (dimension, None) => of(dimension),
    }
}

/// Disks with higher limits, as far as the VM lets them through: the next tiers, more provisioned, a newer type.
pub(crate) fn better_disk(case: &Case<'_>, dimension: Dimension) -> Vec<Remedy> {
    disks_up_to(case, dimension, vm_allows(case, dimension))
}

/// As [`better_disk`], up to a limit of all disks together.
fn disks_up_to(case: &Case<'_>, dimension: Dimension, most: f64) -> Vec<Remedy> {
    let Some(disk) = data_disk(case) else { return Vec::new() };
    let Some(kind) = disk.disk else { return Vec::new() };
    let now = match dimension {
        Dimension::Ios => disk.ios,
        Dimension::Bytes => disk.bytes,
    };
    let Some(now) = now.map(|now| now as f64) else { return Vec::new() };
    let disks = case.resolved.disks.iter().filter(|disk| !disk.is_os).count().max(1) as f64;
    let wish = wish(case, dimension).map(|wish| wish / disks).filter(|wish| *wish > now);
    let mut steps: Vec<f64> = match wish {
        Some(wish) => vec![of::LARGER * now, wish],
        None => STEPS.map(|times| times * now).to_vec(),
    };
    let most = most / disks;
    if most < of::HELPS * now {
        return Vec::new();
    }
    steps.iter_mut().for_each(|step| *step = step.min(most));
    let configuration = case.configuration;
    let mut changes: Vec<Change> = Vec::new();
    // The successor of an older type comes first: it costs less for more. Hard disks are for large I/Os in order: for others the type
    // with the next faster media is.
    let in_place_of_hdd = kind.kind().faster.first().filter(|_| kind.kind().is_hdd && is_small_random(case));
    if let Some(next) = kind.kind().successor.or(in_place_of_hdd.copied()) {
        let (least_ios, least_bytes) = included(case, next);
        let allowed = vm_allows(case, Dimension::Ios) / disks;
        // A hard disk charges a small random I/O as a large one: its figures say nothing of what the I/Os need.
        let step = |of: Dimension| if dimension == of && in_place_of_hdd.is_none() { steps[0] } else { 0.0 };
        let ios = (disk.ios.unwrap_or(0) as f64).min(allowed).max(step(Dimension::Ios)).max(least_ios);
        let bytes = step(Dimension::Bytes).max(least_bytes);
        changes.extend(provisioned(case, configuration, next, disk.size, (ios, bytes)));
    }
    if kind.has_tiers() {
        changes.extend(steps.iter().filter_map(|enough| tier(case, disk, kind, dimension, *enough)));
    } else {
        let has_own_ios =
            bounds_of(case, kind).is_some_and(|bounds| bounds.has_own_ios() || bounds.has_own_bytes());
        for enough in &steps[1..] {
            let seen = (disk.ios.unwrap_or(0) as f64, disk.bytes.unwrap_or(0) as f64);
            changes.extend(match (has_own_ios, dimension) {
                (false, _) => {
                    let size = Bytes(((disk.size.get() as f64 * enough / now) as u64 >> 30) << 30);
                    Some(disk_change(sized(kind, size, None, None)))
                }
                // The other figure as far as this one takes it.
                (true, Dimension::Ios) => {
                    let moved = case.observed.total.block.map_or(0.0, |block| enough * block);
                    provisioned(case, configuration, kind, disk.size, (*enough, seen.1.max(moved)))
                }
                // No more than its IOPS move in blocks of this size.
                (true, Dimension::Bytes) => {
                    let moved = seen.0 * case.observed.total.block.unwrap_or(f64::from(BLOCK_OF_BYTES));
                    let bytes = enough.min(moved).max(now);
                    provisioned(case, configuration, kind, disk.size, (seen.0, bytes))
                }
            });
        }
    }
    // More than the type or the size can have is not a change.
    changes.retain(|change| match (change, dimension) {
        (Change::Disk(What::Sized { disk, iops: Some(iops), .. }, _), Dimension::Ios) if *disk == kind => {
            iops.0 as f64 >= of::HELPS * now
        }
        _ => true,
    });
    let mut remedies: Vec<Remedy> = Vec::new();
    for change in changes {
        if is_built(case, configuration, &change) && !remedies.iter().any(|one| one.changes[0] == change) {
            remedies.push(Remedy::of(change));
        }
    }
    remedies
}

/// True if the I/Os are known to be small, and not known to be in order.
fn is_small_random(case: &Case<'_>) -> bool {
    let total = &case.observed.total;
    total.block.is_some_and(|block| block <= of::IOPS_BLOCK) && total.access != Some(Access::Sequential)
}

/// The figures that may be provisioned of a type; `None`: it is sold in tiers.
pub(crate) fn bounds_of(case: &Case<'_>, kind: DiskType) -> Option<Bounds> {
    case.catalog.bounds(kind).ok()?
}

/// IOPS and bytes a second that a disk has for its size alone, without more provisioned.
fn included(case: &Case<'_>, kind: DiskType) -> (f64, f64) {
    let (ios, bytes) = bounds_of(case, kind).map_or((0, 0), |bounds| bounds.included());
    (ios as f64, bytes as f64)
}

/// A disk provisioned for so many IOPS and bytes, or as near to it as its size and type allow; both of its figures are
/// raised where one asks for the other.
fn provisioned(
    case: &Case<'_>,
    configuration: &Configuration,
    kind: DiskType,
    size: Bytes,
    (ios, bytes): (f64, f64),
) -> Option<Change> {
    let (takes_bytes, ios) = match bounds_of(case, kind)?.performance {
        Performance::Tied(of) => {
            let [gib, ios, bytes] = of.at_least([size.get() >> 30, ios as u64, bytes as u64])?;
            let ios = of.provisions_ios().then_some(ios);
            let bytes = of.provisions_bytes().then_some(bytes);
            let change = disk_change(sized(kind, Bytes::gib(gib), ios, bytes));
            return is_built(case, configuration, &change).then_some(change);
        }
        // At most so many bytes a second for each IOPS.
        Performance::Chosen(of) => (true, ios.max(bytes / of.bytes_per_io as f64).max(of.ios[0] as f64)),
        Performance::ByIos(of) => (false, ios.max(of.ios[0] as f64)),
        Performance::BySize(_) | Performance::Streaming(_) | Performance::Pooled(_) => (false, ios),
    };
    // Half of it, and so on, where the type or the size allows no more.
    let mut share = 1.0;
    for _ in 0..5 {
        let bytes = Some(whole_megabytes(kind, bytes * share)).filter(|bytes| takes_bytes && *bytes > 0);
        let change = disk_change(sized(kind, size, Some((ios * share) as u64), bytes));
        if is_built(case, configuration, &change) {
            return Some(change);
        }
        share /= 2.0;
    }
    None
}

/// Disks provisioned with what the VM lets through and no more; `None` where the type has nothing to provision, or its figures are no
/// higher than that.
pub(crate) fn no_more_than_vm(case: &Case<'_>) -> Option<Remedy> {
    let disk = data_disk(case)?;
    let kind = disk.disk?;
    let Performance::Chosen(of) = bounds_of(case, kind)?.performance else { return None };
    let disks = case.resolved.disks.iter().filter(|disk| !disk.is_os).count().max(1) as f64;
    let least = |now: Option<u64>, dimension, least: u64| {
        (now.unwrap_or(0) as f64).min((vm_allows(case, dimension) / disks).ceil()).max(least as f64)
    };
    let (ios, bytes) =
        (least(disk.ios, Dimension::Ios, of.ios[0]), least(disk.bytes, Dimension::Bytes, of.bytes[0]));
    let change = provisioned(case, case.configuration, kind, disk.size, (ios, bytes))?;
    let is_less = ios < disk.ios.unwrap_or(0) as f64 || bytes < disk.bytes.unwrap_or(0) as f64;
    is_less.then(|| Remedy::of(change))
}

fn tier(
    case: &Case<'_>,
    disk: &ResolvedDisk,
    kind: DiskType,
    dimension: Dimension,
    enough: f64,
) -> Option<Change> {
    let of = |tier: &DiskTier| match dimension {
        Dimension::Ios => tier.ios,
        Dimension::Bytes => tier.bytes,
    };
    let kind = kind.kind().better_ladder.unwrap_or(kind);
    let mut tiers = case.catalog.tiers().ok()?;
    tiers.retain(|tier| {
        tier.disk == kind
            && tier.era == disk.era
            && tier.max_size >= disk.size
            && of(tier).is_some_and(|more| more as f64 >= enough)
    });
    tiers.sort_by_key(|tier| (of(tier), tier.max_size));
    let tier = tiers.first()?;
    Some(Change::Disk(What::Tier { name: tier.name.clone(), era: None }, tier.name.clone()))
}

/// Disks with faster media and their included figures, for a goal of less latency.
pub(crate) fn faster_media(case: &Case<'_>) -> Vec<Remedy> {
    let Some(disk) = data_disk(case) else { return Vec::new() };
    let (ios, bytes) = (disk.ios.unwrap_or(3_000) as f64, disk.bytes.unwrap_or(0) as f64);
    let kinds = disk.disk.map_or(&[][..], |kind| kind.kind().faster);
    // The newer types take no host cache.
    let cached = case.configuration.volumes.iter().any(|volume| volume.cache != CacheSetting::None);
    let mut configuration = case.configuration.clone();
    configuration.volumes.iter_mut().for_each(|volume| volume.cache = CacheSetting::None);
    let changes = kinds.iter().filter_map(|kind| {
        let (least_ios, least_bytes) = included(case, *kind);
        let figures = (ios.max(least_ios), bytes.max(least_bytes));
        let change = provisioned(case, &configuration, *kind, disk.size, figures)?;
        let without = cached.then_some(Change::Cache(CacheSetting::None));
        Some(Remedy::all(without.into_iter().chain([change]).collect()))
    });
    changes.collect()
}

/// Twice as many disks in each volume, or as many as the goal takes; no more than the VM lets through.
pub(crate) fn more_disks(case: &Case<'_>, dimension: Dimension) -> Option<Remedy> {
    disk_count_up_to(case, dimension, vm_allows(case, dimension))
}

/// A larger VM with better or more disks, for disks that fill this VM's limit.
pub(crate) fn more_of_both(case: &Case<'_>, dimension: Dimension) -> Vec<Remedy> {
    let Some(vm) = larger_size(case, case.remote_limiter(), dimension) else { return Vec::new() };
    let most = size_allows(case, &vm, dimension);
    let better = disks_up_to(case, dimension, most).into_iter().next_back();
    let disks = better.into_iter().chain(disk_count_up_to(case, dimension, f64::INFINITY));
    let both = |disks: Remedy| Remedy::all([vec![Change::Vm(vm.full_name())], disks.changes].concat());
    disks.map(both).collect()
}

/// As [`more_disks`], up to a limit of all disks together.
fn disk_count_up_to(case: &Case<'_>, dimension: Dimension, most: f64) -> Option<Remedy> {
    let count = case.configuration.volumes.iter().map(|volume| volume.count).max()?;
    let disk = data_disk(case)?;
    let each = match dimension {
        Dimension::Ios => disk.ios,
        Dimension::Bytes => disk.bytes,
    };
    let wished = wish(case, dimension).zip(each).map(|(wish, each)| (wish / each as f64).ceil() as u16);
    let slots = case.resolved.vm.max_data_disks.map_or(u16::MAX, |most| most.min(u64::from(u16::MAX)) as u16);
    let more = wished.filter(|wished| *wished > count && *wished <= slots).unwrap_or(count.saturating_mul(2));
    let volumes = case.configuration.volumes.len().max(1) as f64;
    let now = each.map_or(0.0, |each| volumes * f64::from(count) * each as f64);
    if most < of::HELPS * now {
        return None;
    }
    let used =
        each.map_or(u16::MAX, |each| (most / volumes / each as f64).ceil().min(f64::from(u16::MAX)) as u16);
    let more = more.min(used);
    (more > count).then(|| Remedy::of(Change::Disks(more)))
}

/// No host cache. Half of them, where each is a volume of its own: with the depth that was seen, and with what the
/// uncached half takes.
pub(crate) fn uncached(case: &Case<'_>) -> Vec<Remedy> {
    let mut remedies = vec![Remedy::of(Change::Cache(CacheSetting::None))];
    let several = case.configuration.volumes.iter().any(|volume| volume.count > 1);
    if !(several && case.configuration.separate) {
        return remedies;
    }
    remedies.push(Remedy::of(Change::HalfUncached));
    let disk = data_disk(case).and_then(|disk| disk.ios.zip(disk.bytes));
    if let (Some(depth), Some((ios, bytes)), Some(block), Some([_, typical, _])) =
        (case.outstanding(), disk, case.observed.total.block, case.media_ms())
    {
        let half = (case.resolved.disks.len() / 2) as f64;
        let most = half * (ios as f64).min(bytes as f64 / block);
        // Little's law on the uncached half; the other half of the depth is the cached one's.
        let needs = 2.0 * (of::DEEPER * most * typical / 1e3).ceil();
        if needs > depth {
            let depth = Change::Depth(needs.min(65_536.0) as u32);
            remedies.push(Remedy::all(vec![Change::HalfUncached, depth]));
        }
    }
    remedies
}

/// Twice and eight times the depth; what reaches the limits is found from there.
pub(crate) fn deeper(case: &Case<'_>) -> Vec<Remedy> {
    let Some(depth) = case.outstanding() else { return Vec::new() };
    [2.0, 8.0]
        .map(|times| Remedy::of(Change::Depth((depth * times).clamp(1.0, 65_536.0).ceil() as u32)))
        .to_vec()
}

/// Half the depth, as much as the disks' own latency takes at the observed rate, and one: each with less waiting.
fn shallower(case: &Case<'_>) -> Vec<Remedy> {
    let total = &case.observed.total;
    let Some(depth) = case.outstanding().filter(|depth| *depth > 1.0) else { return Vec::new() };
    let own = total.iops.zip(case.media_ms()).map(|(iops, [_, typical, _])| (iops * typical / 1e3).ceil());
    let mut depths: Vec<u32> = [Some(depth / 2.0), own, Some(1.0)]
        .into_iter()
        .flatten()
        .map(|depth| (depth as u32).max(1))
        .collect();
    depths.retain(|less| f64::from(*less) < depth);
    depths.sort_unstable_by(|one, other| other.cmp(one));
    depths.dedup();
    depths.into_iter().map(|depth| Remedy::of(Change::Depth(depth))).collect()
}

/// All at once, for a wish that no single change meets: a VM and disks that let it through, and the depth it takes.
pub(crate) fn all_at_once(case: &Case<'_>) -> Vec<Remedy> {
    let Some(want) = case.want else { return Vec::new() };
    let ios = wish(case, Dimension::Ios).unwrap_or(0.0);
    let bytes = wish(case, Dimension::Bytes).unwrap_or(0.0);
    let slow = case.media_ms().is_some_and(|[_, typical, _]| {
        let least =
            want.latency_us.mean.or(want.latency_us.p50).or(want.latency_us.p95).or(want.latency_us.p99);
        least.is_some_and(|us| us / 1e3 < of::HELPS * typical)
    });
    let mut common: Vec<Change> = Vec::new();
    let lets = |vm: &VmSize| {
        let enough = |dimension, wish: f64| {
            wish == 0.0
                || limit_of(case, vm, vm.cloud.rules().remote_limiter, dimension)
                    .is_some_and(|limit| limit as f64 >= wish)
        };
        enough(Dimension::Ios, ios) && enough(Dimension::Bytes, bytes)
    };
    let vm = if lets(&case.resolved.vm) { None } else { larger_vms(case, lets) };
    if crate::usage::has_cache(case.resolved) {
        common.push(Change::Cache(CacheSetting::None));
    }
    common.extend(vm.map(|vm| Change::Vm(vm.full_name())));
    // A goal of latency alone asks for no more I/O: a queue that waits at a limit is what takes the time.
    let is_latency = want.latency_us != Latency::default() && ios == 0.0 && bytes == 0.0;
    if is_latency && !slow {
        return shallower(case)
            .into_iter()
            .map(|one| Remedy::all([common.clone(), one.changes].concat()))
            .collect();
    }
    if slow {
        if let Some(faster) = faster_media(case).into_iter().next_back() {
            common.extend(faster.changes.into_iter().filter(|change| !matches!(change, Change::Cache(_))));
        }
        return vec![Remedy::all(common)];
    }
    let Some(disk) = data_disk(case) else { return Vec::new() };
    let disks = case.resolved.disks.iter().filter(|disk| !disk.is_os).count().max(1) as f64;
    let short = |wish: f64, each: Option<u64>| each.is_some_and(|each| wish > disks * each as f64);
    let mut remedies = Vec::new();
    match (short(ios, disk.ios), short(bytes, disk.bytes)) {
        (false, false) => remedies.push(Remedy::all(common)),
        (more_ios, _) => {
            let dimension = if more_ios { Dimension::Ios } else { Dimension::Bytes };
            let by_disk = disks_up_to(case, dimension, f64::INFINITY).into_iter().next_back();
            for remedy in disk_count_up_to(case, dimension, f64::INFINITY).into_iter().chain(by_disk) {
                let mut changes = common.clone();
                changes.extend(remedy.changes);
                remedies.push(Remedy::all(changes));
            }
        }
    }
    remedies.retain(|remedy| !remedy.changes.is_empty());
    if remedies.is_empty() {
        remedies.extend(deeper(case));
    }
    remedies
}
