//! Disks that Kubernetes' storage classes make, by the documentation of the drivers.

use std::collections::BTreeMap;

use iobound_catalog::{CacheSetting, class_disk};

const AZURE: &str = "disk.csi.azure.com";
const EBS: &str = "ebs.csi.aws.com";
const GCE: &str = "pd.csi.storage.gke.io";

fn disk(provisioner: &str, parameters: &[(&str, &str)], gib: u64) -> Result<String, String> {
    let parameters: BTreeMap<String, String> =
        parameters.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let made = class_disk(provisioner, &parameters, gib)?.ok_or("unknown driver")?;
    Ok(match made.cache {
        CacheSetting::None => made.spec,
        cache => format!("{}:{}", made.spec, cache.name()),
    })
}

#[test]
fn parameters_become_the_disk_that_the_driver_makes() {
    for (provisioner, parameters, gib, spec) in [
        // The driver's defaults: StandardSSD_LRS and ReadOnly; gp3; pd-standard.
        (AZURE, &[][..], 128, "standardssd@128GiB:readonly"),
        (EBS, &[], 500, "gp3@500GiB"),
        (GCE, &[], 500, "pd-standard@500GiB"),
        (AZURE, &[("skuName", "Premium_LRS"), ("cachingMode", "None")], 1024, "premium@1024GiB"),
        (
            AZURE,
            &[("skuname", "Premium_ZRS"), ("CACHINGMODE", "ReadOnly")],
            1024,
            "Premium_ZRS@1024GiB:readonly",
        ),
        (
            AZURE,
            &[("storageAccountType", "StandardSSD_LRS"), ("cachingMode", "ReadWrite")],
            64,
            "standardssd@64GiB:readwrite",
        ),
        (
            AZURE,
            &[("skuName", "PremiumV2_LRS"), ("DiskIOPSReadWrite", "20000"), ("DiskMBpsReadWrite", "600")],
            1024,
            "premiumv2@1024GiB+20000iops+600MB/s",
        ),
        (
            EBS,
            &[("type", "gp3"), ("iops", "6000"), ("throughput", "250")],
            100,
            "gp3@100GiB+6000iops+250MiB/s",
        ),
        (EBS, &[("type", "io1"), ("iopsPerGB", "50")], 200, "io1@200GiB+10000iops"),
        // 10 GiB × 10 are below the 3,000 of every gp3, and the driver may raise them.
        (EBS, &[("iopsPerGB", "10"), ("allowAutoIOPSPerGBIncrease", "true")], 10, "gp3@10GiB+3000iops"),
        ("kubernetes.io/aws-ebs", &[("type", "gp2")], 100, "gp2@100GiB"),
        (GCE, &[("type", "pd-ssd"), ("replication-type", "none")], 500, "pd-ssd@500GiB"),
        (
            GCE,
            &[
                ("type", "hyperdisk-balanced"),
                ("provisioned-iops-on-create", "5000"),
                ("provisioned-throughput-on-create", "250Mi"),
            ],
            500,
            "hyperdisk-balanced@500GiB+5000iops+250MiB/s",
        ),
    ] {
        assert_eq!(disk(provisioner, parameters, gib).as_deref(), Ok(spec), "{provisioner} {parameters:?}");
    }
}

#[test]
fn a_class_that_makes_no_disk_says_why() {
    for (provisioner, parameters, why) in [
        ("rancher.io/local-path", &[][..], "unknown driver"),
        (AZURE, &[("skuName", "Fast_LRS")], "parameter skuName: the catalogue has no disk `Fast_LRS`"),
        (AZURE, &[("skuName", "UltraSSD_LRS"), ("cachingMode", "ReadOnly")], "has no host cache"),
        (AZURE, &[("cachingMode", "Both")], "`Both` is not None, ReadOnly or ReadWrite"),
        (EBS, &[("type", "io2"), ("iops", "many")], "`many` is not a whole number"),
        (EBS, &[("type", "io2"), ("iops", "0")], "`0` is not a whole number"),
        (EBS, &[("type", "io2"), ("iops", "100"), ("iopsPerGB", "5")], "are both given"),
        (EBS, &[("throughput", "fast")], "`fast` is not a throughput"),
        (EBS, &[("type", "standard")], "the catalogue has no disk `standard`"),
    ] {
        let error = disk(provisioner, parameters, 100).unwrap_err();
        assert!(error.contains(why), "{provisioner} {parameters:?}: {error}");
    }
}
