//! The result document: what scripts rely on.

use iobound_measure::result::{Check, Figures, LoopLabel, Outcome, RunResult, Source, Tool};
use iobound_measure::{Cell, CellId, JobLayout, Layout, Loop, Measured, Outstanding, Recorder};
use iobound_units::{Instant, Op, Span, TargetId};
use serde_json::Value;

/// Two threads on two targets for 12 s, 2 s of them warm-up: job `log` writes 500 times a second in a closed
/// loop of depth 1 with 2 ms each, job `data` reads 2,000 times a second in an open loop, issued 0.1 ms late,
/// with latencies between 0.5 and 1.5 ms.
fn measured() -> Measured {
    let job = |name: &str, kind, requested_depth, requested_iops| JobLayout {
        name: name.to_string(),
        kind,
        requested_depth,
        requested_iops,
    };
    let mut recorder = Recorder::new(Layout {
        jobs: vec![job("log", Loop::Closed, Some(1), None), job("data", Loop::Open, Some(16), Some(2_000.0))],
        threads: 2,
        targets: vec!["a".to_string(), "b".to_string()],
        cells: vec![
            Cell { job: 0, thread: 0, target: TargetId(0) },
            Cell { job: 1, thread: 1, target: TargetId(1) },
        ],
        begin: Instant::ZERO,
        start: Instant::from_ns(2_000_000_000),
        end: Instant::from_ns(12_000_000_000),
        interval: Span::from_secs(1),
    });
    let at = Instant::from_ns;
    for n in 1..=24_000_u64 {
        if n % 4 == 0 {
            let completed = n * 500_000;
            let issued = completed - 2_000_000;
            recorder.record(CellId(0), Op::Write, 65_536, at(issued), at(issued), at(completed), true);
        }
        let intended = (n - 1) * 500_000;
        let response = 600_000 + n % 1_000 * 1_000;
        if intended + response <= 12_000_000_000 {
            let issued = at(intended + 100_000);
            recorder.record(CellId(1), Op::Read, 8192, at(intended), issued, at(intended + response), true);
        }
        while recorder.advance(at(intended)).is_some() {}
    }
    recorder.finish(
        at(12_000_000_000),
        &[
            Outstanding { cell: CellId(0), issued: at(12_000_000_000) },
            Outstanding { cell: CellId(1), issued: at(11_999_600_000) },
        ],
    )
}

fn document() -> Value {
    serde_json::to_value(RunResult::from_measured(&measured(), Source::Measured)).unwrap()
}

#[test]
fn the_keys_that_scripts_rely_on_are_there() {
    let document = document();
    for pointer in [
        "/schema",
        "/source",
        "/iops",
        "/throughput_bytes_per_s",
        "/latency_us/loop",
        "/latency_us/mean",
        "/latency_us/p50",
        "/latency_us/p90",
        "/latency_us/p95",
        "/latency_us/p99",
        "/latency_us/max",
        "/read/iops",
        "/write/latency_us/p99",
        "/jobs/0/name",
        "/jobs/1/read/iops",
        "/jobs/1/requested_iops",
        "/threads/1/iops",
        "/targets/0/name",
        "/cells/1/target",
        "/series/0/iops",
        "/series/11/write/mean_us",
        "/depth/requested",
        "/depth/achieved",
        "/per_second/min",
        "/per_second/max",
        "/unfinished",
        "/checks",
        "/notes",
        "/steady/steady",
        "/confidence/low_iops",
    ] {
        assert!(document.pointer(pointer).is_some(), "{pointer} is missing from {document:#}");
    }
    assert_eq!(document["schema"], "iobound.result/1");
    assert_eq!(document["source"], "measured");
}

#[test]
fn the_figures_are_those_of_the_arithmetic() {
    let document = document();
    // 500 writes of 64 KiB and 2,000 reads of 8 KiB a second; the reads at either edge of the ten seconds
    // differ by the spread of their latencies, at most three of them.
    assert_eq!(document["write"]["iops"], 500.0);
    assert_eq!(document["write"]["throughput_bytes_per_s"], 500.0 * 65_536.0);
    let reads = document["read"]["iops"].as_f64().unwrap();
    assert!((reads - 2_000.0).abs() <= 0.3, "{reads}");
    let both = document["iops"].as_f64().unwrap();
    assert!((both - reads - 500.0).abs() < 0.011);
    // Closed loop: latency is from issue. 5,000 writes support p99 and not p99.9.
    let write = &document["write"]["latency_us"];
    for key in ["mean", "min", "p50", "p99", "max"] {
        assert_eq!(write[key], 2_000.0, "{key}");
    }
    assert!(write.get("p99_9").is_none());
    // Open loop: 20,000 responses evenly between 600 and 1,599 µs, the service 100 µs less.
    let data = &document["jobs"][1];
    assert_eq!(data["latency_us"]["loop"], "open");
    assert_eq!(data["latency_us"]["max"], 1_599.0);
    assert_eq!(data["service_us"]["max"], 1_499.0);
    let (response, service) = (&data["latency_us"]["mean"], &data["service_us"]["mean"]);
    let lag = response.as_f64().unwrap() - service.as_f64().unwrap();
    assert!((lag - 100.0).abs() < 0.002, "{lag}");
    let median = data["latency_us"]["p50"].as_f64().unwrap();
    assert!((median / 1_099.5 - 1.0).abs() < 0.001, "{median}");
    assert!(data["latency_us"].get("p99_9").is_some() && data["latency_us"].get("p99_99").is_none());
    assert_eq!(document["latency_us"]["loop"], "mixed");
}

#[test]
fn achieved_depth_obeys_littles_law() {
    let document = document();
    assert_eq!(document["jobs"][0]["depth"]["achieved"], 1.0);
    assert_eq!(document["jobs"][0]["depth"]["requested"], 1);
    let data = document["jobs"][1]["depth"]["achieved"].as_f64().unwrap();
    // 2,000 a second, each outstanding for a mean of 999.5 µs.
    assert!((data - 1.999).abs() < 0.001, "{data}");
    assert_eq!(document["depth"]["requested"], 17);
    // Issued before the end of the counting: one of the two.
    assert_eq!(document["unfinished"], 1);
    assert_eq!(document["never_issued"], 0);
    assert!(document["jobs"][0].get("never_issued").is_none());
}

#[test]
fn the_series_keeps_the_warm_up_and_says_so() {
    let document = document();
    let series = document["series"].as_array().unwrap();
    assert_eq!(series.len(), 12);
    let phases: Vec<_> = series.iter().map(|point| point["phase"].as_str().unwrap()).collect();
    assert_eq!((&phases[..2], &phases[2..]), (&["warmup"; 2][..], &["counted"; 10][..]));
    assert_eq!((&series[3]["start_s"], &series[3]["end_s"]), (&Value::from(3.0), &Value::from(4.0)));
    assert_eq!(series[3]["write"]["p50_us"], 2_000.0);
    assert!(series[3]["write"].get("p99_us").is_none(), "500 writes do not support a p99");
    assert!(series[3]["read"].get("p99_us").is_some(), "2,000 reads do");
}

#[test]
fn a_level_run_is_steady_with_a_narrow_interval() {
    let result = RunResult::from_measured(&measured(), Source::Simulated);
    let steady = result.steady.unwrap();
    assert!(steady.steady);
    assert_eq!(steady.round_s, 2.0);
    assert_eq!(steady.from_s, None, "12 values are too few for MSER-5");
    let confidence = result.confidence.unwrap();
    assert!(confidence.low_iops <= 2_500.0 && 2_500.0 <= confidence.high_iops);
    assert!(confidence.relative < 0.01);
    assert_eq!(confidence.batches, 10);
}

#[test]
fn the_document_survives_json_with_its_histograms() {
    let measured = measured();
    let mut result = RunResult::from_measured(&measured, Source::Measured);
    result.attach_histograms(&measured);
    result.checks.push(Check {
        name: "depth".to_string(),
        outcome: Outcome::Ok,
        says: "17 were asked for".to_string(),
    });
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<RunResult>(&json).unwrap(), result);
    let histograms = result.jobs[1].histograms.as_ref().unwrap();
    assert_eq!(histograms.read.as_ref(), Some(&measured.jobs[1].op(Op::Read).response));
    assert_eq!(histograms.write, None);
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let text = || serde_json::to_string(&RunResult::from_measured(&measured(), Source::Measured)).unwrap();
    assert_eq!(text(), text());
    assert!(!text().contains("e-"), "no figure has digits beyond its rounding");
}

#[test]
fn a_foreign_result_shows_only_what_the_tool_told() {
    let mut result = RunResult::new(Source::Foreign);
    result.tool = Some(Tool { name: "diskspd".to_string(), version: None });
    result.total = Figures { iops: Some(19_882.0), ..Figures::default() };
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(
        json,
        r#"{"schema":"iobound.result/1","source":"foreign","tool":{"name":"diskspd"},"iops":19882.0,"checks":[],"notes":[],"jobs":[],"series":[]}"#
    );
    assert_eq!(serde_json::from_str::<RunResult>(&json).unwrap(), result);
}

#[test]
fn a_document_of_another_schema_is_refused_by_name() {
    let error = serde_json::from_str::<RunResult>(r#"{"schema":"iobound.result/2","source":"measured"}"#);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("'iobound.result/2'") && error.contains("'iobound.result/1'"), "{error}");
}

#[test]
fn a_run_in_which_nothing_completed_has_no_latency_and_is_not_judged() {
    let end = Instant::from_ns(20_000_000_000);
    let recorder = Recorder::new(Layout::single("job", "target", Instant::ZERO, end, Span::from_secs(1)));
    let result = RunResult::from_measured(&recorder.finish(end, &[]), Source::Measured);
    assert_eq!((result.total.iops, result.total.ios), (Some(0.0), Some(0)));
    assert_eq!((result.total.latency_us, result.by_operation.read), (None, None));
    assert_eq!(result.steady, None);
    assert_eq!(result.jobs[0].label, Some(LoopLabel::Closed));
}
