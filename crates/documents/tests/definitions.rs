//! `docs/definitions.md` and `docs/glossary.md` have the definitions of the structs. To renew them: `IOBOUND_REFRESH=1 cargo test -p iobound-documents`.
#![allow(clippy::disallowed_methods, reason = "it reads and writes the page")]

use std::path::Path;

use iobound_documents::{DocumentField, ENTRIES, definition, fields_of, glossary, refreshed};

#[test]
fn the_page_has_the_definitions_of_the_structs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/definitions.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let renewed = refreshed(&page).expect("the page has a place for each table");
    if std::env::var_os("IOBOUND_REFRESH").is_some() {
        std::fs::write(&path, renewed).expect("the page can be written");
        return;
    }
    let stale = page.lines().zip(renewed.lines()).find(|(old, new)| old != new);
    assert!(
        page == renewed,
        "docs/definitions.md is stale from here on: {stale:?}\nrenew it: IOBOUND_REFRESH=1 cargo test -p iobound-documents"
    );
}

#[test]
fn the_glossary_has_the_definitions_of_the_structs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/glossary.md");
    let made = glossary();
    if std::env::var_os("IOBOUND_REFRESH").is_some() {
        std::fs::write(&path, made).expect("the page can be written");
        return;
    }
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let stale = page.lines().zip(made.lines()).find(|(old, new)| old != new);
    assert!(
        page == made,
        "docs/glossary.md is stale from here on: {stale:?}\nrenew it: IOBOUND_REFRESH=1 cargo test -p iobound-documents"
    );
}

#[test]
fn every_field_has_a_definition_in_a_sentence() {
    let mut wrong = Vec::new();
    for entry in &ENTRIES {
        for field in fields_of(&(entry.schema)()) {
            let fits = field.meaning.ends_with('.') && !field.meaning.contains('|');
            if !fits {
                wrong.push(format!("{}: {}: {:?}", entry.id, field.path, field.meaning));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "give these fields a comment that ends with a full stop:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_number_has_a_unit() {
    let mut wrong = Vec::new();
    for entry in &ENTRIES {
        let schema = serde_json::to_value((entry.schema)()).expect("a schema is JSON");
        assert_eq!(schema["$id"], entry.id);
        let mut numbers = Vec::new();
        numbers_without_unit(&schema, "", &mut numbers);
        // The end of a key says the unit as well.
        let fields = fields_of(&(entry.schema)());
        numbers.retain(|key: &String| {
            let end = format!(".{key}");
            let has_keys = |of: &DocumentField| {
                fields.iter().any(|other| other.path.starts_with(&format!("{}.", of.path)))
            };
            fields
                .iter()
                .any(|of| (of.path == *key || of.path.ends_with(&end)) && of.unit.is_empty() && !has_keys(of))
        });
        wrong.extend(numbers.into_iter().map(|key| format!("{}: {key}", entry.id)));
    }
    assert!(
        wrong.is_empty(),
        "give these figures a unit (a type of quantity, or x-unit):\n{}",
        wrong.join("\n")
    );
}

/// The keys of numbers that have no unit of their own.
fn numbers_without_unit(schema: &serde_json::Value, key: &str, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else { return };
    let kind = object.get("type").map(ToString::to_string).unwrap_or_default();
    let is_a_number = ["number", "integer"].iter().any(|word| kind.contains(word));
    if is_a_number && !object.contains_key("x-unit") && !["lun", "rank"].contains(&key) {
        found.push(key.to_string());
    }
    for word in ["properties", "$defs"] {
        for (key, of) in object.get(word).and_then(|of| of.as_object()).into_iter().flatten() {
            numbers_without_unit(of, key, found);
        }
    }
}

#[test]
fn a_definition_is_the_comment_of_the_field() {
    let found = definition("iobound.compare/1", "comparisons[].figures[].difference");
    assert_eq!(found, Some("b - a."));
    assert_eq!(definition("iobound.compare/1", "comparisons[].nothing"), None);
    assert_eq!(definition("iobound.nothing/1", "schema"), None);
}

#[test]
fn keys_that_stand_in_several_places_are_listed_once() {
    let entry = iobound_documents::entry_of("predict").expect("predict has a document");
    let table = iobound_documents::definitions_table(entry);
    assert!(table.contains("| `expected.band.coverage.claimed` | 1 |"), "{table}");
    assert!(table.contains("| `latency_bands_us.mean.coverage` | | "), "{table}");
    assert!(!table.contains("`latency_bands_us.p50.low`"), "{table}");
    assert!(
        table
            .contains("`latency_bands_us.p50` | | Band of the median; `null` if nothing was timed. Its keys"),
        "{table}"
    );
}
