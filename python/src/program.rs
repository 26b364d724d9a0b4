//! The program itself, for the command `iobound` that pip installs.

use std::ffi::OsString;
use std::io::Write;

use pyo3::prelude::*;

/// Does what a command line asks, its own name first, and prints the answer. Ctrl-C is the program's from here on, so it is
/// for a process that does nothing else. Returns the exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| {
        let exit = iobound::exit_of(words);
        // A reader that is gone needs no answer.
        let _ = std::io::stdout().flush();
        exit as u8
    })
}
