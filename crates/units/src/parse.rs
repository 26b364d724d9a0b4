//! One parser for what people type: sizes, rates, times and percentages.
//!
//! Sizes count in powers of 1,024, with or without B (`4k`, `4KB` and `4KiB` are 4,096 bytes), as in Windows, SQL Server and
//! every load generator; [`size_note`] tells the reader where that makes a difference. `MB/s` is 10^6, as every cloud
//! publishes it, and `50k` IOPS are 50,000. A text with two common readings, such as `200M/s` or `5m`, is refused with both.

use std::fmt;

use crate::{Bandwidth, Bytes, Iops, Percent, Rate, Span};

/// The largest size, and the most bytes a second: 1 EiB. Sums of a few stay within 64 bits.
const MOST_BYTES: u64 = 1 << 60;
/// The most I/Os a second: a million times what the largest arrays do.
const MOST_IOPS: u64 = 1_000_000_000_000;
/// The longest time, in ns.
const MOST_NS: u64 = Span::LONGEST.ns();
/// The unit of a plain count, which has no name.
const COUNT: &str = "things";

/// Text that is not the quantity asked for: what was read, what is wrong, what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The text as it was given.
    pub text: String,
    /// The quantity that was expected: "a size", "a time".
    pub expected: &'static str,
    /// Reason against the value, with the correct form.
    pub why: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}: {}", self.text, self.expected, self.why)
    }
}

impl std::error::Error for ParseError {}

/// A decimal number read exactly: `digits` / 10^`decimals`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u128,
    decimals: u32,
}

impl Decimal {
    /// The number × `factor` as a whole; `None` where it is not whole or too large.
    fn whole(self, factor: u64) -> Option<u64> {
        let scaled = self.digits.checked_mul(u128::from(factor))?;
        let divisor = 10u128.pow(self.decimals);
        if !scaled.is_multiple_of(divisor) {
            return None;
        }
        u64::try_from(scaled / divisor).ok()
    }
}

struct Reader<'a> {
    text: &'a str,
    expected: &'static str,
}

impl<'a> Reader<'a> {
    fn error(&self, why: impl Into<String>) -> ParseError {
        ParseError { text: self.text.to_string(), expected: self.expected, why: why.into() }
    }

    /// Splits `1.5 ms` into the number and the unit; commas and underscores may group thousands.
    fn split(&self, example: &str) -> Result<(Decimal, &'a str), ParseError> {
        let text = self.text.trim();
        let end =
            text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let (mut digits, mut decimals, mut seen_point, mut seen_digit) = (0u128, 0u32, false, false);
        let groups_ok = grouped_in_threes(number);
        for c in number.chars() {
            match c {
                '0'..='9' => {
                    seen_digit = true;
                    digits = digits
                        .checked_mul(10)
                        .and_then(|d| d.checked_add(u128::from(c as u8 - b'0')))
                        .filter(|d| *d < 1 << 90)
                        .ok_or_else(|| self.error("the number is too large"))?;
                    decimals += u32::from(seen_point);
                }
                '.' if !seen_point => seen_point = true,
                '.' => return Err(self.error("it has two decimal points")),
                ',' if !groups_ok => {
                    return Err(self.error(
                        "a comma could be a decimal point or group thousands: write 1.5 or 1500 (or 1,500)",
                    ));
                }
                _ => {}
            }
        }
        if decimals > 18 {
            return Err(self.error("it has more than 18 decimals"));
        }
        if !seen_digit
            && text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            return Err(self.error(format!("it is negative: write a number such as {example}")));
        }
        if !seen_digit {
            return Err(self.error(format!("write a number, such as {example}")));
        }
        Ok((Decimal { digits, decimals }, unit.trim()))
    }

    /// The number × `factor`, which is whole and at most `most`.
    fn whole(&self, number: Decimal, factor: u64, most: u64, of: &str) -> Result<u64, ParseError> {
        let whole = number.whole(factor).ok_or_else(|| match of {
            COUNT => self.error("write a whole number, such as 16"),
            _ => self.error(format!("it is not a whole number of {of}, or it is too large")),
        })?;
        if whole > most {
            let most = crate::Grouped(most);
            return Err(self.error(format!("it is too large: the maximum is {most} {of}")));
        }
        Ok(whole)
    }
}

/// True if every comma of `1,234,567` (before any point) stands before exactly three digits.
fn grouped_in_threes(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or(number);
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or("");
    let rest: Vec<&str> = groups.collect();
    rest.is_empty()
        || ((1..=3).contains(&first.len())
            && rest.iter().all(|g| g.len() == 3)
            && !number.split('.').skip(1).any(|f| f.contains(',')))
}

fn power(letter: char) -> Option<u32> {
    Some(match letter.to_ascii_lowercase() {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        _ => return None,
    })
}

/// The reading of a size's unit: how many bytes it is, or why it can't be told.
fn size_unit(unit: &str) -> Result<u64, String> {
    let mut letters = unit.chars();
    let Some(first) = letters.next() else {
        return Err("a unit is missing: write 512B, 4KiB, 50GiB (or 4k, which is 4,096)".into());
    };
    let rest: String = letters.collect();
    if matches!(unit, "B" | "b" | "bytes" | "byte") {
        return Ok(1);
    }
    let Some(power) = power(first) else {
        return Err(format!("`{unit}` is not a unit of size: use B, KiB, MiB, GiB, TiB (or K, M, G, T)"));
    };
    match rest.as_str() {
        "" | "i" | "iB" | "ib" | "B" | "b" => Ok(1 << (10 * power)),
        _ => Err(format!("`{unit}` is not a unit of size: use B, KiB, MiB, GiB, TiB (or K, M, G, T)")),
    }
}

/// A note on a size in GB, TB or PB, whose decimal reading is at least 7 % less: "10TB is read as 10 TiB ...".
pub fn size_note(text: &str) -> Option<String> {
    let text = text.trim();
    let Bytes(bytes) = parse_bytes(text).ok()?;
    text.strip_suffix(['B', 'b']).filter(|stem| stem.ends_with(['g', 'G', 't', 'T', 'p', 'P']))?;
    Some(format!("{text} is read as {}, which is {} bytes", Bytes(bytes), crate::Grouped(bytes)))
}

/// A size in bytes: `512B`, `4KiB`, `4k`, `4KB` (4,096), `1.5TiB`.
pub fn parse_bytes(text: &str) -> Result<Bytes, ParseError> {
    let reader = Reader { text, expected: "a size" };
    let (number, unit) = reader.split("4KiB")?;
    if unit.is_empty() {
        if number.digits == 0 {
            return Ok(Bytes::ZERO);
        }
        let n = text.trim();
        return Err(reader.error(format!("write the unit: {n}B (bytes) or {n}KiB")));
    }
    let factor = size_unit(unit).map_err(|why| reader.error(why))?;
    Ok(Bytes(reader.whole(number, factor, MOST_BYTES, "bytes")?))
}

/// Strips `/s`, `ps` or `per s` from a rate's unit.
fn per_second(unit: &str) -> Option<&str> {
    ["/s", "/sec", "ps", "/second"].iter().find_map(|suffix| unit.strip_suffix(suffix)).map(str::trim)
}

fn bandwidth_unit(unit: &str) -> Option<Result<u64, String>> {
    let amount = per_second(unit)?;
    let mut letters = amount.chars();
    let first = letters.next()?;
    let rest: String = letters.collect();
    if amount == "B" || amount == "bytes" {
        return Some(Ok(1));
    }
    let power = power(first)?;
    let upper = first.to_ascii_uppercase();
    Some(match rest.as_str() {
        "B" => Ok(1000u64.pow(power)),
        "iB" => Ok(1 << (10 * power)),
        "bit" => Err(format!("it counts bits: divide by eight and write {upper}B/s")),
        "b" => Err(format!(
            "a small b could be bits ({upper}bit/s, an eighth) or bytes ({upper}B/s): write {upper}B/s or {upper}iB/s"
        )),
        "" => Err(format!(
            "{upper}/s could be {upper}B/s ({} bytes) or {upper}iB/s ({}): write one of them",
            crate::Grouped(1000u64.pow(power)),
            crate::Grouped(1 << (10 * power)),
        )),
        _ => return None,
    })
}

/// A throughput: `200MB/s` (10^6), `190MiB/s` (2^20), `200MBps`. `200M/s` and `200Mb/s` are refused.
pub fn parse_bandwidth(text: &str) -> Result<Bandwidth, ParseError> {
    let reader = Reader { text, expected: "a throughput" };
    let (number, unit) = reader.split("200MB/s")?;
    match bandwidth_unit(unit) {
        Some(Ok(factor)) => Ok(Bandwidth(reader.whole(number, factor, MOST_BYTES, "bytes a second")?)),
        Some(Err(why)) => Err(reader.error(why)),
        None if unit.is_empty() => Err(reader.error("a unit is missing: write MB/s (10^6) or MiB/s (2^20)")),
        None => {
            Err(reader
                .error(format!("`{unit}` is not a unit of throughput: write MB/s (10^6) or MiB/s (2^20)")))
        }
    }
}

/// The factor of an IOPS unit: `iops`, `kiops`, `IO/s`; `None` where it is another unit.
fn iops_unit(unit: &str) -> Option<u64> {
    match unit.to_ascii_lowercase().as_str() {
        "iops" | "io/s" | "ios/s" | "i/o/s" => Some(1),
        "kiops" => Some(1_000),
        "miops" => Some(1_000_000),
        _ => None,
    }
}

/// I/Os per second: `50000`, `50,000`, `50k`, `50000iops`, `1.2M`.
pub fn parse_iops(text: &str) -> Result<Iops, ParseError> {
    let reader = Reader { text, expected: "a number of I/Os per second" };
    let (number, unit) = reader.split("50000iops")?;
    if unit.is_empty() {
        return Ok(Iops(reader.whole(number, 1, MOST_IOPS, "I/Os a second")?));
    }
    let factor = match unit {
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        _ => iops_unit(unit).ok_or_else(|| reader.error(format!("`{unit}` is not IOPS: write 50000iops")))?,
    };
    Ok(Iops(reader.whole(number, factor, MOST_IOPS, "I/Os a second")?))
}

/// A rate that a workload asks for: `5000iops`, `0.5iops`, `200MB/s`. A bare number is refused.
pub fn parse_rate(text: &str) -> Result<Rate, ParseError> {
    let reader = Reader { text, expected: "a rate" };
    let (number, unit) = reader.split("5000iops or 200MB/s")?;
    let rate = if let Some(factor) = iops_unit(unit) {
        let milli =
            reader.whole(number, factor * 1_000, MOST_IOPS * 1_000, "thousandths of an I/O a second")?;
        if milli.is_multiple_of(1_000) {
            Rate::Ios { count: milli / 1_000, per: Span::from_secs(1) }
        } else {
            Rate::Ios { count: milli, per: Span::from_secs(1_000) }
        }
    } else {
        match bandwidth_unit(unit) {
            Some(Ok(factor)) => Rate::Bytes {
                count: reader.whole(number, factor, MOST_BYTES, "bytes a second")?,
                per: Span::from_secs(1),
            },
            Some(Err(why)) => return Err(reader.error(why)),
            None if unit.is_empty() => {
                let n = text.trim();
                return Err(
                    reader.error(format!("it could be {n} IOPS ({n}iops) or {n} MB/s: write the unit"))
                );
            }
            None => {
                return Err(
                    reader.error(format!("`{unit}` is not a unit of rate: write 5000iops or 200MB/s"))
                );
            }
        }
    };
    match rate {
        Rate::Ios { count: 0, .. } | Rate::Bytes { count: 0, .. } => {
            Err(reader.error("a rate of zero never issues an I/O"))
        }
        rate => Ok(rate),
    }
}

/// A time: `1.5ms`, `30s`, `20min`, `2h`, `100us`. `5m` is refused: minutes or milliseconds.
pub fn parse_span(text: &str) -> Result<Span, ParseError> {
    let reader = Reader { text, expected: "a time" };
    let (number, unit) = reader.split("1.5ms")?;
    let factor = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" | "sec" | "second" | "seconds" => 1_000_000_000,
        "min" | "minute" | "minutes" => 60_000_000_000,
        "h" | "hour" | "hours" => 3_600_000_000_000,
        "d" | "day" | "days" => 86_400_000_000_000,
        "m" | "M" => {
            return Err(reader.error("m could be minutes (min) or milliseconds (ms): write one of them"));
        }
        "" if number.digits == 0 => 1,
        "" => {
            let n = text.trim();
            return Err(reader.error(format!("write the unit: {n}s or {n}ms")));
        }
        _ => {
            return Err(
                reader.error(format!("`{unit}` is not a unit of time: use ns, us, ms, s, min, h or d"))
            );
        }
    };
    Ok(Span::from_ns(reader.whole(number, factor, MOST_NS, "nanoseconds")?))
}

/// A percentage: `70%` or `70`. A fraction such as `0.7` without its sign is refused.
pub fn parse_percent(text: &str) -> Result<Percent, ParseError> {
    let reader = Reader { text, expected: "a percentage" };
    let (number, unit) = reader.split("70%")?;
    if !matches!(unit, "" | "%") {
        return Err(reader.error(format!("`{unit}` is not a percent sign: write 70%")));
    }
    let ppm = reader.whole(number, 10_000, u64::MAX, "ten-thousandths of a percent")?;
    if unit.is_empty() && ppm > 0 && ppm <= 10_000 && number.decimals > 0 {
        let n = text.trim();
        return Err(
            reader.error(format!("it could be {n} % or a fraction of one: write {n}% or the percentage"))
        );
    }
    u32::try_from(ppm)
        .ok()
        .and_then(Percent::from_ppm)
        .ok_or_else(|| reader.error("a percentage is between 0 and 100"))
}

/// A plain count: `16`, `4,096`. A unit is refused.
pub fn parse_count(text: &str) -> Result<u64, ParseError> {
    let reader = Reader { text, expected: "a count" };
    let (number, unit) = reader.split("16")?;
    if !unit.is_empty() {
        return Err(reader.error(format!("a count has no unit: remove `{unit}`")));
    }
    reader.whole(number, 1, u64::MAX, COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_storage_people_write_them() {
        for (text, bytes) in [
            ("512B", 512),
            ("4k", 4096),
            ("4K", 4096),
            ("8kb", 8192),
            ("64KB", 65536),
            ("10TB", 10 << 40),
            ("64KiB", 65536),
            ("64 KiB", 65536),
            ("1.5TiB", 3 << 39),
            ("50000M", 52_428_800_000),
            ("1,024B", 1024),
            ("0", 0),
        ] {
            assert_eq!(parse_bytes(text), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn an_ambiguous_quantity_is_refused_with_both_readings() {
        let both = |error: ParseError, one: &str, other: &str| {
            let text = error.to_string();
            assert!(text.contains(one) && text.contains(other), "{text}");
        };
        both(parse_bytes("64").unwrap_err(), "64B", "64KiB");
        both(parse_bandwidth("200M/s").unwrap_err(), "MB/s", "MiB/s");
        both(parse_bandwidth("200Mbps").unwrap_err(), "bits", "bytes");
        both(parse_span("5m").unwrap_err(), "minutes", "milliseconds");
        both(parse_span("5").unwrap_err(), "5s", "5ms");
        both(parse_rate("5000").unwrap_err(), "IOPS", "MB/s");
        both(parse_percent("0.7").unwrap_err(), "0.7 %", "fraction");
        both(parse_bytes("1,5KiB").unwrap_err(), "decimal", "thousands");
    }

    #[test]
    fn a_large_size_with_a_decimal_unit_has_a_note() {
        assert_eq!(
            size_note("10TB").as_deref(),
            Some("10TB is read as 10 TiB, which is 10,995,116,277,760 bytes")
        );
        assert_eq!(
            size_note("500 gb").as_deref(),
            Some("500 gb is read as 500 GiB, which is 536,870,912,000 bytes")
        );
        for text in ["8kb", "64MB", "10TiB", "10T", "200GB/s", "TB", "512B"] {
            assert_eq!(size_note(text), None, "{text}");
        }
    }

    #[test]
    fn rates_times_and_percentages() {
        assert_eq!(parse_bandwidth("200MB/s"), Ok(Bandwidth(200_000_000)));
        assert_eq!(parse_bandwidth("200 MBps"), Ok(Bandwidth(200_000_000)));
        assert_eq!(parse_bandwidth("1.5GiB/s"), Ok(Bandwidth(3 << 29)));
        assert_eq!(parse_iops("50,000"), Ok(Iops(50_000)));
        assert_eq!(parse_iops("20kiops"), Ok(Iops(20_000)));
        assert_eq!(parse_iops("50k"), Ok(Iops(50_000)));
        assert_eq!(parse_iops("1.2M"), Ok(Iops(1_200_000)));
        assert_eq!(parse_rate("0.5iops"), Ok(Rate::Ios { count: 500, per: Span::from_secs(1_000) }));
        assert_eq!(parse_rate("100MB/s"), Ok(Rate::Bytes { count: 100_000_000, per: Span::from_secs(1) }));
        assert_eq!(parse_span("1.5ms"), Ok(Span::from_us(1_500)));
        assert_eq!(parse_span("20min"), Ok(Span::from_secs(1_200)));
        assert_eq!(parse_percent("70%"), Ok(Percent::whole(70).unwrap()));
        assert_eq!(parse_percent("70"), Ok(Percent::whole(70).unwrap()));
        assert_eq!(parse_percent("0.5%"), Ok(Percent::from_ppm(5_000).unwrap()));
        assert_eq!(parse_percent("0"), Ok(Percent::ZERO));
        assert!(parse_percent("101%").is_err());
    }

    #[test]
    fn a_number_below_zero_is_told_as_that() {
        assert!(parse_bytes("-4KiB").unwrap_err().to_string().contains("negative"));
        assert!(parse_span("-1").unwrap_err().to_string().contains("negative"));
        assert!(!parse_span("-x").unwrap_err().to_string().contains("negative"));
    }

    #[test]
    fn a_figure_that_nothing_reaches_is_refused_with_its_bound() {
        for (error, bound) in [
            (parse_bytes("2048PiB").unwrap_err(), "1,152,921,504,606,846,976 bytes"),
            (parse_bandwidth("2000000000TB/s").unwrap_err(), "too large"),
            (parse_iops("1000000000001").unwrap_err(), "1,000,000,000,000 I/Os a second"),
            (parse_rate("1000000000001iops").unwrap_err(), "too large"),
            (parse_span("3651d").unwrap_err(), "315,360,000,000,000,000 nanoseconds"),
        ] {
            assert!(error.to_string().contains(bound), "{error}");
        }
        assert_eq!(parse_span("3650d"), Ok(Span::from_secs(315_360_000)));
        assert_eq!(parse_iops("1000000000000"), Ok(Iops(1_000_000_000_000)));
    }

    #[test]
    fn nonsense_is_an_error_and_never_a_panic() {
        for text in
            ["", " ", "-1", ".", "..", "1..2", "é", "9".repeat(60).as_str(), "1e9", "0x10", ",", "1,,2"]
        {
            assert!(parse_bytes(text).is_err(), "{text}");
            assert!(parse_span(text).is_err(), "{text}");
            assert!(parse_rate(text).is_err(), "{text}");
            assert!(parse_iops(text).is_err(), "{text}");
        }
    }
}
