//! Points of time as other tools write them. All of it is UTC: a place has a time zone, a result should not.

/// A point of time in the proleptic Gregorian calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub year: i64,
    pub month: u64,
    pub day: u64,
    pub hour: u64,
    pub minute: u64,
    pub second: u64,
    pub ms: u64,
}

impl Date {
    /// The date of so many ms since 1970-01-01 UTC.
    pub(crate) fn from_unix_ms(unix_ms: u64) -> Date {
        let (days, ms_of_day) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
        // Years are counted from March, so that the day that leap years add is the last of a year; 719,468 days
        // lie between 0000-03-01 and 1970-01-01, 146,097 in 400 years (Hinnant, "chrono-Compatible Low-Level
        // Date Algorithms").
        let since_march = days + 719_468;
        let (era, day_of_era) = (since_march / 146_097, since_march % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let months = (5 * day_of_year + 2) / 153;
        let month = if months < 10 { months + 3 } else { months - 9 };
        Date {
            year: (year_of_era + era * 400 + u64::from(month <= 2)) as i64,
            month,
            day: day_of_year - (153 * months + 2) / 5 + 1,
            hour: ms_of_day / 3_600_000,
            minute: ms_of_day / 60_000 % 60,
            second: ms_of_day / 1_000 % 60,
            ms: ms_of_day % 1_000,
        }
    }

    /// `2026/06/22 22:16:45 UTC`, as DiskSpd has it.
    pub(crate) fn diskspd(self) -> String {
        let Date { year, month, day, hour, minute, second, .. } = self;
        format!("{year}/{month:02}/{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }

    /// `2026-06-22 22:16:45:007`, as Iometer has it.
    pub(crate) fn iometer(self) -> String {
        let Date { year, month, day, hour, minute, second, ms } = self;
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}:{ms:03}")
    }
}

/// The RFC 3339 form of a text of six numbers, year first: `2026/06/22 22:16:45 UTC`, `2026-06-22 22:16:45:007`.
/// The zone is what the caller knows of it: `Z`, or nothing where nobody knows. `None` for anything else.
pub(crate) fn rfc3339(text: &str, zone: &str) -> Option<String> {
    let numbers: Option<Vec<u64>> = text
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
    let sound = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    (sound && hour < 24 && minute < 60 && second < 61)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
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
            assert_eq!(Date::from_unix_ms(unix_s * 1_000).diskspd(), text);
        }
        assert_eq!(Date::from_unix_ms(1_782_166_605_007).iometer(), "2026-06-22 22:16:45:007");
    }

    #[test]
    fn the_dates_of_both_tools_become_rfc_3339() {
        for (text, zone, read) in [
            ("2026/06/22 22:16:45 UTC", "Z", Some("2026-06-22T22:16:45Z")),
            ("2026-06-22 22:16:45:007", "", Some("2026-06-22T22:16:45")),
            ("2026/13/22 22:16:45 UTC", "Z", None),
            ("2026/06/22", "Z", None),
            ("", "Z", None),
        ] {
            assert_eq!(rfc3339(text, zone).as_deref(), read, "{text}");
        }
    }
}
