use iobound_catalog::VmSize;

use crate::listing::{Cell, Head, Listing};

const HEADS: [Head; 12] = [
    Head { key: "name", title: "VM size" },
    Head { key: "vcpus", title: "vCPU" },
    Head { key: "memory_bytes", title: "GiB" },
    Head { key: "max_data_disks", title: "disks" },
    Head { key: "uncached_iops", title: "IOPS" },
    Head { key: "uncached_bytes_per_s", title: "MB/s" },
    Head { key: "cached_iops", title: "cached" },
    Head { key: "cached_bytes_per_s", title: "MB/s" },
    Head { key: "cache_bytes", title: "cache" },
    Head { key: "premium", title: "premium" },
    Head { key: "cloud", title: "cloud" },
    Head { key: "source", title: "source" },
];

/// VM sizes with their limits.
pub fn vms_listing(sizes: &[VmSize]) -> Listing {
    let mut listing = Listing::new("vms", HEADS.to_vec());
    for vm in sizes {
        // A size without host cache has no cached limit: that is known.
        let none = vm.host_cache == Some(false);
        let cached = |cell: Cell| if none { Cell::Absent } else { cell };
        listing.row(vec![
            Cell::Word(vm.full_name()),
            Cell::count(vm.vcpus_available),
            Cell::size(vm.memory),
            Cell::count(vm.max_data_disks),
            Cell::count(vm.uncached.ios),
            Cell::rate(vm.uncached.bytes),
            cached(Cell::count(vm.cached.ios)),
            cached(Cell::rate(vm.cached.bytes)),
            cached(Cell::size(vm.cache_size)),
            Cell::flag(vm.premium),
            Cell::Word(vm.cloud.name().into()),
            Cell::word(vm.limits_source.as_deref()),
        ]);
    }
    let unknown = sizes.iter().filter(|vm| !vm.uncached.known()).count();
    if unknown > 0 {
        listing.remark(format!("{unknown} of {} sizes: limits unknown", sizes.len()));
    }
    listing
}
