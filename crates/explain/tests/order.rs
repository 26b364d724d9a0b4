//! Which of two causes comes first: the evidence that parts them, in both directions.

mod common;

use common::{Given, given};
use iobound_explain::Confidence;

fn first(given: Given) -> (&'static str, Confidence) {
    let findings = given.findings();
    (findings[0].rule, findings[0].confidence)
}

fn of(given: Given, rule: &str) -> Option<Confidence> {
    given.findings().into_iter().find(|finding| finding.rule == rule).map(|finding| finding.confidence)
}

#[test]
fn one_busy_disk_comes_first_only_at_its_own_limit() {
    // 5,000 x 1.02 is the first disk's limit.
    let own = "block=4KiB data.0: iops=5100 data.1: iops=10 data.2: iops=5";
    assert_eq!(first(given("D16s_v5", "3xP30", own).with("s")), ("linear-volume", Confidence::Strong));
    // 3,200 x 1.02 is the VM's: two more busy disks would give no more.
    let vms = "block=4KiB data.0: iops=3264 data.1: iops=10 data.2: iops=5";
    let held = given("D2s_v3", "3xP30", vms).with("s");
    assert_eq!(first(held), ("vm-uncached-iops", Confidence::Strong));
    assert_eq!(of(held, "linear-volume"), Some(Confidence::Possible));
    // 8 % of its limit: nothing waits for it.
    let idle = "block=4KiB read=70% data.0: iops=400 latency=2.4ms data.1: iops=2 latency=2.4ms data.2: iops=5 latency=2.4ms";
    assert_eq!(of(given("D8s_v3", "3xP30", idle).with("s"), "linear-volume"), Some(Confidence::Possible));
}

#[test]
fn the_limit_of_a_disk_seen_apart_is_its_own() {
    let own = "block=4KiB data.0: iops=5100 data.1: iops=10 data.2: iops=5";
    let findings = given("D16s_v5", "3xP30", own).findings();
    let disk = findings.iter().find(|finding| finding.rule == "disk-iops").unwrap();
    // 5,000 x 1.02 and x 1.025 of one disk, not 15,000 of three.
    assert_eq!(disk.evidence[0], "the cloud enforces 5,100 IOPS, at most 5,125 IOPS", "{}", disk.claim);
}

#[test]
fn a_rate_clearly_above_the_disks_is_above_every_limit_whatever_the_vm_lets_through() {
    // 13,000 of 5,100: no uncached P30 gives it, though the VM's 12,800 x 1.02 would let it through.
    for observed in ["iops=13000 block=4KiB", "iops=13000 block=4KiB depth=64 duration=10min read=100%"] {
        let case = given("D8s_v3", "P30", observed);
        assert_eq!(first(case).0, "above-every-limit", "{observed}");
        assert_eq!(of(case, "vm-uncached-iops"), Some(Confidence::Possible), "{observed}");
    }
    // Three disks give 15,300, so the VM holds them.
    let three = given("D8s_v3", "3xP30", "iops=13000 block=4KiB");
    assert_eq!(first(three), ("vm-uncached-iops", Confidence::Strong));
}

#[test]
fn the_rate_of_one_disk_is_known_only_of_disks_that_are_alike() {
    // 5,100 of four disks of 5,000, with a queue that waits.
    let observed = "iops=5100 block=4KiB depth=128";
    assert_eq!(first(given("D16s_v5", "4xP30", observed)), ("linear-volume", Confidence::Strong));
    // Declared as linear, however deep the queue was.
    let linear = given("D16s_v5", "4xP30", "iops=5100 block=4KiB").with("c1");
    assert_eq!(first(linear), ("linear-volume", Confidence::Strong));
    // One outstanding reaches no limit, and the VM's limit is above one disk's: the volume is beside the cause.
    let alone = given("D16s_v5", "4xP30", "iops=500 latency=2ms depth=1 block=4KiB read=100%").with("c1");
    assert_eq!(first(alone).0, "shallow-queue");
    assert_eq!(of(alone, "linear-volume"), Some(Confidence::Possible));
    // As volumes of their own, each may be asked for anything.
    let apart = given("D16s_v5", "4xP30", observed).with("s");
    assert_eq!(of(apart, "linear-volume"), Some(Confidence::Likely));
    // (7,500 + 500) / 2 = 4,000 is the limit of no disk.
    let unlike = given("D16s_v5", "data=P40 other=P10", "iops=4080 block=4KiB depth=128");
    assert_eq!(of(unlike, "linear-volume"), None);
}

#[test]
fn the_other_unit_comes_first_only_where_nothing_else_is_to_be_explained() {
    // 190.7 MiB/s are 200 MB/s, a P30's.
    let alone = given("D16s_v5", "P30", "throughput=190.7MB/s block=1MiB");
    assert_eq!(first(alone), ("unit-mixup", Confidence::Likely));
    // 97 % of 968 MB/s, which 1.02 x 968 would be in MiB/s.
    let cached = given("E16-4ds_v4", "8xP40:readonly", "throughput=940MB/s block=64KiB");
    assert_eq!(first(cached).0, "vm-cached-throughput");
    // 32 / 2,910 = 11 ms: the I/Os wait at the limit.
    for waits in ["throughput=190.7MB/s block=64KiB depth=32 read=100%", "throughput=190.7MB/s iowait=70%"] {
        let queued = given("D16s_v5", "P30", waits);
        assert_eq!(first(queued), ("disk-throughput", Confidence::Likely), "{waits}");
        assert_eq!(of(queued, "unit-mixup"), Some(Confidence::Possible), "{waits}");
    }
    // On AWS nothing above the published figure is let through: 125 MB/s, or 119.2 MiB/s, is 125 in the other unit.
    let aws = given("m5.4xlarge", "gp3@500GiB", "throughput=119.2MiB/s block=1MiB");
    assert_eq!(first(aws), ("unit-mixup", Confidence::Likely));
    assert_eq!(of(aws, "disk-throughput"), Some(Confidence::Possible));
    // Who writes the limit's own number means the limit.
    let own = given("m5.4xlarge", "gp3@500GiB+6000iops+250MiB/s", "throughput=250MB/s");
    assert_eq!(first(own), ("disk-throughput", Confidence::Strong));
    // 593.75 MB/s of the instance is 566.2 MiB/s.
    let vm = given("m5.4xlarge", "gp3@500GiB+6000iops+1000MB/s", "throughput=566.2MB/s block=256KiB");
    assert_eq!(first(vm), ("unit-mixup", Confidence::Likely));
    // I/Os that wait are held by the limit.
    let waits = "throughput=125MB/s block=128KiB latency=33ms depth=32";
    assert_ne!(first(given("m5.4xlarge", "gp3@500GiB", waits)).0, "unit-mixup");
    // 954 x 128 KiB = 125 MB/s: the unit is right. 1,000 x 128 KiB is 131 MB/s, the limit itself.
    let right = given("m5.4xlarge", "gp3@500GiB", "throughput=125MB/s iops=954");
    assert_eq!(of(right, "unit-mixup"), None);
    let wrong = given("m5.4xlarge", "gp3@500GiB", "throughput=125MB/s iops=1000 block=128KiB");
    assert_eq!(first(wrong), ("provisioned-default", Confidence::Strong));
    // A goal of 200 MiB/s where 200 MB/s are let through is the unit's difference.
    let goal = given("D16s_v5", "P30", "throughput=202MB/s block=1MiB");
    assert_eq!(first(goal.want("throughput=209.7MB/s")), ("unit-mixup", Confidence::Strong));
    // Where less latency is wished for as well, the difference is not all.
    let more = goal.want("throughput=209.7MB/s latency=2ms");
    assert_ne!(first(more).0, "unit-mixup");
    assert_eq!(of(more, "unit-mixup"), Some(Confidence::Possible));
}

#[test]
fn writes_that_wait_one_by_one_come_before_the_queue_where_they_are_a_log() {
    let small = "iops=420 latency=2.3ms depth=1 block=4KiB read=0%";
    let log = given("D8s_v5", "log=P30", small);
    assert_eq!(first(log), ("no-write-cache", Confidence::Strong));
    // On a data disk a deeper queue helps.
    assert_eq!(first(given("D8s_v5", "data=P30", small)), ("shallow-queue", Confidence::Strong));
    // Large writes to it are no commits.
    let large = given("D8s_v5", "log=P30", "iops=180 latency=5.4ms depth=1 block=256KiB read=0%");
    assert_ne!(first(large).0, "no-write-cache");
    // A host cache acknowledges them in a tenth of the time.
    let cached = given("D8s_v3", "log=P30:readwrite", "iops=7000 latency=0.14ms depth=1 block=4KiB read=0%");
    assert_eq!(of(cached, "no-write-cache"), None);
    // Beside busy data disks, the log is seen by itself.
    let both = given(
        "E16s_v5",
        "data=4xP30:readonly log=P20",
        "data: iops=6000 latency=2ms block=8KiB read=80% log: iops=420 latency=2.3ms block=8KiB read=0%",
    );
    assert_eq!(of(both, "no-write-cache"), Some(Confidence::Strong));
}

#[test]
fn writes_of_which_each_is_flushed_wait_for_the_disk_or_for_the_file_system() {
    // 1 / 420 = 2.4 ms is the disk's own time: nothing else takes any.
    let disk = given("D8s_v5", "P30", "iops=420 depth=1 block=8KiB read=0% sync=yes");
    assert_eq!(first(disk), ("no-write-cache", Confidence::Strong));
    assert_eq!(of(disk, "file-system"), None);
    // 1 / 110 = 9 ms: the journal's writes are on the way as well.
    let journal = given("D8s_v5", "P30", "iops=110 depth=1 block=8KiB read=0% sync=yes");
    assert_eq!(first(journal), ("file-system", Confidence::Likely));
    // The kernel times the flushes apart: 1 ms for the write, and 4 ms from one to the next.
    let apart = given("m5.xlarge", "gp3@200GiB", "iops=250 latency=1ms depth=1 block=8KiB read=0% sync=yes");
    assert_eq!(first(apart), ("file-system", Confidence::Likely));
    assert!(of(apart, "not-storage") <= Some(Confidence::Possible));
    // Without flushes the same may be the host: nothing is claimed.
    let unknown = given("D8s_v5", "P30", "iops=110 depth=1 block=8KiB read=0%");
    assert_eq!(first(unknown).1, Confidence::Possible);
    assert_eq!(of(unknown, "file-system"), Some(Confidence::Possible));
}

#[test]
fn counted_flushes_are_evidence_where_there_is_one_for_each_write_or_two() {
    let slow = "iops=110 latency=9ms block=8KiB read=0%";
    let of_disk = |observed: &'static str| given("D8s_v5", "P30", observed);
    assert_eq!(first(of_disk("iops=110 latency=9ms block=8KiB read=0% flushes=80")).0, "file-system");
    for few in ["iops=110 latency=9ms block=8KiB read=0% flushes=5", slow] {
        assert!(of(of_disk(few), "file-system") <= Some(Confidence::Possible), "{few}");
    }
    // Who says that nothing is flushed is right, whatever other writers do.
    let none = of_disk("iops=110 latency=9ms block=8KiB read=0% flushes=80 sync=no");
    assert!(of(none, "file-system") <= Some(Confidence::Possible));
    // A journal's few flushes beside reads hold nothing.
    let read = of_disk("iops=60 latency=2ms block=8KiB read=97% flushes=1");
    assert_eq!(first(read), ("not-storage", Confidence::Strong));
}

#[test]
fn what_only_may_be_the_file_system_claims_nothing() {
    for (vm, disk, observed) in [
        // 2,300 bytes are no whole sectors.
        ("D8s_v5", "P30", "iops=300 block=2300B read=0%"),
        // `cp` of one file.
        ("m5.4xlarge", "gp3@1TiB+6000iops+500MiB/s", "throughput=90MB/s block=128KiB read=0% buffered=yes"),
        ("D8s_v5", "P30", "iops=250 latency=9ms block=16KiB read=10%"),
    ] {
        let case = given(vm, disk, observed);
        assert_eq!(of(case, "file-system"), Some(Confidence::Possible), "{observed}");
        let found = case.findings().into_iter().find(|finding| finding.rule == "file-system").unwrap();
        assert!(found.to_be_sure.is_some_and(|text| text.contains("without")), "{observed}");
    }
    // Reads wait for no journal.
    assert_eq!(of(given("D8s_v5", "P30", "iops=250 latency=9ms block=16KiB read=100%"), "file-system"), None);
}
