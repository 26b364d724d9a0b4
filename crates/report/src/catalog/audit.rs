use iobound_catalog::{AuditRow, Doubt};
use iobound_documents::{AuditPart, CatalogRows};

use crate::listing::{Listing, ListingCell};

const TITLES: &[&str] =
    &["doubt", "cloud", "figure, or date", "family, source or region", "sizes", "such as"];

/// Doubtful figures as a list: most sizes first in each kind of doubt, prices last.
pub fn audit_listing(rows: &[AuditRow], before: u64) -> Listing {
    let mut sorted: Vec<&AuditRow> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.doubt, row.figure == "Linux price", std::cmp::Reverse(row.sizes)));
    let parts = sorted.into_iter().map(part).collect();
    let mut listing = Listing::new("audit", TITLES, parts, cells, CatalogRows::Audit);
    for doubt in Doubt::ALL.into_iter().filter(|doubt| rows.iter().any(|row| row.doubt == *doubt)) {
        listing.remark(format!("{}: {}", doubt.name(), reason(doubt, before)));
    }
    if rows.is_empty() {
        listing.remark("no figure is doubtful");
    }
    listing
}

fn reason(doubt: Doubt, before: u64) -> String {
    match doubt {
        Doubt::Unknown => {
            "no page that can be read states the figure: it is left out or refused, never guessed. A size without a price in a region may not be sold there"
                .into()
        }
        Doubt::Old => format!("the source is from before {before}, or has no date"),
        Doubt::Contradictory => {
            "two sources differ: `iobound catalog show NAME` has both figures and the one that is used".into()
        }
    }
}

fn part(row: &AuditRow) -> AuditPart {
    AuditPart {
        doubt: row.doubt.name().into(),
        cloud: row.cloud.name().into(),
        figure: row.figure.clone(),
        of: row.of.clone(),
        sizes: row.sizes,
        example: row.example.clone(),
    }
}

fn cells(part: &AuditPart) -> Vec<ListingCell> {
    vec![
        ListingCell::Word(part.doubt.clone()),
        ListingCell::Word(part.cloud.clone()),
        ListingCell::Word(part.figure.clone()),
        ListingCell::Word(part.of.clone()),
        ListingCell::Count(part.sizes),
        ListingCell::Word(part.example.clone()),
    ]
}
