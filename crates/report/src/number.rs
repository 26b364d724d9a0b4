//! Rounding and format of figures. One place, so that the same figure looks the same everywhere.

use iobound_units::{Grouped, format_throughput};
use serde_json::Value;

pub use iobound_documents::{figure, rounded};

/// A figure that may be unknown: `null`.
pub fn figure_or_null(value: Option<f64>, decimals: usize) -> Value {
    value.map_or(Value::Null, |value| figure(value, decimals))
}

/// I/Os per second of a document: to two decimals.
pub fn iops(value: f64) -> Value {
    figure(value, 2)
}

/// Bytes per second of a document: whole.
pub fn bytes_per_s(value: f64) -> Value {
    figure(value, 0)
}

/// Microseconds of a document, rounded to whole nanoseconds.
pub fn us(value: f64) -> Value {
    figure(value, 3)
}

/// A count of I/Os a second as a person reads it: `15,236`, and decimals only below a hundred.
pub fn count_text(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let value = rounded(value, decimals);
    if decimals == 0 || value.fract() == 0.0 { Grouped(value as u64).to_string() } else { value.to_string() }
}

/// A throughput in both units, so that nobody has to guess which one was meant: `186.4 MB/s (177.8 MiB/s)`.
pub fn both_throughputs_text(bytes_per_s: f64) -> String {
    let mib = bytes_per_s / 1_048_576.0;
    let mib = match mib {
        0.0 => "0".into(),
        v if v >= 999.5 => Grouped(rounded(v, 0) as u64).to_string(),
        v if v >= 0.995 => rounded(v, 1).to_string(),
        v => rounded(v, 2).to_string(),
    };
    format!("{} ({mib} MiB/s)", format_throughput(bytes_per_s))
}

/// A time in µs as a person reads it: `3.4 µs`, `60 µs`, `0.62 ms`, `2.1 ms`, `90.0 ms`, `1.20 s`, `30 min`.
pub fn time_text(us: f64) -> String {
    match us {
        v if v > 0.0 && v < 9.95 => format!("{} µs", rounded(v, 1)),
        v if v < 99.5 => format!("{v:.0} µs"),
        v if v < 995.0 => format!("{:.2} ms", v / 1e3),
        v if v < 999_500.0 => format!("{:.1} ms", v / 1e3),
        v if v < 119.5e6 => format!("{:.2} s", v / 1e6),
        v => duration_text(v / 1e6),
    }
}

/// A length of time in seconds as a person reads it: `12 s`, `30 min`, `5.2 h`.
pub fn duration_text(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 119.5 => (s, "s"),
        s if s < 7_170.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3_600.0, "h"),
        s => (s / 86_400.0, "days"),
    };
    let value = rounded(value, usize::from(value < 10.0));
    if value >= 1_000.0 { format!("{} {unit}", Grouped(value as u64)) } else { format!("{value} {unit}") }
}

/// A share as whole percent: `30 %`; of less than one, `0.9 %`.
pub fn percent_text(share: f64) -> String {
    let percent = share * 100.0;
    format!("{} %", rounded(percent, usize::from(percent < 0.95 && percent > 0.0)))
}

/// US dollars: `1,291.37`, and small ones to a millionth.
pub fn money_text(usd: f64) -> String {
    if usd != 0.0 && usd < 0.1 {
        return format!("{usd:.6}");
    }
    let cents = rounded(usd * 100.0, 0) as u64;
    format!("{}.{:02}", Grouped(cents / 100), cents % 100)
}

/// The price of a unit in US dollars, unrounded to a millionth and with at least two decimals: `0.125`, `135.17`, `0.000035`.
pub fn unit_price_text(usd: f64) -> String {
    let text = format!("{usd:.6}");
    let kept = text.trim_end_matches('0').len().max(text.len() - 4);
    text[..kept].to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_unit_price_keeps_its_digits() {
        let texts = [0.125, 0.138, 0.096, 135.17, 0.000_035, 12.0].map(super::unit_price_text);
        assert_eq!(texts, ["0.125", "0.138", "0.096", "135.17", "0.000035", "12.00"]);
    }

    use super::*;

    #[test]
    fn a_whole_figure_of_a_document_has_no_decimals() {
        for (value, text) in [
            (50_999.999_999_999_99, "51000"),
            (51_000.0, "51000"),
            (15_236.117_9, "15236.12"),
            (-0.000_1, "0"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(iops(value).to_string(), text);
        }
        assert_eq!(us(2_100.000_04).to_string(), "2100");
    }

    #[test]
    fn people_read_few_digits() {
        for (value, text) in
            [(15_236.4, "15,236"), (499.69, "500"), (99.96, "100"), (12.34, "12.3"), (0.5, "0.5")]
        {
            assert_eq!(count_text(value), text);
        }
        for (us, text) in [
            (0.0, "0 µs"),
            (3.44, "3.4 µs"),
            (60.0, "60 µs"),
            (620.0, "0.62 ms"),
            (2_097.3, "2.1 ms"),
            (90_000.0, "90.0 ms"),
            (1_200_000.0, "1.20 s"),
            (1.8e9, "30 min"),
        ] {
            assert_eq!(time_text(us), text);
        }
        assert_eq!(both_throughputs_text(186_417_152.0), "186.4 MB/s (177.8 MiB/s)");
        assert_eq!(both_throughputs_text(262_144.0), "0.26 MB/s (0.25 MiB/s)");
        assert_eq!((percent_text(0.304).as_str(), percent_text(0.0086).as_str()), ("30 %", "0.9 %"));
        assert_eq!(
            (money_text(1_291.366).as_str(), money_text(0.000_035).as_str()),
            ("1,291.37", "0.000035")
        );
        assert_eq!((duration_text(1_800.0).as_str(), duration_text(1_862.0).as_str()), ("30 min", "31 min"));
        assert_eq!((duration_text(30.0).as_str(), duration_text(54_000.0).as_str()), ("30 s", "15 h"));
    }
}
