//! The page of a plan.

use serde_json::Value;

use super::super::chart::{Axis, Chart, Stroke};
use super::super::gates::binding_words;
use super::super::markup::Markup;
use super::super::page::Page;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::Table;
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text, words};
use super::cluster;

const SCHEMA: &str = "iobound.plan/1";

pub(in super::super) fn plan(document: &Value) -> Page {
    let need = at(document, "need.data");
    let shown =
        |path: &str, unit: Unit| number(need, path).map_or_else(String::new, |value| unit.shown(value));
    let hosts = number(document, "cluster.hosts");
    let title = format!(
        "Cheapest configurations for {} IOPS of {}{}",
        shown("iops", Unit::Count),
        shown("block_bytes", Unit::Bytes),
        hosts.map_or(String::new(), |hosts| format!(" on {} hosts", Unit::Count.shown(hosts)))
    );
    let places: Vec<&str> = list(document, "places").iter().map(|place| text(place, "region")).collect();
    let subtitle = format!(
        "{} reads, {}; list prices of {}; {}",
        shown("read", Unit::Share),
        shown("capacity_bytes", Unit::Bytes),
        places.join(", "),
        text(document, "terms")
    );
    let mut page = Page::new(SCHEMA, &title, &subtitle);
    let candidates = list(document, "candidates");
    page.section("first", "The cheapest", |page| first(page, candidates, document));
    if hosts.is_some() {
        page.section("hosts", "How many hosts", |page| cluster::planned(page, document));
    }
    page.section("price", "Price against IOPS", |page| {
        page.chart(frontier(document), "A frontier needs more than one price.");
    });
    page.section("candidates", "Candidates", |page| {
        put_candidates(page, candidates);
    });
    page.section("refused", "What is cheaper, and why it is not taken", |page| refused(page, document));
    page.section("regret", "What you overpay in a range", |page| regret(page, document));
    page.section("build", "How to build it", |page| build(page, document));
    page.section("assumed", "What was assumed", |page| {
        for key in ["assumed", "notes"] {
            let items: Vec<&str> = list(document, key).iter().filter_map(Value::as_str).collect();
            page.list(&items);
        }
    });
    page
}

/// `D16as_v7: 11 x ...`, `8 x D16as_v7: 11 x ...`: what is bought.
fn bought(of: &Value) -> String {
    let vm = text(of, "configuration.vm");
    let vm = vm.strip_prefix("Standard_").unwrap_or(vm);
    let hosts = number(of, "cluster.hosts");
    let hosts = hosts.map_or(String::new(), |hosts| format!("{} x ", Unit::Count.shown(hosts)));
    format!("{hosts}{vm}: {}", words(of, "configuration.disks"))
}

fn first(page: &mut Page, candidates: &[Value], document: &Value) {
    let Some(of) = candidates.first() else {
        let nearest = text(document, "miss.nearest.vm");
        let reached = match number(document, "miss.reached") {
            Some(share) => format!(" The nearest, {nearest}, has {} of it.", Unit::Share.shown(share)),
            None if !nearest.is_empty() => {
                format!(" The nearest is {nearest}: {}.", text(document, "miss.nearest.because"))
            }
            None => String::new(),
        };
        page.absent(&format!("No available configuration meets the need.{reached}"));
        return;
    };
    page.put(|out| out.line("p", &[("class", "lead")], &bought(of)));
    let figure = |path: &str, unit: Unit| Cell::figure(at(of, path), unit);
    let as_of = text(of, "price.as_of");
    let as_of = if as_of.is_empty() { String::new() } else { format!("a month, prices of {as_of}") };
    page.tiles(&[
        ("USD", "candidates[].price.month", figure("price.month", Unit::Usd), as_of),
        (
            "IOPS",
            "candidates[].predicted.delivers.iops",
            figure("predicted.delivers.iops", Unit::Count),
            "on limits as published".into(),
        ),
        (
            "throughput",
            "candidates[].predicted.delivers.throughput_bytes_per_s",
            figure("predicted.delivers.throughput_bytes_per_s", Unit::Throughput),
            String::new(),
        ),
        (
            "p99 at the requested rate",
            "candidates[].predicted.at_rate.latency_us.p99",
            figure("predicted.at_rate.latency_us.p99", Unit::Us),
            String::new(),
        ),
        ("bound by", "candidates[].binding", Cell::words(&binding_words(text(of, "binding"))), String::new()),
        (
            "1,000 IOPS more",
            "next_1000_iops_month",
            Cell::figure(at(document, "next_1000_iops_month"), Unit::Usd),
            "USD a month".into(),
        ),
    ]);
}

fn frontier(document: &Value) -> Chart {
    let points = list(document, "frontier");
    let candidates = list(document, "candidates");
    let mut table = Table::new(SCHEMA, "The lowest price for each number of IOPS")
        .column("IOPS", "frontier[].iops")
        .column("USD a month", "frontier[].month")
        .column("VM", "frontier[].configuration.vm")
        .column("disks", "frontier[].configuration.disks");
    for point in points {
        table.row(vec![
            Cell::figure(at(point, "iops"), Unit::Count),
            Cell::figure(at(point, "month"), Unit::Usd),
            Cell::words(text(point, "configuration.vm")),
            Cell::words(&words(point, "configuration.disks")),
        ]);
    }
    let (x, y) = (Axis::linear("IOPS", Unit::Count), Axis::linear("USD a month", Unit::Usd));
    let mut chart = Chart::new("Price against IOPS", x, y, table);
    let mut line: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((number(point, "iops")?, number(point, "month")?))).collect();
    line.sort_by(|one, other| one.0.total_cmp(&other.0));
    chart.line("frontier: the lowest price for each number of IOPS", 1, Stroke::Solid, line);
    let mut bought: Vec<(f64, f64)> = candidates
        .iter()
        .filter_map(|of| Some((number(of, "predicted.delivers.iops")?, number(of, "price.month")?)))
        .collect();
    bought.sort_by(|one, other| one.0.total_cmp(&other.0));
    chart.line("candidates", 2, Stroke::Points, bought);
    chart.about = "The line is the lowest price for each number of IOPS, from a quarter of the need to four times the need.".into();
    chart
}

fn put_candidates(page: &mut Page, candidates: &[Value]) {
    let mut table = Table::new(SCHEMA, "Candidates, cheapest first")
        .column("VM", "candidates[].configuration.vm")
        .column("disks", "candidates[].configuration.disks")
        .column("USD a month", "candidates[].price.month")
        .column("IOPS", "candidates[].predicted.delivers.iops")
        .column("throughput", "candidates[].predicted.delivers.throughput_bytes_per_s")
        .column("bound by", "candidates[].binding")
        .column("per 1,000 IOPS", "candidates[].price.per_1000_iops")
        .column("p99 at the rate", "candidates[].predicted.at_rate.latency_us.p99")
        .column("vCPUs", "candidates[].configuration.vcpus")
        .column("memory", "candidates[].configuration.memory_bytes");
    let mut rows = Vec::new();
    for of in candidates {
        let figure = |path: &str, unit: Unit| Cell::figure(at(of, path), unit);
        table.row(vec![
            Cell::words(text(of, "configuration.vm")),
            Cell::words(&words(of, "configuration.disks")),
            figure("price.month", Unit::Usd),
            figure("predicted.delivers.iops", Unit::Count),
            figure("predicted.delivers.throughput_bytes_per_s", Unit::Throughput),
            Cell::Code(text(of, "binding").to_string()),
            figure("price.per_1000_iops", Unit::Usd),
            figure("predicted.at_rate.latency_us.p99", Unit::Us),
            figure("configuration.vcpus", Unit::Count),
            figure("configuration.memory_bytes", Unit::Bytes),
        ]);
        let Some(month) = number(of, "price.month") else { continue };
        let iops =
            number(of, "predicted.delivers.iops").map_or_else(String::new, |iops| Unit::Count.shown(iops));
        rows.push(Row {
            name: bought(of),
            says: format!("{iops} IOPS, bound by {}", binding_words(text(of, "binding"))),
            figures: format!("{} USD a month", Unit::Usd.shown(month)),
            bars: vec![Bar { from: 0.0, to: month, class: "fill1" }],
            ..Row::default()
        });
    }
    if rows.is_empty() {
        page.absent("There are no candidates.");
        return;
    }
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Usd, false, &mut picture);
    page.figure("Prices", "", &picture, Some(table));
}

fn refused(page: &mut Page, document: &Value) {
    let mut table = Table::new(SCHEMA, "Cheaper, but rejected")
        .column("VM", "refused[].vm")
        .column("because", "refused[].because")
        .column("USD a month", "refused[].price.month")
        .column("disks", "refused[].configuration.disks");
    for of in list(document, "refused") {
        table.row(vec![
            Cell::words(text(of, "vm")),
            Cell::words(text(of, "because")),
            Cell::figure(at(of, "price.month"), Unit::Usd),
            Cell::words(&words(of, "configuration.disks")),
        ]);
    }
    if table.is_empty() {
        page.absent("Nothing is cheaper.");
    }
    page.table(table);
    let mut counts = Table::new(SCHEMA, "Rejected sizes, by reason")
        .column("reason", "refused_counts[].rule")
        .column("sizes", "refused_counts[].sizes");
    for of in list(document, "refused_counts") {
        counts
            .row(vec![Cell::Code(text(of, "rule").to_string()), Cell::figure(at(of, "sizes"), Unit::Count)]);
    }
    page.table(counts);
}

fn regret(page: &mut Page, document: &Value) {
    let mut table =
        Table::new(SCHEMA, "Additional cost of each build over the best one, at each point of the range")
            .column("VM", "regret[].configuration.vm")
            .column("disks", "regret[].configuration.disks")
            .column("IOPS", "regret[].iops")
            .column("USD a month", "regret[].month")
            .column("at worst", "regret[].worst_month")
            .column("on average", "regret[].mean_month");
    for of in list(document, "regret") {
        table.row(vec![
            Cell::words(text(of, "configuration.vm")),
            Cell::words(&words(of, "configuration.disks")),
            Cell::figure(at(of, "iops"), Unit::Count),
            Cell::figure(at(of, "month"), Unit::Usd),
            Cell::figure(at(of, "worst_month"), Unit::Usd),
            Cell::figure(at(of, "mean_month"), Unit::Usd),
        ]);
    }
    page.table(table);
}

fn build(page: &mut Page, document: &Value) {
    for of in list(document, "build") {
        page.put(|out| {
            out.line("h3", &[], text(of, "tool"));
            let commands = match at(of, "commands") {
                Value::Array(lines) => {
                    lines.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join("\n")
                }
                other => other.as_str().unwrap_or_default().to_string(),
            };
            out.element("pre", &[("tabindex", "0")], |out| out.line("code", &[], &commands));
        });
    }
}
