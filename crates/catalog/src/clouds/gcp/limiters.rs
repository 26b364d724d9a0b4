//! The limits in front of a disk: one over all disks, one for each kind on the machine, and the disk's own or its kind's pool.

use iobound_units::Grouped;

use crate::clouds::names::{DiskType, Redundancy};
use crate::clouds::remote::{RemoteAsk, RemoteLimiter};
use crate::configuration::UnknownLimits;
use crate::error::CatalogError;
use crate::performance::Performance;
use crate::rules::Rules;
use crate::vm::{KindLimits, Limits};

use super::machines::{class_of, vcpus_of};

/// Group of the machine's limits.
pub(super) const MACHINE: &str = "vm.disks";

const SCOPE: &str = "gcp-vm";

/// The most bytes a second that a limiter counts.
const COUNTED: u64 = 1_000_000_000_000;

/// The limiters of a disk, in the order in which an I/O passes them.
pub(super) fn remote_limiters(ask: &RemoteAsk<'_>) -> Result<Vec<RemoteLimiter>, CatalogError> {
    check(ask)?;
    let mut kinds: Vec<DiskType> = ask.attached.iter().map(|of| of.disk).collect();
    kinds.sort();
    kinds.dedup();
    let mut limiters = Vec::new();
    if kinds.len() > 1 {
        limiters.push(over_all(ask, &kinds)?);
    }
    let [read, write] = with_egress(ask, machine_limits(ask, ask.disk)?)?;
    limiters.push(directed(
        MACHINE,
        ask.disk.word().to_string(),
        SCOPE,
        [read, write],
        ask.disk.kind().half_duplex,
    ));
    let (instance, own) = match &ask.bounds.performance {
        Performance::Pooled(pooled) => {
            let of_kind = || ask.attached.iter().filter(|of| of.disk == ask.disk);
            let gib = of_kind().map(|of| of.count.saturating_mul(of.gib)).sum();
            let is_alone = of_kind().map(|of| of.count).sum::<u64>() <= 1;
            let instance = if is_alone { ask.name } else { ask.disk.word() };
            let limits = |[ios, bytes]: [u64; 2]| Limits { ios: Some(ios), bytes: Some(bytes) };
            (instance.to_string(), pooled.limits(gib).map(limits))
        }
        _ => {
            // Hyperdisk ML serves many machines: what no limiter counts, no single one can move.
            let own = Limits { bytes: ask.own.bytes.filter(|bytes| *bytes <= COUNTED), ..ask.own };
            (ask.name.to_string(), [own; 2])
        }
    };
    limiters.push(directed("disk", instance, ask.disk.word(), own, ask.disk.kind().half_duplex));
    Ok(limiters)
}

/// Refuses a disk that the machine does not take, or more of them than it takes.
fn check(ask: &RemoteAsk<'_>) -> Result<(), CatalogError> {
    let (word, machine) = (ask.disk.word(), &ask.vm.name);
    let rule = |scope: &str, parameter: &str| ask.rules.get(scope, parameter, ask.era);
    let zones = ask.attached.iter().filter(|of| of.disk == ask.disk);
    if zones.clone().any(|of| of.redundancy == Redundancy::Zrs) && rule(word, "regional").is_none() {
        return Err(CatalogError::refused(
            format!("a regional {word}"),
            format!("{} is sold in one zone only, or always in two", ask.disk.title()),
            format!(
                "leave the suffix out, or use {}-regional or {}",
                DiskType::PdSsd.word(),
                DiskType::HyperdiskBalancedHa.word()
            ),
        ));
    }
    let count: u64 = zones.map(|of| of.count).sum();
    if let Some(most) = rule(word, "disks_max").map(|rule| rule.count()).transpose()?
        && count > most
    {
        return Err(CatalogError::refused(
            format!("{count} disks of {} on {machine}", ask.disk.title()),
            format!("an instance takes {most} of that type at most"),
            "use fewer disks, or another type",
        ));
    }
    let all = ask.attached.iter().map(|of| of.count.saturating_mul(of.gib)).fold(0, u64::saturating_add);
    if let Some(most) = ask.vm.max_disks_size.map(|size| size.get() >> 30).filter(|most| all > *most) {
        return Err(CatalogError::refused(
            format!("{} GiB of disks on {machine}", Grouped(all)),
            format!("all disks of the machine have {} GiB at most", Grouped(most)),
            "use smaller disks, or another machine",
        ));
    }
    let family = class_of(machine).0;
    if let Some(least) = rule(&family, &format!("{word}_vcpus_min")).map(|rule| rule.count()).transpose()?
        && ask.vm.vcpus.is_some_and(|vcpus| vcpus < least)
    {
        return Err(CatalogError::refused(
            format!("{} on {machine}", ask.disk.title()),
            format!("it takes a machine of {least} vCPUs or more of this series"),
            "use a larger machine, or hyperdisk-balanced",
        ));
    }
    Ok(())
}

fn limits_of<'a>(ask: &'a RemoteAsk<'_>, disk: DiskType) -> Option<&'a KindLimits> {
    ask.vm.kinds.iter().find(|limits| limits.disk == disk)
}

/// The machine's limits of reads and of writes on all disks of a kind.
fn machine_limits(ask: &RemoteAsk<'_>, disk: DiskType) -> Result<[Limits; 2], CatalogError> {
    let machine = &ask.vm.name;
    match limits_of(ask, disk) {
        Some(limits) if limits.read.known() && limits.write.known() => Ok([limits.read, limits.write]),
        Some(limits) if limits.read == Limits::default() && limits.write == Limits::default() => {
            let taken = ask.vm.kinds.iter().filter(|limits| limits.read.known());
            let taken: Vec<&str> = taken.map(|limits| limits.disk.word()).collect();
            Err(CatalogError::refused(
                format!("{} on {machine}", disk.title()),
                "this machine series takes no disks of that type",
                match taken.is_empty() {
                    true => "use another type or machine".to_string(),
                    false => format!("use {}", taken.join(" or ")),
                },
            ))
        }
        _ if ask.unknown_limits == UnknownLimits::LeftOut => Ok([Limits::default(); 2]),
        _ => {
            let column = disk.word().replace('-', "_");
            Err(CatalogError::UnknownLimit {
                of: format!("{machine} with {}", disk.word()),
                missing: vec![format!("{column}_iops"), format!("{column}_mibps")],
                help: format!(
                    "no page that can be read gives this machine's limits on {}; use a machine that `iobound catalog show` has them of, or\nadd your own figures in a catalogue file: write to mine.toml\n  [[vm]]\n  machine_type = \"{machine}\"\n  {column}_iops = …\n  {column}_mibps = …\nand add --catalog mine.toml",
                    disk.title()
                ),
            })
        }
    }
}

/// One limit over all types: the largest of those that are there.
fn over_all(ask: &RemoteAsk<'_>, kinds: &[DiskType]) -> Result<RemoteLimiter, CatalogError> {
    let mut all = [Limits::default(); 2];
    let mut half = true;
    for disk in kinds {
        for (most, limits) in all.iter_mut().zip(machine_limits(ask, *disk)?) {
            most.ios = most.ios.max(limits.ios);
            most.bytes = most.bytes.max(limits.bytes);
        }
        half &= disk.kind().half_duplex;
    }
    let assumed = [
        format!("limit of {} over all disk types", ask.vm.name),
        format!("that of the type with the most, {} IOPS", Grouped(all[0].ios.max(all[1].ios).unwrap_or(0))),
        "several types on one instance share one limit; the machine's figure for it is not published in what can be read".to_string(),
    ];
    Ok(RemoteLimiter { assumed: Some(assumed), ..directed(MACHINE, "all".to_string(), SCOPE, all, half) })
}

/// A limit whose IOPS both directions share, and whose bytes they share too where it is half duplex. Where a direction has
/// less than the other, that is a limit of its own.
fn directed(
    group: &'static str,
    instance: String,
    scope: &'static str,
    [read, write]: [Limits; 2],
    half: bool,
) -> RemoteLimiter {
    let shared =
        Limits { ios: read.ios.max(write.ios), bytes: if half { read.bytes.max(write.bytes) } else { None } };
    let own = |of: Limits| Limits {
        ios: of.ios.filter(|ios| Some(*ios) < shared.ios),
        bytes: of.bytes.filter(|bytes| shared.bytes.is_none_or(|shared| *bytes < shared)),
    };
    RemoteLimiter { group, instance, scope, shared, read: own(read), write: own(write), assumed: None }
}

/// Writes are bounded by the network's egress as well, of which a byte written takes more than one.
fn with_egress(ask: &RemoteAsk<'_>, [read, write]: [Limits; 2]) -> Result<[Limits; 2], CatalogError> {
    let Some(cap) = egress_cap(ask)? else { return Ok([read, write]) };
    Ok([read, Limits { bytes: write.bytes.map(|bytes| bytes.min(cap)), ..write }])
}

fn egress_cap(ask: &RemoteAsk<'_>) -> Result<Option<u64>, CatalogError> {
    let (family, _) = class_of(&ask.vm.name);
    let Some(egress) = egress_of(ask.rules, &family, vcpus_of(&ask.vm.name).or(ask.vm.vcpus), ask.era)?
    else {
        return Ok(None);
    };
    let of_kind = |of: &&crate::clouds::remote::Attached| of.disk == ask.disk;
    let regional = ask.attached.iter().filter(of_kind).any(|of| of.redundancy == Redundancy::Zrs);
    let overhead = if regional { "write_overhead_regional" } else { "write_overhead" };
    let overhead = ask.rules.require("gcp", overhead, ask.era)?.micro()?;
    let bytes = u128::from(egress) * 1_000_000 / u128::from(overhead.max(1));
    Ok(u64::try_from(bytes).ok())
}

/// Bytes a second that a machine sends at most; `None`: the catalogue has none of its series.
fn egress_of(
    rules: &Rules,
    family: &str,
    vcpus: Option<u64>,
    era: crate::era::Era,
) -> Result<Option<u64>, CatalogError> {
    let Some(vcpus) = vcpus else { return Ok(None) };
    // The rule of the most vCPUs that the machine has.
    let steps = [16, 8, 2, 1].into_iter().filter(|least| vcpus >= *least);
    let rule = |least: u64| rules.get(family, &format!("egress_from_{least}_vcpus"), era);
    steps.into_iter().find_map(rule).map(|rule| rule.micro()).transpose()
}
