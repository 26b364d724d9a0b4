//! The offers, as compact rows of whole numbers: read from the catalogue once, searched often.

use iobound_catalog::{
    Arch, Catalog, CatalogError, Cloud, DiskType, Era, HostCache as DiskCache, KindLimits, Limits,
    Operations, OrderedLocal, PerformanceSetting, PriceList, Redundancy, SeriesKind, VmLimit, VmSize,
};
use iobound_predict::BurstCredits;

use crate::build::Build;
use crate::local::Local;
use crate::offer::{Billing, Law, Offer, Provision, Rates};
use crate::pair::Pair;
use crate::region::{PartialRegion, UnpricedRegion};

/// The host cache of a VM size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCache {
    /// Units a second of all cached disks.
    pub ios: u64,
    /// Bytes a second that are read, and that are written.
    pub bytes: [u64; 2],
    /// True if both directions share one limit.
    pub shared: bool,
    /// Content of it, in bytes.
    pub capacity: u64,
}

/// A VM size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// Its full name.
    pub name: String,
    /// Cloud that sells it.
    pub cloud: Cloud,
    /// Sort key: monthly price in billionths of a dollar, or the size in [`Rank::Size`]; `None` is unknown.
    pub price: Option<u64>,
    /// The limit of disks without host cache; `None` is unknown.
    pub plain: Option<Pair>,
    /// The limit of Premium SSD v2 and Ultra disks; `None` is unknown.
    pub v2: Option<Pair>,
    /// True if that is a limit of its own.
    pub v2_apart: bool,
    /// The limits of each kind of disk, where each has its own.
    pub kinds: Vec<KindLimits>,
    /// GiB of all its disks together at most; `None`: no such limit is known.
    pub most_gib: Option<u64>,
    /// The host cache, where it has one whose limits are known.
    pub cache: Option<HostCache>,
    /// Data disks that can be attached; `None` is unknown.
    pub slots: Option<u64>,
    /// True if it takes Premium SSDs; `None` is unknown.
    pub premium: Option<bool>,
    /// Usable vCPUs.
    pub vcpus: Option<u64>,
    /// The size's vCPUs, whether they can be used or not.
    pub whole: Option<u64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Its processor; `None` is unknown.
    pub arch: Option<Arch>,
    /// True if the vendor has a later generation of it.
    pub previous: bool,
    /// True if its processors run on credits.
    pub cpu_burstable: bool,
    /// True if it is made for GPUs, high performance computing or confidential computing.
    pub special: bool,
    /// Reason why it can't be had in the region, where that is known.
    pub restricted: Option<String>,
    /// The zones of the region where it can be had; `None` is unknown, none of them: in no zone.
    pub zones: Option<Vec<String>>,
    /// Disks of the host's own, the fastest first.
    pub local: Vec<Local>,
}

impl Vm {
    /// The limits of reads and writes on all disks of a kind that has its own; `None`: unknown, or none.
    pub(crate) fn kind(&self, disk: DiskType) -> Option<&KindLimits> {
        self.kinds.iter().find(|of| of.disk == disk && of.read.known() && of.write.known())
    }

    /// The limit of a disk of a kind, of the direction that has more.
    pub(crate) fn limit(&self, disk: DiskType) -> Option<Pair> {
        match disk.kind().limit {
            VmLimit::Kind(disk) => {
                let KindLimits { read, write, .. } = self.kind(disk)?;
                Some(Pair { ios: read.ios.max(write.ios)?, bytes: read.bytes.max(write.bytes)? })
            }
            VmLimit::UncachedV2 if self.v2_apart => self.v2,
            VmLimit::UncachedV2 | VmLimit::Uncached => self.plain,
        }
    }
}

/// The first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// The cheapest offer.
    #[default]
    Price,
    /// The smallest offer, if prices are unknown: the fewest vCPUs, then the least memory, then the disks that provide least:
    /// GiB, IOPS and MB/s added up. On a VM, the fewest disks of a type.
    Size,
}

/// The weights of [`Rank::Size`]: what comes first outweighs all that comes after it. A thousand vCPUs are below 2^64; 32,768 GiB
/// of memory are below one vCPU, and all that a VM's disks can provide is below a GiB of memory.
mod size {
    pub(super) const VCPU: u64 = 10_000_000_000_000_000;
    pub(super) const MEMORY_GIB: u64 = 100_000_000_000;
    pub(super) const DISK: u64 = 100_000_000;
}

/// Filters of a market.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// True if bursts are counted on.
    pub credits: BurstCredits,
    /// Number of datacentres that hold the disks.
    pub redundancy: Redundancy,
    /// Sort order, with or without known prices; `None`: price, if all regions have some.
    pub rank: Option<Rank>,
    /// True if disks set to a higher performance tier are there: kept ones, since a larger disk costs no more.
    pub raised: bool,
}

/// All that can be bought, in the regions of a price list for each cloud.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Market {
    /// VM sizes.
    pub vms: Vec<Vm>,
    /// Disks.
    pub offers: Vec<Offer>,
    /// True if bursts are counted on.
    pub credits: BurstCredits,
    /// Disks whose price is not known: the names of their tiers and types.
    pub unpriced_disks: Vec<String>,
    /// The first of them.
    pub rank: Rank,
    /// Number of datacentres that hold the disks.
    pub redundancy: Redundancy,
    /// Regions without a price of any VM size or of any disk.
    pub unpriced_regions: Vec<UnpricedRegion>,
    /// Regions whose price list lacks disks that the list of the cloud's default region has.
    pub partial_regions: Vec<PartialRegion>,
}

impl Market {
    /// The rows of the clouds that have a price list, which may be empty.
    ///
    /// # Errors
    /// Returns an error if a row of the user's catalogue cannot be read.
    pub fn of(catalog: &Catalog, lists: &[(Cloud, PriceList)], look: Look) -> Result<Market, CatalogError> {
        let mut unpriced = Vec::new();
        for (_, list) in lists.iter().filter(|(_, list)| !list.has_vms() || !list.has_disks()) {
            unpriced.push(UnpricedRegion::of(catalog, list)?);
        }
        let mut partial = Vec::new();
        for (cloud, list) in lists.iter().filter(|(_, list)| list.has_disks()) {
            partial.extend(PartialRegion::of(catalog, *cloud, list, look.redundancy)?);
        }
        let by_price = if unpriced.is_empty() && partial.is_empty() { Rank::Price } else { Rank::Size };
        let mut market = Market {
            credits: look.credits,
            rank: look.rank.unwrap_or(by_price),
            redundancy: look.redundancy,
            unpriced_regions: unpriced,
            partial_regions: partial,
            ..Market::default()
        };
        let caches = CacheRules { per_vcpu: catalog.rule_micro("cache", "gib_per_vcpu")? / 1_000_000 };
        let is_listed = |cloud: &Cloud| lists.iter().any(|(of, _)| of == cloud);
        let clouds: Vec<Cloud> = Cloud::ALL.into_iter().filter(is_listed).collect();
        for vm in catalog.vms_of(&clouds)? {
            if let Some((_, list)) = lists.iter().find(|(cloud, _)| *cloud == vm.cloud) {
                let kinds = catalog.kind_limits(&vm, look.redundancy)?;
                let local = market.local(catalog, &vm, list)?;
                let mut row = row_of(&vm, kinds, local, list, look.credits, caches);
                if market.rank == Rank::Size {
                    row.price = size_of(&row);
                }
                market.vms.push(row);
            }
        }
        for (cloud, list) in lists {
            market.tiers(catalog, *cloud, list, look)?;
            market.provisioned(catalog, *cloud, list)?;
        }
        Ok(market)
    }

    /// Cost of one disk less where prices are not known: fewer disks come before what they provide.
    pub fn per_disk(&self, dollars: u64) -> u64 {
        if self.rank == Rank::Size { size::DISK } else { dollars }
    }

    /// Cost of a build a month, in billionths of a dollar; `None`: a part of it has no known price.
    pub fn price(&self, build: &Build) -> Option<u64> {
        let is_known = self.rank == Rank::Price && self.vms[build.vm].price.is_some();
        is_known.then_some(build.price)
    }

    fn tiers(
        &mut self,
        catalog: &Catalog,
        cloud: Cloud,
        list: &PriceList,
        look: Look,
    ) -> Result<(), CatalogError> {
        let credits = self.credits;
        let cached_below = catalog.rule_micro("cache", "disk_size_max_exclusive")? / 1_000_000;
        let mut seen: Vec<String> = Vec::new();
        for tier in catalog.tiers()? {
            let is_ours = tier.era == Era::current()
                && tier.redundancy == self.redundancy
                && tier.disk.cloud() == cloud
                && !seen.contains(&tier.name);
            let (true, Some(ios), Some(bytes)) = (is_ours, tier.ios, tier.bytes) else { continue };
            seen.push(tier.name.clone());
            let gib = tier.max_size.get() >> 30;
            let is_billed = tier.disk.kind().operations != Operations::Free;
            let (listed, billing) = match self.rank {
                Rank::Size => (None, None),
                Rank::Price => {
                    // I/Os of some are billed by use: where their price is not known, the disk's is not.
                    let price = list.tier(tier.disk, &tier.name, self.redundancy);
                    let known = price.filter(|(_, operations)| operations.is_some() || !is_billed);
                    let Some((price, operations)) = known else {
                        self.unpriced_disks.push(tier.name);
                        continue;
                    };
                    let billing = operations.filter(|_| is_billed);
                    let billing = billing.map(|price| Billing::of(catalog, &tier, price.0)).transpose()?;
                    (Some(price.0), billing)
                }
            };
            let burst = |base: u64, burst: Option<u64>| match credits {
                BurstCredits::Full => base.max(burst.unwrap_or(base)),
                BurstCredits::Spent => base,
            };
            // A read cache is cold after a restart: behind it is a disk that can serve reads, as the vendors' checklists
            // for databases have it.
            let cacheable = tier.disk.kind().host_cache == DiskCache::Advised && gib < cached_below;
            let offer = |name: String, own: [u64; 2], most: [Option<u64>; 2]| {
                let [ios, bytes] = own;
                let price = listed.unwrap_or(gib + ios + bytes.div_ceil(1_000_000));
                let (ios, bytes) = (burst(ios, most[0]), burst(bytes, most[1]));
                Offer { disk: tier.disk, cacheable, law: Law::Tier { name, gib, ios, bytes, price, billing } }
            };
            self.offers.push(offer(tier.name.clone(), [ios, bytes], [tier.burst.0, tier.burst.1]));
            // Performance plus costs nothing. It comes after the disk without it, which is taken where both are enough.
            if let (Some(ios), Some(bytes)) = tier.plus {
                let name = format!("{}{}", tier.name, PerformanceSetting::Plus.suffix());
                self.offers.push(offer(name, [ios, bytes], [None; 2]));
            }
        }
        if look.raised {
            self.raise_tiers();
        }
        Ok(())
    }

    /// Adds each tier with the figures and the price of each higher one. The catalogue decides which of them can be set.
    fn raise_tiers(&mut self) {
        let plain: Vec<Offer> = self.offers.clone();
        let is_plain = |name: &str| !name.contains('+');
        for own in &plain {
            let Law::Tier { name, gib, billing, .. } = &own.law else { continue };
            for other in plain.iter().filter(|other| other.disk == own.disk) {
                let Law::Tier { name: target, gib: larger, ios, bytes, price, .. } = &other.law else {
                    continue;
                };
                if larger > gib && is_plain(name) && is_plain(target) {
                    let name = format!("{name}{}", PerformanceSetting::Tier(target.clone()).suffix());
                    let (ios, bytes, price) = (*ios, *bytes, *price);
                    let law = Law::Tier { name, gib: *gib, ios, bytes, price, billing: *billing };
                    self.offers.push(Offer { law, ..own.clone() });
                }
            }
        }
    }

    /// Adds a size that is there already and that no list has: one with a bandwidth weighting.
    ///
    /// # Errors
    /// Returns an error if a rule of the user's catalogue cannot be read.
    pub fn keep_vm(
        &mut self,
        catalog: &Catalog,
        lists: &[(Cloud, PriceList)],
        vm: &VmSize,
    ) -> Result<(), CatalogError> {
        let list = lists.iter().find(|(cloud, _)| *cloud == vm.cloud).map(|(_, list)| list);
        let Some(list) = list.filter(|_| self.vms.iter().all(|row| row.name != vm.full_name())) else {
            return Ok(());
        };
        let caches = CacheRules { per_vcpu: catalog.rule_micro("cache", "gib_per_vcpu")? / 1_000_000 };
        let kinds = catalog.kind_limits(vm, self.redundancy)?;
        let local = self.local(catalog, vm, list)?;
        let mut row = row_of(vm, kinds, local, list, self.credits, caches);
        if self.rank == Rank::Size {
            row.price = size_of(&row);
        }
        self.vms.push(row);
        Ok(())
    }

    /// The local disks of a VM size, with the price of those that are ordered with it.
    fn local(&self, catalog: &Catalog, vm: &VmSize, list: &PriceList) -> Result<Vec<Local>, CatalogError> {
        let ordered = catalog.ordered_local(vm)?;
        let price = |choice: &OrderedLocal| {
            let disks = choice.disks;
            let count = disks.count?;
            match self.rank {
                Rank::Price => Some(list.vm(choice.priced_as.as_deref()?)?.per_month.0.saturating_mul(count)),
                // As other disks: GiB, IOPS and MB/s added up.
                Rank::Size => {
                    let gib = (disks.size?.get() >> 30).saturating_mul(count);
                    Some(gib + disks.read.ios? + disks.read.bytes?.div_ceil(1_000_000))
                }
            }
        };
        Ok(Local::of(vm, &ordered, price))
    }

    fn provisioned(&mut self, catalog: &Catalog, cloud: Cloud, list: &PriceList) -> Result<(), CatalogError> {
        let redundancy = self.redundancy;
        let is_sold = |disk: &DiskType| disk.cloud() == cloud && catalog.is_sold_in(*disk, redundancy);
        for disk in DiskType::ALL.into_iter().filter(is_sold) {
            let Some(bounds) = catalog.bounds(disk)? else { continue };
            let one = Some(1);
            let (free_ios, free_megabytes, priced_ios) = (0, 0, u64::MAX);
            let rates = match self.rank {
                Rank::Size => {
                    Some(Rates { gib: 1, ios: one, megabyte: one, free_ios, free_megabytes, priced_ios })
                }
                Rank::Price => list.rates(disk, redundancy).map(Rates::from),
            };
            let Some(rates) = rates else {
                self.unpriced_disks.push(disk.word().to_string());
                continue;
            };
            let provision = Provision { bounds, rates };
            self.offers.push(Offer { disk, cacheable: false, law: Law::Provisioned(provision) });
        }
        Ok(())
    }
}

/// A VM's rank without prices; `None`: its vCPUs are not known. A size of which only some can be used is billed as the whole.
fn size_of(vm: &Vm) -> Option<u64> {
    let memory = vm.memory.unwrap_or(0).div_ceil(1 << 30).min(size::VCPU / size::MEMORY_GIB - 1);
    Some(vm.whole?.saturating_mul(size::VCPU).saturating_add(memory * size::MEMORY_GIB))
}

#[derive(Clone, Copy)]
struct CacheRules {
    per_vcpu: u64,
}

fn row_of(
    vm: &VmSize,
    kinds: Vec<KindLimits>,
    local: Vec<Local>,
    list: &PriceList,
    credits: BurstCredits,
    caches: CacheRules,
) -> Vm {
    let burst = |base: Option<u64>, burst: Option<u64>| match credits {
        BurstCredits::Full => base.map(|base| base.max(burst.unwrap_or(base))),
        BurstCredits::Spent => base,
    };
    let pair = |limits: Limits, most: Limits| {
        let bytes = burst(limits.bytes, most.bytes);
        // Where only a figure for each disk is documented, the VM has no limit on bytes.
        let bytes = bytes.or(vm.uncached_is.as_ref().map(|_| u64::MAX));
        burst(limits.ios, most.ios).zip(bytes).map(|(ios, bytes)| Pair { ios, bytes })
    };
    let [plain, v2] = [VmLimit::Uncached, VmLimit::UncachedV2].map(|limit| vm.remote(limit));
    let cached = (burst(vm.cached.ios, vm.cached_burst.ios), burst(vm.cached.bytes, vm.cached_burst.bytes));
    let cache = match cached {
        (Some(ios), Some(read)) if vm.host_cache != Some(false) => {
            let write = vm.cached_write_bytes.unwrap_or(read);
            let size = vm.cache_size.map(|size| size.get()).filter(|size| *size > 0);
            let derived = caches.per_vcpu.saturating_mul(vm.vcpus.unwrap_or(1)) << 30;
            Some(HostCache {
                ios,
                bytes: [read, write],
                shared: vm.cached_write_bytes.is_none_or(|write| Some(write) == vm.cached.bytes),
                capacity: size.unwrap_or(derived),
            })
        }
        _ => None,
    };
    let os_disk = u64::from(vm.cloud.rules().os_disk_takes_a_slot);
    Vm {
        name: vm.full_name(),
        cloud: vm.cloud,
        price: list.vm(&vm.name).map(|part| part.per_month.0),
        plain: pair(plain.sustained, plain.burst),
        v2: pair(v2.sustained, v2.burst),
        v2_apart: v2.is_apart,
        kinds,
        most_gib: vm.max_disks_size.map(|size| size.get() >> 30),
        cache,
        slots: vm.max_data_disks.map(|most| most.saturating_sub(os_disk)),
        premium: vm.premium,
        vcpus: vm.vcpus_available,
        whole: vm.vcpus,
        memory: vm.memory.map(|memory| memory.get()),
        arch: Arch::of(vm),
        previous: vm.is(SeriesKind::Previous),
        cpu_burstable: vm.is(SeriesKind::CpuBurstable),
        special: vm.is_special(),
        restricted: vm.restricted_in(list.region()).map(str::to_string),
        zones: vm.zones_in(list.region()).map(<[String]>::to_vec),
        local,
    }
}
