//! `--calibrate RESULT`: the media latency of a result that can tell, and the reason where it can't.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{Ran, file, json, run};

/// A result of 4 KiB reads: `mean` µs, so many IOPS.
fn result(name: &str, iops: f64, mean_us: f64) -> String {
    let bytes = iops * 4_096.0;
    let figures = format!(
        "\"iops\": {iops}, \"throughput_bytes_per_s\": {bytes}, \"latency_us\": {{ \"loop\": \"closed\", \"mean\": {mean_us} }}"
    );
    let text = format!(
        "{{ \"schema\": \"iobound.result/1\", \"source\": \"measured\", {figures}, \"read\": {{ {figures} }} }}"
    );
    file(name, &text)
}

fn calibrated(path: &str, disk: &str) -> Ran {
    run(&["predict", "--vm", "DS14", "--disk", disk, "--depth", "4", "--json", "--calibrate", path])
}

#[test]
fn a_result_below_every_limit_gives_the_latency_of_the_media() {
    // Four outstanding at 2.6 ms: 1,538 IOPS of 5,000.
    let document = json(&calibrated(&result("low.json", 1_538.0, 2_600.0), "P30"));
    let mean = document["latency_us"]["mean"].as_f64().unwrap();
    assert!((mean / 2_600.0 - 1.0).abs() < 0.01, "{mean}");
    assert!(document["notes"].to_string().contains("2.60 ms"), "{}", document["notes"]);
    assert!(document["assumed"].to_string().contains("given"), "{}", document["assumed"]);
}

#[test]
fn a_result_that_cannot_tell_is_refused_with_the_reason() {
    let open = file(
        "open.json",
        "{ \"schema\": \"iobound.result/1\", \"source\": \"measured\", \"iops\": 1000, \"never_issued\": 9, \"read\": { \"iops\": 1000, \"latency_us\": { \"loop\": \"open\", \"mean\": 90000 } } }",
    );
    for (path, disk, part) in [
        // At the limit of 5,000.
        (result("full.json", 5_090.0, 6_290.0), "P30", "latency comes from queueing, not from the media"),
        // 100 outstanding on one disk, by Little's law.
        (result("deep.json", 2_000.0, 50_000.0), "P30", "outstanding on each disk"),
        (open, "P30", "open loop was overloaded"),
        (result("cached.json", 1_538.0, 2_600.0), "P30:readonly", "host cache"),
        (
            file("empty.json", "{ \"schema\": \"iobound.result/1\", \"source\": \"measured\" }"),
            "P30",
            "no mean latency",
        ),
        (file("other.json", "{ \"schema\": \"iobound.predict/2\" }"), "P30", "the document is a prediction"),
        ("none.json".to_string(), "P30", "none.json"),
    ] {
        let ran = calibrated(&path, disk);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.contains(part) && ran.err.contains("--calibrate"), "`{part}`: {}", ran.err);
    }
}

#[test]
fn media_and_calibrate_exclude_each_other() {
    let path = result("both.json", 1_538.0, 2_600.0);
    let ran = run(&["predict", "--vm", "DS14", "--disk", "P30", "--media", "read=2ms", "--calibrate", &path]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--media"), "{}", ran.err);
}
