//! A run while it goes on, and the curve of its knee.

mod common;

use common::{recorded, style, wide};
use iobound_report::{Curve, CurvePoint, Document, Live, Plan, Style, curve_document, curve_text, live_line};
use iobound_units::Instant;
use serde_json::Value;

fn plan() -> Plan {
    let at = |seconds: u64| Instant::from_ns(seconds * 1_000_000_000);
    Plan { begin: at(0), start: at(2), end: Some(at(12)), over: Some(at(12)) }
}

#[test]
fn a_line_an_interval_says_when_what_and_how_much_is_left() {
    let mut lines = Vec::new();
    recorded(|tick| lines.push(live_line(tick.interval, &plan(), style(125))));
    // Reads wait 1.1 ms on average, writes 2 ms: 2,000 × 1.1 ms + 500 × 2 ms = 3.2 outstanding.
    assert_eq!(
        lines[3],
        "4 s counted, 8 s left  2,499 IOPS  49.1 MB/s  depth 3.2  1 failed  read p50 1.1 ms p99 1.6 ms  \
         write p50 2.0 ms max 2.0 ms"
    );
    assert!(lines[0].starts_with("1 s warm-up, 11 s left  "));
}

#[test]
fn a_line_that_is_too_long_loses_whole_parts_from_the_right() {
    for width in 60..=100 {
        recorded(|tick| {
            let line = live_line(tick.interval, &plan(), style(width));
            assert!(line.chars().count() <= width, "{line}");
            let all = live_line(tick.interval, &plan(), wide());
            assert!(all.starts_with(&line) && (all == line || all[line.len()..].starts_with("  ")));
        });
    }
}

#[test]
fn the_block_shows_the_last_forty_seconds_and_how_far_it_is() {
    let mut live = Live::new(plan());
    assert!(live.lines(style(80)).is_empty());
    let mut blocks = Vec::new();
    recorded(|tick| {
        live.take(tick.interval);
        blocks.push(live.lines(style(80)));
    });
    assert_eq!(
        blocks[5],
        [
            "  now       2,499 IOPS   49.1 MB/s   depth 3.2   1 failed",
            "  recent    2,497 ██████ 2,500 in 6 s",
            "  latency   read p50 1.1 ms p99 1.6 ms   write p50 2.0 ms max 2.0 ms",
            "  counted   [################................] 6 s of 12 s, 6 s left",
        ]
    );
    let narrow = live.lines(Style { ascii: true, ..style(60) });
    assert!(narrow.iter().all(|line| line.is_ascii() && line.len() <= 60), "{narrow:?}");
}

#[test]
fn a_run_without_a_known_end_has_no_bar() {
    let mut live = Live::new(Plan { end: None, over: None, ..plan() });
    recorded(|tick| live.take(tick.interval));
    assert_eq!(live.lines(style(80))[3], "  counted   12 s, no end set");
}

#[test]
fn only_forty_seconds_are_remembered() {
    let mut live = Live::new(plan());
    let mut template = None;
    recorded(|tick| template = Some(*tick.interval));
    let template = template.unwrap();
    for second in 0..3_600_u64 {
        let (start, end) =
            (Instant::from_ns(second * 1_000_000_000), Instant::from_ns((second + 1) * 1_000_000_000));
        live.take(&iobound_measure::Interval { start, end, ..template });
    }
    assert!(live.lines(style(100))[1].ends_with(" in 40 s"), "{:?}", live.lines(style(100)));
}

/// Ten disks of 5,000: 2.1 ms each alone, so 108 outstanding are the knee.
fn curve() -> Curve {
    let point = |depth: u64, threads: u64, iops: f64| CurvePoint {
        depth,
        threads,
        outstanding: depth * threads,
        iops,
        throughput_bytes_per_s: iops * 4096.0,
        mean_us: Some((depth * threads) as f64 / iops * 1e6),
        p99_us: (iops > 10_000.0).then_some(4_000.0),
    };
    Curve {
        title: "4 KiB random read on /dev/md0, io_uring, O_DIRECT, closed loop".into(),
        points: vec![
            point(1, 4, 1_900.0),
            point(16, 4, 30_400.0),
            point(64, 4, 51_000.0),
            point(27, 4, 50_900.0),
            point(32, 4, 50_950.0),
        ],
        knee: Some(3),
        because: "from 128 outstanding to 256 IOPS grew by less than 5 %".into(),
    }
}

#[test]
fn the_curve_is_in_order_of_concurrency_and_marks_the_knee() {
    let expected = "\
4 KiB random read on /dev/md0, io_uring, O_DIRECT, closed loop

  outstanding    IOPS           gain    mean     p99   MB/s  depth  threads
            4   1,900              -  2.1 ms       -    7.8      1        4
           64  30,400        +1500 %  2.1 ms  4.0 ms  124.5     16        4
          108  50,900  knee    +67 %  2.1 ms  4.0 ms  208.5     27        4
          128  50,950         +0.1 %  2.5 ms  4.0 ms  208.7     32        4
          256  51,000         +0.1 %  5.0 ms  4.0 ms  208.9     64        4
  gain: IOPS relative to the row above

  knee      108 outstanding (--depth 27 --threads 4): 50,900 IOPS, mean 2.1 ms,
            p99 4.0 ms; 100 % of the most seen, 51,000
  ended     from 128 outstanding to 256 IOPS grew by less than 5 %
";
    assert_eq!(curve_text(&curve(), style(80)), expected);
}

#[test]
fn the_curves_document_has_the_knee_and_every_point() {
    let document: Value = serde_json::from_str(&Document::from(curve_document(&curve())).text()).unwrap();
    assert_eq!(document["schema"], "iobound.knee/1");
    let knee = &document["knee"];
    assert_eq!((&knee["depth"], &knee["threads"], &knee["iops"]), (&27.into(), &4.into(), &50_900.into()));
    assert_eq!(document["curve"].as_array().unwrap().len(), 5);
    assert_eq!(document["curve"][2]["knee"], true);
    assert_eq!((&document["curve"][0]["gain"], &document["curve"][1]["gain"]), (&Value::Null, &15.into()));
}

#[test]
fn a_curve_without_a_knee_or_without_points_says_so() {
    let none = Curve { knee: None, ..curve() };
    assert!(curve_text(&none, style(80)).contains("knee      not found: IOPS still grew with the depth"));
    assert_eq!(
        serde_json::from_str::<Value>(&Document::from(curve_document(&none)).text()).unwrap()["knee"],
        Value::Null
    );
    let empty = curve_text(&Curve::default(), style(60));
    assert!(empty.contains("nothing was measured"), "{empty}");
    let still =
        Curve { points: vec![CurvePoint { iops: 0.0, mean_us: None, ..curve().points[0] }; 2], ..curve() };
    let text = curve_text(&still, style(60));
    assert!(!text.contains("NaN") && text.lines().all(|line| line.chars().count() <= 60), "{text}");
}
