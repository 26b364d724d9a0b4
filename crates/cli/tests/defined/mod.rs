//! The entries of docs/definitions.md, and the keys and labels that are held beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use iobound_documents::{ENTRIES, fields_of};
use serde_json::Value;

/// Paths of keys.
pub(crate) type Keys = BTreeSet<String>;

/// The paths of all keys below a value: `limits[].held_us`.
pub(crate) fn keys_of(value: &Value, path: &str, keys: &mut Keys) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys_of(value, &path, keys);
                keys.insert(path);
            }
        }
        Value::Array(values) => {
            for value in values {
                keys_of(value, &format!("{path}[]"), keys);
            }
        }
        _ => {}
    }
}

/// The keys with a definition, by document: those of its struct, else what stands in backquotes in the first cell of a row of the page,
/// by the heading above.
pub(crate) fn entries() -> BTreeMap<String, Keys> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/definitions.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let mut entries: BTreeMap<String, Keys> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        let quoted =
            |text: &str| text.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<String>>();
        if line.starts_with("## ") || line.starts_with("`iobound ") {
            section = quoted(line).pop().unwrap_or_else(|| line.trim_start_matches("## ").to_string());
        } else if let Some(row) = line.strip_prefix("| `") {
            let first = format!("`{}", row.split(" | ").next().unwrap_or_default());
            entries.entry(section.clone()).or_default().extend(quoted(&first));
        }
    }
    for entry in &ENTRIES {
        let keys = fields_of(&(entry.schema)()).into_iter().map(|field| field.path);
        entries.insert(entry.id.to_string(), keys.collect());
    }
    entries
}

/// The cells of a line: what two spaces or more part.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// Fails with what is wrong, and how to fix it.
#[track_caller]
pub(crate) fn assert_none(wrong: Vec<String>, help: &str) {
    assert!(wrong.is_empty(), "{help}:\n  {}", wrong.join("\n  "));
}
