//! The page of a comparison: what differs and how far that may be chance, both percentile curves, both series.

use serde_json::Value;

use super::super::chart::{Axis, Chart, Stroke};
use super::super::markup::Markup;
use super::super::page::{Page, words_of};
use super::super::picture::{Bar, Marker, Row, put_rows};
use super::super::series::{Interval, intervals};
use super::super::table::Table;
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text};
use super::tail;

const SCHEMA: &str = "iobound.compare/1";
const OF_RESULT: &str = "iobound.result/1";

pub(in super::super) fn compare(document: &Value) -> Page {
    let sides = list(document, "sides");
    let names: Vec<String> =
        sides.iter().map(|side| format!("{}: {}", text(side, "name"), text(side, "from"))).collect();
    let level = Unit::Share.shown(number(document, "level").unwrap_or(0.95));
    let how = match number(document, "rounds.count") {
        Some(count) => format!(
            "in turns: {} rounds of ABBA or BAAB, each turn {} after {} of warm-up; intervals of {level}",
            Unit::Count.shown(count),
            words_of(number(document, "rounds.turn_s"), Unit::Seconds),
            words_of(number(document, "rounds.warmup_s"), Unit::Seconds),
        ),
        None => format!("each by itself; intervals of {level}"),
    };
    let mut page = Page::new(SCHEMA, &format!("Differences between {}", names.join(" and ")), &how);
    let comparisons = list(document, "comparisons");
    page.section("differs", "What differs", |page| {
        for with in comparisons {
            differs(page, with, &level);
        }
        conditions(page, document);
    });
    page.section("sides", "Compared results", |page| put_sides(page, sides));
    page.section("tail", "Percentiles of latency", |page| {
        page.chart(tails(sides), "The results have too few latencies for curves of percentiles.");
        for with in comparisons {
            moved(page, with);
        }
    });
    page.section("time", "Over time", |page| over_time(page, sides));
    page.section("changed", "Other differences", |page| {
        for with in comparisons {
            changed(page, with);
        }
    });
    page
}

/// `B against A`.
fn pair(with: &Value) -> String {
    format!("{} against {}", text(with, "of"), text(with, "against"))
}

/// Unit of count of a figure.
fn unit_of(figure: &str) -> Unit {
    match figure {
        "iops" | "errors" => Unit::Count,
        "throughput_bytes_per_s" => Unit::Throughput,
        _ => Unit::Us,
    }
}

/// `IOPS`, `p99 of reads`.
fn name_of(of: &Value) -> String {
    let figure = match text(of, "figure") {
        "iops" => "IOPS".to_string(),
        "throughput_bytes_per_s" => "throughput".to_string(),
        figure => figure.trim_end_matches("_us").replace('_', "."),
    };
    match text(of, "operation") {
        "read" => format!("{figure} of reads"),
        "write" => format!("{figure} of writes"),
        _ => figure,
    }
}

fn differs(page: &mut Page, with: &Value, level: &str) {
    page.put(|out| out.line("p", &[("class", "lead")], text(with, "says")));
    let cautions: Vec<&str> = list(with, "cautions").iter().filter_map(Value::as_str).collect();
    for caution in cautions {
        page.put(|out| out.line("p", &[("class", "warning")], caution));
    }
    let mut table = Table::new(SCHEMA, "Figure by figure")
        .column("figure", "comparisons[].figures[].figure")
        .column("a", "comparisons[].figures[].a")
        .column("b", "comparisons[].figures[].b")
        .column("difference", "comparisons[].figures[].difference")
        .column("from", "comparisons[].figures[].low")
        .column("to", "comparisons[].figures[].high")
        .column("share", "comparisons[].figures[].relative")
        .column("share from", "comparisons[].figures[].relative_low")
        .column("share to", "comparisons[].figures[].relative_high")
        .column("differs", "comparisons[].figures[].differs")
        .column("seen from", "comparisons[].figures[].seen_from");
    let figures = list(with, "figures");
    let sight = in_sight(figures);
    let mut rows = Vec::new();
    for of in figures {
        let unit = unit_of(text(of, "figure"));
        let figure = |key: &str| Cell::figure(at(of, key), unit);
        let share = |key: &str| Cell::figure(at(of, key), Unit::Change);
        let seen = match at(of, "differs").as_bool() {
            Some(true) => "yes",
            Some(false) => "not seen",
            None => "",
        };
        table.row(vec![
            Cell::words(&name_of(of)),
            figure("a"),
            figure("b"),
            figure("difference"),
            figure("low"),
            figure("high"),
            share("relative"),
            share("relative_low"),
            share("relative_high"),
            Cell::words(seen),
            Cell::figure(at(of, "seen_from"), Unit::Share),
        ]);
        rows.extend(row(of, unit, seen, sight));
    }
    if rows.is_empty() {
        page.absent("No figure of the first result differs from zero, so no shares can be drawn.");
        page.table(table);
        return;
    }
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Change, false, &mut picture);
    let about = format!(
        "The mark is the difference as a share of {}'s figure, the band its interval of {level}. A band that contains the vertical line, zero, may be random.",
        text(with, "against")
    );
    page.figure(&pair(with), &about, &picture, Some(table));
}

/// How large a share is drawn: three times what half of the figures take, since a tail that is ten times as long would press
/// everything else down.
fn in_sight(figures: &[Value]) -> f64 {
    let farthest = |of: &Value| {
        let ends = ["relative", "relative_low", "relative_high"];
        ends.iter().filter_map(|key| number(of, key)).map(f64::abs).reduce(f64::max)
    };
    let mut all: Vec<f64> = figures.iter().filter_map(farthest).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).map_or(f64::MAX, |half| 3.0 * half)
}

/// A figure's difference with its interval; `None` where it is no share of anything.
fn row(of: &Value, unit: Unit, seen: &str, sight: f64) -> Option<Row> {
    let share = number(of, "relative")?;
    let mut row = Row { name: name_of(of), says: seen.replace("yes", "differs"), ..Row::default() };
    row.figures = format!(
        "{} to {}: {}",
        words_of(number(of, "a"), unit),
        words_of(number(of, "b"), unit),
        Unit::Change.shown(share)
    );
    let shown = |value: f64| value.clamp(-sight, sight);
    let mut is_beyond = shown(share) != share;
    if let (Some(low), Some(high)) = (number(of, "relative_low"), number(of, "relative_high")) {
        is_beyond |= shown(low) != low || shown(high) != high;
        row.bars.push(Bar { from: shown(low), to: shown(high), class: "band" });
        let from = Unit::Change.shown(low);
        row.figures.push_str(&format!(" ({} to {})", from.trim_end_matches(" %"), Unit::Change.shown(high)));
    }
    row.bars.push(Bar { from: 0.0, to: 0.0, class: "zero" });
    if shown(share) == share {
        row.markers.push(Marker { at: share, kind: "predicted" });
    }
    if is_beyond {
        row.figures.push_str(", outside the chart");
    }
    Some(row)
}

fn conditions(page: &mut Page, document: &Value) {
    let mut table = Table::new(SCHEMA, "Conditions")
        .column("condition", "fail_if[].condition")
        .column("of", "fail_if[].of")
        .column("holds", "fail_if[].holds")
        .column("decided by", "fail_if[].decided_by");
    for of in list(document, "fail_if") {
        let holds = if at(of, "holds").as_bool() == Some(true) { "holds" } else { "does not hold" };
        table.row(vec![
            Cell::Code(text(of, "condition").to_string()),
            Cell::words(text(of, "of")),
            Cell::words(holds),
            Cell::words(text(of, "decided_by")),
        ]);
    }
    page.table(table);
}

fn put_sides(page: &mut Page, sides: &[Value]) {
    let mut table = Table::new(SCHEMA, "The results")
        .column("name", "sides[].name")
        .column("from", "sides[].from")
        .column("kept as", "sides[].id")
        .column("began", "sides[].at")
        .column("target", "sides[].target")
        .column("workload", "sides[].workload")
        .column("counted", "sides[].counted_s")
        .column("I/Os", "sides[].ios");
    for side in sides {
        let words = |key: &str| Cell::words(text(side, key));
        table.row(vec![
            words("name"),
            words("from"),
            words("id"),
            words("at"),
            words("target"),
            words("workload"),
            Cell::figure(at(side, "counted_s"), Unit::Seconds),
            Cell::figure(at(side, "ios"), Unit::Count),
        ]);
    }
    page.table(table);
}

/// Each side has a colour, each operation a stroke.
fn tails(sides: &[Value]) -> Chart {
    let mut known = Vec::new();
    let mut looks = Vec::new();
    for (n, side) in sides.iter().enumerate() {
        for (of, tail) in tail::of_run(at(side, "result")).into_iter().enumerate() {
            looks.push((n as u8 % 6 + 1, [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][of % 3]));
            let label = format!("{}, {}", text(side, "name"), tail.label());
            known.push(tail.called(label));
        }
    }
    let about = "Latency of the slowest I/Os, compared: a higher curve means longer latency. Each curve ends where fewer than ten I/Os are above.";
    let mut chart = tail::chart("Percentile curves", about, &known, OF_RESULT, "latency_us.p50");
    for (line, (color, stroke)) in chart.lines.iter_mut().zip(looks) {
        (line.color, line.stroke) = (color, stroke);
    }
    chart
}

/// Where in the distribution latencies moved.
fn moved(page: &mut Page, with: &Value) {
    let shift = at(with, "shift");
    if shift.is_null() {
        page.absent(&format!("{}: a distribution needs all latencies of both results.", pair(with)));
        return;
    }
    let mut table = Table::new(SCHEMA, "The I/Os by latency, the fastest first")
        .column("from", "comparisons[].shift.slices[].from_percent")
        .column("to", "comparisons[].shift.slices[].to_percent")
        .column("mean in a", "comparisons[].shift.slices[].a_us")
        .column("mean in b", "comparisons[].shift.slices[].b_us")
        .column("adds", "comparisons[].shift.slices[].adds_us");
    let mut rows = Vec::new();
    for of in list(shift, "slices") {
        let figure = |key: &str, unit: Unit| Cell::figure(at(of, key), unit);
        table.row(vec![
            figure("from_percent", Unit::Ratio),
            figure("to_percent", Unit::Ratio),
            figure("a_us", Unit::Us),
            figure("b_us", Unit::Us),
            figure("adds_us", Unit::Us),
        ]);
        let (Some(from), Some(to), Some(adds)) =
            (number(of, "from_percent"), number(of, "to_percent"), number(of, "adds_us"))
        else {
            continue;
        };
        let mean = |key: &str| words_of(number(of, key), Unit::Us);
        rows.push(Row {
            name: format!("{} to {} %", Unit::Ratio.shown(from), Unit::Ratio.shown(to)),
            figures: format!("mean {} to {}, adds {}", mean("a_us"), mean("b_us"), Unit::Us.shown(adds)),
            bars: vec![
                Bar { from: 0.0, to: adds, class: if adds < 0.0 { "fill3" } else { "fill2" } },
                Bar { from: 0.0, to: 0.0, class: "zero" },
            ],
            ..Row::default()
        });
    }
    let about = format!(
        "Contribution of each part of the I/Os, fastest first, to the difference of the means. The contributions add up to the difference. The shares of I/Os up to a latency differ most at {}: {} and {}.",
        words_of(number(shift, "gap.at_us"), Unit::Us),
        words_of(number(shift, "gap.a"), Unit::Share),
        words_of(number(shift, "gap.b"), Unit::Share),
    );
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Us, false, &mut picture);
    page.figure(&format!("Where the latencies moved: {}", pair(with)), &about, &picture, Some(table));
}

/// Both series, each from its own beginning.
fn over_time(page: &mut Page, sides: &[Value]) {
    let series: Vec<(&str, Vec<Interval<'_>>)> =
        sides.iter().map(|side| (text(side, "name"), intervals(at(side, "result")).0)).collect();
    let without = "The results have too few intervals for a chart over time.";
    let charts = [
        ("IOPS over time", "IOPS", Unit::Count, "series[].iops", &["iops"][..]),
        (
            "Throughput over time",
            "throughput",
            Unit::Throughput,
            "series[].throughput_bytes_per_s",
            &["throughput_bytes_per_s"],
        ),
        (
            "Mean latency over time",
            "latency",
            Unit::Us,
            "series[].read.mean_us",
            &["read.mean_us", "write.mean_us"],
        ),
    ];
    for (title, axis, unit, defined, keys) in charts {
        let y = if unit == Unit::Us { Axis::log(axis, unit) } else { Axis::linear(axis, unit) };
        let mut table = Table::new(OF_RESULT, title)
            .column("result", "id")
            .column("from", "series[].start_s")
            .column("to", "series[].end_s");
        for key in keys {
            table = table.column(direction(key).unwrap_or(axis), defined);
        }
        let mut chart = Chart::new(title, Axis::linear("time", Unit::Seconds), y, table);
        for (n, (name, of)) in series.iter().enumerate() {
            for interval in of {
                let mut cells = vec![
                    Cell::words(name),
                    Cell::figure(&crate::number::figure(interval.from, 3), Unit::Seconds),
                    Cell::figure(&crate::number::figure(interval.to, 3), Unit::Seconds),
                ];
                cells.extend(
                    keys.iter().map(|key| Cell::figure(&interval.exact(key, value(interval, key), 3), unit)),
                );
                chart.table.row(cells);
            }
            for (stroke, key) in [Stroke::Solid, Stroke::Dashed].into_iter().zip(keys) {
                let points = of.iter().filter_map(|interval| {
                    let value = value(interval, key).filter(|value| unit != Unit::Us || *value > 0.0)?;
                    Some((f64::midpoint(interval.from, interval.to), value))
                });
                let label = direction(key).map_or_else(|| (*name).to_string(), |of| format!("{name}, {of}"));
                chart.line(&label, n as u8 % 6 + 1, stroke, points.collect());
            }
        }
        chart.about = "Each from its own start.".into();
        page.chart(chart, without);
    }
}

/// `reads` of a key of reads; `None` of one of all.
fn direction(key: &str) -> Option<&'static str> {
    match key.split_once('.')?.0 {
        "read" => Some("reads"),
        _ => Some("writes"),
    }
}

/// A figure of an interval, or of several as one.
fn value(interval: &Interval<'_>, key: &str) -> Option<f64> {
    match key.split_once('.') {
        Some((direction, _)) => interval.mean(key, &format!("{direction}.iops")),
        None => interval.rate(key),
    }
}

fn changed(page: &mut Page, with: &Value) {
    let mut table = Table::new(SCHEMA, &format!("{}: differences", pair(with)))
        .column("of", "comparisons[].changed[].part")
        .column("what", "comparisons[].changed[].what")
        .column("a", "comparisons[].changed[].a")
        .column("b", "comparisons[].changed[].b");
    for of in list(with, "changed") {
        table.row(["part", "what", "a", "b"].map(|key| Cell::words(text(of, key))).to_vec());
    }
    if table.is_empty() {
        page.absent(&format!("{}: no other differences are known.", pair(with)));
        return;
    }
    page.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn figure(name: &str, relative: f64, within: f64) -> Value {
        json!({
            "figure": name, "operation": "all", "a": 100, "b": 100.0 * (1.0 + relative), "differs": true,
            "relative": relative, "relative_low": relative - within, "relative_high": relative + within,
        })
    }

    #[test]
    fn a_tail_that_is_far_longer_does_not_press_the_others_down() {
        let figures =
            [figure("iops", 0.01, 0.01), figure("mean_us", 0.02, 0.02), figure("p99_us", 10.0, 5.0)];
        // Farthest are 0.02, 0.04 and 15: three times the middle one.
        let sight = in_sight(&figures);
        assert!((sight - 0.12).abs() < 1e-12, "{sight}");
        let tail = row(&figures[2], Unit::Us, "yes", sight).unwrap();
        assert_eq!((tail.name.as_str(), tail.says.as_str()), ("p99", "differs"));
        assert_eq!((tail.bars[0].to, tail.markers.len()), (sight, 0));
        assert!(tail.figures.ends_with("+1000 % (+500 to +1500 %), outside the chart"), "{}", tail.figures);
        let iops = row(&figures[0], Unit::Count, "yes", sight).unwrap();
        assert_eq!((iops.markers[0].at, iops.bars[0].to), (0.01, 0.02));
    }

    #[test]
    fn what_is_no_share_of_anything_is_in_the_table_alone() {
        let of = json!({ "figure": "errors", "operation": "all", "a": 0, "b": 5, "difference": 5 });
        assert!(row(&of, Unit::Count, "", 1.0).is_none());
    }
}
