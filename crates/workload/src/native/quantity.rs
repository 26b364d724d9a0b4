//! Quantities of the native language that have no unit of their own, and how exact ones are written back.

use iobound_units::{Bytes, Op, Percent, Ppm, Rate, Span, parse_bytes, parse_count, parse_rate, parse_span};

/// A decimal number with at most six decimals, in millionths: `1.2`.
pub(super) fn parse_millionths(text: &str) -> Result<Ppm, String> {
    let refuse = |why: &str| Err(format!("`{text}` is not a number such as 0.99: {why}"));
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    if whole.is_empty() && decimals.is_empty()
        || !(whole.chars().chain(decimals.chars())).all(|c| c.is_ascii_digit())
    {
        return refuse("write digits and a decimal point");
    }
    if decimals.len() > 6 {
        return refuse("it has more than six decimals");
    }
    match format!("{whole}{decimals:0<6}").parse::<u32>() {
        Ok(millionths) => Ok(Ppm(millionths)),
        Err(_) => refuse("it is too large"),
    }
}

/// A rate: `5000iops`, `200MB/s`, and the exact forms `3 I/Os per 7ms` and `512B per 1ms`.
pub(super) fn parse_exact_rate(text: &str) -> Result<Rate, String> {
    let Some((amount, per)) = text.split_once(" per ") else {
        return parse_rate(text).map_err(|error| error.to_string());
    };
    let per = parse_span(per).map_err(|error| error.to_string())?;
    let rate = match amount.trim().strip_suffix("I/Os").or_else(|| amount.trim().strip_suffix("I/O")) {
        Some(count) => Rate::Ios { count: parse_count(count).map_err(|error| error.to_string())?, per },
        None => Rate::Bytes { count: parse_bytes(amount).map_err(|error| error.to_string())?.0, per },
    };
    match rate {
        Rate::Ios { count, per } | Rate::Bytes { count, per } if count == 0 || per.is_zero() => {
            Err(format!("`{text}` is not a rate: the amount and the time must be above zero"))
        }
        rate => Ok(rate),
    }
}

/// An operation by its name in every output.
pub(super) fn parse_op(text: &str) -> Result<Op, String> {
    Op::ALL
        .into_iter()
        .find(|op| op.name() == text)
        .ok_or_else(|| format!("`{text}` is not an operation: write read, write, flush or discard"))
}

/// The size as [`parse_bytes`] reads it back exactly.
pub(super) fn exact_bytes(size: Bytes) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(shift, _)| size.0 > 0 && size.0.is_multiple_of(1 << shift)) {
        Some((shift, unit)) => format!("{}{unit}", size.0 >> shift),
        None => format!("{}B", size.0),
    }
}

/// The time as [`parse_span`] reads it back exactly.
pub(super) fn exact_span(span: Span) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    match units.into_iter().find(|(scale, _)| span.ns().is_multiple_of(*scale)) {
        Some((scale, unit)) => format!("{}{unit}", span.ns() / scale),
        None => format!("{}ns", span.ns()),
    }
}

/// The percentage as [`iobound_units::parse_percent`] reads it back exactly.
pub(super) fn exact_percent(percent: Percent) -> String {
    exact_percent_of(Ppm(percent.ppm()))
}

/// A share as a percentage; one above the whole is written as such, and refused when it is read.
pub(super) fn exact_percent_of(share: Ppm) -> String {
    format!("{}%", decimal(u64::from(share.0), 4))
}

/// The number as [`parse_millionths`] reads it back exactly.
pub(super) fn exact_millionths(ppm: Ppm) -> String {
    decimal(u64::from(ppm.0), 6)
}

/// The rate as [`parse_exact_rate`] reads it back exactly.
pub(super) fn exact_rate(rate: Rate) -> String {
    const SECOND: Span = Span::from_secs(1);
    match rate {
        Rate::Ios { count, per: SECOND } => format!("{count}iops"),
        Rate::Bytes { count, per: SECOND } if count.is_multiple_of(1_000_000) => {
            format!("{}MB/s", count / 1_000_000)
        }
        Rate::Bytes { count, per: SECOND } => format!("{count}B/s"),
        Rate::Ios { count, per } => format!("{count} I/Os per {}", exact_span(per)),
        Rate::Bytes { count, per } => format!("{count}B per {}", exact_span(per)),
    }
}

/// `value` ÷ 10^`decimals`, without zeros at its end.
fn decimal(value: u64, decimals: usize) -> String {
    let scale = 10u64.pow(decimals as u32);
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:0decimals$}").trim_end_matches('0').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::parse_percent;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back_exactly(n: u64, per in 1u64.., ppm in 0u32..=1_000_000) {
            // The largest quantities that are read: 1 EiB and 10 years.
            const LARGEST: u64 = 315_360_000_000_000_000;
            let (n, per) = ((n >> (n % 60)) % LARGEST, Span::from_ns((per >> (per % 50)) % LARGEST));
            prop_assert_eq!(parse_bytes(&exact_bytes(Bytes(n))), Ok(Bytes(n)));
            prop_assert_eq!(parse_span(&exact_span(Span::from_ns(n))), Ok(Span::from_ns(n)));
            let percent = Percent::from_ppm(ppm).unwrap();
            prop_assert_eq!(parse_percent(&exact_percent(percent)), Ok(percent));
            prop_assert_eq!(parse_millionths(&exact_millionths(Ppm(ppm * 4))), Ok(Ppm(ppm * 4)));
            if n > 0 && !per.is_zero() {
                for rate in [Rate::Ios { count: n, per }, Rate::Bytes { count: n, per }] {
                    prop_assert_eq!(parse_exact_rate(&exact_rate(rate)), Ok(rate));
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_none_say_what_to_write() {
        for text in ["", ".", "-1", "1e3", "1.2345678", "99999", "1,2"] {
            assert!(parse_millionths(text).unwrap_err().contains("0.99"), "{text}");
        }
        assert_eq!(parse_millionths("1.2"), Ok(Ppm(1_200_000)));
        assert_eq!(parse_millionths("2"), Ok(Ppm(2_000_000)));
        for text in ["0 I/Os per 1s", "5 I/Os per 0", "5 apples per 1s", "5 I/Os per 5m"] {
            assert!(parse_exact_rate(text).is_err(), "{text}");
        }
    }
}
