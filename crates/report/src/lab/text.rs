use iobound_catalog::Assumption;
use iobound_lab::{Execution, Reached, Row, Verdict};
use iobound_measure::result::{Check, Outcome};
use iobound_units::Counted;

use super::columns::{narrow, wide};
use super::{Laboratory, Listed, independent, rate};
use crate::number::time_text;
use crate::page::{Page, Style, wrap};

/// The page of `lab`: the table, unexplained rows, and assumptions.
pub fn lab_text(lab: &Laboratory<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(&format!("{}: {}", lab.name, lab.about));
    page.gap();
    let compares = lab.rows.iter().any(|row| row.run.published.is_some());
    let grid = if page.is_wide() { wide(lab) } else { narrow(lab, compares) };
    let (grid, left_out) = grid.fitted(page.width());
    for line in grid.lines(page.width()) {
        page.line(&line);
    }
    page.left_out(left_out);
    page.gap();
    page.paragraph(&legend(lab, compares));
    let real_time = beside_simulated(lab, |execution| execution.real_time.as_ref(), "this machine woke");
    section(&mut page, "real time, compared with the same run in virtual time", real_time);
    let rehearsed = beside_simulated(lab, |execution| execution.rehearsed.as_ref(), "replies went out");
    section(
        &mut page,
        "rehearsed on emulated devices, compared with the same run in virtual time",
        rehearsed,
    );
    section(&mut page, "failed checks of the real runs", doubts(lab));
    section(
        &mut page,
        "not explained by any known limit; changes that would explain it, the smallest first",
        unexplained(lab),
    );
    section(&mut page, "explained in part; what the rest of the range would need", in_part(lab));
    section(&mut page, "more than one change", several_changes(lab));
    let notes = if page.is_wide() { notes(lab) } else { Vec::new() };
    section(&mut page, "notes", notes);
    let all = page.is_wide();
    section(&mut page, "assumed", assumed(lab, all));
    if lab.rows.len() < lab.asked {
        let why = lab.error.map_or("interrupted".to_string(), |error| format!("FAILED: {error}"));
        page.gap();
        page.paragraph(&format!("{why}: {} of {} rows are done", lab.rows.len(), lab.asked));
    }
    page.text()
}

fn legend(lab: &Laboratory<'_>, compares: bool) -> String {
    let mut words =
        String::from("IOPS of reads unless marked MB/s or w (writes); threads x depth outstanding");
    words.push_str(if lab.has_model() { "; ro, rw: host cache." } else { "." });
    if lab.has_targets() {
        match lab.rows.first() {
            Some(row) if !lab.targets_differ() => {
                words.push_str(&format!(" Measured on {}", row.run.targets.join(", ")));
            }
            _ => words.push_str(" Measured on the real target of each row"),
        }
        words.push_str(if lab.has_model() { "; ratio: measured / predicted." } else { "." });
    }
    if compares {
        words.push_str(&format!(" {}", independent_words(lab.rows)));
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

/// Number of independent measurements that are explained: rows with the same published figures of one source are one.
fn independent_words(rows: &[Row]) -> String {
    let measurements = independent(rows);
    let count = |all: bool, any: bool| measurements.iter().filter(|of| **of == (all, any)).count();
    let (yes, in_part, no) = (count(true, true), count(false, true), count(false, false));
    let some = if in_part == 0 { String::new() } else { format!(" in some of their rows: {in_part};") };
    format!(
        "Independent published measurements: {}; inside the band of the prediction (explained): {yes};{some} outside: {no}. Those \
         that calibrate the band too prove little of it: `lab --measured` leaves each source out in turn.",
        measurements.len()
    )
}

/// A line of a section: its subject, and its text.
type SectionLine = (String, String);

/// A title and lines, each wrapped beside its name.
fn section(page: &mut Page, title: &str, lines: Vec<SectionLine>) {
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

fn unexplained(lab: &Laboratory<'_>) -> Vec<SectionLine> {
    let rows = lab.rows.iter().filter(|row| row.verdict == Verdict::Unexplained);
    grouped_by_text(rows.map(|row| (row.run.name.clone(), row.would_need.join("; "))))
}

/// Doubts about the figures of the real runs.
fn doubts(lab: &Laboratory<'_>) -> Vec<SectionLine> {
    let is_doubt = |check: &&Check| matches!(check.outcome, Outcome::Warning | Outcome::Failed);
    grouped_by_text(lab.rows.iter().flat_map(|row| {
        let checks = row.execution.measured.iter().flat_map(|measured| &measured.checks);
        checks.filter(is_doubt).map(|check| {
            let failed = if check.outcome == Outcome::Failed { "FAILED, " } else { "" };
            (row.run.name.clone(), format!("{failed}{}: {}", check.name, check.says))
        })
    }))
}

/// Published ranges that the band reaches in part.
fn in_part(lab: &Laboratory<'_>) -> Vec<SectionLine> {
    let rows = lab.rows.iter().filter(|row| !row.beyond.is_empty());
    grouped_by_text(rows.map(|row| (row.run.name.clone(), row.beyond.join("; "))))
}

fn several_changes(lab: &Laboratory<'_>) -> Vec<SectionLine> {
    let rows = lab.rows.iter().filter(|row| row.run.changes.len() > 1);
    rows.map(|row| {
        let from = row.run.from.clone().unwrap_or_default();
        (row.run.name.clone(), format!("from {from}, {}", row.run.changed().unwrap_or_default()))
    })
    .collect()
}

fn notes(lab: &Laboratory<'_>) -> Vec<SectionLine> {
    let lines = lab.rows.iter().flat_map(|row| {
        let run = &row.run;
        let no_figure = run.no_figure.iter().filter(|words| !words.is_empty());
        let text = run.published.iter().filter_map(|published| published.text.as_ref());
        let said = run.note.iter().chain(no_figure).chain(text).chain(&run.notes);
        said.map(|said| (run.name.clone(), said.clone())).collect::<Vec<SectionLine>>()
    });
    grouped_by_text(lines)
}

/// Assumptions where the publications are silent; with `all`, those of the catalogue as well.
fn assumed(lab: &Laboratory<'_>, all: bool) -> Vec<SectionLine> {
    let own = lab
        .rows
        .iter()
        .flat_map(|row| row.run.assumed.iter().map(|assumed| (row.run.name.clone(), assumed.clone())));
    let mut lines = grouped_by_text(own);
    let of_catalogue = lab.rows.iter().flat_map(|row| {
        let assumed = row.run.on_model.iter().flat_map(|on_model| &on_model.resolved.assumed);
        assumed.map(|assumption| (row.run.name.clone(), assumption))
    });
    let (guesses, sourced): (Vec<_>, Vec<_>) = of_catalogue.partition(|(_, assumption)| assumption.is_guess);
    let sentences = Assumption::sentences(guesses.into_iter().map(|(_, assumption)| assumption));
    lines.extend(sentences.into_iter().map(|guess| (String::new(), guess)));
    let catalogue = grouped_by_text(sourced.into_iter().map(|(name, of)| (name, of.to_string())));
    if all {
        lines.extend(catalogue);
    } else if !catalogue.is_empty() {
        let count = catalogue.len();
        lines.push((
            String::new(),
            format!("and {count} of the catalogue's, on media, enforcement and algorithm: --wide lists them"),
        ));
    }
    lines
}

/// Lines that say the same are one: the first row's name, and how many more there are.
fn grouped_by_text(lines: impl IntoIterator<Item = SectionLine>) -> Vec<SectionLine> {
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

/// Figures of runs on the machine's clock of their simulations; `late_was` says what was late there.
fn beside_simulated<'a>(
    lab: &Laboratory<'a>,
    of: impl Fn(&'a Execution) -> Option<&'a Reached>,
    late_was: &str,
) -> Vec<SectionLine> {
    let rows = lab.rows.iter().filter_map(|row| of(&row.execution).map(|real| (row, real)));
    rows.map(|(row, real)| {
        let simulated = row.execution.modelled.as_ref().map_or(0.0, |modelled| modelled.simulated.iops);
        let seconds = real.per_second.map_or(String::new(), |seconds| {
            format!(", second by second {} to {}", rate(row, seconds.min), rate(row, seconds.max))
        });
        let said = format!(
            "{} compared with {} simulated: {:.4} of it, in {:.1} s{seconds}",
            rate(row, real.iops),
            rate(row, simulated),
            real.iops / simulated,
            real.seconds
        );
        let late = real.late.map_or(String::new(), |late| {
            format!("; {late_was} {} late on average", time_text(late.us_f64()))
        });
        (row.run.name.clone(), said + &late)
    })
    .collect()
}

/// The experiments that ship with the program.
pub fn lab_list_text(listed: &[Listed<'_>], style: Style) -> String {
    let mut page = Page::new(style);
    let lines = listed
        .iter()
        .map(|of| (of.name.to_string(), format!("{} ({})", of.about, Counted(of.runs as u64, "run"))));
    section(&mut page, "experiments; iobound lab NAME runs one, without a name published", lines.collect());
    page.text()
}
