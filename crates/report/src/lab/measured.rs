//! The answer of `lab --measured`: the coverage of the bands over published measurements.

use iobound_catalog::COVERAGE;
use iobound_documents::{
    Amount, CoverageRowPart, LabMeasuredDocument, MeasuredFigurePart, RefusedRunPart, Share, SlowVmsPart,
    Version,
};
use iobound_lab::{ComparedPoint, CoverageRow, MeasuredLab, RefusedRun, SlowReached};

use super::grid::{Grid, Kind};
use crate::number::{percent_text, rounded};
use crate::page::{Page, Style};

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
pub fn measured_document(lab: &MeasuredLab<'_>) -> LabMeasuredDocument {
    let rows = |rows: Vec<CoverageRow>| rows.iter().map(row_part).collect::<Vec<CoverageRowPart>>();
    let refused = |of: &RefusedRun<'_>| RefusedRunPart { run: of.run.id.clone(), why: of.why.clone() };
    LabMeasuredDocument {
        schema: Version::default(),
        claimed: Share::with_decimals(COVERAGE, 2),
        by_regime: rows(lab.by_regime()),
        by_cloud: rows(lab.by_cloud()),
        by_figure: rows(lab.by_figure()),
        by_source: rows(lab.by_source()),
        slow_vms: lab.slow.iter().map(slow_part).collect(),
        refused: lab.refused.iter().map(refused).collect(),
        figures: lab.points.iter().map(figure_part).collect(),
    }
}

fn share(value: f64) -> Share {
    Share::with_decimals(value, 4)
}

fn row_part(row: &CoverageRow) -> CoverageRowPart {
    CoverageRowPart {
        name: row.name.clone(),
        sources: row.sources as u64,
        measurements: row.measurements as u64,
        figures: row.figures as u64,
        inside_mechanism: share(row.mechanism),
        inside_band: share(row.band),
        inside_left_out: share(row.left_out),
        below_left_out: share(row.below),
        median_width: share(row.width),
    }
}

fn slow_part(slow: &SlowReached) -> SlowVmsPart {
    SlowVmsPart {
        source: slow.vms.source.to_string(),
        cloud: slow.vms.cloud.name().to_string(),
        slow: slow.vms.slow,
        of: slow.vms.of,
        sources: slow.vms.sources,
        one_in: Amount::with_decimals(slow.vms.one_in(), 1),
        least: share(slow.least),
        most: share(slow.most),
    }
}

fn figure_part(of: &ComparedPoint<'_>) -> MeasuredFigurePart {
    let point = &of.point;
    let run = point.run;
    let amount = |value: f64| Amount::with_decimals(value, 3);
    MeasuredFigurePart {
        run: run.id.clone(),
        source: run.source.clone(),
        url: run.url.clone(),
        measured: run.measured.as_ref().unwrap_or(&run.published).clone(),
        cloud: run.cloud.name().to_string(),
        vm: run.vm.clone(),
        disks: run.disks.clone(),
        figure: point.kind.name().to_string(),
        regime: point.regime.name().to_string(),
        layout: point.layout.name().to_string(),
        published: amount(point.published),
        expected: amount(point.expected),
        low: amount(point.band.low),
        high: amount(point.band.high),
        mechanism_low: amount(point.mechanism.low),
        mechanism_high: amount(point.mechanism.high),
        left_out_low: amount(of.left_out.low),
        left_out_high: amount(of.left_out.high),
        verdict: place(of).to_string(),
        unstated: run.unstated.clone(),
    }
}
