use iobound_documents::{ImportDocument, ImportGone};
use iobound_units::Counted;
use iobound_workload::shell_word;

use crate::limit::grouped;
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// No more names and figures than this stand on a page that is not wide.
const SHOWN: usize = 12;

/// The page.
pub fn import_text(import: &ImportDocument, style: Style) -> String {
    let mut page = Page::new(style);
    let shown = if page.is_wide() { usize::MAX } else { SHOWN };
    let files: Vec<String> = import
        .files
        .iter()
        .map(|file| {
            let own = if file.is_own_date { " (the file's own day; --as-of gives another)" } else { "" };
            format!(
                "{}: {}, {}, as of {}{own}",
                file.name,
                Counted(file.sizes, "VM size"),
                Counted(file.prices, "price"),
                file.as_of
            )
        })
        .collect();
    page.list("read", &files);
    page.labelled(
        "taken",
        &format!("{}, {}", Counted(import.sizes, "VM size"), Counted(import.prices, "price")),
    );
    let left: Vec<String> =
        import.left_out.iter().map(|left| format!("{} {}", grouped(left.entries), left.what)).collect();
    page.list("left out", &left);
    page.labelled("added", &names(&import.added, shown));
    page.labelled("changed", &Counted(import.changed.len() as u64, "figure").to_string());
    if !import.changed.is_empty() {
        page.gap();
        changes(import, shown, &mut page);
        page.gap();
    }
    let gone = |refused: bool| -> Vec<String> {
        let of = import.gone.iter().filter(|gone: &&ImportGone| gone.offered != refused);
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
    page.list("notes", &import.notes);
    page.gap();
    match &import.into {
        Some(path) if import.written => {
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

fn changes(import: &ImportDocument, shown: usize, page: &mut Page) {
    let changed = &import.changed;
    let mut table = Table::new(vec![
        Column::words("changed"),
        Column::words("figure"),
        Column::figures("was"),
        Column::figures("is"),
        Column::words("was of"),
    ]);
    for change in changed.iter().take(shown) {
        table.row(vec![
            change.of.clone(),
            change.figure.clone(),
            change.old.clone(),
            change.new.clone(),
            change
                .old_as_of
                .clone()
                .unwrap_or_else(|| if change.old_source.is_some() { "date not stated" } else { "" }.into()),
        ]);
    }
    table.put(page);
    if changed.len() > shown {
        page.line(&format!("  and {} more (--wide)", changed.len() - shown));
    }
}
