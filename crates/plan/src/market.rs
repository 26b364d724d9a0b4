//! What can be bought, as compact rows of whole numbers: read from the catalogue once, searched often.

use iobound_catalog::Limits;
use iobound_catalog::{
    Arch, Catalog, CatalogError, Cloud, DiskType, Era, PriceList, Redundancy, SeriesKind, VmSize,
};

use crate::offer::{Law, Offer, Provision};

/// A limit on units and one on bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Units a second.
    pub ios: u64,
    /// Bytes a second.
    pub bytes: u64,
}

/// The host cache of a VM size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCache {
    /// Units a second of all cached disks.
    pub ios: u64,
    /// Bytes a second that are read, and that are written.
    pub bytes: [u64; 2],
    /// Whether both directions share one limit.
    pub shared: bool,
    /// What it holds, in bytes.
    pub capacity: u64,
}

/// A VM size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// Its full name.
    pub name: String,
    /// Who sells it.
    pub cloud: Cloud,
    /// A month in billionths of a dollar; `None` is unknown.
    pub price: Option<u64>,
    /// The limit of disks without host cache; `None` is unknown.
    pub plain: Option<Pair>,
    /// The limit of Premium SSD v2 and Ultra disks; `None` is unknown.
    pub v2: Option<Pair>,
    /// Whether that is a limit of its own.
    pub v2_apart: bool,
    /// The host cache, where it has one whose limits are known.
    pub cache: Option<HostCache>,
    /// Data disks that can be attached; `None` is unknown.
    pub slots: Option<u64>,
    /// Whether it takes Premium SSDs; `None` is unknown.
    pub premium: Option<bool>,
    /// Usable vCPUs.
    pub vcpus: Option<u64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Its processor; `None` is unknown.
    pub arch: Option<Arch>,
    /// Whether the vendor has a later generation of it.
    pub previous: bool,
    /// Whether its processors run on credits.
    pub cpu_burstable: bool,
}

/// All that can be bought, in the regions of a price list for each cloud.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Market {
    /// VM sizes.
    pub vms: Vec<Vm>,
    /// Disks.
    pub offers: Vec<Offer>,
    /// Disks whose price is not known: how many tiers and types.
    pub unpriced_disks: u64,
}

/// Whether figures that last while credits do are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Credits {
    /// Only what lasts.
    #[default]
    Spent,
    /// Bursts count.
    Full,
}

impl Market {
    /// The rows of the clouds that have a price list.
    ///
    /// # Errors
    /// A row of the user's own catalogue that can't be read.
    pub fn of(
        catalog: &Catalog,
        lists: &[(Cloud, PriceList)],
        credits: Credits,
    ) -> Result<Market, CatalogError> {
        let mut market = Market::default();
        let caches = CacheRules { per_vcpu: catalog.rule_micro("cache", "gib_per_vcpu")? / 1_000_000 };
        for vm in catalog.vms()? {
            if let Some((_, list)) = lists.iter().find(|(cloud, _)| *cloud == vm.cloud) {
                market.vms.push(row_of(&vm, list, credits, caches));
            }
        }
        for (cloud, list) in lists {
            market.tiers(catalog, *cloud, list, credits)?;
            market.provisioned(catalog, *cloud, list)?;
        }
        Ok(market)
    }

    fn tiers(
        &mut self,
        catalog: &Catalog,
        cloud: Cloud,
        list: &PriceList,
        credits: Credits,
    ) -> Result<(), CatalogError> {
        let cached_below = catalog.rule_micro("cache", "disk_size_max_exclusive")? / 1_000_000;
        let mut seen: Vec<String> = Vec::new();
        for tier in catalog.tiers()? {
            let is_ours = tier.era == Era::current()
                && tier.redundancy == Redundancy::Lrs
                && tier.disk.cloud() == cloud
                && !seen.contains(&tier.name);
            let (true, Some(ios), Some(bytes)) = (is_ours, tier.ios, tier.bytes) else { continue };
            seen.push(tier.name.clone());
            let Some((price, operations)) = list.tier(tier.disk, &tier.name) else {
                self.unpriced_disks += 1;
                continue;
            };
            // I/Os of these are billed by use: where their price is not known, the disk's is not.
            if operations.is_none() && tier.disk != DiskType::Premium {
                self.unpriced_disks += 1;
                continue;
            }
            let burst = |base: u64, burst: Option<u64>| match credits {
                Credits::Full => base.max(burst.unwrap_or(base)),
                Credits::Spent => base,
            };
            let gib = tier.max_size.get() >> 30;
            self.offers.push(Offer {
                disk: tier.disk,
                // A read cache is cold after a restart: behind it is a disk that can serve reads, as the vendors' checklists
                // for databases have it.
                cacheable: tier.disk == DiskType::Premium && gib < cached_below,
                law: Law::Tier {
                    name: tier.name,
                    gib,
                    ios: burst(ios, tier.burst.0),
                    bytes: burst(bytes, tier.burst.1),
                    price: price.0,
                    per_million: operations.map(|price| price.0),
                },
            });
        }
        Ok(())
    }

    fn provisioned(&mut self, catalog: &Catalog, cloud: Cloud, list: &PriceList) -> Result<(), CatalogError> {
        for disk in DiskType::ALL.into_iter().filter(|disk| disk.cloud() == cloud && !disk.has_tiers()) {
            let Some(rates) = list.rates(disk) else {
                self.unpriced_disks += 1;
                continue;
            };
            let provision = Provision::of(catalog, disk, rates)?;
            self.offers.push(Offer { disk, cacheable: false, law: Law::Provisioned(provision) });
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct CacheRules {
    per_vcpu: u64,
}

fn row_of(vm: &VmSize, list: &PriceList, credits: Credits, caches: CacheRules) -> Vm {
    let burst = |base: Option<u64>, burst: Option<u64>| match credits {
        Credits::Full => base.map(|base| base.max(burst.unwrap_or(base))),
        Credits::Spent => base,
    };
    let pair = |limits: Limits, most: Limits| {
        let bytes = burst(limits.bytes, most.bytes);
        // Where only a figure for each disk is documented, the VM has no limit on bytes.
        let bytes = bytes.or(vm.uncached_is.as_ref().map(|_| u64::MAX));
        burst(limits.ios, most.ios).zip(bytes).map(|(ios, bytes)| Pair { ios, bytes })
    };
    let v2_apart = vm.uncached_v2 != Limits::default();
    let plain = pair(vm.uncached, vm.uncached_burst);
    let v2 = Limits {
        ios: vm.uncached_v2.ios.or(vm.uncached.ios),
        bytes: vm.uncached_v2.bytes.or(vm.uncached.bytes),
    };
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
    Vm {
        name: vm.full_name(),
        cloud: vm.cloud,
        price: list.vm(&vm.name).map(|part| part.per_month.0),
        plain,
        v2: if v2_apart { pair(v2, vm.uncached_v2_burst) } else { plain },
        v2_apart,
        cache,
        // AWS counts the root volume.
        slots: vm.max_data_disks.map(|most| most.saturating_sub(u64::from(vm.cloud == Cloud::Aws))),
        premium: if vm.cloud == Cloud::Aws { Some(true) } else { vm.premium },
        vcpus: vm.vcpus_available,
        memory: vm.memory.map(|memory| memory.get()),
        arch: Arch::of(vm),
        previous: vm.is(SeriesKind::Previous),
        cpu_burstable: vm.is(SeriesKind::CpuBurstable),
    }
}
