//! Amazon Web Services: EC2 and EBS.

mod build;
pub(super) mod disks;
mod guest;
mod import;
mod monitoring;
mod sizes;

use crate::clouds::cloud_rules::{CloudRules, Tables, VmColumns};
use crate::clouds::names::DiskType;
use crate::clouds::storage_class::StorageClassRules;
use crate::import::outcome::Listed;
use crate::table::csv;

pub(super) const RULES: CloudRules = CloudRules {
    name: "aws",
    title: "AWS",
    not_modelled: None,
    default_region: "us-east-1",
    names_region: |region| region.matches('-').count() > 1,
    one_zone: Some("EBS volumes are in one zone"),
    disk_examples: "gp3@500GiB or another of EBS's volumes",
    // The root volume is an attachment like any other.
    os_disk_takes_a_slot: true,
    has_host_cache: false,
    bursts_in_every_era: true,
    derives_credits: false,
    sold_by_burst: Some("30 minutes in 24 hours, by AWS's documentation"),
    fetches_snapshots: true,
    assumed_disk: Some(DiskType::Gp3),
    // kubernetes-sigs/aws-ebs-csi-driver, docs/parameters.md.
    storage_class: Some(StorageClassRules {
        provisioners: &["ebs.csi.aws.com", "kubernetes.io/aws-ebs"],
        kind: &["type"],
        default_kind: "gp3",
        iops: Some("iops"),
        iops_per_gib: Some(["iopsPerGB", "allowAutoIOPSPerGBIncrease"]),
        throughput: Some(("throughput", "MiB/s")),
        cache: None,
    }),
    guest: guest::RULES,
    shows_figures: "aws ec2 describe-volumes: Iops, Throughput",
    remote_limiter: "vm.ebs",
    remote_limiters: None,
    vm_scope: "aws-vm",
    local_scope: "aws-local",
    nvme_scope: "aws-local",
    limits_local_disks: false,
    vm_columns: VmColumns {
        name: "instance_type",
        uncached: sizes::UNCACHED,
        // An instance has no cache: there is one limit.
        cached: sizes::UNCACHED,
        needed: &[
            "max_ebs_attachments",
            "ebs_baseline_iops",
            "ebs_baseline_bandwidth_mbit",
            "ebs_max_iops",
            "ebs_max_bandwidth_mbit",
        ],
        sources: &[("", "source"), ("nvme_", "nvme_source")],
        imported: &["listed_in", "restricted_in", "burstable"],
    },
    tables: Tables {
        vms: Some(csv!("aws_instances.csv")),
        vm_eras: None,
        crosscheck: None,
        tiers: None,
        vm_prices: Some(csv!("aws_instance_prices.csv")),
        disk_prices: Some(csv!("aws_volume_prices.csv")),
    },
    full_names: |name| vec![name.to_string()],
    made_row: |_| Ok(None),
    chosen_local: |_, _| Ok(None),
    local_counts: |_| Ok(Vec::new()),
    kind_limits: |_, _, _, _| Ok(Vec::new()),
    vm_of_row: sizes::of_row,
    more_figures: |_| Vec::new(),
    published: |_| None,
    series: |name| (name.split('.').next().unwrap_or_default().to_string(), None),
    machine_limits: |_| Ok(Vec::new()),
    reads: |_| None,
    listing_names_region: false,
    listed: |listing| Listed { sizes: listing.aws_types.len(), prices: 0 },
    import: |file, _, rows, import| {
        import::rows(file, rows, import);
        Ok(())
    },
    metrics: Some(&monitoring::METRICS),
    scripts: build::scripts,
    linux_disks: build::linux_disks,
    windows_disks: build::windows_disks,
    local_disks: build::local_disks,
    windows_local_disks: build::windows_local_disks,
};
