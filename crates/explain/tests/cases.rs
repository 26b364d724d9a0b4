//! Cases whose true cause is known: published ones (the source beside each), the documentation's examples, and the
//! signatures that the rules are made of. The first finding is the true cause.

#![allow(clippy::disallowed_methods, reason = "it reads the rules' own words")]

mod common;

use common::{Given, given};

fn cases() -> Vec<(&'static str, Given)> {
    let cold = |given: Given| given.cold();
    let with = |options, given| Given { options, ..given };
    let want = |want, given| Given { want, ..given };
    vec![
        // openshift/installer#4326: etcd throttled at about 140 MB/s and 1,000 IOPS; cache none helped.
        ("vm-cached-throughput", given("D8s_v3", "P30:readonly", "iops=1000 throughput=140MB/s read=30%")),
        // Azure/AKS#5743: read-ahead of 65,536 KiB.
        (
            "read-ahead",
            given("D8as_v5", "P30", "throughput=200MB/s access=random read-ahead=64MiB read=100%"),
        ),
        ("read-ahead", given("D8as_v5", "P30", "throughput=200MB/s application=6MB/s read=100%")),
        // Azure/AKS#447: a 30 GB disk is a P4, 120 IOPS and 25 MB/s.
        ("disk-iops", given("DS3_v2", "P4", "iops=120 read=50%")),
        ("disk-throughput", given("DS3_v2", "P4", "throughput=25MB/s read=50%")),
        // azure-docs#46036: log writes of 4 KiB in 2,226 us where 1,000 are asked.
        (
            "media-latency",
            want("latency=1ms", given("M64ls", "P30", "latency=2.226ms block=4KiB depth=1 read=0%")),
        ),
        // azuredisk-csi-driver#1442: an Ultra disk at its default of 500 IOPS.
        ("provisioned-default", given("D8s_v5", "ultra@512GiB+500iops+4MB/s", "iops=500 block=4KiB")),
        // osrm-backend#3407: 2 to 3 MB/s from a snapshot.
        ("lazy-load", given("m4.2xlarge", "gp2@100GiB", "throughput=2.5MB/s block=16KiB read=100%")),
        ("lazy-load", given("m4.2xlarge", "gp2@500GiB", "throughput=2.5MB/s iowait=99%")),
        ("file-system", given("D16s_v5", "P30", "iops=900 raw=4000iops block=4KiB")),
        // seastar#1030: 262.6 MB/s on a volume of 125; 128 by hand.
        (
            "burst-measured",
            given("i3en.2xlarge", "gp3@500GiB", "throughput=262.6MB/s block=128KiB duration=30s"),
        ),
        ("provisioned-default", given("m5.4xlarge", "gp3@500GiB", "throughput=128MB/s block=128KiB")),
        // Google's console: 3,600 IOPS and 290 MiB/s.
        ("provisioned-default", given("c4d-standard-8", "hyperdisk-balanced@500GiB", "iops=3600 block=4KiB")),
        (
            "provisioned-default",
            given("c4d-standard-8", "hyperdisk-balanced@500GiB", "throughput=304MB/s block=256KiB"),
        ),
        // jake-webber.com 2019: 100 GB of gp2, 3,000 IOPS until the credits are gone, then 300.
        ("burst-spent-disk", given("m5.4xlarge", "gp2@100GiB", "iops=300 latency=250ms block=8KiB")),
        // akopytov/sysbench#475: m5.large after 30 minutes.
        (
            "burst-spent-vm",
            given("m5.large", "gp3@500GiB+16000iops+500MB/s", "iops=3600 block=16KiB after=45min"),
        ),
        // E15, Azure IO testing: 540 to 570 MB/s on DS14_v2 whatever the number of disks.
        (
            "vm-cached-throughput",
            with(
                "s",
                given("DS14_v2", "6xP30:readonly", "throughput=555MB/s block=32KiB read=100% depth=96"),
            ),
        ),
        // A8, A9, A2 of the documentation.
        ("vm-uncached-iops", given("D8s_v3", "3xP30", "iops=12800 block=8KiB")),
        ("disk-throughput", given("DS4", "P30", "throughput=200MB/s block=64KiB")),
        ("vm-uncached-throughput", given("DS4", "2xP30", "throughput=256MB/s block=64KiB")),
        // E6: 19,882 IOPS of 32 outstanding.
        ("shallow-queue", with("e2016", given("DS14", "10xP30", "iops=15200 block=4KiB depth=32 read=100%"))),
        // cassandra-on-azure-vms: 4 x P30 at 19k, 3.3 ms, 64 outstanding.
        ("disk-iops", given("DS14_v2", "4xP30", "iops=19800 block=4KiB depth=64 read=0%")),
        ("large-io-charge", given("D16s_v5", "P10", "iops=250 block=260KiB read=100%")),
        ("block-size-knee", want("iops=5000", given("D16s_v5", "P30", "iops=3110 block=64KiB read=100%"))),
        ("write-under-read-cache", given("D8s_v3", "P30:readonly", "throughput=130MB/s block=64KiB read=0%")),
        ("cached-miss", cold(given("D8s_v3", "P30:readonly", "throughput=130MB/s block=64KiB read=100%"))),
        ("deep-queue", want("latency=5ms", given("D16s_v5", "P30", "iops=5100 latency=50ms block=4KiB"))),
        (
            "linear-volume",
            with(
                "s",
                given(
                    "D16s_v5",
                    "4xP30",
                    "block=4KiB data.0: iops=5100 data.1: iops=10 data.2: iops=11 data.3: iops=12",
                ),
            ),
        ),
        (
            "hot-member",
            with(
                "s",
                given(
                    "D16s_v5",
                    "4xP30",
                    "block=4KiB data.0: iops=5100 data.1: iops=900 data.2: iops=1000 data.3: iops=800",
                ),
            ),
        ),
        ("fewer-columns", with("c2", given("D16s_v5", "4xP30", "iops=10200 block=4KiB access=sequential"))),
        ("client-cpu", given("L16s_v3", "P30", "iops=2000 latency=2ms block=4KiB cpu=99%")),
        ("not-storage", given("D16s_v5", "4xP30", "iops=100 latency=2.1ms block=8KiB")),
        (
            "unit-mixup",
            want("throughput=209.7MB/s", given("D16s_v5", "P30", "throughput=202MB/s block=1MiB")),
        ),
        ("page-cache", given("D16s_v5", "P30", "iops=400000 latency=5us block=4KiB depth=2")),
        ("bad-host", given("D16s_v5", "P30", "iops=500 latency=8ms block=4KiB depth=4 read=0%")),
        // cockroach#32199: single digits until a restart.
        ("stalled-volume", given("m5.xlarge", "io1@50GiB+2500iops", "iops=9 depth=8 block=16KiB")),
        // AWS, micro-bursting: high latency and queue length at means below the volume's figures.
        ("micro-burst", given("m5.xlarge", "gp3@500GiB", "iops=900 latency=20ms block=8KiB read=30%")),
        (
            "cache-flush-stall",
            given("D16s_v3", "P30:readwrite", "iops=300 latency=4ms latency=p99:900ms block=4KiB read=10%"),
        ),
        ("too-short", given("D16s_v5", "P60", "iops=18500 block=4KiB duration=2s")),
        // 16,000 x 1.02.
        ("vm-cached-iops", given("D8s_v3", "2xP30:readonly", "iops=16300 block=4KiB read=100%")),
        // 1 / 0.25 ms is no Premium media.
        ("unwritten", given("D16s_v5", "P30", "iops=4000 depth=1 block=4KiB read=100%")),
        // The disk's 5,100 behind a cache that was just attached.
        ("cold-cache", cold(given("D32s_v3", "P30:readonly", "iops=5100 block=8KiB read=100%"))),
        // azure-docs#94521: a temporary disk of 46 MB/s.
        ("above-every-limit", given("D2_v3", "temp", "throughput=200MB/s read=100%")),
        // seastar#2802: "If I force it to 4096 I get the best write iops".
        ("device-block", given("i7i.24xlarge", "6xnvme", "iops=1100000 block=512B read=0%")),
        // 12 / 3,600 = 3.3 ms.
        (
            "contradiction",
            given("m5.large", "gp3@500GiB+12000iops", "iops=3600 block=16KiB depth=12 latency=9ms"),
        ),
        // The media takes 1.5 ms at most, and no rate says whether a limit is full.
        ("throttled", given("m5.large", "gp3@500GiB+12000iops", "latency=20ms block=16KiB")),
        // LVM's default.
        ("stripe-misaligned", with("o63", given("D32s_v3", "4xP30", "iops=10200 block=64KiB read=100%"))),
    ]
}

#[test]
fn the_true_cause_is_the_first_finding() {
    let cases = cases();
    let mut wrong = Vec::new();
    for (cause, given) in &cases {
        let found = given.rules();
        if found[0] != *cause {
            wrong.push(format!("{} {} {}: {cause}, found {found:?}", given.vm, given.disk, given.observed));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What is so beside a limit that binds, and about money: never the first.
fn beside() -> Vec<(&'static str, Given)> {
    vec![
        // "Premium Storage and IOPS on Azure": P10 disks on a DS14; P30 disks on a DS2.
        ("vm-unused", given("DS14", "P10", "iops=510 block=4KiB").with("e2016")),
        ("unreachable", given("DS2", "P30", "throughput=65MB/s block=64KiB").with("e2016")),
        // etcd's FAQ: each commit waits for the disk.
        ("no-write-cache", given("D8s_v5", "P30", "iops=450 latency=2.1ms depth=1 block=4KiB read=0%")),
    ]
}

#[test]
fn what_is_paid_in_vain_is_found_beside_the_limit() {
    for (rule, given) in beside() {
        let found = given.rules();
        assert!(found[1..].contains(&rule), "{rule}: {found:?}");
        let limits = ["iops", "throughput", "shallow-queue"];
        assert!(limits.iter().any(|limit| found[0].contains(limit)), "{found:?}");
    }
}

#[test]
fn every_rule_has_its_case_and_says_where_it_comes_from_what_speaks_for_it_and_what_helps() {
    let cases = cases();
    for rule in iobound_explain::RULES.iter().filter(|rule| rule.works_loaded()) {
        let mut all = cases.iter().chain(&beside()).map(|(name, _)| *name).collect::<Vec<_>>().into_iter();
        assert!(all.any(|name| name == rule.name), "{} has no case", rule.name);
        let file = format!("{}/src/rules/{}.rs", env!("CARGO_MANIFEST_DIR"), rule.name.replace('-', "_"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for word in ["//! Documentation: ", "//! Evidence: ", "//! Remedy: "] {
            assert!(text.contains(word), "{file} has no `{word}`");
        }
    }
    assert!(["unexplained"].iter().all(|name| iobound_explain::RULES.iter().all(|rule| rule.name != *name)));
}

#[test]
fn every_first_finding_says_what_to_do_and_what_to_measure() {
    for (cause, given) in cases() {
        let findings = given.findings();
        let first = &findings[0];
        assert!(!first.advice.is_empty() || !first.remedies.is_empty(), "{cause} says nothing to do");
        assert!(first.to_be_sure.is_some(), "{cause} says nothing to measure");
        assert!(!first.evidence.is_empty(), "{cause} has no evidence");
    }
}

#[test]
fn a_wish_is_judged_over_all_changes_and_what_would_meet_it_is_said() {
    // 12,800 x 1.02 of a D8s_v3 is less than 30,000; D32s_v3 has 51,200, and 6 x 5,000 x 1.02 are 30,600.
    let given = given("D8s_v3", "2xP30", "iops=10200 block=8KiB depth=128").want("iops=30000");
    let wish = given.explained().wish.unwrap();
    assert!(wish.met_by.is_empty(), "{wish:?}");
    let other = wish.otherwise.unwrap();
    assert_eq!(other.says(), "VM Standard_D32s_v3, 6 disks");
    assert_eq!(other.outcome.unwrap().meets_want, Some(true));
    let wish = given.want("iops=12000").explained().wish.unwrap();
    assert!(wish.met_by.contains(&"3 disks".to_string()) && wish.otherwise.is_none(), "{wish:?}");
    assert!(Given { want: "", ..given }.explained().wish.is_none());
}

#[test]
fn what_is_used_decides_what_a_cache_helps() {
    // 200 GiB of cache hold 100 GiB and not 2 TiB: the VM's 16,000 x 1.02 cached, or its 12,800 x 1.02 uncached.
    let predicted = |size: &str| {
        let observed = format!("iops=13050 block=4KiB read=100% depth=256 size={size}");
        let given = given("D8s_v3", "4xP30", Box::leak(observed.into_boxed_str()));
        let first = given.explained().findings.remove(0);
        assert_eq!(first.rule, "vm-uncached-iops");
        let cached =
            first.remedies.into_iter().find(|remedy| remedy.says() == "host cache readonly").unwrap();
        cached.outcome.unwrap().iops
    };
    let (held, missed) = (predicted("100GiB"), predicted("2TiB"));
    assert!((held / 16_320.0 - 1.0).abs() < 0.02, "{held}");
    assert!(missed < 15_000.0, "{missed}");
}

#[test]
fn of_two_that_are_as_likely_it_is_said_what_tells_them_apart() {
    // Both are full: 204 MB/s of the disk, 195.8 of the VM.
    let explanation = given("D8s_v3", "P30", "throughput=199MB/s block=1MiB").explained();
    let rules: Vec<&str> = explanation.findings.iter().take(2).map(|finding| finding.rule).collect();
    assert!(rules.contains(&"disk-throughput") && rules.contains(&"vm-uncached-throughput"), "{rules:?}");
    assert!(explanation.tell_apart.unwrap().contains("one disk alone, then all at once"));
}
