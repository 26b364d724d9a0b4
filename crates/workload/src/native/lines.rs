//! A table of TOML, line by line.

use std::fmt::Write;

use iobound_units::{Bytes, Span};

use super::quantity::{exact_bytes, exact_span};

/// Lines of `key = value`.
pub(super) struct Lines(pub(super) String);

impl Lines {
    pub(super) fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, quoted(value));
    }

    pub(super) fn list(&mut self, key: &str, values: impl Iterator<Item = String>) {
        let values: Vec<String> = values.map(|value| quoted(&value)).collect();
        self.raw(key, format!("[{}]", values.join(", ")));
    }

    pub(super) fn switch(&mut self, key: &str, on: bool) {
        if on {
            self.raw(key, true);
        }
    }

    pub(super) fn size(&mut self, key: &str, size: Option<Bytes>) {
        if let Some(size) = size {
            self.text(key, &exact_bytes(size));
        }
    }

    pub(super) fn span(&mut self, key: &str, span: Span) {
        if !span.is_zero() {
            self.text(key, &exact_span(span));
        }
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// The word of a choice; every choice is in its list.
pub(super) fn word_of<T: PartialEq>(choices: &[(&'static str, T)], choice: &T) -> &'static str {
    choices.iter().find(|(_, value)| value == choice).map_or("", |(word, _)| word)
}
