//! The program, copied to a host for one run.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use iobound_formats::hosts::Host;
use iobound_workload::shell_word;

use super::command::Ssh;
use super::link::{Unreached, end_now, exit_within, hear, spawn};
use crate::{Env, Failure};

/// Time that a copy may take: a hundred megabytes over a slow line.
const PATIENCE: Duration = Duration::from_secs(300);

/// Command that makes its own folder on the host and writes standard input into it. It first reports the machine, and waits for
/// a line, so that nothing is made where the program would not run.
const TAKE: &str = "sh -c 'echo iobound-machine $(uname -s -m); read -r go || exit 0; umask 077; \
d=$(mktemp -d \"${TMPDIR:-/tmp}/iobound-XXXXXXXX\") || exit 1; \
if cat > \"$d/iobound\" && chmod 700 \"$d/iobound\"; then echo iobound-copied \"$d\"; else rm -rf \"$d\"; exit 1; fi'";

/// Machines by the names that `uname -m` has for them, and the numbers that programs for them carry (ELF's `e_machine`).
const MACHINES: [(&str, u16); 7] = [
    ("x86_64", 62),
    ("aarch64", 183),
    ("riscv64", 243),
    ("ppc64le", 21),
    ("s390x", 22),
    ("armv7l", 40),
    ("i686", 3),
];

/// A program that can be copied.
#[derive(Debug)]
pub(crate) struct CopiedProgram {
    path: String,
    bytes: Vec<u8>,
    machine: u16,
    /// True if it needs the C library of the machine that it runs on.
    pub(crate) is_dynamic: bool,
}

impl CopiedProgram {
    /// Reads a program; `None`: this one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a Linux program.
    pub(crate) fn read(path: Option<&str>) -> Result<CopiedProgram, Failure> {
        let shown = path.unwrap_or("this program").to_string();
        let bytes = path
            .map_or_else(own_program, |path| Ok(PathBuf::from(path)))
            .and_then(std::fs::read)
            .map_err(|error| Failure::unreadable(&shown, &error.to_string()))?;
        let Some((machine, is_dynamic)) = elf(&bytes) else {
            return Err(Failure::input(format!(
                "--copy: {shown} is not a program for 32-bit or 64-bit Linux"
            ))
            .help(match cfg!(target_os = "linux") {
                true => "name an iobound built for the hosts, or leave the name out to copy this one",
                false => "name an iobound built for the hosts: --copy PATH",
            }));
        };
        Ok(CopiedProgram { path: shown, bytes, machine, is_dynamic })
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Copies it to a host; where it is then.
    ///
    /// # Errors
    /// Returns an error if ssh fails, the machine has another processor or system, or the disk is full.
    pub(crate) fn copy(
        &self,
        ssh: &Ssh,
        host: &Host,
        patience: Duration,
        env: &Env,
    ) -> Result<String, Unreached> {
        let mut child = spawn(ssh, host, TAKE)?;
        let said = hear(&mut child, env);
        let mut stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.take(64 << 10).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        let failed = |child: &mut std::process::Child, why: &str| {
            if exit_within(child, Duration::from_secs(2)).is_none() {
                end_now(child);
            }
            Unreached::because(said.last().unwrap_or_else(|| why.to_string()))
        };
        let Some(machine) = answer(&told, "iobound-machine ", patience, env) else {
            return Err(failed(&mut child, "its shell does not report the machine type"));
        };
        if let Err(why) = self.suits(&machine) {
            drop(stdin);
            let _ = failed(&mut child, "");
            return Err(Unreached {
                why,
                help: Some("build iobound for that machine, and name it: --copy PATH".into()),
            });
        }
        let (sent, done) = mpsc::channel();
        let written = std::thread::scope(|scope| {
            scope.spawn(move || {
                let all = stdin.write_all(b"go\n").and_then(|()| stdin.write_all(&self.bytes));
                let _ = sent.send(all.is_ok());
            });
            let copied = answer(&told, "iobound-copied ", PATIENCE, env);
            if copied.is_none() {
                // Written data may still wait for its reader.
                end_now(&mut child);
            }
            (copied, done.recv().unwrap_or(false))
        });
        match written {
            (Some(folder), true) if folder.starts_with('/') => {
                let _ =
                    exit_within(&mut child, Duration::from_secs(2)).is_none().then(|| end_now(&mut child));
                Ok(format!("{folder}/iobound"))
            }
            _ => Err(failed(&mut child, "copying the program failed")),
        }
    }

    fn suits(&self, machine: &str) -> Result<(), String> {
        let Some(name) = machine.strip_prefix("Linux ") else {
            return Err(format!("the machine is {machine}, and {} is for Linux", self.path));
        };
        let known = MACHINES.iter().find(|(_, number)| *number == self.machine).map(|(name, _)| *name);
        if known == Some(name.trim()) || known == Some("i686") && name.trim() == "x86_64" {
            return Ok(());
        }
        let own = known.map_or_else(|| format!("machine {}", self.machine), str::to_string);
        Err(format!("the machine is {name}, and {} is for {own}", self.path))
    }
}

/// The file of this program.
fn own_program() -> io::Result<PathBuf> {
    // It can be read under this name even if the file was replaced.
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}

/// Removes a copy that nobody has started.
pub(crate) fn remove(ssh: &Ssh, host: &Host, program: &str) {
    let Some(folder) = program.strip_suffix("/iobound") else { return };
    let command = format!("rm -f {} && rmdir {}", shell_word(program), shell_word(folder));
    let Ok(mut child) = spawn(ssh, host, &command) else { return };
    drop(child.stdin.take());
    if exit_within(&mut child, Duration::from_secs(10)).is_none() {
        end_now(&mut child);
    }
}

/// Text that follows a word of the host, within a time.
fn answer(told: &mpsc::Receiver<String>, word: &str, patience: Duration, env: &Env) -> Option<String> {
    let began = Instant::now();
    while began.elapsed() < patience && !env.is_stopped() {
        match told.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => {
                if let Some(behind) = line.strip_prefix(word) {
                    return Some(behind.trim().to_string());
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

/// The machine of a program in ELF, and whether it asks for an interpreter, as programs do that need a C library.
fn elf(bytes: &[u8]) -> Option<(u16, bool)> {
    let header = bytes.get(..64)?;
    if header[..4] != *b"\x7fELF" {
        return None;
    }
    let (is_wide, is_big) = (header[4] == 2, header[5] == 2);
    let number = |at: usize, size: usize| -> Option<u64> {
        let field = bytes.get(at..at.checked_add(size)?)?;
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if is_big { field.iter().fold(0, fold) } else { field.iter().rev().fold(0, fold) })
    };
    let machine = u16::try_from(number(18, 2)?).ok()?;
    let (table, size, count) = if is_wide {
        (number(32, 8)?, number(54, 2)?, number(56, 2)?)
    } else {
        (number(28, 4)?, number(42, 2)?, number(44, 2)?)
    };
    const INTERPRETER: u64 = 3;
    let is_dynamic = (0..count).any(|n| {
        let at = n.checked_mul(size).and_then(|ahead| table.checked_add(ahead));
        at.and_then(|at| usize::try_from(at).ok()).and_then(|at| number(at, 4)) == Some(INTERPRETER)
    });
    Some((machine, is_dynamic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_which_machine_it_is_for() {
        let own = CopiedProgram::read(None).unwrap();
        let kernel = std::process::Command::new("uname").args(["-s", "-m"]).output().unwrap();
        let kernel = String::from_utf8(kernel.stdout).unwrap();
        assert_eq!(own.suits(kernel.trim()), Ok(()), "this program runs on this machine");
        let other = if own.machine == 62 { "Linux aarch64" } else { "Linux x86_64" };
        assert!(own.suits(other).unwrap_err().contains("and this program is for"));
        assert!(own.suits("Darwin arm64").unwrap_err().contains("is for Linux"));
    }

    #[test]
    fn what_is_no_program_is_none() {
        for bytes in [&b""[..], b"#!/bin/sh\n", &[0x7f; 200]] {
            assert_eq!(elf(bytes), None);
        }
        // A header whose table of segments lies behind the end.
        let mut broken = vec![0xff; 64];
        broken[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(elf(&broken), Some((0xffff, false)));
    }
}
