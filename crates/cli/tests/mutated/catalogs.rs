//! Lists of the clouds and catalogue files.

use crate::seed::{Seed, fixture, of_files};

/// The lists that `catalog import` takes, alone and beside a catalogue file of an earlier import.
pub(crate) fn lists() -> Vec<Seed> {
    let skus = r#"[{ "resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["westeurope"],
        "locationInfo": [{ "location": "westeurope", "zones": ["3", "1"] }],
        "capabilities": [{ "name": "UncachedDiskIOPS", "value": "13000" }, { "name": "vCPUs", "value": "8" },
          { "name": "UncachedDiskBytesPerSecond", "value": "200000000" }, { "name": "MemoryGB", "value": "32" },
          { "name": "CachedDiskBytes", "value": "214748364800" }, { "name": "CombinedTempDiskAndCachedIOPS", "value": "16000" },
          { "name": "CombinedTempDiskAndCachedReadBytesPerSecond", "value": "134217728" },
          { "name": "CombinedTempDiskAndCachedWriteBytesPerSecond", "value": "67108864" },
          { "name": "MaxDataDiskCount", "value": "16" }], "restrictions": [] }]"#;
    let prices = r#"{ "BillingCurrency": "USD", "Items": [
        { "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": 0.384, "armRegionName": "westeurope",
          "effectiveStartDate": "2026-01-01T00:00:00Z", "meterName": "D8s v5", "productName": "Virtual Machines DSv5 Series",
          "skuName": "D8s v5", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption",
          "isPrimaryMeterRegion": true, "armSkuName": "Standard_D8s_v5" },
        { "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": 135.17, "armRegionName": "westeurope",
          "effectiveStartDate": "2026-01-01T00:00:00Z", "meterName": "P30 LRS Disk", "productName": "Premium SSD Managed Disks",
          "skuName": "P30 LRS", "serviceName": "Storage", "unitOfMeasure": "1/Month", "type": "Consumption",
          "isPrimaryMeterRegion": true, "armSkuName": "Premium_SSD_Managed_Disk_P30" }], "NextPageLink": null, "Count": 2 }"#;
    let types = r#"{ "InstanceTypes": [
      { "InstanceType": "z9.large", "CurrentGeneration": true, "Hypervisor": "nitro", "BurstablePerformanceSupported": true,
        "VCpuInfo": { "DefaultVCpus": 2 }, "MemoryInfo": { "SizeInMiB": 8192 }, "SupportedInRegion": true,
        "ProcessorInfo": { "SupportedArchitectures": ["x86_64"] },
        "InstanceStorageInfo": { "TotalSizeInGB": 950, "Disks": [{ "SizeInGB": 475, "Count": 2, "Type": "ssd" }] },
        "EbsInfo": { "EbsOptimizedSupport": "default", "NvmeSupport": "required", "MaximumEbsAttachments": 27,
          "AttachmentLimitType": "shared", "EbsOptimizedInfo": { "BaselineBandwidthInMbps": 650, "MaximumBandwidthInMbps": 10000,
            "BaselineThroughputInMBps": 81.25, "MaximumThroughputInMBps": 1250.0, "BaselineIops": 3600, "MaximumIops": 40000 } } }
    ] }"#;
    let azure = "catalog|import|<a>|--as-of=2026-11-20";
    let aws = "catalog|import|<a>|--as-of=2026-11-20|--region=us-east-1";
    vec![
        of_files("Azure's sizes", azure, &[("<a>", skus.to_string())]),
        of_files("Azure's prices", azure, &[("<a>", prices.to_string())]),
        of_files("AWS's types", aws, &[("<a>", types.to_string())]),
    ]
}

/// The header of a shipped table, and the first row that has these cells.
fn table(name: &str, cells: &[&str]) -> String {
    let text = fixture(name);
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header = lines.next().expect("a header");
    let has = |line: &&str| cells.iter().all(|cell| line.split(',').any(|of| of == *cell));
    let row = lines.find(has).unwrap_or_else(|| panic!("{name} has no row of {cells:?}"));
    format!("{header}\n{row}\n")
}

/// Catalogue files: TOML with every kind of row, and CSV of each kind.
pub(crate) fn catalogs() -> Vec<Seed> {
    let toml = "[[vm]]\nname = \"Standard_D8s_v3\"\nuncached_iops = 13000\nuncached_mbps = 192.5\nmemory_gib = 32\n\n\
                [[vm]]\ninstance_type = \"z9.large\"\nvcpus = 2\nmemory_mib = 8192\nebs_baseline_iops = 3600\nebs_max_iops = 40000\n\
                ebs_baseline_bandwidth_mbit = 650\nebs_max_bandwidth_mbit = 10000\n\n\
                [[disk]]\ndisk_type = \"premium\"\nredundancy = \"LRS\"\ntier = \"P30\"\nmin_size_gib_exclusive = 512\n\
                max_size_gib = 1024\niops = 5100\nmbps = 201\n\n\
                [[rule]]\nscope = \"premium\"\nparameter = \"media_read\"\nvalue = 1.9\nsource = \"our own runs of March\"\n\n\
                [[price]]\nregion = \"westeurope\"\nname = \"Standard_D8s_v3\"\nos = \"linux\"\nusd_per_hour = 0.48\n";
    let predict = "predict|--vm=D8s_v3|--disk=2xP30|--depth=8|--catalog=<a>";
    let aws = "predict|--vm=m5.xlarge|--disk=gp3@500GiB|--depth=8|--catalog=<a>";
    let plan = "plan|--iops=2000|--capacity=100GiB|--candidates=2|--region=westeurope|--catalog=<a>";
    let aws_plan = "plan|--iops=2000|--capacity=100GiB|--candidates=2|--region=us-east-1|--catalog=<a>";
    let csv = "catalogue (CSV)";
    vec![
        of_files("catalogue (TOML)", predict, &[("<a>", toml.to_string())]),
        of_files("catalogue (TOML)", "catalog|show|D8s_v3|--catalog=<a>", &[("<a>", toml.to_string())]),
        of_files(csv, predict, &[("<a>", table("azure_vm_sizes.csv", &["Standard_D8s_v3"]))]),
        of_files(csv, predict, &[("<a>", table("azure_disks.csv", &["premium", "P30"]))]),
        of_files(csv, predict, &[("<a>", table("rules.csv", &["premium", "enforced_factor"]))]),
        of_files(csv, aws, &[("<a>", table("aws_instances.csv", &["m5.xlarge"]))]),
        of_files(csv, plan, &[("<a>", table("azure_vm_prices.csv", &["westeurope", "Standard_D8s_v3"]))]),
        of_files(csv, plan, &[("<a>", table("azure_disk_prices.csv", &["westeurope", "premium", "P30"]))]),
        of_files(csv, aws_plan, &[("<a>", table("aws_volume_prices.csv", &["us-east-1", "io1"]))]),
    ]
}
