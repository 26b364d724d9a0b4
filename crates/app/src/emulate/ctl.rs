//! `emulate ctl`: words to an emulator that runs, and its answer.

use std::io;
use std::path::{Path, PathBuf};

use iobound_documents::{ControlDocument, ControlLine};
use iobound_emulate::control;

use super::registry;
use crate::{Env, Exit, Failure};

/// Says the words, and prints what is answered.
pub fn ask_running(control: Option<&str>, words: &[String], env: &Env) -> Result<Exit, Failure> {
    let path = match control {
        Some(path) => PathBuf::from(path),
        None => registry::only_one(env)?,
    };
    let style = env.of_process().style();
    let line =
        ControlLine { words: words.to_vec(), width: style.width, color: style.color, ascii: style.ascii };
    let (answer, said) = ask(&path, &line).map_err(|error| {
        Failure::io(format!("no emulator answers at {}: {error}", path.display()))
            .help("use the path that the emulator printed as `control`")
    })?;
    match answer {
        ControlDocument::Refused(refused) => {
            let failure = Failure::input(refused.error);
            Err(match refused.help {
                Some(help) => failure.help(help),
                None => failure,
            })
        }
        ControlDocument::Done(_) if env.of_process().is_json() => {
            env.of_process().print(&format!("{said}\n"), true)
        }
        ControlDocument::Done(done) => {
            let lines = done.said.iter().map(|line| format!("{line}\n"));
            env.of_process().print(&lines.collect::<String>(), false)
        }
    }
}

/// Says a line to an emulator. The answer, and its text.
///
/// # Errors
/// Returns an error if nothing listens at the path, or if the answer is not an emulator's.
pub fn ask(path: &Path, line: &ControlLine) -> io::Result<(ControlDocument, String)> {
    let said = control::ask(path, &serde_json::to_string(line)?)?;
    Ok((serde_json::from_str(&said)?, said))
}
