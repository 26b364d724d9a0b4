//! Invented cases with different evidence on three clouds.

mod common;

use common::{Given, given};
use iobound_explain::Confidence;

/// Rules of which one is the right first finding.
fn enough() -> Vec<(&'static [&'static str], Given)> {
    vec![
        // Azure. 3 x 5,000 x 1.02 = 15,300 of the disks is more than 12,800 x 1.02 = 13,056 of the VM.
        (&["vm-uncached-iops"], given("D8s_v3", "3xP30", "iops=13050 block=8KiB depth=96 read=50%")),
        // 7,500 x 1.02 = 7,650.
        (&["disk-iops"], given("D16s_v5", "P40", "iops=7640 latency=8.4ms block=8KiB depth=64 read=80%")),
        // 250 MB/s of a P40 in blocks of 512 KiB.
        (&["disk-throughput"], given("D16s_v5", "P40", "throughput=253MB/s block=512KiB depth=32 read=100%")),
        // 1 / 2.2 ms: one reader.
        (&["shallow-queue"], given("D16s_v5", "P40", "iops=455 latency=2.2ms depth=1 block=8KiB read=100%")),
        // Twice as fast as a Premium SSD can answer, below its limit.
        (
            &["unwritten", "page-cache"],
            given("D16s_v5", "P30", "iops=4500 depth=1 block=4KiB read=100% duration=60s"),
        ),
        // 4 disks with a rate of one.
        (&["linear-volume"], given("D32s_v3", "4xP40", "iops=7650 latency=8ms block=8KiB depth=61")),
        // The goal is below the media's.
        (
            &["media-latency"],
            given("D16s_v5", "P30", "iops=600 latency=1.8ms depth=1 block=8KiB read=0%")
                .want("latency=0.3ms"),
        ),
        // 100 MB/s of an E-series disk of 1 TiB.
        (&["disk-iops"], given("D8s_v5", "E30", "iops=508 block=8KiB latency=60ms read=70%")),
        // Idle disks, a full processor.
        (&["client-cpu"], given("D8s_v5", "2xP30", "iops=900 latency=2ms block=8KiB cpu=100%")),
        // A third of an I/O outstanding less: the application.
        (&["not-storage"], given("E16s_v5", "4xP30", "iops=80 latency=2.2ms block=8KiB iowait=0.2%")),
        // AWS. gp3 as it comes.
        (
            &["provisioned-default", "disk-iops"],
            given("m5.4xlarge", "gp3@1TiB", "iops=2995 latency=10ms block=8KiB read=60%"),
        ),
        // 18,750 IOPS of the instance, 20,000 of the volume.
        (
            &["vm-uncached-iops"],
            given("m5.4xlarge", "io2@1TiB+30000iops", "iops=18700 block=8KiB depth=128 read=100%"),
        ),
        // gp2 of 100 GiB without credits.
        (
            &["burst-spent-disk"],
            given("m5.4xlarge", "gp2@100GiB", "iops=300 latency=100ms block=16KiB credits-left=disk:0%"),
        ),
        // First reads of a restored volume.
        (
            &["lazy-load"],
            given(
                "r5.2xlarge",
                "gp3@500GiB",
                "throughput=4MB/s latency=40ms block=16KiB read=100% from-snapshot=yes",
            ),
        ),
        // Small flushed writes of a log, one at a time, at the media's latency.
        (
            &["no-write-cache"],
            given(
                "r5.2xlarge",
                "log=gp3@200GiB",
                "iops=1300 latency=0.75ms depth=1 block=8KiB read=0% sync=yes",
            ),
        ),
        // 16,000 of one volume of 3,000: 131 MB/s is its throughput limit, so larger I/Os reach it.
        (
            &["read-ahead"],
            given("m5.8xlarge", "gp3@500GiB", "iops=16000 block=8KiB depth=64 read=100% duration=30min"),
        ),
        // Google. pd-ssd: 30 IOPS for each GiB and 6,000 more.
        (
            &["vm-uncached-iops", "disk-iops"],
            given("n2-standard-8", "pd-ssd@2000GiB", "iops=15000 block=8KiB depth=64 read=100%"),
        ),
        (
            &["not-storage"],
            given("n2-standard-16", "pd-balanced@1TiB", "iops=100 latency=0.5ms block=8KiB iowait=0.1%"),
        ),
        // One reader on Hyperdisk.
        (
            &["shallow-queue"],
            given(
                "c3-standard-22",
                "hyperdisk-balanced@1TiB+20000iops+600MB/s",
                "iops=1100 latency=0.9ms depth=1 block=8KiB read=100%",
            ),
        ),
    ]
}

/// Cases in which nothing may be claimed.
fn unknown() -> Vec<Given> {
    vec![
        given("D16s_v5", "4xP30", "iops=3000"),
        given("m5.4xlarge", "gp3@1TiB", "throughput=40MB/s"),
        given("n2-standard-16", "pd-ssd@1TiB", "iops=2500 read=80%"),
        given("E16s_v5", "P40", "latency=9ms"),
    ]
}

#[test]
fn the_right_cause_comes_first_or_nothing_is_claimed() {
    let mut wrong = Vec::new();
    for (expected, case) in enough() {
        let first = case.findings().remove(0);
        if !expected.contains(&first.rule) {
            wrong.push(format!(
                "{} {} {}: {expected:?}, found {:?}",
                case.vm,
                case.disk,
                case.observed,
                case.rules()
            ));
        }
    }
    for case in unknown() {
        let first = case.findings().remove(0);
        if first.confidence > Confidence::Possible {
            wrong.push(format!("{} {} {}: nothing, found {}", case.vm, case.disk, case.observed, first.rule));
        }
    }
    let all = enough().len() + unknown().len();
    assert!(wrong.is_empty(), "{} of {all} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
