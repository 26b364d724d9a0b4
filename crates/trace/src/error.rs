use std::fmt;
use std::io::ErrorKind;

/// Reason why a trace can't be read further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The problem, with the value.
    pub what: String,
    /// The way to fix it; empty if there is none.
    pub help: String,
}

impl TraceError {
    /// A problem without a known fix.
    pub fn new(what: impl fmt::Display) -> TraceError {
        TraceError { what: what.to_string(), help: String::new() }
    }

    /// Adds the fix.
    #[must_use]
    pub fn help(self, help: impl fmt::Display) -> TraceError {
        TraceError { help: help.to_string(), ..self }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.help.is_empty() {
            true => f.write_str(&self.what),
            false => write!(f, "{}: {}", self.what, self.help),
        }
    }
}

impl std::error::Error for TraceError {}

impl From<std::io::Error> for TraceError {
    /// A read that failed: of a compressed file, most often a missing end or other bytes behind it.
    fn from(error: std::io::Error) -> TraceError {
        let failed = TraceError::new(format!("reading failed: {error}"));
        match error.kind() {
            ErrorKind::UnexpectedEof => failed.help("the file is truncated; copy it again"),
            ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                failed.help("the file is damaged, or other bytes follow its compressed part; copy it again")
            }
            _ => failed,
        }
    }
}
