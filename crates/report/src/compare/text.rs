//! The screen of a comparison.

use iobound_measure::compare::{Changed, Shift};

use super::{CompareScreen, ComparedSide, ComparedWith, words};
use crate::number::{duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A change of the mean below this share of it is not worth a word about where it is from.
const WORTH: f64 = 0.005;

/// The screen of a comparison: two results figure by figure, or several in a table against the first.
pub fn compare_text(screen: &CompareScreen<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    sides(screen.sides, &mut page);
    if let Some(rounds) = screen.rounds {
        page.gap();
        let warmup = match rounds.warmup_s {
            0.0 => String::new(),
            seconds => format!(", each after {} of warm-up", duration_text(seconds)),
        };
        let turn = duration_text(rounds.turn_s);
        page.labelled("rounds", &format!("{} of four turns of {turn}, ABBA or BAAB{warmup}", rounds.count));
    }
    page.gap();
    match (screen.sides, screen.against) {
        ([first, other], [with]) => two(first, other, with, &mut page),
        _ => several(screen, &mut page),
    }
    page.gap();
    let conditions: Vec<String> = screen.conditions.iter().map(words::condition).collect();
    page.list("fail-if", &conditions);
    page.gap();
    let kept: Vec<String> = screen.sides.iter().filter_map(|side| side.result.id.clone()).collect();
    if screen.rounds.is_some() {
        page.figures("kept as", &kept);
    }
    page.figures("next", screen.next);
    let text = page.text();
    format!("{}\n", text.trim_end())
}

fn sides(sides: &[ComparedSide<'_>], page: &mut Page) {
    for side in sides {
        let at = side.result.start.as_ref().and_then(|start| start.at.clone());
        let seconds = at.map(|at| at.split('.').next().unwrap_or_default().trim_end_matches('Z').to_string());
        let mut words = vec![format!("{}  {}", side.name, side.from)];
        words.extend(seconds);
        words.extend(side.result.device.clone().filter(|device| !side.from.contains(device.as_str())));
        words.extend(side.asked.clone());
        page.paragraph(&words.join("   "));
    }
}

fn two(first: &ComparedSide<'_>, other: &ComparedSide<'_>, with: &ComparedWith, page: &mut Page) {
    let mut table = Table::new(vec![
        Column::words("figure"),
        Column::figures(&first.name),
        Column::figures(&other.name),
        Column::figures("difference"),
        Column::figures("interval"),
        Column::words("outcome"),
    ]);
    for compared in &with.comparison.figures {
        table.row(vec![
            words::name(compared.operation, compared.figure),
            words::value(compared.figure, compared.a),
            words::value(compared.figure, compared.b),
            words::difference(compared),
            words::interval(compared),
            words::seen(compared),
        ]);
    }
    table.put(page);
    page.gap();
    said(first, other, with, page);
}

/// Verdict, shift, changes and cautions.
fn said(first: &ComparedSide<'_>, other: &ComparedSide<'_>, with: &ComparedWith, page: &mut Page) {
    page.stressed("VERDICT", &words::verdict(&with.comparison, &first.name, &other.name));
    if let Some(rule) = words::rule(&with.comparison) {
        page.labelled("rule", &rule);
    }
    if let Some(shift) = &with.shift {
        page.list("moved", &moved(shift, &first.name, &other.name, page.is_wide()));
    }
    let changed: Vec<String> = with.changed.iter().map(change).collect();
    page.list("changed", &if changed.is_empty() { vec!["nothing known".into()] } else { changed });
    page.list("caution", &with.cautions);
}

fn change(changed: &Changed) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
    format!("{}: {} {} -> {}", changed.part, changed.what, value(&changed.a), value(&changed.b))
}

/// Part of the distribution that the mean's change is from, and the latency at which the two are furthest apart.
fn moved(shift: &Shift, first: &str, other: &str, wide: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let total: f64 = shift.slices.iter().map(|slice| slice.adds_us).sum();
    let mean: f64 = shift.slices.iter().map(|slice| slice.a_us * (slice.to - slice.from) / 100.0).sum();
    if total.abs() > WORTH * mean {
        let most = shift.slices.iter().max_by(|a, b| a.adds_us.abs().total_cmp(&b.adds_us.abs()));
        lines.extend(most.map(|most| {
            let sign = if total > 0.0 { "longer" } else { "shorter" };
            let (a, b) = (time_text(most.a_us), time_text(most.b_us));
            format!(
                "the mean is {} {sign} in {other}; most of that is from p{} to p{}: {a} -> {b} on average there",
                time_text(total.abs()),
                most.from,
                most.to
            )
        }));
    }
    if wide {
        lines.extend(shift.slices.iter().map(|slice| {
            let sign = if slice.adds_us < 0.0 { "-" } else { "+" };
            format!(
                "p{} to p{}: {} -> {}, {sign}{} of the mean",
                slice.from,
                slice.to,
                time_text(slice.a_us),
                time_text(slice.b_us),
                time_text(slice.adds_us.abs())
            )
        }));
    }
    let gap = shift.gap;
    if (gap.a - gap.b).abs() >= 0.01 {
        lines.push(format!(
            "widest apart at {}: {} of the I/Os take at most as long in {first}, {} in {other}",
            time_text(gap.at_us),
            percent_text(gap.a),
            percent_text(gap.b)
        ));
    }
    if lines.is_empty() {
        lines.push("the distributions are the same within 1 % of the I/Os".into());
    }
    lines
}

/// A row a result, each against the first.
fn several(screen: &CompareScreen<'_>, page: &mut Page) {
    use iobound_measure::result::{Direction, Figure};
    let shown = [Figure::Iops, Figure::Throughput, Figure::Mean, Figure::P50, Figure::P99];
    let mut columns = vec![Column::words("run")];
    for figure in shown {
        columns.push(Column::figures(&words::name(Direction::All, figure)));
        columns.push(Column::figures("against A"));
    }
    let mut table = Table::new(columns);
    for (index, side) in screen.sides.iter().enumerate() {
        let mut cells = vec![side.name.clone()];
        for figure in shown {
            let own = side.result.figure(Direction::All, figure);
            cells.push(own.map_or_else(|| "-".into(), |own| words::value(figure, own)));
            let with = index.checked_sub(1).and_then(|index| screen.against.get(index));
            let compared = with.and_then(|with| {
                let all = |one: &&iobound_measure::compare::Compared| {
                    one.operation == Direction::All && one.figure == figure
                };
                with.comparison.figures.iter().find(all)
            });
            // Differences that may be chance are in brackets.
            cells.push(match (index, compared) {
                (0, _) => String::new(),
                (_, None) => "-".into(),
                (_, Some(one)) if one.differs == Some(true) => words::difference(one),
                (_, Some(one)) => format!("({})", words::difference(one)),
            });
        }
        table.row(cells);
    }
    table.put(page);
    page.paragraph("in brackets: may be random");
    let first = &screen.sides[0];
    for (other, with) in screen.sides[1..].iter().zip(screen.against) {
        page.gap();
        page.paragraph(&format!("{} against {}", other.name, first.name));
        said(first, other, with, page);
    }
}
