use iobound_catalog::{AuditRow, Doubt};

use crate::listing::{Cell, Head, Listing};

const HEADS: [Head; 6] = [
    Head { key: "doubt", title: "doubt" },
    Head { key: "cloud", title: "cloud" },
    Head { key: "figure", title: "figure, or date" },
    Head { key: "of", title: "family, or source" },
    Head { key: "sizes", title: "sizes" },
    Head { key: "example", title: "such as" },
];

/// Doubtful figures as a list: most sizes first in each kind of doubt.
pub fn audit_listing(rows: &[AuditRow], before: u64) -> Listing {
    let mut listing = Listing::new("audit", HEADS.to_vec());
    let mut sorted: Vec<&AuditRow> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.doubt, std::cmp::Reverse(row.sizes)));
    for row in sorted {
        listing.row(vec![
            Cell::Word(row.doubt.name().into()),
            Cell::Word(row.cloud.name().into()),
            Cell::Word(row.figure.clone()),
            Cell::Word(row.of.clone()),
            Cell::Count(row.sizes),
            Cell::Word(row.example.clone()),
        ]);
    }
    if rows.iter().any(|row| row.doubt == Doubt::Old) {
        listing.remark(format!("old: the source is from before {before}, or has no date"));
    }
    if rows.iter().any(|row| row.doubt == Doubt::Contradictory) {
        listing
            .remark("contradictory: `iobound catalog show NAME` has both figures and the one that is used");
    }
    if rows.is_empty() {
        listing.remark("no figure is doubtful");
    }
    listing
}
