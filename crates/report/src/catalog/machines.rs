use iobound_catalog::{MachineLimit, Source};
use iobound_documents::{CatalogRows, MachineRow};

use crate::listing::{Listing, ListingCell};

const TITLES: &[&str] = &["machine", "disk", "read IOPS", "MB/s", "write IOPS", "MB/s", "as of", "source"];

/// Limits of machines with each type of disk.
pub fn machine_limits_listing(limits: &[MachineLimit]) -> Listing {
    let mut listing = machines_listing(limits.iter().map(row).collect());
    listing.remark(
        "limits of a machine on all disks of a type: `iobound catalog show NAME` shows a machine type",
    );
    listing
}

pub(crate) fn machines_listing(rows: Vec<MachineRow>) -> Listing {
    Listing::new("machines", TITLES, rows, cells, CatalogRows::Machines)
}

fn row(limit: &MachineLimit) -> MachineRow {
    let source = Source::of(&limit.source);
    MachineRow {
        name: limit.machine.clone(),
        disk: limit.disk.clone(),
        read_iops: limit.read.ios,
        read_bytes_per_s: limit.read.bytes,
        write_iops: limit.write.ios,
        write_bytes_per_s: limit.write.bytes,
        as_of: source.as_of,
        source: source.key,
    }
}

fn cells(row: &MachineRow) -> Vec<ListingCell> {
    vec![
        ListingCell::Word(row.name.clone()),
        ListingCell::Word(row.disk.clone()),
        ListingCell::count(row.read_iops),
        ListingCell::rate(row.read_bytes_per_s),
        ListingCell::count(row.write_iops),
        ListingCell::rate(row.write_bytes_per_s),
        ListingCell::word(row.as_of.as_deref()),
        ListingCell::Word(row.source.clone()),
    ]
}
