use iobound_catalog::{GcpLimit, Source};

use crate::listing::{Cell, Head, Listing};

const HEADS: [Head; 8] = [
    Head { key: "name", title: "machine" },
    Head { key: "type", title: "disk" },
    Head { key: "read_iops", title: "read IOPS" },
    Head { key: "read_bytes_per_s", title: "MB/s" },
    Head { key: "write_iops", title: "write IOPS" },
    Head { key: "write_bytes_per_s", title: "MB/s" },
    Head { key: "as_of", title: "as of" },
    Head { key: "source", title: "source" },
];

/// Google Cloud's machines with each type of disk.
pub fn gcp_listing(limits: &[GcpLimit]) -> Listing {
    let mut listing = Listing::new("machines", HEADS.to_vec());
    for limit in limits {
        let source = Source::of(&limit.source);
        listing.row(vec![
            Cell::Word(limit.machine()),
            Cell::Word(limit.disk.clone()),
            Cell::count(limit.read.ios),
            Cell::rate(limit.read.bytes),
            Cell::count(limit.write.ios),
            Cell::rate(limit.write.bytes),
            Cell::word(source.as_of.as_deref()),
            Cell::Word(source.key),
        ]);
    }
    listing.remark("listed, not modelled: `iobound predict` takes Azure's sizes and AWS's instances");
    listing
}
