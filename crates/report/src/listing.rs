//! A list of entries: one table for text, JSON and CSV.

use iobound_units::{Bytes, GIB};
use serde_json::{Map, Value};

use crate::csv::line;
use crate::document::Document;
use crate::limit::grouped;
use crate::number::{figure, money_text, rounded};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A list of entries with their figures.
#[derive(Clone, Debug)]
pub struct Listing {
    kind: &'static str,
    heads: Vec<Head>,
    rows: Vec<Vec<Cell>>,
    remarks: Vec<String>,
}

/// A column: its key in JSON and CSV, its title on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) key: &'static str,
    pub(crate) title: &'static str,
}

/// A figure or a word; what is not known is said to be unknown, and what does not exist is `-`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Word(String),
    Count(u64),
    /// Bytes a second.
    Rate(u64),
    /// Bytes.
    Size(Bytes),
    Flag(bool),
    /// US dollars.
    Money(f64),
    Unknown,
    Absent,
}

impl Cell {
    pub(crate) fn count(count: Option<u64>) -> Cell {
        count.map_or(Cell::Unknown, Cell::Count)
    }

    pub(crate) fn rate(rate: Option<u64>) -> Cell {
        rate.map_or(Cell::Unknown, Cell::Rate)
    }

    pub(crate) fn size(size: Option<Bytes>) -> Cell {
        size.map_or(Cell::Unknown, Cell::Size)
    }

    pub(crate) fn flag(flag: Option<bool>) -> Cell {
        flag.map_or(Cell::Unknown, Cell::Flag)
    }

    pub(crate) fn word(word: Option<&str>) -> Cell {
        word.map_or(Cell::Unknown, |word| Cell::Word(word.into()))
    }

    fn is_word(&self) -> bool {
        matches!(self, Cell::Word(_))
    }

    fn text(&self) -> String {
        match self {
            Cell::Word(word) => word.clone(),
            Cell::Count(count) => grouped(*count),
            Cell::Rate(rate) => {
                let mb = rounded(*rate as f64 / 1e6, 1);
                if mb.fract() == 0.0 { grouped(mb as u64) } else { mb.to_string() }
            }
            Cell::Size(size) if size.get() >= GIB => {
                let gib = rounded(size.get() as f64 / GIB as f64, 1);
                if gib.fract() == 0.0 { grouped(gib as u64) } else { gib.to_string() }
            }
            Cell::Size(size) => rounded(size.get() as f64 / GIB as f64, 3).to_string(),
            Cell::Flag(true) => "yes".into(),
            Cell::Flag(false) => "no".into(),
            Cell::Money(usd) => money_text(*usd),
            Cell::Unknown => "unknown".into(),
            Cell::Absent => "-".into(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Word(word) => word.clone().into(),
            Cell::Count(count) | Cell::Rate(count) | Cell::Size(Bytes(count)) => (*count).into(),
            Cell::Flag(flag) => (*flag).into(),
            Cell::Money(usd) => figure(*usd, 6),
            Cell::Unknown | Cell::Absent => Value::Null,
        }
    }

    /// As in JSON, but that an unknown figure says so: an empty cell would be read as zero.
    fn csv(&self) -> String {
        match self {
            Cell::Unknown => "unknown".into(),
            Cell::Absent => String::new(),
            Cell::Word(word) => word.clone(),
            other => other.json().to_string(),
        }
    }
}

impl Listing {
    pub(crate) fn new(kind: &'static str, heads: Vec<Head>) -> Listing {
        Listing { kind, heads, rows: Vec::new(), remarks: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.heads.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    /// Adds a sentence below the table, on a page and in JSON.
    pub fn remark(&mut self, remark: impl Into<String>) {
        self.remarks.push(remark.into());
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if nothing passed.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The page: a table, then the remarks.
    pub fn text(&self, style: Style) -> String {
        let mut page = Page::new(style);
        let columns = self.heads.iter().enumerate().map(|(index, head)| {
            let words = self.rows.iter().all(|row| row[index].is_word());
            if words { Column::words(head.title) } else { Column::figures(head.title) }
        });
        let mut table = Table::new(columns.collect());
        for row in &self.rows {
            table.row(row.iter().map(Cell::text).collect());
        }
        if !self.rows.is_empty() {
            for line in table.lines(page.width()) {
                page.line(&line);
            }
        }
        page.gap();
        for remark in &self.remarks {
            page.paragraph(remark);
        }
        let left = if self.rows.is_empty() { 0 } else { table.left_out(page.width()) };
        if left > 0 {
            page.paragraph(&format!("columns left out: {left} (--wide has all)"));
        }
        page.text()
    }

    /// The document.
    pub fn json(&self) -> Document {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let cells =
                    self.heads.iter().zip(row).map(|(head, cell)| (head.key.to_string(), cell.json()));
                Value::Object(cells.collect::<Map<String, Value>>())
            })
            .collect();
        Document::new("iobound.catalog/1")
            .with("kind", self.kind)
            .with("count", rows.len())
            .with("rows", rows)
            .with("notes", self.remarks.clone())
    }

    /// The table as comma-separated values (RFC 4180), the keys first.
    pub fn csv(&self) -> String {
        let keys: Vec<&str> = self.heads.iter().map(|head| head.key).collect();
        let mut text = line(keys);
        for row in &self.rows {
            text.push_str(&line(row.iter().map(Cell::csv)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let head = |key, title| Head { key, title };
        let mut listing =
            Listing::new("vms", vec![head("name", "name"), head("iops", "IOPS"), head("note", "note")]);
        listing.row(vec![Cell::Word("A1".into()), Cell::Count(51_200), Cell::Word("one, two".into())]);
        listing.row(vec![Cell::Word("A2".into()), Cell::Unknown, Cell::Word("\"x\"".into())]);
        listing
    }

    #[test]
    fn what_is_unknown_is_said_to_be_unknown() {
        let listing = listing();
        let style = Style { width: Some(100), color: false, ascii: false };
        assert!(listing.text(style).contains("A2    unknown"), "{}", listing.text(style));
        assert!(listing.json().text().contains("\"iops\": null"));
        assert_eq!(listing.csv(), "name,iops,note\nA1,51200,\"one, two\"\nA2,unknown,\"\"\"x\"\"\"\n");
    }

    #[test]
    fn amounts_print_in_the_unit_of_their_column() {
        for (cell, text) in [
            (Cell::Rate(512_000_000), "512"),
            (Cell::Rate(81_250_000), "81.3"),
            (Cell::Rate(1_200_000_000), "1,200"),
            (Cell::Size(Bytes(4 << 40)), "4,096"),
            (Cell::Money(0.000_035), "0.000035"),
            (Cell::Money(135.168), "135.17"),
            (Cell::Absent, "-"),
        ] {
            assert_eq!(cell.text(), text);
        }
    }
}
