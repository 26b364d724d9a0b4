use iobound_catalog::{Meter, PricePart, Source, VmSize};

use crate::listing::{Cell, Head, Listing};

const fn head(key: &'static str, title: &'static str) -> Head {
    Head { key, title }
}

/// The regions that have prices.
pub fn regions_listing(regions: &[String]) -> Listing {
    let mut listing = Listing::new("regions", vec![head("region", "region")]);
    for region in regions {
        listing.row(vec![Cell::Word(region.clone())]);
    }
    listing.remark("`iobound catalog prices --region REGION` lists its prices");
    listing
}

/// VM sizes and what they cost a month; `None`: no price is known.
pub fn vm_prices_listing(prices: &[(VmSize, Option<PricePart>)]) -> Listing {
    let heads = vec![
        head("name", "VM size"),
        head("vcpus", "vCPU"),
        head("uncached_iops", "IOPS"),
        head("usd_per_month", "USD a month"),
        head("check", "check"),
        head("as_of", "as of"),
        head("source", "source"),
    ];
    let mut listing = Listing::new("vm_prices", heads);
    for (vm, price) in prices {
        let price = price.as_ref();
        let source = price.map(|price| Source::of(&price.source));
        listing.row(vec![
            Cell::Word(vm.name.clone()),
            Cell::count(vm.vcpus_available),
            Cell::count(vm.uncached.ios),
            price.map_or(Cell::Unknown, |price| Cell::Money(price.per_month.as_f64())),
            Cell::word(price.and_then(|price| price.check.as_deref())),
            Cell::word(source.as_ref().and_then(|source| source.as_of.as_deref())),
            Cell::word(source.as_ref().map(|source| source.key.as_str())),
        ]);
    }
    listing
}

/// Cost of disks, as it is billed.
pub fn disk_prices_listing(meters: &[Meter]) -> Listing {
    let heads = vec![
        head("name", "disk"),
        head("type", "type"),
        head("redundancy", "copies"),
        head("meter", "for"),
        head("unit", "unit"),
        head("usd", "USD a month"),
        head("as_of", "as of"),
        head("source", "source"),
    ];
    let mut listing = Listing::new("disk_prices", heads);
    for meter in meters {
        let source = Source::of(&meter.source);
        listing.row(vec![
            Cell::Word(meter.tier.clone().unwrap_or_else(|| meter.disk.word().into())),
            Cell::Word(meter.disk.title().into()),
            meter.redundancy.as_deref().map_or(Cell::Word("-".into()), |word| Cell::Word(word.into())),
            Cell::Word(meter.meter.clone()),
            Cell::Word(meter.unit.clone()),
            Cell::Money(meter.price.as_f64()),
            Cell::word(source.as_of.as_deref()),
            Cell::Word(source.key),
        ]);
    }
    listing
}
