use iobound_workload::{Confidence, Preset, describe};
use serde_json::{Value, json};

use crate::document::Document;
use crate::page::{Page, Style};

/// All presets: what each is, and how far its source carries.
pub fn presets_text(presets: &[Preset], style: Style) -> String {
    let mut page = Page::new(style);
    for preset in presets {
        page.paragraph(&format!("{}: {}", preset.name, preset.about));
        let jobs: Vec<String> = preset.workload.jobs.iter().map(describe).collect();
        page.list("", &jobs);
        if page.is_wide() {
            page.labelled("source", &source(preset));
            page.labelled("note", &preset.note);
        }
    }
    page.gap();
    page.paragraph(
        "iobound predict --vm DS14 --disk 10xP30 --preset NAME; `iobound catalog show NAME` shows the source",
    );
    page.text()
}

/// One preset, with its source and its file.
pub fn preset_text(preset: &Preset, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(&format!("{} (preset): {}", preset.name, preset.about));
    page.gap();
    let jobs: Vec<String> =
        preset.workload.jobs.iter().map(|job| format!("{}: {}", job.name, describe(job))).collect();
    page.list("jobs", &jobs);
    page.labelled("source", &source(preset));
    page.labelled("note", &preset.note);
    page.gap();
    for line in preset.workload.to_toml().lines() {
        page.line(&format!("  {line}"));
    }
    page.text()
}

fn source(preset: &Preset) -> String {
    let carried = match preset.confidence {
        Confidence::Published => "all of it is published there",
        Confidence::Partly => "a part of it is published there",
        Confidence::Memory => "little of it is published: check it against a trace of your own",
    };
    format!("{}; {carried}", preset.source)
}

/// The document of all presets.
pub fn presets_json(presets: &[Preset]) -> Document {
    let rows: Vec<Value> = presets.iter().map(preset_value).collect();
    Document::new("iobound.catalog/1").with("kind", "presets").with("count", rows.len()).with("rows", rows)
}

/// The document of one.
pub fn preset_json(preset: &Preset) -> Document {
    let document = Document::new("iobound.catalog/1").with("kind", "preset");
    match preset_value(preset) {
        Value::Object(map) => document.with_all(map),
        _ => document,
    }
}

fn preset_value(preset: &Preset) -> Value {
    let jobs: Vec<Value> = preset
        .workload
        .jobs
        .iter()
        .map(|job| json!({ "name": job.name, "description": describe(job) }))
        .collect();
    json!({
        "name": preset.name,
        "about": preset.about,
        "source": preset.source,
        "confidence": preset.confidence.name(),
        "note": preset.note,
        "jobs": jobs,
        "toml": preset.workload.to_toml(),
    })
}
