//! Command lines that are read and checked by another program, and not carried out.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use iobound_app::{Env, Failure};

use crate::arguments::Verb;
use crate::ask::Beside;
use crate::{Program, commands, words};

/// Reads the words of a command line, without the program's name, and refuses what the program refuses before it looks at
/// a target or a device. It opens no target, listens nowhere and starts nothing.
///
/// The values of the flags of `run`, `lab` and `emulate` are read, with the workload and the configuration that they
/// describe. Of other verbs the words alone are.
///
/// # Errors
/// Returns the error that the program would print.
pub fn check(words: &[OsString], beside: Beside) -> Result<(), Failure> {
    let env = beside.env(|_| {});
    let checked = check_words(words, &env);
    if env.is_stopped() {
        return Err(Failure::interrupted("interrupted while reading the input"));
    }
    checked
}

fn check_words(words: &[OsString], env: &Env) -> Result<(), Failure> {
    let typed = std::iter::once("iobound".into()).chain(words.iter().cloned());
    let (line, notes) = words::read(&Program::command(), typed)?;
    notes.iter().for_each(|note| env.note(note));
    let parsed = Program::command().try_get_matches_from(line);
    let mut program = parsed
        .and_then(|matches| Program::from_arg_matches(&matches))
        .map_err(|usage| Failure::input(plain(&usage)))?;
    program.common.env = Some(env.clone());
    match &program.verb {
        Some(Verb::Lab(arguments)) => commands::lab::check(arguments, &program.common),
        #[cfg(feature = "load")]
        Some(Verb::Run(arguments)) => commands::run::check(arguments, &program.common),
        #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
        Some(Verb::Emulate(arguments)) => commands::emulate::check(arguments, &program.common),
        _ => Ok(()),
    }
}

/// Message of the parser about a line, without the usage of a command line.
fn plain(usage: &clap::Error) -> String {
    let text = usage.to_string();
    let first: Vec<&str> = text.lines().take_while(|line| !line.starts_with("Usage")).collect();
    first.join(" ").trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}
