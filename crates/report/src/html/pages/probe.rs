//! The page of a probe: each limit with the pictures that it follows from.

use iobound_documents::{Contract, ProbeDocument, ProbeLimit, ProbedTarget, Quantity};

use super::super::chart::{Axis, Chart, Limit, Stroke};
use super::super::page::HtmlPage;
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};

const SCHEMA: &str = ProbeDocument::ID;

pub(in super::super) fn probe(document: &ProbeDocument) -> HtmlPage {
    let names: Vec<&str> = document.targets.iter().map(|target| target.name.as_str()).collect();
    let subtitle = format!(
        "{} of measurement, {} I/Os, {} read, {} written",
        Unit::Seconds.shown(document.cost.time_s.value()),
        Unit::Count.shown(document.cost.ios as f64),
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
    page.section("open", "What was not reached", |page| {
        page.list(&document.not_reached.iter().map(String::as_str).collect::<Vec<&str>>());
        if !document.open.is_empty() {
            let budget = document.budget_for_open_s.map_or_else(String::new, |budget| {
                format!(" A budget of {} answers these as well.", Unit::Seconds.shown(budget.value()))
            });
            page.paragraph(&format!("Open: {}.{budget}", document.open.join("; ")));
        }
        if let Some(writes) = &document.device_writes {
            page.paragraph(&format!(
                "The kernel counted {} of writes to {}.",
                Unit::Bytes.shown(writes.bytes as f64),
                writes.devices.join(", ")
            ));
        }
        if let Some(noise) = &document.noise {
            page.paragraph(&format!(
                "Drift of the latency from start to end: {}. Variation between intervals of 100 ms: {}.",
                Unit::Share.shown(noise.drift.value()),
                Unit::Share.shown(noise.variation.value())
            ));
        }
    });
    page
}

fn unit_of(limit: &ProbeLimit) -> Unit {
    if limit.counts == "iops" { Unit::Count } else { Unit::Throughput }
}

pub(super) fn limits(page: &mut HtmlPage, document: &ProbeDocument) {
    let table = TableOf::new(SCHEMA, "Limits", &document.limits)
        .cell("counts", "limits[].counts", |limit| Cell::words(&limit.counts))
        .cell("of", "limits[].of", |limit| Cell::words(&limit.of))
        .cell("targets", "limits[].targets", |limit| Cell::words(&limit.targets.join(", ")))
        .cell("per second", "limits[].per_second", |limit| {
            Cell::quantity(Some(limit.per_second), unit_of(limit))
        })
        .cell("low", "limits[].low", |limit| Cell::quantity(Some(limit.low), unit_of(limit)))
        .cell("high", "limits[].high", |limit| Cell::quantity(Some(limit.high), unit_of(limit)))
        .cell("enforcement", "limits[].enforcement", |limit| Cell::words(&limit.enforcement))
        .cell("length", "limits[].enforcement_s", |limit| Cell::quantity(limit.enforcement_s, Unit::Seconds))
        .cell("length, low", "limits[].enforcement_low_s", |limit| {
            Cell::quantity(limit.enforcement_low_s, Unit::Seconds)
        })
        .cell("length, high", "limits[].enforcement_high_s", |limit| {
            Cell::quantity(limit.enforcement_high_s, Unit::Seconds)
        })
        .cell("loaded for", "limits[].watched_s", |limit| {
            Cell::quantity(Some(limit.watched_s), Unit::Seconds)
        })
        .cell("misfit", "limits[].misfit", |limit| Cell::quantity(limit.misfit, Unit::Share))
        .cell("burst", "limits[].burst_per_second", |limit| {
            Cell::quantity(limit.burst_per_second, unit_of(limit))
        })
        .cell("credits", "limits[].burst_size", |limit| {
            let unit = if limit.counts == "iops" { Unit::Count } else { Unit::Bytes };
            Cell::quantity(limit.burst_size, unit)
        })
        .cell("credits known", "limits[].burst_size_is_at_least", |limit| {
            Cell::words(match limit.burst_size_is_at_least {
                Some(true) => "a lower bound",
                Some(false) => "measured",
                None => "",
            })
        })
        .done();
    if table.is_empty() {
        page.absent("No limit was found.");
    } else {
        page.table(table);
    }
}

pub(super) fn evidence(page: &mut HtmlPage, limit: &ProbeLimit) {
    let table = TableOf::new(SCHEMA, "Depth ramp", &limit.ramp)
        .cell("depth", "limits[].ramp[].depth", |point| {
            Cell::count(Some(u64::from(point.depth)), Unit::Count)
        })
        .cell("IOPS", "limits[].ramp[].iops", |point| Cell::words(&Unit::Count.shown(point.iops)))
        .cell("mean", "limits[].ramp[].mean_us", |point| Cell::quantity(Some(point.mean_us), Unit::Us))
        .done();
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

pub(super) fn put_target(page: &mut HtmlPage, target: &ProbedTarget) {
    page.paragraph(&format!("{}, {}", target.name, Unit::Bytes.shown(target.size_bytes as f64)));
    if let Some(charge) = &target.charge {
        page.paragraph(&format!("Charge: {charge}."));
    }
    let table = TableOf::new(SCHEMA, "Latency below every limit", &target.latencies)
        .cell("operation", "targets[].latencies[].is_write", |latency| {
            Cell::words(if latency.is_write { "write" } else { "read" })
        })
        .cell("size", "targets[].latencies[].block_bytes", |latency| {
            Cell::count(Some(u64::from(latency.block_bytes)), Unit::Bytes)
        })
        .cell("floor", "targets[].latencies[].floor_us", |latency| {
            Cell::quantity(Some(latency.floor_us), Unit::Us)
        })
        .cell("mean", "targets[].latencies[].mean_us", |latency| {
            Cell::quantity(Some(latency.mean_us), Unit::Us)
        })
        .cell("low", "targets[].latencies[].mean_low_us", |latency| {
            Cell::quantity(Some(latency.mean_low_us), Unit::Us)
        })
        .cell("high", "targets[].latencies[].mean_high_us", |latency| {
            Cell::quantity(Some(latency.mean_high_us), Unit::Us)
        })
        .cell("p99", "targets[].latencies[].p99_us", |latency| Cell::quantity(Some(latency.p99_us), Unit::Us))
        .cell("I/Os", "targets[].latencies[].ios", |latency| Cell::count(Some(latency.ios), Unit::Count))
        .done();
    if !table.is_empty() {
        page.table(table);
    }
    if !target.sizes.is_empty() {
        let table = TableOf::new(SCHEMA, "Rate by size", &target.sizes)
            .cell("size", "targets[].sizes[].block_bytes", |point| {
                Cell::count(Some(u64::from(point.block_bytes)), Unit::Bytes)
            })
            .cell("IOPS", "targets[].sizes[].iops", |point| Cell::words(&Unit::Count.shown(point.iops)))
            .done();
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
    let table = TableOf::new(SCHEMA, "Offers of the catalogue", &document.offers)
        .cell("offer", "offers[].name", |offer| Cell::words(&offer.name))
        .cell("limits", "offers[].because", |offer| Cell::words(&offer.because))
        .cell("difference", "offers[].difference", |offer| {
            Cell::quantity(Some(offer.difference), Unit::Share)
        })
        .cell("told apart by", "offers[].told_apart_by", |offer| {
            Cell::words(offer.told_apart_by.as_deref().unwrap_or(""))
        })
        .done();
    if table.is_empty() {
        page.absent("No offer of the catalogue has these limits.");
    } else {
        page.table(table);
    }
}
