//! `emulate ctl`: words to an emulator that runs, and its answer.

use std::io;
use std::path::{Path, PathBuf};

use iobound_documents::{ControlDocument, ControlDone, ControlLine};
use iobound_emulate::control;

use super::registry;
use crate::{Env, Failure};

/// Says the words to an emulator, by default to the only one that runs. The answer, and its line of JSON.
///
/// # Errors
/// Returns an error if no emulator answers, or it refuses the words.
pub fn ask_running(
    control: Option<&str>,
    line: &ControlLine,
    env: &Env,
) -> Result<(ControlDone, String), Failure> {
    let path = match control {
        Some(path) => PathBuf::from(path),
        None => registry::only_one(env)?,
    };
    let (answer, said) = ask(&path, line).map_err(|error| {
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
        ControlDocument::Done(done) => Ok((done, said)),
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
