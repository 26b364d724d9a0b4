use std::path::Path;

/// What is known of the machine around a target: passed in, so that preparation asks and does not look.
pub trait Guard {
    /// Whether what exists at `path` may be written over by somebody who consented to losing it.
    ///
    /// # Errors
    /// What consent does not cover: mounted, a member of something larger, in another's hands.
    fn check(&self, path: &Path) -> Result<(), Denied>;

    /// What lies beneath a target or, where there is none yet, beneath its folder.
    fn backing(&self, path: &Path) -> Backing;
}

/// Why something may not be written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// What was found.
    pub found: String,
    /// What to do.
    pub mend: String,
}

/// What lies beneath a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backing {
    /// The memory that it is, by its name: `zram0`, `tmpfs`; `None` for a disk.
    pub memory: Option<String>,
    /// Whether the whole device has never been written, where it can tell.
    pub blank: Option<bool>,
}
