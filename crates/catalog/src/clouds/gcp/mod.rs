//! Google Cloud: Compute Engine, Persistent Disk and Hyperdisk.

mod build;
mod counts;
mod custom;
pub(super) mod disks;
mod guest;
mod import;
mod limiters;
mod listing;
mod local_ssd;
mod machines;
mod monitoring;
pub(crate) mod pooled;
mod resource;
mod series;
mod sizes;
pub(crate) mod tied;

use crate::clouds::cloud_rules::{CloudRules, Tables, VmColumns};
use crate::clouds::storage_class::StorageClassRules;
use crate::import::outcome::Listed;
use crate::table::csv;

pub(super) const RULES: CloudRules = CloudRules {
    name: "gcp",
    title: "Google",
    not_modelled: None,
    default_region: "us-central1",
    // `us-central1`: AWS has `us-east-1`, Azure no hyphen.
    names_region: |region| region.matches('-').count() == 1,
    one_zone: None,
    disk_examples: "pd-ssd@500GiB, hyperdisk-balanced@500GiB or another of Google's disks",
    // The boot disk is a disk like any other.
    os_disk_takes_a_slot: true,
    has_host_cache: false,
    bursts_in_every_era: false,
    derives_credits: false,
    sold_by_burst: None,
    fetches_snapshots: false,
    assumed_disk: None,
    // kubernetes-sigs/gcp-compute-persistent-disk-csi-driver, README.
    storage_class: Some(StorageClassRules {
        provisioners: &["pd.csi.storage.gke.io", "kubernetes.io/gce-pd"],
        kind: &["type"],
        default_kind: "pd-standard",
        iops: Some("provisioned-iops-on-create"),
        iops_per_gib: None,
        throughput: Some(("provisioned-throughput-on-create", "MiB/s")),
        cache: None,
    }),
    guest: guest::RULES,
    shows_figures: "gcloud compute disks describe: provisionedIops, provisionedThroughput",
    remote_limiter: limiters::MACHINE,
    remote_limiters: Some(limiters::remote_limiters),
    kind_limits: limiters::kind_limits,
    vm_scope: "gcp-vm",
    local_scope: "gcp-local",
    nvme_scope: "gcp-local",
    limits_local_disks: false,
    vm_columns: VmColumns {
        name: "machine_type",
        uncached: ["", ""],
        // An instance has no cache: there is one limit.
        cached: ["", ""],
        needed: &["max_disks"],
        sources: &[("", "source"), ("local_ssd", "local_ssd_source")],
        imported: sizes::LIMITS,
    },
    tables: Tables {
        vms: Some(csv!("gcp_machines.csv")),
        vm_eras: Some(csv!("gcp_machine_eras.csv")),
        crosscheck: None,
        tiers: None,
        vm_prices: Some(csv!("gcp_machine_prices.csv")),
        disk_prices: Some(csv!("gcp_disk_prices.csv")),
    },
    full_names: |name| vec![name.to_string()],
    made_row: custom::row,
    chosen_local: local_ssd::chosen,
    local_counts: local_ssd::counts,
    vm_of_row: sizes::of_row,
    more_figures: sizes::figures,
    published: sizes::published,
    series: |name| (name.split('-').next().unwrap_or_default().to_string(), None),
    machine_limits: machines::listed,
    reads: resource::listing,
    listing_names_region: true,
    listed: |listing| Listed { sizes: import::sizes(listing), prices: 0 },
    import: |file, _, rows, import| import::rows(file, rows, import),
    metrics: Some(&monitoring::METRICS),
    scripts: build::scripts,
    linux_disks: build::linux_disks,
    windows_disks: build::windows_disks,
    local_disks: build::local_disks,
    windows_local_disks: build::windows_local_disks,
};
