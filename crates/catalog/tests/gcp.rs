//! Google Cloud: the vectors of its documentation, the bounds of what may be provisioned, and what is refused.

use iobound_catalog::{Catalog, Configuration, Os, Price, Resolved, parse_spec, resolve};
use iobound_model::{Blueprint, Dimension, DiskSpec, LimiterId};
use iobound_units::Op;

const MIB: u64 = 1 << 20;

fn build_in(era: Option<&str>, vm: &str, disks: &[&str]) -> Result<Resolved, String> {
    let mut configuration = Configuration::of(vm);
    configuration.era = era.map(str::to_string);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    resolve(&configuration, &Catalog::shipped()).map_err(|error| error.to_string())
}

fn build(vm: &str, disks: &[&str]) -> Resolved {
    build_in(None, vm, disks).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(vm: &str, disk: &str) -> String {
    build_in(None, vm, &[disk]).unwrap_err()
}

fn least(blueprint: &Blueprint, limiters: &[LimiterId], dimension: Dimension) -> u64 {
    let limits =
        limiters.iter().filter_map(|limiter| blueprint.limiters[usize::from(limiter.0)].limit(dimension));
    limits.map(|limit| limit.published).min().unwrap_or(u64::MAX)
}

/// IOPS and MiB/s that a disk lets through in one direction.
fn lets(resolved: &Resolved, disk: usize, op: Op) -> (u64, u64) {
    let disk: &DiskSpec = &resolved.blueprint.disks[disk];
    let route = disk.media_route(op);
    (
        least(&resolved.blueprint, route, Dimension::Ios),
        least(&resolved.blueprint, route, Dimension::Bytes) / MIB,
    )
}

fn of_limiter(resolved: &Resolved, name: &str) -> (Option<u64>, Option<u64>) {
    let limiter = resolved.blueprint.limiters.iter().find(|limiter| limiter.name.to_string() == name);
    let limiter = limiter.unwrap_or_else(|| panic!("no limiter {name}: {:?}", resolved.blueprint.limiters));
    let limit = |dimension| limiter.limit(dimension).map(|limit| limit.published);
    (limit(Dimension::Ios), limit(Dimension::Bytes).map(|bytes| bytes / MIB))
}

#[test]
fn persistent_disks_grow_with_their_size_up_to_the_machine() {
    // 3,000 + 6 x 100; 140 + 0.28 x 100.
    let balanced = build("n2-standard-8", &["pd-balanced@100GiB"]);
    assert_eq!(lets(&balanced, 0, Op::Read), (3_600, 168));
    assert_eq!(lets(&balanced, 0, Op::Write), (3_600, 168));
    // 0.75, 1.5 and 0.12 a GiB.
    let standard = build("n2-standard-8", &["pd-standard@100GiB"]);
    assert_eq!(lets(&standard, 0, Op::Read), (75, 12));
    assert_eq!(lets(&standard, 0, Op::Write), (150, 12));
    // 6,000 + 30 x 1,000; 240 + 0.48 x 1,000.
    for vm in ["n2-standard-16", "n2-highmem-16"] {
        let ssd = build(vm, &["pd-ssd@1000GiB"]);
        assert_eq!(of_limiter(&ssd, "disk:data").0, Some(36_000));
        assert_eq!(of_limiter(&ssd, "disk:data.read").1, Some(720));
        assert_eq!(of_limiter(&ssd, "vm.disks:pd-ssd").0, Some(25_000));
        assert_eq!(of_limiter(&ssd, "vm.disks:pd-ssd.read").1, Some(1_200));
        assert_eq!(lets(&ssd, 0, Op::Read), (25_000, 720));
    }
}

#[test]
fn disks_of_one_type_share_one_pool_on_the_vm() {
    // Three disks of 100 GiB are one pool of 300: 3,000 + 6 x 300, not three times 3,600.
    for disks in [&["3xpd-balanced@100GiB"][..], &["a=pd-balanced@100GiB", "b=2xpd-balanced@100GiB"]] {
        let resolved = build("n2-standard-8", disks);
        assert_eq!(of_limiter(&resolved, "disk:pd-balanced").0, Some(4_800));
        assert_eq!(
            resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == "disk").count(),
            3
        );
        for disk in 0..3 {
            assert_eq!(lets(&resolved, disk, Op::Read), (4_800, 224));
        }
    }
}

#[test]
fn reads_and_writes_share_the_iops_and_on_ssds_not_the_throughput() {
    let ssd = build("n2-standard-8", &["pd-ssd@500GiB"]);
    assert_eq!(of_limiter(&ssd, "disk:data"), (Some(21_000), None));
    assert_eq!(of_limiter(&ssd, "disk:data.read"), (None, Some(480)));
    assert_eq!(of_limiter(&ssd, "disk:data.write"), (None, Some(480)));
    let standard = build("n2-standard-8", &["pd-standard@1000GiB"]);
    assert_eq!(of_limiter(&standard, "disk:data"), (Some(1_500), Some(120)));
    assert_eq!(of_limiter(&standard, "disk:data.read"), (Some(750), None));
    let hyperdisk = build("c4d-standard-8", &["hyperdisk-balanced@500GiB"]);
    assert_eq!(of_limiter(&hyperdisk, "disk:data"), (Some(3_600), Some(290)));
}

#[test]
fn several_types_on_one_vm_share_one_limit_over_all() {
    let resolved = build("n2-standard-16", &["a=pd-ssd@1000GiB", "b=pd-standard@10000GiB"]);
    // pd-ssd has the most: 25,000 and 1,200.
    assert_eq!(of_limiter(&resolved, "vm.disks:all"), (Some(25_000), None));
    assert_eq!(of_limiter(&resolved, "vm.disks:all.read"), (None, Some(1_200)));
    assert!(resolved.assumed.iter().any(|assumption| assumption.what().contains("over all disk types")));
    assert!(resolved.blueprint.disks.iter().all(|disk| disk.routes.read.len() <= 6));
}

#[test]
fn hyperdisk_balanced_has_its_bounds() {
    let of = |disk: &str| build("c4d-standard-384", &[disk]);
    assert_eq!(lets(&of("hyperdisk-balanced@10GiB+5000iops+140MiB/s"), 0, Op::Read), (5_000, 140));
    assert!(refused("c4d-standard-384", "hyperdisk-balanced@10GiB+5001iops").contains("3,000 to 5,000 IOPS"));
    assert_eq!(lets(&of("hyperdisk-balanced@320GiB+160000iops+2400MiB/s"), 0, Op::Read), (160_000, 2_400));
    assert!(refused("c4d-standard-384", "hyperdisk-balanced@319GiB+160000iops").contains("159,500"));
    // 5 GiB x 500: the most is the least as well.
    assert!(refused("c4d-standard-384", "hyperdisk-balanced@5GiB+3000iops").contains("2,500 to 2,500"));
    assert_eq!(lets(&of("hyperdisk-balanced@5GiB"), 0, Op::Read), (2_500, 290));
    // 2,400 MiB/s needs 9,600 IOPS.
    let message = refused("c4d-standard-384", "hyperdisk-balanced@100GiB+9599iops+2400MiB/s");
    assert!(message.contains("9,600 IOPS"), "{message}");
    assert_eq!(lets(&of("hyperdisk-balanced@100GiB+9600iops+2400MiB/s"), 0, Op::Read), (9_600, 2_400));
    let message = refused("c4d-standard-384", "hyperdisk-balanced@10GiB+2400MiB/s");
    assert!(message.contains("9,600 IOPS") && message.contains("20 GiB"), "{message}");
    // At least a MiB/s for 256 provisioned IOPS: 102,400 / 256 = 400.
    let message = refused("c4d-standard-384", "hyperdisk-balanced@1TiB+102400iops+399MiB/s");
    assert!(message.contains("400 MiB/s"), "{message}");
    assert!(refused("c4d-standard-384", "hyperdisk-balanced@3GiB").contains("4 GiB to 65536 GiB"));
}

#[test]
fn a_machine_lets_the_sum_of_its_hyperdisks_through_up_to_its_limit() {
    let of = |count: u64| format!("{count}xhyperdisk-balanced@1TiB+9600iops+2400MiB/s");
    let sum = |resolved: &Resolved, count: u64| {
        let own = of_limiter(resolved, "disk:data.0").1.unwrap() * count;
        own.min(of_limiter(resolved, "vm.disks:hyperdisk-balanced").1.unwrap())
    };
    // 12,500 / 2,400 = 5.2: six volumes.
    assert_eq!(sum(&build("c4d-standard-384", &[&of(5)]), 5), 12_000);
    assert_eq!(sum(&build("c4d-standard-384", &[&of(6)]), 6), 12_500);
    assert_eq!(sum(&build("c4d-standard-96", &[&of(2)]), 2), 3_125);
}

#[test]
fn hyperdisk_throughput_extreme_and_ml_have_theirs() {
    let c4 = "c4-standard-192";
    // 5 TiB: 5 x 5 to 90 x 5 MiB/s, and 4 IOPS for each.
    assert_eq!(lets(&build(c4, &["hyperdisk-throughput@5TiB+450MiB/s"]), 0, Op::Read), (1_800, 450));
    assert_eq!(lets(&build(c4, &["hyperdisk-throughput@5TiB+25MiB/s"]), 0, Op::Read), (100, 25));
    for figure in ["24MiB/s", "451MiB/s"] {
        let message = refused(c4, &format!("hyperdisk-throughput@5TiB+{figure}"));
        assert!(message.contains("25 MiB/s to 450 MiB/s"), "{message}");
    }
    assert_eq!(lets(&build(c4, &["hyperdisk-throughput@2TiB"]), 0, Op::Read), (720, 180));
    assert!(refused(c4, "hyperdisk-throughput@5TiB+2000iops").contains("follows from its throughput"));
    assert!(refused(c4, "hyperdisk-throughput@1TiB").contains("2048 GiB"));
    // 32 TiB: 2,400 MiB/s and 9,600 IOPS at most.
    assert_eq!(lets(&build(c4, &["hyperdisk-throughput@32TiB+2400MiB/s"]), 0, Op::Read), (9_600, 2_400));
    // 250 MiB/s for each 1,000 IOPS; at least 2 a GiB.
    assert_eq!(lets(&build(c4, &["hyperdisk-extreme@1TiB+10000iops"]), 0, Op::Read), (10_000, 2_500));
    assert_eq!(lets(&build(c4, &["hyperdisk-extreme@1TiB+350000iops"]), 0, Op::Read), (350_000, 5_000));
    assert_eq!(lets(&build(c4, &["hyperdisk-extreme@1TiB"]), 0, Op::Read).0, 100_000);
    assert!(refused(c4, "hyperdisk-extreme@1TiB+2047iops").contains("2,048 to 350,000"));
    assert!(refused(c4, "hyperdisk-extreme@1TiB+3000iops+500MiB/s").contains("follows from its IOPS"));
    assert!(refused(c4, "9xhyperdisk-extreme@1TiB+3000iops").contains("8 of that type"));
    // 16 IOPS for each MiB/s; 1,600 MiB/s a GiB below 1,000 GiB; 24 MiB/s a GiB where none is given, 400 at least.
    assert_eq!(of_limiter(&build(c4, &["hyperdisk-ml@100GiB"]), "disk:data"), (Some(38_400), Some(2_400)));
    assert_eq!(of_limiter(&build(c4, &["hyperdisk-ml@4GiB"]), "disk:data"), (Some(6_400), Some(400)));
    assert!(refused(c4, "hyperdisk-ml@100GiB+160001MiB/s").contains("throughput must be 400 MiB/s to"));
    let most = build(c4, &["hyperdisk-ml@1000GiB+2097152MiB/s"]);
    assert_eq!(most.disks[0].bytes, Some(2_097_152 * MIB));
    // The volume is there for many machines: one moves what its own limit lets through.
    assert_eq!(lets(&most, 0, Op::Read), (500_000, 10_000));
}

#[test]
fn limits_that_changed_in_2026_are_those_of_their_day() {
    let bytes = |era: &str, vm: &str, disk: &str, limiter: &str| {
        of_limiter(&build_in(Some(era), vm, &[disk]).unwrap(), limiter).1.unwrap()
    };
    for (vcpus, before, after) in [(96, 2_800, 3_125), (192, 4_800, 6_250), (384, 10_000, 12_500)] {
        let vm = format!("c4d-standard-{vcpus}");
        let at = |era| bytes(era, &vm, "hyperdisk-balanced@1TiB", "vm.disks:hyperdisk-balanced");
        assert_eq!([at("2026-07-27"), at("2026-07-28"), at("current")], [before, after, after]);
    }
    let ha = "hyperdisk-balanced-ha@1TiB+9600iops+2400MiB/s";
    assert!(build_in(Some("2026-03-23"), "c3-standard-176", &[ha]).unwrap_err().contains("1,200 MiB/s"));
    assert_eq!(bytes("2026-03-24", "c3-standard-176", ha, "disk:data"), 2_400);
    let ml = "hyperdisk-ml@1000GiB+1200001MiB/s";
    assert!(build_in(Some("2026-03-30"), "c4-standard-192", &[ml]).is_err());
    assert!(build_in(Some("2026-03-31"), "c4-standard-192", &[ml]).is_ok());
}

#[test]
fn what_is_not_known_or_not_taken_is_refused_with_the_reason() {
    let message = refused("c3-standard-8", "hyperdisk-balanced@100GiB");
    assert!(message.contains("hyperdisk_balanced_iops") && message.contains("no page"), "{message}");
    assert!(refused("c4d-standard-8", "pd-ssd@100GiB").contains("takes no disks of that type"));
    assert!(refused("c4d-standard-8", "hyperdisk-extreme@100GiB").contains("64 vCPUs"));
    // Series whose page lists the types that they take: others are refused, not unknown.
    for (vm, disk) in [
        ("c4-standard-8", "pd-balanced@100GiB"),
        ("n4-standard-8", "hyperdisk-extreme@100GiB"),
        ("c2-standard-8", "hyperdisk-balanced@100GiB"),
        ("e2-standard-8", "hyperdisk-throughput@2TiB"),
        ("t2a-standard-8", "hyperdisk-ml@100GiB"),
        ("m4-megamem-28", "hyperdisk-balanced-ha@100GiB"),
        ("c3-standard-8", "pd-standard@100GiB"),
    ] {
        let message = refused(vm, disk);
        assert!(message.contains("takes no disks of that type"), "{vm} {disk}: {message}");
    }
    for (vm, disk) in
        [("n4-standard-8", "hyperdisk-balanced@100GiB"), ("c3d-standard-60", "hyperdisk-extreme@100GiB")]
    {
        assert!(refused(vm, disk).contains("no page that can be read"), "{vm} {disk}");
    }
    assert!(refused("n2-standard-8", "pd-ssd@100GiB+5000iops").contains("total size"));
    assert!(refused("n2-standard-8", "pd-extreme-regional@1TiB").contains("one zone"));
    assert!(refused("c4d-standard-2", "5xhyperdisk-balanced@100GiB").contains("maximum is 4"));
    // 257 TiB on all disks of a machine, or 512; 3 TiB on one that shares a core.
    assert!(refused("f1-micro", "pd-standard@4TiB").contains("3,072 GiB at most"));
    assert!(refused("n2-standard-8", "gp3@100GiB").contains("sold by aws"));
    let message = refused("a4x-highgpu-4g", "nvme");
    assert!(message.contains("nvme_read_iops"), "{message}");
}

#[test]
fn limits_that_one_source_states_of_single_machines_hold_for_these_alone() {
    // cloud-image-tests, storage_perf_utils.go; the machines of Hyperdisk ML of 2026-04-09.
    for (vm, kind, disk, ios, mib) in [
        ("c3-standard-88", "hyperdisk-extreme", "@1TiB", 350_000, 5_000),
        ("c3d-standard-180", "hyperdisk-extreme", "@1TiB", 350_000, 5_000),
        ("n2-standard-80", "hyperdisk-extreme", "@1TiB", 160_000, 5_000),
        ("n4-standard-48", "hyperdisk-balanced", "@1TiB", 160_000, 2_400),
        ("n4-standard-64", "hyperdisk-balanced", "@1TiB", 160_000, 3_000),
        ("a3-ultragpu-8g", "hyperdisk-ml", "@1TiB", 64_000, 4_000),
        ("c3d-standard-4", "hyperdisk-ml", "@100GiB", 6_400, 400),
        ("c3d-highmem-360", "hyperdisk-ml", "@1TiB", 38_400, 2_400),
    ] {
        let resolved = build(vm, &[&format!("{kind}{disk}")]);
        assert_eq!(of_limiter(&resolved, &format!("vm.disks:{kind}")), (Some(ios), Some(mib)), "{vm}");
    }
    for (vm, disk) in [
        ("c3-highmem-88", "hyperdisk-extreme@1TiB"),
        ("n4-standard-80", "hyperdisk-balanced@100GiB"),
        ("c3d-standard-8", "hyperdisk-ml@100GiB"),
    ] {
        assert!(refused(vm, disk).contains("no page that can be read"), "{vm} {disk}");
    }
}

#[test]
fn figures_of_ones_own_fill_what_is_not_known() {
    let file = "[[vm]]\nmachine_type = \"c3-standard-8\"\nhyperdisk_balanced_iops = 50000\nhyperdisk_balanced_mibps = 800\n";
    let catalog = Catalog::shipped().with_user("mine.toml", file).unwrap();
    let mut configuration = Configuration::of("c3-standard-8");
    configuration.volumes = vec![parse_spec("hyperdisk-balanced@1TiB+80000iops+1600MiB/s").unwrap()];
    let resolved = resolve(&configuration, &catalog).unwrap();
    assert_eq!(lets(&resolved, 0, Op::Read), (50_000, 800));
}

#[test]
fn writes_on_n1_are_bounded_by_the_egress() {
    // 250 MB/s / 1.16 = 215.5 MB/s, above the machine's 204 MiB/s; a regional disk has 250 / 2.32 = 107.8 MB/s.
    let zonal = build("n1-standard-1", &["pd-ssd@1TiB"]);
    assert_eq!(lets(&zonal, 0, Op::Write).1, 204);
    let regional = build("n1-standard-1", &["pd-ssd-regional@1TiB"]);
    assert_eq!(of_limiter(&regional, "vm.disks:pd-ssd.write").1, Some(107_758_620 / MIB));
    assert_eq!(lets(&regional, 0, Op::Read).1, 240);
}

#[test]
fn a_regional_disk_is_named_so_and_reads_back() {
    let of = |spec: &str| build("n2-standard-8", &[spec]).disks[0].described.clone();
    assert_eq!(of("pd-ssd@100GiB"), "pd-ssd@100GiB");
    assert_eq!(of("pd-ssd-regional@100GiB"), "pd-ssd-regional@100GiB");
    assert_eq!(of(&of("pd-balanced-regional@100GiB")), "pd-balanced-regional@100GiB");
    // Other clouds sell these in one zone only, and do not take the suffix in silence.
    let elsewhere = [
        ("D8s_v5", "premiumv2-zrs@100GiB"),
        ("D8s_v5", "ultra-zrs@100GiB"),
        ("m5.large", "gp3-regional@100GiB"),
    ];
    for (vm, spec) in elsewhere {
        assert!(refused(vm, spec).contains("sold in one zone only"), "{spec}");
    }
}

/// Hyperdisk overview, 2026-08-26: 100 GiB, and of Extreme 1 TiB. No page states a default for the others.
#[test]
fn a_volume_without_a_size_has_googles_default_and_says_so() {
    for (vm, spec, gib) in [
        ("c4d-standard-8", "hyperdisk-balanced", 100),
        ("c3-standard-88", "hyperdisk-balanced-ha", 100),
        ("c3-standard-88", "hyperdisk-extreme", 1_024),
    ] {
        let resolved = build(vm, &[spec]);
        assert_eq!(resolved.disks[0].size.get() >> 30, gib, "{spec}");
        let size =
            resolved.assumed.iter().find(|one| one.what().starts_with("size of ")).expect("an assumption");
        assert_eq!(size.value, resolved.disks[0].size.to_string());
        let said = format!("{spec}@{gib}GiB");
        assert!(resolved.disks[0].described.starts_with(&said), "{}", resolved.disks[0].described);
        let given = build(vm, &[said.as_str()]);
        assert!(given.assumed.iter().all(|one| !one.what().starts_with("size of ")), "{spec}");
        assert_eq!(given.disks, resolved.disks);
    }
    for (vm, spec) in [("c3-standard-8", "hyperdisk-throughput"), ("m5.large", "gp3")] {
        assert_eq!(refused(vm, spec), format!("--disk `{spec}`: a size is missing: {spec}@1TiB"));
    }
}

#[test]
fn a_type_that_a_series_does_not_take_is_refused_with_those_that_it_takes() {
    assert!(refused("c4-standard-8", "pd-ssd@100GiB").contains("use hyperdisk-balanced or"));
    assert!(refused("n1-standard-4", "hyperdisk-throughput@2TiB").contains("use pd-standard or"));
    // Google calls the machine's own disks so.
    assert_eq!(parse_spec("2xlocal-ssd").unwrap().what, parse_spec("2xnvme").unwrap().what);
}

#[test]
fn what_nobody_published_is_a_guess() {
    let guesses = |vm: &str, spec: &str| -> Vec<String> {
        build(vm, &[spec]).guesses().map(|guess| guess.what()).collect()
    };
    let of_google = guesses("n2-standard-8", "pd-standard@1TiB");
    for what in ["algorithm of gcp-vm limiters", "media standard Persistent Disk read"] {
        assert!(of_google.iter().any(|guess| guess == what), "{what}: {of_google:?}");
    }
    // Google publishes 10 to 30 ms of Hyperdisk Throughput, and limits of AWS were measured.
    assert!(
        guesses("c4-standard-192", "hyperdisk-throughput@2TiB")
            .iter()
            .all(|guess| !guess.starts_with("media"))
    );
    assert!(guesses("m5.large", "gp3@100GiB").iter().all(|guess| guess.starts_with("merging")));
    assert_eq!(guesses("D8s_v5", "P30"), ["algorithm of azure-vm limiters"]);
}

#[test]
fn enforcement_is_a_stated_assumption() {
    let resolved = build("n2-standard-8", &["pd-ssd@100GiB"]);
    let said = resolved.assumed.iter().find(|of| of.what() == "algorithm of gcp-vm limiters").unwrap();
    assert_eq!(said.value, "a bucket of 1 s");
    assert!(said.why.starts_with("assumption"), "{}", said.why);
}

#[test]
fn custom_machine_types_and_chosen_local_ssds_have_the_limits_of_their_series_and_number() {
    let custom = build("n2-custom-16-65536", &["pd-ssd@1000GiB"]);
    assert_eq!(lets(&custom, 0, Op::Read), lets(&build("n2-standard-16", &["pd-ssd@1000GiB"]), 0, Op::Read));
    assert_eq!(custom.vm.memory, Some(iobound_units::Bytes(65_536 * MIB)));
    assert!(refused("n2-custom-7-8192", "pd-ssd@100GiB").contains("6 or 8"));
    // 680,000 and 360,000 IOPS, 2,650 and 1,400 MiB/s of eight.
    let local = build("n2-standard-32", &["8xnvme"]);
    assert_eq!((lets(&local, 0, Op::Read), lets(&local, 0, Op::Write)), ((85_000, 331), (45_000, 175)));
    let message = refused("n2-standard-32", "9xnvme");
    assert!(message.contains("4, 8, 16, 24"), "{message}");
    // N4 has custom machine types too; no page that can be read has its limits.
    assert!(refused("n4-custom-6-12288", "hyperdisk-balanced@100GiB").contains("no page"));
    assert!(refused("n4-custom-7-14336", "hyperdisk-balanced@100GiB").contains("6 or 8"));
    assert!(refused("n4-custom-8-8192", "hyperdisk-balanced@100GiB").contains("16384 to 65536"));
    assert!(refused("e2-standard-4", "nvme").contains("no local NVMe disk"));
}

#[test]
fn local_ssds_have_the_published_figures_of_their_series_and_number() {
    for (vm, disks, ios, mib) in [
        // Titanium SSDs: IOPS and MiB/s of all of them, read and written.
        ("c4-standard-8-lssd", "nvme", [150_000, 75_000], [625, 330]),
        ("c4-highmem-32-lssd", "5xnvme", [750_000, 375_000], [3_125, 1_650]),
        ("c4-standard-288-lssd", "48xnvme", [7_200_000, 3_600_000], [30_000, 15_840]),
        ("c4-standard-288-lssd-metal", "6xnvme", [7_200_000, 3_600_000], [30_000, 15_840]),
        ("c4a-standard-32-lssd", "6xnvme", [900_000, 450_000], [3_900, 1_980]),
        ("c4d-standard-384-lssd", "32xnvme", [4_800_000, 2_400_000], [20_000, 10_560]),
        ("h4d-highmem-192-lssd", "10xnvme", [1_500_000, 750_000], [6_250, 3_300]),
        ("z3-highmem-14-standardlssd", "nvme", [750_000, 500_000], [3_000, 2_500]),
        ("z3-highmem-192-highlssd-metal", "12xnvme", [9_000_000, 6_000_000], [36_000, 30_000]),
        // Local SSDs of 375 GiB with NVMe: four to eight have the limits of four.
        ("c3-standard-22-lssd", "4xnvme", [680_000, 360_000], [2_650, 1_400]),
        ("c3d-standard-360-lssd", "32xnvme", [3_200_000, 1_600_000], [12_480, 6_240]),
        ("a3-highgpu-8g", "16xnvme", [1_600_000, 800_000], [6_240, 3_120]),
        ("n2-standard-32", "4xnvme", [680_000, 360_000], [2_650, 1_400]),
        ("g4-standard-48", "4xnvme", [600_000, 300_000], [2_500, 1_320]),
    ] {
        let resolved = build(vm, &[disks]);
        let count = u64::try_from(resolved.disks.len()).unwrap();
        let each = |all: u64| all / count;
        let expected = [0, 1].map(|way| (each(ios[way]), each(mib[way] * MIB) / MIB));
        assert_eq!([lets(&resolved, 0, Op::Read), lets(&resolved, 0, Op::Write)], expected, "{vm}");
    }
    // 12 and 24 vCPUs of G4 have one and two, of which the page states no figures.
    assert!(refused("g4-standard-12", "nvme").contains("nvme_read_iops"));
}

#[test]
fn what_few_vcpus_reach_of_local_ssds_is_an_assumption() {
    let said = |vm: &str, disks: &str| {
        build(vm, &[disks]).assumed.iter().any(|of| of.what().starts_with("limits of the local SSDs"))
    };
    assert!(
        said("n2-standard-8", "nvme") && said("n1-standard-16", "4xnvme") && said("a2-highgpu-1g", "nvme")
    );
    assert!(!said("n2-standard-32", "4xnvme") && !said("n1-standard-32", "4xnvme"));
    assert!(!said("c2-standard-8", "nvme") && !said("c3-standard-8-lssd", "2xnvme"));
}

fn priced(vm: &str, disks: &[&str], region: &str, os: Os) -> Price {
    Catalog::shipped().price_of(&build(vm, disks), region, os).unwrap()
}

#[test]
fn disks_cost_what_the_page_of_prices_says() {
    let disks = |vm: &str, disk: &str, region: &str| {
        let price = priced(vm, &[disk], region, Os::Linux);
        assert!(price.unknown.is_empty(), "{disk}: {:?}", price.unknown);
        price.parts[1..].iter().map(|part| part.per_month.0).sum::<u64>()
    };
    const USD: u64 = 1_000_000_000;
    let of = |vm: &str, disk: &str| disks(vm, disk, "us-central1");
    // 500 x 0.08 + (5,000 - 3,000) x 0.005 + (240 - 140) x 0.04.
    assert_eq!(of("c4d-standard-8", "hyperdisk-balanced@500GiB+5000iops+240MiB/s"), 54 * USD);
    // High availability costs twice as much.
    assert_eq!(of("c3-standard-8", "hyperdisk-balanced-ha@500GiB+5000iops+240MiB/s"), 108 * USD);
    // 2,048 x 0.005 + 200 x 0.25: no throughput is free.
    let throughput = of("c4-standard-192", "hyperdisk-throughput@4TiB+200MiB/s");
    assert_eq!(throughput, 4_096 * 5_000_000 + 50 * USD);
    // 100 x 0.08 + 2,400 x 0.12.
    assert_eq!(of("c4-standard-192", "hyperdisk-ml@100GiB+2400MiB/s"), 296 * USD);
    // 1,024 x 0.125 + 100,000 x 0.032.
    assert_eq!(of("c4-standard-192", "hyperdisk-extreme@1TiB+100000iops"), 3_328 * USD);
    // Regional disks cost twice as much: 100 x 0.34.
    assert_eq!(of("n2-standard-8", "pd-ssd-regional@100GiB"), 34 * USD);
    assert_eq!(of("n2-standard-8", "pd-ssd@100GiB"), 17 * USD);
    assert_eq!(disks("n2-standard-8", "pd-balanced@100GiB", "europe-west4"), 11 * USD);
    // Elsewhere the price of a GiB is known, and not that of an IOPS or a MiB/s above the free ones: 500 x 0.084.
    let free = "hyperdisk-balanced@500GiB+3000iops+140MiB/s";
    assert_eq!(disks("c4d-standard-8", free, "europe-west4"), 42 * USD);
    let unknown = priced("c4d-standard-8", &["hyperdisk-balanced@500GiB"], "europe-west4", Os::Linux);
    assert!(
        unknown.per_month.is_none() && unknown.unknown[0].contains("600 IOPS above 3000"),
        "{:?}",
        unknown.unknown
    );
}

#[test]
fn local_ssds_that_are_ordered_cost_and_those_of_the_machine_do_not() {
    let part = |vm: &str, disks: &str| {
        let price = priced(vm, &[disks], "us-central1", Os::Linux);
        let part = price.parts.iter().find(|part| part.what.contains("local disks")).cloned();
        (part.map(|part| part.per_month.0 / 1_000_000), price.unknown.len())
    };
    // 4 x 375 GiB x 0.08 = 120 USD, by the hour of 730.
    assert_eq!(part("n2-standard-32", "4xnvme"), (Some(119_999), 0));
    assert_eq!(part("c3-standard-22-lssd", "4xnvme"), (None, 0));
    // Of G4's the price is not known.
    assert_eq!(part("g4-standard-48", "4xnvme"), (None, 1));
    // A licence of Windows costs 0.046 USD a vCPU and hour: 8 x 0.046 x 730.
    let of = |os: Os| priced("n2-standard-8", &["pd-ssd@100GiB"], "us-central1", os).per_month.unwrap().0;
    assert_eq!((of(Os::Windows) - of(Os::Linux)) / 1_000_000, 268_640);
}

#[test]
fn hyperdisk_extreme_needs_a_large_machine_of_every_series_that_says_so() {
    for (vm, least) in [
        ("c3-standard-44", 88),
        ("c3d-standard-30", 60),
        ("c4-standard-48", 96),
        ("c4a-standard-48", 64),
        ("c4d-standard-48", 64),
        ("m1-ultramem-40", 80),
        ("m3-ultramem-32", 64),
        ("n2-standard-64", 80),
    ] {
        let message = refused(vm, "hyperdisk-extreme@100GiB");
        assert!(message.contains(&format!("{least} vCPUs")), "{vm}: {message}");
    }
}

#[test]
fn few_series_take_persistent_disks_in_two_zones() {
    for vm in ["e2-standard-4", "n1-standard-4", "custom-4-16384", "n2-standard-4", "n2d-standard-4"] {
        assert!(build_in(None, vm, &["pd-balanced-regional@100GiB"]).is_ok(), "{vm}");
    }
    for vm in ["t2d-standard-1", "t2a-standard-4", "c3-standard-8", "c2-standard-8", "m1-ultramem-40"] {
        let message = refused(vm, "pd-balanced-regional@100GiB");
        assert!(message.contains("two zones") && message.contains("e2, n1, n2, n2d"), "{vm}: {message}");
    }
    assert!(refused("n2-standard-64", "pd-extreme-regional@1TiB").contains("one zone only"));
    assert!(build_in(None, "c3-standard-8", &["hyperdisk-balanced-ha@100GiB"]).is_ok());
}

#[test]
fn machines_take_so_many_disks_of_hyperdisk_and_of_a_type() {
    let is_taken = |vm: &str, disks: &[&str]| build_in(None, vm, disks).is_ok();
    for (vm, disk, most) in [
        ("c4-standard-2", "hyperdisk-ml@100GiB", 8),
        ("c4-standard-192", "hyperdisk-throughput@2TiB+20MiB/s", 128),
        ("c4d-standard-2", "hyperdisk-balanced@100GiB", 4),
        ("c4d-standard-384-metal", "hyperdisk-balanced@100GiB", 32),
        ("n4-standard-64", "hyperdisk-balanced@100GiB", 32),
        ("c3-standard-8", "hyperdisk-balanced-ha@100GiB", 32),
        ("c3-standard-88", "hyperdisk-extreme@100GiB", 8),
        ("n2-standard-2", "pd-balanced@100GiB", 128),
    ] {
        assert!(is_taken(vm, &[&format!("{most}x{disk}")]), "{vm} {disk}");
        let message = refused(vm, &format!("{}x{disk}", most + 1));
        assert!(message.contains(&most.to_string()), "{vm}: {message}");
    }
    // C3 of 8 vCPUs: 32 of Hyperdisk, 128 disks in all.
    let both = |ha: u64, pd: u64| {
        let disks = [format!("a={ha}xhyperdisk-balanced-ha@100GiB"), format!("b={pd}xpd-ssd@10GiB")];
        is_taken("c3-standard-8", &[&disks[0], &disks[1]])
    };
    assert!(both(32, 96) && !both(33, 1) && !both(32, 97));
}

#[test]
fn throughput_is_provisioned_in_whole_mib() {
    // MAX(140, 36,000 / 256 = 140.625): 141 is the least.
    let of = |mib: &str| {
        build_in(None, "c4d-standard-384", &[&format!("hyperdisk-balanced@100GiB+36000iops+{mib}MiB/s")])
    };
    assert!(of("140").unwrap_err().contains("141 MiB/s to 2,400 MiB/s"), "{:?}", of("140"));
    assert!(of("141").is_ok());
    assert!(of("150.5").unwrap_err().contains("use 150 MiB/s or 151 MiB/s"), "{:?}", of("150.5"));
    // 5,000 GiB: 24.4 to 439.5.
    let message = refused("c4-standard-192", "hyperdisk-throughput@5000GiB+440MiB/s");
    assert!(message.contains("25 MiB/s to 439 MiB/s"), "{message}");
    // A default is one that can be provisioned: 100,000 / 256 = 390.6.
    let default = build("c4d-standard-384", &["hyperdisk-balanced@1TiB+100000iops"]);
    assert_eq!(lets(&default, 0, Op::Read), (100_000, 391));
}

#[test]
fn custom_machine_types_of_all_series_with_them_are_known() {
    assert!(build_in(None, "n4a-custom-16-32768", &["hyperdisk-ml@100GiB"]).is_ok());
    // Its shape is taken; its limits are on no page.
    assert!(refused("n4-custom-48-98304", "hyperdisk-balanced@100GiB").contains("no page"));
    assert!(refused("n4a-custom-65-131072", "hyperdisk-ml@100GiB").contains("use 64"));
    assert!(refused("n4d-custom-34-34816", "hyperdisk-balanced@100GiB").contains("32 or 48"));
    assert!(refused("n4d-custom-2-256", "hyperdisk-balanced@100GiB").contains("1024 to 16384"));
    assert!(
        refused("n2-custom-80-163840", "hyperdisk-extreme@100GiB").contains("takes no disks of that type")
    );
}
