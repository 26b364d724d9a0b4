//! The tables of `docs/definitions.md` that are made of the structs.

use crate::field::{DocumentField, fields_of};
use crate::registry::{ENTRIES, Entry};

/// The line above a table.
fn begins(entry: &Entry) -> String {
    format!("<!-- The comments of crates/documents make this table: {} -->", entry.id)
}

/// The line below it.
const ENDS: &str = "<!-- End of the table -->";

/// The table of a document's keys, in Markdown. Keys that another key has as well are listed once: later ones refer to the first.
pub fn definitions_table(entry: &Entry) -> String {
    let mut text = String::from("| key | unit | meaning |\n| --- | --- | --- |\n");
    for field in folded(fields_of(&(entry.schema)())) {
        let unit = if field.unit.is_empty() { String::new() } else { format!("{} ", field.unit) };
        text.push_str(&format!("| `{}` | {unit}| {} |\n", field.path, field.meaning));
    }
    text
}

/// Fewer keys than this are listed again.
const FEW: usize = 3;

/// The fields without those below a key whose keys were listed below another one, with the same definitions.
fn folded(fields: Vec<DocumentField>) -> Vec<DocumentField> {
    let mut listed: Vec<(&str, &[DocumentField])> = Vec::new();
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(field) = fields.get(at) {
        let keys = below(&fields, at);
        at += 1;
        let mut row = field.clone();
        if keys.len() >= FEW {
            match listed.iter().find(|(path, other)| are_alike((path, other), (&field.path, keys))) {
                Some((path, _)) => {
                    row.meaning.push_str(&format!(" Its keys are those of `{path}`."));
                    at += keys.len();
                }
                None => listed.push((&field.path, keys)),
            }
        }
        rows.push(row);
    }
    rows
}

/// The fields below the one at this place, which stand behind it.
fn below(fields: &[DocumentField], at: usize) -> &[DocumentField] {
    let path = fields[at].path.as_str();
    let behind = &fields[at + 1..];
    let is_below = |field: &DocumentField| {
        field.path.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    &behind[..behind.iter().take_while(|field| is_below(field)).count()]
}

/// True if the fields below two keys are the same.
fn are_alike((path, fields): (&str, &[DocumentField]), (other, others): (&str, &[DocumentField])) -> bool {
    let rest = |field: &DocumentField, of: &str| {
        (field.path[of.len()..].trim_start_matches("[]").to_string(), field.unit.clone(), field.meaning.clone())
    };
    fields.len() == others.len()
        && fields.iter().zip(others).all(|(one, two)| rest(one, path) == rest(two, other))
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
