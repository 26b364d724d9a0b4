//! The built program, run as a person or a script runs it.
#![allow(dead_code, reason = "each test file uses a part of it")]

#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod emulator;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod fake_ssh;
#[cfg(unix)]
pub(crate) mod folder;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Result of a run of the program.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

/// The program, in an environment of its own.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iobound"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("IOBOUND_RESULTS", "off");
    command
}

/// The program on a machine where others are at work on the disks, as test machines are.
pub(crate) fn beside_others(words: &[&str]) -> Command {
    let mut command = program();
    command.env("IOBOUND_BUSY_OK", "true").args(words);
    command
}

/// Runs the program with these arguments.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    ran(program().args(arguments).output().unwrap())
}

/// Runs the program with the words of this line, split at spaces.
pub(crate) fn line(words: &str) -> Ran {
    run(&words.split_whitespace().collect::<Vec<_>>())
}

/// Result of a process.
pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The document on standard output, which must stand there alone.
pub(crate) fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

/// A file with this text, in the build's own folder; the name must be the test's own.
pub(crate) fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

/// True if the process has taken over SIGINT: bit 1 of the signals it catches.
#[cfg(target_os = "linux")]
pub(crate) fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}
