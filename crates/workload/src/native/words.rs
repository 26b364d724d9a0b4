//! Settings of a workload as written, key by key, before interpretation: flags and TOML become this, so
//! that both are read by the same code and complain in the same words.

use std::fmt::Display;

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Text, a number, or `true`.
    One(String),
    /// A list of texts.
    Many(Vec<String>),
}

/// Spelling of keys in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `--flush-every`.
    Flag,
    /// `` `flush-every` ``.
    Key,
}

/// The keys that were given, each once.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    style: Style,
    given: Vec<(&'static str, Word)>,
}

/// A key whose value cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordError {
    /// The key, where the error is one key's.
    pub(crate) key: Option<&'static str>,
    /// Text read, text expected, and the fix.
    pub(crate) message: String,
}

impl Words {
    pub(crate) fn new(style: Style) -> Words {
        Words { style, given: Vec::new() }
    }

    pub(crate) fn give(&mut self, key: &'static str, word: Word) {
        self.given.push((key, word));
    }

    /// Name of the key where it was written.
    pub(crate) fn called(&self, key: &str) -> String {
        match self.style {
            Style::Flag => format!("--{key}"),
            Style::Key => format!("`{key}`"),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == key)
    }

    fn get(&self, key: &str) -> Option<&Word> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, word)| word)
    }

    pub(crate) fn error(&self, key: &'static str, message: impl Display) -> WordError {
        WordError { key: Some(key), message: format!("{}: {message}", self.called(key)) }
    }

    /// Two keys that exclude each other.
    pub(crate) fn conflict(&self, key: &'static str, other: &str, help: &str) -> WordError {
        let message = format!("{} does not go with {}: {help}", self.called(key), self.called(other));
        WordError { key: Some(key), message }
    }

    /// Refuses `key` where `other` is given too.
    pub(crate) fn exclude(&self, key: &'static str, other: &str, help: &str) -> Result<(), WordError> {
        if self.has(key) && self.has(other) { Err(self.conflict(key, other, help)) } else { Ok(()) }
    }

    /// Refuses `key` where `other` is not given.
    pub(crate) fn require(&self, key: &'static str, other: &str) -> Result<(), WordError> {
        if self.has(key) && !self.has(other) {
            return Err(self.error(key, format!("it has no effect without {}: add that", self.called(other))));
        }
        Ok(())
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: &'static str) -> Result<Option<&str>, WordError> {
        match self.get(key) {
            None => Ok(None),
            Some(Word::One(text)) => Ok(Some(text)),
            Some(Word::Many(_)) => Err(self.error(key, "write one value, not a list")),
        }
    }

    /// The texts of a key that is a list; one text is a list of one.
    pub(crate) fn texts(&self, key: &'static str) -> Option<&[String]> {
        match self.get(key) {
            None => None,
            Some(Word::One(text)) => Some(std::slice::from_ref(text)),
            Some(Word::Many(texts)) => Some(texts),
        }
    }

    /// The value of a key, read by `parse`.
    pub(crate) fn parse<T, E: Display>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, WordError> {
        match self.text(key)? {
            Some(text) => parse(text).map(Some).map_err(|error| self.error(key, error)),
            None => Ok(None),
        }
    }

    /// A whole number that fits its field.
    pub(crate) fn count<T: TryFrom<u64>>(&self, key: &'static str) -> Result<Option<T>, WordError> {
        let Some(count) = self.parse(key, iobound_units::parse_count)? else {
            return Ok(None);
        };
        let fits = T::try_from(count).map_err(|_| self.error(key, format!("{count} is too large")))?;
        Ok(Some(fits))
    }

    /// True if a switch is on. `false` is refused: it would say nothing.
    pub(crate) fn switch(&self, key: &'static str) -> Result<bool, WordError> {
        match self.text(key)? {
            None => Ok(false),
            Some("true") => Ok(true),
            Some(text) => Err(self.error(key, format!("`{text}` is not true: write true, or leave it out"))),
        }
    }

    /// One of a few words.
    pub(crate) fn one_of<T: Copy>(
        &self,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, WordError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                Err(self.error(key, format!("`{text}` is not known: write {}", words.join(" or "))))
            }
        }
    }
}
