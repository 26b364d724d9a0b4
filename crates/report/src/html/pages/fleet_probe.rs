//! The page of a probe of several machines: how far they differ, then the limits of each with their evidence.

use iobound_documents::{Contract, FleetProbeDocument, Quantity};

use super::super::page::HtmlPage;
use super::super::table::HtmlTable;
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
    let mut table = HtmlTable::new(SCHEMA, "Figures of the machines")
        .column("figure", "figures[].figure")
        .column("target", "figures[].target")
        .column("low", "figures[].low")
        .column("host", "figures[].low_host")
        .column("median", "figures[].median")
        .column("high", "figures[].high")
        .column("host", "figures[].high_host")
        .column("spread", "figures[].spread")
        .column("outliers", "figures[].outliers");
    for figure in &document.figures {
        table.row(vec![
            Cell::words(&figure.figure),
            Cell::count(Some(u64::from(figure.target)), Unit::Count),
            Cell::words(&value_text(&figure.unit, figure.low.value())),
            Cell::words(&figure.low_host),
            Cell::words(&value_text(&figure.unit, figure.median.value())),
            Cell::words(&value_text(&figure.unit, figure.high.value())),
            Cell::words(&figure.high_host),
            Cell::quantity(Some(figure.spread), Unit::Share),
            Cell::words(&figure.outliers.join(", ")),
        ]);
    }
    if table.is_empty() {
        page.absent("No figure is known of two machines.");
    } else {
        page.table(table);
    }
}
