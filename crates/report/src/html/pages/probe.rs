//! The page of a probe: each limit with the pictures that it follows from.

use iobound_documents::{Contract, ProbeDocument, ProbeLimit, ProbedTarget, Quantity};

use super::super::chart::{Axis, Chart, Limit, Stroke};
use super::super::page::HtmlPage;
use super::super::table::HtmlTable;
use super::super::unit::{Cell, Unit};

const SCHEMA: &str = ProbeDocument::ID;

pub(in super::super) fn probe(document: &ProbeDocument) -> HtmlPage {
    let names: Vec<&str> = document.targets.iter().map(|target| target.name.as_str()).collect();
    let subtitle = format!(
        "{} of measurement, {} read, {} written",
        Unit::Seconds.shown(document.cost.time_s.value()),
        Unit::Bytes.shown(document.cost.read_bytes as f64),
        Unit::Bytes.shown(document.cost.written_bytes as f64)
    );
    let mut page = HtmlPage::new(SCHEMA, &format!("Limits of {}", names.join(", ")), &subtitle);
    page.section("limits", "Limits", |page| limits(page, document));
    for (n, limit) in document.limits.iter().enumerate() {
        let title = format!("Evidence: {} of {}, {}", limit.counts, limit.of, limit.targets.join(", "));
        page.section(&format!("evidence-{}", n + 1), &title, |page| evidence(page, limit));
    }
    page.section("targets", "Latency, charge and cache", |page| {
        for target in &document.targets {
            put_target(page, target);
        }
    });
    page.section("offers", "Offers that match", |page| offers(page, document));
    page.section("open", "Limits that were not reached", |page| {
        page.list(&document.not_reached.iter().map(String::as_str).collect::<Vec<&str>>());
        page.paragraph(&format!(
            "Drift of the latency from start to end: {}. Variation between intervals of 100 ms: {}.",
            Unit::Share.shown(document.noise.drift.value()),
            Unit::Share.shown(document.noise.variation.value())
        ));
    });
    page
}

fn unit_of(limit: &ProbeLimit) -> Unit {
    if limit.counts == "iops" { Unit::Count } else { Unit::Throughput }
}

fn limits(page: &mut HtmlPage, document: &ProbeDocument) {
    let mut table = HtmlTable::new(SCHEMA, "Limits")
        .column("counts", "limits[].counts")
        .column("of", "limits[].of")
        .column("targets", "limits[].targets")
        .column("per second", "limits[].per_second")
        .column("low", "limits[].low")
        .column("high", "limits[].high")
        .column("enforcement", "limits[].enforcement")
        .column("length", "limits[].enforcement_s")
        .column("burst", "limits[].burst_per_second")
        .column("credits", "limits[].burst_size");
    for limit in &document.limits {
        let unit = unit_of(limit);
        table.row(vec![
            Cell::words(&limit.counts),
            Cell::words(&limit.of),
            Cell::words(&limit.targets.join(", ")),
            Cell::quantity(Some(limit.per_second), unit),
            Cell::quantity(Some(limit.low), unit),
            Cell::quantity(Some(limit.high), unit),
            Cell::words(&limit.enforcement),
            Cell::quantity(limit.enforcement_s, Unit::Seconds),
            Cell::quantity(limit.burst_per_second, unit),
            Cell::quantity(limit.burst_size, Unit::Count),
        ]);
    }
    if table.is_empty() {
        page.absent("No limit was found.");
    } else {
        page.table(table);
    }
}

fn evidence(page: &mut HtmlPage, limit: &ProbeLimit) {
    let mut table = HtmlTable::new(SCHEMA, "Depth ramp")
        .column("depth", "limits[].ramp[].depth")
        .column("IOPS", "limits[].ramp[].iops")
        .column("mean", "limits[].ramp[].mean_us");
    for point in &limit.ramp {
        table.row(vec![
            Cell::count(Some(u64::from(point.depth)), Unit::Count),
            Cell::words(&Unit::Count.shown(point.iops)),
            Cell::quantity(Some(point.mean_us), Unit::Us),
        ]);
    }
    let mut ramp = Chart::new(
        "IOPS against queue depth",
        Axis::log("I/Os outstanding", Unit::Count),
        Axis::linear("IOPS", Unit::Count),
        table,
    );
    let points = limit.ramp.iter().map(|point| (f64::from(point.depth), point.iops));
    ramp.line("IOPS", 1, Stroke::Solid, points.collect());
    if limit.counts == "iops" {
        ramp.limits.push(Limit { label: "limit".into(), value: limit.per_second.value() });
    }
    ramp.about = "The rate is flat from the knee on: more outstanding I/Os only wait longer.".into();
    page.chart(ramp, "The limit was measured without a depth ramp of its own.");
    let mut steps = HtmlTable::new(SCHEMA, "Completions in each millisecond")
        .own_column("millisecond", "millisecond")
        .column("I/Os", "limits[].staircase");
    let mut sum = 0.0;
    let mut points = Vec::with_capacity(limit.staircase.len());
    for (at, count) in limit.staircase.iter().enumerate() {
        sum += f64::from(*count);
        points.push((at as f64 / 1e3, sum));
        steps.row(vec![
            Cell::count(Some(at as u64), Unit::Count),
            Cell::count(Some(u64::from(*count)), Unit::Count),
        ]);
    }
    let mut staircase = Chart::new(
        "Completed I/Os under load",
        Axis::linear("time", Unit::Seconds),
        Axis::linear("completed I/Os", Unit::Count),
        steps,
    );
    staircase.line("completed", 1, Stroke::Solid, points);
    staircase.about = match limit.enforcement.as_str() {
        "slice" => {
            "Each step is a slice: its quota passes at once, then nothing until the next slice.".into()
        }
        "bucket" => "Tokens come evenly: there are no steps.".into(),
        _ => "Neither steps nor a bucket were seen.".into(),
    };
    page.chart(staircase, "Completions were not recorded for this limit.");
}

fn put_target(page: &mut HtmlPage, target: &ProbedTarget) {
    page.paragraph(&format!("{}, {}", target.name, Unit::Bytes.shown(target.size_bytes as f64)));
    if let Some(charge) = &target.charge {
        page.paragraph(&format!("Charge: {charge}."));
    }
    let mut table = HtmlTable::new(SCHEMA, "Latency below every limit")
        .column("operation", "targets[].latencies[].is_write")
        .column("size", "targets[].latencies[].block_bytes")
        .column("floor", "targets[].latencies[].floor_us")
        .column("mean", "targets[].latencies[].mean_us")
        .column("p99", "targets[].latencies[].p99_us")
        .column("I/Os", "targets[].latencies[].ios");
    for latency in &target.latencies {
        table.row(vec![
            Cell::words(if latency.is_write { "write" } else { "read" }),
            Cell::count(Some(u64::from(latency.block_bytes)), Unit::Bytes),
            Cell::quantity(Some(latency.floor_us), Unit::Us),
            Cell::quantity(Some(latency.mean_us), Unit::Us),
            Cell::quantity(Some(latency.p99_us), Unit::Us),
            Cell::count(Some(latency.ios), Unit::Count),
        ]);
    }
    if !table.is_empty() {
        page.table(table);
    }
    if !target.sizes.is_empty() {
        let mut table = HtmlTable::new(SCHEMA, "Rate by size")
            .column("size", "targets[].sizes[].block_bytes")
            .column("IOPS", "targets[].sizes[].iops");
        for point in &target.sizes {
            table.row(vec![
                Cell::count(Some(u64::from(point.block_bytes)), Unit::Bytes),
                Cell::words(&Unit::Count.shown(point.iops)),
            ]);
        }
        let mut chart = Chart::new(
            "IOPS against I/O size",
            Axis::log("size", Unit::Bytes),
            Axis::log("IOPS", Unit::Count),
            table,
        );
        let points = target.sizes.iter().map(|point| (f64::from(point.block_bytes), point.iops));
        chart.line("IOPS", 1, Stroke::Solid, points.collect());
        chart.about = "The rate is flat where I/Os are limited, halves above a unit, and falls with the size where bytes are.".into();
        page.chart(chart, "A curve needs more than one size.");
    }
    if let Some(cache) = &target.cache {
        page.paragraph(&format!(
            "Cache: {}, hits in {}.",
            match cache.size_bytes {
                Some(size) => Unit::Bytes.shown(size as f64),
                None => format!("{} or more", Unit::Bytes.shown(cache.at_least_bytes as f64)),
            },
            Unit::Us.shown(cache.hit_us.value())
        ));
    }
}

fn offers(page: &mut HtmlPage, document: &ProbeDocument) {
    let mut table = HtmlTable::new(SCHEMA, "Offers of the catalogue")
        .column("offer", "offers[].name")
        .column("limits", "offers[].because")
        .column("difference", "offers[].difference")
        .column("told apart by", "offers[].told_apart_by");
    for offer in &document.offers {
        table.row(vec![
            Cell::words(&offer.name),
            Cell::words(&offer.because),
            Cell::quantity(Some(offer.difference), Unit::Share),
            Cell::words(offer.told_apart_by.as_deref().unwrap_or("")),
        ]);
    }
    if table.is_empty() {
        page.absent("No offer of the catalogue has these limits.");
    } else {
        page.table(table);
    }
}
