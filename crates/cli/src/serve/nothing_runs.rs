//! Empty list of runs, for a system whose disks this program neither emulates nor drives.

use iobound_documents::RunningDocument;
use iobound_serve::Answer;

/// Nothing can be watched.
pub(super) fn list() -> Answer {
    let nothing = serde_json::to_string(&RunningDocument::default());
    Answer::Document(nothing.expect("its keys are strings"))
}

/// Nothing is of that name.
pub(super) fn state(_of: &str) -> Answer {
    Answer::Unknown
}
