use iobound_catalog::VmSize;
use iobound_documents::{CatalogRows, VmRow};

use crate::listing::{Listing, ListingCell};

const TITLES: &[&str] = &[
    "VM size", "vCPU", "GiB", "disks", "IOPS", "MB/s", "cached", "MB/s", "cache", "premium", "cloud",
    "source",
];

/// VM sizes with their limits.
pub fn vms_listing(sizes: &[VmSize]) -> Listing {
    let rows: Vec<VmRow> = sizes.iter().map(row).collect();
    let mut listing = Listing::new("vms", TITLES, rows, cells, CatalogRows::Vms);
    let unknown = sizes.iter().filter(|vm| !vm.uncached.known()).count();
    if unknown > 0 {
        listing.remark(format!("{unknown} of {} sizes: limits unknown", sizes.len()));
    }
    listing
}

fn row(vm: &VmSize) -> VmRow {
    let has_no_cache = vm.host_cache == Some(false);
    let cached = |figure: Option<u64>| figure.filter(|_| !has_no_cache);
    VmRow {
        name: vm.full_name(),
        vcpus: vm.vcpus_available,
        memory_bytes: vm.memory.map(|memory| memory.get()),
        max_data_disks: vm.max_data_disks,
        uncached_iops: vm.uncached.ios,
        uncached_bytes_per_s: vm.uncached.bytes,
        cached_iops: cached(vm.cached.ios),
        cached_bytes_per_s: cached(vm.cached.bytes),
        cache_bytes: cached(vm.cache_size.map(|size| size.get())),
        premium: vm.premium,
        cloud: vm.cloud.name().into(),
        source: vm.limits_source.clone(),
        has_no_cache,
    }
}

fn cells(row: &VmRow) -> Vec<ListingCell> {
    let cached = |cell: ListingCell| if row.has_no_cache { ListingCell::Absent } else { cell };
    vec![
        ListingCell::Word(row.name.clone()),
        ListingCell::count(row.vcpus),
        ListingCell::size(row.memory_bytes),
        ListingCell::count(row.max_data_disks),
        ListingCell::count(row.uncached_iops),
        ListingCell::rate(row.uncached_bytes_per_s),
        cached(ListingCell::count(row.cached_iops)),
        cached(ListingCell::rate(row.cached_bytes_per_s)),
        cached(ListingCell::size(row.cache_bytes)),
        ListingCell::flag(row.premium),
        ListingCell::Word(row.cloud.clone()),
        ListingCell::word(row.source.as_deref()),
    ]
}
