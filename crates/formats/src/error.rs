use std::fmt;

use crate::Tool;

/// Text that can't be read as what it claims to be: every problem found, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Whose syntax it was read as.
    pub tool: Tool,
    /// What is wrong; never empty, in the order of the text.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What was read and why it can't stand.
    pub what: String,
    /// What to write instead; empty where nothing can be said.
    pub mend: String,
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
    /// How many characters are meant, at least 1.
    pub width: u32,
    /// The line itself.
    pub text: String,
}

/// The widest line that is shown whole; of a longer one, the part around the place.
const SHOWN: usize = 96;

impl Place {
    /// The place of `len` bytes at `at` in `text`. An offset inside a character means that character.
    pub fn of(source: Option<&str>, text: &str, at: usize, len: usize) -> Place {
        let at = floor_char(text, at);
        let end = floor_char(text, at.saturating_add(len));
        let start_of_line = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let end_of_line = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let line = &text[start_of_line..end_of_line];
        let width = text[at..end.clamp(at, end_of_line)].chars().count().max(1);
        Place {
            source: source.map(str::to_string),
            line: 1 + text[..start_of_line].bytes().filter(|b| *b == b'\n').count() as u32,
            column: 1 + text[start_of_line..at].chars().count() as u32,
            width: width as u32,
            text: line.trim_end_matches('\r').to_string(),
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

impl FormatError {
    /// The problems found, as the answer to a text read as `tool`'s.
    pub fn new(tool: Tool, problems: Vec<Problem>) -> FormatError {
        assert!(!problems.is_empty(), "an error says what is wrong");
        FormatError { tool, problems }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &place.source {
            Some(source) => write!(f, "{source}:{}:{}: {}", place.line, place.column, self.what)?,
            None => write!(f, "line {}, character {}: {}", place.line, place.column, self.what)?,
        }
        let (text, column) = window(&place.text, place.column as usize - 1);
        let shown = text.chars().count();
        let width = (place.width as usize).min(shown.saturating_sub(column)).max(1);
        write!(f, "\n    {text}\n    {}{}", " ".repeat(column), "^".repeat(width))?;
        if !self.mend.is_empty() {
            write!(f, "\n  {}", self.mend)?;
        }
        Ok(())
    }
}

/// The part of a line that is shown and the column of the place within it; tabs are one space wide.
fn window(line: &str, column: usize) -> (String, usize) {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let chars: Vec<char> = line.chars().map(visible).collect();
    if chars.len() <= SHOWN {
        return (chars.into_iter().collect(), column);
    }
    let from = column.saturating_sub(SHOWN / 2).min(chars.len() - SHOWN);
    let to = from + SHOWN;
    let mut shown: Vec<char> = chars[from..to].to_vec();
    if from > 0 {
        shown[0] = '…';
    }
    if to < chars.len() {
        shown[SHOWN - 1] = '…';
    }
    (shown.into_iter().collect(), column - from)
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {problem}", self.tool)?;
        }
        Ok(())
    }
}

impl std::error::Error for FormatError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_word_that_is_meant() {
        let text = "first\n-b4K -w -o8";
        let place = Place::of(None, text, text.find("-w").unwrap(), 2);
        assert_eq!((place.line, place.column, place.width), (2, 6, 2));
        let error = FormatError::new(
            Tool::DiskSpd,
            vec![Problem { place, what: "`-w` has no number".into(), mend: "write -w0".into() }],
        );
        assert_eq!(
            error.to_string(),
            "DiskSpd: line 2, character 6: `-w` has no number\n    -b4K -w -o8\n         ^^\n  write -w0"
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = format!("{}WRONG{}", "a".repeat(300), "b".repeat(300));
        let place = Place::of(Some("x.fio"), &line, 300, 5);
        let shown = Problem { place, what: "no".into(), mend: String::new() }.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].chars().count() <= SHOWN + 4);
        let column = lines[2].find('^').unwrap();
        assert_eq!(lines[1].chars().skip(column).take(5).collect::<String>(), "WRONG");
    }

    #[test]
    fn a_place_inside_a_character_or_past_the_end_is_no_panic() {
        assert_eq!(Place::of(None, "é", 1, 9).column, 1);
        assert_eq!(Place::of(None, "", 7, 0).width, 1);
    }
}

pub(crate) fn whole(tool: Tool, text: &str) -> FormatError {
    let place = Place::of(None, text, 0, 1);
    FormatError::new(tool, vec![Problem { place, what: "it can't be read yet".into(), mend: String::new() }])
}
