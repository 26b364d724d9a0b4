use std::fmt;

/// Reason why a trace can't be read further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The problem, with the value.
    pub what: String,
    /// The way to fix it; empty if there is none.
    pub mend: String,
}

impl TraceError {
    /// A problem without a known fix.
    pub fn new(what: impl fmt::Display) -> TraceError {
        TraceError { what: what.to_string(), mend: String::new() }
    }

    /// Adds the fix.
    #[must_use]
    pub fn mend(self, mend: impl fmt::Display) -> TraceError {
        TraceError { mend: mend.to_string(), ..self }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mend.is_empty() {
            true => f.write_str(&self.what),
            false => write!(f, "{}: {}", self.what, self.mend),
        }
    }
}

impl std::error::Error for TraceError {}

impl From<std::io::Error> for TraceError {
    /// A read that failed: of a compressed file, most often its missing end.
    fn from(error: std::io::Error) -> TraceError {
        let end = error.kind() == std::io::ErrorKind::UnexpectedEof;
        let failed = TraceError::new(format!("reading failed: {error}"));
        if end { failed.mend("the file is truncated; copy it again") } else { failed }
    }
}
