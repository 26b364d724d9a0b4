use iobound_catalog::{Gone, Import};
use iobound_workload::shell_word;
use serde_json::{Value, json};

use crate::document::Document;
use crate::limit::grouped;
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A file that was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// Its name.
    pub name: String,
    /// The date that its figures have from now on.
    pub as_of: String,
    /// True if that is the file's own day, since nobody said another.
    pub is_own_date: bool,
    /// Entries that are VM sizes.
    pub sizes: usize,
    /// Entries that are prices.
    pub prices: usize,
}

/// Display of an import.
#[derive(Clone, Copy, Debug)]
pub struct Imported<'a> {
    /// The text that was read.
    pub files: &'a [ImportedFile],
    /// The outcome.
    pub import: &'a Import,
    /// The dates of the old figures of `changed`, in its order; `None` is unknown.
    pub was_of: &'a [Option<String>],
    /// The catalogue file that was named.
    pub into: Option<&'a str>,
    /// True if it was written.
    pub is_written: bool,
    /// Notes for the user.
    pub notes: &'a [String],
}

/// No more names and figures than this stand on a page that is not wide.
const SHOWN: usize = 12;

/// The page.
pub fn import_text(imported: &Imported<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let import = imported.import;
    let shown = if page.is_wide() { usize::MAX } else { SHOWN };
    let files: Vec<String> = imported
        .files
        .iter()
        .map(|file| {
            let own = if file.is_own_date { " (the file's own day; --as-of gives another)" } else { "" };
            format!(
                "{}: {} VM sizes, {} prices, as of {}{own}",
                file.name,
                grouped(file.sizes as u64),
                grouped(file.prices as u64),
                file.as_of
            )
        })
        .collect();
    page.list("read", &files);
    page.labelled("taken", &format!("{} VM sizes, {} prices", grouped(import.sizes), grouped(import.prices)));
    let left: Vec<String> =
        import.left_out.iter().map(|(what, count)| format!("{} {what}", grouped(*count))).collect();
    page.list("left out", &left);
    page.labelled("added", &names(&import.added, shown));
    page.labelled("changed", &format!("{} figures", grouped(import.changed.len() as u64)));
    if !import.changed.is_empty() {
        page.gap();
        changes(imported, shown, &mut page);
        page.gap();
    }
    let gone = |refused: bool| -> Vec<String> {
        let of = import.gone.iter().filter(|gone: &&Gone| gone.refused == refused);
        of.map(|gone| {
            if gone.of.contains(" in ") { gone.of.clone() } else { format!("{} in {}", gone.of, gone.region) }
        })
        .collect()
    };
    let (kept, refused) = (gone(false), gone(true));
    if !kept.is_empty() {
        page.labelled("gone", &format!("{}; kept with their older date", names(&kept, shown)));
    }
    if !refused.is_empty() {
        page.labelled("gone", &format!("{}; no longer offered there", names(&refused, shown)));
    }
    let restricted: Vec<String> =
        import.restricted.iter().map(|of| format!("{} in {} ({})", of.name, of.region, of.reason)).collect();
    if !restricted.is_empty() {
        page.labelled("refused", &format!("{}; not offered there", names(&restricted, shown)));
    }
    page.list("notes", imported.notes);
    page.gap();
    match imported.into {
        Some(path) if imported.is_written => {
            page.labelled("written", path);
            page.labelled("next", &format!("iobound plan … --catalog {}", shell_word(path)));
        }
        Some(path) => page.labelled("written", &format!("nothing: {path} has all of it")),
        None => {
            page.labelled("written", "nothing: add --into FILE, and use it in every verb with --catalog FILE")
        }
    }
    page.text()
}

/// `3: a, b, c`, `40: a, b, ... and 28 more`.
fn names(names: &[String], shown: usize) -> String {
    let count = names.len();
    if count == 0 {
        return "nothing".into();
    }
    let some = names[..count.min(shown)].join(", ");
    let more = if count > shown { format!(" and {} more (--wide)", count - shown) } else { String::new() };
    format!("{}: {some}{more}", grouped(count as u64))
}

fn changes(imported: &Imported<'_>, shown: usize, page: &mut Page) {
    let changed = &imported.import.changed;
    let mut table = Table::new(vec![
        Column::words("changed"),
        Column::words("figure"),
        Column::figures("was"),
        Column::figures("is"),
        Column::words("was of"),
    ]);
    for (change, date) in changed.iter().zip(imported.was_of).take(shown) {
        table.row(vec![
            change.of.clone(),
            change.figure.clone(),
            change.old.clone(),
            change.new.clone(),
            date.clone()
                .unwrap_or_else(|| if change.source.is_some() { "date not stated" } else { "" }.into()),
        ]);
    }
    for line in table.lines(page.width()) {
        page.line(&line);
    }
    if changed.len() > shown {
        page.line(&format!("  and {} more (--wide)", changed.len() - shown));
    }
}

/// The document.
pub fn import_json(imported: &Imported<'_>) -> Document {
    let import = imported.import;
    let files: Vec<Value> = imported
        .files
        .iter()
        .map(|file| json!({ "name": file.name, "as_of": file.as_of, "sizes": file.sizes, "prices": file.prices }))
        .collect();
    let changed: Vec<Value> = import
        .changed
        .iter()
        .zip(imported.was_of)
        .map(|(change, date)| {
            json!({
                "of": change.of,
                "figure": change.figure,
                "old": change.old,
                "new": change.new,
                "old_source": change.source,
                "old_as_of": date,
            })
        })
        .collect();
    let gone: Vec<Value> = import
        .gone
        .iter()
        .map(|gone| json!({ "of": gone.of, "region": gone.region, "offered": !gone.refused }))
        .collect();
    let restricted: Vec<Value> = import
        .restricted
        .iter()
        .map(|of| json!({ "name": of.name, "region": of.region, "reason": of.reason }))
        .collect();
    let left_out: Vec<Value> =
        import.left_out.iter().map(|(what, count)| json!({ "what": what, "entries": count })).collect();
    Document::new("iobound.catalog-import/1")
        .with("files", files)
        .with("sizes", import.sizes)
        .with("prices", import.prices)
        .with("added", import.added.clone())
        .with("changed", changed)
        .with("gone", gone)
        .with("restricted", restricted)
        .with("left_out", left_out)
        .with("into", imported.into)
        .with("written", imported.is_written)
        .with("notes", imported.notes.to_vec())
}
