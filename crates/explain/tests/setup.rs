//! Problems that show without a load: a setup for each rule, and the configuration that a setup is.

use iobound_catalog::{CacheSetting, Catalog, Cloud, Configuration, DiskType, Resolved, parse_spec, resolve};
use iobound_explain::setup::{
    Certainty, Layout, Mounted, Partition, Setup, SetupDisk, SetupVolume, Use, propose,
};
use iobound_explain::{Confidence, RULES, setup_findings};
use iobound_measure::result::DeviceFacts;
use iobound_units::Bytes;

/// A data disk that is bought as `spec`.
fn disk(device: &str, lun: u32, spec: &str, cache: CacheSetting) -> SetupDisk {
    let request = parse_spec(spec).unwrap();
    let kind = match request.what {
        iobound_catalog::What::Sized { disk, .. } | iobound_catalog::What::TierFor { disk, .. } => Some(disk),
        _ => Some(DiskType::Premium),
    };
    let facts: DeviceFacts = serde_of(device);
    SetupDisk {
        used_for: Some(Use::Data),
        lun: Some(lun),
        disk: kind,
        spec: Some(spec.to_string()),
        figures: (Certainty::Assumed, "by type and size".to_string()),
        cache: Some(cache),
        ..SetupDisk::bare(facts)
    }
}

fn serde_of(device: &str) -> DeviceFacts {
    DeviceFacts {
        name: device.to_string(),
        targets: Vec::new(),
        kind: Some("scsi".to_string()),
        model: None,
        size_bytes: Some(1 << 40),
        scheduler: None,
        read_ahead_kib: Some(128),
        queue_requests: None,
        hardware_queues: None,
        max_request_kib: None,
        max_hardware_request_kib: None,
        rotational: None,
        logical_sector: Some(512),
        physical_sector: Some(4096),
        write_cache: None,
        made_of: Vec::new(),
        counters: None,
    }
}

fn volume(name: &str, layout: Layout, disks: &[SetupDisk], point: &str, option: &str) -> SetupVolume {
    SetupVolume {
        name: name.to_string(),
        device: name.to_string(),
        kind: "lvm".to_string(),
        layout,
        told_by: "device-mapper table".to_string(),
        disks: disks.iter().map(|disk| disk.device().to_string()).collect(),
        read_ahead_kib: Some(128),
        mounts: vec![Mounted {
            point: point.to_string(),
            filesystem: "ext4".to_string(),
            options: vec!["rw".to_string(), option.to_string()],
            start_bytes: 0,
            label: None,
            allocation_unit: None,
        }],
    }
}

fn striped(columns: u32) -> Layout {
    Layout::Striped { columns, interleave: 65_536 }
}

fn setup(vm: &str, disks: Vec<SetupDisk>, volumes: Vec<SetupVolume>) -> Setup {
    Setup { cloud: Some(Cloud::Azure), vm: Some(vm.to_string()), disks, volumes, ..Setup::default() }
}

/// Four disks on a VM, as a stripe.
fn four(vm: &str, spec: &str, cache: CacheSetting) -> Setup {
    let disks: Vec<SetupDisk> =
        (0..4).map(|lun| disk(&format!("sd{}", char::from(b'c' + lun as u8)), lun, spec, cache)).collect();
    let volume = volume("md0", striped(4), &disks, "/data", "relatime");
    setup(vm, disks, vec![volume])
}

/// The configuration that a setup is, as the program resolves it.
fn resolved(setup: &Setup) -> Resolved {
    let catalog = Catalog::shipped();
    let proposal = propose(setup, &catalog);
    let mut configuration = Configuration::of(proposal.vm.as_deref().unwrap());
    configuration.volumes = proposal.volumes.iter().map(|volume| parse_spec(&volume.spec).unwrap()).collect();
    resolve(&configuration, &catalog).unwrap()
}

fn rules(setup: &Setup) -> Vec<&'static str> {
    setup_findings(setup, Some(&resolved(setup)), &Catalog::shipped())
        .iter()
        .map(|finding| finding.rule)
        .collect()
}

/// A case for each rule: its name, and a setup that it finds.
fn cases() -> Vec<(&'static str, Setup)> {
    use CacheSetting::{None as Off, ReadOnly, ReadWrite};
    let mut cases = Vec::new();
    let with = |change: fn(&mut Setup)| {
        // Four P30 are 800 MB/s and 20,000 IOPS; an E32s_v3 lets 768 MB/s and 51,200 through.
        let mut setup = four("Standard_E32s_v3", "P30", Off);
        change(&mut setup);
        setup
    };
    cases.push(("read-ahead", with(|setup| setup.disks[1].facts.read_ahead_kib = Some(65_536))));
    cases.push(("linear-volume", with(|setup| setup.volumes[0].layout = Layout::Linear)));
    cases.push(("fewer-columns", with(|setup| setup.volumes[0].layout = striped(2))));
    cases.push(("hot-member", with(|setup| setup.disks[3].spec = Some("P20".to_string()))));
    cases.push((
        "stripe-misaligned",
        with(|setup| {
            // Sector 63.
            setup.disks[0].partitions = vec![Partition { device: "sdc1".to_string(), start_bytes: 63 * 512 }];
        }),
    ));
    cases.push((
        "file-system",
        with(|setup| setup.volumes[0].mounts[0].options.push("nobarrier".to_string())),
    ));
    cases.push((
        "write-under-read-cache",
        with(|setup| {
            setup.volumes[0].mounts[0].point = "/srv/pg_wal".to_string();
            setup.disks.iter_mut().for_each(|disk| disk.cache = Some(ReadOnly));
        }),
    ));
    cases.push((
        "cache-flush-stall",
        with(|setup| {
            setup.disks.iter_mut().for_each(|disk| disk.cache = Some(ReadWrite));
        }),
    ));
    // openshift/installer#4326: 128 MB/s cached, 192 uncached.
    cases.push(("vm-cached-throughput", four("Standard_D8s_v3", "P30", ReadOnly)));
    // 4 × 200 MB/s of which 192 pass.
    cases.push(("unreachable", four("Standard_D8s_v3", "P30", Off)));
    // Four P10 are 2,000 IOPS and 400 MB/s of 51,200 and 768... of a DS14's throughput only half: one is a quarter.
    let p10 = vec![disk("sdc", 0, "P10", Off)];
    cases.push(("vm-unused", setup("Standard_DS14", p10, Vec::new())));
    cases.push(("filter-driver", with(|setup| setup.virus_scanners = vec!["WdFilter".to_string()])));
    cases.push(("redundant-volume", with(|setup| setup.volumes[0].layout = Layout::Mirrored)));
    cases.push(("allocation-unit", with(|setup| setup.volumes[0].mounts[0].allocation_unit = Some(4_096))));
    cases.push(("provisioned-default", four("Standard_D8s_v6", "premiumv2@1TiB", Off)));
    cases.push(("burst-spent-disk", four("Standard_E32s_v3", "P10", Off)));
    let gp3 = vec![disk("nvme1n1", 0, "gp3@500GiB", Off)];
    let ec2 = Setup { cloud: Some(Cloud::Aws), ..setup("m5.large", gp3, Vec::new()) };
    cases.push(("burst-spent-vm", ec2));
    cases
}

#[test]
fn every_rule_finds_its_own_case_and_stays_silent_on_a_good_setup() {
    let cases = cases();
    for (rule, setup) in &cases {
        let found = rules(setup);
        assert!(found.contains(rule), "{rule}: {found:?}");
    }
    let unloaded = RULES.iter().filter(|rule| rule.works_unloaded());
    let untried: Vec<_> = unloaded.filter(|rule| cases.iter().all(|(name, _)| *name != rule.name)).collect();
    assert!(untried.is_empty(), "{untried:?}");
    // 800 MB/s of 768: as much as the VM lets through, in a stripe over all of them, without a cache.
    let good = rules(&four("Standard_E32s_v3", "P30", CacheSetting::None));
    assert!(good.is_empty(), "{good:?}");
}

#[test]
fn an_allocation_unit_fits_an_interleave_that_it_divides() {
    // SQL Server on Azure VMs: 64 KiB on an interleave of 64 KiB, or of 256 KiB for warehouses.
    for (unit, interleave, confidence) in [
        (65_536, 65_536, None),
        (65_536, 262_144, None),
        (4_096, 262_144, Some(Confidence::Possible)),
        (65_536, 16_384, Some(Confidence::Likely)),
        (2_097_152, 65_536, Some(Confidence::Likely)),
    ] {
        let mut setup = four("Standard_E32s_v3", "P30", CacheSetting::None);
        setup.volumes[0].layout = Layout::Striped { columns: 4, interleave };
        setup.volumes[0].mounts[0].allocation_unit = Some(unit);
        let found = setup_findings(&setup, Some(&resolved(&setup)), &Catalog::shipped());
        let own = found.iter().find(|finding| finding.rule == "allocation-unit");
        assert_eq!(own.map(|finding| finding.confidence), confidence, "{unit} on {interleave}");
    }
}

#[test]
fn a_systems_own_log_is_no_databases() {
    let mut setup = four("Standard_E32s_v3", "P30", CacheSetting::ReadOnly);
    setup.volumes[0].mounts[0].point = "/var/log".to_string();
    assert!(!rules(&setup).contains(&"write-under-read-cache"));
}

#[test]
fn a_stripe_is_one_volume_and_its_disks_have_its_name() {
    let setup = four("Standard_D8s_v3", "P30", CacheSetting::ReadOnly);
    let proposal = propose(&setup, &Catalog::shipped());
    assert_eq!(proposal.volumes[0].spec, "md0=4xP30:readonly");
    assert_eq!((proposal.interleave, proposal.columns), (Some(Bytes::kib(64)), None));
    let names: Vec<String> = proposal.disk_names().into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["md0.0", "md0.1", "md0.2", "md0.3"]);
}

#[test]
fn a_linear_volume_is_as_many_volumes_as_disks_and_fewer_columns_are_kept() {
    let mut setup = four("Standard_D8s_v3", "P30", CacheSetting::None);
    setup.volumes[0].layout = Layout::Linear;
    let proposal = propose(&setup, &Catalog::shipped());
    assert_eq!((proposal.volumes.len(), proposal.volumes[3].spec.as_str()), (4, "md0-3=P30"));
    setup.volumes[0].layout = striped(2);
    let proposal = propose(&setup, &Catalog::shipped());
    assert_eq!((proposal.volumes.len(), proposal.columns), (1, Some(2)));
    // A disk beside it fits no stripe of two columns, and the file has one number of columns for all.
    setup.disks.push(disk("sdg", 4, "P20", CacheSetting::None));
    let proposal = propose(&setup, &Catalog::shipped());
    assert_eq!((proposal.volumes.len(), proposal.columns), (2, None));
    assert!(proposal.notes.iter().any(|note| note.contains("columns")), "{:?}", proposal.notes);
}

#[test]
fn a_cache_whose_limit_is_not_published_is_left_out_and_said() {
    // No size with 160 vCPUs has a published cached limit.
    let setup = four("Standard_D160as_v7", "P30", CacheSetting::ReadOnly);
    let proposal = propose(&setup, &Catalog::shipped());
    assert_eq!(proposal.volumes[0].spec, "md0=4xP30");
    // The sizes with the vCPUs and memory of this one give a range.
    let setup = four("Standard_D8s_v5", "P30", CacheSetting::ReadOnly);
    assert_eq!(propose(&setup, &Catalog::shipped()).volumes[0].spec, "md0=4xP30:readonly");
    assert!(proposal.notes.iter().any(|note| note.contains("not published")), "{:?}", proposal.notes);
}

#[test]
fn what_is_not_known_is_left_out_and_a_size_that_nobody_knows_is_none() {
    let mut setup = four("Standard_D8s_v3", "P30", CacheSetting::None);
    setup.disks[0].spec = None;
    let proposal = propose(&setup, &Catalog::shipped());
    assert!(proposal.volumes.is_empty() && !proposal.is_whole() && !proposal.notes.is_empty());
    setup.vm = Some("Standard_Q9s_v99".to_string());
    let proposal = propose(&setup, &Catalog::shipped());
    assert!(proposal.vm.is_none() && proposal.notes[0].contains("Q9s_v99"), "{:?}", proposal.notes);
}
