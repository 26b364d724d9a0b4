//! Each column of comma-separated values has a definition: that of a key of the document, or a sentence. `docs/csv.md` lists
//! them; to renew it: `IOBOUND_REFRESH=1 cargo test -p iobound-report --test csv`.
#![allow(clippy::disallowed_methods, reason = "it reads the page, and writes it where that is asked for")]

use std::path::Path;

use iobound_documents::{entry_of, fields_of};
use iobound_report::{ColumnMeaning, CsvColumn, csv_tables};

/// The definition of a column; `None` if it has none.
fn meaning(verb: &str, column: &CsvColumn) -> Option<String> {
    match &column.meaning {
        ColumnMeaning::Own(meaning) => Some(meaning.to_string()).filter(|meaning| meaning.ends_with('.')),
        ColumnMeaning::Key(key) => {
            let fields = fields_of(&(entry_of(verb)?.schema)());
            fields.into_iter().find(|field| field.path == *key).map(|field| field.meaning)
        }
    }
}

#[test]
fn each_column_has_a_definition_and_a_name_of_its_own() {
    for table in csv_tables() {
        for (index, column) in table.columns.iter().enumerate() {
            assert!(meaning(table.verb, column).is_some(), "{}: {column:?}", table.command);
            let earlier = &table.columns[..index];
            assert!(earlier.iter().all(|other| other.name != column.name), "{}", column.name);
        }
    }
}

#[test]
fn a_column_without_a_definition_is_found() {
    let key = |key: &str| CsvColumn { name: "x".into(), meaning: ColumnMeaning::Key(key.into()) };
    assert_eq!(meaning("lab", &key("runs[].no_such_key")), None);
    assert_eq!(meaning("no-such-verb", &key("runs")), None);
    let own = |text| CsvColumn { name: "x".into(), meaning: ColumnMeaning::Own(text) };
    assert_eq!(meaning("lab", &own("")), None);
}

#[test]
fn the_page_lists_the_columns() {
    let mut text = String::from(
        "# Columns of comma-separated values\n\n\
         Written from `crates/report/src/columns.rs` by `IOBOUND_REFRESH=1 cargo test -p iobound-report --test csv`. An empty \
         cell is unknown.\nThe columns of `catalog --csv` and `results list --csv` are keys of their documents; \
         [definitions.md](definitions.md) has them.\n",
    );
    for table in csv_tables() {
        text.push_str(&format!(
            "\n## `{}`\n\n| column | key | meaning |\n| --- | --- | --- |\n",
            table.command
        ));
        for column in &table.columns {
            let key = match &column.meaning {
                ColumnMeaning::Key(key) => format!("`{key}` "),
                ColumnMeaning::Own(_) => String::new(),
            };
            let meaning = meaning(table.verb, column).unwrap_or_default();
            text.push_str(&format!("| `{}` | {key}| {meaning} |\n", column.name));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/csv.md");
    if std::env::var_os("IOBOUND_REFRESH").is_some() {
        return std::fs::write(path, text).expect("the page can be written");
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(page == text, "docs/csv.md is stale: IOBOUND_REFRESH=1 cargo test -p iobound-report --test csv");
}
