//! The tables of `docs/definitions.md` that are made of the structs.

use crate::field::fields_of;
use crate::registry::{ENTRIES, Entry};

/// The line above a table.
fn begins(entry: &Entry) -> String {
    format!("<!-- The comments of crates/documents make this table: {} -->", entry.id)
}

/// The line below it.
const ENDS: &str = "<!-- End of the table -->";

/// The table of a document's keys, in Markdown.
pub fn definitions_table(entry: &Entry) -> String {
    let mut text = String::from("| key | unit | meaning |\n| --- | --- | --- |\n");
    for field in fields_of(&(entry.schema)()) {
        let unit = if field.unit.is_empty() { String::new() } else { format!("{} ", field.unit) };
        text.push_str(&format!("| `{}` | {unit}| {} |\n", field.path, field.meaning));
    }
    text
}

/// A page with each of its tables made anew.
///
/// # Errors
/// A document has no table on the page, or a table has no end.
pub fn refreshed(page: &str) -> Result<String, String> {
    let mut page = page.to_string();
    for entry in &ENTRIES {
        let begins = begins(entry);
        let at = page.find(&begins).ok_or_else(|| format!("the page has no line {begins}"))?;
        let from = at + begins.len();
        let length =
            page[from..].find(ENDS).ok_or_else(|| format!("the table of {} has no end", entry.id))?;
        page.replace_range(from..from + length, &format!("\n\n{}\n", definitions_table(entry)));
    }
    Ok(page)
}
