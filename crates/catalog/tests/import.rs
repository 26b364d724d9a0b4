//! What the clouds' tools list becomes rows of a person's catalogue file, which the catalogue then has.

use iobound_catalog::{Catalog, CatalogError, Era, Import, ImportFile, Os, merge, read_listing};

use proptest::prelude::*;

/// A list of the Resource SKUs API: three sizes, one of them not for this subscription, one not in all zones.
const SKUS: &str = r#"[
  { "resourceType": "virtualMachines", "name": "Standard_DC48s_v3", "family": "standardDCSv3Family", "locations": ["westeurope"],
    "locationInfo": [{ "location": "westeurope", "zones": ["3", "1", "2"] }],
    "capabilities": [
      { "name": "vCPUs", "value": "192" }, { "name": "MemoryGB", "value": "768" }, { "name": "MaxDataDiskCount", "value": "64" },
      { "name": "PremiumIO", "value": "True" }, { "name": "CpuArchitectureType", "value": "x64" },
      { "name": "UncachedDiskIOPS", "value": "100000" }, { "name": "UncachedDiskBytesPerSecond", "value": "3000000000" },
      { "name": "DiskControllerTypes", "value": "NVMe" }],
    "restrictions": [{ "type": "Zone", "values": ["westeurope"], "reasonCode": "NotAvailableForSubscription",
      "restrictionInfo": { "locations": ["westeurope"], "zones": ["2"] } }] },
  { "resourceType": "virtualMachines", "name": "Standard_Q8s_v9", "locations": ["WestEurope"], "locationInfo": null,
    "capabilities": [{ "name": "vCPUs", "value": "8" }, { "name": "CachedDiskBytes", "value": "214748364800" },
      { "name": "CombinedTempDiskAndCachedIOPS", "value": "16000" },
      { "name": "CombinedTempDiskAndCachedReadBytesPerSecond", "value": "134217728" },
      { "name": "CombinedTempDiskAndCachedWriteBytesPerSecond", "value": "67108864" }], "restrictions": null },
  { "resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["westeurope"],
    "capabilities": [{ "name": "UncachedDiskIOPS", "value": "13000" }],
    "restrictions": [{ "type": "Location", "values": ["westeurope"], "reasonCode": "NotAvailableForSubscription",
      "restrictionInfo": { "locations": ["westeurope"] } }] },
  { "resourceType": "disks", "name": "Premium_LRS", "locations": ["westeurope"] }
]"#;

/// One item of the Retail Prices API.
fn item(change: &[(&str, &str)]) -> String {
    let mut item = plain_item();
    for (key, value) in change {
        let place = item.iter().position(|(have, _)| have == key);
        match place {
            Some(at) => item[at].1 = (*value).into(),
            None => item.push(((*key).into(), (*value).into())),
        }
    }
    let cells: Vec<String> = item.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{ {} }}", cells.join(", "))
}

fn plain_item() -> Vec<(String, String)> {
    let pairs = [
        ("currencyCode", "\"USD\""),
        ("tierMinimumUnits", "0.0"),
        ("retailPrice", "0.5"),
        ("armRegionName", "\"westeurope\""),
        ("effectiveStartDate", "\"2026-01-01T00:00:00Z\""),
        ("meterName", "\"D8s v5\""),
        ("productName", "\"Virtual Machines DSv5 Series\""),
        ("skuName", "\"D8s v5\""),
        ("serviceName", "\"Virtual Machines\""),
        ("unitOfMeasure", "\"1 Hour\""),
        ("type", "\"Consumption\""),
        ("isPrimaryMeterRegion", "true"),
        ("armSkuName", "\"Standard_D8s_v5\""),
    ];
    pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn page(items: &[String]) -> String {
    format!(
        "{{ \"BillingCurrency\": \"USD\", \"Items\": [{}], \"NextPageLink\": null, \"Count\": {} }}",
        items.join(","),
        items.len()
    )
}

fn file(json: &str) -> ImportFile {
    let listing = read_listing(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    ImportFile {
        name: "a.json".into(),
        as_of: "2026-11-22".into(),
        region: Some("us-east-1".into()),
        listing,
    }
}

fn import(existing: &str, json: &str) -> Import {
    merge("mine.toml", existing, &[file(json)], false).unwrap_or_else(|error| panic!("{error}"))
}

fn catalog(import: &Import) -> Catalog {
    Catalog::shipped().with_user("mine.toml", &import.text).expect("what an import writes is read")
}

#[test]
fn a_list_of_sizes_fills_gaps_and_names_its_source_and_date() {
    let made = import("", SKUS);
    assert_eq!((made.sizes, made.left_out.get("resources of type disks")), (3, Some(&1)));
    let vm = catalog(&made).vm("DC48s_v3", Era::current()).unwrap().entry;
    assert_eq!((vm.uncached.ios, vm.uncached.bytes), (Some(100_000), Some(3_000_000_000)));
    assert_eq!(vm.limits_source.as_deref(), Some("az vm list-skus, a.json [2026-11-22]"));
    let entry = catalog(&made).entry("DC48s_v3", Era::current()).unwrap();
    let figure = entry.figures.iter().find(|figure| figure.name == "uncached_iops").unwrap();
    assert_eq!(figure.source.as_of.as_deref(), Some("2026-11-22"));
    // Nobody had a size of that name; 134,217,728 is 128 x 2^20, 214,748,364,800 is 200 x 2^30.
    assert_eq!(made.added, ["Standard_Q8s_v9"]);
    let vm = catalog(&made).vm("Standard_Q8s_v9", Era::current()).unwrap().entry;
    assert_eq!(
        (vm.cached.ios, vm.cached.bytes, vm.cached_write_bytes),
        (Some(16_000), Some(128_000_000), Some(64_000_000))
    );
    assert_eq!(vm.cache_size.unwrap().get(), 200 << 30);
}

#[test]
fn a_figure_that_differs_is_told_with_what_it_was() {
    let made = import("", SKUS);
    // azure_vm_sizes.csv has 12,800 IOPS for the D8s_v5.
    let change = made.changed.iter().find(|change| change.of == "Standard_D8s_v5").expect("it differs");
    assert_eq!(
        (change.figure.as_str(), change.old.as_str(), change.new.as_str()),
        ("uncached_iops", "12800", "13000")
    );
    assert!(change.source.is_some());
    let unknown = made
        .changed
        .iter()
        .find(|change| change.of == "Standard_DC48s_v3" && change.figure == "uncached_iops");
    assert_eq!(unknown.expect("it was not known").old, "unknown");
}

#[test]
fn restrictions_are_of_a_region_or_of_zones() {
    let made = import("", SKUS);
    assert_eq!(made.restricted.len(), 1);
    let catalog = catalog(&made);
    let restricted = catalog.vm("D8s_v5", Era::current()).unwrap().entry;
    assert_eq!(restricted.restricted_in("westeurope"), Some("NotAvailableForSubscription"));
    assert_eq!(restricted.restricted_in("northeurope"), None);
    let zonal = catalog.vm("DC48s_v3", Era::current()).unwrap().entry;
    assert_eq!(zonal.restricted_in("westeurope"), None);
    assert_eq!(zonal.zones_in("westeurope"), Some(&["1".to_string(), "3".to_string()][..]));
}

#[test]
fn a_later_list_replaces_what_it_has_and_keeps_the_rest() {
    let first = import("# my own notes\n[[vm]]\nname = 'Standard_D8s_v5'\nuncached_iops = 14000\n", SKUS);
    let own = catalog(&first).vm("D8s_v5", Era::current()).unwrap().entry;
    assert_eq!(own.uncached.ios, Some(14_000), "what the person wrote wins");
    assert!(
        first.text.ends_with("# my own notes\n[[vm]]\nname = 'Standard_D8s_v5'\nuncached_iops = 14000\n")
    );
    // The same again changes nothing.
    assert_eq!(import(&first.text, SKUS).text, first.text);
    let later = r#"{ "value": [{ "resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["westeurope"],
        "capabilities": [], "restrictions": [] }] }"#;
    let second = import(&first.text, later);
    let gone: Vec<&str> = second.gone.iter().map(|gone| gone.of.as_str()).collect();
    assert_eq!(gone, ["Standard_DC48s_v3", "Standard_Q8s_v9"]);
    let catalog = catalog(&second);
    assert_eq!(catalog.vm("D8s_v5", Era::current()).unwrap().entry.restricted_in("westeurope"), None);
    let kept = catalog.vm("DC48s_v3", Era::current()).unwrap().entry;
    assert_eq!((kept.uncached.ios, kept.restricted_in("westeurope")), (Some(100_000), None));
    let complete = merge("mine.toml", &first.text, &[file(later)], true).unwrap();
    assert!(complete.gone.iter().all(|gone| gone.refused));
    let catalog = Catalog::shipped().with_user("mine.toml", &complete.text).unwrap();
    // Another of the shipped sizes, which the list does not have either.
    for name in ["DC48s_v3", "E16bs_v5"] {
        let vm = catalog.vm(name, Era::current()).unwrap().entry;
        assert_eq!(vm.restricted_in("westeurope"), Some("NotListed"), "{name}");
    }
}

#[test]
fn only_list_prices_on_demand_are_taken() {
    let items = [
        item(&[]),
        item(&[("productName", "\"Virtual Machines DSv5 Series Windows\""), ("retailPrice", "0.9")]),
        item(&[("type", "\"Reservation\""), ("retailPrice", "3000.0")]),
        item(&[("type", "\"DevTestConsumption\""), ("retailPrice", "0.1")]),
        item(&[("skuName", "\"D8s v5 Spot\""), ("meterName", "\"D8s v5 Spot\""), ("retailPrice", "0.1")]),
        item(&[("skuName", "\"D8s v5 Low Priority\""), ("retailPrice", "0.1")]),
        item(&[("productName", "\"Virtual Machines DSv5 Series Cloud Services\""), ("retailPrice", "0.8")]),
        item(&[("tierMinimumUnits", "100.0"), ("retailPrice", "0.2")]),
        item(&[("isPrimaryMeterRegion", "false"), ("retailPrice", "0.7")]),
        item(&[("serviceName", "\"Bandwidth\"")]),
    ];
    let made = import("", &page(&items));
    assert_eq!(made.prices, 2);
    let lines = [
        "reservations",
        "dev/test",
        "spot",
        "low-priority",
        "cloud services",
        "number of units",
        "other services",
    ];
    for line in lines {
        assert!(made.left_out.keys().any(|what| what.contains(line)), "{line}: {:?}", made.left_out);
    }
    let catalog = catalog(&made);
    for (os, cents) in [(Os::Linux, 50), (Os::Windows, 90)] {
        let list = catalog.price_list("westeurope", os).unwrap();
        let price = list.vm("Standard_D8s_v5").unwrap();
        // 730 hours.
        assert_eq!(price.per_month.0, cents * 10_000_000 * 730);
        assert!(price.source.ends_with("[2026-11-22]"));
    }
}

#[test]
fn meters_of_disks_are_the_tables_own() {
    let disk = |meter: &str, sku: &str, product: &str, unit: &str, price: &str| {
        let quoted = |text: &str| format!("\"{text}\"");
        item(&[
            ("meterName", &quoted(meter)),
            ("skuName", &quoted(sku)),
            ("productName", &quoted(product)),
            ("unitOfMeasure", &quoted(unit)),
            ("serviceName", "\"Storage\""),
            ("retailPrice", price),
            ("armSkuName", "\"\""),
            ("armRegionName", "\"brazilsouth\""),
        ])
    };
    let items = [
        disk("P30 LRS Disk", "P30 LRS", "Premium SSD Managed Disks", "1/Month", "160.5"),
        disk("P30 ZRS Disk", "P30 ZRS", "Premium SSD Managed Disks", "1/Month", "240.75"),
        disk("P30 LRS Disk Mount", "P30 LRS", "Premium SSD Managed Disks", "1/Month", "8.0"),
        disk("E30 LRS Disk Operations", "E30 LRS", "Standard SSD Managed Disks", "10K", "0.002"),
        disk("Premium LRS Provisioned IOPS", "Premium LRS", "Azure Premium SSD v2", "1/Hour", "0.0000081"),
        disk(
            "Premium LRS Provisioned Capacity",
            "Premium LRS",
            "Azure Premium SSD v2",
            "1 GiB/Hour",
            "0.00014",
        ),
        disk("Ultra LRS Provisioned Throughput (MBps)", "Ultra LRS", "Ultra Disks", "1/Hour", "0.0006"),
        disk("LRS Snapshots", "Snapshots LRS", "Premium SSD Managed Disks", "1 GB/Month", "0.1"),
    ];
    let made = import("", &page(&items));
    assert_eq!(made.prices, 6, "{:?}", made.left_out);
    let catalog = catalog(&made);
    let list = catalog.price_list("brazilsouth", Os::Linux).unwrap();
    let prices: Vec<(String, String, u64)> =
        list.meters().map(|meter| (meter.tier.unwrap_or_default(), meter.meter, meter.price.0)).collect();
    assert!(prices.contains(&("P30".into(), "Disk".into(), 160_500_000_000)), "{prices:?}");
    assert!(prices.contains(&("E30".into(), "Disk Operations".into(), 2_000_000)));
    // 0.0000081 an hour, 730 hours.
    assert!(prices.contains(&(String::new(), "Premium LRS Provisioned IOPS".into(), 8_100 * 730)));
    assert!(made.added.iter().any(|title| title == "P30 LRS Disk in brazilsouth"), "{:?}", made.added);
}

#[test]
fn instance_types_are_taken_with_baseline_and_most() {
    let json = r#"{ "InstanceTypes": [
      { "InstanceType": "z9.large", "CurrentGeneration": true, "Hypervisor": "nitro", "BurstablePerformanceSupported": true,
        "VCpuInfo": { "DefaultVCpus": 2 }, "MemoryInfo": { "SizeInMiB": 8192 }, "SupportedInRegion": false,
        "ProcessorInfo": { "SupportedArchitectures": ["x86_64"] },
        "EbsInfo": { "EbsOptimizedSupport": "default", "NvmeSupport": "required", "MaximumEbsAttachments": 27,
          "AttachmentLimitType": "shared", "EbsOptimizedInfo": { "BaselineBandwidthInMbps": 650, "MaximumBandwidthInMbps": 10000,
            "BaselineThroughputInMBps": 81.25, "MaximumThroughputInMBps": 1250.0, "BaselineIops": 3600, "MaximumIops": 40000 } } }
    ] }"#;
    let made = import("", json);
    assert_eq!(made.added, ["z9.large"]);
    let vm = catalog(&made).vm("z9.large", Era::current()).unwrap().entry;
    // 650 and 10,000 Mbit/s are 81.25 and 1,250 MB/s.
    assert_eq!((vm.uncached.ios, vm.uncached.bytes), (Some(3_600), Some(81_250_000)));
    assert_eq!((vm.uncached_burst.ios, vm.uncached_burst.bytes), (Some(40_000), Some(1_250_000_000)));
    assert!(vm.is(iobound_catalog::SeriesKind::CpuBurstable));
    assert_eq!(vm.restricted_in("us-east-1"), Some("NotListed"));
}

#[test]
fn pages_may_follow_each_other_and_a_missing_one_is_told() {
    let next = page(&[item(&[])]).replace("null", "\"https://prices.azure.com/?$skip=100\"");
    let two = format!("{next}\n{}", page(&[item(&[("armRegionName", "\"eastus\"")])]));
    let made = import("", &two);
    assert_eq!(made.prices, 2);
    assert!(made.notes.iter().any(|note| note.contains("NextPageLink")), "{:?}", made.notes);
}

#[test]
fn what_cannot_be_taken_is_refused_with_its_place() {
    for (json, part) in [
        ("", "the file is empty"),
        ("[]", "the list is empty"),
        ("[\n  {\"resourceType\": 3}]", "line 2, column"),
        ("{\"Items\": [{\"retailPrice\": \"cheap\"}]}", "line 1, column"),
        ("[{\"name\": \"Standard_D2s_v3\"}]", "entry 1"),
        ("{\"InstanceTypes\": [{\"InstanceType\": \"a.b\"}, {\"x\": 1}]}", "entry 2"),
        ("[{\"resourceType\": \"virtualMachines\", \"name\": \"x\"}]", "names no region"),
        ("not json", "the file is not JSON"),
        ("[1]", "an entry of a listing"),
        ("{\"Items\": [", "line 1, column"),
    ] {
        let message = read_listing(json).expect_err(json).to_string();
        assert!(message.contains(part), "{json}: {message}");
    }
    let deep = "[".repeat(100_000);
    assert!(read_listing(&deep).is_err());
    let refused = |json: &str| match merge("mine.toml", "", &[file(json)], false) {
        Err(CatalogError::File { why, .. }) => why,
        other => panic!("{json}: {other:?}"),
    };
    assert!(refused(&page(&[item(&[("currencyCode", "\"GBP\"")])])).contains("currencyCode='USD'"));
    assert!(refused(&page(&[item(&[("type", "\"Reservation\"")])])).contains("the file adds nothing"));
    let wrong = SKUS.replace("\"100000\"", "\"many\"");
    let why = refused(&wrong);
    assert!(why.contains("Standard_DC48s_v3") && why.contains("UncachedDiskIOPS"), "{why}");
}

#[test]
fn a_file_that_is_none_of_ours_is_not_written_over() {
    for (existing, part) in [
        ("name,uncached_iops\nX,1\n", "name another file"),
        ("[[machine]]\n", "[[vm]]"),
        ("# end of imported figures\n", "without a start"),
        ("hello = 1\n", "hello"),
    ] {
        let message = merge("mine.toml", existing, &[file(SKUS)], false).expect_err(existing).to_string();
        assert!(message.contains(part) && message.starts_with("mine.toml"), "{existing}: {message}");
    }
}

proptest! {
    #[test]
    fn no_json_makes_it_panic(text in "(\\PC|\n){0,200}") {
        let _ = read_listing(&text);
    }

    #[test]
    fn names_and_figures_of_any_kind_come_back_as_they_went(
        name in "[A-Za-z0-9_.\\- '\"=\\[\\]#]{1,30}",
        iops in 1u64..1_000_000_000_000,
        bytes in 1u64..1_000_000_000_000,
        region in "[a-z0-9]{1,12}",
    ) {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let json = format!(
            "[{{\"resourceType\":\"virtualMachines\",\"name\":{},\"locations\":[{}],\"capabilities\":[{{\"name\":\"UncachedDiskIOPS\",\"value\":\"{iops}\"}},{{\"name\":\"UncachedDiskBytesPerSecond\",\"value\":\"{bytes}\"}}]}}]",
            quoted(&name), quoted(&region)
        );
        if let Ok(listing) = read_listing(&json) {
            let file = ImportFile { name: "a.json".into(), as_of: "2026-11-22".into(), region: None, listing };
            let made = merge("mine.toml", "", &[file], false);
            // The tables' word for what is not stated is nobody's name.
            prop_assert_eq!(made.is_ok(), name.trim() != "-");
            let Ok(made) = made else { return Ok(()) };
            let catalog = Catalog::shipped().with_user("mine.toml", &made.text).unwrap();
            let vms = catalog.vms().unwrap();
            let vm = vms.iter().find(|vm| vm.name == name.trim()).unwrap();
            prop_assert_eq!((vm.uncached.ios, vm.raw_uncached_bytes), (Some(iops), Some(bytes)));
        }
    }
}
