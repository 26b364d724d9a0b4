//! Resolved configurations: routes, limiters, caches, bands and refusals.

use iobound_catalog::{
    Accounts, Band, CacheSetting, Catalog, Cloud, Configuration, Enforcement, Era, OwnSettings, OwnTier,
    Resolved, parse_spec, resolve,
};
use iobound_model::{Algorithm, ByteCharge, Charge, LimiterId, Merge};
use iobound_units::{Bytes, Ppm, Span};
use proptest::prelude::*;

fn of(vm: &str, disks: &[&str]) -> Configuration {
    let mut configuration = Configuration::of(vm);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    configuration
}

fn built(configuration: &Configuration) -> Resolved {
    resolve(configuration, &Catalog::shipped()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(configuration: &Configuration) -> String {
    match resolve(configuration, &Catalog::shipped()) {
        Ok(_) => panic!("{} with {:?} was taken", configuration.vm, configuration.volumes),
        Err(error) => error.to_string(),
    }
}

/// The limiters of a route, by name.
fn names(resolved: &Resolved, route: &[LimiterId]) -> Vec<String> {
    route.iter().map(|limiter| resolved.blueprint.limiters[usize::from(limiter.0)].name.to_string()).collect()
}

#[test]
fn routes_are_those_of_the_documented_paths() {
    let resolved = built(&of("DS14_v2", &["plain=P30", "ro=P30:readonly", "rw=P30:readwrite", "temp=temp"]));
    let limiters = |disk: usize| {
        let routes = &resolved.blueprint.disks[disk].routes;
        [&routes.read_hit, &routes.read, &routes.write, &routes.write_ack, &routes.write_back]
            .map(|route| names(&resolved, route).join(" "))
    };
    assert_eq!(limiters(0), ["", "vm.uncached disk:plain", "vm.uncached disk:plain", "", ""]);
    assert_eq!(
        limiters(1),
        ["vm.cached", "vm.cached vm.uncached disk:ro", "vm.cached vm.uncached disk:ro", "", ""]
    );
    assert_eq!(
        limiters(2),
        [
            "vm.cached",
            "vm.cached vm.uncached disk:rw",
            "vm.cached vm.uncached disk:rw",
            "vm.cached",
            "vm.uncached disk:rw"
        ]
    );
    assert_eq!(limiters(3), ["", "vm.cached", "vm.cached", "", ""]);
    assert_eq!(resolved.blueprint.caches.len(), 1, "one cache a VM");
    assert_eq!(resolved.blueprint.caches[0].capacity, Bytes::gib(576));
    assert_eq!(resolved.blueprint.caches[0].dirty_high, Bytes(5 << 29));
    assert_eq!(resolved.blueprint.caches[0].line, Bytes::kib(64));
}

#[test]
fn a_cached_write_limit_of_its_own_is_a_limiter_of_its_own() {
    // D14_v2: 48,000 cached IOPS, 750 MB/s read, 375 write (ResourceSkus 2020-08-25).
    let mut configuration = of("D14_v2", &["standard@1023GiB:readwrite"]);
    configuration.era = Some("2016".into());
    configuration.accounts = Accounts::Shared;
    let resolved = built(&configuration);
    let routes = &resolved.blueprint.disks[0].routes;
    assert_eq!(
        names(&resolved, &routes.read),
        ["vm.cached", "vm.cached:read", "vm.uncached", "account", "disk:data"]
    );
    assert_eq!(names(&resolved, &routes.write_ack), ["vm.cached", "vm.cached:write"]);
    let limiter = |name: &str| {
        resolved.blueprint.limiters.iter().find(|limiter| limiter.name.to_string() == name).unwrap()
    };
    assert_eq!((limiter("vm.cached").ios.unwrap().published, limiter("vm.cached").bytes), (48_000, None));
    assert_eq!(limiter("vm.cached:read").bytes.unwrap().published, 750_000_000);
    assert_eq!(limiter("vm.cached:write").bytes.unwrap().published, 375_000_000);
    assert_eq!(limiter("account").ios.unwrap().published, 20_000);
    assert_eq!(limiter("vm.uncached").bytes, None, "the documentation gives 500 IOPS a disk only");
    assert!(resolved.assumed.iter().any(|a| a.what().contains("uncached throughput")));
}

#[test]
fn local_nvme_of_azure_is_held_at_what_is_published() {
    // iotune on an L2s_v4: 137,498 reads a second of 137,500, 54,999 writes of 55,000. The temporary disk of a DS3_v2: 16,318 of 16,000.
    let factor = |vm: &str, disk: &str| {
        let resolved = built(&of(vm, &[disk]));
        let limiter = *resolved.blueprint.disks[0].routes.read.last().unwrap();
        resolved.blueprint.limiters[usize::from(limiter.0)].factor
    };
    assert_eq!(factor("L2s_v4", "nvme"), Ppm::ONE);
    assert_eq!(factor("L32s_v4", "8xnvme"), Ppm::ONE);
    assert_eq!(factor("DS3_v2", "temp"), Ppm(1_020_000));
}

#[test]
fn premium_v2_and_ultra_disks_pass_the_limits_of_their_own() {
    let resolved = built(&of("E16bds_v5", &["P30", "premiumv2@1TiB"]));
    let limit = |disk: usize| {
        let limiter = resolved.blueprint.disks[disk].routes.read[0];
        let limiter = &resolved.blueprint.limiters[usize::from(limiter.0)];
        (limiter.name.to_string(), limiter.ios.unwrap().published)
    };
    assert_eq!(limit(0), ("vm.uncached".into(), 44_000));
    assert_eq!(limit(1), ("vm.uncached:v2-ultra".into(), 58_960));
    assert!(resolved.notes.iter().any(|note| note.contains("NVMe")), "{:?}", resolved.notes);
    assert!(resolved.assumed.iter().any(|a| a.what().contains("vm.uncached of Premium SSD v2")));
    assert_eq!(built(&of("E16bds_v5:nvme", &["P30"])).vm.interface.as_deref(), Some("NVMe"));
}

#[test]
fn limiters_enforce_by_the_rules_of_their_kind() {
    let resolved = built(&of("DS14", &["P30", "E30", "S30"]));
    let limiter = |name: &str| {
        resolved.blueprint.limiters.iter().find(|limiter| limiter.name.to_string() == name).unwrap()
    };
    let slice = Algorithm::Slice { length: Span::from_ms(50) };
    // Runs of 30 s on a Standard disk were at most 0.6 s ahead of their limit (emondek/azure-disk-perf).
    let bucket = Algorithm::Bucket { depth: Span::from_ms(250) };
    for (name, factor, algorithm) in [
        ("vm.uncached", 1_020_000, slice),
        ("disk:data", 1_020_000, slice),
        ("disk:data2", 1_020_000, slice),
        ("disk:data3", 1_000_000, bucket),
    ] {
        assert_eq!((limiter(name).factor, limiter(name).algorithm), (Ppm(factor), algorithm), "{name}");
    }
    // Published at 60 MB/s, measured at 100 x 10^6 in 2016 and 2022.
    let hdd = limiter("disk:data3").bytes.unwrap();
    assert_eq!((hdd.published, hdd.enforced), (60_000_000, Some(100_000_000)));
    assert_eq!(limiter("disk:data2").credits.unwrap().ios.unwrap().burst, 1_000);

    let mut published = of("DS14", &["P30", "E30", "S30"]);
    published.enforcement = Enforcement::Published;
    let published = built(&published);
    assert!(published.blueprint.limiters.iter().all(|limiter| limiter.factor == Ppm::ONE));
    assert!(
        published
            .blueprint
            .limiters
            .iter()
            .all(|limiter| limiter.bytes.is_none_or(|limit| limit.enforced.is_none()))
    );
    for band in [Band::Low, Band::High] {
        assert_eq!(published.with_band(band).limiters, published.blueprint.limiters);
    }
}

#[test]
fn nothing_bursts_in_2016_and_d8s_v3_bursts_today() {
    let mut then = of("DS14", &["premium@100GiB"]);
    then.era = Some("2016".into());
    assert!(built(&then).blueprint.limiters.iter().all(|limiter| limiter.credits.is_none()));
    let now = built(&of("D8s_v3", &["premium@100GiB"]));
    let uncached = now.blueprint.limiters[0].credits.unwrap();
    // (16,000 - 12,800) x 1,800 and (400 - 192) MB/s x 1,800.
    assert_eq!(uncached.ios.unwrap().capacity, 5_760_000);
    assert_eq!(uncached.bytes.unwrap().capacity, 374_400_000_000);
    assert!(now.assumed.iter().any(|a| a.what() == "credit buckets"));
}

#[test]
fn the_size_asked_for_decides_the_tier() {
    for (size, tier, ios) in [("500GiB", "P20", 2_300), ("513GiB", "P30", 5_000), ("600GiB", "P30", 5_000)] {
        let mut configuration = of("DS14", &[&format!("premium@{size}")]);
        configuration.era = Some("2016".into());
        let resolved = built(&configuration);
        assert_eq!((resolved.disks[0].tier.as_deref(), resolved.disks[0].ios), (Some(tier), Some(ios)));
        assert!(resolved.notes.iter().any(|note| note.contains(tier)), "{:?}", resolved.notes);
    }
    let mut beyond = of("DS14", &["premium@2TiB"]);
    beyond.era = Some("2016".into());
    assert!(refused(&beyond).contains("1023 GiB"), "{}", refused(&beyond));
}

#[test]
fn volumes_are_named_striped_and_separated() {
    let mut configuration = of("DS14", &["10xP30", "log=P10", "2xP20"]);
    configuration.os_disk = Some(parse_spec("P10:readwrite").unwrap());
    let resolved = built(&configuration);
    let volumes: Vec<(&str, usize, u16)> =
        resolved.blueprint.volumes.iter().map(|v| (v.name.as_str(), v.disks.len(), v.columns)).collect();
    assert_eq!(volumes, [("data", 10, 10), ("log", 1, 1), ("data2", 2, 2), ("os", 1, 1)]);
    assert_eq!(resolved.blueprint.volumes[0].size, Bytes::gib(10 * 1_024));
    assert_eq!(resolved.blueprint.disks[9].name, "data.9");
    assert_eq!(resolved.blueprint.disks[10].name, "log");
    assert!(resolved.disks.last().unwrap().is_os);

    configuration.separate = true;
    let resolved = built(&configuration);
    assert_eq!(resolved.volumes_of("data").unwrap(), (0..10).collect::<Vec<_>>());
    assert_eq!(resolved.blueprint.volumes[3].name, "data.3");
    assert_eq!(resolved.volumes_of("data.3"), Some(vec![3]));
    assert_eq!(resolved.volumes_of("nobody"), None);

    configuration.separate = false;
    configuration.columns = Some(5);
    configuration.volumes.truncate(1);
    configuration.partition_offset = Bytes(32_256);
    let resolved = built(&configuration);
    assert_eq!(resolved.blueprint.volumes[0].columns, 5);
    assert_eq!(resolved.blueprint.volumes[0].size, Bytes(10 * (1 << 40) - 32_256));
}

/// Figures of P40 with performance plus, of E30 and of S30: 16,000/600 and 1,500/150. A P10 at P50 has 128 GiB, and 7,500/250.
#[test]
fn performance_settings_change_the_figures_and_keep_the_size() {
    let figures = |disk: &str| {
        let resolved = built(&of("D32s_v5", &[disk]));
        let disk = &resolved.disks[0];
        (disk.described.clone(), disk.tier.clone().unwrap(), disk.size.get() >> 30, disk.ios, disk.bytes)
    };
    for (spec, described, tier, gib, ios, mbps) in [
        ("P40+performance-plus", "P40+performance-plus", "P40", 2_048, 16_000, 600),
        ("premium@600GiB+perfplus", "P30+performance-plus", "P30", 600, 8_000, 300),
        ("E30+performance-plus", "E30+performance-plus", "E30", 1_024, 1_500, 150),
        ("S30+performance-plus", "S30+performance-plus", "S30", 1_024, 1_500, 150),
        ("P10+P50", "P10+P50", "P50", 128, 7_500, 250),
        ("premium@100GiB+p30", "P10+P30", "P30", 100, 5_000, 200),
        ("P60+P80", "P60+P80", "P80", 8_192, 20_000, 900),
    ] {
        let said = (described.to_string(), tier.to_string(), gib, Some(ios), Some(mbps * 1_000_000));
        assert_eq!(figures(spec), said, "{spec}");
        // What is printed is read back.
        assert_eq!(figures(described).3, Some(ios), "{described}");
    }
    for (spec, says) in [
        ("P20+performance-plus", "513 GiB"),
        ("P10+P80", "up to P50"),
        ("P60+P50", "up to P80"),
        ("P30+P30", "up to P50"),
        ("P80+P80", "no higher tier"),
        ("E10+E30", "no performance tiers"),
        ("P10+E30", "up to P50"),
    ] {
        let error = refused(&of("D32s_v5", &[spec]));
        assert!(error.contains(says), "{spec}: {error}");
    }
    for spec in ["gp3@500GiB+performance-plus", "P40+performance-plus+P50", "temp+P50"] {
        assert!(parse_spec(spec).is_err(), "{spec}");
    }
}

fn own_tier(text: &str) -> Option<OwnTier> {
    let spec = parse_spec(text).unwrap();
    Some(OwnTier { text: text.into(), what: spec.what, redundancy: spec.redundancy, setting: spec.setting })
}

/// As on Azure, where caching and performance tier are a disk's own, and the tier changes no size.
#[test]
fn a_disk_of_a_stripe_has_the_tier_and_the_cache_that_it_was_given() {
    let mut configuration = of("DS14_v2", &["3xP30"]);
    configuration.volumes[0].own = [
        (1, OwnSettings { tier: own_tier("P50"), cache: None }),
        (2, OwnSettings { tier: None, cache: Some(CacheSetting::ReadOnly) }),
    ]
    .into();
    let resolved = built(&configuration);
    let described: Vec<&str> = resolved.disks.iter().map(|disk| disk.described.as_str()).collect();
    assert_eq!(described, ["P30", "P50", "P30"]);
    let settings: Vec<&str> = resolved.disks.iter().map(|disk| disk.cache.name()).collect();
    assert_eq!(settings, ["none", "none", "readonly"]);
    assert!(resolved.blueprint.disks.iter().all(|disk| disk.size == Bytes::gib(1024)));
    assert_eq!(resolved.blueprint.volumes[0].size, Bytes::gib(3 * 1024));
    let limits = resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == "disk");
    let limits: Vec<u64> = limits.map(|limiter| limiter.ios.unwrap().published).collect();
    // P50: 7,500 IOPS.
    assert_eq!(limits, [5_000, 7_500, 5_000]);
    let reads = |disk: usize| names(&resolved, &resolved.blueprint.disks[disk].routes.read).join(" ");
    assert_eq!(reads(0), "vm.uncached disk:data.0");
    assert_eq!(reads(2), "vm.cached vm.uncached disk:data.2");
    // A P50 of its own size, 4 TiB, is too large for a host cache; one of 1 TiB is not.
    assert!(refused(&of("DS14_v2", &["P50:readonly"])).contains("no host cache"));
    configuration.volumes[0].set_cache(CacheSetting::ReadWrite);
    let resolved = built(&configuration);
    assert!(resolved.disks.iter().all(|disk| disk.cache == CacheSetting::ReadWrite));
    assert_eq!(resolved.disks[1].described, "P50");
    // What none of the VM's disks may be, no single one may be.
    configuration.volumes[0].own = [(0, OwnSettings { tier: own_tier("gp3@500GiB"), cache: None })].into();
    assert!(refused(&configuration).contains("EBS"), "{}", refused(&configuration));
}

#[test]
fn on_demand_bursting_lifts_a_p30_to_its_burst() {
    let mut configuration = of("DS14", &["P30"]);
    configuration.on_demand_burst = true;
    let resolved = built(&configuration);
    assert_eq!((resolved.disks[0].ios, resolved.disks[0].bytes), (Some(30_000), Some(1_000_000_000)));
    assert!(resolved.disks[0].on_demand_burst);
}

#[test]
fn the_band_holds_the_scatter_of_host_cache_hits() {
    // Hits at depth 4 and more took 60 to 550 us, most of it on the way through the guest; acknowledgements 50 to 70.
    let resolved = built(&of("DS14", &["P30:readwrite"]));
    for (band, hit, ack) in [(Band::Low, 550, 70), (Band::Expected, 120, 60), (Band::High, 60, 50)] {
        let cache = &resolved.with_band(band).caches[0];
        assert_eq!((cache.hit.mean, cache.ack.mean), (Span::from_us(hit), Span::from_us(ack)), "{band:?}");
    }
    let alone = &resolved.at_depth_1().caches[0];
    assert_eq!((alone.hit.mean, alone.ack.mean), (Span::from_us(90), Span::from_us(60)));
}

#[test]
fn the_band_holds_the_scatter_of_media_enforcement_and_units() {
    let resolved = built(&of("DS14", &["P30"]));
    let mean = |band| resolved.with_band(band).disks[0].media.read.mean;
    assert_eq!(
        [mean(Band::Low), mean(Band::Expected), mean(Band::High)],
        [Span::from_us(3_000), Span::from_us(2_100), Span::from_us(1_500)]
    );
    assert_eq!(resolved.at_depth_1().disks[0].media.read.mean, Span::from_us(2_400));
    let uncached = &resolved.with_band(Band::High).limiters[0];
    assert_eq!(uncached.factor, Ppm(1_025_000));
    // The service's own record of the 512 MB/s is 536,870,912 bytes.
    assert_eq!(uncached.bytes.unwrap().enforced, Some(536_870_912 * 1_025 / 1_000));
    assert_eq!(resolved.with_band(Band::Low).limiters[0].factor, Ppm(1_019_700));
    for band in [Band::Low, Band::Expected, Band::High] {
        resolved.with_band(band).check().unwrap();
    }

    let mut given = of("DS14", &["P30"]);
    given.media.read = Some(Span::from_us(2_600));
    let given = built(&given);
    for band in [Band::Low, Band::Expected, Band::High] {
        assert_eq!(given.with_band(band).disks[0].media.read.mean, Span::from_us(2_600));
    }
    assert!(given.assumed.iter().any(|a| a.what() == "media Premium SSD read" && a.why == "given"));
}

#[test]
fn everything_assumed_is_listed() {
    let assumed = built(&of("D8s_v3", &["P10", "log=P30:readonly"])).assumed;
    for what in
        ["media Premium SSD read", "cache P10", "line of the host cache", "algorithm", "credit buckets"]
    {
        assert!(assumed.iter().any(|a| a.what().contains(what)), "{what}: {assumed:#?}");
    }
    assert!(assumed.iter().all(|a| !a.value.is_empty() && !a.why.is_empty()));
}

#[test]
fn an_instance_of_aws_is_a_baseline_with_credits_behind_smooth_buckets() {
    let resolved = built(&of("m5.large", &["gp3@500GiB+6000iops+300MB/s", "gp2@100GiB", "st1@1TiB"]));
    let limiters = &resolved.blueprint.limiters;
    assert_eq!(limiters[0].name.to_string(), "vm.ebs");
    assert_eq!(
        (limiters[0].ios.unwrap().published, limiters[0].bytes.unwrap().published),
        (3_600, 81_250_000)
    );
    let burst = limiters[0].credits.unwrap();
    assert_eq!((burst.ios.unwrap().burst, burst.bytes.unwrap().burst), (18_750, 593_750_000));
    assert_eq!(burst.ios.unwrap().capacity, (18_750 - 3_600) * 1_800);
    assert!(
        limiters.iter().all(|limiter| limiter.algorithm == Algorithm::Bucket { depth: Span::from_secs(1) })
    );
    let factors: Vec<u32> = limiters.iter().map(|limiter| limiter.factor.0).collect();
    assert_eq!(factors, [1_000_000, 1_000_000, 1_023_000, 1_000_000]);
    assert_eq!(limiters[2].credits.unwrap().ios.unwrap().capacity, 5_400_000);
    assert_eq!(limiters[3].bytes.unwrap().published, 40 << 20);
    assert_eq!(limiters[3].credits.unwrap().bytes.unwrap().capacity, 1 << 40);
}

#[test]
fn volumes_of_aws_merge_sequential_ios_and_its_hdds_count_whole_mib() {
    let merged = |kib, bytes| {
        Charge::Merged(Merge { unit: Bytes::kib(kib), least: Bytes::kib(32), bytes, streams: 32 })
    };
    let resolved = built(&of("m5.large", &["gp3@500GiB", "io2@100GiB+1000iops", "st1@1TiB", "sc1@1TiB"]));
    let charges: Vec<Charge> = resolved.blueprint.limiters.iter().map(|limiter| limiter.charge).collect();
    let (ssd, hdd) = (merged(256, ByteCharge::Moved), merged(1_024, ByteCharge::WholeUnits));
    // What the instance counts is documented of single I/Os only.
    assert_eq!(charges, [Charge::Per(Bytes::kib(256)), ssd, ssd, hdd, hdd]);
    assert!(
        resolved.assumed.iter().any(|a| a.what() == "merging at st1 limiters" && a.value.contains("32 KiB"))
    );
    let rule = |parameter: &str, value: &str| {
        format!("[[rule]]\nscope = 'gp3'\nparameter = '{parameter}'\nvalue = '{value}'\nsource = 'mine'\n")
    };
    let with = |parameter, value| {
        let catalog = Catalog::shipped().with_user("mine.toml", &rule(parameter, value)).unwrap();
        resolve(&of("m5.large", &["gp3@500GiB"]), &catalog)
    };
    assert_eq!(
        with("merge_from_kib", "never").unwrap().blueprint.limiters[1].charge,
        Charge::Per(Bytes::kib(256))
    );
    for (parameter, value, why) in [
        ("merge_from_kib", "257", "up to 256 KiB"),
        ("charge_bytes", "all", "units or moved"),
        ("charge_kib", "1048577", "1 GiB at most"),
    ] {
        let refused = with(parameter, value).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains(parameter), "{refused}");
    }
}

#[test]
fn every_premium_size_whose_limits_are_known_takes_a_p30() {
    let catalog = Catalog::shipped();
    let mut resolved = 0;
    for vm in catalog.vms().unwrap() {
        let disk = match vm.cloud {
            Cloud::Azure if vm.premium == Some(true) => "P30",
            Cloud::Aws => "gp3@100GiB",
            _ => continue,
        };
        let name = vm.full_name();
        match resolve(&of(&name, &[disk]), &catalog) {
            Ok(_) => resolved += 1,
            Err(error) => {
                assert!(!vm.uncached.known(), "{name}: {error}");
                assert!(error.to_string().contains("not known"), "{name}: {error}");
            }
        }
        if vm.cloud == Cloud::Azure
            && vm.uncached.known()
            && vm.cached.known()
            && vm.host_cache != Some(false)
        {
            resolve(&of(&name, &["P30:readwrite"]), &catalog)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    assert!(resolved > 2_000, "{resolved}");
}

#[test]
fn an_unpublished_cached_limit_is_a_range() {
    let resolved = built(&of("E16bds_v5", &["8xP40:readonly"]));
    let limiter =
        resolved.blueprint.limiters.iter().position(|limiter| limiter.name.group == "vm.cached").unwrap();
    let limit = |band| {
        let limiters = resolved.with_band(band).limiters;
        limiters[limiter].ios.unwrap().enforced_micro(limiters[limiter].factor) / 1_000_000
    };
    // The temporary disk's 75,000; from an E16s_v3's 32,000 to an E16ds_v4's 154,000, each as enforced.
    assert_eq!(resolved.blueprint.limiters[limiter].ios.unwrap().published, 75_000);
    assert!(limit(Band::Low) <= 32_000 && limit(Band::High) >= 154_000, "{}", limit(Band::Low));
    assert!(resolved.assumed.iter().any(|it| it.what() == "cached limit of Standard_E16bds_v5"));
    let published = built(&of("E16ds_v4", &["8xP40:readonly"]));
    assert!(published.assumed.iter().all(|it| !it.what().starts_with("cached limit")));
}

#[test]
fn the_users_own_limits_make_a_size_usable() {
    let text = "name,uncached_iops,uncached_mbps\nStandard_DC48s_v3,100000,3000\n";
    let catalog = Catalog::shipped().with_user("mine.csv", text).unwrap();
    let resolved = resolve(&of("DC48s_v3", &["P30"]), &catalog).unwrap();
    assert_eq!(resolved.blueprint.limiters[0].ios.unwrap().published, 100_000);
    assert!(resolved.notes.iter().any(|note| note.contains("mine.csv")));
    let rule = "[[rule]]\nscope = 'premium'\nparameter = 'enforced_factor'\nvalue = 1.05\n";
    let catalog = Catalog::shipped().with_user("mine.toml", rule).unwrap();
    let resolved = resolve(&of("DS14", &["P30"]), &catalog).unwrap();
    assert_eq!(resolved.blueprint.limiters[1].factor, Ppm(1_050_000));
}

#[test]
fn an_unmanaged_disk_of_2016_lies_in_an_account_of_its_own() {
    let mut configuration = of("DS2", &["4xstandard@100GiB"]);
    configuration.era = Some("2016".into());
    let resolved = built(&configuration);
    assert_eq!(resolved.era, Era::parse("2016").unwrap());
    assert!(resolved.blueprint.limiters.iter().all(|limiter| limiter.name.group != "account"));
    assert!(resolved.assumed.iter().any(|a| a.what() == "storage accounts"));
    // 5.27 ms: one outstanding I/O gave 189.45 IOPS.
    assert_eq!(resolved.blueprint.disks[0].media.read.mean, Span::from_us(5_270));
    configuration.accounts = Accounts::Shared;
    let resolved = built(&configuration);
    assert_eq!(
        resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == "account").count(),
        1
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_configuration_panics(
        vm in prop::sample::select(vec!["DS2", "DS14_v2", "D8s_v3", "D14", "L8s_v3", "E16bds_v5", "D8ds_v5", "m5.large", "t2.micro", "A0", "D128ads_v7", "Basic_A1"]),
        specs in prop::collection::vec(
            "([a-z]{1,3}=)?([0-9]{1,2}x)?(P[1-8]0|E30|S10|temp|nvme|premium@[0-9]{1,5}GiB|premiumv2@[0-9]{1,5}GiB(\\+[0-9]{1,6}iops)?(\\+[0-9]{1,5}MB/s)?|gp[23]@[0-9]{1,5}GiB|io[12]@[0-9]{1,4}GiB\\+[0-9]{1,6}iops|st1@[0-9]{1,5}GiB|standard@[0-9]{1,5}GiB)(:readonly|:readwrite)?", 0..4),
        era in prop::option::of(prop::sample::select(vec!["2016", "2018-06", "2020-08", "current"])),
        separate in any::<bool>(),
        columns in prop::option::of(0u16..5),
        offset in 0u64..(1 << 42),
        interleave in 0u64..(1 << 22),
        shared in any::<bool>(),
        on_demand_burst in any::<bool>(),
    ) {
        let mut configuration = Configuration::of(vm);
        configuration.volumes = specs.iter().filter_map(|spec| parse_spec(spec).ok()).collect();
        configuration.era = era.map(str::to_string);
        configuration.separate = separate;
        configuration.columns = columns;
        configuration.partition_offset = Bytes(offset / 512 * 512);
        configuration.interleave = Bytes(interleave / 512 * 512);
        configuration.accounts = if shared { Accounts::Shared } else { Accounts::OneEach };
        configuration.on_demand_burst = on_demand_burst;
        if let Ok(resolved) = resolve(&configuration, &Catalog::shipped()) {
            prop_assert_eq!(resolved.disks.len(), resolved.blueprint.disks.len());
            prop_assert_eq!(resolved.media_bands.len(), resolved.blueprint.disks.len());
            prop_assert_eq!(resolved.cache_bands.len(), resolved.blueprint.caches.len());
            prop_assert_eq!(resolved.limiter_bands.len(), resolved.blueprint.limiters.len());
            for band in [Band::Low, Band::Expected, Band::High] {
                prop_assert!(resolved.with_band(band).check().is_ok());
            }
        }
    }

    #[test]
    fn no_figure_of_the_users_own_panics(
        column in prop::sample::select(vec!["uncached_iops", "uncached_mbps", "cached_iops", "cached_mbps", "cached_write_mbps", "cache_size_gib", "uncached_burst_iops", "vcpus", "max_data_disks", "temp_disk_gib", "temp_read_iops", "temp_disks", "raw_uncached_bytes_per_s"]),
        scope in prop::sample::select(vec!["premium", "azure-vm", "cache", "local", "azure", "st1"]),
        parameter in prop::sample::select(vec!["enforced_factor", "algorithm", "algorithm_ms", "charge_kib", "merge_from_kib", "charge_bytes", "merge_streams", "stall_share", "stall_ms", "hit_depth_1", "media_read", "media_per_kib", "media_floor", "bytes_unsettled", "line_kib", "dirty_high_gib", "dirty_low_gib", "hit", "credit_seconds", "max_transfer_kib", "disk_size_max_exclusive"]),
        figure in "0|[1-9][0-9]{0,19}(\\.[0-9]{1,7})?|bucket|each|-",
        cell in "0|[1-9][0-9]{0,19}(\\.[0-9]{1,7})?|-",
    ) {
        let text = format!(
            "[[vm]]\nname = 'Standard_DS14'\n{column} = '{cell}'\n[[rule]]\nscope = '{scope}'\nparameter = '{parameter}'\nvalue = '{figure}'\n"
        );
        if let Ok(catalog) = Catalog::shipped().with_user("mine", &text) {
            let azure = of("DS14", &["2xP10:readonly", "P20:readwrite", "temp"]);
            let aws = of("m5.large", &["2xst1@1TiB"]);
            for resolved in [azure, aws].iter().filter_map(|wanted| resolve(wanted, &catalog).ok()) {
                for band in [Band::Low, Band::Expected, Band::High] {
                    prop_assert!(resolved.with_band(band).check().is_ok());
                }
            }
        }
    }
}
