//! The lines of a configuration file, as labels and values.

use crate::error::{At, Trouble};

/// A line without white space around it, and its place.
#[derive(Clone, Copy)]
pub(super) struct IcfLine<'a> {
    pub text: &'a str,
    pub at: At,
}

impl<'a> IcfLine<'a> {
    /// True if it is a label or another comment.
    pub(super) fn is_label(&self) -> bool {
        self.text.starts_with('\'')
    }

    /// The label without its apostrophe and the line of equal signs of a section.
    pub(super) fn label(&self) -> &'a str {
        self.text.trim_start_matches('\'').trim_end_matches('=').trim()
    }

    /// True if it is this label, in either case.
    pub(super) fn is(&self, label: &str) -> bool {
        self.is_label() && self.label().eq_ignore_ascii_case(label)
    }

    /// True if its label begins so, in either case.
    pub(super) fn begins(&self, label: &str) -> bool {
        let begin = self.label().get(..label.len());
        self.is_label() && begin.is_some_and(|begin| begin.eq_ignore_ascii_case(label))
    }
}

/// The lines of a text, one after the other.
pub(super) struct IcfLines<'a> {
    text: &'a str,
    source: usize,
    next: usize,
}

impl<'a> IcfLines<'a> {
    pub(super) fn new(text: &'a str, source: usize) -> IcfLines<'a> {
        IcfLines { text, source, next: 0 }
    }

    /// The place just here, for what is missing.
    pub(super) fn here(&self) -> At {
        At { source: self.source, at: self.next.min(self.text.len()), len: 1 }
    }

    /// The next line, whatever it holds, without taking it.
    pub(super) fn peek(&self) -> Option<IcfLine<'a>> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let line = rest.split('\n').next()?;
        let text = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let lead = line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        let at = At { source: self.source, at: self.next + lead, len: text.len().max(1) };
        Some(IcfLine { text, at })
    }

    /// Takes the next line.
    pub(super) fn take(&mut self) -> Option<IcfLine<'a>> {
        let line = self.peek()?;
        let rest = &self.text[self.next..];
        self.next += rest.find('\n').map_or(rest.len(), |end| end + 1);
        Some(line)
    }

    /// Takes the next line that is not blank.
    pub(super) fn take_said(&mut self) -> Option<IcfLine<'a>> {
        loop {
            let line = self.take()?;
            if !line.text.is_empty() {
                return Some(line);
            }
        }
    }

    /// The value after a label: the next line, after the captions of columns; `None` where a label follows.
    pub(super) fn value(&mut self) -> Option<IcfLine<'a>> {
        while self.peek().is_some_and(|line| line.is_label() && line.text[1..].starts_with(['\t', ' '])) {
            self.take();
        }
        match self.peek() {
            Some(line) if !line.is_label() => self.take(),
            _ => None,
        }
    }

    /// The value after a label, or a problem and nothing.
    pub(super) fn expected(&mut self, label: IcfLine<'_>, trouble: &mut Trouble) -> Option<IcfLine<'a>> {
        let value = self.value().filter(|value| !value.text.is_empty());
        if value.is_none() {
            let what = format!("`{}` has no value", label.text);
            trouble.add(label.at, what, "write the value on the next line, after a tab");
        }
        value
    }
}

/// Whole numbers separated by commas or white space, as many as asked for.
pub(super) fn numbers<const N: usize>(
    value: IcfLine<'_>,
    label: &str,
    trouble: &mut Trouble,
) -> Option<[u64; N]> {
    let fields = value.text.split([',', ' ', '\t']).map(str::trim).filter(|field| !field.is_empty());
    let read: Vec<u64> = fields.map_while(|field| field.parse().ok()).take(N).collect();
    match read.try_into() {
        Ok(numbers) => Some(numbers),
        Err(_) => {
            let what = format!("{label}: `{}` is not {N} whole number(s)", value.text);
            trouble.add(value.at, what, "write them as Iometer does");
            None
        }
    }
}

/// A whole number that fits in 32 bits.
pub(super) fn small(number: u64, value: IcfLine<'_>, trouble: &mut Trouble) -> Option<u32> {
    let small = u32::try_from(number).ok();
    if small.is_none() {
        trouble.add(value.at, format!("{number} is too large"), "write a smaller number");
    }
    small
}
