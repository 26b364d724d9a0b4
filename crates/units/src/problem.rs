use std::fmt;

/// A problem with something that was given: what is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Problem, with the value.
    pub what: String,
    /// The way to fix it; empty if it is unknown.
    pub help: String,
}

impl Problem {
    /// A problem without a known fix.
    pub fn new(what: impl fmt::Display) -> Problem {
        Problem { what: what.to_string(), help: String::new() }
    }

    /// Adds the fix.
    #[must_use]
    pub fn help(self, help: impl fmt::Display) -> Problem {
        Problem { help: help.to_string(), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}
