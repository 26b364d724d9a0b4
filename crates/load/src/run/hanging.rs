//! The end of a program that has threads or I/Os in the system which do not come back.

use std::io;

use rustix::stdio::{dup2_stderr, dup2_stdout};

/// Closes standard output and standard error for whoever reads them. A process that is held back by a device keeps its
/// descriptors until the device answers; a reader that waits for the end of the output would wait with it.
///
/// # Errors
/// There is no `/dev/null`.
pub fn close_output() -> io::Result<()> {
    let nothing = std::fs::File::options().write(true).open("/dev/null")?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}
