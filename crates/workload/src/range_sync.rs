//! The steps of Linux's `sync_file_range(2)`.

use std::fmt;

/// Effect of `sync_file_range(2)` on the written range of a file, in this order. None of it empties a device's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeSync {
    /// Wait for write-back that goes on (`SYNC_FILE_RANGE_WAIT_BEFORE`).
    pub wait_before: bool,
    /// Start write-back of dirty pages (`SYNC_FILE_RANGE_WRITE`).
    pub write: bool,
    /// Wait until the range is written back (`SYNC_FILE_RANGE_WAIT_AFTER`).
    pub wait_after: bool,
}

impl RangeSync {
    /// Reads what [`RangeSync`] prints: `write,wait-after`; `None` where it is something else.
    pub fn parse(text: &str) -> Option<RangeSync> {
        let mut steps = RangeSync::default();
        for word in text.split(',').map(str::trim) {
            let step = match word {
                "wait-before" => &mut steps.wait_before,
                "write" => &mut steps.write,
                "wait-after" => &mut steps.wait_after,
                _ => return None,
            };
            *step = true;
        }
        Some(steps)
    }
}

impl fmt::Display for RangeSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps =
            [(self.wait_before, "wait-before"), (self.write, "write"), (self.wait_after, "wait-after")];
        let words: Vec<&str> =
            steps.into_iter().filter(|(is_done, _)| *is_done).map(|(_, word)| word).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_printed_are_read_back() {
        let some = RangeSync { wait_before: true, write: false, wait_after: true };
        assert_eq!(some.to_string(), "wait-before,wait-after");
        for text in ["write", "wait-before,write,wait-after", "wait-before,wait-after"] {
            assert_eq!(RangeSync::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "wait_after", "write,", "all"] {
            assert_eq!(RangeSync::parse(wrong), None, "{wrong}");
        }
    }
}
