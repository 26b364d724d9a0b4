//! The page of an experiment: its rows beside what was published, each one change from another.

use serde_json::Value;

use super::super::chart::{Axis, Chart, Stroke};
use super::super::limiters::{OF_LAB, binding_words, bindings_words, stack_of, table_of};
use super::super::markup::Markup;
use super::super::page::{HtmlPage, put_key, put_swatch};
use super::super::picture::{Bar, Marker, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text, words};
use super::families::{by_depth, families, is_of_throughput, title};
use super::knee::{Depths, put_depths, sentence};
use super::predict::{coverage_words, described};

const SCHEMA: &str = "iobound.lab/2";

/// Above this many times the smallest figure, an axis is logarithmic.
const WIDE: f64 = 25.0;

pub(in super::super) fn lab(document: &Value) -> HtmlPage {
    let runs = list(document, "runs");
    let rows = match runs.len() {
        1 => "1 row".to_string(),
        count => format!("{count} rows, each one change from another"),
    };
    let mut page = HtmlPage::new(SCHEMA, &heading(document), &rows);
    let explained = explained(runs);
    page.conclude(&conclusion(runs, explained), &counts(explained));
    page.section("overview", "All rows", |page| {
        if document.get("complete").and_then(Value::as_bool) == Some(false) {
            let why = text(document, "error");
            let why = if why.is_empty() { "it was interrupted" } else { why };
            page.put(|out| out.line("p", &[("class", "warning")], &format!("Not complete: {why}.")));
        }
        page.put(|out| key(runs, out));
        for family in families(runs) {
            put_family(page, &family);
        }
        page.put(|out| {
            out.element("details", &[("class", "behind")], |out| {
                out.line("summary", &[], "All rows as a table, with definitions");
                overview(runs).without_empty_columns().put(out);
            });
        });
    });
    page.section("depth", "Queue depth", |page| {
        for curve in by_depth(runs) {
            put_curve(page, &curve);
        }
    });
    page.section("price", "Price against IOPS", |page| {
        page.chart(prices(runs), "Prices of the differing rows are unknown: there is nothing to compare.");
    });
    let common = common(runs);
    page.section("rows", "Row by row", |page| {
        for (n, run) in runs.iter().enumerate() {
            put_row(page, n, run, &common);
        }
    });
    page.section("assumed", "Assumptions for most rows", |page| page.list(&common));
    page
}

fn heading(document: &Value) -> String {
    match text(document, "experiment.about") {
        "" => text(document, "experiment.name").to_string(),
        about => about.to_string(),
    }
}

/// Independent published measurements inside the model's band, in some of their rows, and outside: rows with the same
/// published figures of one source are one.
fn explained(runs: &[Value]) -> [usize; 3] {
    let mut seen: Vec<(&Value, bool, bool)> = Vec::new();
    for run in runs.iter().filter(|run| matches!(text(run, "verdict"), "explained" | "unexplained")) {
        let (published, yes) = (at(run, "published"), text(run, "verdict") == "explained");
        match seen.iter_mut().find(|(other, ..)| *other == published) {
            Some((_, all, any)) => (*all, *any) = (*all && yes, *any || yes),
            None => seen.push((published, yes, yes)),
        }
    }
    let count = |of: (bool, bool)| seen.iter().filter(|(_, all, any)| (*all, *any) == of).count();
    [count((true, true)), count((false, true)), count((false, false))]
}

/// The answer in a sentence: published measurements beside the bands, else the range of the rows.
fn conclusion(runs: &[Value], explained: [usize; 3]) -> String {
    let [inside, partly, outside] = explained;
    match inside + partly + outside {
        0 => {
            let expected =
                runs.iter().filter_map(|run| Some((number(run, "expected.iops")?, text(run, "name"))));
            let most = expected.max_by(|one, other| one.0.total_cmp(&other.0));
            most.map_or("No row has a figure yet.".into(), |(iops, name)| {
                format!("{name} is expected to deliver most: {} IOPS.", Unit::Count.shown(iops))
            })
        }
        all => format!(
            "Of {all} independent published measurements, {inside} lie inside the band of the prediction, {partly} inside it in some rows, and {outside} outside."
        ),
    }
}

/// The same as bars; nothing without published measurements.
fn counts(explained: [usize; 3]) -> Markup {
    let mut picture = Markup::new();
    if explained == [0; 3] {
        return picture;
    }
    let names = ["inside the band", "inside in some rows", "unexplained"];
    let rows: Vec<Row> = names
        .into_iter()
        .zip(explained)
        .zip(["fill1", "fill3", "fill2"])
        .map(|((name, count), class)| Row {
            name: name.into(),
            figures: Unit::Count.shown(count as f64),
            bars: vec![Bar { from: 0.0, to: count as f64, class }],
            ..Row::default()
        })
        .collect();
    put_rows(&rows, Unit::Count, false, &mut picture);
    picture
}

/// The kinds of figures, their keys in a row, and what they are called.
const KINDS: [(&str, &str); 5] = [
    ("published", "published"),
    ("predicted", "expected"),
    ("simulated", "simulated"),
    ("rehearsed", "rehearsed"),
    ("measured", "measured"),
];

fn key(runs: &[Value], out: &mut Markup) {
    out.element("ul", &[("class", "legend key")], |out| {
        out.element("li", &[], |out| put_swatch("band", "band of the prediction", out));
        for (kind, path) in KINDS {
            if runs.iter().any(|run| !at(run, path).is_null()) {
                out.element("li", &[], |out| put_key(kind, kind, out));
            }
        }
    });
}

/// The figure of a row, of IOPS or of throughput.
fn figure_of(run: &Value, path: &str, of_bytes: bool) -> Option<f64> {
    number(run, &format!("{path}.{}", if of_bytes { "throughput_bytes_per_s" } else { "iops" }))
}

fn put_family(page: &mut HtmlPage, family: &[&Value]) {
    let of_bytes = is_of_throughput(family);
    let unit = if of_bytes { Unit::Throughput } else { Unit::Count };
    let mut rows: Vec<Row> = Vec::new();
    for run in family {
        let mut row = Row {
            name: text(run, "name").to_string(),
            says: says(run),
            link: Some(format!("row-{}", slug(text(run, "name")))),
            ..Row::default()
        };
        let (low, high) = match of_bytes {
            true => ("band.low_throughput_bytes_per_s", "band.high_throughput_bytes_per_s"),
            false => ("band.low_iops", "band.high_iops"),
        };
        if let (Some(low), Some(high)) = (number(run, low), number(run, high)) {
            row.bars.push(Bar { from: low, to: high, class: "band" });
        }
        // The publication has a range of several runs, and no single figure.
        let is_range = at(run, "published.is_range").as_bool() == Some(true);
        if let (true, Some(low), Some(high)) =
            (is_range, number(run, "published.low"), number(run, "published.high"))
        {
            row.bars.push(Bar { from: low, to: high, class: "range" });
        }
        let mut told = Vec::new();
        for (kind, path) in KINDS {
            let Some(value) = figure_of(run, path, of_bytes) else { continue };
            row.markers.push(Marker { at: value, kind });
            if kind != "simulated" {
                told.push(format!("{kind} {}", unit.shown(value)));
            }
        }
        let verdict = match text(run, "verdict") {
            "unexplained" => "; not explained",
            _ => "",
        };
        row.figures = format!("{}{verdict}", told.join(", "));
        rows.push(row);
    }
    let figures = || rows.iter().flat_map(|row| &row.markers).map(|marker| marker.at).filter(|at| *at > 0.0);
    let (low, high) =
        figures().fold((f64::MAX, 0.0), |(low, high): (f64, f64), at| (low.min(at), high.max(at)));
    if high <= 0.0 {
        page.absent(&format!("{}: no figure is known of these rows.", title(family)));
        return;
    }
    let log = high / low > WIDE;
    let mut picture = Markup::new();
    if !log {
        // From zero, lengths can be compared.
        for (row, run) in rows.iter_mut().zip(family) {
            if let Some(expected) = figure_of(run, "expected", of_bytes) {
                row.bars.push(Bar { from: 0.0, to: expected, class: "thin" });
            }
        }
    }
    put_rows(&rows, unit, log, &mut picture);
    let axis = if of_bytes { "MB/s" } else { "IOPS" };
    let about = if log { format!("{axis}, on a logarithmic axis.") } else { format!("{axis}, from zero.") };
    page.figure(&title(family), &about, &picture, None);
}

/// Name of a row: its change, or all of it.
fn says(run: &Value) -> String {
    match text(run, "changed") {
        "" => format!("{}; {}", configuration(run), described(run)),
        changed => match text(run, "from") {
            "" => changed.to_string(),
            from => format!("{changed}, from {from}"),
        },
    }
}

fn configuration(run: &Value) -> String {
    let vm = text(run, "configuration.vm");
    // The resolved disks, not the words of the file: a sweep over disks leaves the words unchanged.
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for disk in list(run, "disks") {
        let cache = match text(disk, "cache") {
            "" | "none" => String::new(),
            cache => format!(" ({cache})"),
        };
        let kind = format!("{}{cache}", text(disk, "disk"));
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} x {kind}")).collect();
    let disks = kinds.join(" + ");
    let targets = words(run, "targets");
    let vm = vm.strip_prefix("Standard_").unwrap_or(vm);
    [vm, &disks, &targets].iter().filter(|word| !word.is_empty()).copied().collect::<Vec<&str>>().join(" ")
}

/// A name as a part of an address within the page.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        // Characters other than letters stay, so that rows whose names differ in them only stay apart.
        if c.is_ascii_alphanumeric() || c == '-' {
            slug.push(c)
        } else {
            slug.push_str(&format!("_{:x}", u32::from(c)))
        }
    }
    slug
}

fn overview(runs: &[Value]) -> HtmlTable {
    TableOf::new(SCHEMA, "All rows", runs)
        .words("row", "runs[].name")
        .cell("configuration", "runs[].configuration", |run| Cell::words(&configuration(run)))
        .cell("workload", "runs[].workload.jobs[].description", |run| Cell::words(&described(run)))
        .figure("published", "runs[].published.iops", Unit::Count)
        .figure("published, throughput", "runs[].published.throughput_bytes_per_s", Unit::Throughput)
        .figure("predicted", "runs[].expected.iops", Unit::Count)
        .figure("predicted, throughput", "runs[].expected.throughput_bytes_per_s", Unit::Throughput)
        .figure("band from", "runs[].band.low_iops", Unit::Count)
        .figure("band to", "runs[].band.high_iops", Unit::Count)
        .figure("simulated", "runs[].simulated.iops", Unit::Count)
        .figure("rehearsed", "runs[].rehearsed.iops", Unit::Count)
        .figure("measured", "runs[].measured.iops", Unit::Count)
        .figure("mean latency", "runs[].latency_us.mean", Unit::Us)
        .words("bound by", "runs[].binding")
        .cell("verdict", "runs[].verdict", |run| Cell::words(&text(run, "verdict").replace('_', " ")))
        .figure("USD a month", "runs[].price.month", Unit::Usd)
        .words("changed", "runs[].changed")
        .done()
}

fn put_curve(page: &mut HtmlPage, curve: &[&Value]) {
    let names: Vec<&str> = curve.iter().map(|run| text(run, "name")).collect();
    page.put(|out| {
        out.line("p", &[("class", "lead")], &format!("{}: {}", names.join(", "), configuration(curve[0])))
    });
    let table = TableOf::new(SCHEMA, "By outstanding I/Os", curve.iter().copied())
        .words("row", "runs[].name")
        .figure("outstanding", "runs[].outstanding", Unit::Count)
        .figure("IOPS", "runs[].expected.iops", Unit::Count)
        .figure("mean", "runs[].latency_us.mean", Unit::Us)
        .figure("p99", "runs[].latency_us.p99", Unit::Us)
        .figure("measured", "runs[].measured.iops", Unit::Count)
        .done();
    let line = |key: &str| -> Vec<(f64, f64)> {
        curve.iter().filter_map(|run| Some((number(run, "outstanding")?, number(run, key)?))).collect()
    };
    let ceiling = curve.last().and_then(|run| number(run, "ceiling.iops"));
    // By arithmetic, of the deepest: the least that reaches its ceiling.
    let knee = curve.last().and_then(|run| number(run, "knee.outstanding").zip(number(run, "knee.iops")));
    let depths = Depths {
        iops: line("expected.iops"),
        mean_us: line("latency_us.mean"),
        p99_us: line("latency_us.p99"),
        knee,
        level: ceiling.map(|ceiling| ("ceiling", ceiling)),
    };
    put_depths(page, &depths, table, "The rows have too few figures for a curve.");
}

fn prices(runs: &[Value]) -> Chart {
    let point = |run: &Value| Some((number(run, "expected.iops")?, number(run, "price.month")?));
    let priced = || runs.iter().filter(|run| point(run).is_some());
    let table = TableOf::new(SCHEMA, "Price and IOPS", priced())
        .words("row", "runs[].name")
        .figure("USD a month", "runs[].price.month", Unit::Usd)
        .figure("IOPS", "runs[].expected.iops", Unit::Count)
        .done();
    let mut points: Vec<(f64, f64)> = priced().filter_map(point).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut frontier: Vec<(f64, f64)> = Vec::new();
    // From the right: what no row with as many IOPS undercuts.
    for point in points.iter().rev() {
        if frontier.last().is_none_or(|last| point.1 < last.1) {
            frontier.pop_if(|last| last.0 == point.0);
            frontier.push(*point);
        }
    }
    frontier.reverse();
    let (x, y) = (Axis::linear("IOPS, as predicted", Unit::Count), Axis::linear("USD a month", Unit::Usd));
    let mut chart = Chart::new("Price against IOPS", x, y, table);
    if points.iter().any(|point| Some(point.1) != points.first().map(|first| first.1)) {
        chart.line("rows", 2, Stroke::Points, points);
        chart.line("the lowest price", 1, Stroke::Stepped, frontier);
    }
    chart.about =
        "List prices of VM and disks. A row to the right of and below another one is better and cheaper."
            .into();
    chart
}

/// The assumptions of at least half of the rows: said once.
fn common(runs: &[Value]) -> Vec<&str> {
    let assumed =
        |run: &&'_ Value, what: &str| list(run, "assumed").iter().any(|one| one.as_str() == Some(what));
    let mut common: Vec<&str> = Vec::new();
    for what in runs.iter().flat_map(|run| list(run, "assumed")).filter_map(Value::as_str) {
        let of = runs.iter().filter(|run| assumed(run, what)).count();
        if runs.len() > 1 && of * 2 >= runs.len() && !common.contains(&what) {
            common.push(what);
        }
    }
    common
}

fn put_row(page: &mut HtmlPage, n: usize, run: &Value, common: &[&str]) {
    let name = text(run, "name").to_string();
    let id = format!("row-{}", slug(&name));
    let schema = page.schema;
    page.put(|out| {
        let open = [("class", "row-details"), ("id", id.as_str())];
        out.element("details", &open, |out| {
            out.element("summary", &[], |out| {
                out.line("strong", &[], &name);
                out.text(&format!(" {} ", configuration(run)));
                let verdict = text(run, "verdict").replace('_', " ");
                out.line("span", &[("class", "badge")], &verdict);
            });
            row_words(run, common, out);
            row_figures(run, schema, out);
            let top = format!(
                "{} outstanding",
                number(run, "outstanding").map_or("I/Os".into(), |of| Unit::Count.shown(of))
            );
            if let Some(stack) = stack_of(run, &top, "the disks' media") {
                out.line("p", &[], &format!("Bound by {}.", bindings_words(run, "bindings")));
                out.add(&stack);
                // The columns are explained once, at the first row.
                let table = table_of(run, SCHEMA, &OF_LAB);
                if n == 0 { table.put(out) } else { table.put_bare(out) }
            } else {
                out.line("p", &[("class", "absent")], "This row has no known limit, so no stack is drawn.");
            }
        });
    });
}

fn row_words(run: &Value, common: &[&str], out: &mut Markup) {
    let band = match (number(run, "band.low_iops"), number(run, "band.high_iops")) {
        (Some(low), Some(high)) => {
            let (low, high) = (Unit::Count.shown(low), Unit::Count.shown(high));
            let end = |name: &str| {
                number(run, &format!("expected.{name}_iops"))
                    .map_or(String::new(), |end| Unit::Count.shown(end))
            };
            let (least, most) = (end("low"), end("high"));
            format!(
                "{low} to {high} IOPS, the model's own; calibrated {least} to {most}. {}",
                coverage_words(run)
            )
        }
        _ => String::new(),
    };
    let changed = match (text(run, "changed"), text(run, "from")) {
        ("", _) | (_, "") => text(run, "changed").to_string(),
        (changed, from) => format!("{changed} (from {from})"),
    };
    let all = list(run, "assumed").iter().filter_map(Value::as_str);
    let assumed: Vec<&str> = all.filter(|one| !common.contains(one)).collect();
    let lines = [
        ("workload", described(run)),
        ("changed", changed),
        ("published", text(run, "published.text").to_string()),
        ("source", text(run, "published.source").to_string()),
        ("no figure", text(run, "no_figure").to_string()),
        ("band", band),
        ("bound by", binding_words(text(run, "binding"))),
        ("would need", sentence(text(run, "would_need"))),
        ("the rest of the range", sentence(text(run, "beyond"))),
        ("note", sentence(text(run, "note"))),
    ];
    out.element("dl", &[("class", "facts")], |out| {
        for (label, says) in lines.iter().filter(|line| !line.1.is_empty()) {
            out.element("div", &[], |out| {
                out.line("dt", &[], label);
                out.line("dd", &[], says);
            });
        }
        if assumed.is_empty() {
            return;
        }
        out.element("div", &[], |out| {
            out.line("dt", &[], if common.is_empty() { "assumed" } else { "assumed besides" });
            out.element("dd", &[], |out| {
                out.element("ul", &[], |out| assumed.iter().for_each(|one| out.line("li", &[], one)));
            });
        });
    });
}

/// The row's figures of every kind, beside one another.
fn row_figures(run: &Value, schema: &'static str, out: &mut Markup) {
    let mut table = HtmlTable::new(schema, "Figures of the row")
        .column("of", "runs[].name")
        .column("IOPS", "runs[].simulated.iops")
        .column("throughput", "runs[].simulated.throughput_bytes_per_s")
        .column("mean", "runs[].simulated.latency_us.mean")
        .column("p50", "runs[].simulated.latency_us.p50")
        .column("p99", "runs[].simulated.latency_us.p99")
        .column("max", "runs[].simulated.latency_us.max")
        .column("slowest second", "runs[].simulated.per_second.min")
        .column("fastest second", "runs[].simulated.per_second.max");
    let published = at(run, "published");
    if !published.is_null() {
        let figure = |path: &str, unit: Unit| Cell::figure(at(published, path), unit);
        let mut cells = vec![
            Cell::words("published"),
            figure("iops", Unit::Count),
            figure("throughput_bytes_per_s", Unit::Throughput),
            figure("latency_us", Unit::Us),
        ];
        cells.resize(9, Cell::Unknown);
        table.row(cells);
    }
    let expected = at(run, "expected");
    for (name, of) in [
        ("predicted", expected),
        ("simulated", at(run, "simulated")),
        ("in real time", at(run, "real_time")),
        ("rehearsed", at(run, "rehearsed")),
        ("measured", at(run, "measured")),
    ] {
        if of.is_null() {
            continue;
        }
        let latency = at(if name == "predicted" { run } else { of }, "latency_us");
        let figure = |path: &str, unit: Unit| Cell::figure(at(of, path), unit);
        let latency = |path: &str| Cell::figure(at(latency, path), Unit::Us);
        table.row(vec![
            Cell::words(name),
            figure("iops", Unit::Count),
            figure("throughput_bytes_per_s", Unit::Throughput),
            latency("mean"),
            latency("p50"),
            latency("p99"),
            latency("max"),
            figure("per_second.min", Unit::Count),
            figure("per_second.max", Unit::Count),
        ]);
    }
    if !table.is_empty() {
        table.without_empty_columns().put_bare(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_an_address_of_its_own() {
        assert_eq!(slug("E15-6-rand"), "E15-6-rand");
        assert_ne!(slug("a b"), slug("a_b"));
        assert!(!slug("\"><img>").contains(['"', '<', '>', ' ']));
    }
}
