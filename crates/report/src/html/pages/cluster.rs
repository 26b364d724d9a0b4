//! Parts of a page about several hosts: of a prediction what adds up and what waits, of a plan what each number of hosts costs.

use iobound_documents::{PlanCluster, Quantity};
use serde_json::Value;

use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::HtmlTable;
use super::super::unit::{Cell, Unit};
use super::super::value::{at, number};
use super::plan::{disks_cell, vm_cell};

const PREDICT: &str = "iobound.predict/1";
const PLAN: &str = "iobound.plan/1";

/// The cluster of a prediction's stage.
pub(super) fn predicted(page: &mut HtmlPage, of: &Value) {
    page.paragraph("The first table covers queries that wait for no other host: its figures are sums. A scan ends with its slowest host.");
    page.table(sums(of));
    page.table(one_row(
        of,
        PREDICT,
        "The slowest host, its range in nine of ten clusters",
        &[
            ("slowest", "cluster.slowest.iops", Unit::Count),
            ("from", "cluster.slowest.low_iops", Unit::Count),
            ("to", "cluster.slowest.high_iops", Unit::Count),
            ("throughput", "cluster.slowest.throughput_bytes_per_s", Unit::Throughput),
            ("one as expected", "expected.iops", Unit::Count),
        ],
    ));
    scan(page, of);
}

/// A table of one row: each column with the path of its figure.
fn one_row(
    of: &Value,
    schema: &'static str,
    title: &str,
    columns: &[(&str, &'static str, Unit)],
) -> HtmlTable {
    let table = HtmlTable::new(schema, title);
    let mut table = columns.iter().fold(table, |table, (label, path, _)| table.column(label, path));
    table.row(columns.iter().map(|(_, path, unit)| Cell::figure(at(of, path), *unit)).collect());
    table
}

fn sums(of: &Value) -> HtmlTable {
    one_row(
        of,
        PREDICT,
        "All hosts together",
        &[
            ("hosts", "cluster.hosts", Unit::Count),
            ("expected", "cluster.expected.iops", Unit::Count),
            ("low", "cluster.expected.low_iops", Unit::Count),
            ("high", "cluster.expected.high_iops", Unit::Count),
            ("throughput", "cluster.expected.throughput_bytes_per_s", Unit::Throughput),
            ("ceiling", "cluster.ceiling.iops", Unit::Count),
            ("at first", "cluster.burst.iops", Unit::Count),
            ("for", "cluster.burst.seconds", Unit::Seconds),
            ("USD a month", "cluster.price.month", Unit::Usd),
        ],
    )
}

/// A scan of all data at the three rates.
fn scan(page: &mut HtmlPage, of: &Value) {
    let share =
        number(of, "cluster.scan.slow_host.share").map_or(String::new(), |share| Unit::Share.shown(share));
    let mut table = HtmlTable::new(PREDICT, "A scan of all data")
        .column("hosts are", "cluster.scan")
        .column("throughput", "cluster.scan.waiting.throughput_bytes_per_s")
        .column("takes", "cluster.scan.waiting.seconds")
        .column("data", "cluster.scan.data_bytes")
        .column("lost", "cluster.scan.slow_host.lost")
        .column("in hosts", "cluster.scan.slow_host.lost_hosts")
        .column("queries lose", "cluster.scan.slow_host.lost_independent");
    let mut rows = Vec::new();
    for (key, says) in [
        ("equal", "equal".to_string()),
        ("waiting", "as they scatter".to_string()),
        ("slow_host", format!("one at {share}")),
    ] {
        let path = |figure: &str| format!("cluster.scan.{key}.{figure}");
        let cell = |figure: &str, unit: Unit| Cell::figure(at(of, &path(figure)), unit);
        table.row(vec![
            Cell::words(&says),
            cell("throughput_bytes_per_s", Unit::Throughput),
            cell("seconds", Unit::Seconds),
            Cell::figure(at(of, "cluster.scan.data_bytes"), Unit::Bytes),
            cell("lost", Unit::Share),
            cell("lost_hosts", Unit::Count),
            cell("lost_independent", Unit::Share),
        ]);
        let Some(rate) = number(of, &path("throughput_bytes_per_s")) else { continue };
        rows.push(Row {
            name: says,
            says: number(of, &path("seconds")).map_or(String::new(), |seconds| Unit::Seconds.shown(seconds)),
            figures: Unit::Throughput.shown(rate),
            bars: vec![Bar { from: 0.0, to: rate, class: "fill1" }],
            ..Row::default()
        });
    }
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Throughput, false, &mut picture);
    page.figure("A scan waits for the last host", "", &picture, Some(table));
}

/// Split of a plan's need, and the price of each number of hosts.
pub(super) fn planned(page: &mut HtmlPage, of: &PlanCluster) {
    let data = &of.need.data;
    let mut part = HtmlTable::new(PLAN, "Each host's part")
        .column("hosts", "cluster.hosts")
        .column("IOPS", "cluster.need.data.iops")
        .column("throughput", "cluster.need.data.throughput_bytes_per_s")
        .column("capacity", "cluster.need.data.capacity_bytes")
        .column("enough of the limits", "cluster.slow_host");
    part.row(vec![
        Cell::count(Some(of.hosts), Unit::Count),
        Cell::count(Some(data.iops), Unit::Count),
        Cell::count(Some(data.throughput_bytes_per_s), Unit::Throughput),
        Cell::count(Some(data.capacity_bytes), Unit::Bytes),
        Cell::quantity(Some(of.slow_host), Unit::Share),
    ]);
    page.table(part);
    let mut table = HtmlTable::new(PLAN, "The least price on each number of hosts")
        .column("hosts", "cluster.by_hosts[].hosts")
        .column("USD a month", "cluster.by_hosts[].month")
        .column("VM", "cluster.by_hosts[].configuration.vm")
        .column("disks of each", "cluster.by_hosts[].configuration.disks");
    let mut rows = Vec::new();
    for on in &of.by_hosts {
        table.row(vec![
            Cell::count(Some(on.hosts), Unit::Count),
            Cell::quantity(on.month, Unit::Usd),
            vm_cell(on.configuration.as_ref()),
            disks_cell(on.configuration.as_ref()),
        ]);
        let Some(month) = on.month.map(Quantity::value) else { continue };
        let hosts = on.hosts as f64;
        rows.push(Row {
            name: format!("{} hosts", Unit::Count.shown(hosts)),
            figures: format!("{} USD a month", Unit::Usd.shown(month)),
            bars: vec![Bar { from: 0.0, to: month, class: "fill1" }],
            ..Row::default()
        });
    }
    if !rows.is_empty() {
        let mut picture = Markup::new();
        put_rows(&rows, Unit::Usd, false, &mut picture);
        page.figure("Price of each number of hosts", "", &picture, Some(table));
    }
}
