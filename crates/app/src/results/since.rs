//! The times that runs are asked for by.

use iobound_results::Since;
use iobound_units::parse_span;

use crate::Failure;

/// A date, the beginning of a time, or a length of time.
pub(super) fn since_of(text: &str) -> Result<Since, Failure> {
    let shape = b"0000-00-00T00:00:00";
    let spaced = text.replacen(' ', "T", 1);
    let plain = spaced.trim_end_matches('Z');
    let is_time = [10, 16, 19].contains(&plain.len())
        && plain.bytes().zip(shape).all(|(c, like)| match like {
            b'0' => c.is_ascii_digit(),
            like => c == *like,
        });
    let within = |from: usize, to: usize, most: u32| {
        plain.get(from..to).is_none_or(|part| part.parse::<u32>().is_ok_and(|number| number <= most))
    };
    if is_time && within(5, 7, 12) && within(8, 10, 31) && within(11, 13, 24) && within(14, 16, 59) {
        return Ok(Since::Time(plain.to_string()));
    }
    match parse_span(text) {
        Ok(span) if !is_time => Ok(Since::Ago(span.ns() / 1_000_000_000)),
        _ => Err(Failure::input(format!("--since: `{text}` is not a time or a duration"))
            .help("write 2026-11-22, 2026-11-22T04:00 (UTC), or a duration before now: 7d, 12h")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_date_a_time_or_how_long_ago() {
        for (text, since) in [
            ("2026-11-22", Since::Time("2026-11-22".into())),
            ("2026-11-22 04:00", Since::Time("2026-11-22T04:00".into())),
            ("2026-11-22T04:00:10Z", Since::Time("2026-11-22T04:00:10".into())),
            ("7d", Since::Ago(604_800)),
            ("90min", Since::Ago(5_400)),
        ] {
            assert_eq!(since_of(text).unwrap(), since);
        }
        for text in ["yesterday", "2026-13-01", "2026-11-32", "2026-11", "7", "22.11.2026"] {
            assert!(since_of(text).is_err(), "{text}");
        }
    }
}
