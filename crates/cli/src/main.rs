//! The program `iobound`: all of it is in the library beside, which other programs ask too.

use std::process::ExitCode;

fn main() -> ExitCode {
    iobound::main_of(std::env::args_os().collect())
}
