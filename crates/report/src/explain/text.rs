use iobound_explain::{Explanation, Finding, Outcome};
use iobound_units::format_throughput;

use super::Explained;
use crate::limit::{grouped, limit_title};
use crate::number::{count_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Findings on a page that is not wide.
const SHOWN: usize = 3;

/// The screen of `explain`.
pub fn explain_text(explained: &Explained<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    findings_screen(explained.explanation, &mut page);
    page.list("notes", explained.notes);
    page.text()
}

/// What was found, what has room left, and what was assumed.
pub(crate) fn findings_screen(explanation: &Explanation, page: &mut Page) {
    let shown = if page.is_wide() { explanation.findings.len() } else { SHOWN };
    for (index, finding) in explanation.findings.iter().take(shown).enumerate() {
        page.gap();
        screen(index + 1, finding, page);
    }
    page.gap();
    let left: Vec<&str> = explanation.findings.iter().skip(shown).map(|finding| finding.rule).collect();
    if !left.is_empty() {
        page.labelled("less so", &format!("{}: --wide", left.join(", ")));
    }
    let ruled_out: Vec<String> = explanation
        .ruled_out
        .iter()
        .map(|(name, share)| format!("{} {}", limit_title(name, 1), percent_text(*share)))
        .collect();
    if !ruled_out.is_empty() {
        page.labelled("ruled out", &ruled_out.join(", "));
    }
    if !explanation.assumed.is_empty() {
        page.labelled("assumed", &explanation.assumed.join("; "));
    }
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

/// What binds after a change, and what it takes.
fn then(outcome: &Outcome) -> String {
    let mut said = vec![format!("{} binds", outcome.binding.join(", "))];
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
