//! The control socket: a line in, a line out.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::net::{Shutdown, shutdown};

use crate::nbd::bind_privately;

/// The longest line that is read or written: a state of many disks is some 100 KiB.
const LONGEST: u64 = 4 << 20;
/// How long a client may take for its part: it holds up those after it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long an answer may take: adding disks to a large volume is the longest.
const ANSWER: Duration = Duration::from_secs(30);

/// A socket that answers lines, until it is dropped: then it is gone.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    /// Device and inode: by the end another program's socket may be at the path.
    made: (u64, u64),
    listener: Arc<UnixListener>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ControlSocket {
    /// Listens at a path that only this user may write to. A socket that a killed program left there is replaced.
    ///
    /// # Errors
    /// A live socket or something else is there, or no socket can be: a sentence.
    pub fn listen(
        path: &Path,
        answer: impl Fn(&str) -> String + Send + 'static,
    ) -> Result<ControlSocket, String> {
        free(path)?;
        let listener = Arc::new(bind_privately(path).map_err(|error| error.to_string())?);
        let made = fs::symlink_metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, served) = (Arc::clone(&stop), Arc::clone(&listener));
        let serve = move || {
            for stream in served.incoming() {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                // A client that goes away or is too slow has no answer: its own loss.
                let _ = stream.and_then(|stream| converse(stream, &answer));
            }
        };
        let thread = std::thread::Builder::new().name("control".into()).spawn(serve);
        let thread = thread.map_err(|error| format!("no thread for {}: {error}", path.display()))?;
        let made = (made.dev(), made.ino());
        Ok(ControlSocket { path: path.to_path_buf(), made, listener, stop, thread: Some(thread) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if fs::symlink_metadata(&self.path).is_ok_and(|there| (there.dev(), there.ino()) == self.made) {
            let _ = fs::remove_file(&self.path);
        }
        // Who waits for the next client is woken, whatever is at the path: unix(7)'s accept fails on a socket that is shut.
        let woken = shutdown(&*self.listener, Shutdown::Both).is_ok();
        if woken && let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Makes a path free for a socket.
fn free(path: &Path) -> Result<(), String> {
    let Ok(there) = fs::symlink_metadata(path) else { return Ok(()) };
    if !there.file_type().is_socket() {
        return Err(format!("{} is there, and is no socket: choose another path", path.display()));
    }
    if UnixStream::connect(path).is_ok() {
        return Err(format!(
            "{} is in use by a program that runs: choose another path, or end it",
            path.display()
        ));
    }
    fs::remove_file(path).map_err(|error| format!("{} can't be replaced: {error}", path.display()))
}

fn converse(stream: UnixStream, answer: &impl Fn(&str) -> String) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(&stream).take(LONGEST);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(());
    }
    let said = answer(line.trim_end());
    (&stream).write_all(format!("{said}\n").as_bytes())
}

/// Says a line, and gives the answer.
///
/// # Errors
/// Nobody listens there, or what listens gives no answer.
pub fn ask(path: &Path, line: &str) -> io::Result<String> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    (&stream).write_all(format!("{line}\n").as_bytes())?;
    let mut said = String::new();
    BufReader::new(&stream).take(LONGEST).read_line(&mut said)?;
    if !said.ends_with('\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the answer has no end"));
    }
    said.pop();
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_line_has_an_answer_and_the_socket_goes_with_its_owner() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let socket = ControlSocket::listen(&path, |line| format!("heard {line}")).expect("it is free");
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert_eq!(ask(&path, "state").expect("it answers"), "heard state");
        // Who leaves without a word holds nobody up.
        drop(UnixStream::connect(&path));
        assert_eq!(ask(&path, "again").expect("it answers"), "heard again");
        let taken = ControlSocket::listen(&path, |_| String::new()).expect_err("it is in use");
        assert!(taken.contains("in use"), "{taken}");
        drop(socket);
        assert!(!path.exists());
        assert!(ask(&path, "state").is_err());
    }

    #[test]
    fn a_socket_that_has_come_in_its_place_stays() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let first = ControlSocket::listen(&path, |_| "first".to_string()).expect("it is free");
        fs::remove_file(&path).expect("it is there");
        let second = ControlSocket::listen(&path, |_| "second".to_string()).expect("it is free");
        drop(first);
        assert_eq!(ask(&path, "who").expect("it answers"), "second");
        drop(second);
        assert!(!path.exists());
    }

    #[test]
    fn a_socket_of_a_killed_program_is_replaced_and_a_file_is_not() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        drop(UnixListener::bind(&path).expect("it is free"));
        drop(ControlSocket::listen(&path, |_| String::new()).expect("nobody listens there"));
        fs::write(&path, "mine").expect("there is room");
        assert!(ControlSocket::listen(&path, |_| String::new()).is_err());
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine");
    }
}
