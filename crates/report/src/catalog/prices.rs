use iobound_catalog::{Meter, PricePart, Source, VmSize};
use iobound_documents::{CatalogRows, DiskPriceRow, RegionRow, Usd, VmPriceRow};

use crate::listing::{Listing, ListingCell};

const OF_VMS: &[&str] = &["VM size", "vCPU", "IOPS", "USD a month", "check", "as of", "source"];
const OF_DISKS: &[&str] = &["disk", "type", "copies", "for", "unit", "USD", "as of", "source"];

/// The regions that have prices.
pub fn regions_listing(regions: &[String]) -> Listing {
    let rows = regions.iter().map(|region| RegionRow { region: region.clone() }).collect();
    let cells = |row: &RegionRow| vec![ListingCell::Word(row.region.clone())];
    let mut listing = Listing::new("regions", &["region"], rows, cells, CatalogRows::Regions);
    listing.remark("`iobound catalog prices --region REGION` lists its prices");
    listing
}

/// VM sizes and what they cost a month; `None`: no price is known.
pub fn vm_prices_listing(prices: &[(VmSize, Option<PricePart>)]) -> Listing {
    let rows = prices.iter().map(|(vm, price)| {
        let price = price.as_ref();
        let source = price.map(|price| Source::of(&price.source));
        VmPriceRow {
            name: vm.full_name(),
            vcpus: vm.vcpus_available,
            uncached_iops: vm.uncached.ios,
            usd_per_month: price.map(|price| Usd::of(price.per_month.as_f64())),
            check: price.and_then(|price| price.check.clone()),
            as_of: source.as_ref().and_then(|source| source.as_of.clone()),
            source: source.map(|source| source.key),
        }
    });
    let cells = |row: &VmPriceRow| {
        vec![
            ListingCell::Word(row.name.clone()),
            ListingCell::count(row.vcpus),
            ListingCell::count(row.uncached_iops),
            row.usd_per_month.map_or(ListingCell::Unknown, ListingCell::Money),
            ListingCell::word(row.check.as_deref()),
            ListingCell::word(row.as_of.as_deref()),
            ListingCell::word(row.source.as_deref()),
        ]
    };
    Listing::new("vm_prices", OF_VMS, rows.collect(), cells, CatalogRows::VmPrices)
}

/// Prices of disks: of one unit.
pub fn disk_prices_listing(meters: &[Meter]) -> Listing {
    let rows = meters.iter().map(|meter| {
        let source = Source::of(&meter.source);
        DiskPriceRow {
            name: meter.tier.clone().unwrap_or_else(|| meter.disk.word().into()),
            disk: meter.disk.title().into(),
            redundancy: meter.redundancy.clone().unwrap_or_else(|| "-".into()),
            meter: meter.meter.clone(),
            unit: meter.unit.clone(),
            usd: Usd::of(meter.price.as_f64()),
            as_of: source.as_of,
            source: source.key,
        }
    });
    let cells = |row: &DiskPriceRow| {
        vec![
            ListingCell::Word(row.name.clone()),
            ListingCell::Word(row.disk.clone()),
            ListingCell::Word(row.redundancy.clone()),
            ListingCell::Word(row.meter.clone()),
            ListingCell::Word(row.unit.clone()),
            ListingCell::UnitPrice(row.usd),
            ListingCell::word(row.as_of.as_deref()),
            ListingCell::Word(row.source.clone()),
        ]
    };
    Listing::new("disk_prices", OF_DISKS, rows.collect(), cells, CatalogRows::DiskPrices).wrapping("for")
}
