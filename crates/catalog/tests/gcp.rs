//! Google Cloud: the vectors of its documentation, the bounds of what may be provisioned, and what is refused.

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
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
    assert!(resolved.assumed.iter().any(|assumption| assumption.what.contains("over all disk types")));
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
    assert!(refused("n2-standard-8", "pd-ssd@100GiB+5000iops").contains("total size"));
    assert!(refused("n2-standard-8", "pd-extreme-regional@1TiB").contains("one zone"));
    assert!(refused("c4d-standard-2", "5xhyperdisk-balanced@100GiB").contains("maximum is 4"));
    // 257 TiB on all disks of a machine, or 512; 3 TiB on one that shares a core.
    assert!(refused("f1-micro", "pd-standard@4TiB").contains("3,072 GiB at most"));
    assert!(refused("n2-standard-8", "gp3@100GiB").contains("sold by aws"));
    let message = refused("c4d-standard-8-lssd", "nvme");
    assert!(message.contains("nvme_read_iops"), "{message}");
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
fn enforcement_is_a_stated_assumption() {
    let resolved = build("n2-standard-8", &["pd-ssd@100GiB"]);
    let said = resolved.assumed.iter().find(|of| of.what == "algorithm of gcp-vm limiters").unwrap();
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
    assert!(message.contains("8, 16, 24"), "{message}");
    assert!(refused("e2-standard-4", "nvme").contains("no local NVMe disk"));
}
