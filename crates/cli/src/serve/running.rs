//! Running emulators (by their control sockets) and runs (by their status files) of this user that can be watched:
//! which they tell of themselves.

use iobound_app::Env;
use std::path::{Path, PathBuf};

use iobound_documents::{
    ControlDocument, ControlLine, EmulateState, RunStatusDocument, RunningDocument, RunningPart, Version,
};
use iobound_serve::Answer;
use serde::Serialize;

use iobound_app::emulate::ask;
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
    let emulators = running.iter().filter_map(|(process, control)| {
        let state = emulator_state(control)?;
        let volumes = state.devices.iter().filter(|device| device.kind == "volume");
        let names: Vec<&str> = volumes.map(|device| device.name.as_str()).collect();
        Some(RunningPart {
            id: format!("emulator-{process}"),
            kind: "emulator".to_string(),
            process: *process,
            what: format!("emulates {}", names.join(", ")),
            for_s: state.at_s,
        })
    });
    let runs = runs().into_iter().filter_map(|(process, file)| {
        let status: RunStatusDocument = serde_json::from_str(&text_of(&file)?).ok()?;
        let [device] = status.devices;
        Some(RunningPart {
            id: format!("run-{process}"),
            kind: "run".to_string(),
            process,
            what: format!("runs on {}", device.name),
            for_s: status.at_s,
        })
    });
    let running = emulators.chain(runs).collect();
    document(&RunningDocument { schema: Version::default(), running })
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

/// Text of a run's last status.
fn text_of(file: &Path) -> Option<String> {
    iobound_app::files::read(&Env::default(), file.to_str()?, MOST).ok()
}

/// The state now of one of them.
pub(super) fn state(of: &str) -> Answer {
    if let Some(process) = of.strip_prefix("run-") {
        let run = runs().into_iter().find(|(number, _)| process.parse() == Ok(*number));
        return run.and_then(|(_, file)| text_of(&file)).map_or(Answer::Unknown, Answer::Document);
    }
    let Some(wanted) = of.strip_prefix("emulator-").and_then(|process| process.parse::<u32>().ok()) else {
        return Answer::Unknown;
    };
    let Ok(running) = registry::running(&env()) else { return Answer::Unknown };
    let control = running.iter().find(|(process, _)| *process == wanted).map(|(_, control)| control);
    control.and_then(|control| emulator_state(control)).map_or(Answer::Unknown, |state| document(&state))
}

/// State of an emulator; `None` if it has just ended.
fn emulator_state(control: &Path) -> Option<EmulateState> {
    let line = ControlLine { words: vec!["state".to_string()], ..ControlLine::default() };
    match ask(control, &line).ok()?.0 {
        ControlDocument::Done(done) => done.state.map(|state| *state),
        ControlDocument::Refused(_) => None,
    }
}

fn document(document: &impl Serialize) -> Answer {
    Answer::Document(serde_json::to_string(document).expect("its keys are strings"))
}
