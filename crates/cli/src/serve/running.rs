//! Running emulators (by their control sockets) and runs (by their status files) of this user that can be watched:
//! which they tell of themselves.

use iobound_app::Env;
use std::path::{Path, PathBuf};

use iobound_serve::Answer;
use serde_json::{Value, json};

use iobound_app::emulate::registry::{self, ProcessKey};

/// The most that is read of what a run tells: an interval is below a thousand bytes.
const MOST: u64 = 1 << 16;

/// This process's environment, which says where they are.
fn env() -> Env {
    Env::with_variables(std::env::vars_os())
}

/// Runs and emulators that can be watched: `id` is for [`state`].
pub(super) fn list() -> Answer {
    let running = match registry::running(&env()) {
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
    let runs = runs().into_iter().filter_map(|(process, file)| {
        let state = state_in(&file)?;
        Some(json!({
            "id": format!("run-{process}"),
            "kind": "run",
            "process": process,
            "what": format!("runs on {}", state["devices"][0]["name"].as_str()?),
            "for_s": state["at_s"],
        }))
    });
    let rows: Vec<Value> = rows.into_iter().chain(runs).collect();
    Answer::Document(json!({ "schema": "iobound.running/1", "running": rows }).to_string())
}

/// The runs of this user that go on: the number of each one's process, and where it tells of itself.
fn runs() -> Vec<(u32, PathBuf)> {
    let Ok(folder) = registry::folder(&env()) else { return Vec::new() };
    // The remaining entries belong to running processes.
    registry::prune(&folder);
    let listed = registry::listed(&folder, registry::STATUS).into_iter();
    let mut runs: Vec<(u32, PathBuf)> =
        listed.filter_map(|path| Some((ProcessKey::of_entry(&path)?.process, path))).collect();
    runs.sort();
    runs
}

/// Last status of a run.
fn state_in(file: &Path) -> Option<Value> {
    serde_json::from_str(&iobound_app::files::read(&Env::default(), file.to_str()?, MOST).ok()?).ok()
}

/// The state now of one of them.
pub(super) fn state(of: &str) -> Answer {
    if let Some(process) = of.strip_prefix("run-") {
        let run = runs().into_iter().find(|(number, _)| process.parse() == Ok(*number));
        let state = run.and_then(|(_, file)| state_in(&file));
        return state.map_or(Answer::Unknown, |state| Answer::Document(state.to_string()));
    }
    let Some(wanted) = of.strip_prefix("emulator-").and_then(|process| process.parse::<u32>().ok()) else {
        return Answer::Unknown;
    };
    let Ok(running) = registry::running(&env()) else { return Answer::Unknown };
    let control = running.iter().find(|(process, _)| *process == wanted).map(|(_, control)| control);
    control
        .and_then(|control| state_at(control))
        .map_or(Answer::Unknown, |state| Answer::Document(state.to_string()))
}

/// Self-description of an emulator; `None` where it has just ended.
fn state_at(control: &Path) -> Option<Value> {
    let answer = iobound_app::emulate::ask(control, &json!({ "words": ["state"] }).to_string()).ok()?;
    let state = serde_json::from_str::<Value>(&answer).ok()?["state"].take();
    state.is_object().then_some(state)
}
