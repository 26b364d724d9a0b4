//! Pages of runs: whole, honest about what is not there, silent about who ran them, and deaf to hostile names.

mod common;
#[path = "common/page.rs"]
mod page;

use common::{Ran, e7, everything, nothing, recorded};
use iobound_report::{Curve, CurvePoint, Document, Names, curve_document, html_page, run_document};
use page::{Read, read};
use proptest::prelude::*;
use serde_json::{Value, json};

fn page_of(document: &Value) -> Read {
    read(&html_page(document, Names::LeftOut).expect("there is a page of it"))
}

fn document_of(ran: &Ran) -> Value {
    Document::from(ran.show(run_document)).into_value()
}

/// Everything that a result can hold, with the latencies of each interval.
fn whole() -> Ran {
    let mut ran = everything();
    ran.result.attach_latencies(&recorded(|_| {}));
    ran
}

#[test]
fn a_run_is_shown_over_time_with_its_limits_its_tail_and_its_heat() {
    let page = page_of(&document_of(&whole()));
    let titles: Vec<&str> =
        page.charts.as_array().unwrap().iter().map(|chart| chart["title"].as_str().unwrap()).collect();
    assert_eq!(
        titles,
        [
            "IOPS over time",
            "Throughput over time",
            "Latency over time",
            "Latency heat map",
            "Share of the I/Os that complete within a latency",
            "Percentile curve"
        ]
    );
    let iops = &page.charts[0];
    // The run's series has twelve seconds, reads and writes.
    assert_eq!(iops["lines"][0]["x"].as_array().unwrap().len(), 12);
    assert_eq!(iops["lines"].as_array().unwrap().len(), 3);
    let heat: u64 = page.charts[3]["heat"]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|column| column.as_array().unwrap())
        .map(|count| count.as_u64().unwrap())
        .sum();
    let ios = |kept: fn(&iobound_measure::IntervalTally) -> u64| -> u64 {
        recorded(|_| {}).series.iter().map(|interval| kept(&interval.read) + kept(&interval.write)).sum()
    };
    assert_eq!(heat, ios(|tally| tally.count), "every I/O of the series is on the map, and once");
}

#[test]
fn limits_are_levels_and_what_was_full_is_told() {
    // E7: 42,000 to 51,000 IOPS on ten P30 that let 51,000 through, and on a VM that lets 52,224 through.
    let page = page_of(&document_of(&e7()));
    let limits: Vec<(&str, f64)> = page.charts[0]["limits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|limit| (limit["label"].as_str().unwrap(), limit["value"].as_f64().unwrap()))
        .collect();
    assert_eq!(limits, [("disks IOPS", 51_000.0), ("VM uncached IOPS", 52_224.0)]);
    // Only the second of 48,500 (95.1 %) and that of 51,000 fill the disks.
    let full: Vec<f64> = page.charts[0]["stretches"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|stretch| stretch["label"] == "full: disks IOPS")
        .map(|stretch| stretch["from"].as_f64().unwrap())
        .collect();
    assert_eq!(full, [10.0, 12.0]);
}

#[test]
fn the_figures_of_tables_are_those_of_the_document() {
    let document = document_of(&whole());
    let page = page_of(&document);
    let figures = page.figures();
    let mut wanted = vec![&document["iops"], &document["latency_us"]["p99"], &document["depth"]["achieved"]];
    for interval in document["series"].as_array().unwrap() {
        wanted.extend([&interval["iops"], &interval["throughput_bytes_per_s"], &interval["read"]["p99_us"]]);
    }
    for limiter in document["predicted"]["limits"].as_array().unwrap() {
        wanted.extend([
            &limiter["limit"],
            &limiter["enforced"],
            &limiter["used"],
            &limiter["share"],
            &limiter["held_us"],
        ]);
    }
    for target in document["targets"].as_array().unwrap() {
        wanted.extend([&target["iops"], &target["throughput_bytes_per_s"]]);
    }
    for figure in wanted.into_iter().filter(|figure| figure.is_number()) {
        assert!(figures.contains(&figure.to_string().as_str()), "{figure} is in no table");
    }
}

#[test]
fn what_is_not_known_is_a_sentence_and_no_empty_box() {
    let page = page_of(&document_of(&nothing()));
    assert_eq!(page.charts, json!([]));
    assert_eq!(page.count("figure"), 0);
    for says in ["too few intervals", "add --vm and --disk", "Too few I/Os", "The run failed: /mnt/a"] {
        assert!(page.text.contains(says), "{says}");
    }
    // E7 has no latencies of intervals, and one target.
    let page = page_of(&document_of(&e7()));
    for says in ["There is no latency heat map", "Latency over time is not known", "There is one target"] {
        assert!(page.text.contains(says), "{says}");
    }
}

#[test]
fn a_search_for_the_knee_is_a_curve_with_its_knee_marked() {
    let point = |outstanding: u64, iops: f64| CurvePoint {
        depth: outstanding,
        threads: 1,
        outstanding,
        iops,
        throughput_bytes_per_s: iops * 4096.0,
        mean_us: Some(outstanding as f64 * 1e6 / iops),
        p99_us: None,
    };
    let points = vec![point(1, 500.0), point(8, 4_000.0), point(16, 5_000.0), point(32, 5_010.0)];
    let curve = Curve {
        title: "4 KiB random read on /mnt/a".into(),
        points,
        knee: Some(2),
        because: "no more".into(),
    };
    let page = page_of(&Document::from(curve_document(&curve)).into_value());
    assert_eq!(page.charts[0]["marks"], json!([{ "x": 16, "y": 5_000, "label": "knee: 16" }]));
    assert_eq!(page.charts[1]["lines"][0]["y"], json!([2_000, 2_000, 3_200, 6_387.226]));
}

#[test]
fn a_hostile_name_is_text_wherever_it_stands() {
    let hostile = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script><!--";
    let mut ran = whole();
    ran.result.device = Some(hostile.into());
    ran.result.notes.push(hostile.into());
    for part in &mut ran.result.targets {
        part.name = hostile.into();
    }
    for device in &mut ran.result.devices {
        (device.name, device.model) = (hostile.into(), Some(hostile.into()));
    }
    for check in &mut ran.result.checks {
        (check.name, check.says) = (hostile.into(), hostile.into());
    }
    ran.workload.jobs[0].name = hostile.into();
    let document = document_of(&ran);
    let page = page_of(&document);
    assert!(page.text.matches(hostile).count() > 4);
    assert_eq!(page.count("script"), 3);
    assert_eq!(page.document.unwrap()["device"], hostile);
}

#[test]
fn whoever_ran_it_is_not_told_unless_asked_for() {
    let mut ran = whole();
    let start = ran.result.start.get_or_insert_default();
    start.host = Some("db-prod-7".into());
    start.command = Some("iobound run /home/anna/data --vm DS14".into());
    ran.result.device = Some("/home/anna/data".into());
    ran.result.notes.push("db-prod-7 is in /subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590".into());
    ran.result.devices[0].model = Some("vol0123456789abcdef0".into());
    let document = document_of(&ran);
    let secrets = ["db-prod-7", "anna", "0b1f6471", "0123456789abcdef0"];
    let without = html_page(&document, Names::LeftOut).unwrap();
    let with = html_page(&document, Names::Kept).unwrap();
    for secret in secrets {
        assert!(!without.contains(secret), "{secret} is told");
        assert!(with.contains(secret), "{secret} was asked for");
    }
    assert!(read(&without).text.contains("/home/…/data"));
    read(&with);
}

#[test]
fn stages_stand_one_below_the_other() {
    let ran = whole();
    let mut document = document_of(&ran);
    let stage = document.clone();
    document["stages"] = json!([stage, stage]);
    let page = page_of(&document);
    assert!(page.text.contains("Stage 2: "));
    assert_eq!(page.charts.as_array().unwrap().len(), 12);
}

#[test]
fn the_same_document_is_the_same_page_and_another_has_none() {
    let document = document_of(&e7());
    assert_eq!(html_page(&document, Names::LeftOut), html_page(&document, Names::LeftOut));
    let says = html_page(&json!({ "schema": "iobound.catalog/1" }), Names::LeftOut).unwrap_err();
    assert!(says.contains("iobound.catalog/1") && says.contains("iobound.result/1"), "{says}");
    assert!(html_page(&json!([]), Names::LeftOut).is_err());
}

#[test]
fn a_document_that_lacks_everything_is_a_page_all_the_same() {
    // A document that is a struct is refused where it lacks what its schema says.
    let structs = [
        "iobound.compare/1",
        "iobound.fleet-probe/1",
        "iobound.lab-replay/1",
        "iobound.plan/1",
        "iobound.probe/1",
        "iobound.replay/1",
        "iobound.trace/1",
    ];
    for schema in iobound_report::PAGES.iter().filter(|schema| !structs.contains(schema)) {
        let page = page_of(&json!({ "schema": schema }));
        assert_eq!(page.charts, json!([]), "{schema}");
    }
}

/// The places of all values of a document.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_string());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| places(value, &format!("{at}/{key}"), found))
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(n, value)| places(value, &format!("{at}/{n}"), found));
        }
        _ => {}
    }
}

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        ".{0,40}".prop_map(Value::String),
        Just(json!([])),
        Just(json!([[u64::MAX, u64::MAX], [0, 1], "x"])),
        Just(json!({ "iops": -1, "name": "</title>" })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A result may have been kept for years, edited by hand, or come from another tool.
    #[test]
    fn a_document_with_anything_anywhere_is_a_page_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything()), 1..24),
    ) {
        let mut document = document_of(&whole());
        for (place, value) in changes {
            let mut found = Vec::new();
            places(&document, "", &mut found);
            // The document itself stays one.
            let place = &found[1 + place.index(found.len() - 1)];
            *document.pointer_mut(place).unwrap() = value;
        }
        if let Ok(text) = html_page(&document, Names::LeftOut) {
            read(&text);
        }
    }
}
