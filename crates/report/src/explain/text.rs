use iobound_explain::{Confidence, Effect, Explanation, Figures, Finding, Outcome, Remedy, Wish, title_of};
use iobound_units::format_throughput;

use super::Explained;
use crate::limit::{binding_words, grouped, with_names};
use crate::number::{count_text, money_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Findings on a page that is not wide, where they are as certain as the first.
const SHOWN: usize = 2;

/// Outstanding I/Os by Little's law and as given are one number within so much of one another.
const OFF: f64 = 0.87;

/// The screen of `explain`.
pub fn explain_text(explained: &Explained<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(&headline(explained.explanation));
    findings_screen(explained.explanation, &mut page);
    page.labelled("observed", &observed(&explained.observed.total));
    if let Some(prices) = explained.prices {
        let date = prices.as_of.as_ref().map_or(String::new(), |date| format!(", list of {date}"));
        page.labelled("prices", &format!("on demand in {}{date}", prices.region));
    }
    page.list("notes", explained.notes);
    page.text()
}

/// The answer in a sentence or two: the cause, and the change that gains most for its price.
fn headline(explanation: &Explanation) -> String {
    let Some(first) = explanation.findings.first() else { return "Nothing was found.".into() };
    if first.confidence == Confidence::Possible && first.rule != "contradiction" {
        let next = explanation.tell_apart.as_deref().or(first.to_be_sure.as_deref());
        let next = next.map_or(String::new(), |measure| format!(" Measure next: {measure}."));
        let claim = with_names(&first.claim);
        return format!("Too little is known to name the cause; possible: {claim}.{next}");
    }
    let mut said = format!("{}: {}.", first.title.unwrap_or(title_of(first.rule)), with_names(&first.claim));
    if let Some((remedy, outcome)) = best_change(first) {
        let price = outcome.price_change.map(price_words).unwrap_or_default();
        said.push_str(&format!(
            " With {}: {} IOPS, {}{price}.",
            remedy.says(),
            count_text(outcome.iops),
            format_throughput(outcome.throughput_bytes_per_s)
        ));
    }
    said
}

/// The first change that helps: the one that gains most for its price, if all prices are known.
fn best_change(finding: &Finding) -> Option<(&Remedy, &Outcome)> {
    finding
        .remedies
        .iter()
        .filter(|remedy| remedy.is_change())
        .filter_map(|remedy| Some((remedy, remedy.outcome.as_ref()?)))
        .find(|(_, outcome)| outcome.effect == Some(Effect::Better))
}

/// Price of a change, as the end of a clause.
fn price_words(usd: f64) -> String {
    match usd {
        usd if usd >= 0.005 => format!(", for {} USD a month more", money_text(usd)),
        usd if usd <= -0.005 => format!(", for {} USD a month less", money_text(-usd)),
        _ => ", at the same price".into(),
    }
}

/// Findings, limits with room left, and assumptions.
pub(crate) fn findings_screen(explanation: &Explanation, page: &mut Page) {
    let first = explanation.findings.first().map(|finding| finding.confidence);
    let alike = |finding: &&Finding| Some(finding.confidence) == first;
    let shown = match page.is_wide() {
        true => explanation.findings.len(),
        false => explanation.findings.iter().take(SHOWN).take_while(alike).count(),
    };
    for (index, finding) in explanation.findings.iter().take(shown).enumerate() {
        page.gap();
        screen(index + 1, finding, explanation.wish.as_ref(), page);
    }
    page.gap();
    let left: Vec<&str> = explanation.findings.iter().skip(shown).map(|finding| finding.rule).collect();
    if !left.is_empty() {
        page.labelled("others", &format!("less likely: {} (--wide shows them)", left.join(", ")));
    }
    if let Some(measure) = &explanation.tell_apart {
        // Where nothing is more than possible, the measurement decides and does not part the first two only.
        match explanation.findings.first() {
            Some(first) if first.confidence == Confidence::Possible => page.labelled("next", measure),
            _ => page.labelled("next", &format!("measure this to tell 1 from 2: {measure}")),
        }
    }
    let ruled_out: Vec<String> = explanation
        .ruled_out
        .iter()
        .map(|one| format!("{} {} ({})", binding_words(&one.limit), percent_text(one.used), one.because))
        .collect();
    if !ruled_out.is_empty() {
        page.labelled("ruled out", &ruled_out.join(", "));
    }
    wish(explanation, page);
    if !explanation.assumed.is_empty() {
        page.labelled("assumed", &with_names(&explanation.assumed.join("; ")));
    }
}

/// Measurements of all together.
fn observed(figures: &Figures) -> String {
    let mut said = Vec::new();
    said.extend(figures.iops.map(|iops| format!("{} IOPS", count_text(iops))));
    said.extend(figures.throughput_bytes_per_s.map(format_throughput));
    said.extend(figures.block.map(|block| format!("blocks of {:.1} KiB", block / 1024.0)));
    let latency = figures.latency_us;
    said.extend(latency.mean.map(time_text));
    let percentiles = [("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99)];
    said.extend(percentiles.into_iter().filter_map(|(name, us)| Some(format!("{name} {}", time_text(us?)))));
    said.extend(figures.outstanding().map(|depth| match figures.held() {
        // Little's law gives another number where the load does not keep the depth, or a figure is wrong.
        Some(held) if !(OFF..=1.0 / OFF).contains(&(held / depth)) => {
            format!("{depth:.1} outstanding as given, {held:.1} by IOPS x latency")
        }
        _ => format!("{depth:.1} outstanding"),
    }));
    said.extend(figures.read.map(|read| format!("{} reads", percent_text(read))));
    said.join(", ")
}

fn screen(number: usize, finding: &Finding, wish: Option<&Wish>, page: &mut Page) {
    let title = finding.title.unwrap_or(title_of(finding.rule));
    page.stressed(
        &format!("{number}"),
        &format!("{title} ({}), {}", finding.rule, finding.confidence.name()),
    );
    page.labelled("", &with_names(&finding.claim));
    for evidence in &finding.evidence {
        page.labelled("", &format!("- {}", with_names(evidence)));
    }
    if finding.remedies.iter().any(|remedy| remedy.outcome.is_some()) {
        page.gap();
        let mut columns = vec![Column::words("change")];
        columns.extend(["IOPS", "predicted"].map(Column::figures));
        let priced = finding.remedies.iter().any(|remedy| change_price(remedy).is_some());
        if priced {
            columns.push(Column::figures("USD a month"));
        }
        columns.push(Column::words("then"));
        let mut table = Table::new(columns);
        for remedy in &finding.remedies {
            if let Some(outcome) = &remedy.outcome {
                let mut cells = vec![
                    remedy.says(),
                    count_text(outcome.iops),
                    format_throughput(outcome.throughput_bytes_per_s),
                ];
                if priced {
                    cells.push(change_price(remedy).map_or(String::new(), signed_price));
                }
                cells.push(then(outcome, wish));
                table.row(cells);
            }
        }
        table.put(page);
    }
    if !finding.advice.is_empty() {
        page.labelled("do", &finding.advice);
    }
    if let Some(measure) = &finding.to_be_sure {
        page.labelled("measure", measure);
    }
}

/// Addition of a change of the configuration to the price; `None` where it is unknown or nothing is bought.
fn change_price(remedy: &Remedy) -> Option<f64> {
    let outcome = remedy.outcome.as_ref()?;
    outcome.price_change.filter(|_| remedy.is_change())
}

/// A price difference with its sign: `+118.43`.
fn signed_price(usd: f64) -> String {
    match usd {
        usd if usd >= 0.005 => format!("+{}", money_text(usd)),
        usd if usd <= -0.005 => format!("-{}", money_text(-usd)),
        _ => "0".into(),
    }
}

/// Changes that meet the goal, or that would do so together.
fn wish(explanation: &Explanation, page: &mut Page) {
    let Some(wish) = &explanation.wish else { return };
    let said = match (wish.met_by.as_slice(), &wish.otherwise) {
        ([], None) => "met by none of these".to_string(),
        ([], Some(other)) => format!("met by none of these alone; {}", together(other, wish)),
        (met, _) => format!(
            "met by {}",
            met.iter().map(|met| priced(met, explanation)).collect::<Vec<_>>().join("; by ")
        ),
    };
    page.labelled("goal", &said);
}

/// A change that meets the goal, with its price.
fn priced(change: &str, explanation: &Explanation) -> String {
    let mut remedies = explanation.findings.iter().flat_map(|finding| &finding.remedies);
    let price = remedies.find(|remedy| remedy.says() == change).and_then(change_price);
    format!("{change}{}", price.map(price_words).unwrap_or_default())
}

fn together(remedy: &Remedy, wish: &Wish) -> String {
    let Some(outcome) = &remedy.outcome else { return remedy.says() };
    let met = if outcome.meets_want == Some(true) { "by" } else { "the nearest is" };
    let mut said = format!(
        "{met} {}: {} IOPS, {}",
        remedy.says(),
        count_text(outcome.iops),
        format_throughput(outcome.throughput_bytes_per_s)
    );
    if let Some(latency) = wished_latency(outcome, wish) {
        said.push_str(&format!(", {latency}"));
    }
    said.push_str(&change_price(remedy).map(price_words).unwrap_or_default());
    said
}

/// The latency that the goal is about: `p99 1.3 ms`.
fn wished_latency(outcome: &Outcome, wish: &Wish) -> Option<String> {
    let (name, of) = wish.want.latency_us.stated()?;
    Some(format!("{name} {}", time_text(of(outcome.latency_us)?)))
}

/// The binding limit after a change, and what it takes.
fn then(outcome: &Outcome, wish: Option<&Wish>) -> String {
    let binding: Vec<String> = outcome.binding.iter().map(|name| binding_words(name)).collect();
    let mut said = vec![format!("{} binds", binding.join(", "))];
    match outcome.effect {
        Some(Effect::Worse) => said.insert(0, "worse".into()),
        Some(Effect::Same) => said.insert(0, "no more".into()),
        Some(Effect::Better) | None => {}
    }
    match (wish.and_then(|wish| wished_latency(outcome, wish)), outcome.latency_us.mean) {
        (Some(wished), _) => said.push(wished),
        (None, Some(us)) => said.push(time_text(us)),
        (None, None) => {}
    }
    if outcome.binding.iter().any(|name| name == "queue_depth")
        && let Some(needs) = outcome.needs_outstanding
    {
        said.push(format!("{} outstanding reach the limit", grouped(needs)));
    }
    match outcome.meets_want {
        Some(true) => said.push("meets the goal".into()),
        Some(false) => said.push("misses the goal".into()),
        None => {}
    }
    said.join("; ")
}
