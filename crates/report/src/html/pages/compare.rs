//! The page of a comparison: what differs and how far that may be chance, the latency distributions, the percentile curves
//! and the series of all results.

use iobound_documents::{
    CompareDocument, ComparedFigure, ComparisonPart, Contract, Microseconds, Quantity, ShiftPart, SidePart,
};
use iobound_measure::result::{Direction, Figure};
use serde_json::Value;

use super::super::chart::{Axis, Chart, Stroke};
use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Marker, Row, put_rows};
use super::super::series::{Interval, intervals};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::moment;
use super::knee::sentence;
use super::{distribution, tail};

const SCHEMA: &str = CompareDocument::ID;
const OF_RESULT: &str = "iobound.result/1";

pub(in super::super) fn compare(document: &CompareDocument) -> HtmlPage {
    let sides = &document.sides;
    let names: Vec<String> = sides.iter().map(|side| format!("{}: {}", side.name, side.from)).collect();
    let level = Unit::Share.shown(document.level);
    let how = match document.rounds {
        Some(rounds) => format!(
            "in turns: {} rounds of ABBA or BAAB, each turn {} after {} of warm-up; intervals of {level} for all figures together",
            Unit::Count.shown(rounds.count as f64),
            Unit::Seconds.shown(rounds.turn_s.value()),
            Unit::Seconds.shown(rounds.warmup_s.value()),
        ),
        None => format!("each by itself; intervals of {level} for all figures together"),
    };
    let mut page = HtmlPage::new(SCHEMA, &format!("Differences between {}", names.join(" and ")), &how);
    let comparisons = &document.comparisons;
    page.section("differs", "Differences", |page| {
        for with in comparisons {
            differs(page, with, &level);
        }
        conditions(page, document);
    });
    page.section("sides", "Compared results", |page| put_sides(page, sides));
    page.section("latency", "Distribution of latency", |page| {
        let runs: Vec<(&str, &Value)> = sides.iter().map(|side| (side.name.as_str(), drawn(side))).collect();
        let mut chart = distribution::of_runs(&runs);
        chart.about =
            "A curve further left means faster I/Os. Each steep part is one kind of I/O, such as cache hits."
                .into();
        page.chart(chart, "There is no distribution of latencies: only kept runs have every latency.");
    });
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
fn pair(with: &ComparisonPart) -> String {
    format!("{} against {}", with.of, with.against)
}

/// Unit of a figure.
fn unit_of(figure: Figure) -> Unit {
    match figure {
        Figure::Iops | Figure::Errors => Unit::Count,
        Figure::Throughput => Unit::Throughput,
        _ => Unit::Us,
    }
}

/// `IOPS`, `p99 of reads`.
fn name_of(of: &ComparedFigure) -> String {
    let figure = match of.figure {
        Figure::Iops => "IOPS".to_string(),
        Figure::Throughput => "throughput".to_string(),
        figure => figure.key().trim_end_matches("_us").replace('_', "."),
    };
    match of.operation {
        Direction::Read => format!("{figure} of reads"),
        Direction::Write => format!("{figure} of writes"),
        Direction::All => figure,
    }
}

fn differs(page: &mut HtmlPage, with: &ComparisonPart, level: &str) {
    for caution in &with.cautions {
        page.put(|out| out.line("p", &[("class", "warning")], caution));
    }
    let amount = |of: &ComparedFigure, amount| Cell::quantity(amount, unit_of(of.figure));
    let table = TableOf::new(SCHEMA, "Figure by figure", &with.figures)
        .cell("figure", "comparisons[].figures[].figure", |of| Cell::words(&name_of(of)))
        .cell("a", "comparisons[].figures[].a", |of| amount(of, Some(of.a)))
        .cell("b", "comparisons[].figures[].b", |of| amount(of, Some(of.b)))
        .cell("difference", "comparisons[].figures[].difference", |of| amount(of, Some(of.difference)))
        .cell("from", "comparisons[].figures[].low", |of| amount(of, of.low))
        .cell("to", "comparisons[].figures[].high", |of| amount(of, of.high))
        .cell("share", "comparisons[].figures[].relative", |of| Cell::quantity(of.relative, Unit::Change))
        .cell("share from", "comparisons[].figures[].relative_low", |of| {
            Cell::quantity(of.relative_low, Unit::Change)
        })
        .cell("share to", "comparisons[].figures[].relative_high", |of| {
            Cell::quantity(of.relative_high, Unit::Change)
        })
        .cell("differs", "comparisons[].figures[].differs", |of| Cell::words(seen(of)))
        .cell("detectable from", "comparisons[].figures[].seen_from", |of| {
            Cell::quantity(of.seen_from, Unit::Share)
        })
        .done();
    let sight = in_sight(&with.figures);
    let rows: Vec<Row> = with.figures.iter().filter_map(|of| row(of, sight)).collect();
    let mut picture = Markup::new();
    if rows.is_empty() {
        page.conclude(&sentence(&with.says), &picture);
        page.absent("No figure of the first result differs from zero, so no shares can be drawn.");
        page.table(table);
        return;
    }
    put_rows(&rows, Unit::Change, false, &mut picture);
    page.conclude(&sentence(&with.says), &picture);
    let about = format!(
        "The mark is the difference as a share of {}'s figure, the band its interval of {level} for all figures together. A band that holds the upright line, zero, may be chance.",
        with.against
    );
    page.paragraph(&format!("{}. {about}", pair(with)));
    page.table_behind(table);
}

/// Largest share that is drawn: three times what half of the figures take, since a tail that is ten times as long would press
/// everything else down.
fn in_sight(figures: &[ComparedFigure]) -> f64 {
    let farthest = |of: &ComparedFigure| {
        let ends = [of.relative, of.relative_low, of.relative_high];
        ends.into_iter().flatten().map(|end| end.value().abs()).reduce(f64::max)
    };
    let mut all: Vec<f64> = figures.iter().filter_map(farthest).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).map_or(f64::MAX, |half| 3.0 * half)
}

/// True if a figure differs, in a word.
fn seen(of: &ComparedFigure) -> &'static str {
    match of.differs {
        Some(true) => "yes",
        Some(false) => "not seen",
        None => "",
    }
}

/// A figure's difference with its interval; `None` if the first figure is zero.
fn row(of: &ComparedFigure, sight: f64) -> Option<Row> {
    let (share, unit) = (of.relative?.value(), unit_of(of.figure));
    let mut row = Row { name: name_of(of), says: seen(of).replace("yes", "differs"), ..Row::default() };
    row.figures = format!(
        "{} to {}: {}",
        unit.shown(of.a.value()),
        unit.shown(of.b.value()),
        Unit::Change.shown(share)
    );
    let shown = |value: f64| value.clamp(-sight, sight);
    let mut is_beyond = shown(share) != share;
    if let (Some(low), Some(high)) = (of.relative_low, of.relative_high) {
        let (low, high) = (low.value(), high.value());
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

fn conditions(page: &mut HtmlPage, document: &CompareDocument) {
    let table = TableOf::new(SCHEMA, "Conditions", &document.fail_if)
        .cell("condition", "fail_if[].condition", |of| Cell::Code(of.condition.clone()))
        .cell("of", "fail_if[].of", |of| Cell::words(of.of.as_deref().unwrap_or_default()))
        .cell("holds", "fail_if[].holds", |of| Cell::words(if of.holds { "holds" } else { "does not hold" }))
        .cell("decided by", "fail_if[].decided_by", |of| Cell::words(of.decided_by.word()))
        .done();
    page.table(table);
}

fn put_sides(page: &mut HtmlPage, sides: &[SidePart]) {
    let words = |text: &Option<String>| Cell::words(text.as_deref().unwrap_or_default());
    let table = TableOf::new(SCHEMA, "The results", sides)
        .cell("name", "sides[].name", |side| Cell::words(&side.name))
        .cell("from", "sides[].from", |side| Cell::words(&side.from))
        .cell("kept as", "sides[].id", |side| words(&side.id))
        .cell("began", "sides[].at", |side| Cell::words(&moment(side.at.as_deref().unwrap_or_default())))
        .cell("target", "sides[].target", |side| words(&side.target))
        .cell("workload", "sides[].workload", |side| words(&side.workload))
        .cell("counted", "sides[].counted_s", |side| {
            side.counted_s.map_or(Cell::Unknown, |seconds| Cell::figure(&seconds.into(), Unit::Seconds))
        })
        .cell("I/Os", "sides[].ios", |side| Cell::count(side.ios, Unit::Count))
        .done();
    page.table(table);
}

/// Each side has a stroke, each of its operations a colour of its own: a curve is known without its colour by its side.
fn tails(sides: &[SidePart]) -> Chart {
    let mut known = Vec::new();
    let mut looks = Vec::new();
    for (n, side) in sides.iter().enumerate() {
        for tail in tail::of_run(drawn(side)) {
            looks.push((looks.len() as u8 % 6 + 1, [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][n % 3]));
            let label = format!("{}, {}", side.name, tail.label());
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

/// The part of a result that charts are drawn from.
fn drawn(side: &SidePart) -> &Value {
    side.result.as_ref().unwrap_or(&Value::Null)
}

/// Parts of the latency distribution that moved.
fn moved(page: &mut HtmlPage, with: &ComparisonPart) {
    let Some(ShiftPart { slices, gap }) = &with.shift else {
        page.absent(&format!(
            "{}: without every latency of both it is not known where they moved.",
            pair(with)
        ));
        return;
    };
    let table = TableOf::new(SCHEMA, "The I/Os by latency, the fastest first", slices)
        .cell("from", "comparisons[].shift.slices[].from_percent", |of| {
            Cell::figure(&of.from_percent.into(), Unit::Ratio)
        })
        .cell("to", "comparisons[].shift.slices[].to_percent", |of| {
            Cell::figure(&of.to_percent.into(), Unit::Ratio)
        })
        .cell("mean in a", "comparisons[].shift.slices[].a_us", |of| Cell::quantity(Some(of.a_us), Unit::Us))
        .cell("mean in b", "comparisons[].shift.slices[].b_us", |of| Cell::quantity(Some(of.b_us), Unit::Us))
        .cell("adds", "comparisons[].shift.slices[].adds_us", |of| Cell::quantity(Some(of.adds_us), Unit::Us))
        .done();
    let rows = slices.iter().map(|of| {
        let (from, to, adds) = (of.from_percent, of.to_percent, of.adds_us.value());
        let mean = |mean: Microseconds| Unit::Us.shown(mean.value());
        Row {
            name: format!("{} to {} %", Unit::Ratio.shown(from), Unit::Ratio.shown(to)),
            figures: format!("mean {} to {}, adds {}", mean(of.a_us), mean(of.b_us), Unit::Us.shown(adds)),
            bars: vec![
                Bar { from: 0.0, to: adds, class: if adds < 0.0 { "fill3" } else { "fill2" } },
                Bar { from: 0.0, to: 0.0, class: "zero" },
            ],
            ..Row::default()
        }
    });
    let rows: Vec<Row> = rows.collect();
    let about = format!(
        "What each part of the I/Os, the fastest first, adds to the difference of the means; together they are all of it. At {} the shares that took no longer differ most: {} and {}.",
        Unit::Us.shown(gap.at_us.value()),
        Unit::Share.shown(gap.a.value()),
        Unit::Share.shown(gap.b.value()),
    );
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Us, false, &mut picture);
    page.figure(&format!("Where the latencies moved: {}", pair(with)), &about, &picture, Some(table));
}

/// Both series, each from its own beginning.
fn over_time(page: &mut HtmlPage, sides: &[SidePart]) {
    let series: Vec<(&str, Vec<Interval<'_>>)> =
        sides.iter().map(|side| (side.name.as_str(), intervals(drawn(side)).0)).collect();
    let without = "Too little is kept by interval for a picture over time.";
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
        let mut table = HtmlTable::new(OF_RESULT, title)
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
            let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][n % 3];
            for (k, key) in keys.iter().enumerate() {
                let points = of.iter().filter_map(|interval| {
                    let value = value(interval, key).filter(|value| unit != Unit::Us || *value > 0.0)?;
                    Some((f64::midpoint(interval.from, interval.to), value))
                });
                let label = direction(key).map_or_else(|| (*name).to_string(), |of| format!("{name}, {of}"));
                let color = (n * keys.len() + k) as u8 % 6 + 1;
                chart.line(&label, color, stroke, points.collect());
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

fn changed(page: &mut HtmlPage, with: &ComparisonPart) {
    let words = |text: &Option<String>| Cell::words(text.as_deref().unwrap_or_default());
    let table = TableOf::new(SCHEMA, &format!("{}: what is otherwise", pair(with)), &with.changed)
        .cell("of", "comparisons[].changed[].part", |of| Cell::words(&of.part))
        .cell("what", "comparisons[].changed[].what", |of| Cell::words(&of.what))
        .cell("a", "comparisons[].changed[].a", |of| words(&of.a))
        .cell("b", "comparisons[].changed[].b", |of| words(&of.b))
        .done();
    if table.is_empty() {
        page.absent(&format!("{}: no other differences are known.", pair(with)));
        return;
    }
    page.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_documents::{Amount, Share};

    /// A figure of 100 in a; in b it is larger by a share, within an interval.
    fn figure(figure: Figure, relative: f64, within: f64) -> ComparedFigure {
        ComparedFigure {
            operation: Direction::All,
            figure,
            a: Amount::of(100.0),
            b: Amount::of(100.0 * (1.0 + relative)),
            difference: Amount::of(100.0 * relative),
            low: None,
            high: None,
            relative: Some(Share::of(relative)),
            relative_low: Some(Share::of(relative - within)),
            relative_high: Some(Share::of(relative + within)),
            differs: Some(true),
            seen_from: None,
            independent: None,
        }
    }

    #[test]
    fn a_tail_that_is_far_longer_does_not_press_the_others_down() {
        let figures = [
            figure(Figure::Iops, 0.01, 0.01),
            figure(Figure::Mean, 0.02, 0.02),
            figure(Figure::P99, 10.0, 5.0),
        ];
        // Farthest are 0.02, 0.04 and 15: three times the middle one.
        let sight = in_sight(&figures);
        assert!((sight - 0.12).abs() < 1e-12, "{sight}");
        let tail = row(&figures[2], sight).unwrap();
        assert_eq!((tail.name.as_str(), tail.says.as_str()), ("p99", "differs"));
        assert_eq!((tail.bars[0].to, tail.markers.len()), (sight, 0));
        assert!(tail.figures.ends_with("+1000 % (+500 to +1500 %), outside the chart"), "{}", tail.figures);
        let iops = row(&figures[0], sight).unwrap();
        assert_eq!((iops.markers[0].at, iops.bars[0].to), (0.01, 0.02));
    }

    #[test]
    fn what_is_no_share_of_anything_is_in_the_table_alone() {
        let of = ComparedFigure { relative: None, ..figure(Figure::Errors, 0.0, 0.0) };
        assert!(row(&of, 1.0).is_none());
    }
}
