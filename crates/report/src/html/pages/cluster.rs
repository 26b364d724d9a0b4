//! Parts of a page about several hosts: of a prediction what adds up and what waits, of a plan what each number of hosts costs.

use iobound_documents::{PlanCluster, Quantity};
use serde_json::Value;

use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, number};
use super::plan::{disks_cell, vm_cell};

const PREDICT: &str = "iobound.predict/2";
const PLAN: &str = "iobound.plan/1";

/// The cluster of a prediction's stage.
pub(super) fn predicted(page: &mut HtmlPage, of: &Value) {
    page.paragraph("The first table covers queries that wait for no other host: its figures are sums. A scan ends with its slowest host.");
    page.table(sums(of));
    page.table(
        TableOf::new(PREDICT, "The slowest host, its range in nine of ten clusters", [of])
            .figure("slowest", "cluster.slowest.iops", Unit::Count)
            .figure("from", "cluster.slowest.low_iops", Unit::Count)
            .figure("to", "cluster.slowest.high_iops", Unit::Count)
            .figure("throughput", "cluster.slowest.throughput_bytes_per_s", Unit::Throughput)
            .figure("one as expected", "expected.iops", Unit::Count)
            .done(),
    );
    scan(page, of);
}

fn sums(of: &Value) -> HtmlTable {
    TableOf::new(PREDICT, "All hosts together", [of])
        .figure("hosts", "cluster.hosts", Unit::Count)
        .figure("expected", "cluster.expected.iops", Unit::Count)
        .figure("low", "cluster.expected.low_iops", Unit::Count)
        .figure("high", "cluster.expected.high_iops", Unit::Count)
        .figure("throughput", "cluster.expected.throughput_bytes_per_s", Unit::Throughput)
        .figure("ceiling", "cluster.ceiling.iops", Unit::Count)
        .figure("at first", "cluster.burst.iops", Unit::Count)
        .figure("for", "cluster.burst.seconds", Unit::Seconds)
        .figure("USD a month", "cluster.price.month", Unit::Usd)
        .done()
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
    let part = TableOf::new(PLAN, "Each host's part", [of])
        .cell("hosts", "cluster.hosts", |of| Cell::count(Some(of.hosts), Unit::Count))
        .cell("IOPS", "cluster.need.data.iops", |_| Cell::count(Some(data.iops), Unit::Count))
        .cell("throughput", "cluster.need.data.throughput_bytes_per_s", |_| {
            Cell::count(Some(data.throughput_bytes_per_s), Unit::Throughput)
        })
        .cell("capacity", "cluster.need.data.capacity_bytes", |_| {
            Cell::count(Some(data.capacity_bytes), Unit::Bytes)
        })
        .cell("enough of the limits", "cluster.slow_host", |of| {
            Cell::quantity(Some(of.slow_host), Unit::Share)
        })
        .done();
    page.table(part);
    let table = TableOf::new(PLAN, "The least price on each number of hosts", &of.by_hosts)
        .cell("hosts", "cluster.by_hosts[].hosts", |on| Cell::count(Some(on.hosts), Unit::Count))
        .cell("USD a month", "cluster.by_hosts[].month", |on| Cell::quantity(on.month, Unit::Usd))
        .cell("VM", "cluster.by_hosts[].configuration.vm", |on| vm_cell(on.configuration.as_ref()))
        .cell("disks of each", "cluster.by_hosts[].configuration.disks", |on| {
            disks_cell(on.configuration.as_ref())
        })
        .done();
    let mut rows = Vec::new();
    for on in &of.by_hosts {
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
