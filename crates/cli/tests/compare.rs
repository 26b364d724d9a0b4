//! `iobound compare` and `run --vs`: what differs, what is chance, and conditions for pipelines.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod common;
#[path = "../../report/tests/common/page.rs"]
mod page;

use std::fs;

use common::{Ran, beside_others, json};
use serde_json::{Value, json};
use tempfile::tempdir;

fn ran(words: &[&str]) -> Ran {
    common::ran(beside_others(words).output().unwrap())
}

/// A result of 4 KiB reads whose seconds are these, with a mean latency that follows from 8 outstanding.
fn result(name: &str, iops: &[f64], more: &Value) -> String {
    let mean = iops.iter().sum::<f64>() / iops.len() as f64;
    let latency = json!({"loop": "closed", "mean": 8e6 / mean, "p50": 7e6 / mean, "p99": 20e6 / mean});
    let series: Vec<Value> = iops
        .iter()
        .enumerate()
        .map(|(n, iops)| {
            json!({"start_s": n, "end_s": n + 1, "phase": "counted", "iops": iops, "throughput_bytes_per_s": iops * 4096.0})
        })
        .collect();
    let seconds = iops.len() as f64;
    let mut document = json!({
        "schema": "iobound.result/1",
        "source": "measured",
        "ios": (mean * seconds) as u64,
        "bytes": (mean * seconds) as u64 * 4096,
        "iops": mean,
        "throughput_bytes_per_s": mean * 4096.0,
        "latency_us": latency,
        "series": series,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        document[key] = value.clone();
    }
    common::file(name, &document.to_string())
}

/// Twenty seconds around a mean, without memory: ±1 % in an order that goes nowhere.
fn around(mean: f64) -> Vec<f64> {
    let steps = [1.0, -1.0, 0.5, -0.5, 0.2, -0.2, -0.8, 0.8, 0.3, -0.3];
    steps.iter().chain(&steps).map(|step| mean * (1.0 + step / 100.0)).collect()
}

fn figure<'a>(comparison: &'a Value, name: &str) -> &'a Value {
    let figures = comparison["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["figure"] == name).unwrap_or_else(|| panic!("{name} in {comparison}"))
}

#[test]
fn a_difference_is_told_with_its_interval() {
    let (a, b) =
        (result("cmp-a", &around(10_000.0), &json!({})), result("cmp-b", &around(9_000.0), &json!({})));
    let document = json(&ran(&["compare", &a, &b, "--json"]));
    assert_eq!(
        (document["schema"].as_str(), document["method"].as_str()),
        (Some("iobound.compare/1"), Some("independent"))
    );
    let comparison = &document["comparisons"][0];
    assert_eq!(comparison["verdict"], "differs");
    let iops = figure(comparison, "iops");
    assert_eq!((iops["relative"].as_f64(), iops["differs"].as_bool()), (Some(-0.1), Some(true)));
    // Sum of squares of the steps 2 x 4.04 %²: one error is 100 x √(8.08 / 380) = 14.6 IOPS, the other 13.1. With about 38
    // degrees of freedom t is 2.33 at most for both intervals of the table together: 1,000 ± 46.
    let (low, high) = (iops["low"].as_f64().unwrap(), iops["high"].as_f64().unwrap());
    assert!((-1_050.0..-1_040.0).contains(&low) && (-960.0..-950.0).contains(&high), "{low} {high}");
    let text = ran(&["compare", &a, &b]);
    assert!(text.out.contains("VERDICT   B differs from A: IOPS -10 %"), "{}", text.out);
}

#[test]
fn a_comparison_is_a_page_with_its_intervals_and_both_series() {
    let host = |name: &str| json!({ "start": { "host": name, "counted_s": 20 }, "kernel": name });
    let a = result("page-a", &around(10_000.0), &host("secretive"));
    let b = result("page-b", &around(9_000.0), &host("discreet"));
    let path = common::file("compare.html", "");
    let document = json(&ran(&["compare", &a, &b, "--json", "--html", &path]));
    let text = fs::read_to_string(&path).unwrap();
    let shown = page::read(&text);
    let lines = |chart: usize| -> Vec<&str> {
        let lines = shown.charts[chart]["lines"].as_array().unwrap();
        lines.iter().map(|line| line["label"].as_str().unwrap()).collect()
    };
    let titles: Vec<&str> =
        shown.charts.as_array().unwrap().iter().map(|chart| chart["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Percentile curves", "IOPS over time", "Throughput over time"]);
    assert_eq!(lines(1), ["A", "B"]);
    assert_eq!(shown.charts[1]["lines"][1]["y"].as_array().unwrap().len(), 20);
    let iops = figure(&document["comparisons"][0], "iops");
    let figures = shown.figures();
    for key in ["a", "b", "low", "high", "relative", "relative_low", "relative_high"] {
        assert!(figures.contains(&iops[key].to_string().as_str()), "{key} is in no table");
    }
    assert!(shown.text.contains("B differs from A") && shown.text.contains("kernel"), "{}", shown.text);
    // Whose machines they were is told only where that is asked for.
    assert!(!text.contains("secretive") && !text.contains("discreet"), "{}", shown.text);
    assert_eq!(ran(&["compare", &a, &b, "--html", &path, "--html-with-names"]).code, 0);
    assert!(fs::read_to_string(&path).unwrap().contains("secretive"));
    // A document without a page has nothing of pictures.
    assert!(json(&ran(&["compare", &a, &b, "--json"]))["sides"][0]["result"].is_null());
    assert_eq!(document["sides"][0]["result"]["series"].as_array().unwrap().len(), 20);
}

#[test]
fn equals_are_not_told_apart_and_what_would_have_been_is_said() {
    let (a, b) =
        (result("same-a", &around(10_000.0), &json!({})), result("same-b", &around(10_010.0), &json!({})));
    let document = json(&ran(&["compare", &a, &b, "--json"]));
    let comparison = &document["comparisons"][0];
    assert_eq!(comparison["verdict"], "no_difference");
    let seen = figure(comparison, "iops")["seen_from"].as_f64().unwrap();
    assert!((0.003..0.008).contains(&seen), "{seen}");
    let said = comparison["says"].as_str().unwrap();
    assert!(said.starts_with("no difference seen: ±0.") && said.ends_with("IOPS would have been"), "{said}");
}

#[test]
fn a_condition_that_holds_ends_with_one() {
    let (a, b) =
        (result("if-a", &around(10_000.0), &json!({})), result("if-b", &around(9_400.0), &json!({})));
    for (condition, code) in [
        ("iops < -5%", 1),
        ("iops < -7%", 0),
        // 20e6 / 9,400 against 20e6 / 10,000: 6.4 % more.
        ("p99 > +5%", 1),
        ("p99 > +7%", 0),
        ("p99 > +100us", 1),
        ("iops < 9500", 1),
        ("surely iops < -5%", 1),
        // The interval of -6 % reaches to -5.6 %.
        ("surely iops < -5.9%", 0),
    ] {
        let ran = ran(&["compare", &a, &b, "--fail-if", condition, "--json"]);
        assert_eq!(ran.code, code, "{condition}: {ran:?}");
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["fail_if"][0]["holds"], code == 1, "{condition}");
        assert_eq!(ran.err.contains("--fail-if"), code == 1, "{}", ran.err);
    }
    let judged = |condition: &str| {
        let ran = ran(&["compare", &a, &b, "--fail-if", condition, "--json"]);
        serde_json::from_str::<Value>(&ran.out).unwrap()["fail_if"][0].clone()
    };
    assert_eq!(judged("iops < -5%")["significant"], true);
    assert_eq!(
        (&judged("iops < -5.9%")["significant"], &judged("iops < -5.9%")["decided_by"]),
        (&json!(false), &json!("value"))
    );
}

#[test]
fn what_can_not_be_compared_or_judged_is_bad_input() {
    let a = result("bad-a", &around(10_000.0), &json!({}));
    let empty = result("bad-empty", &around(1.0), &json!({"ios": 0}));
    let predicted = common::file("bad-predict", &common::line("predict --vm DS14 --disk P30 --json").out);
    for (words, part) in [
        (vec!["compare", &a], "is the only result"),
        (vec!["compare", &a, "nowhere"], "there is no such file"),
        (vec!["compare", &a, &empty], "no I/O completed"),
        (vec!["compare", &a, &predicted], "predict"),
        (vec!["compare", &a, &a, "--fail-if", "p99 > 5"], "write the unit"),
        (vec!["compare", &a, &a, "--fail-if", "p99.9 > 5ms"], "p99.9 is not known"),
        (vec!["compare", &a, &a, "--fail-if", "surely p99 > +5%"], "p99 has no confidence interval"),
        (vec!["run", "/tmp", "--fail-if", "p99 > +5%"], "is a condition on a difference"),
        (vec!["run", "/tmp", "--fail-if", "speed > 5"], "the figures are iops"),
        (vec!["run", "/tmp", "--rounds", "5"], "only --vs has rounds"),
        (vec!["run", "/tmp", "--vs", "--dept 4"], "--dept"),
        (vec!["run", "/tmp", "--vs", "--depth 4", "--rounds", "2"], "write 4 to 1,000 rounds"),
        (vec!["run", "/tmp", "--vs", "--depth 4", "--until", "steady"], "turns have a fixed length"),
        (vec!["run", "/tmp", "--vs", "--duration 4s"], "options for both sides"),
        (vec!["run", "/tmp", "--vs", "--depth 4", "--duration", "500ms"], "the minimum is 100 ms"),
        (vec!["run", "/tmp", "--vs", "--depth '4"], "a quote is not closed"),
    ] {
        let ran = ran(&words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.err.contains(part), "{part} in {}", ran.err);
    }
}

#[test]
fn an_open_loop_beside_a_closed_one_is_compared_and_said() {
    let open = json!({"latency_us": {"loop": "open", "mean": 900, "p99": 3000}, "kernel": "6.12"});
    let (a, b) = (
        result("loop-a", &around(10_000.0), &json!({"kernel": "6.1"})),
        result("loop-b", &around(10_000.0), &open),
    );
    let document = json(&ran(&["compare", &a, &b, "--json"]));
    let cautions = document["comparisons"][0]["cautions"].to_string();
    assert!(cautions.contains("defined differently"), "{cautions}");
    let changed = document["comparisons"][0]["changed"].as_array().unwrap();
    let kernel = json!({"part": "machine", "what": "kernel", "a": "6.1", "b": "6.12"});
    assert!(changed.contains(&kernel), "{changed:?}");
}

#[test]
fn several_are_put_beside_the_first() {
    let files: Vec<String> = [10_000.0, 10_000.0, 5_000.0]
        .iter()
        .enumerate()
        .map(|(n, mean)| result(&format!("several-{n}"), &around(*mean), &json!({})))
        .collect();
    let words: Vec<&str> = ["compare"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let document = json(&ran(&[&words[..], &["--json"]].concat()));
    let verdicts: Vec<&Value> =
        document["comparisons"].as_array().unwrap().iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, ["no_difference", "differs"]);
    let text = ran(&words).out;
    assert!(text.contains("C against A") && text.contains("-50 %"), "{text}");
    // A condition is judged of each of the others.
    let judged = ran(&[&words[..], &["--fail-if", "iops < -10%"]].concat());
    assert_eq!(judged.code, 1);
    assert!(judged.err.contains("C: iops < -10%") && !judged.err.contains("B: iops"), "{}", judged.err);
}

#[test]
fn a_run_by_itself_may_fail_by_a_condition() {
    let folder = tempdir().unwrap();
    let here = folder.path().display().to_string();
    let with = |condition: &str| {
        ran(&[
            "run",
            &here,
            "--size",
            "1MiB",
            "--buffered",
            "--duration",
            "300ms",
            "--json",
            "--fail-if",
            condition,
        ])
    };
    let failed = with("iops < 1000000000");
    assert_eq!(failed.code, 1, "{failed:?}");
    let document: Value = serde_json::from_str(&failed.out).unwrap();
    assert_eq!((&document["fail_if"][0]["holds"], &document["ended"]), (&json!(true), &json!("complete")));
    assert_eq!(with("errors > 0").code, 0);
    // The answer is there although the condition can't be judged: nothing is written.
    let unknown = with("write.p99 > 5ms");
    assert!(
        unknown.code == 2
            && unknown.out.contains("\"iops\"")
            && unknown.err.contains("no such I/O completed"),
        "{unknown:?}"
    );
}

#[test]
fn two_workloads_take_turns_and_what_differs_is_told() {
    let folder = tempdir().unwrap();
    let (here, store) =
        (folder.path().display().to_string(), folder.path().join("results.db").display().to_string());
    // Twice the block moves about twice the bytes; a cap makes both sides' rates known: 200 IOPS.
    let words = [
        "run",
        &here,
        "--size",
        "4MiB",
        "--buffered",
        "--depth",
        "1",
        "--cap",
        "400iops",
        "--block",
        "4KiB",
        "--vs",
        "--block 8KiB",
        "--duration",
        "2s",
        "--rounds",
        "5",
        "--warmup",
        "20ms",
        "--results",
        &store,
        "--seed",
        "3",
        "--json",
    ];
    let document = json(&ran(&words));
    assert_eq!(
        (document["method"].as_str(), document["rounds"]["count"].as_u64()),
        (Some("paired"), Some(5))
    );
    // 2 s in ten turns each.
    assert_eq!(document["rounds"]["turn_s"], 0.2);
    let comparison = &document["comparisons"][0];
    let (throughput, iops) = (figure(comparison, "throughput_bytes_per_s"), figure(comparison, "iops"));
    assert_eq!(throughput["differs"], true, "{comparison}");
    assert!((0.8..1.2).contains(&throughput["relative"].as_f64().unwrap()), "{throughput}");
    assert!(iops["relative"].as_f64().unwrap().abs() < 0.2, "{iops}");
    let block = json!({"part": "workload", "what": "job: block", "a": "4KiB", "b": "8KiB"});
    assert!(comparison["changed"].as_array().unwrap().contains(&block), "{}", comparison["changed"]);
    // Both sides are kept, as runs of one command, each with all its counted time.
    let list = json(&ran(&["results", "list", "--results", &store, "--json"]));
    assert_eq!(
        (&list["runs"][0]["side"], &list["runs"][0]["first_of_command"]),
        (&json!("b"), &json!("r-1"))
    );
    let counted = list["runs"][1]["counted_s"].as_f64().unwrap();
    assert!((1.9..2.1).contains(&counted), "{counted}");
    let shown = json(&ran(&["results", "show", "r-1", "--results", &store, "--json"]));
    assert_eq!(shown["iops"], iops["a"]);
}

#[test]
fn two_targets_take_turns_and_each_needs_its_own_consent() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (a, b) = (path("a"), path("b"));
    fs::write(&a, vec![1; 1 << 20]).unwrap();
    fs::write(&b, vec![2; 1 << 20]).unwrap();
    let words =
        ["run", &a, "--buffered", "--duration", "1s", "--rounds", "4", "--warmup", "10ms", "--vs", &b];
    let picture = path("turns.html");
    let compared = json(&ran(&[&words[..], &["--json", "--html", &picture]].concat()));
    let page = page::read(&fs::read_to_string(&picture).unwrap());
    assert!(page.text.contains("in turns: 4 rounds") && page.charts.as_array().unwrap().len() >= 4);
    assert_eq!((&compared["sides"][0]["target"], &compared["sides"][1]["target"]), (&json!(a), &json!(b)));
    let write = [&words[..], &["--read", "0%", "--overwrite", &a]].concat();
    let refused = ran(&write);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains(&format!("--overwrite {b}")), "{}", refused.err);
    // Neither is written to before both are consented to.
    assert!(fs::read(&a).unwrap().iter().all(|byte| *byte == 1));
    let dry = [&write[..], &["--overwrite", &b, "--dry-run"]].concat();
    let pictured = ran(&[&dry[..], &["--html", &path("dry.html")]].concat());
    assert!(pictured.code == 2 && pictured.err.contains("nothing is run"), "{pictured:?}");
    let planned = ran(&dry);
    assert!(planned.code == 0 && planned.out.contains("take turns: 4 rounds"), "{planned:?}");
    assert!(fs::read(&b).unwrap().iter().all(|byte| *byte == 2));
}
