//! Google Cloud's rules as properties: each written out anew from its page, and tried on random disks.

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
use iobound_model::Dimension;
use proptest::prelude::*;

const MIB: u64 = 1 << 20;

fn build(era: Option<&str>, vm: &str, disks: &[String]) -> Result<Resolved, String> {
    let mut configuration = Configuration::of(vm);
    configuration.era = era.map(str::to_string);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    resolve(&configuration, &Catalog::shipped()).map_err(|error| error.to_string())
}

/// Published IOPS and MiB/s of a limiter, rounded down.
fn limiter(resolved: &Resolved, name: &str) -> Option<[Option<u64>; 2]> {
    let limiter = resolved.blueprint.limiters.iter().find(|limiter| limiter.name.to_string() == name)?;
    let limit = |dimension| limiter.limit(dimension).map(|limit| limit.published);
    Some([limit(Dimension::Ios), limit(Dimension::Bytes).map(|bytes| bytes / MIB)])
}

/// A size near a bound, or any.
fn gib() -> impl Strategy<Value = u64> {
    prop_oneof![3u64..12, 60u64..70, 195u64..330, 990u64..1_010, 2_040u64..2_060, 1u64..70_000]
}

fn ios() -> impl Strategy<Value = u64> {
    prop_oneof![2_400u64..3_100, 9_500u64..9_700, 99_000u64..101_000, 159_000u64..161_000, 1u64..400_000]
}

fn mib() -> impl Strategy<Value = u64> {
    prop_oneof![15u64..30, 130u64..150, 390u64..410, 1_190u64..1_210, 2_390u64..2_410, 1u64..5_000]
}

/// Hyperdisk Balanced: at most 500 IOPS a GiB, at least 3,000 where that is possible; MAX(140, P / 256) to MIN(most, P / 4).
fn is_balanced(gib: u64, ios: u64, mib: u64, most: [u64; 2]) -> bool {
    let most_ios = most[0].min(500 * gib);
    (4..=65_536).contains(&gib)
        && (3_000.min(most_ios)..=most_ios).contains(&ios)
        && mib >= 140
        && mib * 256 >= ios
        && mib <= most[1]
        && mib * 4 <= ios
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hyperdisk_balanced_is_sold_within_its_bounds(gib in gib(), ios in ios(), mib in mib()) {
        let disk = format!("hyperdisk-balanced@{gib}GiB+{ios}iops+{mib}MiB/s");
        let built = build(None, "c4d-standard-384", &[disk]);
        prop_assert_eq!(built.is_ok(), is_balanced(gib, ios, mib, [160_000, 2_400]), "{:?}", built.err());
        if let Ok(resolved) = built {
            // Half duplex: one limit for reads and writes together.
            prop_assert_eq!(limiter(&resolved, "disk:data"), Some([Some(ios), Some(mib)]));
            prop_assert_eq!(limiter(&resolved, "disk:data.read"), None);
        }
    }

    #[test]
    fn hyperdisk_balanced_ha_moves_more_since_its_change(gib in gib(), ios in ios(), mib in mib()) {
        let disk = format!("hyperdisk-balanced-ha@{gib}GiB+{ios}iops+{mib}MiB/s");
        for (day, most) in [("2026-03-23", 1_200), ("2026-03-24", 2_400), ("2026-08-26", 2_400)] {
            let built = build(Some(day), "c3-standard-176", std::slice::from_ref(&disk));
            prop_assert_eq!(built.is_ok(), is_balanced(gib, ios, mib, [100_000, most]), "{} {:?}", day, built.err());
        }
    }

    #[test]
    fn hyperdisk_extreme_moves_250_mib_for_1000_iops(gib in gib(), ios in ios()) {
        let built = build(None, "c4-standard-192", &[format!("hyperdisk-extreme@{gib}GiB+{ios}iops")]);
        let is_sold = (64..=65_536).contains(&gib) && ios >= 2 * gib && ios <= 350_000;
        prop_assert_eq!(built.is_ok(), is_sold, "{:?}", built.err());
        if let Ok(resolved) = built {
            prop_assert_eq!(limiter(&resolved, "disk:data"), Some([Some(ios), Some((ios / 4).min(5_000))]));
        }
    }

    #[test]
    fn hyperdisk_throughput_has_4_iops_for_a_mib(tib in 1u64..34, more in 0u64..1_024, mib in mib()) {
        let gib = tib * 1_024 + more;
        let built = build(None, "c4-standard-192", &[format!("hyperdisk-throughput@{gib}GiB+{mib}MiB/s")]);
        // 5 to 90 MiB/s a TiB, 20 to 2,400 at all.
        let is_sold = (2_048..=32_768).contains(&gib)
            && mib >= 20
            && mib * 1_024 >= 5 * gib
            && mib * 1_024 <= 90 * gib
            && mib <= 2_400;
        prop_assert_eq!(built.is_ok(), is_sold, "{:?}", built.err());
        if let Ok(resolved) = built {
            prop_assert_eq!(limiter(&resolved, "disk:data"), Some([Some(4 * mib), Some(mib)]));
        }
    }

    #[test]
    fn hyperdisk_ml_has_16_iops_for_a_mib(
        gib in gib(), mib in prop_oneof![390u64..410, 1_199_990u64..1_200_010, 2_097_140u64..2_097_160, 1u64..900_000],
    ) {
        let disk = format!("hyperdisk-ml@{gib}GiB+{mib}MiB/s");
        for (day, most) in [("2026-03-30", 1_200_000), ("2026-03-31", 2_097_152)] {
            let built = build(Some(day), "c4-standard-192", std::slice::from_ref(&disk));
            let is_sold = (4..=65_536).contains(&gib)
                && (400..=most).contains(&mib)
                && (gib >= 1_000 || mib <= 1_600 * gib);
            prop_assert_eq!(built.is_ok(), is_sold, "{} {:?}", day, built.err());
        }
    }

    #[test]
    fn a_hyperdisk_without_figures_has_defaults_that_are_sold(gib in gib()) {
        for (vm, word, sizes) in [
            ("c4d-standard-384", "hyperdisk-balanced", 4..=65_536),
            ("c3-standard-176", "hyperdisk-balanced-ha", 4..=65_536),
            ("c4-standard-192", "hyperdisk-extreme", 64..=65_536),
            ("c4-standard-192", "hyperdisk-throughput", 2_048..=32_768),
            ("c4-standard-192", "hyperdisk-ml", 4..=65_536),
        ] {
            let built = build(None, vm, &[format!("{word}@{gib}GiB")]);
            prop_assert_eq!(built.is_ok(), sizes.contains(&gib), "{} {:?}", word, built.err());
        }
    }

    #[test]
    fn persistent_disks_of_a_type_are_one_pool_below_one_limit(
        disks in proptest::collection::vec((0usize..3, 10u64..9_000, 1u64..4), 1..6),
    ) {
        // Base IOPS and MiB/s of a VM, then thousandths of IOPS read and written, and of MiB/s, a GiB.
        let pools = [
            ("pd-standard", [0, 0], [750, 1_500, 120]),
            ("pd-balanced", [3_000, 140], [6_000, 6_000, 280]),
            ("pd-ssd", [6_000, 240], [30_000, 30_000, 480]),
        ];
        // n2 of 32 to 63 vCPUs: IOPS of all disks of a type, in the direction that has more.
        let machine = [15_000u64, 50_000, 60_000];
        let specs: Vec<String> = disks.iter().enumerate().map(|(index, (kind, gib, count))| {
            format!("v{index}={count}x{}@{gib}GiB", pools[*kind].0)
        }).collect();
        let resolved = build(None, "n2-standard-32", &specs).unwrap();
        let mut present = 0;
        for (kind, (word, base, each)) in pools.into_iter().enumerate() {
            let of = || disks.iter().enumerate().filter(|(_, disk)| disk.0 == kind);
            let total: u64 = of().map(|(_, (_, gib, count))| gib * count).sum();
            let number: u64 = of().map(|(_, (_, _, count))| count).sum();
            if number == 0 {
                continue;
            }
            present += 1;
            // A disk that is alone has a limiter of its own name.
            let name = match of().next() {
                Some((index, _)) if number == 1 => format!("disk:v{index}"),
                _ => format!("disk:{word}"),
            };
            let [read, write, bytes] = each.map(|each| each * total / 1_000);
            prop_assert_eq!(limiter(&resolved, &name).unwrap()[0], Some(base[0] + read.max(write)), "{}", name);
            let moved = Some(base[1] + bytes);
            if word == "pd-standard" {
                prop_assert_eq!(limiter(&resolved, &name).unwrap()[1], moved);
                prop_assert_eq!(limiter(&resolved, &format!("{name}.read")).unwrap()[0], Some(base[0] + read));
            } else {
                // SSDs move their full throughput in both directions at once.
                prop_assert_eq!(limiter(&resolved, &name).unwrap()[1], None);
                for way in ["read", "write"] {
                    prop_assert_eq!(limiter(&resolved, &format!("{name}.{way}")).unwrap(), [None, moved]);
                }
            }
            prop_assert_eq!(limiter(&resolved, &format!("vm.disks:{word}")).unwrap()[0], Some(machine[kind]));
        }
        // Several types on one instance share one limit: that of the type with the most.
        prop_assert_eq!(limiter(&resolved, "vm.disks:all").is_some(), present > 1);
    }

    #[test]
    fn the_limit_over_all_types_is_that_of_the_type_with_the_most(gib in 64u64..2_000) {
        let disks = [format!("a=hyperdisk-balanced@{gib}GiB"), format!("b=hyperdisk-extreme@{gib}GiB"), "c=hyperdisk-throughput@2TiB".into()];
        let resolved = build(None, "c4-standard-192", &disks).unwrap();
        // 320,000, 500,000 and 40,000 IOPS; 10,000 MiB/s each.
        prop_assert_eq!(limiter(&resolved, "vm.disks:all"), Some([Some(500_000), Some(10_000)]));
        prop_assert_eq!(limiter(&resolved, "vm.disks:hyperdisk-balanced").unwrap()[0], Some(320_000));
    }

    #[test]
    fn all_disks_of_a_machine_have_257_or_512_tib(count in 1u64..10, tib in 1u64..65) {
        let built = |vm: &str| build(None, vm, &[format!("{count}xpd-balanced@{tib}TiB")]);
        prop_assert_eq!(built("n2-standard-16").is_ok(), count * tib <= 257);
        prop_assert_eq!(built("n2-standard-32").is_ok(), count * tib <= 512);
    }
}
