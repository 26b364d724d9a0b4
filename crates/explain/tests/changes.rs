//! Assumptions about an unknown workload, and the changes that are offered.

mod common;

use common::given;
use iobound_explain::Effect;

#[test]
fn unknown_parts_of_the_workload_are_the_defaults_of_every_verb() {
    let assumed = given("DS14", "P30", "iops=5000").explained().assumed;
    assert!(assumed.contains(&"block 4 KiB".to_string()), "{assumed:?}");
    assert!(assumed.contains(&"32 outstanding".to_string()), "{assumed:?}");
    // Little's law: 50,000 IOPS of a media that takes 2 ms need 100 outstanding.
    let assumed = given("DS14", "10xP30", "iops=50000").explained().assumed;
    let depth = assumed.iter().find_map(|said| said.strip_suffix(" outstanding, which this rate takes"));
    let depth: u32 = depth.unwrap_or_else(|| panic!("{assumed:?}")).parse().unwrap();
    assert!((90..=120).contains(&depth), "{depth}");
}

#[test]
fn disks_are_offered_as_far_as_the_vm_lets_them_through() {
    // An m5.large lets 3,600 IOPS through for long; gp3 has 3,000 of its own.
    let first =
        given("m5.large", "gp3@500GiB", "iops=3000 latency=15ms block=16KiB").explained().findings.remove(0);
    let offered: Vec<String> = first.remedies.iter().map(iobound_explain::Remedy::says).collect();
    assert!(offered.iter().any(|change| change.contains("+3600iops")), "{offered:?}");
    assert!(!offered.iter().any(|change| change.contains("+12000iops")), "{offered:?}");
}

#[test]
fn a_purchase_that_gains_nothing_is_not_offered() {
    // Ten P30 fill their own 50,000 IOPS and nearly the VM's 51,200: twenty of them need a larger VM.
    let findings = given("DS14", "10xP30", "iops=50000").explained().findings;
    let offered = findings.iter().take(2).flat_map(|finding| &finding.remedies);
    for remedy in offered {
        let outcome = remedy.outcome.as_ref().unwrap();
        assert_eq!(outcome.effect, Some(Effect::Better), "{}: {outcome:?}", remedy.says());
    }
    let disks = findings.iter().find(|finding| finding.rule == "disk-iops").unwrap();
    let both = |remedy: &iobound_explain::Remedy| {
        remedy.says().starts_with("VM ") && remedy.says().contains("20 disks")
    };
    assert!(disks.remedies.iter().any(both), "{:?}", disks.remedies);
}

#[test]
fn no_more_throughput_is_provisioned_than_the_iops_move() {
    // 3,000 x 128 KiB = 375 MiB/s; more is paid in vain.
    let case = given("m5.4xlarge", "gp3@500GiB", "throughput=131MB/s block=128KiB");
    let first = &case.findings()[0];
    assert_eq!(
        (first.rule, first.remedies[0].says().as_str()),
        ("provisioned-default", "gp3@500GiB+3000iops+375MiB/s disks")
    );
    assert!(
        first.remedies.iter().all(|remedy| remedy.says() == "2 disks" || remedy.says().contains("+375MiB/s"))
    );
}

#[test]
fn small_random_ios_on_hard_disks_are_offered_an_ssd() {
    let offered = |disk: &'static str, observed: &'static str| -> Vec<String> {
        let findings = given("m5.4xlarge", disk, observed).findings();
        findings.iter().flat_map(|of| &of.remedies).map(iobound_explain::Remedy::says).collect()
    };
    // 80 I/Os of 1 MiB a second, however small they are: all that 2 TiB of st1 have without credits.
    for (disk, observed) in [
        ("st1@2TiB", "iops=80 block=8KiB read=100% access=random depth=16"),
        ("sc1@7TiB", "iops=84 block=8KiB read=100% access=random depth=16"),
    ] {
        let offered = offered(disk, observed);
        assert!(offered.iter().any(|change| change.starts_with("gp3@")), "{disk}: {offered:?}");
    }
    // In order and large is what hard disks are for.
    let offered_large =
        offered("st1@2TiB", "throughput=84MB/s block=1MiB read=100% access=sequential depth=8");
    assert!(offered_large.iter().all(|change| !change.starts_with("gp3@")), "{offered_large:?}");
    // gp2 is replaced by gp3, also for throughput.
    let of_bytes = offered("gp2@170GiB", "throughput=134MB/s block=256KiB read=100% access=random depth=32");
    assert!(of_bytes.iter().any(|change| change.starts_with("gp3@170GiB")), "{of_bytes:?}");
}

#[test]
fn a_hyperdisk_with_provisioned_figures_is_not_at_its_default() {
    let observed = "iops=5000 block=4KiB";
    let first = given("c4d-standard-8", "hyperdisk-balanced@500GiB+5000iops", observed).findings().remove(0);
    assert_eq!(first.rule, "disk-iops");
}
