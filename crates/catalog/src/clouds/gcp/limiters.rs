//! The limits in front of a disk: one over all disks, one for each kind on the machine, and the disk's own or its kind's pool.

use iobound_units::Grouped;

use crate::clouds::names::{DiskType, Redundancy};
use crate::clouds::remote::{Attached, RemoteAsk, RemoteLimiter};
use crate::configuration::UnknownLimits;
use crate::era::Era;
use crate::error::CatalogError;
use crate::performance::Performance;
use crate::rules::{Rule, Rules};
use crate::spec::type_spec;
use crate::vm::{KindLimits, Limits, VmSize};

use super::counts::{DiskCounts, is_hyperdisk};
use super::machines::{class_of, vcpus_of};
use super::series;

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
    let of_kind = |of: &&Attached| of.disk == ask.disk;
    let is_regional = |of: &Attached| of.redundancy == Redundancy::Zrs;
    let redundancy = match ask.attached.iter().filter(of_kind).any(is_regional) {
        true => Redundancy::Zrs,
        false => Redundancy::Lrs,
    };
    let cap = egress_cap(ask.vm, ask.rules, ask.era, redundancy)?;
    let [read, write] = machine_limits(ask, ask.disk)?;
    let write = below(write, cap);
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
    let machine = &ask.vm.name;
    check_zones(ask)?;
    check_counts(ask)?;
    let all = ask.attached.iter().map(|of| of.count.saturating_mul(of.gib)).fold(0, u64::saturating_add);
    if let Some(most) = ask.vm.max_disks_size.map(|size| size.get() >> 30).filter(|most| all > *most) {
        return Err(CatalogError::refused(
            format!("{} GiB of disks on {machine}", Grouped(all)),
            format!("all disks of the machine have {} GiB at most", Grouped(most)),
            "use smaller disks, or another machine",
        ));
    }
    if let Some(least) = vcpus_missing(ask.vm, ask.disk, ask.rules, ask.era)? {
        return Err(CatalogError::refused(
            format!("{} on {machine}", ask.disk.title()),
            format!("it takes a machine of {least} vCPUs or more of this series"),
            "use a larger machine, or hyperdisk-balanced",
        ));
    }
    Ok(())
}

/// Refuses a disk in two zones that is not sold, or that the machine series does not take.
fn check_zones(ask: &RemoteAsk<'_>) -> Result<(), CatalogError> {
    let word = ask.disk.word();
    let is_regional = |of: &Attached| of.disk == ask.disk && of.redundancy == Redundancy::Zrs;
    if !ask.attached.iter().any(is_regional) {
        return Ok(());
    }
    let ha = DiskType::HyperdiskBalancedHa;
    let mut elsewhere = "leave out the suffix -regional".to_string();
    if series::takes(&ask.vm.name, ha) == Some(true) {
        elsewhere.push_str(&format!(", or use {}", ha.word()));
    }
    if ask.rules.get(word, "regional", ask.era).is_none() {
        return Err(CatalogError::refused(
            type_spec(ask.disk, Redundancy::Zrs),
            format!("{} is sold in one zone only", ask.disk.title()),
            format!("{elsewhere}, or use {}", type_spec(DiskType::PdSsd, Redundancy::Zrs)),
        ));
    }
    // Hyperdisk Balanced High Availability is always in two zones.
    if !is_hyperdisk(ask.disk) && !series::takes_regional(&ask.vm.name) {
        return Err(CatalogError::refused(
            format!("{} on {}", type_spec(ask.disk, Redundancy::Zrs), ask.vm.name),
            "machines of this series take no Persistent Disk in two zones",
            format!("{elsewhere}, or use a machine of {}", series::regional().join(", ")),
        ));
    }
    Ok(())
}

/// Refuses more disks of a type, or of Hyperdisk together, than the machine takes.
fn check_counts(ask: &RemoteAsk<'_>) -> Result<(), CatalogError> {
    let counts = DiskCounts::find(&ask.vm.name)?;
    let rule = ask.rules.get(ask.disk.word(), "disks_max", ask.era).map(Rule::count).transpose()?;
    let of = |is_of: &dyn Fn(DiskType) -> bool| -> u64 {
        ask.attached.iter().filter(|of| is_of(of.disk)).map(|of| of.count).sum()
    };
    let refuse = |count: u64, title: &str, most: u64, of: &str| {
        Err(CatalogError::refused(
            format!("{count} disks of {title} on {}", ask.vm.name),
            format!("this machine takes at most {most} of {of}"),
            "use fewer disks, another type, or a larger machine",
        ))
    };
    let own = of(&|disk| disk == ask.disk);
    if let Some(most) = rule.into_iter().chain(counts.of(ask.disk)).min().filter(|most| own > *most) {
        return refuse(own, ask.disk.title(), most, "that type");
    }
    let together = of(&is_hyperdisk);
    match counts.hyperdisks.filter(|most| together > *most) {
        Some(most) => refuse(together, "Hyperdisk", most, "all its types together"),
        None => Ok(()),
    }
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
            let known = ask.vm.kinds.iter().filter(|limits| limits.read.known());
            let mut taken: Vec<&str> = known.map(|limits| limits.disk.word()).collect();
            if taken.is_empty() {
                taken = series::types(machine);
            }
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
                    "no page that can be read gives this machine's limits on {}; use a machine whose limits are known (`iobound catalog vms --cloud gcp`), or\nadd your own figures in a catalogue file: write to mine.toml\n  [[vm]]\n  machine_type = \"{machine}\"\n  {column}_iops = …\n  {column}_mibps = …\nand add --catalog mine.toml",
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

/// The kinds of disk that a machine takes, with its limits on each, of writes no more than its network lets through.
pub(super) fn kind_limits(
    vm: &VmSize,
    rules: &Rules,
    era: Era,
    redundancy: Redundancy,
) -> Result<Vec<KindLimits>, CatalogError> {
    let cap = egress_cap(vm, rules, era, redundancy)?;
    let is_left_out = |disk: DiskType| {
        redundancy == Redundancy::Zrs && !is_hyperdisk(disk) && !series::takes_regional(&vm.name)
    };
    let mut kinds = Vec::new();
    for of in vm.kinds.iter().filter(|of| !is_left_out(of.disk)) {
        if vcpus_missing(vm, of.disk, rules, era)?.is_none() {
            let rule = rules.get(of.disk.word(), "disks_max", era).map(Rule::count).transpose()?;
            let disks_max = rule.into_iter().chain(of.disks_max).min();
            kinds.push(KindLimits { write: below(of.write, cap), disks_max, ..*of });
        }
    }
    Ok(kinds)
}

/// vCPUs that a kind of disk needs of a machine of this series; `None`: it has as many.
fn vcpus_missing(vm: &VmSize, disk: DiskType, rules: &Rules, era: Era) -> Result<Option<u64>, CatalogError> {
    let (series, _) = class_of(&vm.name);
    let least =
        rules.get(&series, &format!("{}_vcpus_min", disk.word()), era).map(Rule::count).transpose()?;
    Ok(least.filter(|least| vm.vcpus.is_some_and(|vcpus| vcpus < *least)))
}

/// Limits with no more bytes than a cap.
fn below(limits: Limits, cap: Option<u64>) -> Limits {
    Limits { bytes: limits.bytes.map(|bytes| cap.map_or(bytes, |cap| bytes.min(cap))), ..limits }
}

/// Bytes a second that the network's egress lets a machine write, of which a byte written takes more than one; `None`: the
/// catalogue has no egress of its series.
fn egress_cap(
    vm: &VmSize,
    rules: &Rules,
    era: Era,
    redundancy: Redundancy,
) -> Result<Option<u64>, CatalogError> {
    let (family, _) = class_of(&vm.name);
    let Some(egress) = egress_of(rules, &family, vcpus_of(&vm.name).or(vm.vcpus), era)? else {
        return Ok(None);
    };
    let overhead = match redundancy {
        Redundancy::Zrs => "write_overhead_regional",
        Redundancy::Lrs => "write_overhead",
    };
    let overhead = rules.require("gcp", overhead, era)?.micro()?;
    let bytes = u128::from(egress) * 1_000_000 / u128::from(overhead.max(1));
    Ok(u64::try_from(bytes).ok())
}

/// Bytes a second that a machine sends at most; `None`: the catalogue has none of its series.
fn egress_of(rules: &Rules, family: &str, vcpus: Option<u64>, era: Era) -> Result<Option<u64>, CatalogError> {
    let Some(vcpus) = vcpus else { return Ok(None) };
    // The rule of the most vCPUs that the machine has.
    let steps = [16, 8, 2, 1].into_iter().filter(|least| vcpus >= *least);
    let rule = |least: u64| rules.get(family, &format!("egress_from_{least}_vcpus"), era);
    steps.into_iter().find_map(rule).map(|rule| rule.micro()).transpose()
}
