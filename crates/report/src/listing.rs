//! A list of entries: one list of rows for text, JSON and CSV.

use iobound_documents::{CatalogDocument, CatalogListing, CatalogRows, Quantity, Usd, Version};
use iobound_units::{Bytes, GIB};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::csv::{cell, line};
use crate::document::Document;
use crate::limit::grouped;
use crate::number::{money_text, rounded, unit_price_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A list of entries with their figures.
#[derive(Clone, Debug)]
pub struct Listing {
    document: CatalogListing,
    titles: &'static [&'static str],
    /// The title of a column that is wrapped before others are left out.
    prose: Option<&'static str>,
    /// The keys of a row: the columns.
    keys: Vec<String>,
    /// The rows as cells of a page.
    cells: Vec<Vec<ListingCell>>,
    /// The rows as values of CSV.
    values: Vec<Vec<String>>,
}

/// A figure or a word; unknown values are named as such, and `-` is a value that does not exist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ListingCell {
    Word(String),
    Count(u64),
    /// Bytes a second.
    Rate(u64),
    /// Bytes.
    Size(Bytes),
    Flag(bool),
    /// US dollars.
    Money(Usd),
    /// The price of a unit, with all its digits.
    UnitPrice(Usd),
    Unknown,
    Absent,
}

impl ListingCell {
    pub(crate) fn count(count: Option<u64>) -> ListingCell {
        count.map_or(ListingCell::Unknown, ListingCell::Count)
    }

    pub(crate) fn rate(rate: Option<u64>) -> ListingCell {
        rate.map_or(ListingCell::Unknown, ListingCell::Rate)
    }

    pub(crate) fn size(size: Option<u64>) -> ListingCell {
        size.map_or(ListingCell::Unknown, |size| ListingCell::Size(Bytes(size)))
    }

    pub(crate) fn flag(flag: Option<bool>) -> ListingCell {
        flag.map_or(ListingCell::Unknown, ListingCell::Flag)
    }

    pub(crate) fn word(word: Option<&str>) -> ListingCell {
        word.map_or(ListingCell::Unknown, |word| ListingCell::Word(word.into()))
    }

    fn is_word(&self) -> bool {
        matches!(self, ListingCell::Word(_))
    }

    fn text(&self) -> String {
        match self {
            ListingCell::Word(word) => word.clone(),
            ListingCell::Count(count) => grouped(*count),
            ListingCell::Rate(rate) => {
                let mb = rounded(*rate as f64 / 1e6, 1);
                if mb.fract() == 0.0 { grouped(mb as u64) } else { mb.to_string() }
            }
            ListingCell::Size(size) if size.get() >= GIB => {
                let gib = rounded(size.get() as f64 / GIB as f64, 1);
                if gib.fract() == 0.0 { grouped(gib as u64) } else { gib.to_string() }
            }
            ListingCell::Size(size) => rounded(size.get() as f64 / GIB as f64, 3).to_string(),
            ListingCell::Flag(true) => "yes".into(),
            ListingCell::Flag(false) => "no".into(),
            ListingCell::Money(usd) => money_text(usd.value()),
            ListingCell::UnitPrice(usd) => unit_price_text(usd.value()),
            ListingCell::Unknown => "unknown".into(),
            ListingCell::Absent => "-".into(),
        }
    }

    /// A value of CSV. An unknown figure says so: an empty cell would be read as zero.
    fn csv(&self, value: &Value) -> String {
        match (self, value) {
            (ListingCell::Unknown, _) => "unknown".into(),
            (ListingCell::Absent, _) => String::new(),
            (_, value) => cell(value),
        }
    }
}

impl Listing {
    /// A list of rows; `cells` has a cell for each key of a row.
    pub(crate) fn new<R: Serialize + Default>(
        kind: &str,
        titles: &'static [&'static str],
        rows: Vec<R>,
        cells: impl Fn(&R) -> Vec<ListingCell>,
        of: impl FnOnce(Vec<R>) -> CatalogRows,
    ) -> Listing {
        let keys: Vec<String> = object(&R::default()).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys.len(), titles.len(), "a column of {kind} has a title");
        let shown: Vec<Vec<ListingCell>> = rows.iter().map(&cells).collect();
        let values = rows.iter().zip(&shown).map(|(row, cells)| {
            assert_eq!(cells.len(), keys.len(), "a row of {kind} has a cell for each column");
            object(row).values().zip(cells).map(|(value, cell)| cell.csv(value)).collect()
        });
        Listing {
            values: values.collect(),
            titles,
            prose: None,
            keys,
            cells: shown,
            document: CatalogListing {
                schema: Version::default(),
                kind: kind.to_string(),
                count: rows.len() as u64,
                rows: of(rows),
                notes: Vec::new(),
            },
        }
    }

    /// Wraps a column before others are left out.
    pub(crate) fn wrapping(self, title: &'static str) -> Listing {
        Listing { prose: Some(title), ..self }
    }

    /// Adds a sentence below the table, on a page and in JSON.
    pub fn remark(&mut self, remark: impl Into<String>) {
        self.document.notes.push(remark.into());
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True if nothing passed.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The page: a table, then the remarks.
    pub fn text(&self, style: Style) -> String {
        let mut page = Page::new(style);
        let columns = self.titles.iter().enumerate().map(|(index, title)| {
            let words = self.cells.iter().all(|row| row[index].is_word());
            if self.prose == Some(*title) {
                Column::prose(title)
            } else if words {
                Column::words(title)
            } else {
                Column::figures(title)
            }
        });
        let mut table = Table::new(columns.collect());
        for row in &self.cells {
            table.row(row.iter().map(ListingCell::text).collect());
        }
        if !self.cells.is_empty() {
            for line in table.lines(page.width()) {
                page.line(&line);
            }
        }
        page.gap();
        for remark in &self.document.notes {
            page.paragraph(remark);
        }
        let left = if self.cells.is_empty() { 0 } else { table.left_out(page.width()) };
        if left > 0 {
            page.paragraph(&format!("columns left out: {left} (--wide has all)"));
        }
        page.text()
    }

    /// The document.
    pub fn json(&self) -> Document {
        CatalogDocument::Listing(self.document.clone()).into()
    }

    /// The table as comma-separated values (RFC 4180), the keys first.
    pub fn csv(&self) -> String {
        let mut text = line(&self.keys);
        for row in &self.values {
            text.push_str(&line(row));
        }
        text
    }
}

/// A row as JSON.
fn object(row: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(map)) => map,
        _ => unreachable!("a row is an object whose keys are strings"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_documents::MachineRow;

    fn listing() -> Listing {
        let row = |name: &str, read_iops, source: &str| MachineRow {
            name: name.into(),
            read_iops,
            source: source.into(),
            ..MachineRow::default()
        };
        let rows = vec![row("A1", Some(51_200), "one, two"), row("A2", None, "\"x\"")];
        crate::catalog::machines_listing(rows)
    }

    #[test]
    fn what_is_unknown_is_said_to_be_unknown() {
        let listing = listing();
        let style = Style { width: Some(100), color: false, ascii: false };
        assert!(listing.text(style).contains("unknown"), "{}", listing.text(style));
        assert!(listing.json().text().contains("\"read_iops\": null"));
        let csv = listing.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "name,type,read_iops,read_bytes_per_s,write_iops,write_bytes_per_s,as_of,source"
        );
        assert_eq!(lines[1], "A1,,51200,unknown,unknown,unknown,unknown,\"one, two\"");
        assert_eq!(lines[2], "A2,,unknown,unknown,unknown,unknown,unknown,\"\"\"x\"\"\"");
    }

    #[test]
    fn amounts_print_in_the_unit_of_their_column() {
        for (cell, text) in [
            (ListingCell::Rate(512_000_000), "512"),
            (ListingCell::Rate(81_250_000), "81.3"),
            (ListingCell::Rate(1_200_000_000), "1,200"),
            (ListingCell::Size(Bytes(4 << 40)), "4,096"),
            (ListingCell::UnitPrice(Usd::of(0.125)), "0.125"),
            (ListingCell::Money(Usd::of(135.168)), "135.17"),
            (ListingCell::Absent, "-"),
        ] {
            assert_eq!(cell.text(), text);
        }
    }
}
