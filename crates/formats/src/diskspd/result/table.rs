//! Lines and tables of the text form.

use crate::error::At;

/// A line and where it stands.
#[derive(Clone, Copy)]
pub(super) struct PlacedLine<'a> {
    pub text: &'a str,
    pub at: At,
}

/// The lines of a text, trimmed, with their places.
pub(super) fn lines(text: &str, source: usize) -> impl Iterator<Item = PlacedLine<'_>> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let lead = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        let place = At { source, at: at + lead, len: trimmed.len().max(1) };
        at += line.len() + 1;
        PlacedLine { text: trimmed, at: place }
    })
}

/// The names of a table's columns.
#[derive(Clone, Default)]
pub(super) struct ColumnNames(Vec<String>);

impl ColumnNames {
    /// From the line that names them.
    pub(super) fn of(line: &str) -> ColumnNames {
        ColumnNames(line.split('|').map(|name| name.trim().to_string()).collect())
    }

    /// The cells of a row. The last column takes all that is left: a path may hold a bar.
    pub(super) fn row<'a>(&'a self, line: &'a str) -> Cells<'a> {
        Cells { columns: &self.0, cells: line.splitn(self.0.len(), '|').map(str::trim).collect() }
    }
}

/// The cells of a row.
pub(super) struct Cells<'a> {
    columns: &'a [String],
    cells: Vec<&'a str>,
}

impl<'a> Cells<'a> {
    /// The cell in the column of this name; `None` where there is no such column or the row is shorter.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let index = self.columns.iter().position(|column| column == name)?;
        self.cells.get(index).copied()
    }
}

/// The text that follows a label: `duration:` of `duration: 30s`.
pub(super) fn after<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    line.strip_prefix(label).map(str::trim)
}
