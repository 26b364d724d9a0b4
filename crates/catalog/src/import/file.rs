//! A person's catalogue file in its two parts: what was imported, between two lines, and what the person wrote.

use super::entry::{ImportRow, ImportRows, Section};
use crate::error::CatalogError;
use crate::table::decimal;

const BEGIN: &str = "# imported figures: `iobound catalog import` replaces what stands from here to the line `# end of imported figures`;";
const BEGIN_2: &str = "# figures of your own go below that line, stay as they are, and win";
const END: &str = "# end of imported figures";

/// The two parts.
pub(super) struct Parts {
    /// The rows that earlier imports made.
    pub(super) imported: ImportRows,
    /// All the rest, as it stands.
    pub(super) own: String,
}

impl Parts {
    pub(super) fn of(file: &str, text: &str) -> Result<Parts, CatalogError> {
        let fail = |line: usize, why: &str| {
            Err(CatalogError::File { file: file.to_string(), line, why: why.to_string() })
        };
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        if first.is_some_and(|first| !first.starts_with('[') && !first.contains('=')) {
            return fail(
                0,
                "it is not a catalogue file in TOML, the only format that import writes: name another file",
            );
        }
        let mut imported = String::new();
        let mut own = String::new();
        let (mut inside, mut at) = (None, 0);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            at = number + 1;
            match (line.trim_end(), inside) {
                (BEGIN, None) => inside = Some(at),
                (BEGIN, Some(_)) => {
                    return fail(at, "imported figures begin twice: delete one of the two parts");
                }
                (END, Some(_)) => inside = None,
                (END, None) => {
                    return fail(at, "imported figures end here without a start: delete this line");
                }
                (_, Some(_)) => imported.push_str(line),
                (_, None) => own.push_str(line),
            }
        }
        if let Some(begun) = inside {
            return fail(
                begun,
                &format!(
                    "imported figures start here without an end before line {at}: add `{END}` after them"
                ),
            );
        }
        Ok(Parts {
            imported: entries(file, &imported)?,
            own: own.trim_start_matches(['\n', '\r']).to_string(),
        })
    }
}

/// The rows of an earlier import.
fn entries(file: &str, text: &str) -> Result<ImportRows, CatalogError> {
    let fail = |why: String| CatalogError::File { file: file.to_string(), line: 0, why };
    let document: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        fail(format!("cannot read the imported figures: {}", error.message()))
    })?;
    let mut entries = ImportRows::default();
    for (list, value) in &document {
        let rows = value
            .as_array()
            .ok_or_else(|| fail(format!("`{list}` is a list of tables: write [[{list}]]")))?;
        for row in rows {
            let cells = row
                .as_table()
                .ok_or_else(|| fail(format!("`{list}` is a list of tables: write [[{list}]]")))?;
            let columns: Vec<&str> = cells.keys().map(String::as_str).collect();
            let Some(table) = Section::of(&columns).filter(|table| table.list() == list) else {
                return Err(fail(format!(
                    "an imported [[{list}]] has neither `name` nor a price: delete it"
                )));
            };
            let mut entry = ImportRow::new(table);
            for (column, value) in cells {
                let cell = match value {
                    toml::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                entry.set(column, cell);
            }
            entries.put(entry);
        }
    }
    Ok(entries)
}

/// The file with both parts.
pub(super) fn text(imported: &ImportRows, own: &str) -> String {
    let mut text = format!("{BEGIN}\n{BEGIN_2}\n");
    for entry in imported.iter() {
        text.push_str(&format!("\n[[{}]]\n", entry.table.list()));
        let mut cells: Vec<(&str, &str)> = entry.cells().collect();
        // The same rows are the same text, in whatever order they were put together.
        cells.sort_by_key(|(column, _)| {
            (!entry.is_key(column), entry.table.place(column), column.to_string())
        });
        for (column, cell) in cells {
            text.push_str(&format!("{column} = {}\n", value(column, cell)));
        }
    }
    text.push_str(&format!("{END}\n"));
    if !own.is_empty() {
        text.push_str(&format!("\n{own}"));
    }
    text
}

/// A cell as TOML has it: figures bare, everything else quoted.
fn value(column: &str, cell: &str) -> String {
    let is_name =
        matches!(column, "name" | "instance_type" | "family" | "region" | "tier") || column.ends_with("_in");
    let is_flag = matches!(cell, "true" | "false");
    // Whole numbers beyond an i64, and decimals beyond a double's digits, would not come back as they went.
    let is_short = cell.len() <= 15 && !(cell.len() > 1 && cell.starts_with('0') && !cell.starts_with("0."));
    let is_number = is_short && decimal(cell, 9).is_some() && !cell.ends_with('.');
    if !is_name && (is_flag || is_number) {
        cell.to_string()
    } else {
        toml::Value::String(cell.to_string()).to_string()
    }
}
