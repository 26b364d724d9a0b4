//! Microsoft Azure.

mod build;
pub(super) mod disks;
pub(super) mod guest;
mod import_prices;
mod import_sizes;
mod monitoring;
mod sizes;

use crate::clouds::cloud_rules::{CloudRules, Tables, VmColumns};
use crate::clouds::storage_class::StorageClassRules;
use crate::configuration::CacheSetting;
use crate::import::outcome::Listed;
use crate::table::csv;

pub(super) const RULES: CloudRules = CloudRules {
    name: "azure",
    title: "Azure",
    not_modelled: None,
    default_region: "westeurope",
    names_region: |region| !region.contains('-'),
    one_zone: None,
    disk_examples: "P30, premiumv2@1TiB or another of Azure's disks",
    os_disk_takes_a_slot: false,
    has_host_cache: true,
    bursts_in_every_era: false,
    derives_credits: true,
    sold_by_burst: None,
    fetches_snapshots: false,
    assumed_disk: None,
    // kubernetes-sigs/azuredisk-csi-driver, docs/driver-parameters.md.
    storage_class: Some(StorageClassRules {
        provisioners: &["disk.csi.azure.com", "kubernetes.io/azure-disk"],
        kind: &["skuName", "storageAccountType"],
        default_kind: "StandardSSD_LRS",
        iops: Some("DiskIOPSReadWrite"),
        iops_per_gib: None,
        throughput: Some(("DiskMBpsReadWrite", "MB/s")),
        cache: Some(("cachingMode", CacheSetting::ReadOnly)),
    }),
    guest: guest::RULES,
    shows_figures: "az disk show: diskIOPSReadWrite, diskMBpsReadWrite",
    remote_limiter: "vm.uncached",
    remote_limiters: None,
    vm_scope: "azure-vm",
    local_scope: "azure-vm-cached",
    nvme_scope: "azure-nvme",
    limits_local_disks: true,
    vm_columns: VmColumns {
        name: "name",
        uncached: ["uncached_iops", "uncached_mbps"],
        cached: ["cached_iops", "cached_mbps"],
        needed: &[
            "max_data_disks",
            "premium_io",
            "uncached_iops",
            "uncached_mbps",
            "cached_iops",
            "cached_mbps",
            "cache_size_gib",
        ],
        sources: &[("", "limits_source"), ("", "basics_source")],
        imported: &[
            "listed_in",
            "restricted_in",
            "zones_in",
            "disk_controllers",
            "hyperv_generations",
            "encryption_at_host",
        ],
    },
    tables: Tables {
        vms: Some(csv!("azure_vm_sizes.csv")),
        vm_eras: Some(csv!("azure_vm_eras.csv")),
        crosscheck: Some(csv!("azure_crosscheck.csv")),
        tiers: Some(csv!("azure_disks.csv")),
        vm_prices: Some(csv!("azure_vm_prices.csv")),
        disk_prices: Some(csv!("azure_disk_prices.csv")),
    },
    full_names: |name| vec![name.to_string(), format!("Standard_{name}")],
    made_row: |_| Ok(None),
    chosen_local: |_, _| Ok(None),
    local_counts: |_| Ok(Vec::new()),
    kind_limits: |_, _, _, _| Ok(Vec::new()),
    vm_of_row: sizes::of_row,
    more_figures: |_| Vec::new(),
    published: |_| None,
    series: sizes::series,
    machine_limits: |_| Ok(Vec::new()),
    reads: |_| None,
    listing_names_region: true,
    listed: |listing| Listed { sizes: listing.azure_sizes.len(), prices: listing.azure_prices.len() },
    import: |file, before, rows, import| {
        import_sizes::rows(file, before, rows, import)?;
        import_prices::rows(file, rows, import)
    },
    metrics: Some(&monitoring::METRICS),
    scripts: build::scripts,
    linux_disks: build::linux_disks,
    windows_disks: build::windows_disks,
    local_disks: build::local_disks,
    windows_local_disks: build::windows_local_disks,
};
