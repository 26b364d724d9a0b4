//! The page of a run.

use serde_json::Value;

use super::super::limiters::{OF_RUN, binding_words, bindings_words, levels, stack_of, table_of};
use super::super::markup::Markup;
use super::super::page::{HtmlPage, words_of};
use super::super::picture::{Bar, Row, put_rows};
use super::super::series::intervals;
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, moment, number, text, words};
use super::{distribution, hosts, run_charts, tail};

const SCHEMA: &str = "iobound.result/1";

/// Largest number of hosts with a bar each.
const MOST_HOSTS: usize = 64;

pub(in super::super) fn run(document: &Value) -> HtmlPage {
    let stages = list(document, "stages");
    let described = |stage: &Value| {
        let jobs = list(stage, "workload.jobs").iter().map(|job| text(job, "description"));
        jobs.collect::<Vec<&str>>().join("; ")
    };
    let what = match text(document, "source") {
        "measured" => "Measured".to_string(),
        "simulated" => "Simulated".to_string(),
        "rehearsed" => "Rehearsed".to_string(),
        _ => format!("Measured by {}", text(document, "tool.name")),
    };
    let title = match described(document) {
        none if none.is_empty() => format!("{what} run"),
        of => format!("{what}: {of}"),
    };
    let around = [
        ("", text(document, "device")),
        ("", text(document, "engine")),
        ("Linux ", text(document, "kernel")),
        ("on ", text(document, "start.host")),
    ];
    let around: Vec<String> =
        around.iter().filter(|(_, word)| !word.is_empty()).map(|(of, word)| format!("{of}{word}")).collect();
    let at = Some(moment(text(document, "start.at"))).filter(|at| !at.is_empty());
    let around: Vec<String> = around.into_iter().chain(at).collect();
    let mut page = HtmlPage::new(SCHEMA, &title, &around.join(", "));
    if stages.is_empty() {
        stage(&mut page, document, "");
    } else {
        for (n, of) in stages.iter().enumerate() {
            let heading = format!("Stage {}: {}", n + 1, described(of));
            page.paragraph("");
            page.put(|out| out.line("p", &[("class", "stage")], &heading));
            stage(&mut page, of, &format!("stage-{}-", n + 1));
        }
    }
    let next = words(document, "next");
    page.section("next", "Next steps", |page| {
        if !next.is_empty() {
            page.put(|out| out.element("p", &[], |out| out.line("code", &[], &next)));
        }
    });
    page
}

fn stage(page: &mut HtmlPage, run: &Value, prefix: &str) {
    let id = |name: &str| format!("{prefix}{name}");
    let predicted = at(run, "predicted");
    page.conclude(&conclusion(run, predicted), &beside(run, predicted));
    page.section(&id("figures"), "Figures", |page| {
        ended(page, run);
        page.tiles(&tiles(run));
        operations(page, run);
    });
    page.section(&id("hosts"), "Hosts", |page| hosts::hosts(page, run, SCHEMA));
    page.section(&id("time"), "Over time", |page| {
        let levels = levels(predicted);
        let (intervals, together) = intervals(run);
        let sentence = "The run has too few intervals for a chart over time: use a longer --duration or a shorter --interval.";
        if intervals.len() < 2 {
            page.absent(sentence);
            return;
        }
        page.chart(run_charts::rate(&intervals, &levels, false, together), sentence);
        page.chart(run_charts::rate(&intervals, &levels, true, together), "Throughput was not kept by interval.");
        page.chart(
            run_charts::latency(&intervals, together),
            "Latency over time is not known: too few I/Os completed in each interval.",
        );
        page.chart(
            run_charts::heat(&intervals, together),
            "There is no latency heat map: a run keeps the latencies of each interval only with --html.",
        );
    });
    page.section(&id("tail"), "Latency", |page| {
        page.chart(distribution::of_run(run), "There is no distribution of latencies: a run keeps every latency only with --json or --html.");
        let about = "Latency of the slowest I/Os: one I/O in a thousand exceeds 99.9 %. The curve ends where fewer than ten I/Os are above.";
        let tails = tail::of_run(run);
        page.chart(
            tail::chart("Percentile curve", about, &tails, SCHEMA, "latency_us.p50"),
            "Too few I/Os completed for a curve of percentiles.",
        );
    });
    page.section(&id("limits"), "Where the I/O waits", |page| {
        if predicted.is_null() {
            page.absent(
                "Limits are unknown: add --vm and --disk to draw the stack and the expected figures.",
            );
            return;
        }
        page.table(compared(run));
        if let Some(stack) = stack_of(predicted, "rate of the workload", "the disks' media") {
            let binding = bindings_words(predicted, "bindings");
            let about = format!("The model predicts for this workload: bound by {binding}.");
            page.figure("The stack", &about, &stack, Some(table_of(predicted, SCHEMA, &OF_RUN)));
        }
    });
    page.section(&id("targets"), "Targets and devices", |page| {
        even(page, run);
        devices(page, run);
    });
    page.section(&id("checks"), "Checks of the figures", |page| checks(page, run));
}

/// The answer in a sentence or two: the figures, and where they lie in the predicted band.
fn conclusion(run: &Value, predicted: &Value) -> String {
    let shown = |path: &str, unit: Unit| number(run, path).map(|value| unit.shown(value));
    let Some(iops) = number(run, "iops") else { return "No I/O was counted.".into() };
    let throughput = shown("throughput_bytes_per_s", Unit::Throughput);
    let throughput = throughput.map_or(String::new(), |throughput| format!(" and {throughput}"));
    let mean = shown("latency_us.mean", Unit::Us);
    let mean = mean.map_or(String::new(), |mean| format!(" at a mean latency of {mean}"));
    let reached = format!("{} IOPS{throughput}{mean}", Unit::Count.shown(iops));
    let band = number(predicted, "expected.low_iops").zip(number(predicted, "expected.high_iops"));
    let Some((low, high)) = band else { return format!("{reached}.") };
    let far = match iops {
        iops if iops < low => "below",
        iops if iops > high => "above",
        _ => "inside",
    };
    format!(
        "{reached}: {far} the predicted band of {} to {}.",
        Unit::Count.shown(low),
        Unit::Count.shown(high)
    )
}

fn ended(page: &mut HtmlPage, run: &Value) {
    let how = match text(run, "ended") {
        "failed" => format!("The run failed: {}", text(run, "error")),
        "interrupted" => "The run was interrupted: the figures cover the time until then.".to_string(),
        _ => String::new(),
    };
    if !how.is_empty() {
        page.put(|out| out.line("p", &[("class", "warning")], &how));
    }
}

fn tiles(run: &Value) -> [(&'static str, &'static str, Cell, String); 8] {
    let figure = |path: &str, unit: Unit| Cell::figure(at(run, path), unit);
    let between = |low: &str, high: &str| match (number(run, low), number(run, high)) {
        (Some(low), Some(high)) => format!("{} to {}", Unit::Count.shown(low), Unit::Count.shown(high)),
        _ => String::new(),
    };
    let known = match between("confidence.low_iops", "confidence.high_iops") {
        none if none.is_empty() => none,
        range => format!("{range} with 95 % confidence"),
    };
    let seconds = match between("per_second.min", "per_second.max") {
        none if none.is_empty() => none,
        range => format!("seconds of {range} IOPS"),
    };
    let loop_of = match text(run, "latency_us.loop") {
        "" => String::new(),
        of => format!("{of} loop"),
    };
    let requested =
        number(run, "depth.requested").map(|depth| format!("{} asked for", Unit::Count.shown(depth)));
    let share = number(run, "measured_to_predicted");
    [
        ("IOPS", "iops", figure("iops", Unit::Count), known),
        ("throughput", "throughput_bytes_per_s", figure("throughput_bytes_per_s", Unit::Throughput), seconds),
        ("mean latency", "latency_us.mean", figure("latency_us.mean", Unit::Us), loop_of),
        ("p99", "latency_us.p99", figure("latency_us.p99", Unit::Us), String::new()),
        ("p99.9", "latency_us.p99_9", figure("latency_us.p99_9", Unit::Us), String::new()),
        (
            "outstanding",
            "depth.achieved",
            figure("depth.achieved", Unit::Count),
            requested.unwrap_or_default(),
        ),
        (
            "of the prediction",
            "measured_to_predicted",
            figure("measured_to_predicted", Unit::Share),
            share.map_or_else(String::new, |_| {
                let expected = words_of(number(run, "predicted.expected.iops"), Unit::Count);
                format!("{expected} IOPS expected")
            }),
        ),
        ("counted", "start.counted_s", figure("start.counted_s", Unit::Seconds), String::new()),
    ]
}

fn operations(page: &mut HtmlPage, run: &Value) {
    let all = [("all", run)];
    let each = ["read", "write", "flush", "discard"].map(|name| (name, at(run, name)));
    let operations = all.into_iter().chain(each).filter(|(_, of)| !of.is_null());
    let table = TableOf::new(SCHEMA, "By operation", operations)
        .cell("operation", "read", |(name, _)| Cell::words(name))
        .figure("I/Os", "ios", Unit::Count)
        .figure("errors", "errors", Unit::Count)
        .figure("IOPS", "iops", Unit::Count)
        .figure("throughput", "throughput_bytes_per_s", Unit::Throughput)
        .figure("mean", "latency_us.mean", Unit::Us)
        .figure("min", "latency_us.min", Unit::Us)
        .figure("p50", "latency_us.p50", Unit::Us)
        .figure("p90", "latency_us.p90", Unit::Us)
        .figure("p95", "latency_us.p95", Unit::Us)
        .figure("p99", "latency_us.p99", Unit::Us)
        .figure("p99.9", "latency_us.p99_9", Unit::Us)
        .figure("p99.99", "latency_us.p99_99", Unit::Us)
        .figure("max", "latency_us.max", Unit::Us)
        .done();
    page.table(table);
}

/// The measured IOPS with the range of its seconds, and the predicted ones with their band.
fn beside(run: &Value, predicted: &Value) -> Markup {
    let mut picture = Markup::new();
    let Some(measured) = number(run, "iops") else { return picture };
    let with_band = |row: &mut Row, says: &str, band: Option<(f64, f64)>| {
        if let Some((low, high)) = band {
            row.bars.insert(0, Bar { from: low, to: high, class: "band" });
            let (low, high) = (Unit::Count.shown(low), Unit::Count.shown(high));
            row.figures.push_str(&format!(", {says} {low} to {high}"));
        }
    };
    let row = |name: &str, iops: f64, class: &'static str| Row {
        name: name.into(),
        figures: format!("{} IOPS", Unit::Count.shown(iops)),
        bars: vec![Bar { from: 0.0, to: iops, class }],
        ..Row::default()
    };
    let mut real = row("measured", measured, "fill2");
    with_band(&mut real, "seconds of", number(run, "per_second.min").zip(number(run, "per_second.max")));
    let mut rows = vec![real];
    if let Some(expected) = number(predicted, "expected.iops") {
        let mut row = row("predicted", expected, "fill1");
        row.says = format!("bound by {}", binding_words(text(predicted, "binding")));
        let band = number(predicted, "expected.low_iops").zip(number(predicted, "expected.high_iops"));
        with_band(&mut row, "band", band);
        rows.push(row);
    }
    put_rows(&rows, Unit::Count, false, &mut picture);
    picture
}

fn compared(run: &Value) -> HtmlTable {
    TableOf::new(SCHEMA, "Measured and predicted", [run])
        .figure("measured", "iops", Unit::Count)
        .figure("predicted", "predicted.expected.iops", Unit::Count)
        .figure("band from", "predicted.expected.low_iops", Unit::Count)
        .figure("band to", "predicted.expected.high_iops", Unit::Count)
        .figure("ceiling", "predicted.ceiling.iops", Unit::Count)
        .figure("ratio", "measured_to_predicted", Unit::Ratio)
        .done()
}

fn even(page: &mut HtmlPage, run: &Value) {
    let targets = list(run, "targets");
    let keys = ["targets[].name", "targets[].iops", "targets[].throughput_bytes_per_s"];
    // The targets of several machines are the machines; a picture of hundreds shows nothing.
    let of_hosts = !list(run, "hosts").is_empty();
    if of_hosts && targets.len() > MOST_HOSTS {
        return;
    }
    let title = if of_hosts { "Spread of the hosts' speed" } else { "Distribution of I/Os over the targets" };
    match run_charts::evenness(targets, SCHEMA, keys) {
        Some((table, rows)) => put_even(page, title, table, &rows),
        None => page.absent("There is one target, so nothing to compare it with."),
    }
}

/// The picture of evenness: a bar for each, and the share of the mean.
pub(super) fn put_even(page: &mut HtmlPage, title: &str, table: HtmlTable, rows: &[run_charts::Share]) {
    let bars: Vec<Row> = rows
        .iter()
        .map(|run_charts::Share { name, iops: rate, of_mean: share }| Row {
            name: name.clone(),
            figures: format!("{} IOPS, {} of the mean", Unit::Count.shown(*rate), Unit::Share.shown(*share)),
            bars: vec![Bar { from: 0.0, to: *rate, class: "fill1" }],
            ..Row::default()
        })
        .collect();
    let shares = rows.iter().map(|row| row.of_mean);
    let (low, high) =
        shares.fold((f64::MAX, f64::MIN), |(low, high), share| (low.min(share), high.max(share)));
    let about = format!(
        "From {} to {} of the mean; a stripe over equal disks is as fast as its slowest.",
        Unit::Share.shown(low),
        Unit::Share.shown(high)
    );
    let mut picture = Markup::new();
    put_rows(&bars, Unit::Count, false, &mut picture);
    page.figure(title, &about, &picture, Some(table));
}

fn devices(page: &mut HtmlPage, run: &Value) {
    let table = TableOf::new(SCHEMA, "Block devices below the targets", list(run, "devices"))
        .words("device", "devices[].name")
        .words("kind", "devices[].kind")
        .words("model", "devices[].model")
        .figure("size", "devices[].size_bytes", Unit::Bytes)
        .words("scheduler", "devices[].scheduler")
        .words("write cache", "devices[].write_cache")
        .figure("reads", "devices[].counters.reads", Unit::Count)
        .figure("writes", "devices[].counters.writes", Unit::Count)
        .figure("queue", "devices[].counters.queue", Unit::Count)
        .figure("busy", "devices[].counters.busy", Unit::Share)
        .done();
    page.table(table);
}

fn checks(page: &mut HtmlPage, run: &Value) {
    let table = TableOf::new(SCHEMA, "Checks of the run itself", list(run, "checks"))
        .words("check", "checks[].name")
        .words("outcome", "checks[].outcome")
        .words("what was found", "checks[].says")
        .done();
    page.table(table);
    let notes: Vec<&str> = list(run, "notes").iter().filter_map(Value::as_str).collect();
    page.list(&notes);
}
