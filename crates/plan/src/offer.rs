//! A kind of disk, and the cheapest number and size of it that a volume can be made of.

use iobound_catalog::{Catalog, CatalogError, DiskRates, DiskTier, DiskType};

use crate::need::{Demand, UNIT};

/// A kind of disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its type.
    pub disk: DiskType,
    /// Whether it may have a host cache.
    pub cacheable: bool,
    /// Its figures and its price.
    pub law: Law,
}

/// How figures and price of a disk hang together.
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
        /// How its I/Os are billed, where they are.
        billing: Option<Billing>,
    },
    /// Chosen, or following from the size.
    Provisioned(Provision),
}

/// How the I/Os of a disk are billed.
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

    /// What a demand costs a month on so many disks, which share it evenly.
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
    /// What follows from what.
    pub kind: Kind,
    /// GiB, the least and the most.
    pub gib: [u64; 2],
    /// Units a second, the least (they come with it) and the most.
    pub ios: [u64; 2],
    /// Units a second that a GiB allows.
    pub ios_per_gib: u64,
    /// A disk of no more GiB than this has the least units only.
    pub no_more_up_to: u64,
    /// Bytes of a megabyte as the type counts them.
    pub megabyte: u64,
    /// Megabytes a second, the least and the most.
    pub megabytes: [u64; 2],
    /// Bytes a second that one unit a second allows.
    pub bytes_per_io: u64,
    /// Prices.
    pub rates: Rates,
}

/// What follows from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Size, units and bytes are chosen: Premium SSD v2, Ultra, gp3.
    Chosen,
    /// Bytes follow from units: io2; io1 has half its bytes up to 32,000 units and `above` bytes for each one beyond.
    FromIos {
        /// Up to how many units the price is known.
        priced: u64,
        /// For each unit where there are more than 32,000; `None`: one law for all.
        above: Option<u64>,
    },
    /// Units follow from the size, bytes step with it: gp2.
    FromSize {
        /// Megabytes a second up to 170 GiB.
        small: u64,
    },
    /// Bytes follow from the size, and each I/O is charged a whole MiB of them: st1, sc1.
    Streaming {
        /// Megabytes a second of a TiB.
        per_tib: u64,
    },
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
}

/// So many equal disks that meet a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// How many.
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
    /// The cheapest disks of this kind for each number up to `most` that meets a demand; of tiers only the least number, since
    /// more of the same cost more and give nothing that is needed.
    pub(crate) fn fits(&self, demand: &Demand, most: u64) -> Vec<Fit> {
        match &self.law {
            Law::Tier { .. } => self.least_of_tier(demand, most).into_iter().collect(),
            Law::Provisioned(provision) => {
                (1..=most).filter_map(|count| provision.fit(demand, count)).collect()
            }
        }
    }

    fn least_of_tier(&self, demand: &Demand, most: u64) -> Option<Fit> {
        let Law::Tier { gib, ios, bytes, price, billing, .. } = self.law else { return None };
        let enough = |count: u64| {
            count.saturating_mul(ios) >= units(demand, count)
                && count.saturating_mul(bytes) >= demand.bytes
                && count.saturating_mul(gib) >= demand.gib
        };
        let least = |need: u64, each: u64| if each == 0 { u64::MAX } else { need.div_ceil(each) };
        let on_a_stripe =
            least(demand.units[1], ios).max(least(demand.bytes, bytes)).max(least(demand.gib, gib)).max(2);
        let count = if enough(1) { 1 } else { on_a_stripe };
        if count > most {
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

impl Provision {
    /// Whether units are chosen when it is bought.
    pub fn has_own_ios(&self) -> bool {
        matches!(self.kind, Kind::Chosen | Kind::FromIos { .. })
    }

    /// Whether bytes are.
    pub fn has_own_bytes(&self) -> bool {
        self.kind == Kind::Chosen
    }

    /// The bounds and prices of a type.
    pub(crate) fn of(catalog: &Catalog, disk: DiskType, rates: DiskRates) -> Result<Provision, CatalogError> {
        let micro = |parameter: &str| catalog.rule_micro(disk.word(), parameter);
        let count = |parameter: &str| Ok::<u64, CatalogError>(micro(parameter)? / 1_000_000);
        let megabyte = if disk.uses_v2_limits() { 1_000_000 } else { 1 << 20 };
        let bytes = |parameter: &str| {
            Ok::<u64, CatalogError>((u128::from(micro(parameter)?) * u128::from(megabyte) / 1_000_000) as u64)
        };
        let mut provision = Provision {
            kind: Kind::Chosen,
            gib: [count("size_min")?, count("size_max")?],
            ios: [0, count("iops_max")?],
            ios_per_gib: 0,
            no_more_up_to: 0,
            megabyte,
            megabytes: [0, 0],
            bytes_per_io: 0,
            rates: Rates {
                gib: rates.gib.0,
                ios: rates.ios.map(|price| price.0),
                megabyte: rates.megabyte.map(|price| price.0),
                free_ios: rates.free_ios,
                free_megabytes: rates.free_megabytes,
            },
        };
        match disk {
            DiskType::PremiumV2 | DiskType::Ultra | DiskType::Gp3 => {
                let [ios, megabytes] = match disk {
                    DiskType::PremiumV2 => ["baseline_iops", "baseline_throughput"],
                    DiskType::Ultra => ["iops_min", "throughput_min"],
                    _ => ["iops_baseline", "throughput_baseline"],
                };
                provision.ios[0] = count(ios)?;
                provision.ios_per_gib = count("iops_per_gib_max")?;
                provision.no_more_up_to = if disk == DiskType::PremiumV2 { 6 } else { 0 };
                provision.megabytes = [count(megabytes)?, count("throughput_max")?];
                provision.bytes_per_io = bytes("throughput_per_iops_max")?;
            }
            DiskType::Io1 | DiskType::Io2 => {
                provision.ios[0] = count("iops_min")?;
                provision.ios_per_gib = count("iops_per_gib_max")?;
                provision.megabytes = [0, count("throughput_max")?];
                (provision.bytes_per_io, provision.kind) = if disk == DiskType::Io2 {
                    (bytes("throughput_per_iops_max")?, Kind::FromIos { priced: 32_000, above: None })
                } else {
                    let above = count("throughput_per_iops_above_32000")? << 10;
                    (
                        count("io_size_at_or_below_32000_iops")? << 10,
                        Kind::FromIos { priced: u64::MAX, above: Some(above) },
                    )
                };
            }
            DiskType::Gp2 => {
                provision.ios = [count("iops_min")?, count("iops_max")?];
                provision.ios_per_gib = count("iops_per_gib")?;
                provision.megabytes = [0, count("throughput_burst")?];
                provision.kind = Kind::FromSize { small: count("throughput_small")? };
            }
            _ => {
                provision.ios = [provision.ios[1]; 2];
                provision.megabytes = [0, count("throughput_max")?];
                provision.kind = Kind::Streaming { per_tib: count("throughput_baseline_per_tib")? };
            }
        }
        Ok(provision)
    }

    /// The cheapest of so many equal disks that meet a demand: each figure the least that is enough, which is possible
    /// for all of them at once since every bound is from below.
    pub(crate) fn fit(&self, demand: &Demand, count: u64) -> Option<Fit> {
        let ios = units(demand, count).div_ceil(count);
        let bytes = demand.bytes.div_ceil(count);
        self.at_least(count, [demand.gib.div_ceil(count), ios, bytes])
    }

    /// The cheapest of so many equal disks that have so many GiB, units and bytes each.
    pub(crate) fn at_least(&self, count: u64, [gib, ios, bytes]: [u64; 3]) -> Option<Fit> {
        let gib = gib.max(self.gib[0]);
        match self.kind {
            Kind::Chosen => self.chosen(count, gib, ios, bytes),
            Kind::FromIos { priced, above } => self.by_ios(count, [gib, ios, bytes], priced, above),
            Kind::FromSize { small } => self.by_size(count, [gib, ios, bytes], small),
            Kind::Streaming { per_tib } => self.streaming(count, gib, ios, per_tib),
        }
    }

    fn chosen(&self, count: u64, gib: u64, ios: u64, bytes: u64) -> Option<Fit> {
        let megabytes = bytes.div_ceil(self.megabyte).max(self.megabytes[0]);
        let bytes = megabytes.checked_mul(self.megabyte)?;
        let coming = self.ios[0];
        let for_bytes =
            if megabytes > self.megabytes[0] { bytes.div_ceil(self.bytes_per_io.max(1)) } else { 0 };
        let ios = ios.max(coming).max(for_bytes);
        let gib = if ios > coming {
            gib.max(ios.div_ceil(self.ios_per_gib.max(1))).max(self.no_more_up_to + 1)
        } else {
            gib
        };
        let sold = gib <= self.gib[1] && ios <= self.ios[1] && megabytes <= self.megabytes[1];
        let price = sold.then(|| self.price(gib, ios, megabytes)).flatten()?;
        Some(Fit { count, gib, ios, bytes, price: price.checked_mul(count)? })
    }

    fn by_ios(
        &self,
        count: u64,
        [gib, ios, bytes]: [u64; 3],
        priced: u64,
        above: Option<u64>,
    ) -> Option<Fit> {
        const STEP: u64 = 32_000;
        let most = self.megabytes[1].checked_mul(self.megabyte)?;
        let half = if above.is_some() { most / 2 } else { most };
        let for_bytes = match above {
            Some(each) if bytes > half => bytes.div_ceil(each.max(1)).max(STEP + 1),
            _ => bytes.div_ceil(self.bytes_per_io.max(1)),
        };
        let ios = ios.max(self.ios[0]).max(for_bytes);
        let bytes_of = match above {
            Some(each) if ios > STEP => ios.saturating_mul(each).min(most),
            _ => ios.saturating_mul(self.bytes_per_io).min(half),
        };
        let gib = gib.max(ios.div_ceil(self.ios_per_gib.max(1)));
        let sold = gib <= self.gib[1] && ios <= self.ios[1].min(priced) && bytes_of >= bytes;
        let price = sold.then(|| self.price(gib, ios, 0)).flatten()?;
        Some(Fit { count, gib, ios, bytes: bytes_of, price: price.checked_mul(count)? })
    }

    fn by_size(&self, count: u64, [gib, ios, bytes]: [u64; 3], small: u64) -> Option<Fit> {
        const SMALL_UP_TO: u64 = 170;
        let gib = if ios > self.ios[0] { gib.max(ios.div_ceil(self.ios_per_gib.max(1))) } else { gib };
        let gib = if bytes > small * self.megabyte { gib.max(SMALL_UP_TO + 1) } else { gib };
        let figures = (gib * self.ios_per_gib).clamp(self.ios[0], self.ios[1]);
        let megabytes = if gib <= SMALL_UP_TO { small } else { self.megabytes[1] };
        let of = megabytes * self.megabyte;
        let sold = gib <= self.gib[1] && ios <= figures && bytes <= of;
        let price = sold.then(|| gib.checked_mul(self.rates.gib)).flatten()?;
        Some(Fit { count, gib, ios: figures, bytes: of, price: price.checked_mul(count)? })
    }

    fn streaming(&self, count: u64, gib: u64, ios: u64, per_tib: u64) -> Option<Fit> {
        // A random I/O is charged a whole MiB; what follows on is merged, which is not counted on here.
        let asked = ios.checked_mul(1 << 20)?;
        let a_tib = per_tib.checked_mul(self.megabyte)?.max(1);
        let gib = gib.max((u128::from(asked) * 1_024).div_ceil(u128::from(a_tib)) as u64);
        let bytes = (a_tib.checked_mul(gib)? / 1_024).min(self.megabytes[1] * self.megabyte);
        let sold = gib <= self.gib[1] && ios <= self.ios[1] && asked <= bytes;
        let price = sold.then(|| gib.checked_mul(self.rates.gib)).flatten()?;
        Some(Fit { count, gib, ios: self.ios[1], bytes, price: price.checked_mul(count)? })
    }

    /// What one disk costs; `None` where a part of it has no known price.
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
