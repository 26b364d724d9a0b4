//! The published cases whose cause is known and whose remedy worked: the true cause is the first finding, and what worked
//! is among its remedies, predicted to help, or is what it says to do. The source stands beside each.

mod common;

use common::{Given, given};
use iobound_explain::{Effect, Finding};

/// Successes.
enum Worked {
    /// A change of the first finding, in its words, and the MB/s or IOPS that it is predicted to give.
    Change(&'static str, Predicted),
    /// Advice of the first finding.
    Advice(&'static str),
}

/// An oracle: arithmetic or what was published.
enum Predicted {
    MegabytesPerS(f64),
    Iops(f64),
    MilliS(f64),
}

use Predicted::{Iops, MegabytesPerS, MilliS};
use Worked::{Advice, Change};

/// E15's neighbours of Google Cloud: limits of a machine and of a disk in one's own words.
const H3: &str = "\
[[vm]]
name = \"h3-standard-88\"
uncached_iops = 15000
uncached_mbps = 240
premium_io = true
max_data_disks = 128
vcpus = 88
basics_source = \"h-family-2024-08\"

[[disk]]
tier = \"pd-balanced-3000\"
disk_type = \"standardssd\"
min_size_gib_exclusive = 2794
max_size_gib = 2795
iops = 19760
mbps = 935
source = \"limits-per-gb-2024-08\"
";

/// 30 IOPS a GB, as the case has it.
const E2: &str = "\
[[vm]]
name = \"e2-standard-4\"
uncached_iops = 15000
uncached_mbps = 240
premium_io = true
max_data_disks = 128
vcpus = 4
basics_source = \"e-family-2024-08\"

[[disk]]
tier = \"pd-ssd-100\"
disk_type = \"standardssd\"
min_size_gib_exclusive = 92
max_size_gib = 93
iops = 3000
mbps = 48
source = \"openshift/release#33248\"
";

/// (number of the case, names that are right, the case, what worked).
fn cases() -> Vec<(u32, &'static [&'static str], Given, Vec<Worked>)> {
    vec![
        // openshift/installer#4326: cache none, 192 MB/s x 1.02.
        (
            1,
            &["vm-cached-throughput"],
            given("Standard_D8s_v3", "os=P30:readonly", "iops=1000 throughput=140MB/s read=30%"),
            vec![Change("host cache none", MegabytesPerS(195.8))],
        ),
        // Azure/AKS#5743: 65,536 KiB of read-ahead; 128 KiB brought the few MB/s back that were asked for.
        (
            3,
            &["read-ahead"],
            given("Standard_D8as_v7", "P60", "throughput=460MiB/s read=100% read-ahead=64MiB"),
            vec![Advice("128 KiB")],
        ),
        (
            3,
            &["read-ahead"],
            given("D8as_v7", "P60", "throughput=460MiB/s application=5MB/s read=100% block=8KiB depth=16"),
            // 16 / 2.1 ms
            vec![Advice("128 KiB"), Change("read-ahead of 128 KiB or less", Iops(7_600.0))],
        ),
        // Azure/AKS#447: P15 and more.
        (
            6,
            &["disk-iops", "disk-throughput"],
            given("DS3_v2", "os=P4", "iops=120 throughput=25MB/s"),
            // P15: 125 MB/s, of which the VM lets 128 through.
            vec![Change("P15 disks", MegabytesPerS(127.5))],
        ),
        (6, &["disk-iops"], given("DS3_v2", "os=P4", "iops=120"), vec![Change("P15 disks", Iops(1_122.0))]),
        // azure-docs#46036, #45942: Write Accelerator, Ultra or Premium SSD v2.
        (
            9,
            &["media-latency"],
            given("M64ls", "P30", "latency=2.226ms block=4KiB read=0%").want("latency=1ms"),
            vec![
                Advice("Write Accelerator"),
                Change("premiumv2@1024GiB+5000iops+200MB/s disks", MilliS(0.7)),
                Change("ultra@1024GiB+5000iops+200MB/s disks", MilliS(0.4)),
            ],
        ),
        // scylladb#27885: interrupts of a network card that were not spread.
        (
            11,
            &["not-storage", "client-cpu"],
            given("L16s_v4", "4xnvme", "iops=520287 read=100%"),
            vec![Advice("interrupts")],
        ),
        (
            11,
            &["client-cpu"],
            given("L16s_v4", "4xnvme", "iops=520287 read=100% cpu=100%"),
            vec![Advice("interrupts")],
        ),
        // cassandra-on-azure-vms: read-ahead of 8 to 64 KiB, then more threads.
        (
            13,
            &["read-ahead"],
            given(
                "DS14_v2",
                "4xP30",
                "throughput=780MB/s read=100% block=8KiB depth=16 read-ahead=4MiB access=random",
            ),
            vec![
                Advice("more threads"),
                Change("read-ahead of 128 KiB or less, 32 outstanding", Iops(15_100.0)),
            ],
        ),
        // azuredisk-csi-driver#1442: set the IOPS.
        (
            15,
            &["provisioned-default"],
            given("D8s_v5", "ultra@512GiB+500iops+8MB/s", "iops=500 block=4KiB"),
            vec![Change("ultra@512GiB+4000iops+17MB/s disks", Iops(4_080.0))],
        ),
        // osrm-backend#3407: read it beforehand, or fast snapshot restore. gp2 of 100 GiB: 300 IOPS for long, of 128 KiB.
        (
            16,
            &["lazy-load"],
            given("m4.2xlarge", "gp2@100GiB", "throughput=2.5MB/s iowait=99%"),
            vec![Advice("fast snapshot restore"), Change("after all blocks have been read", Iops(307.0))],
        ),
        (
            16,
            &["lazy-load"],
            given("m4.2xlarge", "gp2@100GiB", "throughput=2.5MB/s read=100%"),
            vec![Advice("read the whole disk")],
        ),
        // seastar#1030: 125 MiB/s after the burst.
        (
            18,
            &["burst-measured"],
            given("i3en.2xlarge", "gp3@500GiB", "throughput=262.6MB/s duration=30s"),
            vec![Advice("measure until"), Change("after the burst", MegabytesPerS(131.1))],
        ),
        // jake-webber.com 2019: gp3, or a larger one.
        (
            20,
            &["burst-spent-disk"],
            given("m5.large", "gp2@100GiB", "iops=300 latency=250ms block=8KiB"),
            vec![
                Change("gp3@100GiB+3000iops+125MiB/s disks", Iops(3_000.0)),
                Change("gp2@400GiB disks", Iops(1_228.0)),
            ],
        ),
        // akopytov/sysbench#475: 81.25 MB/s, 3,600 IOPS; m5.4xlarge has its 593.75 MB/s for long.
        (
            22,
            &["burst-spent-vm"],
            given("m5.large", "gp3@500GiB+16000iops+500MB/s", "iops=3600 block=16KiB after=31min"),
            vec![Change("VM m5.4xlarge", Iops(16_000.0)), Change("VM m5.xlarge", Iops(6_000.0))],
        ),
        // apache/pulsar#7058: 650 Mbit/s; an instance of a higher baseline: 1,150 Mbit/s.
        (
            23,
            &["burst-spent-vm"],
            given("m5.large", "gp2@1TiB", "throughput=82MB/s read=100%"),
            vec![Change("VM m5.xlarge", MegabytesPerS(143.75))],
        ),
        // cloud-image-tests#356: 15,000 IOPS or 240 MB/s; less to fill, or another type.
        (
            25,
            &["vm-uncached-iops"],
            given("h3-standard-88", "pd-balanced-3000", "iops=15000 block=9KiB read=0%").own(H3),
            vec![Advice("less I/O"), Advice("a VM size with higher limits")],
        ),
        // openshift/release#33248: twice the size, 6,000.
        (
            27,
            &["disk-iops"],
            given("e2-standard-4", "pd-ssd-100", "iops=3000 block=8KiB read=0%").own(E2),
            vec![Change("2 disks", Iops(6_000.0))],
        ),
        // bottlerocket-images-cache#13: 15 GB in ten minutes.
        (
            29,
            &["lazy-load"],
            given("m5.large", "gp3@50GiB", "throughput=25MB/s read=100%"),
            vec![
                Advice("fast snapshot restore"),
                Change("after all blocks have been read", MegabytesPerS(81.2)),
            ],
        ),
    ]
}

fn check(finding: &Finding, worked: &Worked) -> Result<(), String> {
    let (says, predicted) = match worked {
        Advice(words) => {
            return if finding.advice.contains(words) {
                Ok(())
            } else {
                Err(format!("`{words}` is not in `{}`", finding.advice))
            };
        }
        Change(says, predicted) => (says, predicted),
    };
    let offered = || finding.remedies.iter().map(|remedy| remedy.says()).collect::<Vec<_>>();
    let remedy = finding.remedies.iter().find(|remedy| remedy.says() == *says);
    let remedy = remedy.ok_or_else(|| format!("`{says}` is none of {:?}", offered()))?;
    let outcome = remedy.outcome.as_ref().ok_or("it is not predicted")?;
    let (got, oracle) = match predicted {
        MegabytesPerS(oracle) => (outcome.throughput_bytes_per_s / 1e6, oracle),
        Iops(oracle) => (outcome.iops, oracle),
        MilliS(oracle) => (outcome.latency_us.mean.unwrap_or(0.0) / 1e3, oracle),
    };
    if (got / oracle - 1.0).abs() > 0.04 {
        return Err(format!("`{says}`: {got:.1} predicted, {oracle} to be expected"));
    }
    // What was measured was too much in one case, and for nobody in another.
    let helps = outcome.effect == Some(Effect::Better);
    if helps || finding.rule == "burst-measured" || finding.rule == "read-ahead" {
        Ok(())
    } else {
        Err(format!("`{says}` is not said to help: {outcome:?}"))
    }
}

#[test]
fn the_true_cause_is_first_and_what_worked_is_said() {
    let mut wrong = Vec::new();
    for (number, truth, given, worked) in cases() {
        let explanation = given.explained();
        let first = &explanation.findings[0];
        if !truth.contains(&first.rule) {
            let found: Vec<&str> = explanation.findings.iter().map(|finding| finding.rule).collect();
            wrong.push(format!("{number}: {truth:?}, found {found:?}"));
            continue;
        }
        for worked in &worked {
            if let Err(why) = check(first, worked) {
                wrong.push(format!("{number}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_fifteen_are_here() {
    let mut numbers: Vec<u32> = cases().iter().map(|(number, ..)| *number).collect();
    numbers.dedup();
    assert_eq!(numbers, [1, 3, 6, 9, 11, 13, 15, 16, 18, 20, 22, 23, 25, 27, 29]);
}
