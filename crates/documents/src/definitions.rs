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
    table(entry, &mut Vec::new())
}

fn table(entry: &Entry, listed: &mut Vec<Listed>) -> String {
    let mut text = String::from("| key | unit | meaning |\n| --- | --- | --- |\n");
    for field in folded(entry.id, fields_of(&(entry.schema)()), listed) {
        let unit = if field.unit.is_empty() { String::new() } else { format!("{} ", field.unit) };
        text.push_str(&format!("| `{}` | {unit}| {} |\n", field.path, field.meaning));
    }
    text
}

/// Keys that were listed below a key of a document.
struct Listed {
    id: &'static str,
    path: String,
    keys: Vec<DocumentField>,
}

/// Fewer keys than this are listed again.
const FEW: usize = 3;

/// The fields without those below a key whose keys were listed below another one, with the same definitions.
fn folded(id: &'static str, fields: Vec<DocumentField>, listed: &mut Vec<Listed>) -> Vec<DocumentField> {
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(field) = fields.get(at) {
        let keys = below(&fields, at);
        at += 1;
        let mut row = field.clone();
        if keys.len() >= FEW {
            match listed.iter().find(|of| are_alike((&of.path, &of.keys), (&field.path, keys))) {
                Some(of) => {
                    let place = if of.id == id { String::new() } else { format!(" in `{}`", of.id) };
                    row.meaning.push_str(&format!(" Its keys are those of `{}`{place}.", of.path));
                    at += keys.len();
                }
                None => listed.push(Listed { id, path: field.path.clone(), keys: keys.to_vec() }),
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
        (
            field.path[of.len()..].trim_start_matches("[]").to_string(),
            field.unit.clone(),
            field.meaning.clone(),
        )
    };
    fields.len() == others.len()
        && fields.iter().zip(others).all(|(one, two)| rest(one, path) == rest(two, other))
}

/// A page with each of its tables made anew.
///
/// # Errors
/// Returns an error if a document has no table on the page or a table has no end.
pub fn refreshed(page: &str) -> Result<String, String> {
    let place = |entry: &Entry| {
        let begins = begins(entry);
        let at = page.find(&begins).ok_or_else(|| format!("the page has no line {begins}"))?;
        let from = at + begins.len();
        let length =
            page[from..].find(ENDS).ok_or_else(|| format!("the table of {} has no end", entry.id))?;
        Ok::<(usize, usize), String>((from, from + length))
    };
    let mut places =
        ENTRIES.iter().map(|entry| Ok((place(entry)?, entry))).collect::<Result<Vec<_>, String>>()?;
    // In the order of the page: the first table of some keys lists them.
    places.sort_by_key(|((from, _), _)| *from);
    let (mut renewed, mut listed, mut done) = (String::new(), Vec::new(), 0);
    for ((from, to), entry) in places {
        renewed.push_str(&page[done..from]);
        renewed.push_str(&format!("\n\n{}\n", table(entry, &mut listed)));
        done = to;
    }
    renewed.push_str(&page[done..]);
    Ok(renewed)
}
