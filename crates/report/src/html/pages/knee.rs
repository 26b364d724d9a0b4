//! The page of a search for the knee, and the charts of depth that other pages have too.

use serde_json::Value;

use super::super::chart::{Axis, Chart, Limit, Mark, Stroke};
use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text};

const SCHEMA: &str = "iobound.knee/1";

/// Parts of a chart of depth: outstanding I/Os with the IOPS and the latency there.
pub(super) struct Depths {
    pub(super) iops: Vec<(f64, f64)>,
    pub(super) mean_us: Vec<(f64, f64)>,
    pub(super) p99_us: Vec<(f64, f64)>,
    /// The knee: outstanding and IOPS.
    pub(super) knee: Option<(f64, f64)>,
    /// A level that the picture has, with its name: the most that limits allow, or the asked rate.
    pub(super) level: Option<(&'static str, f64)>,
}

/// IOPS against queue depth, and latency against it.
pub(super) fn put_depths(page: &mut HtmlPage, depths: &Depths, table: HtmlTable, without: &str) {
    let x = || Axis::log("I/Os outstanding", Unit::Count);
    let mut rate =
        Chart::new("IOPS against queue depth", x(), Axis::linear("IOPS", Unit::Count), table.clone());
    rate.line("IOPS", 1, Stroke::Solid, depths.iops.clone());
    if let Some((label, value)) = depths.level {
        rate.limits.push(Limit { label: label.into(), value });
    }
    if let Some((x, y)) = depths.knee {
        rate.marks.push(Mark { x, y, label: format!("knee: {}", Unit::Count.shown(x)) });
        let measured = depths.iops.iter().any(|point| point.0 == x);
        rate.about = format!(
            "{} knee is at {} outstanding: more I/Os only wait longer.",
            if measured { "The" } else { "By arithmetic the" },
            Unit::Count.shown(x)
        );
    }
    page.chart(rate, without);
    let y = Axis::log("latency", Unit::Us);
    let mut latency = Chart::new("Latency against queue depth", x(), y, table);
    latency.line("mean", 1, Stroke::Solid, depths.mean_us.clone());
    latency.line("p99", 2, Stroke::Dashed, depths.p99_us.clone());
    let mean_at = |x: f64| depths.mean_us.iter().find(|point| point.0 == x).map(|point| point.1);
    if let Some((x, _)) = depths.knee
        && let Some(y) = mean_at(x)
    {
        latency.marks.push(Mark { x, y, label: format!("knee: {}", Unit::Us.shown(y)) });
    }
    latency.about =
        "Below the knee, latency is that of the disks; above it, latency grows with the number of outstanding I/Os.".into();
    page.chart(latency, without);
}

pub(in super::super) fn knee(document: &Value) -> HtmlPage {
    let mut page = HtmlPage::new(SCHEMA, &format!("The knee: {}", text(document, "title")), "");
    let points = list(document, "curve");
    page.conclude(&conclusion(document), &reached(document));
    let figure = |of: &Value, path: &str, unit: Unit| Cell::figure(at(of, path), unit);
    page.section("figures", "Figures", |page| {
        page.paragraph(&sentence(text(document, "because")));
        let knee = at(document, "knee");
        page.tiles(&[
            ("outstanding", "knee.outstanding", figure(knee, "outstanding", Unit::Count), threads(knee)),
            ("IOPS there", "knee.iops", figure(knee, "iops", Unit::Count), String::new()),
            (
                "throughput",
                "knee.throughput_bytes_per_s",
                figure(knee, "throughput_bytes_per_s", Unit::Throughput),
                String::new(),
            ),
            ("mean latency", "knee.mean_us", figure(knee, "mean_us", Unit::Us), String::new()),
            ("p99", "knee.p99_us", figure(knee, "p99_us", Unit::Us), String::new()),
        ]);
    });
    let table = TableOf::new(SCHEMA, "Every measurement", points)
        .figure("outstanding", "curve[].outstanding", Unit::Count)
        .figure("depth", "curve[].depth", Unit::Count)
        .figure("threads", "curve[].threads", Unit::Count)
        .figure("IOPS", "curve[].iops", Unit::Count)
        .figure("throughput", "curve[].throughput_bytes_per_s", Unit::Throughput)
        .figure("mean", "curve[].mean_us", Unit::Us)
        .figure("p99", "curve[].p99_us", Unit::Us)
        .figure("gain", "curve[].gain", Unit::Share)
        .done();
    let line = |key: &str| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((number(point, "outstanding")?, number(point, key)?))).collect()
    };
    let knee = number(document, "knee.outstanding").zip(number(document, "knee.iops"));
    let depths =
        Depths { iops: line("iops"), mean_us: line("mean_us"), p99_us: line("p99_us"), knee, level: None };
    page.section("depth", "Queue depth", |page| {
        put_depths(page, &depths, table, "A curve needs more than one measurement.");
    });
    page
}

/// The answer in a sentence.
fn conclusion(document: &Value) -> String {
    let shown = |path: &str, unit: Unit| number(document, path).map(|value| unit.shown(value));
    let (outstanding, iops) = (shown("knee.outstanding", Unit::Count), shown("knee.iops", Unit::Count));
    let Some((outstanding, iops)) = outstanding.zip(iops) else {
        return "No knee was found: IOPS still grew with more outstanding I/Os.".into();
    };
    let mean = shown("knee.mean_us", Unit::Us).map_or(String::new(), |mean| format!(" at a mean of {mean}"));
    format!("The knee is at {outstanding} outstanding I/Os: {iops} IOPS{mean}. More I/Os only wait longer.")
}

/// IOPS at each depth as bars, the knee in another colour.
fn reached(document: &Value) -> Markup {
    let knee = number(document, "knee.outstanding");
    let mut rows = Vec::new();
    for point in list(document, "curve") {
        let Some((outstanding, iops)) = number(point, "outstanding").zip(number(point, "iops")) else {
            continue;
        };
        let is_knee = knee == Some(outstanding);
        rows.push(Row {
            name: format!("{} outstanding", Unit::Count.shown(outstanding)),
            says: if is_knee { "the knee".into() } else { String::new() },
            figures: format!("{} IOPS", Unit::Count.shown(iops)),
            bars: vec![Bar { from: 0.0, to: iops, class: if is_knee { "fill2" } else { "fill1" } }],
            ..Row::default()
        });
    }
    let mut picture = Markup::new();
    if !rows.is_empty() {
        put_rows(&rows, Unit::Count, false, &mut picture);
    }
    picture
}

/// `4 threads of 27`.
fn threads(knee: &Value) -> String {
    match (number(knee, "threads"), number(knee, "depth")) {
        (Some(threads), Some(depth)) => {
            format!("{} x {}", Unit::Count.shown(threads), Unit::Count.shown(depth))
        }
        _ => String::new(),
    }
}

/// Words as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => {
            let end = if words.ends_with(['.', '!', '?']) { "" } else { "." };
            format!("{}{}{end}", first.to_uppercase(), letters.as_str())
        }
        None => String::new(),
    }
}
