use iobound_documents::{CatalogDocument, CatalogPreset, CatalogPresets, PresetJob, PresetPart, Version};
use iobound_workload::{Confidence, Preset, describe};

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
pub fn presets_document(presets: &[Preset]) -> CatalogDocument {
    CatalogDocument::Presets(CatalogPresets {
        schema: Version::default(),
        kind: "presets".to_string(),
        count: presets.len() as u64,
        rows: presets.iter().map(part).collect(),
    })
}

/// The document of one.
pub fn preset_document(preset: &Preset) -> CatalogDocument {
    CatalogDocument::Preset(Box::new(CatalogPreset {
        schema: Version::default(),
        kind: "preset".to_string(),
        preset: part(preset),
    }))
}

fn part(preset: &Preset) -> PresetPart {
    let jobs = preset.workload.jobs.iter();
    PresetPart {
        name: preset.name.to_string(),
        about: preset.about.to_string(),
        source: preset.source.to_string(),
        confidence: preset.confidence.name().to_string(),
        note: preset.note.to_string(),
        jobs: jobs.map(|job| PresetJob { name: job.name.clone(), description: describe(job) }).collect(),
        toml: preset.workload.to_toml(),
    }
}
