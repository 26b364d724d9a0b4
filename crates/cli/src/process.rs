//! This process, for requests that run load or serve devices.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Command, CommandFactory};
use iobound_app::process::{Display, LiveStyle, Process, Progress};
use iobound_app::{Env, Failure};

use crate::arguments::CommonArgs;
use crate::live::LiveView;
use crate::progress::PartsDone;
use crate::{Program, hanging, interrupt, output, progress};

/// The process of a command line, which says how answers look.
#[derive(Debug)]
pub(crate) struct ProgramProcess(pub(crate) CommonArgs);

impl Process for ProgramProcess {
    fn stops(&self, flag: &Arc<AtomicBool>) {
        interrupt::also(flag);
    }

    fn load_begins(&self) {
        interrupt::load_begins();
    }

    fn hangs(&self) {
        hanging::hangs();
    }

    fn is_option(&self, name: &str) -> bool {
        has_option(&Program::command(), name)
    }

    fn display(&self, style: LiveStyle) -> Box<dyn Display> {
        Box::new(LiveView::new(&self.0, style))
    }

    fn print_so_far(&self, text: &str) -> Result<(), Failure> {
        output::data_so_far(text)
    }

    fn progress(&self, of: usize) -> Box<dyn Progress> {
        Box::new(PartsDone::new(of))
    }

    fn overwrite_line(&self, line: Option<&str>) {
        progress::overwrite_line(line);
    }

    fn aside(&self, text: &str) {
        output::aside(text);
    }

    fn set_quiet(&self) {
        output::set_quiet();
    }

    fn kept_notes(&self) -> Vec<String> {
        output::kept_notes()
    }

    fn write_kept_notes(&self) {
        output::write_kept_notes();
    }

    fn command(&self) -> Vec<String> {
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn is_program(&self) -> bool {
        true
    }
}

impl CommonArgs {
    /// The environment of the request: this process, unless the caller gives another one.
    pub(crate) fn env(&self) -> Env {
        self.env.clone().unwrap_or_else(|| {
            let process = ProgramProcess(self.clone());
            let env = Env::with_variables(std::env::vars_os()).stop(interrupt::asked).notes(output::note);
            env.process(process)
        })
    }
}

/// True if a command or one below it has an option of this name.
fn has_option(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(name))
        || command.get_subcommands().any(|verb| has_option(verb, name))
}
