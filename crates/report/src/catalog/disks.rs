use iobound_catalog::{DiskTier, DiskType};

use crate::listing::{Cell, Head, Listing};

const HEADS: [Head; 12] = [
    Head { key: "name", title: "disk" },
    Head { key: "type", title: "type" },
    Head { key: "max_size_bytes", title: "GiB" },
    Head { key: "iops", title: "IOPS" },
    Head { key: "bytes_per_s", title: "MB/s" },
    Head { key: "burst_iops", title: "burst" },
    Head { key: "burst_bytes_per_s", title: "MB/s" },
    Head { key: "enforced_bytes_per_s", title: "enforced" },
    Head { key: "redundancy", title: "copies" },
    Head { key: "era", title: "era" },
    Head { key: "cloud", title: "cloud" },
    Head { key: "source", title: "source" },
];

/// Disks by tier, and the types that are provisioned.
pub fn disks_listing(tiers: &[DiskTier], provisioned: &[DiskType]) -> Listing {
    let mut listing = Listing::new("disks", HEADS.to_vec());
    let burst = |figure: Option<u64>, cell: fn(u64) -> Cell| figure.map_or(Cell::Absent, cell);
    for tier in tiers {
        listing.row(vec![
            Cell::Word(tier.name.clone()),
            Cell::Word(tier.disk.title().into()),
            Cell::Size(tier.max_size),
            Cell::count(tier.ios),
            Cell::rate(tier.bytes),
            burst(tier.burst.0, Cell::Count),
            burst(tier.burst.1, Cell::Rate),
            burst(tier.enforced_bytes.as_ref().map(|(bytes, _)| *bytes), Cell::Rate),
            Cell::Word(tier.redundancy.name().into()),
            Cell::Word(tier.era.name().into()),
            Cell::Word(tier.disk.cloud().name().into()),
            Cell::Word(tier.source.clone()),
        ]);
    }
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
