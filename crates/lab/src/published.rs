//! A published figure: what was printed, and how finely.

use iobound_units::{parse_bandwidth, parse_span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Problem, Spot};

/// Published figures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// I/Os a second.
    pub iops: Option<Figure>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<Figure>,
    /// The mean latency in microseconds.
    pub latency_us: Option<Figure>,
    /// The extremes that are printed: of the seconds of the run, or of several runs where no figure stands beside.
    pub range: Option<Range>,
    /// Publication of the figure.
    pub source: String,
    /// The words of the publication, where figures alone don't say it.
    pub text: Option<String>,
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number, in the unit of its field.
    pub value: f64,
    /// Half of its last digit: how far the measured figure may lie from the printed one.
    pub rounding: f64,
    /// Its meaning.
    pub sense: Sense,
}

/// Meaning of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// As printed.
    Exactly,
    /// "About": its last digit other than zero is rounded.
    About,
    /// "Over": no more is said than that it was exceeded.
    Over,
}

/// The lowest and the highest of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lowest.
    pub low: Figure,
    /// The highest.
    pub high: Figure,
    /// Bytes a second rather than I/Os.
    pub is_throughput: bool,
}

impl Published {
    /// True if its range is the figure itself: several runs of which no single one is printed.
    pub fn is_range(&self) -> bool {
        self.iops.is_none() && self.throughput_bytes_per_s.is_none() && self.range.is_some()
    }
}

const KEYS: [&str; 7] = ["high", "iops", "latency", "low", "source", "text", "throughput"];

/// Reads `{ iops = 19882, source = "…" }`; `source` is that of the experiment where none is given.
pub(crate) fn read_published(value: &Spanned<DeValue<'_>>, source: &str) -> Result<Published, Problem> {
    let spot = value.span();
    let Some(table) = value.get_ref().as_table() else {
        return Err(Problem::new(&spot, "`published` is a table: write { iops = 19882, source = \"…\" }"));
    };
    let mut published = Published {
        iops: None,
        throughput_bytes_per_s: None,
        latency_us: None,
        range: None,
        source: source.to_string(),
        text: None,
    };
    for (key, value) in table {
        if !KEYS.contains(&key.get_ref().as_ref()) {
            let message = format!("`published` has no key `{}`: {}", key.get_ref(), KEYS.join(", "));
            return Err(Problem::new(&key.span(), message));
        }
        match key.get_ref().as_ref() {
            "iops" => published.iops = Some(figure(value, count)?),
            "throughput" => published.throughput_bytes_per_s = Some(figure(value, bandwidth)?),
            "latency" => published.latency_us = Some(figure(value, micros)?),
            "source" => published.source = words(value)?,
            "text" => published.text = Some(words(value)?),
            _ => {}
        }
    }
    published.range = range(table, &spot)?;
    if published.iops.is_none()
        && published.throughput_bytes_per_s.is_none()
        && published.latency_us.is_none()
        && published.range.is_none()
    {
        let message = "`published` has no figure: give iops, throughput, latency, or low and high; where the \
                       publication gives none, write expect-no-figure = \"what it says\" instead";
        return Err(Problem::new(&spot, message));
    }
    Ok(published)
}

fn range(table: &DeTable<'_>, spot: &Spot) -> Result<Option<Range>, Problem> {
    let find =
        |name: &str| table.iter().find(|(key, _)| key.get_ref().as_ref() == name).map(|(_, value)| value);
    let (low, high) = match (find("low"), find("high")) {
        (None, None) => return Ok(None),
        (Some(low), Some(high)) => (low, high),
        _ => return Err(Problem::new(spot, "`low` and `high` belong together: give both")),
    };
    let is_throughput = low.get_ref().as_str().is_some_and(|text| text.contains("/s"));
    let read: Read = if is_throughput { bandwidth } else { count };
    let (low, high) = (figure(low, read)?, figure(high, read)?);
    if low.value > high.value {
        return Err(Problem::new(spot, "`low` is above `high`: exchange them"));
    }
    Ok(Some(Range { low, high, is_throughput }))
}

/// Reads a number with its unit: its value, and the value of one unit of the number.
type Read = fn(&str) -> Result<(f64, f64), String>;

fn count(text: &str) -> Result<(f64, f64), String> {
    let plain = text.replace([',', '_'], "");
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 && plain.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok((value, 1.0))
        }
        _ => Err(format!(
            "`{text}` is not a number of I/Os a second: write 45512, \"about 32,000\" or \"over 62,000\""
        )),
    }
}

fn bandwidth(text: &str) -> Result<(f64, f64), String> {
    let value = parse_bandwidth(text).map_err(|error| error.to_string())?;
    let unit = parse_bandwidth(&unit_of(text)).map_err(|error| error.to_string())?;
    Ok((value.get() as f64, unit.get() as f64))
}

fn micros(text: &str) -> Result<(f64, f64), String> {
    let value = parse_span(text).map_err(|error| error.to_string())?;
    let unit = parse_span(&unit_of(text)).map_err(|error| error.to_string())?;
    Ok((value.us_f64(), unit.us_f64()))
}

/// One of the unit that a number is written in: `1MB/s` of `540MB/s`.
fn unit_of(text: &str) -> String {
    format!("1{}", text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
}

fn figure(value: &Spanned<DeValue<'_>>, read: Read) -> Result<Figure, Problem> {
    let spot = value.span();
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_string(),
        DeValue::Float(number) => number.as_str().to_string(),
        _ => return Err(Problem::new(&spot, "write a number, or text such as \"about 32,000\"")),
    };
    let (sense, number) = match text.trim().split_once(' ') {
        Some(("about", number)) => (Sense::About, number),
        Some(("over" | "above", number)) => (Sense::Over, number),
        _ => (Sense::Exactly, text.trim()),
    };
    let (value, unit) = read(number.trim()).map_err(|why| Problem::new(&spot, why))?;
    Ok(Figure { value, rounding: last_digit(number, sense) * unit / 2.0, sense })
}

/// The value of the last digit of a number as printed: 0.01 of `499.69`; of "about 32,000", 1,000.
fn last_digit(text: &str, sense: Sense) -> f64 {
    let digits: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '_'))
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let ten_to = |power: usize| (0..power).fold(1.0, |product, _| product * 10.0);
    match (digits.split_once('.'), sense) {
        (Some((_, decimals)), _) => 1.0 / ten_to(decimals.len()),
        (None, Sense::About) => ten_to(digits.len() - digits.trim_end_matches('0').len()),
        (None, _) => 1.0,
    }
}

fn words(value: &Spanned<DeValue<'_>>) -> Result<String, Problem> {
    match value.get_ref().as_str() {
        Some(text) => Ok(text.to_string()),
        None => Err(Problem::new(&value.span(), "text was expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Published, String> {
        let text = format!("p = {text}");
        let document = DeTable::parse(&text).unwrap();
        let (_, value) = document.get_ref().iter().next().unwrap();
        read_published(value, "a source").map_err(|problem| problem.message)
    }

    #[test]
    fn a_figure_is_as_fine_as_it_was_printed() {
        for (text, value, rounding, sense) in [
            ("{ iops = 499.69 }", 499.69, 0.005, Sense::Exactly),
            ("{ iops = 19882 }", 19_882.0, 0.5, Sense::Exactly),
            ("{ iops = \"45,512\" }", 45_512.0, 0.5, Sense::Exactly),
            ("{ iops = \"about 32,000\" }", 32_000.0, 500.0, Sense::About),
            ("{ iops = \"over 62,000\" }", 62_000.0, 0.5, Sense::Over),
        ] {
            let figure = read(text).unwrap().iops.unwrap();
            assert_eq!((figure.value, figure.rounding, figure.sense), (value, rounding, sense), "{text}");
        }
        let published = read("{ throughput = \"0.26MB/s\", latency = \"5.27ms\" }").unwrap();
        let throughput = published.throughput_bytes_per_s.unwrap();
        assert_eq!((throughput.value, throughput.rounding), (260_000.0, 5_000.0));
        let latency = published.latency_us.unwrap();
        assert_eq!((latency.value, latency.rounding), (5_270.0, 5.0));
    }

    #[test]
    fn several_runs_of_which_none_is_printed_are_a_range() {
        let published = read("{ low = \"540MB/s\", high = \"570MB/s\" }").unwrap();
        let range = published.range.unwrap();
        assert!(published.is_range() && range.is_throughput);
        assert_eq!((range.low.value, range.high.value, range.high.rounding), (540e6, 570e6, 0.5e6));
        assert!(!read("{ iops = 45512, low = 42000, high = 51000 }").unwrap().is_range());
    }

    #[test]
    fn what_is_no_figure_says_how_to_write_one() {
        for (text, part) in [
            ("{ iops = true }", "write a number"),
            ("{ iops = \"many\" }", "about 32,000"),
            ("{ iops = -5 }", "not a number of I/Os"),
            ("{ throughput = 540 }", "MB/s"),
            ("{ low = 5 }", "give both"),
            ("{ low = 6, high = 5 }", "exchange"),
            ("{ text = \"no figure\" }", "expect-no-figure"),
            ("{ ipos = 5 }", "no key `ipos`"),
            ("45512", "is a table"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
