//! Entries of a listing that only their cloud knows: by their `kind` or one of their keys in JSON, by their titles in a table of
//! text. The caller says which kinds there are, and what their cells mean.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Listing, ListingError};

/// A kind of resource in a listing.
#[derive(Debug)]
pub struct ResourceKind {
    /// Value of the key `kind` of its entries in JSON.
    pub kind: &'static str,
    /// A key that only its entries have, for those without `kind`.
    pub key: &'static str,
    /// Titles that a table of it has; the last one tells it from other tables.
    pub titles: &'static [&'static str],
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// [`ResourceKind::kind`], or the entry's own `kind` if the caller knows none like it.
    pub kind: String,
    /// `entry 12`, `line 3`.
    pub place: String,
    cells: BTreeMap<String, String>,
}

impl Resource {
    /// An entry in JSON: its own keys, and those of objects in it after a dot. `None`: it is of no kind.
    pub(super) fn of_json(
        kind: Option<&str>,
        place: String,
        keys: impl IntoIterator<Item = (String, Value)>,
        kinds: &[&ResourceKind],
    ) -> Option<Resource> {
        let mut cells = BTreeMap::new();
        for (key, value) in keys {
            put(&mut cells, key, value);
        }
        let kind = match kind {
            Some(kind) => kind,
            None => kinds.iter().find(|of| cells.contains_key(of.key))?.kind,
        };
        Some(Resource { kind: kind.to_string(), place, cells })
    }

    /// The first of these cells that is there and not empty: its name and its text.
    pub fn cell(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        let filled = |name: &&'static str| Some((*name, self.cells.get(*name)?.trim()));
        names.iter().filter_map(filled).find(|(_, text)| !text.is_empty())
    }

    /// The same as `read` makes of it.
    ///
    /// # Errors
    /// Returns an error with the place, the cell and `expected` if `read` returns `None`.
    pub fn figure<T>(
        &self,
        names: &[&'static str],
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ListingError> {
        let Some((name, text)) = self.cell(names) else { return Ok(None) };
        let what = || format!("{name} is `{text}`: {expected} was expected");
        read(text).map(Some).ok_or_else(|| ListingError { place: self.place.clone(), what: what() })
    }

    /// The text of a cell.
    ///
    /// # Errors
    /// Returns an error if none of these cells is there.
    pub fn required(&self, names: &[&'static str]) -> Result<String, ListingError> {
        let missing = || ListingError {
            place: self.place.clone(),
            what: format!("`{}` is missing", names.first().copied().unwrap_or_default()),
        };
        self.cell(names).map(|(_, text)| text.to_string()).ok_or_else(missing)
    }
}

fn put(cells: &mut BTreeMap<String, String>, key: String, value: Value) {
    match value {
        Value::String(text) => drop(cells.insert(key, text)),
        Value::Number(number) => drop(cells.insert(key, number.to_string())),
        Value::Bool(is_true) => drop(cells.insert(key, is_true.to_string())),
        Value::Object(inner) => {
            for (name, value) in inner {
                put(cells, format!("{key}.{name}"), value);
            }
        }
        Value::Array(_) | Value::Null => {}
    }
}

/// Reads a table of text whose cells are aligned below their titles; `None`: it is of none of these kinds.
pub(super) fn table(text: &str, kinds: &[&ResourceKind]) -> Option<Result<Listing, ListingError>> {
    let (at, header) = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let titles: Vec<&str> = header.split_whitespace().collect();
    let of_table = |kind: &&ResourceKind| {
        !kind.titles.is_empty() && kind.titles.iter().all(|title| titles.contains(title))
    };
    let of_table: Vec<&ResourceKind> = kinds.iter().copied().filter(of_table).collect();
    // A cell that is empty is found by its place.
    let starts: Vec<usize> = titles.iter().filter_map(|title| header.find(title)).collect();
    let read = || {
        let mut listing = Listing::default();
        for (line, row) in text.lines().enumerate().skip(at + 1).filter(|(_, row)| !row.trim().is_empty()) {
            let cells: BTreeMap<String, String> = titles
                .iter()
                .enumerate()
                .filter_map(|(column, title)| {
                    let start = *starts.get(column)?;
                    let end = starts.get(column + 1).copied().unwrap_or(row.len());
                    let text = row.get(start.min(row.len())..end.min(row.len()))?.trim();
                    (!text.is_empty()).then(|| (title.to_string(), text.to_string()))
                })
                .collect();
            let place = format!("line {}", line + 1);
            let told =
                |kind: &&&ResourceKind| kind.titles.last().is_some_and(|last| cells.contains_key(*last));
            let Some(kind) = of_table.iter().find(told).map(|kind| kind.kind.to_string()) else {
                let last: Vec<&str> =
                    of_table.iter().filter_map(|kind| kind.titles.last().copied()).collect();
                let what = format!("the line has no {}: {}", last.join(" or "), row.trim());
                return Err(ListingError { place, what });
            };
            listing.resources.push(Resource { kind, place, cells });
        }
        Ok(listing)
    };
    (!of_table.is_empty()).then(read)
}
