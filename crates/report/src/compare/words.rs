//! Differences, intervals and verdicts in words.

use iobound_measure::compare::{Bound, Compared, Comparison, Verdict};
use iobound_measure::result::{Direction, Figure};

use super::JudgedCondition;
use crate::number::{count_text, rounded, time_text};

/// A figure's name: `IOPS`, `p99`, `p99 of the reads`.
pub(super) fn name(operation: Direction, figure: Figure) -> String {
    let plain = match figure {
        Figure::Iops => "IOPS",
        Figure::Throughput => "MB/s",
        figure => figure.name(),
    };
    match operation {
        Direction::All => plain.to_string(),
        Direction::Read => format!("read {plain}"),
        Direction::Write => format!("write {plain}"),
    }
}

/// A figure's value: times with their unit, rates as plain numbers.
pub(super) fn value(figure: Figure, value: f64) -> String {
    match figure {
        Figure::Iops | Figure::Errors => signed(value, count_text),
        Figure::Throughput => signed(value / 1e6, |mb| rounded(mb, usize::from(mb < 999.95)).to_string()),
        _ => signed(value, time_text),
    }
}

fn signed(value: f64, text: impl Fn(f64) -> String) -> String {
    if value < 0.0 { format!("-{}", text(-value)) } else { text(value) }
}

/// A share as percent with its sign: `+5.2 %`.
pub(crate) fn change(share: f64) -> String {
    let percent = number(share * 100.0);
    if share > 0.0 && percent != "0" { format!("+{percent} %") } else { format!("{percent} %") }
}

/// A share as percent without a sign.
pub(super) fn size(share: f64) -> String {
    format!("{} %", number((share * 100.0).abs()))
}

fn number(percent: f64) -> String {
    let decimals = match percent.abs() {
        p if p >= 99.95 => 0,
        p if p >= 0.095 => 1,
        _ => 2,
    };
    rounded(percent, decimals).to_string()
}

/// The difference: as a share where there is one, else in the figure's unit.
pub(super) fn difference(compared: &Compared) -> String {
    compared.relative().map_or_else(|| plus(compared.figure, compared.difference()), change)
}

fn plus(figure: Figure, difference: f64) -> String {
    let text = value(figure, difference);
    if difference > 0.0 { format!("+{text}") } else { text }
}

/// Its interval, in the same unit as the difference; `-` without one.
pub(super) fn interval(compared: &Compared) -> String {
    let Some(bounds) = compared.bounds else { return "-".into() };
    match (compared.relative(), bounds.relative) {
        (Some(_), Some((low, high))) => {
            let (low, high) = (change(low), change(high));
            format!("{} to {high}", low.trim_end_matches(" %"))
        }
        (Some(_), None) => "any".into(),
        (None, _) => {
            format!("{} to {}", plus(compared.figure, bounds.low), plus(compared.figure, bounds.high))
        }
    }
}

/// True if it was seen, and from which difference on it would have been.
pub(super) fn seen(compared: &Compared) -> String {
    match (compared.differs, compared.seen_from) {
        (Some(true), _) => "differs".into(),
        (Some(false), Some(from)) => format!("not shown (needs {})", size(from)),
        (Some(false), None) => "not shown".into(),
        (None, _) => "unknown".into(),
    }
}

/// The rule of the outcomes, in a sentence; `None` where no figure has an interval.
pub(super) fn rule(comparison: &Comparison) -> Option<String> {
    let judged = comparison.figures.iter().filter(|compared| compared.bounds.is_some()).count();
    let needs = comparison.figures.iter().any(|one| one.differs == Some(false) && one.seen_from.is_some());
    let needs = if needs { "; needs: the smallest difference that these results would show" } else { "" };
    match judged {
        0 => None,
        1 => Some(format!("a figure differs where its 95 % interval leaves out 0{needs}")),
        judged => Some(format!(
            "the {judged} intervals hold with 95 % all together (Bonferroni), so each is wider than alone; a figure differs \
             where its interval leaves out 0{needs}"
        )),
    }
}

/// The outcome of a comparison of all I/Os, in a sentence.
pub(super) fn verdict(comparison: &Comparison, first: &str, other: &str) -> String {
    let of_all = |compared: &&Compared| compared.operation == Direction::All;
    let told = |compared: &Compared| {
        format!("{} {}", name(compared.operation, compared.figure), difference(compared))
    };
    match comparison.verdict {
        Verdict::NotKnown => {
            let is_iops = |compared: &&Compared| compared.figure == Figure::Iops;
            let first = comparison.figures.iter().find(is_iops).or(comparison.figures.first());
            let seen = first.map_or(String::new(), |first| format!("{}; ", told(first)));
            format!("{seen}the random part of the difference is unknown")
        }
        Verdict::NoDifference => {
            let from: Vec<String> = [Figure::Iops, Figure::Mean, Figure::P99]
                .into_iter()
                .filter_map(|figure| {
                    let found = comparison.figures.iter().filter(of_all).find(|one| one.figure == figure)?;
                    Some(format!("±{} {}", size(found.seen_from?), name(Direction::All, figure)))
                })
                .collect();
            match from.as_slice() {
                [] => "no difference seen".into(),
                from => format!("no difference seen: {} would have been", from.join(", ")),
            }
        }
        Verdict::Differs => {
            let differing: Vec<String> =
                comparison.figures.iter().filter(|one| one.differs == Some(true)).map(told).collect();
            format!("{other} differs from {first}: {}", differing.join(", "))
        }
    }
}

/// A condition in a sentence.
pub(super) fn condition(judged: &JudgedCondition) -> String {
    let JudgedCondition { condition, of, judged } = judged;
    let text = |amount: f64| match condition.bound {
        Bound::Value(_) => value(condition.figure, amount),
        Bound::Difference(_) => plus(condition.figure, amount),
        Bound::Share(_) => change(amount),
    };
    let unit = match condition.figure {
        Figure::Throughput if !matches!(condition.bound, Bound::Share(_)) => " MB/s",
        _ => "",
    };
    let holds = if judged.holds { "holds" } else { "does not hold" };
    let whose = of.as_ref().map_or(String::new(), |of| format!("{of}: "));
    let range = judged
        .interval
        .map_or(String::new(), |(low, high)| format!(" (95 %: {} to {}{unit})", text(low), text(high)));
    let chance = match judged.significant {
        Some(true) => "the whole interval meets it",
        Some(false) => "may be random: the bound is inside the interval",
        None => "the random part of the difference is unknown",
    };
    format!("{whose}{condition} {holds}: {}{unit}{range}; {chance}", text(judged.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign_and_few_digits() {
        for (share, text) in [
            (0.052, "+5.2 %"),
            (-0.1191, "-11.9 %"),
            (1.5, "+150 %"),
            (0.0004, "+0.04 %"),
            (0.0, "0 %"),
            (-0.000_001, "0 %"),
        ] {
            assert_eq!(change(share), text);
        }
        assert_eq!(value(Figure::P99, -1_500.0), "-1.5 ms");
        assert_eq!(plus(Figure::Iops, 1_200.0), "+1,200");
        assert_eq!(value(Figure::Throughput, 186.4e6), "186.4");
    }
}
