use iobound_catalog::{Entry, Source};
use iobound_documents::{CatalogDocument, CatalogEntry, DisagreementPart, FigurePart, SourcePart, Version};

use super::overview::{date_text, source_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// The figures of a VM size that a prediction needs and that are not recorded.
fn unknown(entry: &Entry) -> Vec<&'static str> {
    let figure = |name: &str| entry.figures.iter().find(|figure| figure.name == name);
    let needed = if entry.kind == "VM size" { entry.cloud.rules().vm_columns.needed } else { &[] };
    let uncached = figure("host_cache").is_some_and(|figure| figure.value == "false");
    needed
        .iter()
        .copied()
        .filter(|name| figure(name).is_none() && !(uncached && name.starts_with("cache")))
        .collect()
}

/// One entry with every figure, its source and its date.
pub fn entry_text(entry: &Entry, style: Style) -> String {
    let mut page = Page::new(style);
    let cloud = entry.cloud.name();
    page.paragraph(&format!("{} ({cloud} {}), era {}", entry.name, entry.kind, entry.era.name()));
    page.gap();
    let sources = sources_of(entry);
    let number = |source: &Source| sources.iter().position(|other| other == source).map_or(0, |at| at + 1);
    let mut table = Table::new(vec![
        Column::words("figure"),
        Column::figures("value"),
        Column::words("unit"),
        Column::words("as of"),
        Column::words("source"),
    ]);
    let mut texts: Vec<String> = Vec::new();
    for figure in &entry.figures {
        let as_of = date_text(&figure.source).to_string();
        let source = format!("[{}]", number(&figure.source));
        // A sentence would push every other column off the page.
        if figure.value.chars().count() > 32 {
            texts.push(format!("{}: {} {source}", figure.name, figure.value));
            continue;
        }
        table.row(vec![figure.name.clone(), figure.value.clone(), figure.unit.clone(), as_of, source]);
    }
    for name in unknown(entry) {
        let none = String::new;
        table.row(vec![name.into(), "unknown".into(), none(), none(), none()]);
    }
    table.put(&mut page);
    for text in texts {
        page.paragraph(&format!("  {text}"));
    }
    page.gap();
    if !entry.disagreements.is_empty() {
        let items: Vec<String> = entry
            .disagreements
            .iter()
            .map(|other| {
                format!(
                    "{} is {} in {} ({}); kept: {}",
                    other.field, other.value, other.source.key, other.kind, other.kept
                )
            })
            .collect();
        page.list("elsewhere", &items);
    }
    page.list("notes", &entry.notes);
    if let (undated @ 1.., all) = (undated(entry), entry.figures.len()) {
        page.labelled("dates", &format!("the source gives no date for {undated} of {all} figures"));
    }
    let items: Vec<String> = sources
        .iter()
        .enumerate()
        .map(|(at, source)| format!("[{}] {}", at + 1, source_text(source)))
        .collect();
    page.list("sources", &items);
    page.text()
}

fn sources_of(entry: &Entry) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for figure in &entry.figures {
        if !sources.contains(&figure.source) {
            sources.push(figure.source.clone());
        }
    }
    sources
}

/// Figures whose source states no date.
fn undated(entry: &Entry) -> usize {
    entry.figures.iter().filter(|figure| figure.source.as_of.is_none()).count()
}

/// The document of one entry.
pub fn entry_document(entry: &Entry) -> CatalogDocument {
    let figures = entry.figures.iter().map(|figure| FigurePart {
        name: figure.name.clone(),
        value: figure.value.clone(),
        unit: figure.unit.clone(),
        source: source_part(&figure.source),
    });
    let disagreements = entry.disagreements.iter().map(|other| DisagreementPart {
        field: other.field.clone(),
        value: other.value.clone(),
        kept: other.kept.clone(),
        kind: other.kind.clone(),
        source: source_part(&other.source),
    });
    CatalogDocument::Entry(Box::new(CatalogEntry {
        schema: Version::default(),
        kind: entry.kind.to_string(),
        cloud: entry.cloud.name().to_string(),
        name: entry.name.clone(),
        era: entry.era.name().to_string(),
        figures: figures.collect(),
        figures_without_date: undated(entry) as u64,
        unknown: unknown(entry).into_iter().map(str::to_string).collect(),
        disagreements: disagreements.collect(),
        notes: entry.notes.clone(),
    }))
}

pub(super) fn source_part(source: &Source) -> SourcePart {
    SourcePart { key: source.key.clone(), as_of: source.as_of.clone(), title: source.title.clone() }
}
