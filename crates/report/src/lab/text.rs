use iobound_lab::{Row, Verdict};
use iobound_units::{Grouped, format_throughput};
use iobound_workload::describe;
use serde_json::{Value, json};

use super::grid::{Grid, Kind};
use super::words::{binding_cell, configuration_cell, configuration_words, workload_cell};
use super::{Laboratory, Listed, by_throughput, figure_words, published_cell, rate};
use crate::document::Document;
use crate::number::{count_text, rounded, time_text};
use crate::page::{Page, Style, wrap};

/// The page of `lab`: the table, what is not explained, and what was assumed.
pub fn lab_text(lab: &Laboratory<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(&format!("{}: {}", lab.name, lab.about));
    page.gap();
    let compares = lab.rows.iter().any(|row| row.run.published.is_some());
    let grid = if page.is_wide() { wide(lab) } else { narrow(lab, compares) };
    for line in grid.lines(page.width()) {
        page.line(&line);
    }
    page.gap();
    page.paragraph(&legend(lab, compares));
    section(&mut page, "real time, beside the same run in virtual time", real_time(lab));
    section(
        &mut page,
        "not explained by any known limit; what would have to be true, the least change first",
        unexplained(lab),
    );
    section(&mut page, "explained in part; what the rest of the range would need", in_part(lab));
    section(&mut page, "more than one change", several_changes(lab));
    let notes = if page.is_wide() { notes(lab) } else { Vec::new() };
    section(&mut page, "notes", notes);
    let all = page.is_wide();
    section(&mut page, "assumed", assumed(lab, all));
    if lab.rows.len() < lab.asked {
        page.gap();
        page.paragraph(&format!("interrupted: {} of {} rows are done", lab.rows.len(), lab.asked));
    }
    page.text()
}

fn narrow(lab: &Laboratory<'_>, compares: bool) -> Grid {
    use Kind::{Figures, Words};
    let priced = !compares && lab.rows.iter().any(|row| row.run.price.is_some());
    let mut heads = vec![("row", Words), ("configuration", Words), ("workload", Words)];
    if compares {
        heads.push(("published", Figures));
    }
    heads.push(("predicted", Figures));
    if !compares {
        heads.push(("band", Figures));
    }
    heads.push(("simulated", Figures));
    if priced {
        heads.push(("USD/month", Figures));
    }
    heads.push(("bound by", Words));
    if compares {
        heads.push(("explained", Words));
    }
    let mut grid = Grid::new(heads);
    for row in lab.rows {
        let prediction = &row.execution.prediction;
        let mut cells = vec![row.run.name.clone(), configuration_cell(&row.run), workload_cell(&row.run)];
        if compares {
            cells.push(row.run.published.as_ref().map_or("-".into(), published_cell));
        }
        cells.push(rate(row, prediction.expected.iops));
        if !compares {
            cells.push(band_words(row));
        }
        cells.push(rate(row, row.execution.simulated.iops));
        if priced {
            cells.push(price_cell(row));
        }
        cells.push(binding_cell(&prediction.binding));
        if compares {
            cells.push(verdict_word(row).into());
        }
        grid.row(cells);
    }
    grid
}

fn wide(lab: &Laboratory<'_>) -> Grid {
    use Kind::{Figures, Words};
    let mut grid = Grid::new(vec![
        ("row", Words),
        ("configuration", Words),
        ("workload", Words),
        ("published", Figures),
        ("ceiling", Figures),
        ("predicted", Figures),
        ("band", Figures),
        ("simulated", Figures),
        ("seconds", Figures),
        ("MB/s", Figures),
        ("mean", Figures),
        ("USD/month", Figures),
        ("bound by", Words),
        ("verdict", Words),
        ("changed", Words),
    ]);
    for row in lab.rows {
        let (prediction, simulated) = (&row.execution.prediction, &row.execution.simulated);
        let jobs: Vec<String> = row.run.workload.jobs.iter().map(describe).collect();
        let seconds = simulated
            .per_second
            .map_or("-".into(), |seconds| format!("{}-{}", count_text(seconds.min), count_text(seconds.max)));
        let mean = simulated.latency.and_then(|latency| latency.mean);
        grid.row(vec![
            row.run.name.clone(),
            configuration_words(&row.run),
            jobs.join("; "),
            published_words(row),
            prediction.ceiling.iops.map_or("-".into(), count_text),
            count_text(prediction.expected.iops),
            format!("{}-{}", count_text(row.band.low), count_text(row.band.high)),
            count_text(simulated.iops),
            seconds,
            rounded(simulated.throughput_bytes_per_s / 1e6, 1).to_string(),
            mean.map_or("-".into(), time_text),
            price_cell(row),
            prediction.binding.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            row.verdict.name().into(),
            row.run.changed().unwrap_or_default(),
        ]);
    }
    grid
}

fn band_words(row: &Row) -> String {
    let (low, high) = (row.band.low, row.band.high);
    if by_throughput(row) {
        let words = format_throughput(low * row.band.block);
        return format!("{}-{}", words.trim_end_matches(" MB/s"), format_throughput(high * row.band.block));
    }
    format!("{}-{}", count_text(low), count_text(high))
}

/// The published figures in full.
fn published_words(row: &Row) -> String {
    let Some(published) = &row.run.published else { return "-".into() };
    let mut words: Vec<String> = Vec::new();
    words.extend(published.iops.map(|figure| figure_words(&figure, false)));
    words.extend(published.throughput_bytes_per_s.map(|figure| figure_words(&figure, true)));
    words.extend(published.latency_us.map(|figure| time_text(figure.value)));
    words.extend(published.range.map(|range| {
        format!(
            "{}-{}",
            figure_words(&range.low, range.is_throughput),
            figure_words(&range.high, range.is_throughput)
        )
    }));
    words.join(", ")
}

fn price_cell(row: &Row) -> String {
    match &row.run.price {
        None => "-".into(),
        Some(price) => match price.per_month {
            Some(month) => Grouped(month.as_f64().round() as u64).to_string(),
            None => "unknown".into(),
        },
    }
}

fn verdict_word(row: &Row) -> &'static str {
    match row.verdict {
        Verdict::Explained if !row.beyond.is_empty() => "in part",
        Verdict::Explained => "yes",
        Verdict::Unexplained => "NO",
        Verdict::NoFigure => "-",
    }
}

fn legend(lab: &Laboratory<'_>, compares: bool) -> String {
    let mut words = String::from(
        "IOPS of reads unless MB/s or w (writes) is said; threads x depth outstanding; ro, rw: host cache.",
    );
    if compares {
        let count = |verdict: Verdict| lab.rows.iter().filter(|row| row.verdict == verdict).count();
        let (yes, no) = (count(Verdict::Explained), count(Verdict::Unexplained));
        words.push_str(&format!(
            " Rows with a published figure: {}; inside the band of the prediction (explained): {yes}; outside: {no}.",
            yes + no
        ));
    }
    if compares {
        return words;
    }
    if let Some(price) = lab.rows.iter().find_map(|row| row.run.price.as_ref()) {
        let date = price.as_of.as_ref().map_or(String::new(), |date| format!(" of {date}"));
        words.push_str(&format!(" List prices{date}, {}, Linux, on demand.", lab.region));
    }
    words
}

/// A line of a section: what it is about, and what is said.
type Line = (String, String);

/// A title and lines, each wrapped beside its name.
fn section(page: &mut Page, title: &str, lines: Vec<Line>) {
    if lines.is_empty() {
        return;
    }
    page.gap();
    page.line(title);
    let names = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let indent = if names == 0 { 2 } else { names + 4 };
    for (name, text) in lines {
        for (index, part) in wrap(&text, page.width().saturating_sub(indent).max(20)).iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            page.line(&format!("{:<indent$}{part}", format!("  {name}")));
        }
    }
}

fn unexplained(lab: &Laboratory<'_>) -> Vec<Line> {
    let rows = lab.rows.iter().filter(|row| row.verdict == Verdict::Unexplained);
    grouped_by_text(rows.map(|row| (row.run.name.clone(), row.would_need.join("; "))))
}

/// Published ranges that the band reaches in part.
fn in_part(lab: &Laboratory<'_>) -> Vec<Line> {
    let rows = lab.rows.iter().filter(|row| !row.beyond.is_empty());
    grouped_by_text(rows.map(|row| (row.run.name.clone(), row.beyond.join("; "))))
}

fn several_changes(lab: &Laboratory<'_>) -> Vec<Line> {
    let rows = lab.rows.iter().filter(|row| row.run.changes.len() > 1);
    rows.map(|row| {
        let from = row.run.from.clone().unwrap_or_default();
        (row.run.name.clone(), format!("from {from}, {}", row.run.changed().unwrap_or_default()))
    })
    .collect()
}

fn notes(lab: &Laboratory<'_>) -> Vec<Line> {
    let lines = lab.rows.iter().flat_map(|row| {
        let run = &row.run;
        let no_figure = run.no_figure.iter().filter(|words| !words.is_empty());
        let text = run.published.iter().filter_map(|published| published.text.as_ref());
        let said = run.note.iter().chain(no_figure).chain(text).chain(&run.notes);
        said.map(|said| (run.name.clone(), said.clone())).collect::<Vec<Line>>()
    });
    grouped_by_text(lines)
}

/// What the publications do not say; with `all`, what the catalogue took as well.
fn assumed(lab: &Laboratory<'_>, all: bool) -> Vec<Line> {
    let own = lab
        .rows
        .iter()
        .flat_map(|row| row.run.assumed.iter().map(|assumed| (row.run.name.clone(), assumed.clone())));
    let mut lines = grouped_by_text(own);
    let catalogue = grouped_by_text(lab.rows.iter().flat_map(|row| {
        row.run.resolved.assumed.iter().map(|assumption| {
            let said = format!("{}: {} ({})", assumption.what, assumption.value, assumption.why);
            (row.run.name.clone(), said)
        })
    }));
    if all {
        lines.extend(catalogue);
    } else if !catalogue.is_empty() {
        let count = catalogue.len();
        lines.push((
            String::new(),
            format!(
                "and {count} of the catalogue's, on media, enforcement and discipline: --wide lists them"
            ),
        ));
    }
    lines
}

/// Lines that say the same are one: the first row's name, and how many more there are.
fn grouped_by_text(lines: impl IntoIterator<Item = Line>) -> Vec<Line> {
    let mut grouped: Vec<(String, String, usize)> = Vec::new();
    for (name, text) in lines {
        match grouped.iter_mut().find(|(_, other, _)| *other == text) {
            Some((_, _, more)) => *more += 1,
            None => grouped.push((name, text, 0)),
        }
    }
    grouped
        .into_iter()
        .map(|(name, text, more)| if more == 0 { (name, text) } else { (format!("{name} +{more}"), text) })
        .collect()
}

fn real_time(lab: &Laboratory<'_>) -> Vec<Line> {
    let rows = lab.rows.iter().filter_map(|row| row.execution.real_time.as_ref().map(|real| (row, real)));
    rows.map(|(row, real)| {
        let simulated = &row.execution.simulated;
        let seconds = real.per_second.map_or(String::new(), |seconds| {
            format!(", second by second {} to {}", rate(row, seconds.min), rate(row, seconds.max))
        });
        let said = format!(
            "{} beside {} simulated: {:.4} of it, in {:.1} s{seconds}",
            rate(row, real.iops),
            rate(row, simulated.iops),
            real.iops / simulated.iops,
            real.seconds
        );
        let late = real.late.map_or(String::new(), |late| {
            format!("; this machine woke {} late on average", time_text(late.us_f64()))
        });
        (row.run.name.clone(), said + &late)
    })
    .collect()
}

/// The experiments that ship with the program.
pub fn lab_list_text(listed: &[Listed<'_>], style: Style) -> String {
    let mut page = Page::new(style);
    let lines = listed.iter().map(|of| (of.name.to_string(), format!("{} ({} runs)", of.about, of.runs)));
    section(&mut page, "experiments; iobound lab NAME runs one, without a name published", lines.collect());
    page.text()
}

/// The document of the list.
pub fn lab_list_json(listed: &[Listed<'_>]) -> Document {
    let experiments: Vec<Value> =
        listed.iter().map(|of| json!({ "name": of.name, "about": of.about, "runs": of.runs })).collect();
    Document::new("iobound.lab-list/1").with("experiments", experiments)
}
