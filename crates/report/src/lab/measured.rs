//! The answer of `lab --measured`: the coverage of the bands over published measurements.

use iobound_catalog::COVERAGE;
use iobound_lab::{ComparedPoint, CoverageRow, MeasuredLab, SlowReached};
use serde_json::{Value, json};

use super::grid::{Grid, Kind};
use crate::document::Document;
use crate::number::{figure, percent_text, rounded};
use crate::page::{Page, Style};

/// The version of the document.
const SCHEMA: &str = "iobound.lab-measured/1";

/// The page of `lab --measured`; a wide one lists every figure.
pub fn measured_text(lab: &MeasuredLab<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let claimed = percent_text(COVERAGE);
    page.paragraph(&format!(
        "Published measurements beside the model's bands. A calibrated band claims {claimed}. Each source counts the same, and each \
         measurement of a source: shares are of independent measurements, not of rows."
    ));
    for (title, rows) in [
        ("IOPS and throughput, by what binds", lab.by_regime()),
        ("IOPS and throughput, by cloud", lab.by_cloud()),
        ("all figures, by kind", lab.by_figure()),
        ("all figures, by source", lab.by_source()),
    ] {
        table(&mut page, title, &rows);
    }
    page.gap();
    page.paragraph(
        "model: inside the model's own band. band: inside the calibrated band. left out: inside the band by the factors of all \
         other sources, which is what a new source can expect. width: (high - low) / expected, the median over measurements.",
    );
    for slow in &lab.slow {
        page.gap();
        page.paragraph(&slow_words(slow));
    }
    refused(&mut page, lab);
    if page.is_wide() {
        figures(&mut page, lab);
    }
    page.text()
}

fn table(page: &mut Page, title: &'static str, rows: &[CoverageRow]) {
    if rows.is_empty() {
        return;
    }
    page.gap();
    let mut grid = Grid::new(vec![
        (title, Kind::Words),
        ("sources", Kind::Figures),
        ("measured", Kind::Figures),
        ("model", Kind::Figures),
        ("band", Kind::Figures),
        ("left out", Kind::Figures),
        ("width", Kind::Figures),
    ]);
    for row in rows {
        grid.row(vec![
            row.name.clone(),
            row.sources.to_string(),
            row.measurements.to_string(),
            percent_text(row.mechanism),
            percent_text(row.band),
            percent_text(row.left_out),
            percent_text(row.width),
        ]);
    }
    for line in grid.lines(page.width()) {
        page.line(&line);
    }
}

fn slow_words(slow: &SlowReached) -> String {
    let vms = &slow.vms;
    format!(
        "Slow VMs are no part of the bands: {} of {} equal VMs of {} reached {} to {} of what is expected. If each of the {} sources of {} \
         counts the same, 1 VM in {} is slower than its band.",
        vms.slow,
        vms.of,
        vms.source,
        rounded(slow.least, 2),
        rounded(slow.most, 2),
        vms.sources,
        vms.cloud.name(),
        rounded(vms.one_in(), 0)
    )
}

fn refused(page: &mut Page, lab: &MeasuredLab<'_>) {
    if lab.refused.is_empty() {
        return;
    }
    page.gap();
    page.line("refused by the model");
    for refused in &lab.refused {
        let why = refused.why.lines().next().unwrap_or_default();
        page.paragraph(&format!("{}: {why}", refused.run.id));
    }
}

fn figures(page: &mut Page, lab: &MeasuredLab<'_>) {
    page.gap();
    let mut grid = Grid::new(vec![
        ("figure", Kind::Words),
        ("bound by", Kind::Words),
        ("published", Kind::Figures),
        ("expected", Kind::Figures),
        ("low", Kind::Figures),
        ("high", Kind::Figures),
        ("inside", Kind::Words),
    ]);
    for of in &lab.points {
        let point = &of.point;
        let number = |value: f64| rounded(value, usize::from(value < 1e3)).to_string();
        grid.row(vec![
            format!("{}-{}", point.run.id, point.kind.name()),
            point.regime.name().into(),
            number(point.published),
            number(point.expected),
            number(point.band.low),
            number(point.band.high),
            place(of).into(),
        ]);
    }
    for line in grid.lines(page.width()) {
        page.line(&line);
    }
}

fn place(of: &ComparedPoint<'_>) -> &'static str {
    let point = &of.point;
    match (point.is_inside(point.band), point.published < point.band.low) {
        (true, _) => "inside",
        (false, true) => "below",
        (false, false) => "above",
    }
}

/// The document of `lab --measured`.
pub fn measured_json(lab: &MeasuredLab<'_>) -> Document {
    let rows = |rows: Vec<CoverageRow>| rows.iter().map(row).collect::<Vec<Value>>();
    let refused = lab.refused.iter().map(|of| json!({ "run": of.run.id, "why": of.why }));
    Document::new(SCHEMA)
        .with("claimed", figure(COVERAGE, 2))
        .with("by_regime", rows(lab.by_regime()))
        .with("by_cloud", rows(lab.by_cloud()))
        .with("by_figure", rows(lab.by_figure()))
        .with("by_source", rows(lab.by_source()))
        .with("slow_vms", lab.slow.iter().map(slow).collect::<Vec<Value>>())
        .with("refused", refused.collect::<Vec<Value>>())
        .with("figures", lab.points.iter().map(compared).collect::<Vec<Value>>())
}

fn row(row: &CoverageRow) -> Value {
    json!({
        "name": row.name,
        "sources": row.sources,
        "measurements": row.measurements,
        "figures": row.figures,
        "inside_mechanism": figure(row.mechanism, 4),
        "inside_band": figure(row.band, 4),
        "inside_left_out": figure(row.left_out, 4),
        "below_left_out": figure(row.below, 4),
        "median_width": figure(row.width, 4),
    })
}

fn slow(slow: &SlowReached) -> Value {
    json!({
        "source": slow.vms.source,
        "cloud": slow.vms.cloud.name(),
        "slow": slow.vms.slow,
        "of": slow.vms.of,
        "sources": slow.vms.sources,
        "one_in": figure(slow.vms.one_in(), 1),
        "least": figure(slow.least, 4),
        "most": figure(slow.most, 4),
    })
}

fn compared(of: &ComparedPoint<'_>) -> Value {
    let point = &of.point;
    let run = point.run;
    json!({
        "run": run.id,
        "source": run.source,
        "url": run.url,
        "measured": run.measured.as_ref().unwrap_or(&run.published),
        "cloud": run.cloud.name(),
        "vm": run.vm,
        "disks": run.disks,
        "figure": point.kind.name(),
        "regime": point.regime.name(),
        "layout": point.layout.name(),
        "published": figure(point.published, 3),
        "expected": figure(point.expected, 3),
        "low": figure(point.band.low, 3),
        "high": figure(point.band.high, 3),
        "mechanism_low": figure(point.mechanism.low, 3),
        "mechanism_high": figure(point.mechanism.high, 3),
        "left_out_low": figure(of.left_out.low, 3),
        "left_out_high": figure(of.left_out.high, 3),
        "verdict": place(of),
        "unstated": run.unstated,
    })
}
