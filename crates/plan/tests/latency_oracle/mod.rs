//! The oracle of searches under latency goals: it tries everything on a small catalogue.
//!
//! A small catalogue is a few VM sizes and disks of the shipped one, drawn for each need. The oracle tries every number of
//! disks with every figure in the same steps as the search, in order of price, and simulates each until one passes. It
//! decides by itself, with the model of the prediction, what carries the need; it shares the simulation with the search,
//! which defines what a latency is, and no other code.

use iobound_catalog::{Catalog, Cloud, DiskType, Os, Performance, PriceList};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, Because, Billing, Bought, Build, Disks, Fit, LatencyTarget, Law, Look, Market, Need, Offer,
    Provision, STEPS, Shape, Split, Statistic, Stock, Terms, Volume, VolumeNeed, cheapest, confirm,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

/// The most simulations of one need. A need that takes more is left out, and counted as costly.
const MOST_SIMULATED: usize = 400;

/// A small generator of numbers (SplitMix64): the needs are the same everywhere.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A cloud's catalogue with its prices.
pub(crate) struct Shop {
    catalog: Catalog,
    market: Market,
    lists: Vec<(Cloud, PriceList)>,
}

impl Shop {
    /// Everything that is sold in a region.
    pub(crate) fn whole(cloud: Cloud, region: &str) -> Shop {
        let catalog = Catalog::shipped();
        let lists = vec![(cloud, catalog.price_list(region, Os::Linux).unwrap())];
        let market = Market::of(&catalog, &lists, Look::default()).unwrap();
        Shop { catalog, market, lists }
    }

    /// Three VM sizes that are sold and three offers.
    fn small(&self, draw: &mut Draw) -> Market {
        let takes = Terms::default();
        let is_sold = |vm: &iobound_plan::Vm| {
            let is_known = vm.price.is_some() && vm.plain.is_some() && vm.slots.is_some();
            is_known && vm.arch == takes.arch && !vm.previous && !vm.cpu_burstable && !vm.special
        };
        let sold: Vec<usize> =
            (0..self.market.vms.len()).filter(|vm| is_sold(&self.market.vms[*vm])).collect();
        let vms = (0..3).map(|_| self.market.vms[draw.of(&sold)].clone()).collect();
        let offers =
            (0..3).map(|_| self.market.offers[draw.below(self.market.offers.len() as u64) as usize].clone());
        Market { vms, offers: offers.collect(), ..self.market.clone() }
    }
}

/// The least of a range that is enough, where all that is more is enough too.
fn least([mut low, mut high]: [u64; 2], enough: impl Fn(u64) -> bool) -> Option<u64> {
    if low > high || !enough(high) {
        return None;
    }
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// One disk with at least these figures: its GiB, its I/O units, its bytes and its price; `None`: it is not sold.
fn one_disk(of: &Provision, gib: u64, ios: u64, bytes: u64) -> Option<[u64; 4]> {
    let (bounds, rates) = (&of.bounds, &of.rates);
    let mut gib = gib.max(bounds.gib[0]);
    let (ios, bytes, paid_ios, paid_bytes) = match &bounds.performance {
        Performance::Chosen(of) => {
            let bytes = bytes.max(of.bytes[0]).div_ceil(bounds.megabyte) * bounds.megabyte;
            let for_bytes = if bytes > of.bytes[0] { bytes.div_ceil(of.bytes_per_io) } else { 0 };
            let ios = ios.max(of.ios[0]).max(for_bytes);
            if ios > of.ios[0] {
                gib = gib.max(ios.div_ceil(of.ios_per_gib)).max(of.least_up_to_gib + 1);
            }
            if ios > of.ios[1] || bytes > of.bytes[1] {
                return None;
            }
            (ios, bytes, ios, bytes / bounds.megabyte)
        }
        Performance::ByIos(of) => {
            let ios = ios.max(of.ios[0]).max(of.ios_for(bytes));
            gib = gib.max(ios.div_ceil(of.ios_per_gib));
            if ios > of.ios[1].min(rates.priced_ios) || of.bytes(ios) < bytes {
                return None;
            }
            (ios, of.bytes(ios), ios, 0)
        }
        Performance::BySize(of) => {
            // The least GiB with both figures.
            let of_size = |gib: u64| {
                let figure = (gib * of.ios_per_gib).clamp(of.ios[0], of.ios[1]);
                (figure, of.bytes[usize::from(gib > of.small_up_to_gib)])
            };
            let enough = |gib: u64| of_size(gib).0 >= ios && of_size(gib).1 >= bytes;
            gib = least([gib, bounds.gib[1]], enough)?;
            (of_size(gib).0, of_size(gib).1, 0, 0)
        }
        // A random I/O is charged a MiB.
        Performance::Streaming(of) => {
            let moved = |gib: u64| (of.per_tib[0] * gib / 1_024).min(of.most);
            gib = least([gib, bounds.gib[1]], |gib| moved(gib) >= ios << 20)?;
            if ios > of.ios {
                return None;
            }
            (of.ios, moved(gib), 0, 0)
        }
        // Google's; this market has none.
        Performance::Tied(_) | Performance::Pooled(_) => return None,
    };
    let price = gib * rates.gib
        + paid_ios.saturating_sub(rates.free_ios) * rates.ios.unwrap_or(0)
        + paid_bytes.saturating_sub(rates.free_megabytes) * rates.megabyte.unwrap_or(0);
    (gib <= bounds.gib[1]).then_some([gib, ios, bytes, price])
}

/// What I/Os that are billed by use cost a month on so many disks.
fn billed(billing: &Billing, need: &VolumeNeed, ios: u64, count: u64) -> u64 {
    let each = if billing.unit == 256 << 10 {
        1
    } else {
        u64::from(need.shape.block).div_ceil(billing.unit).min(billing.most_an_io)
    };
    let most = billing.most_an_hour.map_or(u128::MAX, |most| u128::from(most * count));
    let an_hour = (u128::from(ios * each) * 3_600).min(most);
    (an_hour * 730 * u128::from(billing.per_million)).div_ceil(1_000_000) as u64
}

/// Every number of disks of an offer, with every figure in the steps of the search, that may carry a need.
fn volumes(offer: &Offer, index: usize, need: &VolumeNeed, headroom: u64, most: u64) -> Vec<Volume> {
    let above = |rate: u64| (rate * 100).div_ceil(100 - headroom);
    let (ios, bytes) = (above(need.iops.get()), above(need.iops.get() * u64::from(need.shape.block)));
    let gib = need.capacity.get() >> 30;
    let mut volumes = Vec::new();
    for cached in [false, true] {
        if cached && !(offer.cacheable && need.shape.read > Percent::ZERO) {
            continue;
        }
        let write = u64::from(need.shape.read.complement().ppm());
        let passing = |rate: u64| if cached { (rate * write).div_ceil(1_000_000) } else { rate };
        let (ios, bytes) = (passing(ios), passing(bytes));
        for count in 1..=most {
            let mut add = |fit: Fit| volumes.push(Volume { offer: index, disk: offer.disk, fit, cached });
            match &offer.law {
                Law::Tier { gib: each, ios: of_ios, bytes: of_bytes, price, billing, .. } => {
                    if each * count >= gib && of_ios * count >= ios && of_bytes * count >= bytes {
                        let asked = passing(need.iops.get());
                        let by_use = billing.as_ref().map_or(0, |of| billed(of, need, asked, count));
                        let (gib, ios, bytes) = (*each, *of_ios, *of_bytes);
                        add(Fit { count, gib, ios, bytes, price: price * count + by_use });
                    }
                }
                Law::Provisioned(provision) => {
                    let part = |all: u64, step: u64| (all * (100 + step)).div_ceil(100 * count);
                    for (ios_step, bytes_step) in
                        STEPS.iter().flat_map(|step| STEPS.iter().map(move |other| (*step, *other)))
                    {
                        let (ios, bytes) = (part(ios, ios_step), part(bytes, bytes_step));
                        if let Some([gib, ios, bytes, price]) =
                            one_disk(provision, gib.div_ceil(count), ios, bytes)
                        {
                            add(Fit { count, gib, ios, bytes, price: price * count });
                        }
                    }
                }
            }
        }
    }
    volumes.sort_by_key(|volume| (volume.fit.price, volume.fit.count, volume.fit.ios, volume.fit.bytes));
    volumes.dedup();
    volumes
}

/// True if a VM lets the need through, with headroom.
fn lets_through(vm: &iobound_plan::Vm, volume: &Volume, need: &VolumeNeed, headroom: u64) -> bool {
    let above = |rate: u64| (rate * 100).div_ceil(100 - headroom);
    let (ios, bytes) = (above(need.iops.get()), above(need.iops.get() * u64::from(need.shape.block)));
    let part = |rate: u64, share: Percent| (rate * u64::from(share.ppm())).div_ceil(1_000_000);
    let (read, write) = (need.shape.read, need.shape.read.complement());
    let is_v2 = vm.v2_apart && matches!(volume.disk, DiskType::PremiumV2 | DiskType::Ultra);
    let Some(limit) = (if is_v2 { vm.v2 } else { vm.plain }) else { return false };
    let passing = if volume.cached { [part(ios, write), part(bytes, write)] } else { [ios, bytes] };
    let through_cache = !volume.cached
        || vm.cache.is_some_and(|cache| {
            let bytes_pass = if cache.shared {
                bytes <= cache.bytes[0]
            } else {
                part(bytes, read) <= cache.bytes[0] && part(bytes, write) <= cache.bytes[1]
            };
            cache.capacity >= need.working_set.get() && ios <= cache.ios && bytes_pass
        });
    let premium = !volume.disk.kind().needs_premium || vm.premium == Some(true);
    let in_a_zone = volume.disk.kind().limit == iobound_catalog::VmLimit::Uncached
        || vm.zones.as_ref().is_none_or(|zones| !zones.is_empty());
    premium
        && in_a_zone
        && vm.slots.is_some_and(|slots| volume.fit.count <= slots)
        && passing[0] <= limit.ios
        && passing[1] <= limit.bytes
        && through_cache
}

/// Figures that decide how fast a build is: of its VM, of one disk, and of all disks.
#[derive(Clone, Copy)]
struct Figures {
    kind: (DiskType, bool),
    all: [u64; 9],
}

impl Figures {
    fn of(vm: &iobound_plan::Vm, volume: &Volume) -> Figures {
        let is_v2 = vm.v2_apart && matches!(volume.disk, DiskType::PremiumV2 | DiskType::Ultra);
        let limit = (if is_v2 { vm.v2 } else { vm.plain }).expect("it lets the need through");
        let cache = vm.cache.filter(|_| volume.cached);
        let [cache_ios, cache_reads, cache_writes] =
            cache.map_or([0; 3], |cache| [cache.ios, cache.bytes[0], cache.bytes[1]]);
        let fit = volume.fit;
        Figures {
            kind: (volume.disk, volume.cached),
            all: [
                limit.ios,
                limit.bytes,
                cache_ios,
                cache_reads,
                cache_writes,
                fit.ios,
                fit.bytes,
                fit.ios * fit.count,
                fit.bytes * fit.count,
            ],
        }
    }

    /// True if no figure is above the other's: then no I/O completes earlier.
    fn is_weaker(&self, than: &Figures) -> bool {
        self.kind == than.kind && self.all.iter().zip(than.all).all(|(own, other)| *own <= other)
    }
}

/// True if a build misses the need by so much that no arrivals save a weaker one.
fn is_far_off(because: &Because, need: &Need) -> bool {
    match (because, need.latency) {
        (Because::Latency(us), Some(goal)) => {
            let scatter = match goal.of {
                Statistic::Mean | Statistic::P50 => 1.15,
                Statistic::P90 | Statistic::P95 => 1.25,
                Statistic::P99 => 1.40,
            };
            *us > goal.most.us_f64() * scatter
        }
        (Because::Rate(iops), _) => *iops < 0.95 * need.data.iops.get() as f64,
        _ => false,
    }
}

/// Effort of trying everything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Builds that the arithmetic lets through.
    pub(crate) builds: usize,
    /// Simulations.
    pub(crate) simulations: usize,
}

/// The least price at which a simulation keeps the goal; the outer `None`: it would take too many simulations.
///
/// Builds are tried in order of price. A build is passed over if a build that is at least as strong was far off, or if a twentieth of
/// the rate was far off on disks of its kind.
fn brute_force(
    shop: &Shop,
    market: &Market,
    need: &Need,
    headroom: u64,
    effort: &mut Effort,
) -> Option<Option<u64>> {
    let mut builds: Vec<Build> = Vec::new();
    for (index, offer) in market.offers.iter().enumerate() {
        let most = market.vms.iter().filter_map(|vm| vm.slots).max().unwrap_or(0);
        let of_offer = volumes(offer, index, &need.data, headroom, most);
        for (vm, size) in market.vms.iter().enumerate() {
            let fits = of_offer.iter().filter(|volume| lets_through(size, volume, &need.data, headroom));
            builds.extend(fits.map(|volume| {
                let price = size.price.unwrap() + volume.fit.price;
                let bought = Bought { data: *volume, log: None };
                Build { vm, disks: Disks::Bought(bought), temp: None, price }
            }));
        }
    }
    builds.sort_by_key(|build| (build.price, build.bought().unwrap().data.fit.count));
    effort.builds = builds.len();
    let mut far_off: Vec<Figures> = Vec::new();
    let mut kinds: Vec<((DiskType, bool), bool)> = Vec::new();
    for build in &builds {
        let figures = Figures::of(&market.vms[build.vm], &build.bought().unwrap().data);
        let too_slow = kinds.iter().any(|(kind, is_slow)| *kind == figures.kind && *is_slow);
        if too_slow || far_off.iter().any(|failed| figures.is_weaker(failed)) {
            continue;
        }
        if effort.simulations >= MOST_SIMULATED {
            return None;
        }
        let mut candidate = confirm(&shop.catalog, market, &shop.lists, need, build).unwrap();
        let mut ask = |need: &Need| {
            effort.simulations += 1;
            candidate.simulate(need, 0, &mut |_| Flow::Continue).unwrap()
        };
        let Some(because) = ask(need) else { return Some(Some(build.price)) };
        if matches!(because, Because::Latency(_)) && !kinds.iter().any(|(kind, _)| *kind == figures.kind) {
            let mut idle = *need;
            idle.data.iops = Iops((need.data.iops.get() / 20).max(1));
            let is_slow = ask(&idle).is_some_and(|because| is_far_off(&because, &idle));
            kinds.push((figures.kind, is_slow));
        }
        if is_far_off(&because, need) {
            far_off.push(figures);
        }
    }
    Some(None)
}

fn draw_need(draw: &mut Draw, with_goal: bool, headroom: u64) -> Need {
    let block = draw.of(&[4u32 << 10, 8 << 10, 16 << 10, 64 << 10]);
    let iops = draw.of(&[500, 1_500, 2_900, 4_900, 7_400, 9_900, 12_000, 15_800, 19_500, 31_000]);
    let capacity = Bytes::gib(draw.of(&[32, 64, 256, 500, 1_024]));
    let data = VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(0),
        shape: Shape { block, read: Percent::whole(draw.of(&[0, 30, 50, 70, 100])).unwrap() },
        capacity,
        working_set: capacity,
    };
    let of = draw.of(&[Statistic::Mean, Statistic::P50, Statistic::P90, Statistic::P95, Statistic::P99]);
    let us = draw.of(&[600, 800, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 6_000, 8_000, 12_000]);
    let latency = with_goal.then_some(LatencyTarget { of, most: Span::from_us(us) });
    let headroom = Percent::whole(headroom as u32).unwrap();
    Need { data, log: None, temp: None, latency, headroom }
}

/// The two clouds of the comparison.
pub(crate) fn shops() -> [Shop; 2] {
    [Shop::whole(Cloud::Azure, "westeurope"), Shop::whole(Cloud::Aws, "us-east-1")]
}

/// A random need, as the search and the oracle answer it.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The need and its small catalogue, in words.
    pub(crate) case: String,
    /// True if the need has a latency goal.
    pub(crate) has_goal: bool,
    /// Price of the first build of the search.
    pub(crate) searched: Option<u64>,
    /// Price of the cheapest build of the oracle.
    pub(crate) least: Option<u64>,
    /// Effort of the oracle.
    pub(crate) effort: Effort,
}

/// Draws a need with its small catalogue, and answers it both ways; `None`: the oracle would take too long.
pub(crate) fn compare(shops: &[Shop; 2], number: u64) -> Option<Compared> {
    let mut draw = Draw(number);
    let shop = &shops[(number % 2) as usize];
    let market = shop.small(&mut draw);
    let headroom = draw.of(&[0, 10]);
    let need = draw_need(&mut draw, !(number / 2).is_multiple_of(4), headroom);
    let mut effort = Effort::default();
    let least = brute_force(shop, &market, &need, headroom, &mut effort)?;
    // Without a value for fewer disks: the oracle has the price only.
    let terms = Terms { per_disk: 0, ..Terms::default() };
    let stock = Stock { catalog: &shop.catalog, market: &market, lists: &shop.lists };
    let asked =
        Asked { need, terms, split: Split::default(), candidates: 1, simulated: 1, range: None, seed: 0 };
    let first = cheapest(&stock, &asked, need.data.iops.get(), &mut |_| Flow::Continue).unwrap();
    let case = format!(
        "need {number}: {need:?} of {:?} and {:?}: {:?}",
        market.vms.iter().map(|vm| (&vm.name, vm.price)).collect::<Vec<_>>(),
        market.offers.iter().map(|offer| (offer.disk, &offer.law)).collect::<Vec<_>>(),
        first.as_ref().map(|first| (first.vm, first.disks)),
    );
    let searched = first.map(|first| first.price);
    Some(Compared { case, has_goal: need.latency.is_some(), searched, least, effort })
}
