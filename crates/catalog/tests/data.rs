//! The shipped tables: how many rows, that each names a source, and spot checks against published figures.

use std::collections::BTreeSet;

use iobound_catalog::{Catalog, Cloud, Era, Os, Source, VmSize};
use iobound_units::Bytes;

/// (file, text, rows); zero where the number says nothing.
const TABLES: [(&str, &str, usize); 25] = [
    ("sources.csv", include_str!("../data/sources.csv"), 0),
    ("eras.csv", include_str!("../data/eras.csv"), 7),
    ("rules.csv", include_str!("../data/rules.csv"), 0),
    ("disk_rules.csv", include_str!("../data/disk_rules.csv"), 250),
    ("azure_vm_sizes.csv", include_str!("../data/azure_vm_sizes.csv"), 1_595),
    ("azure_vm_eras.csv", include_str!("../data/azure_vm_eras.csv"), 91),
    ("azure_crosscheck.csv", include_str!("../data/azure_crosscheck.csv"), 315),
    ("azure_disks.csv", include_str!("../data/azure_disks.csv"), 126),
    ("azure_vm_prices.csv", include_str!("../data/azure_vm_prices.csv"), 47_363),
    ("azure_disk_prices.csv", include_str!("../data/azure_disk_prices.csv"), 2_498),
    ("aws_instances.csv", include_str!("../data/aws_instances.csv"), 1_373),
    ("aws_instance_prices.csv", include_str!("../data/aws_instance_prices.csv"), 9_511),
    ("aws_volume_prices.csv", include_str!("../data/aws_volume_prices.csv"), 272),
    ("regions.csv", include_str!("../data/regions.csv"), 0),
    ("series.csv", include_str!("../data/series.csv"), 86),
    ("gcp_machine_limits.csv", include_str!("../data/gcp_machine_limits.csv"), 319),
    ("gcp_machines.csv", include_str!("../data/gcp_machines.csv"), 568),
    ("gcp_machine_eras.csv", include_str!("../data/gcp_machine_eras.csv"), 15),
    ("gcp_series_disks.csv", include_str!("../data/gcp_series_disks.csv"), 20),
    ("gcp_disk_counts.csv", include_str!("../data/gcp_disk_counts.csv"), 57),
    ("gcp_local_ssd.csv", include_str!("../data/gcp_local_ssd.csv"), 47),
    ("gcp_local_ssd_counts.csv", include_str!("../data/gcp_local_ssd_counts.csv"), 37),
    ("gcp_custom_machines.csv", include_str!("../data/gcp_custom_machines.csv"), 7),
    ("gcp_disk_prices.csv", include_str!("../data/gcp_disk_prices.csv"), 480),
    ("gcp_machine_prices.csv", include_str!("../data/gcp_machine_prices.csv"), 24_375),
];

/// Cells of a line; quoted cells may hold commas. A reader of its own, so that the crate's is not its own oracle.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    cells
}

fn era(name: &str) -> Era {
    Era::parse(name).unwrap()
}

#[test]
fn every_table_has_its_rows_and_every_row_its_cells() {
    for (file, text, rows) in TABLES {
        let width = cells(text.lines().next().unwrap()).len();
        let body: Vec<&str> = text.lines().skip(1).collect();
        assert!(rows == 0 || body.len() == rows, "{file}: {} rows", body.len());
        for line in body {
            assert_eq!(cells(line).len(), width, "{file}: {line}");
        }
    }
}

#[test]
fn every_row_names_a_source_that_is_known() {
    let keys: BTreeSet<String> = TABLES[0].1.lines().skip(1).map(|line| cells(line)[0].clone()).collect();
    assert_eq!(keys.len(), TABLES[0].1.lines().count() - 1, "a key stands twice");
    for (file, text, _) in &TABLES[1..] {
        let header = cells(text.lines().next().unwrap());
        let sources: Vec<usize> =
            header.iter().enumerate().filter(|(_, c)| c.ends_with("source")).map(|(i, _)| i).collect();
        for line in text.lines().skip(1) {
            let row = cells(line);
            let named: Vec<&String> =
                sources.iter().map(|i| &row[*i]).filter(|key| !key.is_empty()).collect();
            assert!(!named.is_empty(), "{file}: no source: {line}");
            for key in named {
                assert!(keys.contains(key), "{file}: unknown source {key}: {line}");
            }
        }
    }
    assert!(Source::is_shipped("enforcement-measured") && !Source::is_shipped("nobody"));
}

#[test]
fn limits_have_a_source_of_their_own() {
    let text = TABLES[4].1;
    let header = cells(text.lines().next().unwrap());
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (limit, source) = (at("uncached_iops"), at("limits_source"));
    for line in text.lines().skip(1) {
        let row = cells(line);
        assert!(row[limit].is_empty() || !row[source].is_empty(), "{line}");
    }
}

#[test]
fn every_row_can_be_read() {
    let catalog = Catalog::shipped();
    let sizes = catalog.vms().unwrap();
    assert_eq!(sizes.iter().filter(|vm| vm.cloud == Cloud::Azure).count(), 1_595);
    assert_eq!(sizes.iter().filter(|vm| vm.cloud == Cloud::Aws).count(), 1_373);
    // The documented gap: 153 rows without an uncached limit.
    let unknown = sizes.iter().filter(|vm| vm.cloud == Cloud::Azure && vm.uncached.ios.is_none()).count();
    assert_eq!(unknown, 153);
    assert_eq!(catalog.tiers().unwrap().len(), 124);
    assert!(catalog.rules().count() > 185);
    for region in catalog.regions() {
        for os in [Os::Linux, Os::Windows] {
            catalog.price_list(&region, os).unwrap();
        }
    }
}

#[test]
fn sizes_of_the_published_experiments_have_the_published_figures() {
    // cached IOPS / MBps (GiB) | uncached, then data disks in 2016 and today: the experiments' own figures.
    for (name, cached, uncached, then, now) in [
        ("DS1", (4_000, 32, 43), (3_200, 32), 2, 4),
        ("DS2", (8_000, 64, 86), (6_400, 64), 4, 8),
        ("DS3", (16_000, 128, 172), (12_800, 128), 8, 16),
        ("DS4", (32_000, 256, 344), (25_600, 256), 16, 32),
        ("DS13", (32_000, 256, 288), (25_600, 256), 16, 32),
        ("DS14", (64_000, 512, 576), (51_200, 512), 32, 64),
        ("DS14_v2", (64_000, 512, 576), (51_200, 768), 32, 64),
        ("GS5", (160_000, 1_600, 4_224), (80_000, 2_000), 64, 64),
    ] {
        for (era_name, disks) in [("2016", then), ("current", now)] {
            let vm = Catalog::shipped().vm(name, era(era_name)).unwrap().entry;
            assert_eq!(
                (vm.cached.ios, vm.cached.bytes),
                (Some(cached.0), Some(cached.1 * 1_000_000)),
                "{name}"
            );
            assert_eq!(vm.cache_size, Some(Bytes::gib(cached.2)), "{name}");
            assert_eq!(
                (vm.uncached.ios, vm.uncached.bytes),
                (Some(uncached.0), Some(uncached.1 * 1_000_000)),
                "{name}"
            );
            assert_eq!(vm.max_data_disks, Some(disks), "{name} in {era_name}");
        }
    }
    let ds14 = |name| Catalog::shipped().vm("DS14", era(name)).unwrap().entry.vcpus_available;
    assert_eq!((ds14("2016"), ds14("current")), (Some(16), Some(8)));
    let d8 = Catalog::shipped().vm("d8S_V3", Era::current()).unwrap().entry;
    assert_eq!(
        (d8.cached.ios, d8.uncached.ios, d8.uncached_burst.ios),
        (Some(16_000), Some(12_800), Some(16_000))
    );
    assert_eq!((d8.uncached_burst.bytes, d8.cache_size), (Some(400_000_000), Some(Bytes::gib(200))));
    let m5 = Catalog::shipped().vm("M5.large", Era::current()).unwrap().entry;
    assert_eq!((m5.uncached.bytes, m5.uncached_burst.bytes), (Some(81_250_000), Some(593_750_000)));
    assert_eq!((m5.uncached.ios, m5.uncached_burst.ios), (Some(3_600), Some(18_750)));
}

/// AWS, EC2 instance bandwidth weighting: `ebs-1` gives a quarter more EBS baseline; `vpc-1` takes a quarter of the network's
/// baseline (937 Mbit/s of an m8g.large) from EBS (630). IOPS stay.
#[test]
fn a_bandwidth_weighting_moves_bandwidth_and_no_iops() {
    let vm = |name: &str| Catalog::shipped().vm(name, Era::current()).unwrap().entry;
    let (plain, ebs, vpc) = (vm("m8g.large"), vm("m8g.large:ebs-1"), vm("m8g.large:VPC-1"));
    let base = plain.uncached.bytes.unwrap();
    assert_eq!(ebs.uncached.bytes, Some(base * 5 / 4));
    assert_eq!(vpc.uncached.bytes, Some(base - 937 * 125_000 / 4));
    assert_eq!(ebs.uncached_burst, plain.uncached_burst);
    assert_eq!(vpc.uncached_burst.bytes, plain.uncached_burst.bytes.map(|most| most - 937 * 125_000 / 4));
    assert!([&ebs, &vpc].iter().all(|vm| vm.uncached.ios == plain.uncached.ios));
    assert_eq!((ebs.full_name().as_str(), ebs.name.as_str()), ("m8g.large:ebs-1", "m8g.large"));
    let error = |name: &str| Catalog::shipped().vm(name, Era::current()).unwrap_err().to_string();
    assert!(error("m8g.large:ebs-9").contains("ebs-1"), "{}", error("m8g.large:ebs-9"));
    assert!(error("m5.large:ebs-1").contains("no bandwidth weighting"), "{}", error("m5.large:ebs-1"));
    // Where burst and baseline are one figure, the baseline that grew is the most.
    let large = vm("c8a.12xlarge:ebs-1");
    assert_eq!(large.uncached.bytes, large.uncached_burst.bytes);
}

/// "while maintaining the same memory, storage, and I/O bandwidth" as the base size, whose name is that without `-4`.
/// https://learn.microsoft.com/azure/virtual-machines/constrained-vcpu
#[test]
fn a_constrained_size_has_the_storage_limits_of_its_base_size() {
    let sizes = Catalog::shipped().vms().unwrap();
    let base_of = |name: &str| {
        let (head, tail) = name.split_once('-')?;
        Some(format!("{head}{}", tail.trim_start_matches(|letter: char| letter.is_ascii_digit())))
    };
    let mut compared = 0;
    for size in sizes.iter().filter(|size| size.cloud == Cloud::Azure) {
        let Some(name) = base_of(&size.name) else { continue };
        let base = sizes
            .iter()
            .find(|other| other.name == name && other.interface == size.interface)
            .unwrap_or_else(|| panic!("{}: no {name}", size.name));
        let limits = |vm: &VmSize| {
            let remote = [vm.uncached, vm.uncached_burst, vm.uncached_v2, vm.uncached_v2_burst];
            let local =
                [vm.cached, vm.cached_burst, vm.temp.read, vm.temp.write, vm.nvme.read, vm.nvme.write];
            let raw = [vm.raw_uncached_bytes, vm.raw_cached_read_bytes, vm.raw_cached_write_bytes];
            let capacities = (vm.cache_size, vm.temp.count, vm.temp.size, vm.nvme.count, vm.nvme.size);
            (remote, local, raw, capacities, vm.cached_write_bytes, vm.max_data_disks, vm.host_cache)
        };
        assert_eq!(limits(size), limits(base), "{}", size.name);
        compared += 1;
    }
    assert_eq!(compared, 246);
}

#[test]
fn tiers_have_the_published_figures_of_their_era() {
    let tier =
        |name: &str, of: &str| Catalog::shipped().tier(name, Default::default(), era(of)).unwrap().entry;
    for (name, ios, mbps) in [
        ("P1", 120, 25),
        ("P6", 240, 50),
        ("P10", 500, 100),
        ("P15", 1_100, 125),
        ("P20", 2_300, 150),
        ("P30", 5_000, 200),
        ("P40", 7_500, 250),
        ("P60", 16_000, 500),
        ("P80", 20_000, 900),
        ("E60", 2_000, 400),
        ("E80", 6_000, 750),
        ("S50", 500, 60),
        ("S60", 1_300, 300),
        ("S80", 2_000, 500),
    ] {
        let now = tier(name, "current");
        assert_eq!((now.ios, now.bytes), (Some(ios), Some(mbps * 1_000_000)), "{name}");
    }
    assert_eq!(tier("P4", "current").burst, (Some(3_500), Some(170_000_000)));
    assert_eq!(tier("P30", "2016").max_size, Bytes::gib(1_023));
    assert_eq!(tier("E30", "2020-08").bytes, Some(60_000_000));
    assert_eq!(tier("E30", "current").bytes, Some(100_000_000));
    assert_eq!(tier("S10", "current").enforced_bytes.map(|(bytes, _)| bytes), Some(100_000_000));
    assert_eq!(tier("S60", "current").enforced_bytes, None);
}

#[test]
fn an_era_without_a_row_falls_back_to_the_nearest_later_one_and_says_so() {
    let catalog = Catalog::shipped();
    let found = catalog.tier("P40", Default::default(), era("2016")).unwrap();
    assert_eq!(found.entry.era, era("2018-06"));
    assert!(found.notes[0].contains("2018-06"), "{:?}", found.notes);
    let found = catalog.vm("D8s_v3", era("2016")).unwrap();
    assert!(found.notes[0].contains("no figures from 2016"), "{:?}", found.notes);
    assert_eq!(catalog.vm("F4s_v2", era("2020-08")).unwrap().entry.uncached.bytes, Some(47_000_000));
}

/// The figures are of all disks of an instance: AWS's own figures of 100% random reads and writes, which iotune's lie within
/// 15% of. https://docs.aws.amazon.com/ec2/latest/instancetypes/so.html
#[test]
fn instance_store_figures_are_near_those_that_aws_publishes() {
    let catalog = Catalog::shipped();
    for (name, disks, read, write) in [
        ("i3.xlarge", 1, 206_250, 55_000),
        ("i3.16xlarge", 8, 3_300_000, 1_400_000),
        ("i3en.2xlarge", 2, 170_000, 130_000),
        ("i3en.24xlarge", 8, 2_000_000, 1_600_000),
        ("i4i.large", 1, 50_000, 27_500),
        ("i4i.xlarge", 1, 100_000, 55_000),
        ("i4i.8xlarge", 2, 800_000, 440_000),
        ("i4i.32xlarge", 8, 3_200_000, 1_760_000),
    ] {
        let vm = catalog.vm(name, Era::current()).unwrap().entry;
        let near = |measured: Option<u64>, published: u64| {
            measured.is_some_and(|measured| measured.abs_diff(published) * 100 <= published * 15)
        };
        assert_eq!(vm.nvme.count, Some(disks), "{name}");
        assert!(near(vm.nvme.read.ios, read), "{name}: {:?}", vm.nvme.read);
        assert!(near(vm.nvme.write.ios, write), "{name}: {:?}", vm.nvme.write);
        assert_eq!(vm.nvme_source.as_deref(), Some("scylla-aws-io-2025-10"));
    }
    // Nothing is measured of it, and nothing is made up.
    assert!(!catalog.vm("m7gd.xlarge", Era::current()).unwrap().entry.nvme.read.known());
}
