//! fio's quantities. Source: `parse.c` and HOWTO of fio 3.42.
//!
//! With `kb_base=1024` (the default) `k`, `kb` and `Ki` are 1,024 and **`KiB` is 1,000**: reversed on purpose, for
//! old scripts. `kb_base=1000` makes `kB` 1,000 and `KiB` 1,024, while `Ki` is read as a plain `K`, 1,000. A bare
//! time is in seconds for some options and in microseconds for others.

use iobound_units::Span;

use super::arithmetic;

/// Reason why a value can't stand, and what to write instead.
pub(super) type Wrong = (String, String);

/// A size, as far as it can be told without the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes, or a bare number.
    Bytes(u64),
    /// Percent of the file or device.
    Percent(u64),
    /// Zones of a zoned device.
    Zones(u64),
}

/// Unit of count of a time without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// Seconds: `runtime`, `ramp_time`, `startdelay`.
    Seconds,
    /// Milliseconds: `log_avg_msec`.
    Milliseconds,
    /// Microseconds: `thinktime`, `latency_target`, `max_latency`.
    Microseconds,
}

/// The number of bytes that a suffix stands for.
fn suffix(letters: &str, kb_base: u64) -> Option<u64> {
    let lower = letters.to_ascii_lowercase();
    let power = match lower.chars().next() {
        None | Some('b') if lower.len() < 2 => return Some(1),
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        _ => return None,
    };
    match &lower[1..] {
        "" | "b" | "i" => Some(kb_base.pow(power)),
        "ib" => Some(if kb_base == 1000 { 1024u64 } else { 1000 }.pow(power)),
        _ => None,
    }
}

/// A size or a number with a suffix: `4k`, `1GiB` (10^9!), `20%`, `3z`, `0x1000`, `(4*1024k)`.
pub(super) fn parse_amount(text: &str, kb_base: u64) -> Result<Amount, Wrong> {
    let text = text.trim();
    let wrong =
        |why: &str| (format!("`{text}` {why}"), "write a number and k, m, g, t or p: 4k, 10g".to_string());
    if text.starts_with('(') {
        let unit = |letters: &str| suffix(letters, kb_base);
        return arithmetic::evaluate(text, &unit).map(Amount::Bytes);
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).map(Amount::Bytes).map_err(|_| wrong("is not a number"));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, letters) = text.split_at(digits);
    if number.is_empty() {
        return Err(wrong("is not a number"));
    }
    if letters.starts_with('.') {
        // fio reads the whole part and drops the rest with the unit: 1.5g is one byte.
        return Err(wrong("has decimals, which fio drops with the unit"));
    }
    let number: u64 = number.parse().map_err(|_| wrong("is too large"))?;
    match letters {
        "%" => return Ok(Amount::Percent(number)),
        "z" => return Ok(Amount::Zones(number)),
        _ => {}
    }
    let factor = suffix(letters, kb_base).ok_or_else(|| wrong("has no unit of fio's"))?;
    number.checked_mul(factor).map(Amount::Bytes).ok_or_else(|| wrong("does not fit in 64 bits"))
}

/// A size in bytes: [`parse_amount`] without `%` and `z`.
pub(super) fn parse_bytes(text: &str, kb_base: u64) -> Result<u64, Wrong> {
    match parse_amount(text, kb_base)? {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Percent(_) | Amount::Zones(_) => Err((
            format!("`{text}` is a share of a file or device of unknown size"),
            "write it in bytes: 10g".to_string(),
        )),
    }
}

/// A time: `30`, `5m`, `500us`, `1h`.
pub(super) fn parse_time(text: &str, bare: Bare) -> Result<Span, Wrong> {
    let text = text.trim();
    let wrong = |why: &str| {
        (format!("`{text}` {why}"), "write a number and us, ms, s, m (minutes), h or d: 30s".to_string())
    };
    if text.starts_with('(') {
        let ns = arithmetic::evaluate(text, &|letters| time_unit(letters, bare));
        return ns.map(Span::from_ns);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, letters) = text.split_at(digits);
    if number.is_empty() {
        return Err(wrong("is not a time"));
    }
    let number: u64 = number.parse().map_err(|_| wrong("is too long"))?;
    let unit = match letters.to_ascii_lowercase().as_str() {
        // `get_mult_time` of parse.c knows these only by their letter, and takes every word it does not know for
        // microseconds; arithmetic in parentheses has a parser of its own, which knows them.
        "sec" | "min" | "hour" | "day" => {
            let letter = letters[..1].to_ascii_lowercase();
            return Err((
                format!("fio reads `{text}` as {number} us: it knows no unit {letters} here"),
                format!("write {number}{letter}"),
            ));
        }
        _ => time_unit(letters, bare).ok_or_else(|| wrong("has no unit of time of fio's"))?,
    };
    number.checked_mul(unit).map(Span::from_ns).ok_or_else(|| wrong("is too long"))
}

/// The nanoseconds of a unit of time.
fn time_unit(letters: &str, bare: Bare) -> Option<u64> {
    Some(match letters.to_ascii_lowercase().as_str() {
        "" => match bare {
            Bare::Seconds => 1_000_000_000,
            Bare::Milliseconds => 1_000_000,
            Bare::Microseconds => 1_000,
        },
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" | "hour" => 3_600_000_000_000,
        "d" | "day" => 86_400_000_000_000,
        _ => return None,
    })
}

/// A decimal number in millionths: `1.2` is 1,200,000.
pub(super) fn parse_millionths(text: &str) -> Result<u32, Wrong> {
    let wrong = || (format!("`{text}` is not a decimal number"), "write a number such as 1.2".to_string());
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 || fraction.len() > 6 {
        return Err(wrong());
    }
    let whole: u32 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| wrong())? };
    let fraction: u32 = format!("{fraction:0<6}").parse().map_err(|_| wrong())?;
    whole.checked_mul(1_000_000).and_then(|n| n.checked_add(fraction)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_fios_rules_by_kb_base() {
        // Oracle: HOWTO "kb_base" and `__get_mult_bytes` in parse.c.
        for (text, by_1024, by_1000) in [
            ("512", 512, 512),
            ("4k", 4096, 4000),
            ("4K", 4096, 4000),
            ("4kb", 4096, 4000),
            ("4kB", 4096, 4000),
            ("4KB", 4096, 4000),
            ("4ki", 4096, 4000),
            ("4Ki", 4096, 4000),
            ("4KiB", 4000, 4096),
            ("1m", 1 << 20, 1_000_000),
            ("1MB", 1 << 20, 1_000_000),
            ("1Mi", 1 << 20, 1_000_000),
            ("1MiB", 1_000_000, 1 << 20),
            ("2g", 2 << 30, 2_000_000_000),
            ("2GiB", 2_000_000_000, 2 << 30),
            ("1t", 1 << 40, 1_000_000_000_000),
            ("1TiB", 1_000_000_000_000, 1 << 40),
            ("1p", 1 << 50, 1_000_000_000_000_000),
            ("8b", 8, 8),
            ("0x1000", 4096, 4096),
            ("(4*1k)", 4096, 4000),
        ] {
            assert_eq!(parse_amount(text, 1024), Ok(Amount::Bytes(by_1024)), "{text}");
            assert_eq!(parse_amount(text, 1000), Ok(Amount::Bytes(by_1000)), "{text}");
        }
        assert_eq!(parse_amount("20%", 1024), Ok(Amount::Percent(20)));
        assert_eq!(parse_amount("3z", 1024), Ok(Amount::Zones(3)));
    }

    #[test]
    fn a_size_that_fio_would_misread_is_refused() {
        for text in ["", "k", "1.5g", "4kk", "4x", "-1", "99999999999999999999", "20000000p", "4k/50"] {
            assert!(parse_amount(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bare_time_is_what_its_option_says() {
        for (text, bare, ns) in [
            ("30", Bare::Seconds, 30_000_000_000),
            ("30", Bare::Milliseconds, 30_000_000),
            ("30", Bare::Microseconds, 30_000),
            ("30s", Bare::Microseconds, 30_000_000_000),
            ("5m", Bare::Seconds, 300_000_000_000),
            ("2s", Bare::Seconds, 2_000_000_000),
            ("500us", Bare::Seconds, 500_000),
            ("500usec", Bare::Seconds, 500_000),
            ("5ms", Bare::Microseconds, 5_000_000),
            ("1h", Bare::Microseconds, 3_600_000_000_000),
            ("1d", Bare::Seconds, 86_400_000_000_000),
            ("(2*30)", Bare::Seconds, 60_000_000_000),
        ] {
            assert_eq!(parse_time(text, bare), Ok(Span::from_ns(ns)), "{text}");
        }
        for text in ["", "s", "1.5s", "5x", "5ns", "1h30m", "99999999999d"] {
            assert!(parse_time(text, Bare::Seconds).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_that_fio_takes_for_microseconds_is_refused_with_what_is_meant() {
        // Oracle: fio 3.33 with --debug=parse gives out=2 (microseconds) for runtime=2min and runtime=2sec.
        for (text, help) in [("2sec", "2s"), ("2min", "2m"), ("2Hour", "2h"), ("2day", "2d")] {
            let (what, write) = parse_time(text, Bare::Seconds).unwrap_err();
            assert!(what.contains("2 us") && write.ends_with(help), "{text}: {what}; {write}");
        }
    }

    #[test]
    fn decimals_are_exact_millionths() {
        for (text, millionths) in [("1.2", 1_200_000), ("0.9", 900_000), ("2", 2_000_000), (".5", 500_000)] {
            assert_eq!(parse_millionths(text), Ok(millionths));
        }
        for text in ["", ".", "1.2.3", "-1", "1e3", "5000", "1.1234567"] {
            assert!(parse_millionths(text).is_err(), "{text}");
        }
    }
}
