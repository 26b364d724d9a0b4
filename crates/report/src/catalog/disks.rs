use iobound_catalog::{DiskTier, DiskType};
use iobound_documents::{CatalogRows, DiskRow};
use iobound_units::Bytes;

use crate::listing::{Listing, ListingCell};

const TITLES: &[&str] =
    &["disk", "type", "GiB", "IOPS", "MB/s", "burst", "MB/s", "enforced", "copies", "era", "cloud", "source"];

/// Disks by tier, and the types that are provisioned.
pub fn disks_listing(tiers: &[DiskTier], provisioned: &[DiskType]) -> Listing {
    let rows: Vec<DiskRow> = tiers.iter().map(row).collect();
    let mut listing = Listing::new("disks", TITLES, rows, cells, CatalogRows::Disks);
    if !provisioned.is_empty() {
        let words: Vec<&str> = provisioned.iter().map(|disk| disk.word()).collect();
        listing.remark(format!(
            "by size or provisioned, not in tiers: {} (`iobound catalog show {}`)",
            words.join(", "),
            words[0]
        ));
    }
    listing
}

fn row(tier: &DiskTier) -> DiskRow {
    DiskRow {
        name: tier.name.clone(),
        disk: tier.disk.title().into(),
        max_size_bytes: tier.max_size.get(),
        iops: tier.ios,
        bytes_per_s: tier.bytes,
        burst_iops: tier.burst.0,
        burst_bytes_per_s: tier.burst.1,
        enforced_bytes_per_s: tier.enforced_bytes.as_ref().map(|(bytes, _)| *bytes),
        redundancy: tier.redundancy.name().into(),
        era: tier.era.name().into(),
        cloud: tier.disk.cloud().name().into(),
        source: tier.source.clone(),
    }
}

fn cells(row: &DiskRow) -> Vec<ListingCell> {
    let burst = |figure: Option<u64>, cell: fn(u64) -> ListingCell| figure.map_or(ListingCell::Absent, cell);
    vec![
        ListingCell::Word(row.name.clone()),
        ListingCell::Word(row.disk.clone()),
        ListingCell::Size(Bytes(row.max_size_bytes)),
        ListingCell::count(row.iops),
        ListingCell::rate(row.bytes_per_s),
        burst(row.burst_iops, ListingCell::Count),
        burst(row.burst_bytes_per_s, ListingCell::Rate),
        burst(row.enforced_bytes_per_s, ListingCell::Rate),
        ListingCell::Word(row.redundancy.clone()),
        ListingCell::Word(row.era.clone()),
        ListingCell::Word(row.cloud.clone()),
        ListingCell::Word(row.source.clone()),
    ]
}
