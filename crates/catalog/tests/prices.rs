//! What configurations cost: known parts to the cent, unknown ones by name.

use std::collections::BTreeMap;

use iobound_catalog::{Catalog, Configuration, Os, Price, Usd, parse_spec, resolve};

fn price_of(vm: &str, disks: &[&str], region: &str, os: Os) -> Price {
    let catalog = Catalog::shipped();
    let mut configuration = Configuration::of(vm);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    let resolved = resolve(&configuration, &catalog).unwrap_or_else(|error| panic!("{error}"));
    catalog.price_of(&resolved, region, os).unwrap()
}

#[test]
fn a_tier_costs_its_month_and_a_vm_its_730_hours() {
    let price = price_of("D8s_v3", &["2xP30"], "westeurope", Os::Linux);
    let vm = price.parts[0].per_month;
    // P30 LRS in westeurope: 148.68 USD a month (Retail Prices API, 2026-07-15).
    assert_eq!(price.per_month, Some(Usd(vm.0 + 2 * 148_680_000_000)));
    assert_eq!(price.parts.len(), 3);
    assert_eq!(price.as_of.as_deref(), Some("2026-07-15"));
    assert!(price.unknown.is_empty());
}

#[test]
fn premium_v2_bills_what_lies_above_the_free_figures() {
    let price = price_of("F16as_v6", &["premiumv2@1TiB+20000iops+600MB/s"], "West Europe", Os::Linux);
    let disk: u64 = price.parts[1..].iter().map(|part| part.per_month.0).sum();
    // By the hour: 1,024 x 0.00013 + 17,000 x 0.000008 + 475 x 0.000065.
    assert_eq!(disk, (1_024 * 130_000 + 17_000 * 8_000 + 475 * 65_000) * 730);
}

#[test]
fn an_unknown_price_is_named_and_never_guessed() {
    // westus has no price of Premium SSD v2.
    let price = price_of("D8s_v3", &["P30", "premiumv2@64GiB"], "westus", Os::Linux);
    assert_eq!(price.per_month, None);
    assert_eq!(price.unknown.len(), 1, "{:?}", price.unknown);
    assert!(price.unknown[0].contains("Premium SSD v2"));
    let windows = price_of("m5.large", &["gp3@100GiB"], "us-east-1", Os::Windows);
    assert!(windows.unknown[0].contains("windows"));
}

#[test]
fn ebs_is_priced_by_the_gib_and_above_its_free_figures() {
    let price = price_of("m5.large", &["gp3@500GiB+6000iops+300MiB/s"], "us-east-1", Os::Linux);
    let disk: u64 = price.parts[1..].iter().map(|part| part.per_month.0).sum();
    // 500 x 0.08 + 3,000 x 0.005 + 175 x 0.04 = 62 USD.
    assert_eq!(disk, 62_000_000_000);
    let io2 = price_of("m5.large", &["io2@100GiB+40000iops"], "us-east-1", Os::Linux);
    assert!(io2.unknown[0].contains("8000 IOPS"));
}

#[test]
fn an_unknown_region_names_a_near_one_or_the_command_that_lists_all() {
    let error = Catalog::shipped().price_list("westeurop", Os::Linux).unwrap_err().to_string();
    assert!(error.contains("westeurope"), "{error}");
    let error = Catalog::shipped().price_list("mars", Os::Linux).unwrap_err().to_string();
    assert!(error.contains("`iobound catalog prices` lists"), "{error}");
}

/// The regions with prices of VM sizes, those with which the others are compared first.
const AZURE: &str = "eastus australiaeast belgiumcentral canadacentral centralindia centralus eastus2 francecentral \
    germanywestcentral japaneast northeurope southcentralus southeastasia swedencentral uksouth westeurope westus westus2 westus3";
const AWS: &str = "us-east-1 ap-northeast-1 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-north-1 \
    eu-west-1 eu-west-2 us-east-2 us-west-1 us-west-2";

/// The price of each VM size a month, by region.
fn lists(regions: &str, os: Os) -> Vec<(String, BTreeMap<String, u64>)> {
    let catalog = Catalog::shipped();
    let sizes = catalog.vms().unwrap();
    let of = |region: &str| {
        let list = catalog.price_list(region, os).unwrap();
        let price = |name: &String| Some((name.clone(), list.vm(name)?.per_month.0));
        (region.to_string(), sizes.iter().filter_map(|size| price(&size.name)).collect())
    };
    regions.split_whitespace().map(of).collect()
}

/// A list that has the rows of Windows, of spot or of dedicated hosts in the place of Linux on demand stands out: regions differ
/// in their level, and no size costs half or twice as much as in the cloud's first region.
#[test]
fn prices_of_a_region_lie_near_those_of_the_first_region() {
    for (regions, os) in [(AZURE, Os::Linux), (AZURE, Os::Windows), (AWS, Os::Linux)] {
        let lists = lists(regions, os);
        let known = &lists[0].1;
        for (region, list) in &lists {
            assert!(list.len() > 500, "{region}: {}", list.len());
            for (name, price) in list {
                let Some(there) = known.get(name) else { continue };
                assert!(price * 2 > *there && *price < there * 2, "{name} in {region}: {price} and {there}");
            }
        }
    }
}

/// Windows is Linux and a licence. Public records mix the two rows of Dasv5, Easv5 and Bv2.
#[test]
fn no_linux_price_is_the_one_of_windows() {
    let (linux, windows) = (lists(AZURE, Os::Linux), lists(AZURE, Os::Windows));
    for ((region, linux), (_, windows)) in linux.iter().zip(&windows) {
        // The two smallest sizes of 2010 cost the same with both.
        for (name, plain) in linux.iter().filter(|(name, _)| !name.ends_with("_A0")) {
            assert!(windows.get(name).is_none_or(|licensed| licensed > plain), "{name} in {region}");
        }
        // Dasv5 has one price of a vCPU in a region; prices have three digits.
        let [four, sixteen] = ["Standard_D4as_v5", "Standard_D16as_v5"].map(|name| linux[name]);
        assert!(sixteen.abs_diff(4 * four) * 200 < sixteen, "{region}: {four} and {sixteen}");
    }
}

#[test]
fn each_part_of_a_volume_is_priced_in_other_regions_too() {
    // AWS's prices of eu-west-1: m5.large 0.107 USD an hour; gp3 0.088 a GiB, 0.0055 an IOPS, 0.044 a MiB/s; io2 0.138 and 0.072.
    let price = price_of("m5.large", &["gp3@500GiB+6000iops+300MiB/s"], "eu-west-1", Os::Linux);
    let parts: Vec<u64> = price.parts.iter().map(|part| part.per_month.0).collect();
    assert_eq!(parts, [107_000_000 * 730, 500 * 88_000_000, 3_000 * 5_500_000, 175 * 44_000_000]);
    let io2 = price_of("m5.large", &["io2@100GiB+20000iops"], "eu-west-1", Os::Linux);
    assert_eq!(io2.per_month, Some(Usd(107_000_000 * 730 + 100 * 138_000_000 + 20_000 * 72_000_000)));
    // Azure's prices of westus2 by the hour: 0.00011 a GiB, 0.000007 an IOPS, 0.000055 a MB/s.
    let v2 = price_of("D8s_v5", &["premiumv2@1TiB+20000iops+600MB/s"], "westus2", Os::Linux);
    let disk: u64 = v2.parts[1..].iter().map(|part| part.per_month.0).sum();
    assert_eq!(disk, (1_024 * 110_000 + 17_000 * 7_000 + 475 * 55_000) * 730);
}
