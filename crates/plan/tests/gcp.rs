//! Google Cloud's offers against brute force: each number of disks and each size of a grid, with the rules written out anew.

use std::sync::OnceLock;

use iobound_catalog::{Catalog, Cloud, DiskType, Os};
use iobound_plan::{Look, Market, Need, Rank, Shape, Terms, VolumeNeed, search};
use iobound_units::{Bandwidth, Bytes, Iops, Percent};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;

fn priced() -> &'static Market {
    static MARKET: OnceLock<Market> = OnceLock::new();
    MARKET.get_or_init(|| market(Rank::Price))
}

fn market(rank: Rank) -> Market {
    let catalog = Catalog::shipped();
    let list = catalog.price_list("us-central1", Os::Linux).unwrap();
    let look = Look { rank: Some(rank), ..Look::default() };
    Market::of(&catalog, &[(Cloud::Gcp, list)], look).unwrap()
}

fn volume(iops: u64, mib: u64, gib: u64, read: u32) -> VolumeNeed {
    VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(mib * MIB),
        shape: Shape { block: 8 << 10, read: Percent::whole(read).unwrap() },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(gib),
    }
}

fn need(data: VolumeNeed, log: Option<VolumeNeed>) -> Need {
    Need { data, log, temp: None, latency: None, headroom: Percent::ZERO }
}

/// What a volume asks for: reads and writes a second, bytes both ways, GiB.
#[derive(Clone, Copy)]
struct Ask {
    ios: [f64; 2],
    bytes: [f64; 2],
    gib: u64,
}

impl Ask {
    fn of(of: &VolumeNeed) -> Ask {
        let share = f64::from(of.shape.read.ppm()) / 1e6;
        let bytes = (of.throughput.get() as f64).max(of.iops.get() as f64 * 8_192.0);
        // Throughput beyond the I/Os' own moves in units of 256 KiB.
        let ios = (of.iops.get() as f64).max((bytes / (256.0 * 1_024.0)).ceil());
        // Whole reads, and writes that make up the rest.
        let parts = |all: f64| {
            let read = (all * share - 1e-6).ceil();
            [read, all - read]
        };
        Ask { ios: parts(ios), bytes: parts(bytes), gib: of.capacity.get() >> 30 }
    }

    fn plus(self, other: Ask) -> Ask {
        let sum = |one: [f64; 2], other: [f64; 2]| [one[0] + other[0], one[1] + other[1]];
        Ask { ios: sum(self.ios, other.ios), bytes: sum(self.bytes, other.bytes), gib: self.gib + other.gib }
    }

    /// True if limits of reads and writes let it through; both share the larger IOPS, and on a half-duplex limit the bytes.
    fn passes(&self, ios: [f64; 2], bytes: [f64; 2], half: bool) -> bool {
        let sum = |of: [f64; 2]| of[0] + of[1];
        // Of floating point.
        let holds = |asked: f64, limit: f64| asked <= limit + 1e-3;
        holds(sum(self.ios), ios[0].max(ios[1]))
            && (0..2).all(|way| holds(self.ios[way], ios[way]) && holds(self.bytes[way], bytes[way]))
            && (!half || holds(sum(self.bytes), bytes[0].max(bytes[1])))
    }
}

/// Base IOPS and MiB/s, reads, writes and MiB/s a GiB, dollars a GiB, and whether both ways share the bytes.
const PD: [(DiskType, [f64; 5], u64, bool); 3] = [
    (DiskType::PdStandard, [0.0, 0.0, 0.75, 1.5, 0.12], 40_000_000, true),
    (DiskType::PdBalanced, [3_000.0, 140.0, 6.0, 6.0, 0.28], 100_000_000, false),
    (DiskType::PdSsd, [6_000.0, 240.0, 30.0, 30.0, 0.48], 170_000_000, false),
];

/// The least GiB of a pool, looked for from the capacity on.
fn pool(asked: &Ask, figures: [f64; 5], half: bool) -> Option<u64> {
    let [ios, mib, read, write, each] = figures;
    let enough = |gib: u64| {
        let gib = gib as f64;
        let bytes = (mib + each * gib) * MIB as f64;
        asked.passes([ios + read * gib, ios + write * gib], [bytes; 2], half)
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
    let all = second.map_or(first, |second| first.plus(second));
    let mut best: Option<u64> = None;
    for vm in &market.vms {
        let (Some(price), Some(slots)) = (vm.price, vm.slots) else { continue };
        let limits = |disk: DiskType| {
            let of = vm.kinds.iter().find(|of| of.disk == disk)?;
            let ios = [of.read.ios? as f64, of.write.ios? as f64];
            Some((ios, [of.read.bytes? as f64, of.write.bytes? as f64]))
        };
        for (disk, figures, rate, half) in PD {
            let Some((ios, bytes)) = limits(disk) else { continue };
            match second {
                None => {
                    if slots >= 1 && first.passes(ios, bytes, half) {
                        let gib = pool(&first, figures, half);
                        best = best.into_iter().chain(gib.map(|gib| price + gib * rate)).min();
                    }
                }
                Some(second) => {
                    // Both on one type: one pool, of at least 10 GiB each.
                    if slots >= 2 && all.passes(ios, bytes, half) {
                        let least = first.gib.max(10) + second.gib.max(10);
                        let gib = pool(&all, figures, half).map(|gib| gib.max(least));
                        best = best.into_iter().chain(gib.map(|gib| price + gib * rate)).min();
                    }
                    // Each on a type of its own, both below the larger limit.
                    for (other, others, other_rate, other_half) in
                        PD.iter().copied().filter(|of| of.0 != disk)
                    {
                        let Some((other_ios, other_bytes)) = limits(other) else { continue };
                        let larger = |one: [f64; 2], two: [f64; 2]| [one[0].max(two[0]), one[1].max(two[1])];
                        let fits = slots >= 2
                            && first.passes(ios, bytes, half)
                            && second.passes(other_ios, other_bytes, other_half)
                            && all.passes(
                                larger(ios, other_ios),
                                larger(bytes, other_bytes),
                                half && other_half,
                            );
                        let sizes = pool(&first, figures, half).zip(pool(&second, others, other_half));
                        if let (true, Some((one, two))) = (fits, sizes) {
                            let cost = price + one * rate + two * other_rate;
                            best = best.into_iter().chain([cost]).min();
                        }
                    }
                }
            }
        }
    }
    best
}

/// One GiB of the dearest type: what rounding to a whole I/O may cost.
const GIB: u64 = 170_000_000;

fn agrees(found: Option<u64>, brute: Option<u64>) -> bool {
    match (found, brute) {
        (None, None) => true,
        (Some(found), Some(brute)) => found.abs_diff(brute) <= 2 * GIB,
        _ => false,
    }
}

fn terms() -> Terms {
    let disks = PD.iter().map(|of| of.0).collect();
    Terms {
        disks,
        arch: None,
        previous: true,
        cpu_burstable: true,
        special: true,
        per_disk: 0,
        ..Terms::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_cheapest_persistent_disks_are_those_of_brute_force(
        iops in 1u64..90_000, mib in 0u64..1_100, gib in 1u64..20_000, read in 0u32..=100,
        log in proptest::option::of((1u64..8_000, 0u64..300, 1u64..500)),
    ) {
        let market = priced();
        let data = volume(iops, mib, gib, read);
        let log = log.map(|(iops, mib, gib)| volume(iops, mib, gib, 0));
        let found = search(market, &need(data, log), &terms()).builds.first().map(|build| build.price);
        let brute = brute_force(market, &data, log.as_ref());
        prop_assert!(agrees(found, brute), "{found:?} {brute:?}");
    }
}

#[test]
fn data_and_log_of_one_type_share_their_pool() {
    let market = priced();
    let terms = Terms { disks: vec![DiskType::PdSsd], ..terms() };
    // 100 + 2,000 GiB: 6,000 + 30 x 2,100 = 69,000 IOPS are enough for 9,000 and 500; nothing is bought for IOPS.
    let asked = need(volume(9_000, 0, 100, 70), Some(volume(500, 0, 2_000, 0)));
    let found = search(market, &asked, &terms);
    let build = found.builds.first().unwrap();
    let gib = [build.data.fit.gib, build.log.unwrap().fit.gib];
    assert_eq!(gib, [100, 2_000]);
    // 10 + 10 GiB have 6,600 IOPS; 9,500 take 117 GiB: (9,500 - 6,000) / 30.
    let asked = need(volume(9_000, 0, 10, 70), Some(volume(500, 0, 10, 0)));
    let build = search(market, &asked, &terms).builds[0];
    assert_eq!(build.data.fit.gib + build.log.unwrap().fit.gib, 117);
}

#[test]
fn six_hyperdisks_are_needed_for_what_a_c4d_384_lets_through() {
    let market = market(Rank::Size);
    let terms = Terms {
        vm: Some("c4d-standard-384".into()),
        disks: vec![DiskType::HyperdiskBalanced],
        special: true,
        ..Terms::default()
    };
    let asked = need(volume(20_000, 12_500, 6_000, 100), None);
    let build = search(&market, &asked, &terms).builds[0];
    assert_eq!(build.data.fit.count, 6);
    let asked = need(volume(20_000, 12_501, 6_000, 100), None);
    assert!(search(&market, &asked, &terms).builds.is_empty());
    // One volume: 2,400 MiB/s need 9,600 IOPS, and so 20 GiB.
    let asked = need(volume(1_000, 2_400, 10, 100), None);
    let fit = search(&market, &asked, &terms).builds[0].data.fit;
    assert_eq!((fit.count, fit.gib, fit.ios, fit.bytes), (1, 20, 9_600, 2_400 * MIB));
}
