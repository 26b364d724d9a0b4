//! The forms of a run for programs: one document, a line an interval, tables.

mod common;

use common::{Ran, e7, everything, nothing, recorded};
use iobound_measure::RunResult;
use iobound_report::{Document, RunScreen, interval_line, run_document, series_csv};
use iobound_units::Instant;
use serde_json::Value;

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&Document::from(ran.show(run_document)).text()).expect("one JSON document")
}

#[test]
fn the_document_reads_back_as_the_result_it_was_made_of() {
    for ran in [e7(), everything(), nothing()] {
        let text = Document::from(ran.show(run_document)).text();
        assert_eq!(serde_json::from_str::<RunResult>(&text).unwrap(), ran.result);
    }
}

#[test]
fn the_keys_that_scripts_rely_on_are_there() {
    let document = document(&e7());
    for (pointer, value) in [
        ("/schema", Value::from("iobound.result/1")),
        ("/iops", 45_500.into()),
        ("/throughput_bytes_per_s", 186_368_000.into()),
        ("/latency_us/p99", 121_000.into()),
        ("/read/iops", 45_500.into()),
        ("/depth/requested", 4_096.into()),
        ("/depth/achieved", 4_094.8.into()),
        ("/engine", "io_uring".into()),
        ("/checks/1/outcome", "ok".into()),
        ("/devices/0/counters/reads", 546_012.into()),
        ("/series/7/iops", 51_000.into()),
        ("/workload/jobs/0/description", "4 KiB shared-sequential read, 32 x 128 = 4,096 outstanding".into()),
        ("/ended", "complete".into()),
        ("/error", Value::Null),
        ("/predicted/expected/iops", 51_000.into()),
        // 45,500 / 51,000
        ("/measured_to_predicted", 0.8922.into()),
        ("/prepared/0/did", "created".into()),
        ("/prepared/0/written_bytes", (50_u64 << 30).into()),
        ("/next/1", "iobound explain r-142".into()),
    ] {
        assert_eq!(document.pointer(pointer), Some(&value), "{pointer}");
    }
    assert!(document.get("stages").is_none());
}

#[test]
fn a_run_without_a_prediction_or_a_good_end_says_so() {
    let document = document(&nothing());
    assert_eq!(document["predicted"], Value::Null);
    assert_eq!(document["measured_to_predicted"], Value::Null);
    assert_eq!(document["ended"], "failed");
    assert!(document["error"].as_str().unwrap().contains("EIO"));
    assert_eq!(document["ios"], 0);
}

#[test]
fn several_stages_are_all_there_and_the_first_is_the_document_itself() {
    let (one, two) = (e7(), everything());
    let stages = [one.stage(), two.stage()];
    let screen = RunScreen { stages: &stages, prepared: &one.prepared, next: &[], conditions: &[] };
    let document: Value = serde_json::from_str(&Document::from(run_document(&screen)).text()).unwrap();
    assert_eq!(document["stages"][0]["iops"], document["iops"]);
    assert_eq!(document["stages"][1]["ended"], "interrupted");
    let second = serde_json::from_value::<Value>(document["stages"][1].clone()).unwrap();
    assert_eq!(second["jobs"][1]["name"], "data");
}

#[test]
fn an_interval_is_one_line_of_json() {
    let mut lines = String::new();
    let measured = recorded(|tick| lines.push_str(&interval_line(1, tick.interval, Instant::ZERO)));
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), measured.series.len());
    let third = &lines[2];
    assert_eq!((&third["schema"], &third["stage"]), (&"iobound.interval/1".into(), &1.into()));
    assert_eq!(
        (&third["start_s"], &third["end_s"], &third["phase"]),
        (&2.into(), &3.into(), &"counted".into())
    );
    assert_eq!(lines[1]["phase"], "warmup");
    // 500 writes a second of 64 KiB, one of each thousand failed: in seconds 2, 4, 6, ...
    assert_eq!(lines.iter().map(|line| line["errors"].as_u64().unwrap()).sum::<u64>(), 6);
    assert_eq!(third["write"]["mean_us"], 2_000);
    assert_eq!(third["write"]["p99_us"], Value::Null, "500 I/Os do not support it");
    assert_eq!(third["read"]["iops"], 2_000);
    assert!(third["read"]["p50_us"].as_f64().is_some_and(|p50| (1_090.0..=1_110.0).contains(&p50)));
    let both = third["read"]["iops"].as_f64().unwrap() + third["write"]["iops"].as_f64().unwrap();
    assert_eq!(third["iops"].as_f64(), Some(both));
}

/// The cells of each row by the header's names.
fn rows(csv: &str) -> Vec<Vec<(String, String)>> {
    let split = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let mut lines = csv.lines().map(split);
    let heads = lines.next().expect("a header");
    lines
        .map(|cells| {
            assert_eq!(cells.len(), heads.len());
            heads.iter().cloned().zip(cells).collect()
        })
        .collect()
}

fn cell<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    &row.iter().find(|(head, _)| head == name).unwrap_or_else(|| panic!("no column {name}")).1
}

#[test]
fn the_series_is_a_table_with_units_in_its_header() {
    let csv = everything().show(series_csv);
    let rows = rows(&csv);
    assert_eq!(rows.len(), 12);
    assert_eq!((cell(&rows[0], "phase"), cell(&rows[2], "phase")), ("warmup", "counted"));
    assert_eq!((cell(&rows[2], "read_iops"), cell(&rows[2], "write_mean_us")), ("2000", "2000"));
    assert_eq!(cell(&rows[2], "write_throughput_bytes_per_s"), "32768000");
    // What the run never did is empty, not zero.
    let rows = self::rows(&e7().show(series_csv));
    assert_eq!((cell(&rows[0], "write_iops"), cell(&rows[0], "iops")), ("", "42000"));
}
