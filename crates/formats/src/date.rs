//! Dates as other tools write them. All of them are in UTC: a place has a time zone, a result should not.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// Milliseconds since 1970 as `2026/06/22 22:16:45 UTC`, DiskSpd's form.
pub(crate) fn diskspd(unix_ms: u64) -> String {
    written("%Y/%m/%d %H:%M:%S UTC", unix_ms)
}

/// Milliseconds since 1970 as `2026-06-22 22:16:45:007`, Iometer's form.
pub(crate) fn iometer(unix_ms: u64) -> String {
    written("%Y-%m-%d %H:%M:%S:%3f", unix_ms)
}

/// Milliseconds since 1970 as `Sat Nov 21 21:18:31 2026`, the form of C's `ctime`.
pub(crate) fn ctime(unix_ms: u64) -> String {
    written("%a %b %e %H:%M:%S %Y", unix_ms)
}

/// A moment in UTC. The calendar ends with the year 9999; a clock beyond it shows its last moment.
fn written(format: &str, unix_ms: u64) -> String {
    let moment = i64::try_from(unix_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let moment = TimeZone::UTC.to_datetime(moment.unwrap_or(Timestamp::MAX));
    strtime::format(format, moment).expect("the formats of this file are known")
}

/// The RFC 3339 form of a text of six numbers, year first: `2026/06/22 22:16:45 UTC`, `2026-06-22 22:16:45:007`.
/// The zone is what the caller knows of it: `Z`, or nothing where nobody knows. `None` for anything else.
pub(crate) fn rfc3339(text: &str, zone: &str) -> Option<String> {
    let numbers: Option<Vec<i16>> = text
        .trim()
        .trim_end_matches("UTC")
        .trim_end()
        .split(['/', '-', ' ', ':'])
        .map(|part| part.parse().ok())
        .collect();
    let numbers = numbers?;
    let (&[year, month, day, hour, minute, second] | &[year, month, day, hour, minute, second, _]) =
        numbers.as_slice()
    else {
        return None;
    };
    let part = |number: i16| i8::try_from(number).ok();
    let moment =
        DateTime::new(year, part(month)?, part(day)?, part(hour)?, part(minute)?, part(second)?, 0).ok()?;
    (year > 0).then(|| format!("{moment}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_that_of_the_calendar() {
        // `date -u -d @951782400`: the leap day of a year that 400 divides; and others around the edges.
        for (unix_s, text) in [
            (0, "1970/01/01 00:00:00 UTC"),
            (951_782_400, "2000/02/29 00:00:00 UTC"),
            (951_868_799, "2000/02/29 23:59:59 UTC"),
            (951_868_800, "2000/03/01 00:00:00 UTC"),
            (1_782_166_605, "2026/06/22 22:16:45 UTC"),
            (4_107_542_400, "2100/03/01 00:00:00 UTC"),
        ] {
            assert_eq!(diskspd(unix_s * 1_000), text);
        }
        assert_eq!(iometer(1_782_166_605_007), "2026-06-22 22:16:45:007");
        assert_eq!(ctime(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(ctime(951_782_400_000), "Tue Feb 29 00:00:00 2000");
        assert_eq!(ctime(1_795_295_911_673), "Sat Nov 21 21:18:31 2026");
        // A rank of a fleet may send any number as its clock.
        assert_eq!(diskspd(u64::MAX), "9999/12/30 22:00:00 UTC");
    }

    #[test]
    fn the_dates_of_both_tools_become_rfc_3339() {
        for (text, zone, read) in [
            ("2026/06/22 22:16:45 UTC", "Z", Some("2026-06-22T22:16:45Z")),
            ("2026-06-22 22:16:45:007", "", Some("2026-06-22T22:16:45")),
            ("2026-06-22 00:00:00:007", "", Some("2026-06-22T00:00:00")),
            ("2026/13/22 22:16:45 UTC", "Z", None),
            ("2026/02/30 22:16:45 UTC", "Z", None),
            ("2026/06/22 24:16:45 UTC", "Z", None),
            ("2026/06/22", "Z", None),
            ("", "Z", None),
        ] {
            assert_eq!(rfc3339(text, zone).as_deref(), read, "{text}");
        }
    }
}
