//! Figures as people read them, each with the exact one of the document beside it.

use iobound_documents::Quantity;
use iobound_units::Bytes;
use serde_json::Value;

use super::markup::Markup;
use crate::number::{count_text, duration_text, money_text, percent_text, rounded, time_text};

/// Unit of count of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// I/Os, IOPS, disks: `15,249`.
    Count,
    /// Bytes a second: `62.5 MB/s`.
    Throughput,
    /// Bytes: `64 KiB`.
    Bytes,
    /// Microseconds: `2.1 ms`.
    Us,
    /// Seconds: `30 s`.
    Seconds,
    /// A share: `30 %`.
    Share,
    /// Relative difference, as a share: `+1.4 %`.
    Change,
    /// US dollars: `1,291.37`.
    Usd,
    /// A quotient: `1.02`.
    Ratio,
    /// As many nines as a percentile has: 2 is 99 %.
    Nines,
}

/// More bytes than a count of them holds: those of very many hosts.
const MOST_BYTES: f64 = 18_446_744_073_709_551_616.0;

impl Unit {
    /// The figure in words.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            Unit::Count => signed(value, count_text),
            Unit::Throughput => iobound_units::format_throughput(value),
            Unit::Bytes if value >= 0.0 && value.fract() == 0.0 && value < MOST_BYTES => {
                Bytes(value as u64).to_string()
            }
            Unit::Bytes | Unit::Ratio => rounded(value, 3).to_string(),
            Unit::Us => signed(value, time_text),
            Unit::Seconds => signed(value, duration_text),
            Unit::Share => signed(value, percent_text),
            Unit::Change => crate::compare::change_text(value),
            Unit::Usd => signed(value, money_text),
            Unit::Nines => percentile_text(value),
        }
    }

    /// Its word in the page's data, by which the script writes axes.
    pub(super) fn word(self) -> &'static str {
        match self {
            Unit::Count => "count",
            Unit::Throughput => "throughput",
            Unit::Bytes => "bytes",
            Unit::Us => "us",
            Unit::Seconds => "seconds",
            Unit::Share | Unit::Change => "share",
            Unit::Usd => "usd",
            Unit::Ratio => "ratio",
            Unit::Nines => "nines",
        }
    }
}

fn signed(value: f64, text: impl Fn(f64) -> String) -> String {
    if value < 0.0 { format!("-{}", text(-value)) } else { text(value) }
}

/// `99.9 %` of three nines; between whole nines, what lies there.
fn percentile_text(nines: f64) -> String {
    let whole = rounded(nines, 0).clamp(0.0, 6.0);
    let exact = (nines - whole).abs() < 1e-9;
    if !exact {
        let above = super::scale::power_of_ten(-nines);
        return format!("{} %", rounded((1.0 - above) * 100.0, 3));
    }
    ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %"][whole as usize].to_string()
}

/// A cell or a value: what is shown, and, of a figure, what the document has.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// Words.
    Text(String),
    /// A word of the program: a limit's name, a command.
    Code(String),
    /// A figure of the document.
    Figure {
        /// As the document has it.
        exact: Value,
        /// Its unit of count.
        unit: Unit,
    },
    /// Nothing is known.
    Unknown,
}

impl Cell {
    /// A figure of the document; unknown if it is not a number.
    pub(super) fn figure(exact: &Value, unit: Unit) -> Cell {
        if exact.is_number() { Cell::Figure { exact: exact.clone(), unit } } else { Cell::Unknown }
    }

    /// A figure of the document; unknown if it is missing.
    pub(super) fn quantity(figure: Option<impl Quantity>, unit: Unit) -> Cell {
        figure.map_or(Cell::Unknown, |figure| Cell::Figure { exact: figure.exact(), unit })
    }

    /// A count of the document; unknown if it is missing.
    pub(super) fn count(figure: Option<u64>, unit: Unit) -> Cell {
        figure.map_or(Cell::Unknown, |figure| Cell::Figure { exact: figure.into(), unit })
    }

    /// Words; unknown if there are none.
    pub(super) fn words(text: &str) -> Cell {
        if text.is_empty() { Cell::Unknown } else { Cell::Text(text.to_string()) }
    }

    pub(super) fn is_figure(&self) -> bool {
        matches!(self, Cell::Figure { .. })
    }

    pub(super) fn put(&self, out: &mut Markup) {
        match self {
            Cell::Text(text) => out.text(text),
            Cell::Code(text) => out.line("code", &[], text),
            Cell::Figure { exact, unit } => {
                let shown = exact.as_f64().map_or_else(String::new, |value| unit.shown(value));
                out.line("data", &[("value", &exact.to_string())], &shown);
            }
            Cell::Unknown => out.text("–"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_as_everywhere_and_kept_exact() {
        for (unit, value, shown) in [
            (Unit::Count, 15_236.12, "15,236"),
            (Unit::Throughput, 62_500_000.0, "62.5 MB/s"),
            (Unit::Us, 2_100.0, "2.1 ms"),
            (Unit::Share, 0.304, "30 %"),
            (Unit::Share, -0.02, "-2 %"),
            (Unit::Change, 0.0142, "+1.4 %"),
            (Unit::Usd, 1_291.366, "1,291.37"),
            (Unit::Nines, 3.0, "99.9 %"),
            (Unit::Nines, 0.0, "0 %"),
            (Unit::Bytes, 65_536.0, "64 KiB"),
            (Unit::Ratio, 1.0213, "1.021"),
        ] {
            assert_eq!(unit.shown(value), shown);
        }
        let mut markup = Markup::new();
        Cell::figure(&serde_json::json!(15_236.12), Unit::Count).put(&mut markup);
        assert_eq!(markup.into_text(), "<data value=\"15236.12\">15,236</data>");
    }
}
