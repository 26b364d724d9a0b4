//! What a finding needs to be *likely* or *strong*: evidence of its own, and not a low rate alone.

mod common;

use common::{Given, given};
use iobound_explain::Confidence;

fn first(given: Given) -> (&'static str, Confidence) {
    let first = given.findings().remove(0);
    (first.rule, first.confidence)
}

fn claims(given: Given) -> Vec<&'static str> {
    let claimed = given.findings().into_iter().filter(|finding| finding.confidence > Confidence::Possible);
    claimed.map(|finding| finding.rule).collect()
}

#[test]
fn a_direction_is_taken_where_limits_differ_by_direction_and_the_mix_is_unknown() {
    // 750 MB/s read, 375 MB/s written.
    let case = given("D14_v2", "temp", "throughput=740MB/s block=64KiB");
    assert_ne!(first(case).0, "not-storage");
    let assumed = case.explained().assumed;
    assert!(assumed.iter().any(|text| text.contains("limits differ by direction")), "{assumed:?}");
    // Who says the mix assumes none.
    let said = given("D14_v2", "temp", "throughput=740MB/s block=64KiB read=100%").explained();
    assert!(!said.assumed.iter().any(|text| text.contains("limits differ by direction")));
}

#[test]
fn an_answer_says_only_what_was_assumed() {
    let assumed = |vm, disk, observed| given(vm, disk, observed).explained();
    // The mix of both volumes follows from theirs: 700 x 0.9 + 300 x 0 of 1,000.
    let parts = "block=8KiB data: iops=700 read=90% log: iops=300 read=0%";
    let said = assumed("n2-standard-16", "data=pd-ssd@500GiB log=pd-balanced@500GiB", parts);
    assert!(!said.assumed.iter().any(|text| text.contains("reads only")), "{:?}", said.assumed);
    // One direction is taken once, and without a host cache nothing hits it.
    let said = assumed("n2-standard-16", "pd-ssd@500GiB", "iops=9000 block=4KiB");
    assert_eq!(said.assumed.iter().filter(|text| text.contains("reads")).count(), 1, "{:?}", said.assumed);
    let partly = "block=8KiB data: iops=700 read=90% log: iops=300";
    let said = assumed("n2-standard-16", "data=pd-ssd@500GiB log=pd-balanced@500GiB", partly);
    assert!(said.ruled_out.iter().all(|one| !one.because.contains("cache")), "{:?}", said.ruled_out);
}

#[test]
fn a_low_rate_alone_is_claimed_for_nothing() {
    for case in [
        given("D16s_v5", "4xP30", "iops=200"),
        given("m5.4xlarge", "gp3@500GiB", "throughput=5MB/s read=100%"),
        given("m5.4xlarge", "io2@500GiB+10000iops", "iops=1500 block=8KiB read=30%"),
        given("i4i.4xlarge", "nvme", "iops=90000 read=0%"),
        given("i3en.12xlarge", "4xnvme", "iops=500000 read=100%"),
        given("D16ds_v5", "ultra@1TiB+20000iops+300MB/s", "throughput=20MB/s"),
    ] {
        assert_eq!(claims(case), [""; 0], "{} {}", case.disk, case.observed);
    }
}

#[test]
fn a_low_rate_with_evidence_is_claimed() {
    // 200 x 1 ms: a fifth of an I/O outstanding.
    let idle = given("D16s_v5", "4xP30", "iops=200 latency=1ms block=8KiB");
    assert_eq!(first(idle), ("not-storage", Confidence::Strong));
    // 16 processors that wait for 0.5 % of their time.
    let calm = given("D16s_v5", "4xP30", "iops=200 iowait=0.5%");
    assert_eq!(first(calm), ("not-storage", Confidence::Likely));
    // 1.5 % of 64 processors is one thread that waits for all of its time.
    let one = given("D64s_v5", "4xP30", "iops=430 iowait=1.5%");
    assert!(!claims(one).contains(&"not-storage"), "{:?}", one.rules());
}

#[test]
fn processors_that_wait_say_the_queue_is_shallow_where_every_limit_has_room() {
    // 12.5 % of 8 processors is one; 1 / 450 = 2.2 ms, which is Premium SSD's media. Nobody measured a queue or a latency.
    let case = given("D8s_v5", "P30", "iops=450 iowait=12.5%");
    assert_eq!(first(case), ("shallow-queue", Confidence::Possible));
    // 4,500 of 5,100 may bind at times; processors that wait say it does.
    let nearly = given("D8s_v5", "P30", "iops=4600 iowait=60%");
    assert_eq!(first(nearly), ("disk-iops", Confidence::Likely));
    assert_eq!(first(given("D8s_v5", "P30", "iops=4600")), ("disk-iops", Confidence::Possible));
}

#[test]
fn one_thread_is_a_shallow_queue_and_no_idle_disk() {
    // bnb-chain/reth-bsc#517: 2,257 x 0.34 ms = 0.77; 1,000 x 1 ms; 1,100 x 1 ms.
    for observed in [
        "iops=2257 latency=0.34ms block=4.69KiB read=99%",
        "iops=2257 depth=0.77 block=4.69KiB",
        "iops=1000 latency=1ms block=4KiB",
        "iops=1100 latency=1ms block=4KiB",
    ] {
        let case = given("m6i.4xlarge", "io2@4TiB+16000iops", observed);
        assert_eq!(case.rules()[0], "shallow-queue", "{observed}");
        assert!(!claims(case).contains(&"not-storage"), "{observed}");
    }
}

#[test]
fn a_queue_that_counters_have_is_not_the_depth_that_the_workload_keeps() {
    // 1,400 x 2.3 ms = 3.2 of P30's own latency. Four are kept: the queue holds the rate. 3.2 are counted: more may never
    // have been asked for.
    let of = |observed| given("D16s_v5", "P30", observed);
    assert_eq!(first(of("iops=1700 depth=4 block=8KiB read=100%")), ("shallow-queue", Confidence::Strong));
    for observed in ["iops=1400 queue=3.2 block=8KiB read=100%", "iops=1400 depth=3.2 block=8KiB read=100%"] {
        assert_eq!(first(of(observed)), ("shallow-queue", Confidence::Possible), "{observed}");
        assert_eq!(claims(of(observed)), [""; 0], "{observed}");
    }
    // One thread that waits for each I/O shows in the mean.
    assert_eq!(first(of("iops=430 queue=1 block=8KiB read=100%")), ("shallow-queue", Confidence::Likely));
    // A fifth of an I/O: the counted queue / IOPS is the measured latency.
    assert_eq!(first(of("iops=100 queue=0.2 block=8KiB")), ("not-storage", Confidence::Strong));
}

#[test]
fn a_volume_from_a_snapshot_needs_no_more_than_reads_with_room() {
    let of = |observed| given("m5.4xlarge", "gp3@6TiB+4000iops+287MiB/s", observed);
    let told = of("throughput=133MB/s read=100% from-snapshot=yes");
    assert_eq!(first(told), ("lazy-load", Confidence::Likely));
    assert!(!of("throughput=5MB/s read=100% from-snapshot=no").rules().contains(&"lazy-load"));
    // At its limit, the limit holds it.
    assert_ne!(first(of("throughput=300MB/s read=100% from-snapshot=yes")).0, "lazy-load");
    // In the media's own time no block was fetched.
    let warm = of("iops=1000 latency=0.8ms block=16KiB read=100% from-snapshot=yes");
    assert!(!warm.rules().contains(&"lazy-load"));
}

#[test]
fn spent_credits_need_no_rate() {
    let told = given("m5.large", "gp2@100GiB", "latency=140ms read=0% credits-left=disk:0%");
    assert_eq!(first(told), ("burst-spent-disk", Confidence::Likely));
    let left = given("m5.large", "gp2@100GiB", "latency=140ms read=0% credits-left=disk:80%");
    assert!(!left.rules().contains(&"burst-spent-disk"));
}

#[test]
fn a_latency_without_a_rate_accuses_no_host_and_no_snapshot() {
    for observed in ["latency=40ms block=8KiB read=30%", "latency=40ms block=8KiB read=100%"] {
        assert_eq!(claims(given("m5.4xlarge", "gp3@500GiB", observed)), [""; 0], "{observed}");
        assert_eq!(claims(given("D16s_v5", "P30", observed)), [""; 0], "{observed}");
    }
}

#[test]
fn a_rate_far_above_that_of_first_reads_is_no_snapshot() {
    // osparc#3893: 300 a second.
    let slow = |observed| given("m5.4xlarge", "gp3@500GiB+16000iops+500MB/s", observed);
    assert!(slow("iops=300 latency=25ms block=16KiB read=100%").rules().contains(&"lazy-load"));
    assert!(!slow("iops=6200 latency=15ms block=16KiB read=100% ").rules().contains(&"lazy-load"));
}

#[test]
fn a_host_is_called_bad_for_a_known_block_and_a_latency_that_no_path_has() {
    // A guest's path to a local disk takes up to 0.2 ms.
    assert!(!given("L8s_v3", "nvme", "iops=1000 latency=0.1ms").rules().contains(&"bad-host"));
    assert!(!claims(given("L8s_v3", "nvme", "iops=9000 latency=0.1ms read=100%")).contains(&"bad-host"));
    let remote = |observed| given("D16s_v5", "P30", observed);
    let kept = "iops=600 latency=6.7ms depth=4 read=30% block=8KiB";
    assert_eq!(first(remote(kept)), ("bad-host", Confidence::Likely));
    // Means of an application may hide bursts.
    assert_eq!(first(remote("iops=600 latency=9ms read=30% block=8KiB")), ("bad-host", Confidence::Possible));
    // 600 I/Os of 256 KiB and more would meet the throughput limit.
    assert!(!claims(remote("iops=300 latency=30ms read=30%")).contains(&"bad-host"));
}

#[test]
fn a_burst_is_claimed_only_where_the_catalogue_has_credits_and_no_further_than_they_go() {
    // No credits on an m5.4xlarge with gp3: 4,750 Mbit/s for long.
    let none = given("m5.4xlarge", "gp3@500GiB", "throughput=250MB/s");
    assert!(!none.rules().contains(&"burst-measured"), "{:?}", none.rules());
    assert_eq!(none.rules()[0], "above-every-limit");
    // gp2 of 100 GiB: 300, 3,000 with credits; 1,200 may be everything requested.
    assert_eq!(claims(given("m5.4xlarge", "gp2@100GiB", "iops=1200")), [""; 0]);
    // 170 MB/s is what credits allow a P10, and no more; the VM's base of 96 is exceeded too.
    assert_eq!(first(given("D4s_v3", "P10", "throughput=170MB/s")), ("burst-measured", Confidence::Strong));
    // P10: 500, 3,500 for 30 minutes.
    assert_eq!(given("D8s_v5", "P10", "iops=3000 duration=60s").rules()[0], "burst-measured");
    assert_eq!(given("D8s_v5", "P10", "iops=4500 block=4KiB duration=60s").rules()[0], "above-every-limit");
    // (3,500 - 500) x 30 min of credits are spent after 36 minutes at 3,000.
    let long = given("D8s_v5", "P10", "iops=3000 block=4KiB duration=2h");
    assert_eq!(long.rules()[0], "above-every-limit", "{:?}", long.rules());
}

#[test]
fn where_too_little_is_known_the_cheapest_measurement_that_decides_is_said() {
    let next = |case: Given| case.explained().tell_apart.unwrap_or_default();
    // A low rate: is anything outstanding?
    let low = next(given("D16s_v5", "P30", "iops=400"));
    assert!(low.contains("iostat -x") && low.contains("latency="), "{low}");
    let bytes = next(given("m5d.xlarge", "gp3@100GiB", "throughput=5MB/s read=100%"));
    assert!(bytes.contains("latency="), "{bytes}");
    // The latency is known, and the block is not: a look at each second tells both.
    let seconds = next(given("D16s_v5", "P30", "iops=300 latency=30ms read=30%"));
    assert!(seconds.contains("second by second"), "{seconds}");
    // Local disks that have far more: the processors, or how long an I/O takes.
    let fast = next(given("i3en.12xlarge", "4xnvme", "iops=610000 read=100% block=4KiB latency=0.9ms"));
    assert!(fast.contains("cpu="), "{fast}");
    // What is decided needs no more.
    let decided = given("D16s_v5", "P30", "iops=5100 block=4KiB read=100%").explained();
    assert!(decided.tell_apart.is_none_or(|text| !text.contains("--observed")));
}

#[test]
fn while_credits_last_the_base_binds_nothing() {
    let at = |seconds| given("D8s_v5", "P10", "iops=508 block=8KiB").at(seconds);
    assert!(!at(0).rules().contains(&"disk-iops"), "{:?}", at(0).rules());
    let explained = at(0).explained();
    assert!(explained.ruled_out.iter().all(|out| out.used < 0.9), "{:?}", explained.ruled_out);
    // Full credits last 30 minutes.
    assert_eq!(at(2_400).rules()[0], "burst-spent-disk");
    assert_eq!(given("D8s_v5", "P10", "iops=508 block=8KiB").rules()[0], "disk-iops");
}

#[test]
fn no_limit_with_more_than_its_all_has_room() {
    for disk in ["4xP30:readonly", "4xP30:readwrite", "4xP30", "P10"] {
        for observed in
            ["iops=9000", "iops=35000 read=100%", "throughput=350MB/s", "throughput=900MB/s read=0%"]
        {
            for case in [given("D8s_v3", disk, observed), given("D8s_v3", disk, observed).cold()] {
                for out in case.explained().ruled_out {
                    assert!(out.used <= 1.0 || out.because != "has room", "{disk} {observed}: {out:?}");
                }
            }
        }
    }
}

#[test]
fn the_operating_systems_disk_bears_its_part_where_the_others_cant_bear_all() {
    // Microsoft's example: 3 x 500.
    let case = given("D8s_v3", "os=E30 data=2xE30", "iops=1500").with("e2020-08");
    assert_eq!(case.rules()[0], "disk-iops");
    let says = |case: Given| {
        case.explained()
            .assumed
            .iter()
            .any(|text| text.contains("assumed that the operating system's disk did part of the I/O"))
    };
    assert!(says(case));
    let own = given("D8s_v3", "os=E30 data=2xE30", "iops=1000").with("e2020-08");
    assert_eq!(own.rules()[0], "disk-iops");
    assert!(!says(own));
}

#[test]
fn a_volume_that_hardly_answers_is_named() {
    // 8 outstanding / 9 IOPS = 0.89 s: nobody measured the latency, and a client that pauses gives the same figures.
    let stuck = given("m5.xlarge", "io1@50GiB+2500iops", "iops=9 depth=8 block=16KiB");
    assert_eq!(first(stuck), ("stalled-volume", Confidence::Possible));
    let slow = given("D8s_v5", "P30", "iops=40 latency=900ms block=8KiB read=50%");
    assert_eq!(first(slow), ("stalled-volume", Confidence::Likely));
    // A few I/Os a second alone: nothing is claimed.
    let few = given("m5.xlarge", "io1@50GiB+2500iops", "iops=9");
    assert_eq!(claims(few), [""; 0]);
    assert!(few.findings().iter().any(|finding| finding.rule == "stalled-volume"));
}

#[test]
fn means_that_hide_a_queue_accuse_no_host() {
    // 900 x 20 ms = 18 outstanding on average, at 30 % of 3,000 IOPS.
    let hidden = given("m5.xlarge", "gp3@500GiB", "iops=900 latency=20ms block=8KiB read=30%");
    assert_eq!(first(hidden), ("micro-burst", Confidence::Possible));
    assert_eq!(claims(hidden), [""; 0]);
    // Whoever says the depth has a constant load.
    let constant = given("m5.xlarge", "gp3@500GiB", "iops=900 depth=18 block=8KiB read=0%");
    assert!(constant.findings().iter().all(|finding| finding.rule != "micro-burst"));
}

#[test]
fn writes_one_at_a_time_wait_for_the_disk() {
    let log = given("D8s_v5", "P30", "iops=450 latency=2.1ms depth=1 block=4KiB read=0%");
    assert_eq!(first(log).0, "shallow-queue");
    assert!(log.findings().iter().any(|finding| finding.rule == "no-write-cache"));
    // A ReadWrite cache acknowledges them; reads wait for nothing of the kind.
    for other in [
        given("D8s_v5", "P30", "iops=450 latency=2.1ms depth=1 block=4KiB read=100%"),
        given("D8s_v3", "P30:readwrite", "iops=450 latency=2.1ms depth=1 block=4KiB read=0%"),
    ] {
        assert!(
            other.findings().iter().all(|finding| finding.rule != "no-write-cache"),
            "{}",
            other.observed
        );
    }
}

#[test]
fn what_the_cloud_says_of_credits_is_evidence() {
    // EBSByteBalance% at zero; 4,000 IOPS lie between the base of 2,000 and the burst.
    let spent = given("t3.medium", "4xgp2@150GiB", "iops=4000 credits-left=vm:0%");
    assert_eq!(first(spent).0, "burst-spent-vm");
    let full = given("t3.medium", "4xgp2@150GiB", "iops=4000 credits-left=vm:100%");
    assert_ne!(first(full).0, "burst-spent-vm");
    // BurstBalance at zero: only the base of 100 passes, and 380 are more.
    let more = given("m4.large", "gp2@30GiB", "iops=380 read=0% credits-left=disk:0%");
    assert_eq!(first(more).0, "above-every-limit");
}

#[test]
fn a_stated_depth_explains_a_rate_below_what_credits_allow() {
    // 1 / 1,601 = 0.62 ms, which is gp2's media; the base is 750, credits allow 3,000.
    let observed = "iops=1601 block=4KiB depth=1 latency=620us read=50% duration=120s";
    assert_eq!(first(given("m5.4xlarge", "gp2@250GiB", observed).at(0)).0, "shallow-queue");
    let at_burst = "iops=2990 block=4KiB depth=32 latency=10.7ms read=50% duration=120s";
    assert_eq!(first(given("m5.4xlarge", "gp2@250GiB", at_burst).at(0)).0, "burst-measured");
}

#[test]
fn outstanding_by_iops_is_no_measured_latency() {
    // 16 / 1,150 = 13.9 ms: a file system's or a disk's.
    let derived = given("i8ge.large", "gp3@32GiB", "iops=1150 block=4KiB depth=16 read=0%");
    assert_eq!(claims(derived), [""; 0]);
    let timed = given("i8ge.large", "gp3@32GiB", "iops=1150 block=4KiB depth=16 latency=13.9ms read=0%");
    assert_eq!(first(timed), ("bad-host", Confidence::Likely));
}

#[test]
fn one_io_at_a_time_holds_a_disk_whose_latency_nobody_published() {
    // 1 / 1,624 = 0.62 ms, where Google says to plan with 2 ms.
    let observed = "iops=1624 block=4KiB depth=1 read=0%";
    assert_eq!(first(given("e2-standard-4", "pd-ssd@200GiB", observed)).0, "shallow-queue");
}

#[test]
fn a_vm_limit_that_no_source_gives_is_left_out_and_said() {
    // 300 IOPS are the base of 100 GiB, whatever the instance lets through.
    let spent = given("t2.large", "gp2@100GiB", "iops=300 credits-left=disk:0%").explained();
    assert_eq!(spent.findings[0].rule, "burst-spent-disk");
    assert!(
        spent.assumed.iter().any(|said| said.contains("left out vm.ebs of t2.large")),
        "{:?}",
        spent.assumed
    );
    // The unknown limit may be what makes it slow.
    let slow = given("t2.large", "gp2@100GiB", "iops=100 block=4KiB depth=2 latency=20ms read=0%").findings();
    assert!(
        slow.iter().all(|finding| finding.rule != "bad-host" || finding.confidence == Confidence::Possible)
    );
    let known =
        given("m5.large", "gp2@100GiB", "iops=100 block=4KiB depth=2 latency=20ms read=0%").explained();
    assert!(known.assumed.iter().all(|said| !said.contains("left out")), "{:?}", known.assumed);
}

#[test]
fn processors_that_wait_for_io_are_evidence_of_the_storage() {
    // 128 x 2.9 ms = 0.37 outstanding, but 29 % of 8 processors wait: 2.3 I/Os that the rate does not count.
    let flushes = given("D8s_v5", "P30", "iops=128 latency=2.9ms read=0% iowait=29%");
    assert!(flushes.findings().iter().all(|finding| finding.rule != "not-storage"), "{:?}", flushes.rules());
    assert_eq!(first(flushes), ("shallow-queue", Confidence::Possible));
    // Without them the application may issue no more; at 0.17 outstanding it surely does not.
    let idle = given("D8s_v5", "P30", "iops=128 latency=2.9ms read=0%");
    assert_eq!(first(idle), ("not-storage", Confidence::Possible));
    let hardly = given("D8s_v5", "P30", "iops=60 latency=2.9ms read=0%");
    assert_eq!(first(hardly), ("not-storage", Confidence::Strong));
}

#[test]
fn several_outstanding_ios_claim_no_depth_that_nobody_states() {
    // 1,000 x 2 ms = 2 outstanding: a queue of two, or an application that asks for no more.
    let several = given("D16s_v5", "P40", "iops=1000 latency=2ms block=8KiB read=70%");
    assert_eq!(claims(several), [""; 0]);
    // 500 x 2 ms = one: a thread that waits for each.
    let one = given("D16s_v5", "P40", "iops=500 latency=2ms block=8KiB read=70%");
    assert_eq!(first(one), ("shallow-queue", Confidence::Likely));
    let stated = given("D16s_v5", "P40", "iops=1000 depth=2 block=8KiB read=70%");
    assert_eq!(first(stated), ("shallow-queue", Confidence::Strong));
}

#[test]
fn a_limit_that_no_source_gives_binds_at_most_possibly() {
    // No source has the cached limits of E8s_v6: sizes alike have from 128 MB/s on.
    let case = given("E8s_v6", "4xP30:readonly", "throughput=300MB/s block=64KiB depth=32 read=100%");
    let unpublished = case.findings().into_iter().filter(|finding| finding.rule.starts_with("vm-cached"));
    assert!(unpublished.into_iter().all(|finding| finding.confidence == Confidence::Possible));
    // Published: 128 MB/s.
    let published = given("D8s_v3", "P40:readonly", "throughput=129MB/s block=64KiB depth=32 read=100%");
    assert_eq!(first(published), ("vm-cached-throughput", Confidence::Strong));
}

#[test]
fn writes_to_a_readwrite_cache_are_held_by_the_burst_of_the_disk_behind_it() {
    // CyanDevs/aks-benchmark-fio: D8s_v4, P10, 3,499 writes/s and 173 MB/s at 1, 2 and 4 jobs; the burst is 3,500 and 170.
    for writes in [
        "iops=3499 block=4KiB depth=4 read=0% duration=30s",
        "throughput=173MB/s block=256KiB depth=4 read=0% duration=30s",
    ] {
        assert_eq!(first(given("D8s_v4", "P10:readwrite", writes).at(0)).0, "burst-measured", "{writes}");
    }
    // Far from the burst, the cache acknowledges them as fast as they come.
    let fewer = given("D8s_v4", "P10:readwrite", "iops=1200 block=4KiB depth=1 read=0% duration=30s").at(0);
    assert!(!claims(fewer).contains(&"burst-measured"), "{:?}", fewer.rules());
}
