//! Local disks of three clouds against brute force: every number of disks for every volume.
//!
//! Local SSDs that are ordered with a machine are written out anew from Google's page: numbers, limits, and 0.08 USD a GiB.

use std::collections::BTreeMap;

use iobound_plan::{Disks, Local, Need, Pair, Terms, Vm, VolumeNeed, on_local};
use proptest::prelude::*;

use super::ask::{Ask, MIB, cases, need, terms, volume};
use super::hyperdisk::{NANO, markets};

/// Dollars of a local SSD of 375 GiB a month.
const USD: f64 = 30.0;

/// Numbers of local SSDs that a machine can be ordered with, where its vCPUs are enough for their limits.
fn ordered(name: &str, vcpus: u64) -> Vec<u64> {
    let upto = |most: u64| (1..=most).collect::<Vec<u64>>();
    let from = |least: u64| [1, 2, 4, 8, 16, 24].into_iter().filter(|of| *of >= least).collect::<Vec<u64>>();
    let to_8 = |least: u64| [1, 2, 4, 8].into_iter().filter(|of| *of >= least).collect::<Vec<u64>>();
    match (name.split('-').next().unwrap(), vcpus) {
        ("n1", 32..=96) => [upto(8), vec![16, 24]].concat(),
        ("n2", 24..=40) => from(4),
        ("n2", 42..=80) => from(8),
        ("n2", 82..=128) => from(16),
        ("n2d", 32 | 48) => from(2),
        ("n2d", 64 | 80) => from(4),
        ("n2d", 96..=224) => from(8),
        ("c2", 4 | 8) => to_8(1),
        ("c2", 16) => to_8(2),
        ("c2", 30) => to_8(4),
        ("c2", 60) => to_8(8),
        ("c2d", 2..=16) => to_8(1),
        ("c2d", 32) => to_8(2),
        ("c2d", 56) => to_8(4),
        ("c2d", 112) => to_8(8),
        ("g2", 4..=16 | 32) => vec![1],
        ("g2", 24) => vec![2],
        ("g2", 48) => vec![4],
        ("g2", 96) => vec![8],
        _ => match name {
            "a2-highgpu-2g" => to_8(2),
            "a2-highgpu-4g" => to_8(4),
            "a2-highgpu-8g" | "a2-megagpu-16g" => to_8(8),
            "m1-ultramem-40" => upto(5),
            "m1-ultramem-80" => upto(8),
            "m3-ultramem-32" | "m3-megamem-64" | "m3-ultramem-64" => to_8(4),
            "m3-megamem-128" | "m3-ultramem-128" => to_8(8),
            _ => Vec::new(),
        },
    }
}

/// Limits of so many of them: reads and writes.
fn limits(count: u64) -> [Pair; 2] {
    let [read, mib, write, write_mib] = match count {
        1 => [170_000, 660, 90_000, 350],
        2 => [340_000, 1_320, 180_000, 700],
        3 => [510_000, 1_980, 270_000, 1_050],
        4..=8 => [680_000, 2_650, 360_000, 1_400],
        16 => [1_600_000, 6_240, 800_000, 3_120],
        24 => [2_400_000, 9_360, 1_200_000, 4_680],
        _ => unreachable!("no machine is ordered with {count}"),
    };
    [Pair { ios: read, bytes: mib * MIB }, Pair { ios: write, bytes: write_mib * MIB }]
}

/// Equal local disks of a machine.
struct Group {
    count: u64,
    gib: u64,
    /// Limits of all of them.
    limits: Option<[Pair; 2]>,
    /// True if I/Os, and if bytes pass the limit of cached disks.
    cached: [bool; 2],
    usd: f64,
    /// True if all of them have to be used, and no others.
    whole: bool,
}

/// The local disks that come with a machine, then each number that it can be ordered with.
fn groups(vm: &Vm) -> Vec<Group> {
    let own = vm.local.iter().filter(|local| local.ordered.is_none());
    let mut groups: Vec<Group> = own
        .map(|of: &Local| Group {
            count: of.count,
            gib: of.gib,
            limits: of.read.zip(of.write).map(|(read, write)| [read, write]),
            cached: [of.shares_cache, of.shares_bytes],
            usd: 0.0,
            whole: false,
        })
        .collect();
    if groups.is_empty() {
        groups.extend(ordered(&vm.name, vm.whole.unwrap()).into_iter().map(|count| Group {
            count,
            gib: 375,
            limits: Some(limits(count)),
            cached: [false; 2],
            usd: USD * count as f64,
            whole: true,
        }));
    }
    groups
}

/// Reads and writes a second, each rounded up.
fn ways(of: &VolumeNeed) -> ([u64; 2], [u64; 2]) {
    let asked = Ask::of(of);
    let share = u64::from(of.shape.read.ppm());
    let part = |all: u64, share: u64| (all * share).div_ceil(1_000_000);
    let both = |of: [u64; 2]| {
        let all = of[0] + of[1];
        [part(all, share), part(all, 1_000_000 - share)]
    };
    (both(asked.ios), both(asked.bytes))
}

/// True if so many disks of a group hold and deliver a volume by themselves.
fn is_enough(group: &Group, count: u64, of: &VolumeNeed) -> bool {
    let (ios, bytes) = ways(of);
    let total = Ask::of(of);
    let each = |all: u64| all / group.count * count;
    let delivers = group.limits.is_none_or(|[read, write]| {
        // A figure that is the same for reads and for writes is one limit of both.
        let ios = if read.ios == write.ios {
            total.ios[0] + total.ios[1] <= each(read.ios)
        } else {
            ios[0] <= each(read.ios) && ios[1] <= each(write.ios)
        };
        let bytes = if read == write {
            total.bytes[0] + total.bytes[1] <= each(read.bytes)
        } else {
            bytes[0] <= each(read.bytes) && bytes[1] <= each(write.bytes)
        };
        ios && bytes
    });
    delivers && count * group.gib >= total.gib
}

/// Dollars of the local disks for temporary data beside bought disks; `None`: none are enough. Google's machines have no limit of cached disks.
pub(super) fn of_temp(vm: &Vm, temp: &VolumeNeed) -> Option<f64> {
    let groups = groups(vm);
    let can = |group: &&Group| {
        let least = if group.whole { group.count } else { 1 };
        (least..=group.count).any(|count| is_enough(group, count, temp))
    };
    groups.iter().filter(can).map(|group| group.usd).min_by(f64::total_cmp)
}

/// True if the limit of cached disks lets the volumes through that are on such disks.
fn passes_cache(vm: &Vm, parts: &[(&Group, &VolumeNeed)]) -> bool {
    let (mut ios, mut read, mut written) = (0, 0, 0);
    for (group, of) in parts {
        let (asked, (_, bytes)) = (Ask::of(of), ways(of));
        ios += if group.cached[0] { asked.ios[0] + asked.ios[1] } else { 0 };
        read += if group.cached[1] { bytes[0] } else { 0 };
        written += if group.cached[1] { bytes[1] } else { 0 };
    }
    if parts.iter().all(|(group, _)| !group.cached[0]) {
        return true;
    }
    vm.cache.is_some_and(|cache| {
        let bytes = if cache.shared {
            read + written <= cache.bytes[0]
        } else {
            read <= cache.bytes[0] && written <= cache.bytes[1]
        };
        ios <= cache.ios && bytes
    })
}

/// The least dollars of local disks for all volumes of a need on a machine, over every number of disks for each.
fn brute_force(vm: &Vm, volumes: &[VolumeNeed]) -> Option<f64> {
    let groups = groups(vm);
    let mut best: Option<f64> = None;
    // A choice for each volume: the group and the number of its disks.
    let mut chosen: Vec<Vec<(usize, u64)>> = vec![Vec::new()];
    for of in volumes {
        let mut longer = Vec::new();
        for before in &chosen {
            for (index, group) in groups.iter().enumerate() {
                for count in (1..=group.count).filter(|count| is_enough(group, *count, of)) {
                    let with: Vec<(usize, u64)> = before.iter().copied().chain([(index, count)]).collect();
                    let used: u64 = with.iter().filter(|(of, _)| *of == index).map(|(_, count)| count).sum();
                    let mixed = with.iter().any(|(of, _)| groups[*of].whole && *of != with[0].0);
                    if used <= group.count && !mixed {
                        longer.push(with);
                    }
                }
            }
        }
        chosen = longer;
    }
    for choice in chosen {
        let used: u64 = choice.iter().map(|(_, count)| count).sum();
        let first = &groups[choice[0].0];
        let parts: Vec<_> = choice.iter().map(|(index, _)| &groups[*index]).zip(volumes).collect();
        if (!first.whole || used == first.count) && passes_cache(vm, &parts) {
            best = Some(best.map_or(first.usd, |best: f64| best.min(first.usd)));
        }
    }
    best
}

fn volumes_of(need: &Need) -> Vec<VolumeNeed> {
    [Some(need.data), need.log, need.temp].into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_cheapest_local_disks_of_each_vm_size_are_those_of_brute_force(
        magnitude in 1u32..=6, part in 1u64..=10, mib in 0u64..6_000, gib in 1u64..9_000, read in 0u32..=100,
        log in proptest::option::weighted(0.4, (1u64..200_000, 0u64..900, 1u64..2_000)),
        temp in proptest::option::weighted(0.3, (1u64..200_000, 0u64..900, 1u64..2_000)),
    ) {
        let log = log.map(|(iops, mib, gib)| volume(iops, mib, gib, 0));
        let temp = temp.map(|(iops, mib, gib)| volume(iops, mib, gib, 60));
        let need = need(volume(part * 10u64.pow(magnitude), mib, gib, read), log, temp);
        for market in &markets()[..3] {
            let found = on_local(market, &need, &terms(Vec::new()));
            let by_vm: BTreeMap<usize, u64> = found.iter().map(|build| (build.vm, build.price)).collect();
            prop_assert_eq!(by_vm.len(), found.len());
            for (index, vm) in market.vms.iter().enumerate() {
                let Some(price) = vm.price else { continue };
                let brute = brute_force(vm, &volumes_of(&need)).map(|usd| price as f64 / NANO + usd);
                let found = by_vm.get(&index).map(|price| *price as f64 / NANO);
                let agree = match (found, brute) {
                    (None, None) => true,
                    (Some(found), Some(brute)) => (found - brute).abs() < 0.01,
                    _ => false,
                };
                prop_assert!(agree, "{}: {found:?} {brute:?}", vm.name);
            }
            prop_assert!(found.is_sorted_by_key(|build| build.price));
        }
    }
}

#[test]
fn volumes_share_no_local_disk_and_ordered_ones_are_all_used() {
    let market = &markets()[2];
    let of = |need: &Need, vm: &str| {
        let terms = Terms { vm: Some(vm.into()), ..terms(Vec::new()) };
        on_local(market, need, &terms).first().map(|build| {
            let Disks::Local(on) = build.disks else { panic!("data is on local disks") };
            let price = build.price - market.vms[build.vm].price.unwrap();
            (
                on.data.count,
                on.log.map(|log| log.count),
                build.temp.map(|temp| temp.count),
                price / 1_000_000_000,
            )
        })
    };
    let data = volume(100_000, 0, 1_000, 100);
    // 1,000 GiB are three disks of 375 GiB: N1 can be ordered with three, C2D with four.
    assert_eq!(of(&need(data, None, None), "n1-standard-32"), Some((3, None, None, 89)));
    assert_eq!(of(&need(data, None, None), "c2d-standard-8"), Some((4, None, None, 119)));
    // The log has the fourth.
    let log = Some(volume(1_000, 0, 10, 0));
    assert_eq!(of(&need(data, log, None), "c2d-standard-8"), Some((3, Some(1), None, 119)));
    // Five are not sold: eight, and the data has what is left.
    let temp = Some(volume(1_000, 0, 10, 50));
    assert_eq!(of(&need(data, log, temp), "c2d-standard-8"), Some((6, Some(1), Some(1), 239)));
    // Below 24 vCPUs N2 reaches an unknown part of the limits.
    assert_eq!(of(&need(data, None, None), "n2-standard-16"), None);
}
