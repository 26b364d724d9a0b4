//! The changes that are worth a prediction: the next larger of what there is.

use iobound_catalog::{CacheSetting, DiskType, VmSize, What};
use iobound_model::Dimension;

use crate::case::Case;
use crate::remedy::{Change, Remedy};

/// How much more a larger VM size has to let through to be worth its name here.
const MORE: f64 = 1.25;

/// The figure of a size that a limit of a group is.
fn limit_of(vm: &VmSize, group: &str, dimension: Dimension) -> Option<u64> {
    let limits = if group == "vm.cached" { vm.cached } else { vm.uncached };
    match dimension {
        Dimension::Ios => limits.ios,
        Dimension::Bytes => limits.bytes,
    }
}

/// The smallest size of the same family that lets more through.
pub(crate) fn larger_vm(case: &Case<'_>, group: &str, dimension: Dimension) -> Option<Remedy> {
    let vm = &case.resolved.vm;
    let now = limit_of(vm, group, dimension)? as f64;
    let wish = case.want.and_then(|want| match dimension {
        Dimension::Ios => want.iops,
        Dimension::Bytes => want.throughput_bytes_per_s,
    });
    let enough = wish.unwrap_or(0.0).max(MORE * now);
    let family = vm.family.as_deref()?;
    let mut sizes: Vec<VmSize> = case.catalog.vms().ok()?;
    sizes.retain(|other| {
        other.cloud == vm.cloud
            && other.family.as_deref() == Some(family)
            && other.premium == vm.premium
            && other.host_cache == vm.host_cache
            && other.vcpus_available == other.vcpus
            && limit_of(other, group, dimension).is_some_and(|limit| limit as f64 >= enough)
    });
    sizes.sort_by(|one, other| {
        let key = |vm: &VmSize| (vm.vcpus, limit_of(vm, group, dimension));
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    sizes.first().map(|vm| Remedy::of(Change::Vm(vm.full_name())))
}

/// Disks of the next tier that lets more through, or provisioned for twice as much.
pub(crate) fn better_disk(case: &Case<'_>, dimension: Dimension) -> Option<Remedy> {
    let disk = case.resolved.disks.iter().find(|disk| !disk.is_os).or(case.resolved.disks.first())?;
    let kind = disk.disk?;
    if kind.has_tiers() {
        let of = |tier: &iobound_catalog::DiskTier| match dimension {
            Dimension::Ios => tier.ios,
            Dimension::Bytes => tier.bytes,
        };
        let now = match dimension {
            Dimension::Ios => disk.ios,
            Dimension::Bytes => disk.bytes,
        }?;
        let mut tiers = case.catalog.tiers().ok()?;
        tiers.retain(|tier| {
            tier.disk == kind
                && tier.era == disk.era
                && of(tier).is_some_and(|more| more as f64 >= MORE * now as f64)
        });
        tiers.sort_by_key(|tier| (of(tier), tier.max_size));
        let tier = tiers.first()?;
        return Some(Remedy::of(Change::Disk(
            What::Tier { name: tier.name.clone(), era: None },
            tier.name.clone(),
        )));
    }
    provisioned(case, disk.disk?, disk)
}

fn provisioned(case: &Case<'_>, kind: DiskType, disk: &iobound_catalog::ResolvedDisk) -> Option<Remedy> {
    let what = match kind {
        DiskType::Gp2 => What::Sized {
            disk: kind,
            size: iobound_units::Bytes(disk.size.get() * 4),
            iops: None,
            throughput: None,
            era: None,
        },
        DiskType::PremiumV2 | DiskType::Gp3 | DiskType::Ultra | DiskType::Io1 | DiskType::Io2 => {
            let wish = case.want.and_then(|want| want.iops);
            let iops = wish.map_or(disk.ios? * 4, |wish| (wish * 1.05) as u64).max(disk.ios?);
            let takes_throughput = !matches!(kind, DiskType::Io1 | DiskType::Io2);
            What::Sized {
                disk: kind,
                size: disk.size,
                iops: Some(iobound_units::Iops(iops)),
                throughput: disk
                    .bytes
                    .filter(|_| takes_throughput)
                    .map(|bytes| iobound_units::Bandwidth(bytes / 1_000_000 * 4_000_000)),
                era: None,
            }
        }
        _ => return None,
    };
    let said = match &what {
        What::Sized { size, iops, throughput, .. } => {
            let iops = iops.map_or(String::new(), |iops| format!("+{}iops", iops.0));
            let bytes = throughput.map_or(String::new(), |rate| format!("+{}MB/s", rate.0 / 1_000_000));
            format!("{}@{}GiB{iops}{bytes}", kind.word(), size.get() >> 30)
        }
        _ => return None,
    };
    Some(Remedy::of(Change::Disk(what, said)))
}

/// Twice as many disks in each volume.
pub(crate) fn more_disks(case: &Case<'_>) -> Option<Remedy> {
    let count = case.configuration.volumes.iter().map(|volume| volume.count).max()?;
    Some(Remedy::of(Change::Disks(count.saturating_mul(2))))
}

/// No host cache: with the depth that was seen, and with more. Half of them, where each is a volume of its own.
pub(crate) fn uncached(case: &Case<'_>) -> Vec<Remedy> {
    let mut remedies = vec![Remedy::of(Change::Cache(CacheSetting::None))];
    if let Some(depth) = case.observed.total.depth {
        let deeper = (depth * 4.0).min(4096.0) as u32;
        remedies.push(Remedy::all(vec![Change::Cache(CacheSetting::None), Change::Depth(deeper)]));
    }
    if case.configuration.volumes.iter().any(|volume| volume.count > 1) && case.configuration.separate {
        let depth = case.observed.total.depth.map_or(256, |depth| (depth * 8.0).min(4096.0) as u32);
        remedies.push(Remedy::all(vec![Change::HalfUncached, Change::Depth(depth)]));
    }
    remedies
}

/// Twice and eight times the depth.
pub(crate) fn deeper(case: &Case<'_>) -> Vec<Remedy> {
    let Some(depth) = case.observed.total.depth.or(case.observed.total.held()) else { return Vec::new() };
    [2.0, 8.0]
        .map(|times| Remedy::of(Change::Depth((depth * times).clamp(1.0, 65_536.0).ceil() as u32)))
        .to_vec()
}
