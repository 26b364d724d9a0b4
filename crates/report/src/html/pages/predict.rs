//! The page of a prediction.

use serde_json::Value;

use super::super::limiters::{OF_PREDICT, binding_words, bindings_words, stack_of, table_of};
use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Marker, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text, words};
use super::knee::{Depths, put_depths, sentence};
use super::run::put_even;
use super::{cluster, run_charts};

const SCHEMA: &str = "iobound.predict/2";

pub(in super::super) fn predict(document: &Value) -> HtmlPage {
    let configuration = at(document, "configuration");
    let title = format!("{} with {}", text(configuration, "vm"), words(configuration, "disks"));
    let stages = list(document, "stages");
    let subtitle = match stages {
        [] => described(document),
        several => format!("{} stages", several.len()),
    };
    let mut page = HtmlPage::new(SCHEMA, &title, &subtitle);
    if stages.is_empty() {
        stage(&mut page, document, "", document);
    }
    for (n, of) in stages.iter().enumerate() {
        let heading = format!("Stage {}: {}", n + 1, described(of));
        page.put(|out| out.line("p", &[("class", "stage")], &heading));
        stage(&mut page, of, &format!("stage-{}-", n + 1), document);
    }
    page.section("assumed", "Assumptions", |page| {
        let assumed: Vec<&str> = list(document, "assumed").iter().filter_map(Value::as_str).collect();
        page.list(&assumed);
        let notes: Vec<&str> = list(document, "notes").iter().filter_map(Value::as_str).collect();
        page.list(&notes);
    });
    page
}

/// The jobs of a workload, in words.
pub(super) fn described(of: &Value) -> String {
    let jobs = list(of, "workload.jobs").iter().map(|job| text(job, "description"));
    jobs.collect::<Vec<&str>>().join("; ")
}

fn stage(page: &mut HtmlPage, of: &Value, prefix: &str, document: &Value) {
    let id = |name: &str| format!("{prefix}{name}");
    let mut picture = Markup::new();
    bands(of, at(document, "published"), &mut picture);
    let which = if prefix.is_empty() { String::new() } else { format!("{}: ", described(of)) };
    page.conclude(&format!("{which}{}", conclusion(of)), &picture);
    page.section(&id("figures"), "Expected figures", |page| {
        page.tiles(&tiles(of));
        page.paragraph(&coverage_words(of));
        verdict(page, at(document, "published"));
        let table = TableOf::new(SCHEMA, "Expected, its band, and the ceiling", [of])
            .figure("expected", "expected.iops", Unit::Count)
            .figure("low", "expected.low_iops", Unit::Count)
            .figure("high", "expected.high_iops", Unit::Count)
            .figure("throughput", "expected.throughput_bytes_per_s", Unit::Throughput)
            .figure("ceiling", "ceiling.iops", Unit::Count)
            .figure("ceiling, throughput", "ceiling.throughput_bytes_per_s", Unit::Throughput)
            .done();
        page.table(table);
    });
    page.section(&id("stack"), "Where the I/O waits", |page| {
        let disks = list(of, "disks").len();
        let bottom =
            if disks == 1 { "the disk's media".to_string() } else { format!("the media of {disks} disks") };
        let top = format!(
            "{} outstanding",
            number(of, "outstanding").map_or("I/Os".into(), |of| Unit::Count.shown(of))
        );
        match stack_of(of, &top, &bottom) {
            Some(stack) => {
                let about = format!("Bound by {}.", bindings_words(of, "bindings"));
                page.figure("The stack", &about, &stack, Some(table_of(of, SCHEMA, &OF_PREDICT)));
            }
            None => page.absent("This configuration has no known limit, so no stack is drawn."),
        }
    });
    page.section(&id("depth"), "Queue depth", |page| depth(page, of));
    page.section(&id("tail"), "Latency", |page| {
        let picture = percentiles(of);
        if picture.is_empty() {
            page.absent("Latency is not known here: no I/O completes.");
            return;
        }
        let about = format!(
            "Reads and writes together, {} loop; light bars are the bands of published runs. Real disks have longer tails than the model, so percentiles above 99 % are not predicted.",
            text(of, "latency_us.loop")
        );
        page.figure("Latency by percentile", &about, &picture, Some(latencies(of)));
    });
    page.section(&id("disks"), "Disks", |page| {
        let keys = ["disks[].name", "disks[].iops", "disks[].throughput_bytes_per_s"];
        match run_charts::evenness(list(of, "disks"), SCHEMA, keys) {
            Some((table, rows)) => put_even(page, "I/O of each disk", table, &rows),
            None if list(of, "disks").len() < 2 => {
                page.absent("There is one disk, so nothing to compare it with.")
            }
            None => page.absent("The cache answers all I/Os, and none reaches the disks."),
        }
        page.table(volumes(of));
    });
    if let Some(hosts) = number(of, "cluster.hosts") {
        let title = format!("{} hosts", Unit::Count.shown(hosts));
        page.section(&id("cluster"), &title, |page| cluster::predicted(page, of));
    }
}

/// Claim of the band, and the published runs behind it.
pub(super) fn coverage_words(of: &Value) -> String {
    let basis = at(of, "expected.band");
    let regime = text(basis, "regime");
    let (Some(claimed), Some(runs)) = (number(basis, "coverage.claimed"), number(basis, "coverage.runs"))
    else {
        return format!("The band is the model's own: no published {regime}-bound runs calibrate it.");
    };
    let slow = number(basis, "one_slow_vm_in").map_or(String::new(), |one_in| {
        format!(" 1 VM in {} is slower than this band.", Unit::Count.shown(one_in.round()))
    });
    format!(
        "{} of {} published {regime}-bound runs are inside the band.{slow}",
        Unit::Share.shown(claimed),
        Unit::Count.shown(runs)
    )
}

fn tiles(of: &Value) -> Vec<(&'static str, &'static str, Cell, String)> {
    let figure = |path: &str, unit: Unit| Cell::figure(at(of, path), unit);
    let shown = |path: &str, unit: Unit| number(of, path).map_or_else(String::new, |value| unit.shown(value));
    let band = format!(
        "{} to {}",
        shown("expected.low_iops", Unit::Count),
        shown("expected.high_iops", Unit::Count)
    );
    let ceiling = bindings_words(of, "ceiling.bindings");
    let burst = match number(of, "burst.seconds") {
        Some(seconds) => format!("for {} from full credits", Unit::Seconds.shown(seconds)),
        None => "with full credits".to_string(),
    };
    vec![
        ("expected IOPS", "expected.iops", figure("expected.iops", Unit::Count), format!("band {band}")),
        (
            "expected throughput",
            "expected.throughput_bytes_per_s",
            figure("expected.throughput_bytes_per_s", Unit::Throughput),
            String::new(),
        ),
        (
            "mean latency",
            "latency_us.mean",
            figure("latency_us.mean", Unit::Us),
            format!("p99 {}", shown("latency_us.p99", Unit::Us)),
        ),
        ("bound by", "binding", Cell::words(&binding_words(text(of, "binding"))), String::new()),
        ("ceiling", "ceiling.iops", figure("ceiling.iops", Unit::Count), ceiling),
        ("knee", "knee.outstanding", figure("knee.outstanding", Unit::Count), "outstanding".into()),
        (
            "USD a month",
            "price.month",
            figure("price.month", Unit::Usd),
            match text(of, "price.as_of") {
                "" => String::new(),
                as_of => format!("list prices of {as_of}"),
            },
        ),
        ("cache hits", "hit_rate", figure("hit_rate", Unit::Share), String::new()),
        ("burst", "burst.iops", figure("burst.iops", Unit::Count), burst),
    ]
}

/// Expected, band and ceiling on one axis, and what was published or observed.
fn bands(of: &Value, published: &Value, out: &mut Markup) {
    let Some(expected) = number(of, "expected.iops") else { return };
    let mut rows = Vec::new();
    let mut row = Row {
        name: "expected".into(),
        figures: format!("{} IOPS", Unit::Count.shown(expected)),
        bars: vec![Bar { from: 0.0, to: expected, class: "fill1" }],
        ..Row::default()
    };
    if let (Some(low), Some(high)) = (number(of, "expected.low_iops"), number(of, "expected.high_iops")) {
        row.bars.insert(0, Bar { from: low, to: high, class: "band" });
    }
    rows.push(row);
    if let Some(ceiling) = number(of, "ceiling.iops") {
        rows.push(Row {
            name: "ceiling".into(),
            figures: format!("{} IOPS", Unit::Count.shown(ceiling)),
            bars: vec![Bar { from: 0.0, to: ceiling, class: "fill3" }],
            ..Row::default()
        });
    }
    if let Some(observed) = number(published, "iops") {
        rows.push(Row {
            name: "observed".into(),
            figures: format!("{} IOPS", Unit::Count.shown(observed)),
            markers: vec![Marker { at: observed, kind: "published" }],
            ..Row::default()
        });
    }
    put_rows(&rows, Unit::Count, false, out);
}

/// The answer in a sentence or two, and what would give more.
fn conclusion(of: &Value) -> String {
    let shown = |path: &str, unit: Unit| number(of, path).map(|value| unit.shown(value));
    let Some(iops) = shown("expected.iops", Unit::Count) else { return "No I/O completes.".into() };
    let throughput = shown("expected.throughput_bytes_per_s", Unit::Throughput)
        .map_or(String::new(), |throughput| format!(" and {throughput}"));
    let band = shown("expected.low_iops", Unit::Count)
        .zip(shown("expected.high_iops", Unit::Count))
        .map_or(String::new(), |(low, high)| format!(", between {low} and {high} IOPS"));
    let expected =
        format!("Expect {iops} IOPS{throughput}{band}. It is bound by {}.", bindings_words(of, "bindings"));
    let knee = number(of, "knee.outstanding").zip(number(of, "knee.iops"));
    let more = match text(of, "binding") {
        "queue_depth" => knee
            .filter(|(outstanding, _)| number(of, "outstanding").is_some_and(|now| now < *outstanding))
            .map_or(String::new(), |(outstanding, iops)| {
                let (outstanding, iops) = (Unit::Count.shown(outstanding), Unit::Count.shown(iops));
                format!(" {iops} IOPS take {outstanding} outstanding I/Os or more.")
            }),
        "rate" => " Every requested I/O is done.".into(),
        limit if limit.starts_with("disk.") => " More disks, or disks with higher limits, give more.".into(),
        limit if limit.starts_with("vm.") => " A VM size with higher limits gives more.".into(),
        _ => String::new(),
    };
    format!("{expected}{more}")
}

/// Mean and percentiles as bars from zero, with the bands of published runs.
fn percentiles(of: &Value) -> Markup {
    let mut rows = Vec::new();
    for key in ["mean", "p50", "p90", "p95", "p99"] {
        let Some(us) = number(of, &format!("latency_us.{key}")) else { continue };
        let mut row = Row { name: key.into(), figures: Unit::Us.shown(us), ..Row::default() };
        let band = |end: &str| number(of, &format!("latency_bands_us.{key}.{end}"));
        if let (Some(low), Some(high)) = (band("low"), band("high")) {
            row.bars.push(Bar { from: low, to: high, class: "band" });
            row.figures.push_str(&format!(", band {} to {}", Unit::Us.shown(low), Unit::Us.shown(high)));
        }
        row.bars.push(Bar { from: 0.0, to: us, class: "fill1" });
        rows.push(row);
    }
    let mut picture = Markup::new();
    if !rows.is_empty() {
        put_rows(&rows, Unit::Us, false, &mut picture);
    }
    picture
}

fn verdict(page: &mut HtmlPage, published: &Value) {
    let says = match text(published, "verdict") {
        "inside" => "The observed figure is inside the band, as expected.",
        "above" => "The observed figure is above the band.",
        "below" => "The observed figure is below the band: a cause outside the model limits it.",
        _ => "",
    };
    page.paragraph(&sentence(says));
}

fn depth(page: &mut HtmlPage, of: &Value) {
    let curve = list(of, "knee.curve");
    if curve.is_empty() {
        let knee = number(of, "knee.outstanding").map_or(String::new(), |knee| {
            format!(" By arithmetic the knee is at {} outstanding.", Unit::Count.shown(knee))
        });
        page.absent(&format!(
            "--find-knee simulates IOPS and latency against queue depth, and adds the chart.{knee}"
        ));
        return;
    }
    let mut points: Vec<&Value> = curve.iter().collect();
    let outstanding = |point: &Value| number(point, "outstanding").unwrap_or(0.0);
    points.sort_by(|one, other| outstanding(one).total_cmp(&outstanding(other)));
    let table = TableOf::new(SCHEMA, "The knee's curve", points.iter().copied())
        .figure("outstanding", "knee.curve[].outstanding", Unit::Count)
        .figure("IOPS", "knee.curve[].iops", Unit::Count)
        .figure("mean", "knee.curve[].latency_us", Unit::Us)
        .done();
    let line = |key: &str| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((outstanding(point), number(point, key)?))).collect()
    };
    let depths = Depths {
        iops: line("iops"),
        mean_us: line("latency_us"),
        p99_us: Vec::new(),
        knee: number(of, "knee.outstanding").zip(number(of, "knee.iops")),
        level: number(of, "ceiling.iops").map(|ceiling| (ceiling_name(of), ceiling)),
    };
    put_depths(page, &depths, table, "A curve needs more than one depth.");
}

/// Name of the ceiling. The curve of depths is simulated without the asked rate, so it may pass that.
fn ceiling_name(of: &Value) -> &'static str {
    let by_rate = list(of, "ceiling.bindings").iter().any(|binding| binding.as_str() == Some("rate"));
    if by_rate { "asked rate" } else { "ceiling" }
}

fn latencies(of: &Value) -> HtmlTable {
    TableOf::new(SCHEMA, "Latency", [of])
        .figure("mean", "latency_us.mean", Unit::Us)
        .figure("min", "latency_us.min", Unit::Us)
        .figure("p50", "latency_us.p50", Unit::Us)
        .figure("p90", "latency_us.p90", Unit::Us)
        .figure("p95", "latency_us.p95", Unit::Us)
        .figure("p99", "latency_us.p99", Unit::Us)
        .figure("max", "latency_us.max", Unit::Us)
        .figure("one alone", "latency_alone_us", Unit::Us)
        .done()
}

fn volumes(of: &Value) -> HtmlTable {
    TableOf::new(SCHEMA, "Volumes", list(of, "volumes"))
        .words("volume", "volumes[].name")
        .figure("disks", "volumes[].disks", Unit::Count)
        .figure("size", "volumes[].size_bytes", Unit::Bytes)
        .figure("IOPS", "volumes[].iops", Unit::Count)
        .figure("throughput", "volumes[].throughput_bytes_per_s", Unit::Throughput)
        .done()
}
