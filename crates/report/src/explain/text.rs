use iobound_explain::{Confidence, Effect, Explanation, Figures, Finding, Outcome, Remedy};
use iobound_units::format_throughput;

use super::Explained;
use crate::limit::{grouped, limit_title};
use crate::number::{count_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Findings on a page that is not wide, where they are as certain as the first.
const SHOWN: usize = 2;

/// The screen of `explain`.
pub fn explain_text(explained: &Explained<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    findings_screen(explained.explanation, &mut page);
    page.labelled("seen", &seen(&explained.observed.total));
    page.list("notes", explained.notes);
    page.text()
}

/// The findings, what has room left, and what was assumed.
pub(crate) fn findings_screen(explanation: &Explanation, page: &mut Page) {
    let first = explanation.findings.first().map(|finding| finding.confidence);
    let alike = |finding: &&Finding| Some(finding.confidence) == first;
    let shown = match page.is_wide() {
        true => explanation.findings.len(),
        false => explanation.findings.iter().take(SHOWN).take_while(alike).count(),
    };
    for (index, finding) in explanation.findings.iter().take(shown).enumerate() {
        page.gap();
        screen(index + 1, finding, page);
    }
    page.gap();
    let left: Vec<&str> = explanation.findings.iter().skip(shown).map(|finding| finding.rule).collect();
    if !left.is_empty() {
        page.labelled("less so", &format!("{}: --wide", left.join(", ")));
    }
    if let Some(measure) = &explanation.tell_apart {
        // Where nothing is more than possible, the measurement decides and does not part the first two only.
        match explanation.findings.first() {
            Some(first) if first.confidence == Confidence::Possible => page.labelled("next", measure),
            _ => page.labelled("apart", &format!("1 from 2: {measure}")),
        }
    }
    let ruled_out: Vec<String> = explanation
        .ruled_out
        .iter()
        .map(|one| format!("{} {} ({})", limit_title(&one.limit, 1), percent_text(one.used), one.because))
        .collect();
    if !ruled_out.is_empty() {
        page.labelled("ruled out", &ruled_out.join(", "));
    }
    wish(explanation, page);
    if !explanation.assumed.is_empty() {
        page.labelled("assumed", &explanation.assumed.join("; "));
    }
}

/// Measurements of all together.
fn seen(figures: &Figures) -> String {
    let mut said = Vec::new();
    said.extend(figures.iops.map(|iops| format!("{} IOPS", count_text(iops))));
    said.extend(figures.throughput_bytes_per_s.map(format_throughput));
    said.extend(figures.block.map(|block| format!("blocks of {:.1} KiB", block / 1024.0)));
    said.extend(figures.latency_us.typical().map(time_text));
    said.extend(figures.depth.or(figures.held()).map(|depth| format!("{depth:.1} outstanding")));
    said.extend(figures.read.map(|read| format!("{} reads", percent_text(read))));
    said.join(", ")
}

fn screen(number: usize, finding: &Finding, page: &mut Page) {
    page.stressed(&format!("{number}"), &format!("{}   {}", finding.rule, finding.confidence.name()));
    page.paragraph(&finding.claim);
    for evidence in &finding.evidence {
        page.paragraph(&format!("- {evidence}"));
    }
    if !finding.remedies.is_empty() {
        page.gap();
        let mut columns = vec![Column::words("change")];
        columns.extend(["IOPS", "predicted"].map(Column::figures));
        columns.push(Column::words("then"));
        let mut table = Table::new(columns);
        for remedy in &finding.remedies {
            if let Some(outcome) = &remedy.outcome {
                table.row(vec![
                    remedy.says(),
                    count_text(outcome.iops),
                    format_throughput(outcome.throughput_bytes_per_s),
                    then(outcome),
                ]);
            }
        }
        for line in table.lines(page.width()) {
            page.line(&line);
        }
    }
    if !finding.advice.is_empty() {
        page.labelled("do", &finding.advice);
    }
    if let Some(measure) = &finding.to_be_sure {
        page.labelled("measure", measure);
    }
}

/// Changes that meet the goal, and the need where none does.
fn wish(explanation: &Explanation, page: &mut Page) {
    let Some(wish) = &explanation.wish else { return };
    let said = match (wish.met_by.as_slice(), &wish.otherwise) {
        ([], None) => "met by none of these".to_string(),
        ([], Some(other)) => format!("met by none of these alone; {}", together(other)),
        (met, _) => format!("met by {}", met.join("; by ")),
    };
    page.labelled("wish", &said);
}

fn together(remedy: &Remedy) -> String {
    let Some(outcome) = &remedy.outcome else { return remedy.says() };
    let met = if outcome.meets_want == Some(true) { "by" } else { "the nearest is" };
    format!(
        "{met} {}: {} IOPS, {}",
        remedy.says(),
        count_text(outcome.iops),
        format_throughput(outcome.throughput_bytes_per_s)
    )
}

/// The binding limit after a change, and what it takes.
fn then(outcome: &Outcome) -> String {
    let mut said = vec![format!("{} binds", outcome.binding.join(", "))];
    match outcome.effect {
        Some(Effect::Worse) => said.insert(0, "worse".into()),
        Some(Effect::Same) => said.insert(0, "no more".into()),
        Some(Effect::Better) | None => {}
    }
    if let Some(us) = outcome.mean_us {
        said.push(time_text(us));
    }
    if outcome.binding.iter().any(|name| name == "queue_depth")
        && let Some(needs) = outcome.needs_outstanding
    {
        said.push(format!("{} outstanding reach the limit", grouped(needs)));
    }
    match outcome.meets_want {
        Some(true) => said.push("as wanted".into()),
        Some(false) => said.push("not as wanted".into()),
        None => {}
    }
    said.join("; ")
}
