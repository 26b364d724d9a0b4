//! What runs on this machine now and can be watched: the user's own emulators, by their control sockets.

use std::path::Path;

use iobound_serve::Answer;
use serde_json::{Value, json};

use crate::emulate::registry;

/// What can be watched: `id` is for [`state`].
pub(super) fn list() -> Answer {
    let running = match registry::running() {
        Ok(running) => running,
        Err(failure) => return super::told(Err(failure)),
    };
    let rows: Vec<Value> = running
        .iter()
        .filter_map(|(process, control)| {
            let state = state_at(control)?;
            let names = |kind: &str| -> Vec<&str> {
                let devices = state["devices"].as_array().into_iter().flatten();
                devices
                    .filter(|device| device["kind"] == kind)
                    .filter_map(|device| device["name"].as_str())
                    .collect()
            };
            Some(json!({
                "id": format!("emulator-{process}"),
                "kind": "emulator",
                "process": process,
                "what": format!("emulates {}", names("volume").join(", ")),
                "for_s": state["at_s"],
            }))
        })
        .collect();
    Answer::Document(json!({ "schema": "iobound.running/1", "running": rows }).to_string())
}

/// The state now of one of them.
pub(super) fn state(of: &str) -> Answer {
    let Some(wanted) = of.strip_prefix("emulator-").and_then(|process| process.parse::<u32>().ok()) else {
        return Answer::Unknown;
    };
    let Ok(running) = registry::running() else { return Answer::Unknown };
    let control = running.iter().find(|(process, _)| *process == wanted).map(|(_, control)| control);
    control
        .and_then(|control| state_at(control))
        .map_or(Answer::Unknown, |state| Answer::Document(state.to_string()))
}

/// What an emulator says of itself; `None` where it has just ended.
fn state_at(control: &Path) -> Option<Value> {
    let answer = iobound_emulate::control::ask(control, &json!({ "words": ["state"] }).to_string()).ok()?;
    let state = serde_json::from_str::<Value>(&answer).ok()?["state"].take();
    state.is_object().then_some(state)
}
