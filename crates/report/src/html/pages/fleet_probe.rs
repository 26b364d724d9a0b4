//! The page of a probe of several machines: how far they differ, then the limits of each with their evidence.

use iobound_documents::{Contract, FleetProbeDocument, Quantity};

use super::super::page::HtmlPage;
use super::super::table::TableOf;
use super::super::unit::{Cell, Unit};
use super::probe;
use crate::fleet::value_text;

const SCHEMA: &str = FleetProbeDocument::ID;

pub(in super::super) fn fleet_probe(document: &FleetProbeDocument) -> HtmlPage {
    let answered = document.hosts.iter().filter(|host| host.probe.is_some()).count();
    let subtitle = format!("{answered} of {} machines answered", document.hosts.len());
    let mut page = HtmlPage::new(SCHEMA, "Limits of the disks of several machines", &subtitle);
    page.section("figures", "How far the machines differ", |page| figures(page, document));
    for host in &document.hosts {
        let id = format!("host-{}", host.rank);
        page.section(&id, &host.host, |page| {
            if let Some(why) = &host.failure {
                page.absent(&format!("No answer: {why}."));
            }
            let Some(found) = &host.probe else { return };
            probe::limits(page, found);
            for limit in &found.limits {
                page.paragraph(&format!(
                    "Evidence: {} of {}, {}",
                    limit.counts,
                    limit.of,
                    limit.targets.join(", ")
                ));
                probe::evidence(page, limit);
            }
            for target in &found.targets {
                probe::put_target(page, target);
            }
        });
    }
    page
}

fn figures(page: &mut HtmlPage, document: &FleetProbeDocument) {
    let table = TableOf::new(SCHEMA, "Figures of the machines", &document.figures)
        .cell("figure", "figures[].figure", |figure| Cell::words(&figure.figure))
        .cell("target", "figures[].target", |figure| Cell::count(Some(u64::from(figure.target)), Unit::Count))
        .cell("low", "figures[].low", |figure| Cell::words(&value_text(&figure.unit, figure.low.value())))
        .cell("host", "figures[].low_host", |figure| Cell::words(&figure.low_host))
        .cell("median", "figures[].median", |figure| {
            Cell::words(&value_text(&figure.unit, figure.median.value()))
        })
        .cell("high", "figures[].high", |figure| Cell::words(&value_text(&figure.unit, figure.high.value())))
        .cell("host", "figures[].high_host", |figure| Cell::words(&figure.high_host))
        .cell("spread", "figures[].spread", |figure| Cell::quantity(Some(figure.spread), Unit::Share))
        .cell("outliers", "figures[].outliers", |figure| Cell::words(&figure.outliers.join(", ")))
        .done();
    if table.is_empty() {
        page.absent("No figure is known of two machines.");
    } else {
        page.table(table);
    }
}
