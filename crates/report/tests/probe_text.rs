//! The screen of a probe.

use iobound_probe::{
    Answer, Burst, Counts, Ending, Enforcement, Estimate, Evidence, FoundLimit, Scope, TargetAnswer,
};
use iobound_report::{ProbeScreen, Style, probe_text};
use iobound_units::{Instant, Span};

/// An answer about one target of 1 GiB of which nothing is known.
fn answer(ending: Ending) -> Answer {
    Answer {
        targets: vec![TargetAnswer { name: "/dev/sdc".into(), size: 1 << 30, ..TargetAnswer::default() }],
        limits: Vec::new(),
        not_reached: Vec::new(),
        open: Vec::new(),
        budget_for_open: None,
        noise: None,
        cost: Default::default(),
        starved: None,
        ending,
    }
}

fn text(answer: &Answer) -> String {
    let screen = ProbeScreen { answer, offers: &[], device_writes: None };
    probe_text(&screen, Style { width: None, color: false, ascii: false })
}

/// The text beside a label.
fn line<'a>(page: &'a str, label: &str) -> &'a str {
    let with_label = page.lines().find_map(|line| line.trim_start().strip_prefix(label));
    with_label.unwrap_or_else(|| panic!("no {label}:\n{page}")).trim()
}

#[test]
fn a_limit_is_absent_only_where_its_ramp_ended() {
    let limit = |ramps_ended, iops: f64| {
        let mut answer = answer(Ending::Stopped);
        let target = &mut answer.targets[0];
        target.ramps_ended = ramps_ended;
        (target.reached_iops, target.reached_bytes) = (iops, 4096.0 * iops);
        line(&text(&answer), "limit").to_string()
    };
    assert_eq!(limit([false, false], 0.0), "not measured");
    assert_eq!(limit([false, false], 1_000.0), "not measured; 1,000 IOPS and 4.1 MB/s were reached");
    assert_eq!(limit([true, false], 1_000.0), "none found up to 1,000 IOPS; throughput not measured");
    assert_eq!(limit([false, true], 1_000.0), "none found up to 4.1 MB/s; IOPS not measured");
    assert_eq!(limit([true, true], 1_000.0), "none found up to 1,000 IOPS and 4.1 MB/s");
}

#[test]
fn a_bucket_that_may_hold_nothing_is_below_a_bound() {
    let limit = |depth| {
        let mut answer = answer(Ending::Complete);
        answer.limits.push(FoundLimit {
            counts: Counts::Ios,
            scope: Scope::Reads,
            targets: vec![0],
            per_second: Estimate::around(5_000.0, 10.0),
            enforcement: Enforcement::Bucket { depth },
            burst: None,
            watched: Span::from_secs(40),
            evidence: Evidence::default(),
        });
        text(&answer)
    };
    let page = limit(Estimate::around(0.0, 0.002));
    assert!(line(&page, "limit").ends_with(", a token bucket of less than 2.0 ms"), "{page}");
    let page = limit(Estimate::around(0.1, 0.01));
    assert!(line(&page, "limit").ends_with(", a token bucket of 100.0 ms (90.0 ms to 110.0 ms)"), "{page}");
}

#[test]
fn credits_that_may_not_have_been_full_are_a_lower_bound() {
    let burst = |size| {
        let mut answer = answer(Ending::Complete);
        let ended = Instant::from_ns(1_000_000_000);
        answer.limits.push(FoundLimit {
            counts: Counts::Ios,
            scope: Scope::Reads,
            targets: vec![0],
            per_second: Estimate::around(300.0, 1.0),
            enforcement: Enforcement::Unresolved,
            burst: Some(Burst { per_second: Estimate::at_least(3_000.0, 0.0), size, ended }),
            watched: Span::from_secs(40),
            evidence: Evidence::default(),
        });
        line(&text(&answer), "burst").to_string()
    };
    assert_eq!(
        burst(Estimate::at_least(2_337.0, 100.0)),
        "at least 3,000 IOPS, with credits of at least 2,237 I/Os"
    );
    assert_eq!(
        burst(Estimate::around(2_000.0, 100.0)),
        "at least 3,000 IOPS, with credits of 2,000 I/Os (1,900 I/Os to 2,100 I/Os) when full"
    );
}

#[test]
fn a_starved_probe_says_which_figures_are_not_given() {
    let mut answer = answer(Ending::Starved);
    answer.starved = Some(0.5);
    let page = text(&answer);
    assert!(line(&page, "ended").contains("in an experiment, so that its figures are not given;"), "{page}");
}
