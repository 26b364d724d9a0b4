//! What configurations cost: known parts to the cent, unknown ones by name.

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
    let price = price_of("D8s_v3", &["P30", "premiumv2@64GiB"], "eastus", Os::Linux);
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
