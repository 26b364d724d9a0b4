//! The hosts of a run on several machines.

use iobound_units::Counted;
use serde_json::Value;

use super::super::limiters::binding_words;
use super::super::page::HtmlPage;
use super::super::table::TableOf;
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text};
use crate::number::rounded;

/// The ranks, missing ranks, and the figures of each host. Nothing for a run on one machine.
pub(super) fn hosts(page: &mut HtmlPage, run: &Value, schema: &'static str) {
    let fleet = at(run, "fleet");
    if fleet.is_null() {
        return;
    }
    for missing in list(fleet, "missing") {
        let rank = at(missing, "rank").as_u64().unwrap_or_default();
        let of = match text(missing, "host") {
            "" => String::new(),
            host => format!(" ({host})"),
        };
        let says = format!("Rank {rank}{of} is missing: {}", text(missing, "why"));
        page.put(|out| out.line("p", &[("class", "warning")], &says));
    }
    let ms = |path: &str| number(fleet, path).map(|ms| format!("{} ms", rounded(ms, 3)));
    if let Some(skew) = ms("start_skew_ms") {
        let known = ms("start_skew_uncertainty_ms").map_or(String::new(), |ms| format!(", known to {ms}"));
        let ranks = at(fleet, "ranks").as_u64().unwrap_or_default();
        page.paragraph(&format!(
            "{} by {} began within {skew}{known}.",
            Counted(ranks, "rank"),
            text(fleet, "launcher")
        ));
    }
    let table = TableOf::new(schema, "Figures of each host", list(run, "hosts"))
        .words("host", "hosts[].label")
        .figure("rank", "hosts[].rank", Unit::Count)
        .figure("IOPS", "hosts[].iops", Unit::Count)
        .figure("throughput", "hosts[].throughput_bytes_per_s", Unit::Throughput)
        .figure("mean", "hosts[].latency_us.mean", Unit::Us)
        .figure("p99", "hosts[].latency_us.p99", Unit::Us)
        .figure("max", "hosts[].latency_us.max", Unit::Us)
        .figure("errors", "hosts[].errors", Unit::Count)
        .figure("start in ms", "hosts[].start_offset_ms", Unit::Ratio)
        .words("engine", "hosts[].engine")
        .words("ended", "hosts[].ended")
        .cell("bound by", "hosts[].bound.by", |host| match text(host, "bound.by") {
            "" => Cell::Unknown,
            bound => Cell::words(&binding_words(bound)),
        })
        .done();
    page.table(table.without_empty_columns());
}
