//! A kind of disk, and the cheapest number and size of it that a volume can be made of.

use iobound_catalog::{
    Bounds, ByIos, BySize, Catalog, CatalogError, Chosen, DiskRates, DiskTier, DiskType, Performance,
    PerformanceSetting, Streaming,
};

use crate::need::{Demand, UNIT};

/// A kind of disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its type.
    pub disk: DiskType,
    /// True if it may have a host cache.
    pub cacheable: bool,
    /// Its figures and its price.
    pub law: Law,
}

/// Relation between figures and price of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// All of it comes with the tier.
    Tier {
        /// `P30`.
        name: String,
        /// Its size.
        gib: u64,
        /// Units a second.
        ios: u64,
        /// Bytes a second.
        bytes: u64,
        /// A month, in billionths of a dollar.
        price: u64,
        /// Billing of its I/Os, if they are billed.
        billing: Option<Billing>,
    },
    /// Chosen, or following from the size.
    Provisioned(Provision),
}

/// Billing of a disk's I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Billing {
    /// A million of them, in billionths of a dollar.
    pub per_million: u64,
    /// Bytes that are billed as one; of 256 KiB it is the unit of the limits.
    pub unit: u64,
    /// No I/O is billed as more than this.
    pub most_an_io: u64,
    /// No more of one disk are billed in an hour; `None`: no such number is known.
    pub most_an_hour: Option<u64>,
}

impl Billing {
    /// The seller's rules for a tier: `billed_per_hour_S4`, `billed_unit_kib_S4`, `billed_most_an_io_S70`.
    pub(crate) fn of(catalog: &Catalog, tier: &DiskTier, per_million: u64) -> Result<Billing, CatalogError> {
        let rule = |what: &str| {
            let micro = catalog.rule_micro_if(tier.disk.word(), &format!("{what}_{}", tier.name))?;
            Ok::<Option<u64>, CatalogError>(micro.map(|micro| micro / 1_000_000))
        };
        Ok(Billing {
            per_million,
            unit: rule("billed_unit_kib")?.map_or(UNIT, |kib| kib.saturating_mul(1_024)).max(1),
            most_an_io: rule("billed_most_an_io")?.unwrap_or(u64::MAX),
            most_an_hour: rule("billed_per_hour")?,
        })
    }

    /// Cost of a demand a month on so many disks, which share it evenly.
    pub(crate) fn month(&self, demand: &Demand, count: u64) -> u64 {
        const HOURS: u128 = 730;
        let a_second = if self.unit == UNIT {
            demand.billed[usize::from(count > 1)]
        } else {
            let each = u64::from(demand.block).div_ceil(self.unit).min(self.most_an_io);
            demand.billed[0].saturating_mul(each)
        };
        let an_hour = u128::from(a_second) * 3_600;
        let most = self.most_an_hour.map_or(u128::MAX, |most| u128::from(most) * u128::from(count));
        let month = an_hour.min(most) * HOURS * u128::from(self.per_million);
        u64::try_from(month.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A type whose figures are chosen within bounds, or follow from its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provision {
    /// Figures that may be chosen, and figures that follow from others.
    pub bounds: Bounds,
    /// Prices.
    pub rates: Rates,
}

/// Prices of a month in billionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// A GiB.
    pub gib: u64,
    /// A unit a second above the free ones; `None` is unknown.
    pub ios: Option<u64>,
    /// A megabyte a second above the free ones; `None` is unknown.
    pub megabyte: Option<u64>,
    /// Units that come with the disk.
    pub free_ios: u64,
    /// Megabytes a second that come with it.
    pub free_megabytes: u64,
    /// Units up to which their price is known.
    pub priced_ios: u64,
}

impl From<DiskRates> for Rates {
    fn from(rates: DiskRates) -> Rates {
        Rates {
            gib: rates.gib.0,
            ios: rates.ios.map(|price| price.0),
            megabyte: rates.megabyte.map(|price| price.0),
            free_ios: rates.free_ios,
            free_megabytes: rates.free_megabytes,
            priced_ios: rates.priced_ios,
        }
    }
}

/// Equal disks, with their number, that meet a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Their number.
    pub count: u64,
    /// GiB of each.
    pub gib: u64,
    /// Units a second of each.
    pub ios: u64,
    /// Bytes a second of each.
    pub bytes: u64,
    /// All of them for a month, in billionths of a dollar.
    pub price: u64,
}

impl Offer {
    /// True if it is a disk with performance plus, which is chosen when the disk is created.
    pub fn has_performance_plus(&self) -> bool {
        let Law::Tier { name, .. } = &self.law else { return false };
        name.ends_with(&PerformanceSetting::Plus.suffix())
    }

    /// The cheapest disks of this kind for each number up to `most` that meets a demand; of tiers only the least number, since
    /// more of the same cost more and give nothing that is needed.
    pub(crate) fn fits(&self, demand: &Demand, most: u64) -> Vec<Fit> {
        let demand = &self.demand(demand);
        match &self.law {
            Law::Tier { .. } => self.least_of_tier(demand, most).into_iter().collect(),
            Law::Provisioned(provision) => {
                (1..=most).filter_map(|count| provision.fit(demand, count)).collect()
            }
        }
    }

    /// A demand as the kind's limits count it: where reads and writes do not share the throughput, the larger of the two counts, and a
    /// pool may count an I/O of one direction more than once.
    pub(crate) fn demand(&self, demand: &Demand) -> Demand {
        let mut demand = *demand;
        if !self.disk.kind().half_duplex {
            demand.bytes = demand.parts(demand.bytes).into_iter().max().unwrap_or(0);
        }
        if let Law::Provisioned(Provision {
            bounds: Bounds { performance: Performance::Pooled(of), .. },
            ..
        }) = &self.law
        {
            demand.units = demand.units.map(|units| of.taken(demand.parts(units)));
        }
        demand
    }

    fn least_of_tier(&self, demand: &Demand, most: u64) -> Option<Fit> {
        let Law::Tier { gib, ios, bytes, .. } = self.law else { return None };
        let least = |need: u64, each: u64| if each == 0 { u64::MAX } else { need.div_ceil(each) };
        let on_a_stripe =
            least(demand.units[1], ios).max(least(demand.bytes, bytes)).max(least(demand.gib, gib)).max(2);
        self.tiers(demand, 1).or_else(|| self.tiers(demand, on_a_stripe)).filter(|fit| fit.count <= most)
    }

    /// The given number of disks of this tier, where they meet a demand.
    pub(crate) fn tiers(&self, demand: &Demand, count: u64) -> Option<Fit> {
        let Law::Tier { gib, ios, bytes, price, billing, .. } = self.law else { return None };
        let is_enough = count.saturating_mul(ios) >= units(demand, count)
            && count.saturating_mul(bytes) >= demand.bytes
            && count.saturating_mul(gib) >= demand.gib;
        if !is_enough {
            return None;
        }
        let operations = billing.map_or(0, |billing| billing.month(demand, count));
        Some(Fit { count, gib, ios, bytes, price: price.saturating_mul(count).saturating_add(operations) })
    }
}

/// The units that a demand is charged on so many disks.
pub(crate) fn units(demand: &Demand, count: u64) -> u64 {
    demand.units[usize::from(count > 1)]
}

/// GiB, units and bytes of one disk.
type Figures = [u64; 3];

impl Provision {
    /// The cheapest of so many equal disks that meet a demand: each figure the least that is enough, which is possible
    /// for all of them at once since every bound is from below.
    pub(crate) fn fit(&self, demand: &Demand, count: u64) -> Option<Fit> {
        let ios = units(demand, count).div_ceil(count);
        let bytes = demand.bytes.div_ceil(count);
        self.at_least(count, [demand.gib.div_ceil(count), ios, bytes])
    }

    /// The cheapest of so many equal disks that have so many GiB, units and bytes each.
    pub(crate) fn at_least(&self, count: u64, [gib, ios, bytes]: [u64; 3]) -> Option<Fit> {
        let gib = gib.max(self.bounds.gib[0]);
        let [gib, ios, bytes] = match &self.bounds.performance {
            Performance::Chosen(of) => self.chosen(of, gib, ios, bytes),
            Performance::ByIos(of) => self.by_ios(of, gib, ios, bytes),
            Performance::BySize(of) => self.by_size(of, gib, ios, bytes),
            Performance::Streaming(of) => self.streaming(of, gib, ios),
            Performance::Tied(of) => of.at_least([gib, ios, bytes]),
            Performance::Pooled(of) => {
                let all = of.gib_for([ios, bytes].map(|of| of.saturating_mul(count)));
                let gib = gib.max(all.div_ceil(count));
                let [ios, bytes] = of.most(gib.saturating_mul(count)).map(|of| of / count);
                Some([gib, ios, bytes])
            }
        }?;
        if gib > self.bounds.gib[1] {
            return None;
        }
        let own = |has: bool, amount: u64| if has { amount } else { 0 };
        let megabytes = own(self.bounds.has_own_bytes(), bytes / self.bounds.megabyte);
        let price = self.price(gib, own(self.bounds.has_own_ios(), ios), megabytes)?;
        Some(Fit { count, gib, ios, bytes, price: price.checked_mul(count)? })
    }

    fn chosen(&self, of: &Chosen, gib: u64, ios: u64, bytes: u64) -> Option<Figures> {
        let megabyte = self.bounds.megabyte;
        let bytes = bytes.max(of.bytes[0]).div_ceil(megabyte).checked_mul(megabyte)?;
        let for_bytes = if bytes > of.bytes[0] { bytes.div_ceil(of.bytes_per_io.max(1)) } else { 0 };
        let [coming, most] = of.ios;
        let ios = ios.max(coming).max(for_bytes);
        let gib = if ios > coming {
            gib.max(ios.div_ceil(of.ios_per_gib.max(1))).max(of.least_up_to_gib + 1)
        } else {
            gib
        };
        let is_sold = ios <= most && bytes <= of.bytes[1];
        is_sold.then_some([gib, ios, bytes])
    }

    fn by_ios(&self, of: &ByIos, gib: u64, ios: u64, bytes: u64) -> Option<Figures> {
        let ios = ios.max(of.ios[0]).max(of.ios_for(bytes));
        let gib = gib.max(ios.div_ceil(of.ios_per_gib.max(1)));
        let moved = of.bytes(ios);
        let is_sold = ios <= of.ios[1].min(self.rates.priced_ios) && moved >= bytes;
        is_sold.then_some([gib, ios, moved])
    }

    fn by_size(&self, of: &BySize, gib: u64, ios: u64, bytes: u64) -> Option<Figures> {
        let [least, most] = of.ios;
        let gib = if ios > least { gib.max(ios.div_ceil(of.ios_per_gib.max(1))) } else { gib };
        let gib = if bytes > of.bytes[0] { gib.max(of.small_up_to_gib + 1) } else { gib };
        let figure = gib.saturating_mul(of.ios_per_gib).clamp(least, most);
        let moved = of.bytes[usize::from(gib > of.small_up_to_gib)];
        let is_sold = ios <= figure && bytes <= moved;
        is_sold.then_some([gib, figure, moved])
    }

    fn streaming(&self, of: &Streaming, gib: u64, ios: u64) -> Option<Figures> {
        // A random I/O is charged a whole MiB; what follows on is merged, which is not counted on here.
        let asked = ios.checked_mul(1 << 20)?;
        let a_tib = of.per_tib[0].max(1);
        let gib = gib.max((u128::from(asked) * 1_024).div_ceil(u128::from(a_tib)) as u64);
        let bytes = (a_tib.checked_mul(gib)? / 1_024).min(of.most);
        let is_sold = ios <= of.ios && asked <= bytes;
        is_sold.then_some([gib, of.ios, bytes])
    }

    /// Cost of one disk; `None` where a part of it has no known price.
    fn price(&self, gib: u64, ios: u64, megabytes: u64) -> Option<u64> {
        let part = |amount: u64, rate: Option<u64>| match (amount, rate) {
            (0, _) => Some(0),
            (amount, Some(rate)) => amount.checked_mul(rate),
            (_, None) => None,
        };
        let ios = part(ios.saturating_sub(self.rates.free_ios), self.rates.ios)?;
        let megabytes = part(megabytes.saturating_sub(self.rates.free_megabytes), self.rates.megabyte)?;
        gib.checked_mul(self.rates.gib)?.checked_add(ios)?.checked_add(megabytes)
    }
}
