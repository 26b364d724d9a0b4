//! Days: when a file was written, what today is, and how old a figure's date is.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the Gregorian calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day {
    year: u64,
    month: u64,
    day: u64,
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Day {
    /// Today.
    pub(crate) fn today() -> Day {
        Day::of(SystemTime::now())
    }

    /// The day of a time; what lies before 1970 is its first day.
    pub(crate) fn of(time: SystemTime) -> Day {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        // Years are counted from March, so that the day that leap years add is the last of a year; 719,468 days lie between
        // 0000-03-01 and 1970-01-01, 146,097 in 400 years (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let days = seconds / 86_400 + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let months = (5 * day_of_year + 2) / 153;
        let month = if months < 10 { months + 3 } else { months - 9 };
        Day {
            year: year + era * 400 + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * months + 2) / 5 + 1,
        }
    }

    /// Whether a date (a year, a month or a day; its last day is meant) lies more than a year before this day.
    pub(crate) fn is_a_year_after(self, date: &str) -> bool {
        let last = match parts(date) {
            Some((year, None, _)) => (year, 12, 31),
            Some((year, Some(month), None)) => (year, month, 31),
            Some((year, Some(month), Some(day))) => (year, month, day),
            None => return false,
        };
        (last.0 + 1, last.1, last.2) < (self.year, self.month, self.day)
    }
}

impl std::str::FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Day, String> {
        let expected = || format!("`{text}` is no day: write 2026-11-22");
        let Some((year, Some(month), Some(day))) = parts(text) else { return Err(expected()) };
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let most = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return Err(expected()),
        };
        let is_day = (1..=most).contains(&day) && (1970..=9999).contains(&year);
        if is_day { Ok(Day { year, month, day }) } else { Err(expected()) }
    }
}

/// Year, month and day, as far as they are there.
fn parts(text: &str) -> Option<(u64, Option<u64>, Option<u64>)> {
    let mut numbers = [None; 3];
    for (at, part) in text.split('-').enumerate() {
        let width = if at == 0 { 4 } else { 2 };
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *numbers.get_mut(at)? = Some(part.parse().ok()?);
    }
    Some((numbers[0]?, numbers[1], numbers[2]))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
            assert_eq!(Day::of(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), day);
        }
    }

    #[test]
    fn a_date_is_a_year_old_when_all_of_it_is() {
        let today: Day = "2026-11-22".parse().unwrap();
        for (date, old) in [
            ("2025-11-21", true),
            ("2025-11-22", false),
            ("2025-10", true),
            ("2025-11", false),
            ("2025", false),
            ("2024", true),
            ("date not stated", false),
        ] {
            assert_eq!(today.is_a_year_after(date), old, "{date}");
        }
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for wrong in ["", "2026", "2026-02-29", "2026-13-01", "2026-1-1", "22.11.2026", "2026-11-22-1"] {
            assert!(wrong.parse::<Day>().is_err(), "{wrong}");
        }
        assert!("2028-02-29".parse::<Day>().is_ok());
    }
}
