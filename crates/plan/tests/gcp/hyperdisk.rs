//! Hyperdisk and local SSDs against brute force, beside the offers of the other clouds.
//!
//! The oracle tries each number of volumes, and of a volume each corner of what may be provisioned.

use std::sync::OnceLock;

use iobound_catalog::{Cloud, DiskType};
use iobound_plan::{Market, Rank, Terms, VolumeNeed};
use proptest::prelude::*;

use super::ask::{Ask, MIB, Ways, cases, cheapest, market, need, terms, volume};
use super::local::of_temp;

/// Billionths of a dollar.
pub(super) const NANO: f64 = 1e9;

/// Each cloud alone, then all three together.
pub(super) fn markets() -> &'static [Market; 4] {
    static MARKETS: OnceLock<[Market; 4]> = OnceLock::new();
    let all = [Cloud::Azure, Cloud::Aws, Cloud::Gcp];
    let of = |clouds: &[Cloud]| market(clouds, Rank::Price);
    MARKETS.get_or_init(|| [of(&all[..1]), of(&all[1..2]), of(&all[2..]), of(&all)])
}

/// A kind of Hyperdisk as its page states it: dollars a GiB, an IOPS and a MiB/s, and what of these is free.
struct Page {
    disk: DiskType,
    usd: [f64; 3],
    free: [u64; 2],
    /// True if so many GiB, IOPS and MiB/s may be provisioned.
    is_sold: fn(u64, u64, u64) -> bool,
    /// IOPS and MiB/s that follow from the other.
    follows: fn(u64, u64) -> [u64; 2],
}

fn balanced(gib: u64, ios: u64, mib: u64, most_ios: u64) -> bool {
    let most = most_ios.min(500 * gib);
    (4..=65_536).contains(&gib)
        && (3_000.min(most)..=most).contains(&ios)
        && mib * 256 >= ios
        && (140..=2_400.min(ios / 4)).contains(&mib)
}

const PAGES: [Page; 5] = [
    Page {
        disk: DiskType::HyperdiskBalanced,
        usd: [0.08, 0.005, 0.04],
        free: [3_000, 140],
        is_sold: |gib, ios, mib| balanced(gib, ios, mib, 160_000),
        follows: |ios, mib| [ios, mib],
    },
    Page {
        disk: DiskType::HyperdiskBalancedHa,
        usd: [0.16, 0.01, 0.08],
        free: [3_000, 140],
        is_sold: |gib, ios, mib| balanced(gib, ios, mib, 100_000),
        follows: |ios, mib| [ios, mib],
    },
    Page {
        disk: DiskType::HyperdiskExtreme,
        usd: [0.125, 0.032, 0.0],
        free: [0, 0],
        is_sold: |gib, ios, _| (64..=65_536).contains(&gib) && (2 * gib..=350_000).contains(&ios),
        follows: |ios, _| [ios, (ios * 250 / 1_000).min(5_000)],
    },
    Page {
        disk: DiskType::HyperdiskThroughput,
        usd: [0.005, 0.0, 0.25],
        free: [0, 0],
        is_sold: |gib, _, mib| {
            (2_048..=32_768).contains(&gib)
                && (20..=2_400).contains(&mib)
                && mib * 1_024 >= 5 * gib
                && mib * 1_024 <= 90 * gib
        },
        follows: |_, mib| [(4 * mib).min(9_600), mib],
    },
    Page {
        disk: DiskType::HyperdiskMl,
        usd: [0.08, 0.0, 0.12],
        free: [0, 0],
        is_sold: |gib, _, mib| {
            (4..=65_536).contains(&gib)
                && (400..=2_097_152).contains(&mib)
                && (gib >= 1_000 || mib <= 1_600 * gib)
        },
        follows: |_, mib| [16 * mib, mib],
    },
];

/// The least price of so many volumes that deliver a demand, and the GiB of each, over all corners of what may be provisioned.
fn of_count(page: &Page, asked: &Ask, count: u64) -> Option<(f64, u64)> {
    let total = |of: [u64; 2]| of[0] + of[1];
    let gib = asked.gib.div_ceil(count);
    let ios = total(asked.ios).div_ceil(count);
    let mib = total(asked.bytes).div_ceil(count).div_ceil(MIB);
    let mibs =
        [mib, 20, 140, 400, ios.div_ceil(256), ios.div_ceil(4), ios.div_ceil(16), (5 * gib).div_ceil(1_024)];
    let mut best: Option<(f64, u64)> = None;
    for mib_of in mibs.into_iter().filter(|of| *of >= mib) {
        let ioss = [ios, 3_000, 2_500, 2_000, 2 * gib, 128, 4 * mib_of, 4 * mib];
        for ios_of in ioss {
            let by_tib = |mib: u64| (mib * 1_024).div_ceil(90);
            let gibs = [
                gib,
                4,
                5,
                6,
                64,
                2_048,
                ios_of.div_ceil(500),
                by_tib(mib_of),
                mib_of.div_ceil(1_600).min(1_000),
            ];
            for gib_of in gibs.into_iter().filter(|of| *of >= gib) {
                let [gives_ios, gives_mib] = (page.follows)(ios_of, mib_of);
                let is_enough = gives_ios >= ios && gives_mib >= mib;
                if !is_enough || !(page.is_sold)(gib_of, ios_of, mib_of) {
                    continue;
                }
                let above = |of: u64, free: u64| of.saturating_sub(free) as f64;
                let [space, ios_usd, mib_usd] = page.usd;
                let usd = gib_of as f64 * space
                    + above(ios_of, page.free[0]) * ios_usd
                    + above(mib_of, page.free[1]) * mib_usd;
                let usd = usd * count as f64;
                if best.is_none_or(|(other, _)| usd < other) {
                    best = Some((usd, gib_of));
                }
            }
        }
    }
    best
}

/// The least price of Hyperdisks on a machine, in dollars.
fn brute_force(
    market: &Market,
    data: &VolumeNeed,
    log: Option<&VolumeNeed>,
    temp: Option<&VolumeNeed>,
) -> Option<f64> {
    let (first, second) = (Ask::of(data), log.map(Ask::of));
    let priced = |asked: &Ask, page: &Page, slots: u64| -> Vec<(u64, f64, u64)> {
        (1..=slots)
            .filter_map(|count| of_count(page, asked, count).map(|(usd, gib)| (count, usd, gib * count)))
            .collect()
    };
    let most = market.vms.iter().filter_map(|vm| vm.slots).max().unwrap_or(0);
    let of = |asked: &Ask| -> Vec<Vec<(u64, f64, u64)>> {
        PAGES.iter().map(|page| priced(asked, page, most)).collect()
    };
    let (of_data, of_log) = (of(&first), second.as_ref().map(of));
    let mut best: Option<f64> = None;
    for vm in &market.vms {
        let (Some(price), Some(slots)) = (vm.price, vm.slots) else { continue };
        let Some(local) = temp.map_or(Some(0.0), |temp| of_temp(vm, temp)) else { continue };
        let price = price as f64 / NANO + local;
        let fits_size = |gib: u64| vm.most_gib.is_none_or(|most| gib <= most);
        let mut see = |usd: f64| best = Some(best.map_or(usd, |best: f64| best.min(usd)));
        for (index, page) in PAGES.iter().enumerate() {
            let Some(limits) = Ways::of(vm, page.disk) else { continue };
            if !first.passes(limits, true) {
                continue;
            }
            let of_kind = |disk: DiskType| {
                let kind = vm.kinds.iter().find(|kind| kind.disk == disk);
                kind.and_then(|kind| kind.disks_max).unwrap_or(u64::MAX)
            };
            // All types of Hyperdisk together.
            let all = vm.kinds.iter().filter_map(|kind| kind.together_max).min().unwrap_or(u64::MAX);
            let most = of_kind(page.disk).min(all);
            let own = of_data[index].iter().filter(|(count, ..)| *count <= slots.min(most));
            let (Some(of_log), Some(second)) = (&of_log, &second) else {
                own.filter(|(_, _, gib)| fits_size(*gib)).for_each(|(_, usd, _)| see(price + usd));
                continue;
            };
            for (count, usd, gib) in own {
                for (other, page_log) in PAGES.iter().enumerate() {
                    let Some(log_limits) = Ways::of(vm, page_log.disk) else { continue };
                    let fits = second.passes(log_limits, true)
                        && first.plus(*second).passes(limits.larger(log_limits), true);
                    if !fits {
                        continue;
                    }
                    for (log_count, log_usd, log_gib) in &of_log[other] {
                        let together = if other == index { count + log_count } else { *log_count };
                        let is_taken =
                            count + log_count <= slots.min(all) && together <= of_kind(page_log.disk);
                        if is_taken && fits_size(gib + log_gib) {
                            see(price + usd + log_usd);
                        }
                    }
                }
            }
        }
    }
    best
}

fn agrees(found: Option<u64>, brute: Option<f64>) -> bool {
    match (found, brute) {
        (None, None) => true,
        (Some(found), Some(brute)) => (found as f64 / NANO - brute).abs() < 0.01,
        _ => false,
    }
}

/// The market of Google with machines that take three Hyperdisks at most, of all types together.
fn of_few() -> &'static Market {
    static MARKET: OnceLock<Market> = OnceLock::new();
    MARKET.get_or_init(|| {
        let mut market = market(&[Cloud::Gcp], Rank::Price);
        let kinds = market.vms.iter_mut().flat_map(|vm| &mut vm.kinds);
        kinds.for_each(|kind| kind.together_max = kind.together_max.map(|_| 3));
        market
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn types_of_hyperdisk_are_counted_together(
        iops in 1u64..400_000, mib in 0u64..9_000, gib in 1u64..150_000,
        log in (1u64..200_000, 0u64..6_000, 1u64..90_000),
    ) {
        let (data, log) = (volume(iops, mib, gib, 70), volume(log.0, log.1, log.2, 0));
        let terms = terms(PAGES.iter().map(|page| page.disk).collect());
        let found = cheapest(of_few(), &need(data, Some(log), None), &terms).map(|build| build.price);
        let brute = brute_force(of_few(), &data, Some(&log), None);
        prop_assert!(agrees(found, brute), "{found:?} {brute:?}");
    }

    #[test]
    fn the_cheapest_hyperdisks_are_those_of_brute_force(
        iops in 1u64..220_000, mib in 0u64..9_000, gib in 1u64..40_000, read in 0u32..=100,
        log in proptest::option::weighted(0.3, (1u64..30_000, 0u64..900, 1u64..2_000)),
        temp in proptest::option::weighted(0.3, (1u64..900_000, 0u64..4_000, 1u64..9_000)),
    ) {
        let market = &markets()[2];
        let data = volume(iops, mib, gib, read);
        let log = log.map(|(iops, mib, gib)| volume(iops, mib, gib, 0));
        let temp = temp.map(|(iops, mib, gib)| volume(iops, mib, gib, 60));
        let need = need(data, log, temp);
        let terms = terms(PAGES.iter().map(|page| page.disk).collect());
        let found = cheapest(market, &need, &terms).map(|build| build.price);
        let brute = brute_force(market, &data, log.as_ref(), temp.as_ref());
        prop_assert!(agrees(found, brute), "{found:?} {brute:?}");
    }

    #[test]
    fn three_clouds_together_cost_what_the_cheapest_of_them_costs(
        iops in 1u64..60_000, mib in 0u64..1_500, gib in 1u64..20_000, read in 0u32..=100,
        log in proptest::option::weighted(0.3, (1u64..9_000, 0u64..300, 1u64..1_000)),
    ) {
        let log = log.map(|(iops, mib, gib)| volume(iops, mib, gib, 0));
        let need = need(volume(iops, mib, gib, read), log, None);
        let price = |market: &Market| cheapest(market, &need, &terms(Vec::new())).map(|build| build.price);
        let [alone @ .., together] = markets();
        prop_assert_eq!(price(together), alone.iter().filter_map(price).min());
    }
}

#[test]
fn a_machine_takes_so_much_capacity_and_so_many_disks_of_a_type() {
    let market = &markets()[2];
    let with = |vm: &str, disk: DiskType, data: VolumeNeed| {
        let need = need(data, None, None);
        let terms = Terms { vm: Some(vm.into()), ..terms(vec![disk]) };
        cheapest(market, &need, &terms).map(|build| build.bought().unwrap().data.fit.count)
    };
    // 257 TiB for machines with fewer than 32 vCPUs, 512 for others: eight disks of 64 TiB.
    let of = |tib: u64| volume(1_000, 0, tib * 1_024, 100);
    assert!(with("n2-standard-16", DiskType::PdBalanced, of(257)).is_some());
    assert_eq!(with("n2-standard-16", DiskType::PdBalanced, of(258)), None);
    assert_eq!(with("n2-standard-32", DiskType::PdBalanced, of(512)), Some(8));
    assert_eq!(with("n2-standard-32", DiskType::PdBalanced, of(513)), None);
    // 350,000 IOPS of one Hyperdisk Extreme; eight at most.
    assert_eq!(with("c4-standard-192", DiskType::HyperdiskExtreme, volume(490_000, 0, 1_000, 100)), Some(2));
    assert_eq!(with("c4d-standard-48", DiskType::HyperdiskExtreme, of(1)), None);
}

#[test]
fn writes_on_n1_pass_the_egress_in_a_plan_too() {
    let writes = |vm: &str, mib: u64| {
        let need = need(volume(100, mib, 3_000, 0), None, None);
        let terms = Terms { vm: Some(vm.into()), ..terms(vec![DiskType::PdSsd]) };
        cheapest(&markets()[2], &need, &terms).is_some()
    };
    // One vCPU: 250 / 1.16 = 215.5 MB/s are above the machine's 204 MiB/s. From 2 on 1,250 / 1.16: no bound either.
    assert!(writes("n1-standard-1", 204) && !writes("n1-standard-1", 205));
}
