//! The program `iobound`, as a library: what bounds a cloud VM's disk I/O.
//!
//! This crate has the command line, the files and the environment that it names, and the terminal. The crates below
//! answer the request; `iobound-report` lays out the answer.

// This is the edge of the program: files and the environment are read here, and nowhere below.
#![allow(clippy::disallowed_methods)]
// What only runs on real targets use is there all the same; the default build sees that it is used.
#![cfg_attr(not(all(feature = "load", target_os = "linux")), allow(dead_code, unused_imports))]

mod arguments;
mod ask;
mod checked;
mod commands;
mod hanging;
mod help;
mod interrupt;
mod live;
mod offered;
mod output;
mod process;
mod progress;
mod questions;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
mod ranks;
mod reading;
#[cfg(feature = "serve")]
mod serve;
mod tables;
mod visible;
mod windows_help;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};

pub use ask::{Answer, Beside, Flag, ask, ask_with_text, flags};
pub use checked::check;
pub use iobound_app::options::Field;
pub use iobound_app::trace::TraceColumns;
pub use iobound_app::{Exit, Failure};
pub use tables::{trace_table, write_trace_table};

use arguments::{CommonArgs, Verb};

const WITHOUT_VERB: &str = "Without a verb, iobound prints common questions with their commands.";

const EXIT_CODES: &str = "\
Without a verb, iobound prints common questions with their commands.

Exit codes:
  0  done
  1  a condition of --fail-if holds, or nothing meets the need of plan
  2  bad input
  3  refused: data could be lost, or others disturbed
  4  input/output error
  5  interrupted; the results up to then are printed";

/// Predicts, measures and explains the disk performance of cloud VMs.
#[derive(Debug, Parser)]
#[command(
    name = "iobound",
    version,
    max_term_width = 100,
    after_help = WITHOUT_VERB,
    after_long_help = EXIT_CODES
)]
pub(crate) struct Program {
    #[command(flatten)]
    common: CommonArgs,
    #[command(subcommand)]
    verb: Option<Verb>,
}

impl Program {
    /// Carries out the command line.
    fn carry_out(&self) -> Result<Exit, Failure> {
        match &self.verb {
            None => questions::show(&self.common),
            Some(Verb::Lab(arguments)) => commands::lab::run(arguments, &self.common),
            Some(Verb::Predict(arguments)) => commands::predict::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Run(arguments)) => commands::run::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Probe(arguments)) => commands::probe::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Diskspd(arguments)) => commands::diskspd::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Fio(arguments)) => commands::fio::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Iometer(arguments)) => commands::iometer::run(arguments, &self.common),
            #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
            Some(Verb::Emulate(arguments)) => commands::emulate::run(arguments, &self.common),
            Some(Verb::Explain(arguments)) => commands::explain::run(arguments, &self.common),
            Some(Verb::Doctor(arguments)) => commands::doctor::run(arguments, &self.common),
            #[cfg(feature = "load")]
            Some(Verb::Watch(arguments)) => commands::watch::run(arguments, &self.common),
            Some(Verb::Plan(arguments)) => commands::plan::run(arguments, &self.common),
            Some(Verb::Trace(arguments)) => commands::trace::run(arguments, &self.common),
            Some(Verb::Compare(arguments)) => commands::compare::run(arguments, &self.common),
            Some(Verb::Results(arguments)) => commands::results::run(arguments, &self.common),
            #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
            Some(Verb::Fleet(arguments)) => commands::fleet::run(arguments, &self.common),
            Some(Verb::Serve(arguments)) => commands::serve::run(arguments, &self.common),
            Some(Verb::Catalog(arguments)) => commands::catalog::run(arguments, &self.common),
            Some(Verb::Schema(arguments)) => commands::schema::run(arguments, &self.common),
            Some(Verb::Completions(arguments)) => commands::completions::run(arguments, &self.common),
            Some(Verb::Man(arguments)) => commands::man::run(arguments, &self.common),
        }
    }
}

/// The program: does what the words ask, its own name first, and prints the answer. Ctrl-C is its own from here on, and
/// a device that hangs ends the process: it is for a `main`.
pub fn main_of(typed: Vec<OsString>) -> ExitCode {
    ExitCode::from(exit_of(typed) as u8)
}

/// The same for a process whose `main` is not Rust's. The caller flushes standard output.
pub fn exit_of(typed: Vec<OsString>) -> Exit {
    interrupt::install();
    output::set_ascii(typed.iter().any(|word| word == "--ascii"));
    let (words, notes) = match words::read(&Program::command(), typed.into_iter()) {
        Ok(read) => read,
        Err(failure) => return output::report(&failure),
    };
    let mut command = help::of(Program::command(), words.iter().any(|word| word == "-h"));
    // Help is printed before anything is read.
    if words.iter().any(|word| word == "--no-color") {
        command = command.color(ColorChoice::Never);
    }
    let parsed = command.try_get_matches_from(&words);
    let program = match parsed.and_then(|matches| Program::from_arg_matches(&matches)) {
        Ok(program) => program,
        Err(mut usage) => {
            if let Some(failure) = words::absent_verb(&usage) {
                return output::report(&failure);
            }
            words::suggest(&Program::command(), &words, &mut usage);
            notes.iter().for_each(|note| output::note(note));
            return output::usage(&usage);
        }
    };
    #[cfg(feature = "load")]
    if matches!(program.verb, Some(Verb::Diskspd(_) | Verb::Fio(_) | Verb::Iometer(_))) {
        output::keep_notes();
    }
    notes.iter().for_each(|note| output::note(note));
    let exit = program.carry_out();
    // Notes may tell why a run in another tool's words did not end well.
    #[cfg(feature = "load")]
    if exit.as_ref().map_or(true, |exit| *exit != Exit::Done) {
        output::write_kept_notes();
    }
    let exit = exit.unwrap_or_else(|failure: Failure| output::report(&failure));
    hanging::end(exit);
    exit
}
