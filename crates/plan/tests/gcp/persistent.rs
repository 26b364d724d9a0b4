//! Persistent Disk against brute force: a machine, a type for each volume, and the least GiB of its pool.

use std::sync::OnceLock;

use iobound_catalog::{Cloud, DiskType};
use iobound_plan::{Market, Rank, Terms, VolumeNeed};
use proptest::prelude::*;

use super::ask::{self, Ask, MIB, Ways, cases, cheapest, need, volume};

fn priced() -> &'static Market {
    static MARKET: OnceLock<Market> = OnceLock::new();
    MARKET.get_or_init(|| ask::market(&[Cloud::Gcp], Rank::Price))
}

/// A type of Persistent Disk as its page states it.
struct Page {
    disk: DiskType,
    /// IOPS and MiB/s that any pool has.
    base: [u64; 2],
    /// Thousandths of reads, of writes and of MiB/s that each GiB adds.
    each: [u64; 3],
    /// Billionths of a dollar a GiB.
    price: u64,
    /// True if reads and writes share the bytes.
    half: bool,
}

const PAGES: [Page; 3] = [
    Page { disk: DiskType::PdStandard, base: [0, 0], each: [750, 1_500, 120], price: 40_000_000, half: true },
    Page {
        disk: DiskType::PdBalanced,
        base: [3_000, 140],
        each: [6_000, 6_000, 280],
        price: 100_000_000,
        half: false,
    },
    Page {
        disk: DiskType::PdSsd,
        base: [6_000, 240],
        each: [30_000, 30_000, 480],
        price: 170_000_000,
        half: false,
    },
];

/// The least GiB of a pool, looked for from the capacity on.
fn pool(asked: &Ask, page: &Page) -> Option<u64> {
    let enough = |gib: u64| {
        let of = |base: u64, each: u64, unit: u64| (base * 1_000 + each * gib) * unit / 1_000;
        let [read, write, mib] = page.each;
        let ios = [of(page.base[0], read, 1), of(page.base[0], write, 1)];
        asked.passes(Ways { ios, bytes: [of(page.base[1], mib, MIB); 2] }, page.half)
    };
    let (mut low, mut high) = (asked.gib.max(10), 65_536);
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// The least price of Persistent Disks on one pool and a machine, in billionths.
fn brute_force(market: &Market, data: &VolumeNeed, log: Option<&VolumeNeed>) -> Option<u64> {
    let (first, second) = (Ask::of(data), log.map(Ask::of));
    let mut best: Option<u64> = None;
    for vm in &market.vms {
        let (Some(price), Some(slots)) = (vm.price, vm.slots) else { continue };
        let mut see = |gib: u64, usd: u64| {
            if vm.most_gib.is_none_or(|most| gib <= most) {
                best = Some(best.map_or(price + usd, |best| best.min(price + usd)));
            }
        };
        for page in &PAGES {
            let Some(limits) = Ways::of(vm, page.disk) else { continue };
            let Some(second) = second else {
                if slots >= 1 && first.passes(limits, page.half) {
                    pool(&first, page).into_iter().for_each(|gib| see(gib, gib * page.price));
                }
                continue;
            };
            let all = first.plus(second);
            // Both on one type: one pool, of at least 10 GiB each.
            if slots >= 2 && all.passes(limits, page.half) {
                let least = first.gib.max(10) + second.gib.max(10);
                let gib = pool(&all, page).map(|gib| gib.max(least));
                gib.into_iter().for_each(|gib| see(gib, gib * page.price));
            }
            // Each on a type of its own, both below the larger limit.
            for other in PAGES.iter().filter(|other| other.disk != page.disk) {
                let Some(others) = Ways::of(vm, other.disk) else { continue };
                let fits = slots >= 2
                    && first.passes(limits, page.half)
                    && second.passes(others, other.half)
                    && all.passes(limits.larger(others), page.half && other.half);
                if let (true, Some((one, two))) = (fits, pool(&first, page).zip(pool(&second, other))) {
                    see(one + two, one * page.price + two * other.price);
                }
            }
        }
    }
    best
}

fn terms() -> Terms {
    ask::terms(PAGES.iter().map(|page| page.disk).collect())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_cheapest_persistent_disks_are_those_of_brute_force(
        iops in 1u64..90_000, mib in 0u64..1_100, gib in 1u64..20_000, read in 0u32..=100,
        log in proptest::option::of((1u64..8_000, 0u64..300, 1u64..500)),
    ) {
        let market = priced();
        let data = volume(iops, mib, gib, read);
        let log = log.map(|(iops, mib, gib)| volume(iops, mib, gib, 0));
        let found = cheapest(market, &need(data, log, None), &terms()).map(|build| build.price);
        prop_assert_eq!(found, brute_force(market, &data, log.as_ref()));
    }
}

#[test]
fn data_and_log_of_one_type_share_their_pool() {
    let market = priced();
    let terms = Terms { disks: vec![DiskType::PdSsd], ..terms() };
    // 100 + 2,000 GiB: 6,000 + 30 x 2,100 = 69,000 IOPS are enough for 9,000 and 500; nothing is bought for IOPS.
    let asked = need(volume(9_000, 0, 100, 70), Some(volume(500, 0, 2_000, 0)), None);
    let build = cheapest(market, &asked, &terms).unwrap();
    let gib = [build.bought().unwrap().data.fit.gib, build.bought().unwrap().log.unwrap().fit.gib];
    assert_eq!(gib, [100, 2_000]);
    // 10 + 10 GiB have 6,600 IOPS; 9,500 take 117 GiB: (9,500 - 6,000) / 30.
    let asked = need(volume(9_000, 0, 10, 70), Some(volume(500, 0, 10, 0)), None);
    let build = cheapest(market, &asked, &terms).unwrap();
    assert_eq!(build.bought().unwrap().data.fit.gib + build.bought().unwrap().log.unwrap().fit.gib, 117);
}

#[test]
fn six_hyperdisks_are_needed_for_what_a_c4d_384_lets_through() {
    let market = ask::market(&[Cloud::Gcp], Rank::Size);
    let terms = Terms {
        vm: Some("c4d-standard-384".into()),
        disks: vec![DiskType::HyperdiskBalanced],
        special: true,
        ..Terms::default()
    };
    let asked = need(volume(20_000, 12_500, 6_000, 100), None, None);
    let build = cheapest(&market, &asked, &terms).unwrap();
    assert_eq!(build.bought().unwrap().data.fit.count, 6);
    let asked = need(volume(20_000, 12_501, 6_000, 100), None, None);
    assert!(cheapest(&market, &asked, &terms).is_none());
    // One volume: 2,400 MiB/s need 9,600 IOPS, and so 20 GiB.
    let asked = need(volume(1_000, 2_400, 10, 100), None, None);
    let fit = cheapest(&market, &asked, &terms).unwrap().bought().unwrap().data.fit;
    assert_eq!((fit.count, fit.gib, fit.ios, fit.bytes), (1, 20, 9_600, 2_400 * MIB));
}
