//! Days in UTC: a file's day, today, and the age of a figure's date.

use std::time::SystemTime;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Today's date.
pub fn today() -> Date {
    TimeZone::UTC.to_datetime(Timestamp::now()).date()
}

/// The date of a time, as file systems keep it; `None` beyond the calendar's years.
pub fn date_of(time: SystemTime) -> Option<Date> {
    Some(TimeZone::UTC.to_datetime(Timestamp::try_from(time).ok()?).date())
}

/// A date in the form 2026-11-22.
///
/// # Errors
/// Returns an error if the text is not a date since 1970 in this form.
pub fn read_date(text: &str) -> Result<Date, String> {
    complete(text)
        .filter(|date| text.len() == "2026-11-22".len() && date.year() >= 1970)
        .ok_or_else(|| format!("`{text}` is not a date: write 2026-11-22"))
}

/// True if all of a date (a year, a month or a day) lies more than a year before `today`.
pub fn is_a_year_old(date: &str, today: Date) -> bool {
    let last = match (date.len(), complete(date)) {
        (4, Some(first)) => first.last_of_year(),
        (7, Some(first)) => first.last_of_month(),
        (_, Some(day)) => day,
        (_, None) => return false,
    };
    last.checked_add(1.year()).is_ok_and(|after_a_year| after_a_year < today)
}

/// The first day of a year (2026), a month (2026-11) or a day (2026-11-22).
fn complete(text: &str) -> Option<Date> {
    let is_digit_or_dash = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    if !text.bytes().enumerate().all(is_digit_or_dash) {
        return None;
    }
    let missing = match text.len() {
        4 => "-01-01",
        7 => "-01",
        10 => "",
        _ => return None,
    };
    format!("{text}{missing}").parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // date -u -d @N.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_795_305_600, "2026-11-22"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date_of(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap().to_string(), day);
        }
        // Some file systems keep times far beyond the calendar's last year.
        assert_eq!(date_of(UNIX_EPOCH + Duration::from_secs(1 << 40)), None);
    }

    #[test]
    fn a_date_is_a_year_old_when_all_of_it_is() {
        let today = read_date("2026-11-22").unwrap();
        for (date, old) in [
            ("2025-11-21", true),
            ("2025-11-22", false),
            ("2025-10", true),
            ("2025-11", false),
            ("2025", false),
            ("2024", true),
            ("date not stated", false),
        ] {
            assert_eq!(is_a_year_old(date, today), old, "{date}");
        }
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for wrong in
            ["", "2026", "2026-02-29", "2026-13-01", "2026-1-1", "22.11.2026", "2026-11-22-1", "1969-12-31"]
        {
            assert!(read_date(wrong).is_err(), "{wrong}");
        }
        assert!(read_date("2028-02-29").is_ok());
    }
}
