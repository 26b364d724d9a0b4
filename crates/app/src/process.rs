//! Services of the process that carries out a request: its display, its signals, its end.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_report::{LiveScreen, Style};

use crate::Failure;

/// Condition under which progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveWhen {
    /// On a terminal, and as lines elsewhere.
    #[default]
    Always,
    /// On a terminal.
    OnTerminal,
    /// Never.
    Never,
}

/// Requested display of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveStyle {
    /// Condition under which it is shown.
    pub shown: LiveWhen,
    /// True if another process shows it.
    pub silent: bool,
}

impl LiveStyle {
    /// The same, shown at other times.
    pub fn shown(self, shown: LiveWhen) -> LiveStyle {
        LiveStyle { shown, ..self }
    }

    /// The same, shown by another process.
    pub fn silent(self) -> LiveStyle {
        LiveStyle { silent: true, ..self }
    }
}

/// A place where something is shown while it goes on. Dropping it takes away what is shown.
pub trait Display {
    /// Shows a screen in place of the last one, or else a line, if there is one.
    fn show(&mut self, screen: &mut dyn FnMut() -> LiveScreen, line: &mut dyn FnMut(Style) -> Option<String>);

    /// Takes away what is shown: the answer follows.
    fn clear(&mut self);
}

/// Parts of a work that are done. Dropping it takes away what is shown.
pub trait Progress: Sync {
    /// A part is done; `name` says which.
    fn done(&self, name: &str);

    /// A part goes on.
    fn goes_on(&self, name: &str);
}

/// Services of a process for requests that run load or serve devices. The defaults are those of a library, which shows
/// nothing.
pub trait Process: fmt::Debug + Send + Sync {
    /// Sets a flag when the request should end.
    fn stops(&self, _flag: &Arc<AtomicBool>) {}

    /// Load begins on real targets, or devices are served: the end of the request has bounds of its own.
    fn load_begins(&self) {}

    /// A device does not answer: the process can't wait for the end of what holds it.
    fn hangs(&self) {}

    /// A place to show what goes on.
    fn display(&self, _style: LiveStyle) -> Box<dyn Display> {
        Box::new(Quiet)
    }

    /// Takes the beginning of an answer whose rest follows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    fn print_so_far(&self, _text: &str) -> Result<(), Failure> {
        Ok(())
    }

    /// Progress of work in so many parts.
    fn progress(&self, _of: usize) -> Box<dyn Progress> {
        Box::new(Quiet)
    }

    /// Shows a line in place of the last one, on a terminal alone; `None` takes it away.
    fn overwrite_line(&self, _line: Option<&str>) {}

    /// Takes lines that are neither an answer nor a note.
    fn aside(&self, _text: &str) {}

    /// Says no more notes: another process says them.
    fn set_quiet(&self) {}

    /// The notes that are kept for the answer, of a verb that stands in for another tool.
    fn kept_notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Says kept notes, and all that follow.
    fn write_kept_notes(&self) {}

    /// The command line of the process, its own name first.
    fn command(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if some verb has an option of this name: its variable concerns another verb then, and is not misspelt.
    fn is_option(&self, _name: &str) -> bool {
        false
    }

    /// True if the process is the program `iobound`, which can start itself again.
    fn is_program(&self) -> bool {
        false
    }
}

/// A process that shows nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet;

impl Process for Quiet {}

impl Display for Quiet {
    fn show(&mut self, _: &mut dyn FnMut() -> LiveScreen, _: &mut dyn FnMut(Style) -> Option<String>) {}

    fn clear(&mut self) {}
}

impl Progress for Quiet {
    fn done(&self, _: &str) {}

    fn goes_on(&self, _: &str) {}
}
