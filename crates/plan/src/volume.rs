//! Possible disks of a volume, cheapest first, and their demand on the VM.

use iobound_catalog::{DiskType, Performance, VmLimit};

use crate::build::Volume;
use crate::local::{self, Local, LocalFit};
use crate::market::{Market, Vm};
use crate::need::Demand;
use crate::offer::{Fit, Law, Offer, units};
use crate::pair::Pair;
use crate::refusal::{Because, Limit};
use crate::terms::Terms;

impl Volume {
    /// True if the disks themselves are enough.
    pub(crate) fn meets(&self, market: &Market, asked: &VolumeDemand) -> bool {
        let demand = if self.cached { &asked.beyond } else { &asked.all };
        let demand = &market.offers[self.offer].demand(demand);
        let Fit { count, gib, ios, bytes, .. } = self.fit;
        // st1 and sc1 are charged a whole MiB for a random I/O.
        let law = &market.offers[self.offer].law;
        let is_streaming =
            matches!(law, Law::Provisioned(of) if matches!(of.bounds.performance, Performance::Streaming(_)));
        let asked_bytes =
            if is_streaming { units(demand, count).saturating_mul(1 << 20) } else { demand.bytes };
        count.saturating_mul(ios) >= units(demand, count)
            && count.saturating_mul(bytes) >= asked_bytes
            && count.saturating_mul(gib) >= demand.gib
    }

    /// Sort key of volumes: the price, and the work of looking after the disks.
    pub(crate) fn cost(&self, terms: &Terms) -> u64 {
        self.fit.price.saturating_add(terms.per_disk.saturating_mul(self.fit.count))
    }
}

/// Demand of a need, with all reads and with none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VolumeDemand {
    pub(crate) all: Demand,
    /// Demand that passes a cache that holds the whole working set.
    pub(crate) beyond: Demand,
}

impl VolumeDemand {
    pub(crate) fn of(demand: Demand) -> VolumeDemand {
        VolumeDemand { all: demand, beyond: demand.beyond(u64::MAX) }
    }
}

/// Use of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The data: it may have a read cache, and may be on kept disks.
    Data,
    /// The log.
    Log,
}

/// All that a volume can be made of and no other beats: of the same type and cache no other is as cheap with as few disks.
/// Sorted by cost.
pub(crate) fn volumes(market: &Market, terms: &Terms, asked: &VolumeDemand, role: Role) -> Vec<Volume> {
    let is_data = role == Role::Data;
    if let Some(mut kept) = terms.kept.filter(|_| is_data) {
        // Whose they are, what is done on them is billed.
        if let Law::Tier { billing: Some(billing), .. } = &market.offers[kept.offer].law {
            let demand = if kept.cached { &asked.beyond } else { &asked.all };
            kept.fit.price = kept.fit.price.saturating_add(billing.month(demand, kept.fit.count));
        }
        return Some(kept).filter(|kept| kept.meets(market, asked)).into_iter().collect();
    }
    let most = market.vms.iter().filter_map(|vm| vm.slots).max().unwrap_or(0);
    let most = terms.most_disks.map_or(most, |disks| disks.min(most));
    let mut volumes: Vec<Volume> = Vec::new();
    let takes = |offer: &Offer| if is_data { terms.takes(offer) } else { terms.takes_log(offer) };
    for (index, offer) in market.offers.iter().enumerate().filter(|(_, offer)| takes(offer)) {
        let mut add = |demand: &Demand, cached: bool| {
            let fits = offer.fits(demand, most).into_iter();
            volumes.extend(fits.map(|fit| Volume { offer: index, disk: offer.disk, fit, cached }));
        };
        add(&asked.all, false);
        if is_data && terms.host_cache && offer.cacheable && asked.all.read > 0 {
            add(&asked.beyond, true);
        }
    }
    volumes.sort_by_key(|volume| (volume.cost(terms), volume.fit.count, volume.offer, volume.cached));
    let mut kept: Vec<Volume> = Vec::new();
    for volume in volumes {
        let beats = |other: &Volume| {
            (other.disk, other.cached) == (volume.disk, volume.cached)
                && other.fit.count <= volume.fit.count
                && other.cost(terms) <= volume.cost(terms)
        };
        if !kept.iter().any(beats) {
            kept.push(volume);
        }
    }
    kept
}

/// Data and log on disks of one kind that share their figures: the data has its capacity, and the log what the pool of both lacks.
pub(crate) fn on_one_pool(
    market: &Market,
    offer: usize,
    data: &VolumeDemand,
    log: &VolumeDemand,
) -> Option<[Volume; 2]> {
    let Law::Provisioned(provision) = &market.offers[offer].law else { return None };
    let Performance::Pooled(pool) = &provision.bounds.performance else { return None };
    let most = provision.bounds.gib[1];
    let fits = |gib: u64, least: u64| {
        let count = gib.div_ceil(most).max(1);
        provision.at_least(count, [gib.div_ceil(count).max(least), 0, 0])
    };
    let [first, second] = [fits(data.all.gib, 0)?, fits(log.all.gib, 0)?];
    let needed = pool.gib_for(together(market, offer, [(data, first.count), (log, second.count)]));
    let second = fits(needed.saturating_sub(first.count * first.gib).max(log.all.gib), second.gib)?;
    let disk = market.offers[offer].disk;
    Some([first, second].map(|fit| Volume { offer, disk, fit, cached: false }))
}

/// Units and bytes that two volumes of one kind take of their pool.
fn together(market: &Market, offer: usize, volumes: [(&VolumeDemand, u64); 2]) -> [u64; 2] {
    let (mut ways, mut bytes) = ([0u64; 2], [0u64; 2]);
    for (asked, count) in volumes {
        let parts = asked.all.parts(units(&asked.all, count));
        ways = [0, 1].map(|way| ways[way].saturating_add(parts[way]));
        let moved = asked.all.parts(asked.all.bytes);
        bytes = [0, 1].map(|way| bytes[way].saturating_add(moved[way]));
    }
    let half = market.offers[offer].disk.kind().half_duplex;
    let moved = if half { bytes[0].saturating_add(bytes[1]) } else { bytes[0].max(bytes[1]) };
    let Law::Provisioned(provision) = &market.offers[offer].law else { return [ways[0], moved] };
    let Performance::Pooled(pool) = &provision.bounds.performance else { return [ways[0], moved] };
    [pool.taken(ways), moved]
}

/// True if two volumes share one pool; then whether it is enough for both.
pub(crate) fn pool_of(
    market: &Market,
    data: (&Volume, &VolumeDemand),
    log: (&Volume, &VolumeDemand),
) -> Option<bool> {
    let Law::Provisioned(provision) = &market.offers[data.0.offer].law else { return None };
    let Performance::Pooled(pool) = &provision.bounds.performance else { return None };
    let gib = |volume: &Volume| volume.fit.count.saturating_mul(volume.fit.gib);
    let holds = |(volume, asked): (&Volume, &VolumeDemand)| gib(volume) >= asked.all.gib;
    let asked = [(data.1, data.0.fit.count), (log.1, log.0.fit.count)];
    (data.0.disk == log.0.disk).then(|| {
        let needed = pool.gib_for(together(market, data.0.offer, asked));
        holds(data) && holds(log) && gib(data.0).saturating_add(gib(log.0)) >= needed
    })
}

/// Demand on the disks of one kind on a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KindLoad {
    disk: DiskType,
    /// Number of its disks.
    count: u64,
    /// Units and bytes, read and written.
    sums: [[u64; 2]; 2],
}

/// Demand of volumes on one VM together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    slots: u64,
    gib: u64,
    premium: bool,
    /// Units and bytes that pass without a cache: of Premium SSD v2 and Ultra disks apart.
    plain: [u64; 2],
    v2: [u64; 2],
    /// True if there are disks of either kind: reads that a cache holds leave nothing to pass, but writes would.
    has: [bool; 2],
    /// Of each kind of disk that has a limit of its own.
    kinds: [Option<KindLoad>; 2],
    cached: Option<[u64; 3]>,
    working_set: u64,
    /// Demand on the local disks.
    temp: Option<Demand>,
}

impl Load {
    /// Adds a volume.
    pub(crate) fn add(&mut self, volume: &Volume, asked: &VolumeDemand) {
        let count = volume.fit.count;
        self.slots += count;
        self.gib = self.gib.saturating_add(count.saturating_mul(volume.fit.gib));
        self.premium |= volume.disk.kind().needs_premium;
        let demand = if volume.cached { &asked.beyond } else { &asked.all };
        let is_v2 = volume.disk.kind().limit == VmLimit::UncachedV2;
        self.has[usize::from(is_v2)] = true;
        if volume.disk.kind().limit == VmLimit::Kind(volume.disk) {
            let asked = [demand.parts(units(demand, count)), demand.parts(demand.bytes)];
            let is_free = |of: &&mut Option<KindLoad>| of.is_none_or(|of| of.disk == volume.disk);
            if let Some(place) = self.kinds.iter_mut().find(is_free) {
                let of = place.get_or_insert(KindLoad { disk: volume.disk, count: 0, sums: [[0; 2]; 2] });
                of.count += count;
                for (sums, asked) in of.sums.iter_mut().zip(asked) {
                    *sums = [0, 1].map(|way| sums[way].saturating_add(asked[way]));
                }
            }
        }
        let limiter = if is_v2 { &mut self.v2 } else { &mut self.plain };
        limiter[0] = limiter[0].saturating_add(units(demand, count));
        limiter[1] = limiter[1].saturating_add(demand.bytes);
        if volume.cached {
            let sums = self.cached.get_or_insert([0; 3]);
            sums[0] = sums[0].saturating_add(units(&asked.all, count));
            sums[1] = sums[1].saturating_add(asked.all.directions[0]);
            sums[2] = sums[2].saturating_add(asked.all.directions[1]);
            self.working_set = self.working_set.saturating_add(asked.all.working_set);
        }
    }

    /// Adds what may be lost with the VM.
    pub(crate) fn add_temp(&mut self, demand: Demand) {
        self.temp = Some(demand);
    }

    /// The local disks of a VM for it.
    pub(crate) fn local(&self, vm: &Vm) -> Option<LocalFit> {
        local::fit(&vm.local, self.temp.as_ref()?)
    }

    /// Obstacle on a VM: an unknown figure first, else the limit that is missed by most.
    pub(crate) fn fails(&self, vm: &Vm) -> Option<Because> {
        let Some(slots) = vm.slots else { return Some(Because::Unknown("data disks")) };
        if self.premium && vm.premium != Some(true) {
            let unknown = vm.premium.is_none();
            return Some(if unknown { Because::Unknown("premium storage") } else { Because::NoPremium });
        }
        if self.has[1] && vm.zones.as_ref().is_some_and(Vec::is_empty) {
            return Some(Because::NoZone);
        }
        let mut worst = Worst::default();
        worst.see(Limit::Disks, self.slots, slots);
        if let Some(most) = vm.most_gib {
            worst.see(Limit::Capacity, self.gib, most);
        }
        if let Err(unknown) = self.uncached(vm, &mut worst) {
            return Some(unknown);
        }
        let mut passing = self.cached;
        if let Some(temp) = &self.temp {
            let Some(fit) = self.local(vm) else { return Some(Because::NoLocal) };
            add_local(&mut passing, &vm.local[fit.kind], temp, fit.count);
        }
        if let Err(unknown) = worst.see_cache(vm, passing, self.working_set) {
            return Some(unknown);
        }
        worst.0
    }

    /// The limits of each kind of disk, and of several kinds together: no more than the larger of them, and no more disks than kinds that
    /// are counted together may have.
    fn of_kinds(&self, vm: &Vm, worst: &mut Worst) -> Result<(), Because> {
        let (mut all, mut most, mut half) = ([[0; 2]; 2], [[0; 2]; 2], true);
        let mut together = 0;
        for KindLoad { disk, count, sums } in self.kinds.iter().flatten() {
            let limits = vm.kind(*disk).ok_or(Because::Unknown("limits of the disk type"))?;
            let [read, write] = [limits.read, limits.write];
            let figures =
                [[read.ios, write.ios], [read.bytes, write.bytes]].map(|of| of.map(|of| of.unwrap_or(0)));
            if let Some(most) = limits.disks_max {
                worst.see(Limit::Disks, *count, most);
            }
            if let Some(most) = limits.together_max {
                together += count;
                worst.see(Limit::Disks, together, most);
            }
            half &= disk.kind().half_duplex;
            worst.see_ways(*sums, figures, disk.kind().half_duplex);
            for dimension in [0, 1] {
                for way in [0, 1] {
                    all[dimension][way] += sums[dimension][way];
                    most[dimension][way] = most[dimension][way].max(figures[dimension][way]);
                }
            }
        }
        worst.see_ways(all, most, half);
        Ok(())
    }

    fn uncached(&self, vm: &Vm, worst: &mut Worst) -> Result<(), Because> {
        if self.kinds[0].is_some() {
            return self.of_kinds(vm, worst);
        }
        let unknown = || Because::Unknown("limits on its disks");
        let mut see = |[ios, bytes]: [u64; 2], limit: Pair| {
            worst.see(Limit::UncachedIos, ios, limit.ios);
            worst.see(Limit::UncachedBytes, bytes, limit.bytes);
        };
        let [has_plain, has_v2] = self.has;
        let both = [0, 1].map(|dimension| self.plain[dimension].saturating_add(self.v2[dimension]));
        if !vm.v2_apart {
            see(both, vm.plain.ok_or_else(unknown)?);
            return Ok(());
        }
        if has_plain {
            see(self.plain, vm.plain.ok_or_else(unknown)?);
        }
        if has_v2 {
            let v2 = vm.v2.ok_or_else(unknown)?;
            see(self.v2, v2);
            if let (true, Some(plain)) = (has_plain, vm.plain) {
                // How the two share a VM is not documented: together they are not given more than the larger one.
                let larger = Pair { ios: plain.ios.max(v2.ios), bytes: plain.bytes.max(v2.bytes) };
                see(both, larger);
            }
        }
        Ok(())
    }
}

/// Obstacle to I/Os on local disks of a VM, which are enough for them by themselves.
pub(crate) fn local_fails(vm: &Vm, parts: &[(Demand, LocalFit)]) -> Option<Because> {
    let mut passing = None;
    for (demand, fit) in parts {
        add_local(&mut passing, &vm.local[fit.kind], demand, fit.count);
    }
    let mut worst = Worst::default();
    worst.see_cache(vm, passing, 0).err().or(worst.0)
}

/// Adds what passes the limit of cached disks on the way to local disks: units, bytes read and bytes written.
fn add_local(passing: &mut Option<[u64; 3]>, local: &Local, demand: &Demand, count: u64) {
    if local.shares_cache {
        let sums = passing.get_or_insert([0; 3]);
        sums[0] = sums[0].saturating_add(units(demand, count));
    }
    if let Some(sums) = passing.as_mut().filter(|_| local.shares_bytes) {
        sums[1] = sums[1].saturating_add(demand.directions[0]);
        sums[2] = sums[2].saturating_add(demand.directions[1]);
    }
}

#[derive(Default)]
struct Worst(Option<Because>);

impl Worst {
    /// The limit of cached disks, for units, bytes read and bytes written; its cache holds the working set.
    fn see_cache(&mut self, vm: &Vm, passing: Option<[u64; 3]>, working_set: u64) -> Result<(), Because> {
        let Some([ios, read, written]) = passing else { return Ok(()) };
        let cache = vm.cache.filter(|cache| cache.capacity >= working_set);
        let cache = cache.ok_or(Because::Unknown("host cache"))?;
        self.see(Limit::CachedIos, ios, cache.ios);
        if cache.shared {
            self.see(Limit::CachedBytes, read.saturating_add(written), cache.bytes[0]);
        } else {
            self.see(Limit::CachedBytes, read, cache.bytes[0]);
            self.see(Limit::CachedBytes, written, cache.bytes[1]);
        }
        Ok(())
    }

    /// Units and bytes, read and written: both ways share the larger limit of units, and of bytes where they are half duplex.
    fn see_ways(&mut self, [ios, bytes]: [[u64; 2]; 2], [most_ios, most_bytes]: [[u64; 2]; 2], half: bool) {
        self.see(Limit::UncachedIos, ios[0].saturating_add(ios[1]), most_ios[0].max(most_ios[1]));
        if half {
            let both = bytes[0].saturating_add(bytes[1]);
            self.see(Limit::UncachedBytes, both, most_bytes[0].max(most_bytes[1]));
        }
        for way in [0, 1] {
            self.see(Limit::UncachedIos, ios[way], most_ios[way]);
            self.see(Limit::UncachedBytes, bytes[way], most_bytes[way]);
        }
    }

    fn see(&mut self, limit: Limit, wanted: u64, have: u64) {
        if wanted <= have {
            return;
        }
        let because = Because::Limit { limit, wanted, have };
        if self.0.as_ref().is_none_or(|worst| because.reached() < worst.reached()) {
            self.0 = Some(because);
        }
    }
}
