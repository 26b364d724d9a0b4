//! The pages of a trace and of its replay: rates, working set, hit rates and latencies over time.

use iobound_documents::{
    Amount, Contract, LimitUnit, Microseconds, Quantity, ReplayDocument, ReplayLimit, ReplayPoint,
    TraceDocument, TraceLatency,
};

use super::super::chart::{Axis, Chart, Stroke};
use super::super::page::HtmlPage;
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use crate::limit::family_title;

const TRACE: &str = TraceDocument::ID;
const REPLAY: &str = ReplayDocument::ID;

/// Points of a chart.
const POINTS: usize = 2_000;

/// Every so many of a list, so that a chart has a bounded number of points: the one with the largest y of each group.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let together = points.len().div_ceil(POINTS).max(1);
    let largest = |group: &[(f64, f64)]| group.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
    points.chunks(together).filter_map(largest).collect()
}

fn seconds() -> Axis {
    Axis::linear("time", Unit::Seconds)
}

pub(in super::super) fn trace(document: &TraceDocument) -> HtmlPage {
    let read = &document.read;
    let mut page = HtmlPage::new(TRACE, &format!("The trace {}", read.files.join(", ")), &read.format);
    page.section("figures", "Totals", |page| {
        page.tiles(&[
            ("I/Os", "ios", Cell::count(Some(document.ios), Unit::Count), String::new()),
            (
                "duration",
                "duration_s",
                Cell::quantity(Some(document.duration_s), Unit::Seconds),
                String::new(),
            ),
            ("IOPS", "iops", Cell::quantity(document.iops, Unit::Count), String::new()),
            (
                "throughput",
                "throughput_bytes_per_s",
                Cell::quantity(document.throughput_bytes_per_s, Unit::Throughput),
                String::new(),
            ),
            ("reads", "reads", Cell::quantity(document.reads, Unit::Share), String::new()),
            (
                "sequential",
                "sequential",
                Cell::quantity(Some(document.sequential), Unit::Share),
                String::new(),
            ),
        ]);
        page.list(&read.notes.iter().map(String::as_str).collect::<Vec<&str>>());
    });
    page.section("rates", "Rates over time", |page| page.chart(rates(document), "The trace has no I/Os."));
    page.section("reuse", "Working set and hit rates", |page| {
        page.chart(working_set(document), "The trace has no reads and writes.");
        page.chart(hits(document), "The trace has no reads and writes.");
    });
    page.section("devices", "Devices", |page| page.table(devices(document)));
    page
}

fn rates(document: &TraceDocument) -> Chart {
    let table = TableOf::new(TRACE, "Rates", document.series.iter().take(POINTS))
        .cell("start", "series[].start_s", |point| Cell::quantity(Some(point.start_s), Unit::Seconds))
        .cell("IOPS", "series[].iops", |point| Cell::quantity(Some(point.iops), Unit::Count))
        .cell("throughput", "series[].throughput_bytes_per_s", |point| {
            Cell::quantity(Some(point.throughput_bytes_per_s), Unit::Throughput)
        })
        .done();
    let mut chart = Chart::new("IOPS over time", seconds(), Axis::linear("IOPS", Unit::Count), table);
    let points = document.series.iter().map(|point| (point.start_s.value(), point.iops.value())).collect();
    chart.line("IOPS", 1, Stroke::Solid, thinned(points));
    chart
}

fn working_set(document: &TraceDocument) -> Chart {
    let over_time = &document.reuse.over_time;
    let table = TableOf::new(TRACE, "Working set", over_time)
        .cell("end", "reuse.over_time[].at_s", |point| Cell::quantity(Some(point.at_s), Unit::Seconds))
        .cell("window", "reuse.over_time[].window_bytes", |point| {
            Cell::count(Some(point.window_bytes), Unit::Bytes)
        })
        .cell("so far", "reuse.over_time[].total_bytes", |point| {
            Cell::count(Some(point.total_bytes), Unit::Bytes)
        })
        .done();
    let mut chart = Chart::new("Working set over time", seconds(), Axis::linear("bytes", Unit::Bytes), table);
    let of = |bytes: fn(&iobound_documents::TraceWorkingSet) -> u64| {
        over_time.iter().map(|point| (point.at_s.value(), bytes(point) as f64)).collect()
    };
    chart.line("of each window", 1, Stroke::Solid, of(|point| point.window_bytes));
    chart.line("so far", 2, Stroke::Dashed, of(|point| point.total_bytes));
    chart
}

fn hits(document: &TraceDocument) -> Chart {
    let table = TableOf::new(TRACE, "Hit rates", &document.reuse.hits)
        .cell("cache", "reuse.hits[].cache_bytes", |hit| Cell::count(Some(hit.cache_bytes), Unit::Bytes))
        .cell("all", "reuse.hits[].all", |hit| Cell::quantity(Some(hit.all), Unit::Share))
        .cell("reads", "reuse.hits[].reads", |hit| Cell::quantity(Some(hit.reads), Unit::Share))
        .done();
    let y = Axis::linear("hits", Unit::Share);
    let mut chart = Chart::new("Hit rate against cache size", Axis::log("cache", Unit::Bytes), y, table);
    let of = |share: fn(&iobound_documents::TraceHits) -> f64| {
        document.reuse.hits.iter().map(|hit| (hit.cache_bytes as f64, share(hit))).collect()
    };
    chart.line("all", 1, Stroke::Solid, of(|hit| hit.all.value()));
    chart.line("reads", 2, Stroke::Dashed, of(|hit| hit.reads.value()));
    chart
}

fn devices(document: &TraceDocument) -> HtmlTable {
    TableOf::new(TRACE, "Devices", &document.devices)
        .cell("device", "devices[].name", |device| Cell::words(&device.name))
        .cell("I/Os", "devices[].ios", |device| Cell::count(Some(device.ios), Unit::Count))
        .cell("reads", "devices[].reads", |device| Cell::count(Some(device.reads), Unit::Count))
        .cell("writes", "devices[].writes", |device| Cell::count(Some(device.writes), Unit::Count))
        .cell("read", "devices[].read_bytes", |device| Cell::count(Some(device.read_bytes), Unit::Bytes))
        .cell("written", "devices[].written_bytes", |device| {
            Cell::count(Some(device.written_bytes), Unit::Bytes)
        })
        .cell("up to", "devices[].end_byte", |device| Cell::count(Some(device.end_byte), Unit::Bytes))
        .done()
}

pub(in super::super) fn replay(document: &ReplayDocument) -> HtmlPage {
    let on = format!("{} with {}", document.vm, document.disks.join(" "));
    let mut page = HtmlPage::new(
        REPLAY,
        &format!("The trace {} on {on}", document.read.files.join(", ")),
        &document.mode,
    );
    page.section("figures", "Totals", |page| {
        let p99 = document.latency.as_ref().map(|latency| latency.p99_us);
        page.tiles(&[
            ("I/Os", "ios", Cell::count(Some(document.ios), Unit::Count), String::new()),
            (
                "duration",
                "duration_s",
                Cell::quantity(Some(document.duration_s), Unit::Seconds),
                String::new(),
            ),
            ("IOPS", "iops", Cell::quantity(Some(document.iops), Unit::Count), String::new()),
            ("p99", "latency.p99_us", Cell::quantity(p99, Unit::Us), String::new()),
            ("slowdown", "slowdown", Cell::quantity(document.slowdown, Unit::Ratio), String::new()),
        ]);
        page.list(&document.notes.iter().map(String::as_str).collect::<Vec<&str>>());
    });
    page.section("limits", "Limits", |page| page.table(limits(document)));
    page.section("time", "Over time", |page| {
        page.chart(latencies(document), "No read or write completed.");
    });
    page
}

fn limits(document: &ReplayDocument) -> HtmlTable {
    let amount = |limit: &ReplayLimit, value: Amount| {
        let unit = match limit.limiter.unit {
            LimitUnit::Iops => Unit::Count,
            LimitUnit::BytesPerS => Unit::Throughput,
        };
        Cell::quantity(Some(value), unit)
    };
    let title = |limit: &ReplayLimit| {
        let limiter = &limit.limiter;
        let title = family_title(&limiter.name, limiter.of.as_deref(), limiter.count as usize);
        if limiter.unit == LimitUnit::BytesPerS { format!("{title} MB/s") } else { title }
    };
    TableOf::new(
        REPLAY,
        "Limits, and their use in the replay and in its busiest second",
        document.limits.iter(),
    )
    .cell("limit", "limits[].limiter.name", |limit| Cell::Text(title(limit)))
    .cell("published", "limits[].limiter.limit", |limit| amount(limit, limit.limiter.limit))
    .cell("enforced", "limits[].limiter.enforced", |limit| amount(limit, limit.limiter.enforced))
    .cell("used", "limits[].limiter.share", |limit| Cell::quantity(Some(limit.limiter.share), Unit::Share))
    .cell("busiest second", "limits[].peak_share", |limit| {
        Cell::quantity(Some(limit.peak_share), Unit::Share)
    })
    .cell("held an I/O", "limits[].limiter.held_us", |limit| {
        Cell::quantity(Some(limit.limiter.held_us), Unit::Us)
    })
    .done()
}

fn latencies(document: &ReplayDocument) -> Chart {
    let y = Axis::log("latency", Unit::Us);
    let mut chart = Chart::new("Latency over time", seconds(), y, windows(document));
    let of = |figure: fn(&TraceLatency) -> f64| {
        let point = |point: &ReplayPoint| {
            point.latency.as_ref().map(|latency| (point.start_s.value(), figure(latency)))
        };
        thinned(document.series.iter().filter_map(point).collect())
    };
    chart.line("mean", 1, Stroke::Solid, of(|latency| latency.mean_us.value()));
    chart.line("p99", 2, Stroke::Dashed, of(|latency| latency.p99_us.value()));
    chart
}

fn windows(document: &ReplayDocument) -> HtmlTable {
    let latency = |point: &ReplayPoint, of: fn(&TraceLatency) -> Microseconds| {
        Cell::quantity(point.latency.as_ref().map(of), Unit::Us)
    };
    TableOf::new(REPLAY, "Windows", document.series.iter().take(POINTS))
        .cell("start", "series[].start_s", |point| Cell::quantity(Some(point.start_s), Unit::Seconds))
        .cell("IOPS", "series[].iops", |point| Cell::quantity(Some(point.iops), Unit::Count))
        .cell("throughput", "series[].throughput_bytes_per_s", |point| {
            Cell::quantity(Some(point.throughput_bytes_per_s), Unit::Throughput)
        })
        .cell("mean", "series[].latency.mean_us", |point| latency(point, |latency| latency.mean_us))
        .cell("p99", "series[].latency.p99_us", |point| latency(point, |latency| latency.p99_us))
        .cell("held by", "series[].bound_by", |point| Cell::words(point.bound_by.as_deref().unwrap_or("")))
        .done()
}
