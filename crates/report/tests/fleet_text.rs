//! The screen of a run on several machines: a few on one page, the slowest and the fastest of many.

mod common;

use common::{Ran, e7, style, wide};
use iobound_measure::result::fleet::{MissingRank, PerHost, RanksDone, stragglers};
use iobound_measure::result::{Fleet, HostLimit, HostResult};
use iobound_report::{Document, Names, html_page, run_document, run_text};

/// E7 on so many hosts, of which number 2 has half of the others' IOPS.
fn fleet(hosts: u32) -> Ran {
    let mut ran = e7();
    let each = ran.result.total.iops.unwrap();
    ran.result.hosts = (0..hosts)
        .map(|rank| {
            let iops = if rank == 2 { each / 2.0 } else { each + f64::from(rank) };
            let mut total = ran.result.total.clone();
            total.iops = Some(iops);
            total.throughput_bytes_per_s = Some(iops * 4096.0);
            HostResult {
                rank,
                host: format!("db{rank}"),
                label: format!("db{rank}"),
                total,
                start_offset_ms: Some(0.12),
                ended: "complete".into(),
                bound: Some(HostLimit { by: "disk.iops".into(), says: "full".into() }),
                ..HostResult::default()
            }
        })
        .collect();
    let done = Some(RanksDone { iops: each * f64::from(hosts), throughput_bytes_per_s: 1e9, seconds: 12.0 });
    let missing =
        MissingRank { rank: hosts, host: Some("db-gone".into()), why: "it sent nothing for 5 s".into() };
    ran.result.fleet = Some(Fleet {
        launcher: "slurm".into(),
        ranks: hosts + 1,
        reported: hosts,
        missing: vec![missing],
        first_done: done,
        last_done: done,
        per_host: PerHost::of(&ran.result.hosts),
        stragglers: stragglers(&ran.result.hosts),
        start_skew_ms: Some(0.21),
        start_skew_uncertainty_ms: Some(0.05),
        clock: "by round trips".into(),
    });
    ran
}

#[test]
fn four_hosts_are_one_screen() {
    let text = fleet(4).show(|screen| run_text(screen, style(100)));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.lines().count() <= 50, "{text}");
    for part in [
        "ranks     5 by slurm   4 reported   started within 0.21 ms ± 50 µs",
        "MISSING   rank 4 (db-gone): it sent nothing for 5 s",
        "SLOW      db2 at 50 % of the median",
        "+0.12 ms",
        "disk IOPS",
        "first done after 12 s",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // In the order of their ranks.
    let at =
        |label: &str| text.find(&format!("\n  {label} ")).unwrap_or_else(|| panic!("{label} in\n{text}"));
    assert!(at("db0") < at("db1") && at("db1") < at("db2") && at("db2") < at("db3"));
    assert!(text.contains("min 22,750 IOPS (db2)") && text.contains("max 45,503 IOPS (db3)"), "{text}");
}

#[test]
fn of_a_thousand_hosts_the_slowest_and_the_fastest_are_shown() {
    let ran = fleet(1_000);
    let text = ran.show(|screen| run_text(screen, style(100)));
    assert!(text.lines().count() <= 50, "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("  db")).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["db2", "db0", "db1", "db3", "db998", "db999"], "{text}");
    assert!(text.contains("994 between: --wide"), "{text}");
    let all = ran.show(|screen| run_text(screen, wide()));
    assert_eq!(all.lines().filter(|line| line.starts_with("  db")).count(), 1_000);
}

#[test]
fn what_was_expected_is_of_all_hosts() {
    let ran = fleet(4);
    let expected = ran.prediction.as_ref().unwrap().expected.iops;
    let document = Document::from(ran.show(run_document)).into_value();
    let ratio = document["measured_to_predicted"].as_f64().unwrap();
    let by_hand = document["iops"].as_f64().unwrap() / (4.0 * expected);
    assert!((ratio - by_hand).abs() < 1e-3, "{ratio} {by_hand}");
    let text = ran.show(|screen| run_text(screen, style(100)));
    assert!(text.contains("4 hosts of"), "{text}");
}

#[test]
fn the_page_has_a_row_for_each_host_and_no_name_that_was_not_asked_for() {
    let document = Document::from(fleet(3).show(run_document)).into_value();
    let page = html_page(&document, Names::Kept).unwrap();
    assert!(page.contains("Figures of each host") && page.contains("db2") && page.contains("db-gone"));
    let without = html_page(&document, Names::LeftOut).unwrap();
    assert!(without.contains("host2") && without.contains("host3"), "each is still told apart");
    assert!(!without.contains("db2") && !without.contains("db-gone"));
}
