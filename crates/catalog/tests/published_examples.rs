//! The documentation's own examples, as arithmetic on the published limits: factor 1, no jitter, their own units.
//! The ids are those of the project's table of documented examples; the simulation has the dynamic ones.

use iobound_catalog::{Catalog, Configuration, Enforcement, Resolved, parse_spec, resolve};
use iobound_model::{Dimension, LimiterId};
use iobound_units::KIB;

fn built(vm: &str, era: &str, disks: &[&str], os: Option<&str>) -> Resolved {
    let mut configuration = Configuration::of(vm);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    configuration.os_disk = os.map(|disk| parse_spec(disk).unwrap());
    configuration.era = Some(era.to_string());
    configuration.enforcement = Enforcement::Published;
    resolve(&configuration, &Catalog::shipped()).unwrap_or_else(|error| panic!("{error}"))
}

/// One of a disk's routes.
#[derive(Clone, Copy, PartialEq)]
enum Path {
    Hit,
    Read,
    Write,
}

fn route(resolved: &Resolved, disk: usize, path: Path) -> &[LimiterId] {
    let routes = &resolved.blueprint.disks[disk].routes;
    match path {
        Path::Hit => &routes.read_hit,
        Path::Read => &routes.read,
        Path::Write => &routes.write,
    }
}

/// The most that all disks together get of one dimension: limiters are walked with each disk's share of the demand.
fn most(resolved: &Resolved, path: Path, dimension: Dimension) -> u64 {
    let limiters = &resolved.blueprint.limiters;
    let limit =
        |limiter: &LimiterId| limiters[usize::from(limiter.0)].limit(dimension).map(|limit| limit.published);
    let disks = resolved.blueprint.disks.len();
    // Own limiters bound each disk, shared ones the sum.
    let shared = |limiter: &LimiterId| (0..disks).all(|disk| route(resolved, disk, path).contains(limiter));
    let own: u64 = (0..disks)
        .map(|disk| {
            let private = route(resolved, disk, path).iter().filter(|limiter| disks == 1 || !shared(limiter));
            private.filter_map(limit).min().unwrap_or(u64::MAX / 1_000)
        })
        .sum();
    let all = route(resolved, 0, path).iter().filter(|limiter| disks > 1 && shared(limiter));
    all.filter_map(limit).min().unwrap_or(u64::MAX).min(own)
}

#[test]
fn what_the_limits_add_up_to() {
    use Dimension::{Bytes, Ios};
    use Path::{Hit, Read, Write};
    let now = "current";
    let mb = 1_000_000;
    for (id, resolved, path, dimension, outcome) in [
        ("A1", built("D8s_v3", now, &["E30", "E30"], Some("E30")), Read, Ios, 1_500),
        ("A2", built("D8s_v3", now, &["3xP30"], None), Read, Ios, 12_800),
        ("A3", built("D8s_v3", now, &["3xP30:readwrite"], None), Hit, Ios, 16_000),
        ("A5 uncached", built("D2s_v3", now, &["P30"], None), Read, Ios, 3_200),
        ("A5 cached", built("D2s_v3", now, &["P30:readonly"], None), Hit, Ios, 4_000),
        ("A8", built("DS1", "2016", &["P30"], None), Read, Ios, 3_200),
        ("A9", built("DS4", "2016", &["P30"], None), Read, Bytes, 200 * mb),
        ("A10", built("DS4", "2016", &["2xP30"], None), Read, Bytes, 256 * mb),
        ("A13", built("DS4", "2016", &["P10:readonly"], None), Write, Bytes, 100 * mb),
        ("A15", built("DS1", "2016", &["P10"], None), Read, Bytes, 32 * mb),
        ("A16 D14", built("D14", "2016", &["32xstandard@1023GiB"], None), Read, Ios, 16_000),
        ("A16 DS13", built("DS13", "2016", &["4xP30"], None), Read, Ios, 20_000),
        ("A25", built("DS14", "2016", &["10xP30"], None), Write, Ios, 50_000),
        ("A26", built("DS14", "2016", &["P30:readonly"], None), Hit, Ios, 64_000),
        ("A30 IOPS", built("DS14", "2016", &["2xP30"], None), Read, Ios, 10_000),
        ("A30 MB/s", built("DS14", "2016", &["2xP30"], None), Read, Bytes, 400 * mb),
    ] {
        assert_eq!(most(&resolved, path, dimension), outcome, "{id}");
    }
}

#[test]
fn a7_the_block_size_decides_which_limit_of_a_p30_is_met() {
    let resolved = built("DS14", "2016", &["P30"], None);
    let limiter = resolved.blueprint.limiters.iter().find(|limiter| limiter.name.group == "disk").unwrap();
    let (ios, bytes) = (limiter.ios.unwrap().published, limiter.bytes.unwrap().published);
    // The documentation's own units in this example: 1 MB is 1,024 KB.
    let kib = bytes / 1_000_000 * 1_024;
    for (block_kib, iops) in [(8, 5_000), (32, 5_000), (64, 3_200), (1_024, 200)] {
        let charged = limiter.charge.units(block_kib * KIB);
        assert_eq!((ios / charged).min(kib / block_kib), iops, "{block_kib} KiB");
    }
}

#[test]
fn a11_and_a12_large_ios_count_as_several() {
    let resolved = built("DS14", "2016", &["P10"], None);
    let limiter = resolved.blueprint.limiters.iter().find(|limiter| limiter.name.group == "disk").unwrap();
    let limit = limiter.ios.unwrap().published;
    // A11: 495 x 16 KB and one 2 MB: 495 + 8 > 500.
    assert!(495 * limiter.charge.units(16 * KIB) + limiter.charge.units(2_048 * KIB) > limit);
    // A12: 400 x 256 KB = 100 MB of 1,024 KB each: all the bytes, and one unit each.
    assert_eq!(400 * 256 / 1_024, limiter.bytes.unwrap().published / 1_000_000);
    assert_eq!(400 * limiter.charge.units(256 * KIB), 400);
    // 1,100 KB is five (disks-types).
    assert_eq!(limiter.charge.units(1_100 * KIB), 5);
}

#[test]
fn a19_and_a20_what_is_not_used_is_earned_and_never_exceeds_the_burst() {
    let limiter = |tier: &str| {
        let resolved = built("D8s_v3", "current", &[tier], None);
        resolved.blueprint.limiters.into_iter().find(|limiter| limiter.name.group == "disk").unwrap()
    };
    let p1 = limiter("P1");
    assert_eq!((p1.ios.unwrap().published - 100, p1.bytes.unwrap().published - 20_000_000), (20, 5_000_000));
    assert_eq!(p1.credits.unwrap().ios.unwrap().burst, 3_500);
    assert_eq!((p1.ios.unwrap().published, limiter("P20").ios.unwrap().published), (120, 2_300));
    // (3,500 - 120) x 1,800 s, as the ResourceSkus of 2020-08-25 have it.
    assert_eq!(p1.credits.unwrap().ios.unwrap().capacity, 6_084_000);
}

#[test]
fn a21_on_demand_bursting_bills_what_exceeds_the_base() {
    let base =
        Catalog::shipped().tier("P30", Default::default(), iobound_catalog::Era::current()).unwrap().entry;
    let (base, burst) = (base.ios.unwrap(), base.ondemand.0.unwrap());
    assert!(7_000 <= burst);
    assert_eq!((6_000 - base) * 10 + (7_000 - base) * 60, 10_000 + 120_000);
}
