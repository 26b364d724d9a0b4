use std::fmt;
use std::path::{Path, PathBuf};

/// Reason why a target can't be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It exists, was not made here, and nobody consented to losing it.
    NoConsent,
    /// It must not be overwritten, even with consent.
    Guarded,
    /// The file system has not the room.
    NoSpace,
    /// Parts of it that would be read were never written.
    Unwritten,
    /// It has no size: it is empty or not there yet, and no size was given.
    NoSize,
    /// It is smaller than the workload needs.
    TooSmall,
    /// It is not a target for this workload: of another kind, or read-only.
    Unsuitable,
    /// Information about it can't be meant.
    Misnamed,
    /// Reading it failed, as a disk fails.
    Failing,
}

impl Because {
    /// True if data was to be protected (exit code 3), rather than the question wrong (2).
    pub const fn is_safety(self) -> bool {
        matches!(self, Because::NoConsent | Because::Guarded)
    }
}

/// Objection to a target: the finding, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The target, or the path that was named.
    pub path: PathBuf,
    /// Of which kind.
    pub because: Because,
    /// The findings, and what would have happened.
    pub found: String,
    /// The action.
    pub help: String,
}

impl Refusal {
    /// The objection to a target whose size nobody gave.
    pub(super) fn no_size(path: &Path, found: &str) -> Refusal {
        let help = "give its size with --size".into();
        Refusal { path: path.to_path_buf(), because: Because::NoSize, found: found.into(), help }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { path, found, help, .. } = self;
        write!(f, "{}: {found}; {help}", path.display())
    }
}

/// Everything that stands against a run, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub Vec<Refusal>);

impl Refused {
    /// True if any of it protects data.
    pub fn is_safety(&self) -> bool {
        self.0.iter().any(|refusal| refusal.because.is_safety())
    }

    /// True if a target failed (exit code 4), which other options would not fix.
    pub fn is_failing(&self) -> bool {
        self.0.iter().any(|refusal| refusal.because == Because::Failing)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, refusal) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            refusal.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
