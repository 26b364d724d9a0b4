//! Regions whose price lists are not whole.

use std::fmt;

use iobound_catalog::{Catalog, CatalogError, Cloud, DiskRates, DiskType, Era, Os, PriceList, Redundancy};

/// A region whose price list is not whole: what is cheapest there by the list may not be the cheapest that is sold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRegion {
    /// Its name.
    pub region: String,
    /// The default region of its cloud, whose list is whole.
    pub whole: &'static str,
    /// The tiers and types without a price: `P30`, `premiumv2`.
    pub missing: Vec<String>,
}

impl PartialRegion {
    /// Entries that a region's price list lacks beside the list of the default region of its cloud; `None`: nothing.
    pub(crate) fn of(
        catalog: &Catalog,
        cloud: Cloud,
        list: &PriceList,
        redundancy: Redundancy,
    ) -> Result<Option<PartialRegion>, CatalogError> {
        let region = cloud.rules().default_region;
        if list.region() == region {
            return Ok(None);
        }
        let whole = catalog.price_list(region, Os::Linux)?;
        let mut missing: Vec<String> = Vec::new();
        for tier in catalog.tiers()?.iter().filter(|tier| {
            tier.era == Era::current() && tier.disk.cloud() == cloud && tier.redundancy == redundancy
        }) {
            let has = |list: &PriceList| list.tier(tier.disk, &tier.name, redundancy).is_some();
            if has(&whole) && !has(list) && !missing.contains(&tier.name) {
                missing.push(tier.name.clone());
            }
        }
        let prices = |list: &PriceList, disk: DiskType| {
            let rates = list.rates(disk, redundancy);
            let of = |price: fn(&DiskRates) -> bool| rates.as_ref().is_some_and(price);
            [of(|_| true), of(|rates| rates.ios.is_some()), of(|rates| rates.megabyte.is_some())]
        };
        let lacks = |disk: &DiskType| {
            let pairs = prices(&whole, *disk).into_iter().zip(prices(list, *disk));
            pairs.into_iter().any(|(whole, own)| whole && !own)
        };
        missing.extend(DiskType::ALL.into_iter().filter(lacks).map(|disk| disk.word().to_string()));
        let is_partial = !missing.is_empty();
        Ok(is_partial.then(|| PartialRegion { region: list.region().to_string(), whole: region, missing }))
    }
}

/// A region without a price of any VM size or of any disk. Its text is the sentence for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpricedRegion {
    /// Region.
    pub region: String,
    /// True if prices of disks are known.
    pub has_disks: bool,
    /// True if prices of VM sizes are known.
    pub has_vms: bool,
    /// True if the prices that are asked for are of Windows, and those of Linux are known.
    pub has_linux: bool,
}

impl UnpricedRegion {
    pub(crate) fn of(catalog: &Catalog, list: &PriceList) -> Result<UnpricedRegion, CatalogError> {
        let region = list.region().to_string();
        let has_linux = list.os() == Os::Windows && catalog.price_list(&region, Os::Linux)?.has_vms();
        Ok(UnpricedRegion { region, has_disks: list.has_disks(), has_vms: list.has_vms(), has_linux })
    }
}

impl fmt::Display for UnpricedRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region = &self.region;
        if self.has_vms {
            write!(f, "no prices of disks are known for {region}, only prices of VM sizes")
        } else if self.has_linux {
            write!(f, "no Windows prices of VM sizes are known for {region}, only Linux prices")
        } else if self.has_disks {
            write!(f, "no prices of VM sizes are known for {region}, only prices of disks")
        } else {
            write!(f, "no prices are known for {region}")
        }
    }
}
