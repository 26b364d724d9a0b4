//! The search leaves nothing out: on small random markets it finds what trying everything finds.
//!
//! The oracle tries every number, size and figure of every disk, and checks each limit by itself as the documentation words
//! it. It shares the rows with the search, and no code.

use iobound_catalog::{Arch, Bounds, Chosen, Cloud, DiskType, Performance};
use iobound_plan::{
    HostCache, Law, Market, Need, Offer, Pair, Provision, Rates, Shape, Terms, Vm, VolumeNeed, search,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent};
use proptest::prelude::*;

/// Bytes of a unit of the small markets: one I/O.
const BLOCK: u64 = 64 << 10;
const MB: u64 = 1_000_000;

/// A disk as the oracle sees it.
#[derive(Clone, Copy)]
struct Tried {
    disk: DiskType,
    cacheable: bool,
    gib: u64,
    ios: u64,
    bytes: u64,
    price: u64,
}

/// Every disk that can be bought.
fn all_disks(market: &Market) -> Vec<Tried> {
    let mut tried = Vec::new();
    for offer in &market.offers {
        match &offer.law {
            Law::Tier { gib, ios, bytes, price, .. } => tried.push(Tried {
                disk: offer.disk,
                cacheable: offer.cacheable,
                gib: *gib,
                ios: *ios,
                bytes: *bytes,
                price: *price,
            }),
            Law::Provisioned(p) => {
                let Performance::Chosen(of) = &p.bounds.performance else {
                    unreachable!("no other is drawn")
                };
                for gib in p.bounds.gib[0]..=p.bounds.gib[1] {
                    let most = if gib <= of.least_up_to_gib {
                        of.ios[0]
                    } else {
                        (gib * of.ios_per_gib).max(of.ios[0])
                    };
                    for ios in of.ios[0]..=most.min(of.ios[1]) {
                        for megabytes in of.bytes[0] / MB..=of.bytes[1] / MB {
                            let bytes = megabytes * MB;
                            if bytes > of.bytes[0] && bytes > ios * of.bytes_per_io {
                                continue;
                            }
                            let price = gib * p.rates.gib
                                + (ios - p.rates.free_ios.min(ios)) * p.rates.ios.unwrap_or(0)
                                + (megabytes - p.rates.free_megabytes.min(megabytes))
                                    * p.rates.megabyte.unwrap_or(0);
                            tried.push(Tried { disk: offer.disk, cacheable: false, gib, ios, bytes, price });
                        }
                    }
                }
            }
        }
    }
    tried
}

/// What a volume of the need asks: I/Os of one unit each.
fn asked(need: &VolumeNeed) -> (u64, u64) {
    let bytes = need.throughput.get().max(need.iops.get() * BLOCK);
    // Throughput beyond the I/Os moves in units of 256 KiB.
    (need.iops.get().max(bytes.div_ceil(4 * BLOCK)), bytes)
}

/// `part` of `whole` for what is not read, rounded up.
fn written(whole: u64, need: &VolumeNeed) -> u64 {
    let share = u64::from(need.shape.read.complement().ppm());
    (whole * share).div_ceil(1_000_000)
}

#[derive(Clone, Copy)]
struct TriedVolume {
    of: Tried,
    count: u64,
    cached: bool,
}

/// Every volume that delivers what a need asks.
fn all_volumes(disks: &[Tried], need: &VolumeNeed, slots: u64, may_cache: bool) -> Vec<TriedVolume> {
    let (ios, bytes) = asked(need);
    let gib = need.capacity.get().div_ceil(1 << 30);
    let mut volumes = Vec::new();
    for of in disks {
        for count in 1..=slots {
            for cached in [false, true] {
                if cached && !(may_cache && of.cacheable && need.shape.read > Percent::ZERO) {
                    continue;
                }
                let (ios, bytes) =
                    if cached { (written(ios, need), written(bytes, need)) } else { (ios, bytes) };
                if of.ios * count >= ios && of.bytes * count >= bytes && of.gib * count >= gib {
                    volumes.push(TriedVolume { of: *of, count, cached });
                }
            }
        }
    }
    volumes
}

/// True if a VM lets it all through.
fn fits(vm: &Vm, parts: &[(TriedVolume, &VolumeNeed)]) -> bool {
    let Some(slots) = vm.slots else { return false };
    let (mut at_plain, mut at_v2, mut cached, mut working) = ([0; 2], [0; 2], [0; 3], 0);
    let mut disks = 0;
    for (volume, need) in parts {
        disks += volume.count;
        if volume.of.disk.kind().needs_premium && vm.premium != Some(true) {
            return false;
        }
        let (ios, bytes) = asked(need);
        let passing = if volume.cached { [written(ios, need), written(bytes, need)] } else { [ios, bytes] };
        let is_v2 = matches!(volume.of.disk, DiskType::PremiumV2 | DiskType::Ultra) && vm.v2_apart;
        if (if is_v2 { vm.v2 } else { vm.plain }).is_none() {
            return false;
        }
        let at = if is_v2 { &mut at_v2 } else { &mut at_plain };
        at[0] += passing[0];
        at[1] += passing[1];
        if volume.cached {
            let read = u64::from(need.shape.read.ppm());
            cached[0] += ios;
            cached[1] += (bytes * read).div_ceil(1_000_000);
            cached[2] += written(bytes, need);
            working += need.working_set.get();
        }
    }
    let under = |[ios, bytes]: [u64; 2], limit: Pair| ios <= limit.ios && bytes <= limit.bytes;
    // A limit that is not known lets nothing through.
    let nothing = Pair { ios: 0, bytes: 0 };
    let (plain, v2) = (vm.plain.unwrap_or(nothing), vm.v2.unwrap_or(nothing));
    let both = [at_plain[0] + at_v2[0], at_plain[1] + at_v2[1]];
    let larger = Pair { ios: plain.ios.max(v2.ios), bytes: plain.bytes.max(v2.bytes) };
    let mixed = at_plain != [0; 2] && at_v2 != [0; 2];
    let uncached = under(at_plain, plain) && under(at_v2, v2) && (!mixed || under(both, larger));
    let through_cache = cached == [0; 3]
        || vm.cache.is_some_and(|cache| {
            let bytes = if cache.shared {
                cached[1] + cached[2] <= cache.bytes[0]
            } else {
                cached[1] <= cache.bytes[0] && cached[2] <= cache.bytes[1]
            };
            cache.capacity >= working && cached[0] <= cache.ios && bytes
        });
    disks <= slots && uncached && through_cache
}

/// The least cost (the price, and what each disk is to look after) on a VM for each type of data disk.
fn brute_force(market: &Market, need: &Need, vm: &Vm, per_disk: u64) -> Vec<(DiskType, u64)> {
    let disks = all_disks(market);
    let slots = vm.slots.unwrap_or(0);
    let Some(price) = vm.price else { return Vec::new() };
    let mut best: Vec<(DiskType, u64)> = Vec::new();
    let data = all_volumes(&disks, &need.data, slots, true);
    let logs = need.log.as_ref().map(|log| all_volumes(&disks, log, slots, false));
    let mut see = |disk: DiskType, price: u64| match best.iter_mut().find(|(of, _)| *of == disk) {
        Some((_, least)) => *least = price.min(*least),
        None => best.push((disk, price)),
    };
    for data in &data {
        let cost = price + data.count * (data.of.price + per_disk);
        match (&logs, &need.log) {
            (Some(logs), Some(log_need)) => {
                for log in logs {
                    if fits(vm, &[(*data, &need.data), (*log, log_need)]) {
                        see(data.of.disk, cost + log.count * (log.of.price + per_disk));
                    }
                }
            }
            _ if fits(vm, &[(*data, &need.data)]) => see(data.of.disk, cost),
            _ => {}
        }
    }
    best.sort_unstable();
    best
}

fn tier() -> impl Strategy<Value = Offer> {
    let disk = prop_oneof![Just(DiskType::Premium), Just(DiskType::StandardSsd)];
    (disk, any::<bool>(), 1u64..8, 1u64..12, 1u64..4, 1u64..30).prop_map(
        |(disk, cacheable, gib, ios, mb, price)| {
            let name = format!("{gib}-{ios}");
            Offer { disk, cacheable, law: Law::Tier { name, gib, ios, bytes: mb * MB, price, billing: None } }
        },
    )
}

fn provisioned() -> impl Strategy<Value = Offer> {
    let sizes = (1u64..3, 1u64..6, 0u64..4);
    let figures = (1u64..3, 1u64..10, 1u64..4);
    let bytes = (0u64..2, 1u64..4, 1u64..4);
    let prices = (1u64..5, 0u64..5, 0u64..5);
    (sizes, figures, bytes, prices).prop_map(|(sizes, figures, bytes, prices)| {
        let ios = [figures.0, figures.0 + figures.1];
        let provision = Provision {
            bounds: Bounds {
                gib: [sizes.0, sizes.0 + sizes.1],
                default_size: None,
                megabyte: MB,
                performance: Performance::Chosen(Chosen {
                    ios,
                    ios_per_gib: figures.2,
                    least_up_to_gib: sizes.2,
                    bytes: [bytes.0 * MB, (bytes.0 + bytes.1) * MB],
                    bytes_per_io: bytes.2 * MB / 4,
                    included: true,
                }),
                source: String::new(),
            },
            rates: Rates {
                gib: prices.0,
                ios: Some(prices.1),
                megabyte: Some(prices.2),
                free_ios: ios[0],
                free_megabytes: bytes.0,
                priced_ios: u64::MAX,
            },
        };
        Offer { disk: DiskType::PremiumV2, cacheable: false, law: Law::Provisioned(provision) }
    })
}

fn pair() -> impl Strategy<Value = Pair> {
    (4u64..40, 1u64..6).prop_map(|(ios, mb)| Pair { ios, bytes: mb * MB })
}

fn vm() -> impl Strategy<Value = Vm> {
    let cache =
        (4u64..40, 1u64..6, 1u64..6, any::<bool>(), 1u64..12).prop_map(|(ios, read, write, shared, gib)| {
            HostCache { ios, bytes: [read * MB, write * MB], shared, capacity: gib << 30 }
        });
    let limits =
        (proptest::option::weighted(0.9, pair()), pair(), any::<bool>(), proptest::option::of(cache));
    (limits, 0u64..60, 1u64..5, proptest::option::weighted(0.9, any::<bool>())).prop_map(
        |((plain, v2, v2_apart, cache), price, slots, premium)| Vm {
            name: "a".into(),
            cloud: Cloud::Azure,
            price: Some(price),
            plain,
            v2: if v2_apart { Some(v2) } else { plain },
            v2_apart,
            kinds: Vec::new(),
            most_gib: None,
            cache,
            slots: Some(slots),
            premium,
            vcpus: Some(4),
            whole: Some(4),
            restricted: None,
            zones: None,
            local: Vec::new(),
            memory: Some(1 << 30),
            arch: Some(Arch::X64),
            previous: false,
            cpu_burstable: false,
            special: false,
        },
    )
}

fn volume_need() -> impl Strategy<Value = VolumeNeed> {
    (1u64..30, 0u64..4, 0u32..=4, 1u64..12, 1u64..12).prop_map(|(iops, mb, quarters, gib, used)| VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth::mb_per_s(mb),
        shape: Shape { block: BLOCK as u32, read: Percent::from_ppm(quarters * 250_000).expect("a share") },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(used.min(gib)),
    })
}

/// The least that so many hosts can each do, so that all of it is done.
fn part_of(need: VolumeNeed, hosts: u64) -> VolumeNeed {
    let part = |whole: u64| (0..=whole).find(|part| part * hosts >= whole).expect("all of it is enough");
    VolumeNeed {
        iops: Iops(part(need.iops.get())),
        throughput: Bandwidth(need.throughput.get().div_ceil(hosts)),
        capacity: Bytes(need.capacity.get().div_ceil(hosts)),
        working_set: Bytes(need.working_set.get().div_ceil(hosts)),
        ..need
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_finds_what_trying_everything_finds(
        tiers in proptest::collection::vec(tier(), 1..4),
        own in proptest::option::of(provisioned()),
        vms in proptest::collection::vec(vm(), 1..4),
        data in volume_need(),
        log in proptest::option::weighted(0.4, volume_need()),
        per_disk in 0u64..4,
        hosts in 1u64..4,
    ) {
        let offers: Vec<Offer> = tiers.into_iter().chain(own).collect();
        let mut market = Market { vms, offers, ..Market::default() };
        for (index, vm) in market.vms.iter_mut().enumerate() {
            vm.name = format!("vm{index}");
        }
        let of_all = |data, log| Need { data, log, temp: None, latency: None, headroom: Percent::ZERO };
        let one = of_all(data, log).of_host(hosts, Percent::HUNDRED);
        let found = search(&market, &one, &Terms { per_disk, ..Terms::default() });
        let need = of_all(part_of(data, hosts), log.map(|log| part_of(log, hosts)));
        for (index, vm) in market.vms.iter().enumerate() {
            let mut own: Vec<(DiskType, u64)> = found
                .builds
                .iter()
                .filter(|build| build.vm == index)
                .map(|build| (build.bought().unwrap().data.disk, build.price + per_disk * build.disk_count()))
                .collect();
            own.sort_unstable();
            prop_assert_eq!(own, brute_force(&market, &need, vm, per_disk), "{:?} of {:?}", vm, need);
        }
    }
}
