//! Empty list of runs, for a system whose disks this program neither emulates nor drives.

use iobound_serve::Answer;
use serde_json::json;

/// Nothing can be watched.
pub(super) fn list() -> Answer {
    Answer::Document(json!({ "schema": "iobound.running/1", "running": [] }).to_string())
}

/// Nothing is of that name.
pub(super) fn state(_of: &str) -> Answer {
    Answer::Unknown
}
