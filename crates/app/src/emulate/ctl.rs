//! `emulate ctl`: words to an emulator that runs, and its answer.

use std::path::PathBuf;

use iobound_emulate::control::ask;
use serde_json::{Value, json};

use super::registry;
use crate::{Env, Exit, Failure};

/// Says the words, and prints what is answered.
pub fn ask_running(control: Option<&str>, words: &[String], env: &Env) -> Result<Exit, Failure> {
    let path = match control {
        Some(path) => PathBuf::from(path),
        None => registry::only_one(env)?,
    };
    let style = env.of_process().style();
    let line = json!({ "words": words, "width": style.width, "color": style.color, "ascii": style.ascii })
        .to_string();
    let said = ask(&path, &line).map_err(|error| {
        Failure::io(format!("no emulator answers at {}: {error}", path.display()))
            .mend("use the path that the emulator printed as `control`")
    })?;
    let answer: Value = serde_json::from_str(&said)
        .map_err(|error| Failure::io(format!("{} is not an emulator: its answer {error}", path.display())))?;
    let text = |key: &str| answer[key].as_str().map(String::from);
    if let Some(what) = text("error") {
        let failure = Failure::input(what);
        return Err(match text("help") {
            Some(mend) => failure.mend(mend),
            None => failure,
        });
    }
    if env.of_process().is_json() {
        return env.of_process().print(&format!("{answer}\n"), true);
    }
    let lines = answer["said"].as_array().into_iter().flatten().filter_map(Value::as_str);
    env.of_process().print(&lines.map(|line| format!("{line}\n")).collect::<String>(), false)
}
