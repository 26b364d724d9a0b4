//! Entries of Google's listings: by their `kind` or one of their keys in JSON, by their titles in a table of text. Lists of
//! the REST API, which have their entries in `items`, are read as well as what `gcloud` prints.

use std::collections::BTreeMap;

use iobound_formats::clouds::{Listing, ListingError, not_read};
use serde_json::{Map, Value};

use super::listing::{DISKS, MACHINES};

/// A kind of entry in a listing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResourceKind {
    /// Value of the key `kind` of its entries in JSON.
    pub(super) kind: &'static str,
    /// A key that only its entries have, for those without `kind`.
    pub(super) key: &'static str,
    /// Titles that a table of it has; the last one tells it from other tables.
    pub(super) titles: [&'static str; 3],
}

const KINDS: [&ResourceKind; 2] = [&MACHINES, &DISKS];

/// Beginning of the value of `kind` in all entries of the API.
const PREFIX: &str = "compute#";

/// Name of the cell that has the kind of an entry.
const KIND: &str = "kind";

/// An entry of a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource<'a> {
    /// `entry 12`, `line 3`.
    place: &'a str,
    cells: &'a BTreeMap<String, String>,
}

impl<'a> Resource<'a> {
    /// All entries of a listing.
    pub(super) fn all(listing: &'a Listing) -> impl Iterator<Item = Resource<'a>> {
        listing.own.iter().map(|(place, cells)| Resource { place, cells })
    }

    /// True if it is of a kind.
    pub(super) fn is(self, kind: &ResourceKind) -> bool {
        self.kind() == kind.kind
    }

    /// The kind of an entry that is neither a machine type nor a disk type.
    pub(super) fn other_kind(self) -> Option<&'a str> {
        let kind = self.kind();
        KINDS.iter().all(|known| known.kind != kind).then_some(kind)
    }

    fn kind(self) -> &'a str {
        self.cells.get(KIND).map_or("", String::as_str)
    }

    /// The first of these cells that is there and not empty: its name and its text.
    pub(super) fn cell(self, names: &[&'static str]) -> Option<(&'static str, &'a str)> {
        let filled = |name: &&'static str| Some((*name, self.cells.get(*name)?.trim()));
        names.iter().filter_map(filled).find(|(_, text)| !text.is_empty())
    }

    /// The same as `read` makes of it.
    ///
    /// # Errors
    /// Returns an error with the place, the cell and `expected` if `read` returns `None`.
    pub(super) fn figure<T>(
        self,
        names: &[&'static str],
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ListingError> {
        let Some((name, text)) = self.cell(names) else { return Ok(None) };
        let what = || format!("{name} is `{text}`: {expected} was expected");
        read(text).map(Some).ok_or_else(|| ListingError { place: self.place.to_string(), what: what() })
    }

    /// The text of a cell.
    ///
    /// # Errors
    /// Returns an error if none of these cells is there.
    pub(super) fn required(self, names: &[&'static str]) -> Result<String, ListingError> {
        let missing = || ListingError {
            place: self.place.to_string(),
            what: format!("`{}` is missing", names.first().copied().unwrap_or_default()),
        };
        self.cell(names).map(|(_, text)| text.to_string()).ok_or_else(missing)
    }
}

/// Reads a listing; `None`: the text is none of Google's.
pub(super) fn listing(text: &str) -> Option<Result<Listing, ListingError>> {
    let keys = KINDS.map(|kind| kind.key).into_iter().map(|key| format!("\"{key}\""));
    if text.contains(&format!("\"{PREFIX}")) || keys.into_iter().any(|key| text.contains(&key)) {
        return Some(json(text));
    }
    table(text)
}

fn json(text: &str) -> Result<Listing, ListingError> {
    let mut listing = Listing::default();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        take(document.map_err(|error| not_read(&error))?, &mut listing)?;
    }
    Ok(listing)
}

/// Adds the entries of a document: an entry, a list of them, or a page of a list.
fn take(document: Value, listing: &mut Listing) -> Result<(), ListingError> {
    let place = format!("entry {}", listing.own.len() + 1);
    let mut keys = match document {
        Value::Array(documents) => {
            return documents.into_iter().try_for_each(|document| take(document, listing));
        }
        Value::Object(keys) => keys,
        other => return Err(ListingError { place, what: format!("`{other}` is not an entry of a listing") }),
    };
    if let Some(items) = keys.remove("items") {
        listing.more_pages |=
            keys.get("nextPageToken").and_then(Value::as_str).is_some_and(|of| !of.is_empty());
        return match items {
            // An aggregated list has a list for each zone.
            Value::Object(zones) => zones
                .into_iter()
                .flat_map(|(_, zone)| match zone {
                    Value::Object(lists) => {
                        lists.into_iter().map(|(_, list)| list).filter(Value::is_array).collect()
                    }
                    _ => Vec::new(),
                })
                .try_for_each(|list| take(list, listing)),
            items => take(items, listing),
        };
    }
    let cells = cells(keys).ok_or_else(|| ListingError {
        place: place.clone(),
        what: "the entry is neither a machine type nor a disk type: give the output of `gcloud compute machine-types list \
            --format=json` or `gcloud compute disk-types list --format=json`"
            .into(),
    })?;
    listing.own.push((place, cells));
    Ok(())
}

/// The cells of an entry: its own keys, and those of objects in it after a dot. `None`: it is of no kind.
fn cells(keys: Map<String, Value>) -> Option<BTreeMap<String, String>> {
    let mut cells = BTreeMap::new();
    for (key, value) in keys {
        put(&mut cells, key, value);
    }
    if !cells.contains_key(KIND) {
        let kind = KINDS.iter().find(|of| cells.contains_key(of.key))?.kind;
        cells.insert(KIND.to_string(), kind.to_string());
    }
    Some(cells)
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
fn table(text: &str) -> Option<Result<Listing, ListingError>> {
    let (at, header) = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let titles: Vec<&str> = header.split_whitespace().collect();
    let of_table: Vec<&ResourceKind> =
        KINDS.into_iter().filter(|kind| kind.titles.iter().all(|title| titles.contains(title))).collect();
    // A cell that is empty is found by its place.
    let starts: Vec<usize> = titles.iter().filter_map(|title| header.find(title)).collect();
    let read = || {
        let mut listing = Listing::default();
        for (line, row) in text.lines().enumerate().skip(at + 1).filter(|(_, row)| !row.trim().is_empty()) {
            let mut cells: BTreeMap<String, String> = titles
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
            let Some(kind) = of_table.iter().find(|kind| cells.contains_key(kind.titles[2])) else {
                let last: Vec<&str> = of_table.iter().map(|kind| kind.titles[2]).collect();
                let what = format!("the line has no {}: {}", last.join(" or "), row.trim());
                return Err(ListingError { place, what });
            };
            cells.insert(KIND.to_string(), kind.kind.to_string());
            listing.own.push((place, cells));
        }
        Ok(listing)
    };
    (!of_table.is_empty()).then(read)
}
