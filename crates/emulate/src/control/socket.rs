//! The control socket: a line in, a line out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::endpoint::{Endpoint, behind, connect};
use crate::exchange::{End, Terms, serve};

/// Longest answer that a client reads: a state of many disks takes about 100 KiB.
const LONGEST: u64 = 4 << 20;
/// Time for a client to send its line, and for the server to take it.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// Limits of the server: a command is short.
const TERMS: Terms = Terms { patience: PATIENCE, longest: 1 << 20, clients: 64 };
/// Time for an answer: adding disks to a large volume takes longest.
const ANSWER: Duration = Duration::from_secs(30);

/// A socket that answers lines until it is dropped, which removes it. Silent clients delay nobody.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    endpoint: Option<Endpoint>,
    end: Arc<End>,
    thread: Option<JoinHandle<()>>,
}

impl ControlSocket {
    /// Listens at a path that only this user may write to. What a killed program left there is replaced.
    ///
    /// # Errors
    /// Returns an error if a live socket or another file exists there, or no socket can be created.
    pub fn listen(
        path: &Path,
        answer: impl Fn(&str) -> String + Send + 'static,
    ) -> Result<ControlSocket, String> {
        let mut endpoint = Endpoint::bind(path)?;
        let (listening, prefix) = (endpoint.take_listener(), endpoint.prefix());
        let end = Arc::new(End::new().map_err(|error| format!("{}: {error}", path.display()))?);
        let ends = Arc::clone(&end);
        let work =
            move || serve(listening.source(), &ends, TERMS, is_whole, |line| said(line, &prefix, &answer));
        let thread = std::thread::Builder::new().name("control".into()).spawn(work);
        let thread =
            thread.map_err(|error| format!("cannot start a thread for {}: {error}", path.display()))?;
        Ok(ControlSocket { path: path.to_path_buf(), endpoint: Some(endpoint), end, thread: Some(thread) })
    }

    /// Path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // Before the thread is waited for: no new client comes.
        drop(self.endpoint.take());
        self.end.ask();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so on stderr.
            let _ = thread.join();
        }
    }
}

/// True if the end of the line has come.
fn is_whole(line: &[u8]) -> bool {
    line.contains(&b'\n')
}

/// The answer to a line; empty if it does not begin with the prefix, or is not a line of text.
fn said(line: &[u8], prefix: &str, answer: &impl Fn(&str) -> String) -> Vec<u8> {
    let Some(end) = line.iter().position(|byte| *byte == b'\n') else { return Vec::new() };
    match std::str::from_utf8(&line[..end]).ok().and_then(|text| behind(text, prefix)) {
        Some(text) => format!("{}\n", answer(text.trim_end())).into_bytes(),
        None => Vec::new(),
    }
}

/// Says a line, and gives the answer.
///
/// # Errors
/// Returns an error if nothing listens there or it does not answer; [`io::ErrorKind::InvalidData`] if another file is there.
pub fn ask(path: &Path, line: &str) -> io::Result<String> {
    let (mut stream, prefix) = connect(path)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{prefix}{line}\n").as_bytes())?;
    let mut said = String::new();
    BufReader::new(stream).take(LONGEST).read_line(&mut said)?;
    if !said.ends_with('\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the answer has no end"));
    }
    said.pop();
    Ok(said)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};

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
        assert!(taken.contains("a running program uses it"), "{taken}");
        drop(socket);
        assert!(!path.exists());
        assert!(ask(&path, "state").is_err());
    }

    #[test]
    fn silent_clients_delay_no_command() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let socket = ControlSocket::listen(&path, |line| format!("heard {line}")).expect("it is free");
        let mut silent = Vec::new();
        for n in 0..3 * TERMS.clients {
            let stream = UnixStream::connect(&path).expect("it listens");
            (&stream).write_all(if n % 2 == 0 { b"" } else { b"sta" }).expect("it reads");
            silent.push(stream);
        }
        for _ in 0..10 {
            assert_eq!(ask(&path, "state").expect("it answers"), "heard state");
        }
        // Reads end: the server has closed the connections.
        for mut stream in silent {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            assert!(rest.is_empty(), "a silent client gets no answer");
        }
        drop(socket);
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
