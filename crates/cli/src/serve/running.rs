//! What runs on this machine now: emulators, by their control sockets.

use iobound_serve::Answer;
use serde_json::json;

/// What can be watched.
pub(super) fn list() -> Answer {
    Answer::Document(json!({ "schema": "iobound.running/1", "running": [] }).to_string())
}

/// The state now of one of them.
pub(super) fn state(_of: &str) -> Answer {
    Answer::Unknown
}
