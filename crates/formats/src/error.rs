use std::fmt;

/// Text that can't be read as what it claims to be: every problem found, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Tool whose syntax it was read as.
    pub tool: String,
    /// The problem; never empty, in the order it was found, at most [`FormatError::LISTED`].
    pub problems: Vec<Problem>,
    /// Number of more that were found and are not listed.
    pub more: usize,
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Place of the problem.
    pub place: Place,
    /// The text, and the problem with it.
    pub what: String,
    /// Fix to write instead; empty if there is none.
    pub help: String,
}

/// A place in a text, with the line it stands on, so that the text need not be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, where there is one.
    pub source: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The line itself; of a long one, the part around the place.
    pub text: String,
    /// Position of the place in `text`, in characters from 0.
    pub caret: u32,
    /// Number of characters of `text` that are meant, at least 1.
    pub width: u32,
}

/// The widest line that is shown whole, in characters.
const SHOWN: usize = 96;

impl Place {
    /// The place of `len` bytes at `at` in `text`. An offset inside a character means that character.
    pub fn of(source: Option<&str>, text: &str, at: usize, len: usize) -> Place {
        let at = floor_char(text, at);
        let end = floor_char(text, at.saturating_add(len));
        let line_start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let before = text[line_start..at].chars().count();
        let width = text[at..end.clamp(at, line_end)].chars().count();
        let (shown, caret) = window(text[line_start..line_end].trim_end_matches('\r'), before);
        Place {
            source: source.map(str::to_string),
            line: 1 + text[..line_start].bytes().filter(|b| *b == b'\n').count() as u32,
            column: 1 + before as u32,
            caret: caret as u32,
            width: width.min(shown.chars().count().saturating_sub(caret)).max(1) as u32,
            text: shown,
        }
    }
}

/// The largest character boundary of `text` at or below `at`.
fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The part of a line that is shown and where `column` is in it; control characters are shown as a space.
fn window(line: &str, column: usize) -> (String, usize) {
    let from = column.saturating_sub(SHOWN / 2);
    let chars = line.chars().map(|c| if c.is_control() { ' ' } else { c });
    if line.chars().nth(SHOWN).is_none() {
        return (chars.collect(), column);
    }
    let mut shown: Vec<char> = chars.skip(from).take(SHOWN).collect();
    if from > 0 && !shown.is_empty() {
        shown[0] = '…';
    }
    if line.chars().nth(from + SHOWN).is_some() {
        shown[SHOWN - 1] = '…';
    }
    (shown.into_iter().collect(), column - from)
}

impl FormatError {
    /// The most problems that are listed: enough to fix a file by, few enough to read.
    pub const LISTED: usize = 20;
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &place.source {
            Some(source) => write!(f, "{source}:{}:{}: {}", place.line, place.column, self.what)?,
            None => write!(f, "line {}, character {}: {}", place.line, place.column, self.what)?,
        }
        let (before, under) = (" ".repeat(place.caret as usize), "^".repeat(place.width as usize));
        write!(f, "\n    {}\n    {before}{under}", place.text)?;
        if !self.help.is_empty() {
            write!(f, "\n  {}", self.help)?;
        }
        Ok(())
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {problem}", self.tool)?;
        }
        if self.more > 0 {
            write!(f, "\n{}: and {} more", self.tool, self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for FormatError {}

/// A place in one of the texts that are being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct At {
    /// The index of the text in [`Trouble`].
    pub source: usize,
    /// The first byte.
    pub at: usize,
    /// Number of bytes.
    pub len: usize,
}

/// The problems found so far, and the texts they are found in.
#[derive(Debug)]
pub struct Trouble {
    tool: String,
    sources: Vec<(Option<String>, String)>,
    problems: Vec<Problem>,
    more: usize,
    /// Number of them that are no fault of the text: it can be read, and not carried out.
    unfit: usize,
}

impl Trouble {
    /// No problem yet.
    pub(crate) fn new(tool: impl fmt::Display) -> Trouble {
        Trouble { tool: tool.to_string(), sources: Vec::new(), problems: Vec::new(), more: 0, unfit: 0 }
    }

    /// Adds a text; its index, for [`At::source`].
    pub(crate) fn source(&mut self, name: Option<&str>, text: &str) -> usize {
        self.sources.push((name.map(str::to_string), text.to_string()));
        self.sources.len() - 1
    }

    /// Notes a problem.
    pub fn add(&mut self, at: At, what: impl Into<String>, help: impl Into<String>) {
        if self.problems.len() == FormatError::LISTED {
            self.more += 1;
            return;
        }
        let (name, text) = &self.sources[at.source];
        let place = Place::of(name.as_deref(), text, at.at, at.len);
        self.problems.push(Problem { place, what: what.into(), help: help.into() });
    }

    /// Notes that the text can be read, and this program can't carry it out.
    pub(crate) fn cannot(&mut self, at: At, what: impl Into<String>, help: impl Into<String>) {
        self.unfit += 1;
        self.add(at, what, help);
    }

    /// Takes the problems of a text that can be read, and not carried out. It has none afterwards. `None` where the text
    /// itself is wrong.
    pub(crate) fn take_unfit(&mut self) -> Option<Vec<Problem>> {
        if self.unfit < self.count() {
            return None;
        }
        (self.unfit, self.more) = (0, 0);
        Some(std::mem::take(&mut self.problems))
    }

    /// True if further problems are only counted: then no fix need be looked for.
    pub fn is_full(&self) -> bool {
        self.problems.len() == FormatError::LISTED
    }

    /// Number of problems that were found.
    pub(crate) fn count(&self) -> usize {
        self.problems.len() + self.more
    }

    /// True if no problem was found.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems as the answer; `value` where there is none.
    pub(crate) fn or<T>(self, value: Option<T>) -> Result<T, FormatError> {
        match value {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => {
                assert!(!self.problems.is_empty(), "what can't be read says why");
                Err(FormatError { tool: self.tool, problems: self.problems, more: self.more })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    #[test]
    fn the_caret_stands_under_the_word_that_is_meant() {
        let text = "first\n-b4K -w -o8";
        let mut trouble = Trouble::new(Tool::DiskSpd);
        let source = trouble.source(None, text);
        trouble.add(At { source, at: text.find("-w").unwrap(), len: 2 }, "`-w` has no number", "write -w0");
        assert_eq!(
            trouble.or::<()>(None).unwrap_err().to_string(),
            "DiskSpd: line 2, character 6: `-w` has no number\n    -b4K -w -o8\n         ^^\n  write -w0"
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        for column in [0, 10, 300, 600] {
            let line = format!("{}WRONG{}", "a".repeat(column), "b".repeat(600 - column));
            let place = Place::of(Some("x.fio"), &line, column, 5);
            assert!(place.text.chars().count() <= SHOWN);
            let meant: String =
                place.text.chars().skip(place.caret as usize).take(place.width as usize).collect();
            assert!(meant.trim_matches('…').len() >= 4, "{place:?}");
        }
    }

    #[test]
    fn a_place_inside_a_character_or_past_the_end_is_no_panic() {
        assert_eq!(Place::of(None, "é", 1, 9).column, 1);
        assert_eq!(Place::of(None, "", 7, 0).width, 1);
        assert_eq!(Place::of(None, "ab\r\n", 3, 1).text, "ab");
    }

    #[test]
    fn no_more_problems_are_listed_than_a_person_reads() {
        let mut trouble = Trouble::new(Tool::Fio);
        let source = trouble.source(None, "x");
        for _ in 0..25 {
            trouble.add(At { source, at: 0, len: 1 }, "wrong", "");
        }
        let error = trouble.or::<()>(None).unwrap_err();
        assert_eq!((error.problems.len(), error.more), (20, 5));
        assert!(error.to_string().ends_with("fio: and 5 more"));
    }
}
