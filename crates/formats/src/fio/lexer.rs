//! A job file's lines. fio's dialect of INI has bare keys, repeated sections, comments after values, and
//! `include`; no general reader keeps all of that.

use crate::error::{At, Trouble};

/// Content of one line.
#[derive(Debug)]
pub(super) enum JobLine<'a> {
    /// `[name]`.
    Section(&'a str),
    /// `key`, `key=value`.
    Option(&'a str, Option<&'a str>),
    /// `include file`.
    Include(&'a str),
}

/// The lines of a text that say something, each with its place.
pub(super) fn lines<'a>(text: &'a str, source: usize, trouble: &mut Trouble) -> Vec<(JobLine<'a>, At)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        let line = line.trim_start_matches('\u{feff}');
        let line_start = line_start + (start - line_start - line.len());
        // fio cuts a line at the first of either, wherever it stands.
        let said = line.split(['#', ';']).next().unwrap_or("");
        let trimmed = said.trim();
        if trimmed.is_empty() {
            continue;
        }
        let at = At { source, at: line_start + (said.len() - said.trim_start().len()), len: trimmed.len() };
        if let Some(rest) = trimmed.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, _)) if !name.trim().is_empty() => lines.push((JobLine::Section(name), at)),
                _ => trouble.add(at, "a section has no name or no closing bracket", "write [name]"),
            }
            continue;
        }
        if let Some(file) = trimmed.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            lines.push((JobLine::Include(file.trim()), at));
            continue;
        }
        let line = match trimmed.split_once('=') {
            Some((key, value)) => JobLine::Option(key.trim_end(), Some(value.trim())),
            None => JobLine::Option(trimmed, None),
        };
        lines.push((line, at));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    #[test]
    fn lines_keep_their_places() {
        let text =
            "\u{feff}; a comment\n[global]\n  bs = 4k   # not 8k\ntime_based\r\n\ninclude other.fio\n[a] x\n";
        let mut trouble = Trouble::new(Tool::Fio);
        let source = trouble.source(None, text);
        let read: Vec<String> = lines(text, source, &mut trouble)
            .into_iter()
            .map(|(line, at)| format!("{line:?} {}", &text[at.at..at.at + at.len]))
            .collect();
        assert_eq!(
            read,
            [
                "Section(\"global\") [global]",
                "Option(\"bs\", Some(\"4k\")) bs = 4k",
                "Option(\"time_based\", None) time_based",
                "Include(\"other.fio\") include other.fio",
                "Section(\"a\") [a] x",
            ]
        );
        assert!(trouble.is_empty());
    }
}
