//! Answers that new users found false: what the figures exclude is not said, and what is said follows from the figures.

mod common;

use common::{Given, given};
use iobound_catalog::{Catalog, Os, parse_spec};
use iobound_explain::{Case, Change, Confidence, Explanation, Finding, Moment, Observed, Remedy, explain};

/// An m5.large: 3,600 IOPS without credits and 18,750 with; 81.25 MB/s and 593.75.
const D: &str = "gp3@500GiB+12000iops";

fn m5(observed: &'static str) -> Given {
    given("m5.large", D, observed)
}

/// A DS14: 51,200 uncached and 64,000 cached IOPS; ten P30 of 5,000; 576 GiB of host cache for 10 TiB.
fn ds14(observed: &'static str) -> Given {
    given("DS14", "10xP30:readonly", observed)
}

fn priced(given: &Given) -> Explanation {
    let catalog = Catalog::shipped();
    let cloud = given.case(|case| case.resolved.vm.cloud.rules().default_region);
    let list = catalog.price_list(cloud, Os::default()).unwrap();
    given.case(|case| {
        let case = case.clone().priced(Some(&list));
        explain(&case, &mut |_| iobound_drive::Flow::Continue).unwrap()
    })
}

fn of<'a>(findings: &'a [Finding], rule: &str) -> Option<&'a Finding> {
    findings.iter().find(|finding| finding.rule == rule)
}

fn remedies(explanation: &Explanation) -> Vec<&Remedy> {
    explanation.findings.iter().flat_map(|finding| &finding.remedies).collect()
}

#[test]
fn figures_that_exclude_each_other_allow_no_strong_finding() {
    // 12 / 3,600 = 3.3 ms; 9 ms are 32 outstanding.
    for (observed, says) in [
        ("iops=3600 block=16KiB depth=12 latency=4ms", "12 outstanding / 3,600 IOPS = 3.3 ms"),
        ("iops=3600 block=16KiB depth=12 latency=9ms", "12 outstanding / 3,600 IOPS = 3.3 ms"),
        ("iops=3600 block=16KiB depth=12 latency=90ms", "12 outstanding / 3,600 IOPS = 3.3 ms"),
        ("iops=3600 throughput=500MB/s block=16KiB", "3,600 IOPS x 16.0 KiB = 59.0 MB/s"),
    ] {
        let findings = m5(observed).findings();
        assert_eq!(findings[0].rule, "contradiction", "{observed}");
        assert!(findings[0].claim.contains(says), "{}", findings[0].claim);
        let others = findings.iter().filter(|finding| finding.rule != "contradiction");
        others.for_each(|other| {
            assert_eq!(other.confidence, Confidence::Possible, "{observed}: {}", other.rule)
        });
    }
    // 1,000 x 0.5 ms: a load that keeps 12 does not keep 0.5, and one that keeps 0.5 waits for the application.
    let findings = m5("iops=1000 block=16KiB depth=12 latency=0.5ms").findings();
    assert!(findings.iter().all(|finding| finding.confidence < Confidence::Strong));
    assert!(of(&findings, "contradiction").unwrap().claim.contains("0.5 outstanding and not 12"));
    // Rounded figures agree: 3.3 and 3.5 ms.
    for observed in
        ["iops=3600 block=16KiB depth=12 latency=3.3ms", "iops=3600 block=16KiB depth=12 latency=3.5ms"]
    {
        assert!(of(&m5(observed).findings(), "contradiction").is_none(), "{observed}");
    }
}

#[test]
fn no_change_is_shown_that_costs_more_than_another_for_no_more() {
    // The disk moves 131.1 MB/s = 8,000 of 16 KiB, which m5.2xlarge (12,000) lets through.
    let answer = priced(&m5("iops=3600 block=16KiB depth=12"));
    let says: Vec<String> = remedies(&answer).iter().map(|remedy| remedy.says()).collect();
    assert!(
        says.contains(&"VM m5.2xlarge".to_string()) && !says.contains(&"VM m5.4xlarge".to_string()),
        "{says:?}"
    );
    // 40,000 of a m6i.8xlarge are no more than the 12,000 that the disk has.
    let answer = priced(
        &given("m6i.xlarge", "gp3@500GiB+12000iops+500MB/s", "iops=6000 block=16KiB depth=12")
            .want("iops=9000"),
    );
    assert_eq!(answer.wish.unwrap().met_by, ["VM m6i.2xlarge"]);
    // The disk's 12,000 and the VM's 12,000: the larger VM takes a better disk and not two of the same.
    let both = given("m5.2xlarge", "gp3@500GiB+12000iops+250MiB/s", "iops=12000 block=16KiB depth=12");
    let answer = priced(&both);
    // 18,750 x 16 KiB = 292.97 MiB/s
    assert_eq!(answer.findings[0].remedies[0].says(), "VM m5.4xlarge, gp3@500GiB+18750iops+293MiB/s disks");
}

#[test]
fn a_printed_disk_reads_back_to_the_disk_that_was_predicted() {
    for given in [
        given("m5.4xlarge", "gp3@500GiB", "iops=3000 block=16KiB depth=12"),
        given("m5.2xlarge", "gp2@100GiB", "iops=300 block=16KiB after=2h"),
        given("E8bs_v5:SCSI", "8xpremiumv2@512GiB", "iops=24400 block=8KiB depth=100 read=70%"),
        given("n2-standard-32", "hyperdisk-balanced@500GiB+6000iops", "iops=6000 block=16KiB depth=64"),
    ] {
        let answer = given.explained();
        let changes = remedies(&answer).into_iter().flat_map(|remedy| &remedy.changes);
        let disks: Vec<_> = changes
            .filter_map(|change| match change {
                Change::Disk(what, said) => Some((what.clone(), said.clone())),
                _ => None,
            })
            .collect();
        assert!(!disks.is_empty(), "{}", given.disk);
        for (what, said) in disks {
            assert_eq!(parse_spec(&said).unwrap().what, what, "{said}");
        }
        given.case(|case| {
            let named = parse_spec(&case.resolved.disks[0].described).unwrap();
            let mut configuration = given.configuration();
            configuration.volumes = vec![named];
            let figures = iobound_catalog::resolve(&configuration, case.catalog);
            let disk = &figures.unwrap().disks[0];
            assert_eq!((disk.ios, disk.bytes), (case.resolved.disks[0].ios, case.resolved.disks[0].bytes));
        });
    }
}

#[test]
fn throughput_is_bought_only_where_more_is_needed() {
    // 3,600 of the m5.large x 16 KiB = 59 MB/s; 125 MiB/s come with the disk.
    let answer = given("m5.large", "gp3@500GiB", "iops=3000 block=16KiB depth=12").explained();
    let says: Vec<String> = remedies(&answer).iter().map(|remedy| remedy.says()).collect();
    assert!(says.contains(&"gp3@500GiB+3600iops+125MiB/s disks".to_string()), "{says:?}");
}

#[test]
fn a_rate_above_a_limit_proves_that_credits_lift_it() {
    // 134.2 MB/s on a t3.medium that sustains 43.4
    let answer = given("t3.medium", "gp3@500GiB", "throughput=128MiB/s after=5min").explained();
    assert!(
        answer.findings[0].claim.ends_with("vm.ebs.throughput sustains 43.4 MB/s"),
        "{}",
        answer.findings[0].claim
    );
    let assumed = answer.assumed.join("; ");
    assert!(assumed.contains("burst credits not spent: the rate is 3.09 x"), "{assumed}");
    assert!(!assumed.contains("credits spent (--at)"), "{assumed}");
}

#[test]
fn credits_that_cannot_be_spent_yet_were_not_full() {
    // 1,800 s x 15,150 / (8,000 - 3,600) = 103 min, as `predict` says.
    let findings = m5("iops=3600 block=16KiB depth=12 after=10min").findings();
    assert_eq!((findings[0].rule, findings[0].confidence), ("burst-spent-vm", Confidence::Likely));
    let evidence = findings[0].evidence.join("; ");
    assert!(evidence.contains("full credits last 103 min at the 8,000 IOPS"), "{evidence}");
    assert!(evidence.contains("not full at the start"), "{evidence}");
    let findings = m5("iops=3600 block=16KiB depth=12 after=2h").findings();
    assert_eq!((findings[0].rule, findings[0].confidence), ("burst-spent-vm", Confidence::Strong));
}

#[test]
fn a_limit_with_credits_left_is_not_in_force() {
    for given in [
        m5("iops=3600 block=16KiB depth=12 credits-left=vm:90%"),
        m5("iops=3600 block=16KiB depth=12 credits-left=vm:90%").at(0),
    ] {
        let answer = given.explained();
        assert!(answer.findings.iter().all(|finding| finding.confidence == Confidence::Possible));
        assert_eq!(answer.findings[0].rule, "burst-spent-vm");
        assert!(answer.findings[0].claim.contains("90 % of its credits"), "{}", answer.findings[0].claim);
        assert!(!answer.assumed.iter().any(|said| said.contains("credits spent")), "{:?}", answer.assumed);
    }
}

/// The same configuration with other measurements.
fn seen_as<'a>(case: &Case<'a>, observed: &'a Observed) -> Case<'a> {
    Case::new(case.configuration, case.catalog, case.resolved, observed, None, case.cache)
}

#[test]
fn after_a_step_to_a_limit_without_credits_the_lower_rate_is_judged() {
    // Ten seconds at 7,900 and ten at 3,600: the mean of 5,750 is at no limit.
    m5("iops=5750 block=16KiB").case(|case| {
        let mut observed = case.observed.clone();
        let rates = [7_900.0; 10].into_iter().chain([3_600.0; 10]);
        observed.series = rates.enumerate().map(|(index, iops)| Moment::of_ios(index as f64, iops)).collect();
        let step = seen_as(case, &observed).step().unwrap();
        let after = observed.after_step(&step);
        assert!(after.total.iops.is_some_and(|iops| (iops - 3_600.0).abs() < 0.01), "{:?}", after.total);
        let found = iobound_explain::findings(&seen_as(case, &after));
        assert_eq!((found[0].rule, found[0].confidence), ("burst-spent-vm", Confidence::Strong));
        let evidence = found[0].evidence.join("; ");
        assert!(evidence.contains("stepped down from 7,900 to 3,600 IOPS after 10 s"), "{evidence}");
        // An application that stops is no step to a limit.
        observed.series.iter_mut().skip(10).for_each(|moment| moment.iops = 50.0);
        assert_eq!(seen_as(case, &observed).step(), None);
    });
}

#[test]
fn one_full_limit_is_one_finding() {
    let findings = m5("iops=3600 block=16KiB depth=12").findings();
    let limits: Vec<_> = findings.iter().filter_map(|finding| finding.limit.as_deref()).collect();
    assert_eq!(limits, ["vm.ebs.iops"]);
    // 3,000 are both the default and the limit of the disk.
    let given = given("E8bs_v5:SCSI", "8xpremiumv2@512GiB", "iops=24400 block=8KiB depth=100 read=70%");
    let answer = given.explained();
    assert!(of(&answer.findings, "disk-iops").is_none());
    assert!(answer.tell_apart.is_none_or(|measure| !measure.contains("halve the block")));
}

#[test]
fn a_queue_at_a_full_limit_is_not_too_shallow_for_certain() {
    let answer =
        given("m6i.xlarge", "gp3@500GiB+12000iops+500MB/s", "iops=6000 block=16KiB depth=12").explained();
    let shallow = of(&answer.findings, "shallow-queue");
    assert!(shallow.is_none_or(|finding| finding.confidence == Confidence::Possible), "{shallow:?}");
}

#[test]
fn a_goal_of_latency_is_judged_by_that_latency() {
    let answer = m5("iops=3600 block=16KiB depth=12").want("latency=p99:1ms").explained();
    let wish = answer.wish.unwrap();
    let nearest = wish.otherwise.as_ref().map_or(wish.met_by[0].clone(), Remedy::says);
    assert!(["1 outstanding", "2 outstanding", "3 outstanding"].contains(&nearest.as_str()), "{nearest}");
    let p99 = answer.findings[0].remedies[0].outcome.as_ref().unwrap().latency_us.p99.unwrap();
    assert!((500.0..3_000.0).contains(&p99), "{p99}");
}

#[test]
fn without_a_rate_no_limit_is_ruled_out() {
    let answer = m5("latency=20ms").explained();
    assert_eq!(answer.findings[0].rule, "throttled");
    for finding in &answer.findings {
        let texts = [&finding.claim].into_iter().chain(&finding.evidence);
        texts.for_each(|text| assert!(!text.contains(" 0 %"), "{text}"));
    }
    assert!(answer.tell_apart.unwrap().contains("the rate"));
}

#[test]
fn a_computed_rate_is_no_evidence_of_read_ahead() {
    // 8,192 IOPS are throughput / block.
    let findings = given("t3.medium", "gp3@500GiB", "throughput=128MiB/s block=16KiB").at(0).findings();
    assert!(of(&findings, "read-ahead").is_none_or(|finding| finding.confidence == Confidence::Possible));
    assert_eq!(findings[0].limit.as_deref(), Some("disk.throughput"));
}

#[test]
fn a_queue_is_compared_with_what_the_model_expects_of_its_depth() {
    // 64 / 3.2 ms = 20,000, where `predict` expects 32,048 (22,708 to 45,035) of the whole volume.
    let answer = ds14("iops=20000 block=8KiB depth=64 read=70%").explained();
    let first = &answer.findings[0];
    assert_eq!((first.rule, first.confidence), ("shallow-queue", Confidence::Likely));
    let evidence = first.evidence.join("; ");
    assert!(evidence.contains("64 outstanding should give 32,0"), "{evidence}");
    assert!(
        evidence.contains("latency is a problem too") && !evidence.contains("no more than a host cache"),
        "{evidence}"
    );
    // The disks' 51,000 / (1 - 0.7 x 5.5 %): what is said of twice the depth is what its row says.
    let twice = first.remedies[0].outcome.as_ref().unwrap().iops;
    assert!((twice / 53_021.0 - 1.0).abs() < 0.03, "{twice}");
    let measure = first.to_be_sure.as_ref().unwrap();
    assert!(measure.contains("keep 128 outstanding") && !measure.contains("must double"), "{measure}");
    assert!(
        answer.assumed.iter().any(|said| said.contains("all of each volume used")),
        "{:?}",
        answer.assumed
    );
}

#[test]
fn a_cache_that_is_too_small_is_not_cold() {
    let answer = ds14("iops=52000 block=8KiB depth=256 read=70% size=10TiB").explained();
    assert!(of(&answer.findings, "cold-cache").is_none());
    // 52,000 x (1 - 0.7 x 5.6 %) = 49,950 of the disks' 51,000
    assert_eq!(answer.findings[0].rule, "disk-iops");
    let vms =
        remedies(&answer).into_iter().flat_map(|remedy| &remedy.changes).filter_map(|change| match change {
            Change::Vm(name) => Some(name.clone()),
            _ => None,
        });
    let catalog = Catalog::shipped();
    for vm in vms {
        let size = catalog.vms().unwrap().into_iter().find(|size| size.full_name() == vm).unwrap();
        assert!(size.memory.unwrap().get() >= 112 << 30, "{vm}");
    }
}

#[test]
fn a_disk_that_the_vm_wastes_is_provisioned_with_less() {
    // 12,000 behind 3,600: 8,400 x 0.005 USD.
    let answer = priced(&m5("iops=3600 block=16KiB depth=12 read=100%"));
    let less = remedies(&answer).into_iter().find(|remedy| remedy.says().contains("+3600iops"));
    let usd = less.and_then(|remedy| remedy.outcome.as_ref()).and_then(|outcome| outcome.price_change);
    assert!(usd.is_some_and(|usd| (usd + 42.0).abs() < 0.01), "{usd:?}");
}
