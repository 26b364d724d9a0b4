//! A small process beside one that mounts: it takes the mount away when that one is killed.
//!
//! A FUSE mount outlives its program. Every access to it then fails until it is unmounted. The guardian process does
//! that: it holds the other end of a pipe, which the kernel closes when the program ends, however it ends.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use iobound_emulate::fuse::{Leftover, take_away_left};

use crate::scratch;
use crate::{Env, Exit, Failure};

/// Time between two looks whether its program was killed and can't end.
const LOOK: Duration = Duration::from_millis(250);
/// Time between two tries while the program ends.
const AGAIN: Duration = Duration::from_millis(10);
/// Time that a program may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The guardian of a directory. It acts when this process ends without dropping it: killed, or by a panic that aborts.
#[derive(Debug)]
pub(crate) struct Guardian(Child);

impl Guardian {
    /// Starts one for a directory that is to be mounted on; `None` in a process that is not the program.
    ///
    /// # Errors
    /// Returns an error if no process can be started.
    pub(crate) fn over(directory: &Path, env: &Env) -> std::io::Result<Option<Guardian>> {
        // Another program that has this as a library can't start itself as a guardian.
        if !env.of_process().is_program() {
            return Ok(None);
        }
        let Some(place) = real(directory) else { return Ok(None) };
        // By what runs here, whatever has its name by now.
        let mut command = Command::new("/proc/self/exe");
        command.arg("emulate").arg("guard").arg(&place).env_clear().current_dir("/");
        // A dead mount can't be looked at, but its directory was there.
        if matches!(place.try_exists(), Ok(false)) {
            command.arg("--made");
        }
        // A group of its own: Ctrl-C and `kill -9 -GROUP` are for the program.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Some(Guardian(command.spawn()?)))
    }
}

impl Drop for Guardian {
    /// Its program has unmounted, or has mounted nothing: what is mounted here now belongs to another program.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The path without links, as the kernel lists a mount there; the directory itself need not be there, and may be a dead mount.
fn real(directory: &Path) -> Option<PathBuf> {
    if let Ok(real) = directory.canonicalize() {
        return Some(real);
    }
    let name: OsString = directory.file_name()?.into();
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
    Some(parent.unwrap_or(Path::new(".")).canonicalize().ok()?.join(name))
}

/// Work of a guardian: it waits for the end of its parent process, and then removes the parent's mounts.
///
/// # Errors
/// Returns an error if the directory cannot be unmounted.
pub fn guard(directory: &Path, is_made: bool) -> Result<Exit, Failure> {
    let Some(program) = rustix::process::getppid() else { return Ok(Exit::Done) };
    let process = program.as_raw_nonzero().get().unsigned_abs();
    let (over, ended) = channel();
    std::thread::spawn(move || {
        let mut byte = [0];
        // A signal is for the program, which ends by it as it likes.
        while std::io::stdin()
            .read(&mut byte)
            .is_err_and(|error| error.kind() == std::io::ErrorKind::Interrupted)
        {}
        let _ = over.send(());
    });
    let is_stuck = loop {
        match ended.recv_timeout(LOOK) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) if scratch::was_killed(process) => break true,
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let began = Instant::now();
    loop {
        let is_stuck = is_stuck || scratch::was_killed(process);
        match take_away_left(directory, is_stuck) {
            Ok(Leftover::Gone) => break,
            Ok(Leftover::Alive) if began.elapsed() < PATIENCE => std::thread::sleep(AGAIN),
            Ok(Leftover::Alive) => return Ok(Exit::Done),
            Err(_) if began.elapsed() < PATIENCE => std::thread::sleep(AGAIN),
            Err(error) => return Err(Failure::io(error)),
        }
    }
    if is_made {
        // Somebody has put something there since: then it is theirs.
        let _ = std::fs::remove_dir(directory);
    }
    Ok(Exit::Done)
}
