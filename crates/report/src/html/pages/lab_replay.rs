//! The page of a trace on the configurations of an experiment.

use iobound_documents::{Contract, LabReplayDocument, LabReplayRun, Microseconds, Quantity, TraceLatency};

use super::super::markup::Markup;
use super::super::page::{HtmlPage, put_swatch};
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};

const SCHEMA: &str = LabReplayDocument::ID;

/// Above this many times the smallest figure, an axis is logarithmic.
const WIDE: f64 = 25.0;

pub(in super::super) fn lab_replay(document: &LabReplayDocument) -> HtmlPage {
    let files = document.read.files.join(", ");
    let speed = document.speed.value();
    let faster = if speed == 1.0 { String::new() } else { format!(" at {speed} times the speed") };
    let mut page = HtmlPage::new(
        SCHEMA,
        &format!("The trace {files} on the configurations of {}", document.name),
        &format!("{}{faster}, in virtual time", document.mode),
    );
    page.conclude(&conclusion(document), &Markup::new());
    page.section("latency", "Latency", |page| {
        if document.interrupted {
            page.put(|out| {
                let says = "Interrupted: the figures of the last configuration are of the I/Os up to then; later ones are missing.";
                out.line("p", &[("class", "warning")], says)
            });
        }
        put_latencies(page, document);
    });
    page.section("runs", "All configurations", |page| page.table(runs(document)));
    page.section("held", "Limits that held I/Os back", |page| {
        page.table(limits(document));
        page.table(credits(document));
    });
    page.section("map", "Places of the devices", |page| page.table(places(document)));
    page.section("notes", "Notes", |page| {
        for notes in [&document.notes, &document.read.notes] {
            page.list(&notes.iter().map(String::as_str).collect::<Vec<&str>>());
        }
    });
    page
}

fn latency_of(run: &LabReplayRun, of: fn(&TraceLatency) -> Microseconds) -> Option<f64> {
    run.latency.as_ref().map(|latency| of(latency).value())
}

fn p50_and_p99(run: &LabReplayRun) -> Option<(f64, f64)> {
    Some((latency_of(run, |latency| latency.p50_us)?, latency_of(run, |latency| latency.p99_us)?))
}

/// The answer in a sentence.
fn conclusion(document: &LabReplayDocument) -> String {
    let whole = document.runs.iter().filter(|run| !run.interrupted);
    let known = whole.filter_map(|run| Some((p50_and_p99(run)?.1, run)));
    match known.min_by(|one, other| one.0.total_cmp(&other.0)) {
        None if document.interrupted => "No configuration was replayed to the end of the trace.".into(),
        None => "No read or write completed.".into(),
        Some((p99, run)) => format!(
            "{}, {} with {}, has the lowest 99th percentile of latency: {}.",
            run.name,
            run.vm.strip_prefix("Standard_").unwrap_or(&run.vm),
            run.disks.join(" "),
            Unit::Us.shown(p99)
        ),
    }
}

/// A bar of each configuration, from p50 to p99.
fn put_latencies(page: &mut HtmlPage, document: &LabReplayDocument) {
    let known: Vec<(&LabReplayRun, f64, f64)> =
        document.runs.iter().filter_map(|run| p50_and_p99(run).map(|(p50, p99)| (run, p50, p99))).collect();
    let low = known.iter().map(|(_, p50, _)| *p50).filter(|p50| *p50 > 0.0).fold(f64::MAX, f64::min);
    let high = known.iter().map(|(_, _, p99)| *p99).fold(0.0, f64::max);
    if high <= 0.0 {
        page.absent("No latency is known of these configurations.");
        return;
    }
    let log = high / low > WIDE;
    let rows: Vec<Row> = known
        .iter()
        .map(|(run, p50, p99)| Row {
            name: run.name.clone(),
            says: format!("{} with {}", run.vm, run.disks.join(" ")),
            figures: format!("p50 {}, p99 {}", Unit::Us.shown(*p50), Unit::Us.shown(*p99)),
            bars: vec![Bar { from: *p50, to: *p99, class: "band" }],
            ..Row::default()
        })
        .collect();
    let mut picture = Markup::new();
    picture.element("ul", &[("class", "legend key")], |out| {
        out.element("li", &[], |out| put_swatch("band", "from p50 to p99 of reads and writes", out));
    });
    put_rows(&rows, Unit::Us, log, &mut picture);
    let about = if log { "On a logarithmic axis." } else { "On a linear axis." };
    page.figure("Latency by configuration", about, &picture, None);
}

fn runs(document: &LabReplayDocument) -> HtmlTable {
    let latency = |run: &LabReplayRun, of: fn(&TraceLatency) -> Microseconds| {
        Cell::quantity(run.latency.as_ref().map(of), Unit::Us)
    };
    TableOf::new(SCHEMA, "All configurations", &document.runs)
        .cell("run", "runs[].name", |run| Cell::words(&run.name))
        .cell("VM", "runs[].vm", |run| Cell::words(&run.vm))
        .cell("disks", "runs[].disks", |run| Cell::words(&run.disks.join(" ")))
        .cell("I/Os", "runs[].ios", |run| Cell::count(Some(run.ios), Unit::Count))
        .cell("left out", "runs[].left_out", |run| Cell::count(Some(run.left_out), Unit::Count))
        .cell("wrapped", "runs[].wrapped", |run| Cell::count(Some(run.wrapped), Unit::Count))
        .cell("duration", "runs[].duration_s", |run| Cell::quantity(Some(run.duration_s), Unit::Seconds))
        .cell("IOPS", "runs[].iops", |run| Cell::quantity(Some(run.iops), Unit::Count))
        .cell("throughput", "runs[].throughput_bytes_per_s", |run| {
            Cell::quantity(Some(run.throughput_bytes_per_s), Unit::Throughput)
        })
        .cell("mean", "runs[].latency.mean_us", |run| latency(run, |latency| latency.mean_us))
        .cell("p50", "runs[].latency.p50_us", |run| latency(run, |latency| latency.p50_us))
        .cell("p99", "runs[].latency.p99_us", |run| latency(run, |latency| latency.p99_us))
        .cell("p99.9", "runs[].latency.p999_us", |run| latency(run, |latency| latency.p999_us))
        .cell("max", "runs[].latency.max_us", |run| latency(run, |latency| latency.max_us))
        .cell("slowdown", "runs[].slowdown", |run| Cell::quantity(run.slowdown, Unit::Ratio))
        .cell("hits", "runs[].hit_rate", |run| Cell::quantity(run.hit_rate, Unit::Share))
        .done()
        .without_empty_columns()
}

/// Parts of all runs, each with its run.
fn parts<'a, T: 'a>(
    document: &'a LabReplayDocument,
    of: fn(&LabReplayRun) -> &Vec<T>,
) -> impl Iterator<Item = (&'a LabReplayRun, &'a T)> {
    document.runs.iter().flat_map(move |run| of(run).iter().map(move |part| (run, part)))
}

fn limits(document: &LabReplayDocument) -> HtmlTable {
    TableOf::new(SCHEMA, "Limits", parts(document, |run| &run.bound_by))
        .cell("run", "runs[].name", |(run, _)| Cell::words(&run.name))
        .cell("limit", "runs[].bound_by[].limit", |(_, bound)| Cell::words(&bound.limit))
        .cell("time", "runs[].bound_by[].seconds", |(_, bound)| {
            Cell::quantity(Some(bound.seconds), Unit::Seconds)
        })
        .done()
}

fn credits(document: &LabReplayDocument) -> HtmlTable {
    TableOf::new(SCHEMA, "Spent credits", parts(document, |run| &run.credits))
        .cell("run", "runs[].name", |(run, _)| Cell::words(&run.name))
        .cell("limit", "runs[].credits[].limit", |(_, spent)| Cell::words(&spent.limit))
        .cell("spent after", "runs[].credits[].at_s", |(_, spent)| {
            Cell::quantity(Some(spent.at_s), Unit::Seconds)
        })
        .done()
}

fn places(document: &LabReplayDocument) -> HtmlTable {
    TableOf::new(SCHEMA, "Places of the devices", parts(document, |run| &run.map))
        .cell("run", "runs[].name", |(run, _)| Cell::words(&run.name))
        .cell("file", "runs[].map[].file", |(_, map)| Cell::words(map.file.as_deref().unwrap_or_default()))
        .cell("device", "runs[].map[].device", |(_, map)| Cell::words(&map.device))
        .cell("volume", "runs[].map[].volume", |(_, map)| Cell::words(&map.volume))
        .done()
}
