//! Times beside samples. Only what lies between two of them matters.

use super::number::figure;

const DAY_S: f64 = 86_400.0;

/// A time, in one of the ways that tools and people write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clock {
    /// Seconds since 1970: `date +%s`.
    Unix(f64),
    /// Seconds since the machine's start: `/proc/uptime`, `sample_ms`.
    Uptime(f64),
    /// Seconds of the day, whatever the order of day, month and year in this locale: `22:16:45.007`, `10:16:45 PM`.
    OfDay(f64),
}

impl Clock {
    /// The time that a line tells; `None`: none.
    pub fn read(line: &str) -> Option<Clock> {
        let line = line.trim();
        if line.len() > 200 {
            return None;
        }
        if let Some(second) = of_day(line) {
            return Some(Clock::OfDay(second));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [one] => unix(one),
            // /proc/uptime: since the start, and how long of it the processors were idle.
            [up, idle] if up.contains('.') && idle.contains('.') => {
                figure(idle)?;
                figure(up).map(Clock::Uptime)
            }
            _ => None,
        }
    }

    /// Seconds from this to a later one of the same kind. Days are not told apart: where the time of day is the same,
    /// that is one day.
    pub fn until(self, later: Clock) -> Option<f64> {
        match (self, later) {
            (Clock::Unix(from), Clock::Unix(to)) | (Clock::Uptime(from), Clock::Uptime(to)) => {
                Some(to - from).filter(|seconds| *seconds > 0.0)
            }
            (Clock::OfDay(from), Clock::OfDay(to)) if to > from => Some(to - from),
            (Clock::OfDay(from), Clock::OfDay(to)) => Some(to - from + DAY_S),
            _ => None,
        }
    }
}

/// Seconds, ms, µs or ns since 1970, told apart by their size: seconds have ten digits until 2286.
fn unix(word: &str) -> Option<Clock> {
    let whole = word.split(['.', ',']).next().unwrap_or_default();
    let scale = match whole.len() {
        10 => 1.0,
        13 => 1e3,
        16 => 1e6,
        19 => 1e9,
        _ => return None,
    };
    figure(word).map(|figure| Clock::Unix(figure / scale))
}

/// The first time of day in a text: `7:05`, `22:16:45`, `22:16:45.007`, `10:16:45 PM`.
fn of_day(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    for (colon, _) in text.match_indices(':') {
        let hour_from = text[..colon]
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let before = hour_from.checked_sub(1).map(|at| bytes[at]);
        if !(1..=2).contains(&(colon - hour_from)) || before == Some(b':') {
            continue;
        }
        let two = |at: usize| -> Option<u32> {
            let digits = text.get(at..at + 2)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let (Ok(hour), Some(minute)) = (text[hour_from..colon].parse::<u32>(), two(colon + 1)) else {
            continue;
        };
        let mut end = colon + 3;
        let mut second = 0.0;
        if bytes.get(end) == Some(&b':') {
            let Some(whole) = two(end + 1) else { continue };
            second = f64::from(whole);
            end += 3;
            if matches!(bytes.get(end), Some(b'.' | b',')) {
                let digits = text[end + 1..].bytes().take_while(u8::is_ascii_digit).count().min(9);
                if digits > 0 {
                    second += figure(&format!("0.{}", &text[end + 1..end + 1 + digits]))?;
                    end += 1 + digits;
                }
            }
        }
        if minute > 59 || second >= 61.0 {
            continue;
        }
        let half = text.get(end..).unwrap_or_default().trim_start().to_ascii_lowercase();
        let hour = match (hour, half.as_bytes()) {
            (12, [b'a', b'm' | b'.', ..]) => 0,
            (1..=11, [b'p', b'm' | b'.', ..]) => hour + 12,
            (hour, _) if hour < 24 => hour,
            _ => continue,
        };
        return Some(f64::from(hour * 3_600 + minute * 60) + second);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_way_they_are_written() {
        let evening = 22.0 * 3_600.0 + 16.0 * 60.0 + 45.0;
        for (text, expected) in [
            ("06/22/2026 22:16:45.500", Some(Clock::OfDay(evening + 0.5))),
            ("06/22/26 10:16:45 PM", Some(Clock::OfDay(evening))),
            ("2026-06-22T22:16:45+0200", Some(Clock::OfDay(evening))),
            ("Mon 22 Jun 2026 10:16:45 PM UTC (every 10s)", Some(Clock::OfDay(evening))),
            ("12:00:00 AM", Some(Clock::OfDay(0.0))),
            ("2026-06-22 22:16", Some(Clock::OfDay(evening - 45.0))),
            ("1782166605", Some(Clock::Unix(1_782_166_605.0))),
            ("1782166605.25", Some(Clock::Unix(1_782_166_605.25))),
            ("1782166605007", Some(Clock::Unix(1_782_166_605.007))),
            ("350735.47 234388.90", Some(Clock::Uptime(350_735.47))),
            ("25:99:00", None),
            ("sda 1 2", None),
            ("", None),
            ("é:é", None),
        ] {
            assert_eq!(Clock::read(text), expected, "{text}");
        }
    }

    #[test]
    fn midnight_is_passed_and_a_whole_day_is_one() {
        assert_eq!(Clock::OfDay(86_395.0).until(Clock::OfDay(5.0)), Some(10.0));
        assert_eq!(Clock::OfDay(5.0).until(Clock::OfDay(5.0)), Some(86_400.0));
        assert_eq!(Clock::Unix(5.0).until(Clock::Unix(4.0)), None);
        assert_eq!(Clock::Unix(5.0).until(Clock::Uptime(14.0)), None);
    }
}
