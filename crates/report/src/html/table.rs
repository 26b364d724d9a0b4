//! Tables: what a picture shows, figure by figure, with what each means below.

use serde_json::Value;

use super::definitions::meaning;
use super::markup::Markup;
use super::unit::{Cell, Unit};
use super::value::{at, text};

/// A column: its title, and the key whose definition it has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HtmlColumn {
    title: String,
    schema: &'static str,
    key: &'static str,
}

/// Labels of pages besides the keys of documents are defined below this heading.
pub(super) const OF_PAGES: &str = "iobound.page/1";

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HtmlTable {
    caption: String,
    schema: &'static str,
    columns: Vec<HtmlColumn>,
    rows: Vec<Vec<Cell>>,
}

impl HtmlTable {
    /// An empty table; its keys are those of documents of this schema.
    pub(super) fn new(schema: &'static str, caption: &str) -> HtmlTable {
        HtmlTable { caption: caption.to_string(), schema, columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds a column for a key of the document.
    #[must_use]
    pub(super) fn column(mut self, title: &str, key: &'static str) -> HtmlTable {
        self.columns.push(HtmlColumn { title: title.to_string(), schema: self.schema, key });
        self
    }

    /// Adds a column for what the page adds.
    #[must_use]
    pub(super) fn own_column(mut self, title: &str, key: &'static str) -> HtmlTable {
        self.columns.push(HtmlColumn { title: title.to_string(), schema: OF_PAGES, key });
        self
    }

    /// Adds a row, a cell for each column.
    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column of {}", self.caption);
        self.rows.push(cells);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn caption(&self) -> &str {
        &self.caption
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The table without the columns in which nothing is known.
    #[must_use]
    pub(super) fn without_empty_columns(mut self) -> HtmlTable {
        let known: Vec<bool> = (0..self.columns.len())
            .map(|n| n == 0 || self.rows.iter().any(|row| row[n] != Cell::Unknown))
            .collect();
        let mut kept = known.iter();
        self.columns.retain(|_| *kept.next().unwrap_or(&true));
        for row in &mut self.rows {
            let mut kept = known.iter();
            row.retain(|_| *kept.next().unwrap_or(&true));
        }
        self
    }

    /// The table, and below it what its columns mean.
    pub(super) fn put(&self, out: &mut Markup) {
        self.put_bare(out);
        put_terms(&self.terms(), out);
    }

    /// The same with the meanings folded away.
    pub(super) fn put_folded(&self, out: &mut Markup) {
        self.put_bare(out);
        put_folded_terms(&self.terms(), out);
    }

    fn terms(&self) -> Vec<(&str, &str, &str)> {
        self.columns.iter().map(|column| (column.title.as_str(), column.schema, column.key)).collect()
    }

    /// The table alone, where what its columns mean stands elsewhere on the page.
    pub(super) fn put_bare(&self, out: &mut Markup) {
        let region = [("class", "scroll"), ("role", "region"), ("tabindex", "0")];
        out.element("div", &[&region[..], &[("aria-label", self.caption.as_str())]].concat(), |out| {
            out.element("table", &[], |out| {
                out.line("caption", &[], &self.caption);
                out.element("thead", &[], |out| out.element("tr", &[], |out| self.put_head(out)));
                out.element("tbody", &[], |out| {
                    for row in &self.rows {
                        out.element("tr", &[], |out| self.put_row(row, out));
                    }
                });
            });
        });
    }

    /// True if a column holds figures.
    fn has_figures(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_figure())
    }

    fn put_row(&self, row: &[Cell], out: &mut Markup) {
        for (n, cell) in row.iter().enumerate() {
            if n == 0 {
                out.element("th", &[("scope", "row")], |out| cell.put(out));
            } else if *cell == Cell::Unknown && self.has_figures(n) {
                out.element("td", &[("class", "figure")], |out| cell.put(out));
            } else {
                out.element("td", &[], |out| cell.put(out));
            }
        }
    }

    fn put_head(&self, out: &mut Markup) {
        for (n, column) in self.columns.iter().enumerate() {
            let class: &[(&'static str, &str)] =
                if self.has_figures(n) { &[("class", "figure")] } else { &[] };
            out.line("th", &[&[("scope", "col")], class].concat(), &column.title);
        }
    }
}

/// A table of items, one a row, while its columns are added: each with the cell of an item.
pub(super) struct TableOf<T> {
    table: HtmlTable,
    items: Vec<T>,
}

impl<T: Copy> TableOf<T> {
    /// A table without columns; its keys are those of documents of this schema.
    pub(super) fn new(schema: &'static str, caption: &str, items: impl IntoIterator<Item = T>) -> TableOf<T> {
        let items: Vec<T> = items.into_iter().collect();
        let mut table = HtmlTable::new(schema, caption);
        table.rows = items.iter().map(|_| Vec::new()).collect();
        TableOf { table, items }
    }

    /// Adds a column for a key of the document.
    pub(super) fn cell(mut self, title: &str, key: &'static str, of: impl Fn(T) -> Cell) -> TableOf<T> {
        self.table = self.table.column(title, key);
        let rows = self.table.rows.iter_mut().zip(&self.items);
        rows.for_each(|(row, item)| row.push(of(*item)));
        self
    }

    /// The table.
    pub(super) fn done(self) -> HtmlTable {
        self.table
    }
}

impl<'a, T: Copy + Into<Part<'a>>> TableOf<T> {
    /// Adds a column of the figures under a key.
    pub(super) fn figure(self, title: &str, key: &'static str, unit: Unit) -> TableOf<T> {
        self.cell(title, key, |item| Cell::figure(at(item.into().0, path_of(key)), unit))
    }

    /// Adds a column of the texts under a key.
    pub(super) fn words(self, title: &str, key: &'static str) -> TableOf<T> {
        self.cell(title, key, |item| Cell::words(text(item.into().0, path_of(key))))
    }
}

/// The part of a document that a row is of.
pub(super) struct Part<'a>(&'a Value);

impl<'a> From<&'a Value> for Part<'a> {
    fn from(value: &'a Value) -> Part<'a> {
        Part(value)
    }
}

impl<'a> From<(&str, &'a Value)> for Part<'a> {
    fn from((_, value): (&str, &'a Value)) -> Part<'a> {
        Part(value)
    }
}

/// Path of a key from the entry of the list that it is in: `expected.iops` of `runs[].expected.iops`.
fn path_of(key: &str) -> &str {
    key.rsplit_once("[].").map_or(key, |(_, path)| path)
}

/// A list of labels, each with its definition; labels that mean the same share it.
///
/// # Panics
/// A figure is shown that has no definition.
pub(super) fn put_terms(terms: &[(&str, &str, &str)], out: &mut Markup) {
    let mut told: Vec<(String, String)> = Vec::new();
    for (title, schema, key) in terms {
        let says =
            meaning(schema, key).unwrap_or_else(|| panic!("{schema} has no key `{key}` with a definition"));
        match told.iter_mut().find(|(_, other)| *other == says) {
            Some((titles, _)) if !titles.split(", ").any(|other| other == *title) => {
                titles.push_str(", ");
                titles.push_str(title);
            }
            Some(_) => {}
            None if says.is_empty() => {}
            None => told.push(((*title).to_string(), says)),
        }
    }
    out.element("dl", &[("class", "terms")], |out| {
        for (titles, says) in &told {
            out.element("div", &[], |out| {
                out.line("dt", &[], titles);
                out.element("dd", &[], |out| out.prose(says));
            });
        }
    });
}

/// The same in a fold that says what is in it.
pub(super) fn put_folded_terms(terms: &[(&str, &str, &str)], out: &mut Markup) {
    out.element("details", &[], |out| {
        out.line("summary", &[], "Definitions of these figures");
        put_terms(terms, out);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_has_exact_figures_and_says_what_they_are() {
        let mut table = HtmlTable::new("iobound.predict/2", "limits")
            .column("limit", "limits[].name")
            .column("held an I/O", "limits[].held_us")
            .column("used", "limits[].used");
        let held = Cell::figure(&json!(12.345), Unit::Us);
        table.row(vec![Cell::Code("disk.iops".into()), held, Cell::Unknown]);
        let mut out = Markup::new();
        table.clone().without_empty_columns().put(&mut out);
        let text = out.into_text();
        assert!(text.contains("<data value=\"12.345\">12 µs</data>"), "{text}");
        assert!(text.contains("Time that an I/O waited for this limit"), "{text}");
        assert!(!text.contains(">used<"), "nothing is known of it: {text}");
    }

    #[test]
    #[should_panic(expected = "has no key")]
    fn a_figure_without_a_definition_is_a_defect() {
        let table = HtmlTable::new("iobound.predict/2", "t").column("x", "no.such.key");
        table.put(&mut Markup::new());
    }
}
