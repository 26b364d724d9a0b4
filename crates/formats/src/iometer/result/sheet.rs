//! The lines of the CSV: labels with their values, and blocks of rows under the names of their columns.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::{At, Trouble};

/// Beyond this nothing that can be measured lies, and sums of figures stay finite.
const LARGEST: f64 = 1e15;

/// A file.
#[derive(Default)]
pub(super) struct Sheet<'a> {
    pub version: &'a str,
    pub description: &'a str,
    /// The first time stamp, as it stands.
    pub began: Option<&'a str>,
    pub blocks: Vec<Block<'a>>,
}

/// The results of one test.
pub(super) struct Block<'a> {
    pub at: At,
    pub rows: Vec<SheetRow<'a>>,
    columns: Rc<BTreeMap<&'a str, usize>>,
    width: usize,
}

/// A row.
pub(super) struct SheetRow<'a> {
    pub at: At,
    columns: Rc<BTreeMap<&'a str, usize>>,
    cells: Vec<&'a str>,
    /// Type, name and specification; the latter may hold commas.
    spec: String,
}

impl<'a> Sheet<'a> {
    /// Reads the lines; what is no result is passed over.
    pub(super) fn read(text: &'a str, source: usize, trouble: &mut Trouble) -> Sheet<'a> {
        let mut sheet = Sheet::default();
        let mut label = "";
        let mut at = 0;
        let mut open = false;
        for whole in text.split('\n') {
            let lead = whole.len() - whole.trim_start().len();
            let line = whole.trim();
            let place = At { source, at: at + lead, len: line.len().max(1) };
            at += whole.len() + 1;
            if let Some(name) = line.strip_prefix('\'') {
                open = name.starts_with("Target Type,");
                if open {
                    sheet.blocks.push(Block::new(name, place));
                }
                label = name;
            } else if let (true, Some(block)) = (open && !line.is_empty(), sheet.blocks.last_mut()) {
                block.add(line, place, trouble);
            } else if !line.is_empty() {
                match label {
                    "Version" => sheet.version = line,
                    "Test Type,Test Description" => {
                        sheet.description = line.split_once(',').map_or("", |(_, description)| description);
                    }
                    "Time Stamp" => sheet.began = sheet.began.or(Some(line)),
                    _ => {}
                }
                label = "";
            }
        }
        sheet
    }
}

impl<'a> Block<'a> {
    fn new(header: &'a str, at: At) -> Block<'a> {
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let columns = names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        Block { at, rows: Vec::new(), columns: Rc::new(columns), width: names.len() }
    }

    fn add(&mut self, line: &'a str, at: At, trouble: &mut Trouble) {
        let mut cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if !matches!(cells[0], "ALL" | "MANAGER" | "PROCESSOR" | "WORKER" | "DISK" | "NETWORK") {
            // `Aborted test`, and whatever else later versions write.
            return;
        }
        // Names are not quoted: what a row has more than the header is commas in a specification's name.
        let more = cells.len().saturating_sub(self.width);
        if cells.len() < 3 + more || more > 64 {
            trouble.add(
                at,
                "the row does not have the columns of its header",
                "give Iometer's unchanged CSV file",
            );
            return;
        }
        let spec = cells[2..=2 + more].join(", ");
        cells.drain(2..2 + more);
        self.rows.push(SheetRow { at, columns: Rc::clone(&self.columns), cells, spec });
    }

    /// The rows of a kind.
    pub(super) fn of<'b>(&'b self, kind: &'b str) -> impl Iterator<Item = &'b SheetRow<'a>> {
        self.rows.iter().filter(move |row| row.kind() == kind)
    }
}

impl<'a> SheetRow<'a> {
    /// `ALL`, `MANAGER`, `PROCESSOR`, `WORKER`, `DISK`.
    pub(super) fn kind(&self) -> &'a str {
        self.cells[0]
    }

    /// Subject of a row.
    pub(super) fn name(&self) -> &'a str {
        self.cells[1]
    }

    /// The name of its access specification; empty where its workers have several.
    pub(super) fn spec(&self) -> &str {
        &self.spec
    }

    /// The cell of a column; `None` where there is no such column, or nothing in it.
    pub(super) fn get(&self, column: &str) -> Option<&'a str> {
        self.cells.get(*self.columns.get(column)?).copied().filter(|cell| !cell.is_empty())
    }

    /// A figure; `None` with a problem.
    pub(super) fn figure(&self, column: &str, trouble: &mut Trouble) -> Option<f64> {
        let value = self.get(column).and_then(|cell| cell.parse::<f64>().ok());
        let sound = value.filter(|value| value.is_finite() && (0.0..LARGEST).contains(value));
        if sound.is_none() {
            self.wrong(column, "figure", trouble);
        }
        sound
    }

    /// A count; `None` with a problem.
    pub(super) fn count(&self, column: &str, trouble: &mut Trouble) -> Option<u64> {
        let value = self.get(column).and_then(|cell| cell.parse::<u64>().ok());
        if value.is_none() {
            self.wrong(column, "whole number", trouble);
        }
        value
    }

    fn wrong(&self, column: &str, kind: &str, trouble: &mut Trouble) {
        let what = format!("{column}: `{}` is not a {kind}", self.get(column).unwrap_or_default());
        trouble.add(self.at, what, "give Iometer's unchanged CSV file");
    }
}
