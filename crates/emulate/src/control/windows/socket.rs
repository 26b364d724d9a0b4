//! Control of an emulator on Windows: a port of the loopback, and a file that has the port and a token. Whoever can read the
//! file can control the emulator.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use iobound_machine::files::random_number;

use crate::exchange::{End, Terms, serve};
use crate::sys::source_of;

/// Longest answer that a client reads: a state of many disks takes about 100 KiB.
const LONGEST: u64 = 4 << 20;
/// Longest file that is read as one of these.
const LONGEST_FILE: u64 = 200;
/// Time for a client to send its line, and for the server to take it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Limits of the server: a command is short.
const TERMS: Terms = Terms { patience: PATIENCE, longest: 1 << 20, clients: 64 };
/// Time for an answer: adding disks to a large volume takes longest.
const ANSWER: Duration = Duration::from_secs(30);

/// Begins each file of this kind.
const BEGIN: &str = "iobound control, version 1, ";

/// Address and token of a running emulator.
#[derive(Debug, PartialEq, Eq)]
struct ControlFile {
    address: SocketAddr,
    token: String,
}

impl ControlFile {
    fn text(&self) -> String {
        format!("{BEGIN}{} {}\n", self.address, self.token)
    }

    fn parse(text: &str) -> Option<ControlFile> {
        let (address, token) = text.strip_prefix(BEGIN)?.trim_end().split_once(' ')?;
        let is_token = token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        let address: SocketAddr = address.parse().ok()?;
        (is_token && address.ip().is_loopback()).then(|| ControlFile { address, token: token.to_string() })
    }

    /// Reads one.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidData`] if the file is another one.
    fn read(path: &Path) -> io::Result<ControlFile> {
        let mut text = String::new();
        fs::File::open(path)?.take(LONGEST_FILE).read_to_string(&mut text)?;
        ControlFile::parse(&text)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it is not a control file of this program"))
    }
}

/// A port that answers lines until this is dropped, which removes its file. Silent clients delay nobody.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    file: ControlFile,
    end: Arc<End>,
    thread: Option<JoinHandle<()>>,
}

impl ControlSocket {
    /// Listens at a free port of the loopback, and writes the file. The file of a killed program is replaced.
    ///
    /// # Errors
    /// Returns an error if the file of a running emulator or another file exists there, or it cannot be written.
    pub fn listen(
        path: &Path,
        answer: impl Fn(&str) -> String + Send + 'static,
    ) -> Result<ControlSocket, String> {
        let named = |error: io::Error| format!("{}: {error}", path.display());
        match ControlFile::read(path) {
            Ok(_) if ask(path, "").is_ok() => {
                return Err(format!("{}: a running program uses it: choose another path", path.display()));
            }
            Ok(_) => fs::remove_file(path).map_err(named)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(named(error)),
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(named)?;
        listener.set_nonblocking(true).map_err(named)?;
        let random = || random_number().map_err(named);
        let token = format!("{:016x}{:016x}", random()?, random()?);
        let file = ControlFile { address: listener.local_addr().map_err(named)?, token };
        let mut new = OpenOptions::new().write(true).create_new(true).open(path).map_err(named)?;
        new.write_all(file.text().as_bytes()).map_err(named)?;
        let end = Arc::new(End::new().map_err(named)?);
        let (ends, token) = (Arc::clone(&end), file.token.clone());
        let work =
            move || serve(source_of(&listener), &ends, TERMS, is_whole, |line| said(line, &token, &answer));
        let thread = std::thread::Builder::new().name("control".into()).spawn(work);
        let thread =
            thread.map_err(|error| format!("cannot start a thread for {}: {error}", path.display()))?;
        Ok(ControlSocket { path: path.to_path_buf(), file, end, thread: Some(thread) })
    }

    /// Path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // Another file that came in its place stays.
        if ControlFile::read(&self.path).is_ok_and(|file| file == self.file) {
            let _ = fs::remove_file(&self.path);
        }
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

/// The answer to a line that begins with the token; empty if it does not, or is not a line of text.
fn said(line: &[u8], token: &str, answer: &impl Fn(&str) -> String) -> Vec<u8> {
    let Some(end) = line.iter().position(|byte| *byte == b'\n') else { return Vec::new() };
    let Ok(text) = std::str::from_utf8(&line[..end]) else { return Vec::new() };
    match text.split_once(' ') {
        Some((said, line)) if is_same(said, token) => format!("{}\n", answer(line.trim_end())).into_bytes(),
        _ => Vec::new(),
    }
}

/// Compares in a time that does not tell where the texts differ.
fn is_same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    one.len() == other.len() && differs == 0
}

/// Says a line, and gives the answer.
///
/// # Errors
/// Returns an error if the file is another one, nothing listens there or it does not answer.
pub fn ask(path: &Path, line: &str) -> io::Result<String> {
    let ControlFile { address, token } = ControlFile::read(path)?;
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    (&stream).write_all(format!("{token} {line}\n").as_bytes())?;
    let mut said = String::new();
    BufReader::new(&stream).take(LONGEST).read_line(&mut said)?;
    if !said.ends_with('\n') {
        return Err(io::Error::new(ErrorKind::UnexpectedEof, "the answer has no end"));
    }
    said.pop();
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_the_token_has_an_answer_and_others_have_none() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let socket = ControlSocket::listen(&path, |line| format!("heard {line}")).expect("it is free");
        assert_eq!(ask(&path, "state").expect("it answers"), "heard state");
        assert!(ControlSocket::listen(&path, |_| String::new()).is_err(), "it is in use");
        let file = ControlFile::read(&path).expect("it is ours");
        let other = ControlFile { token: "0".repeat(32), address: file.address };
        let forged = folder.path().join("forged");
        fs::write(&forged, other.text()).expect("there is room");
        assert!(ask(&forged, "state").is_err(), "the token is another one");
        drop(socket);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_of_a_killed_program_is_replaced_and_another_file_is_not() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr());
        let left = ControlFile { address: free.expect("a port is free"), token: "1".repeat(32) };
        fs::write(&path, left.text()).expect("there is room");
        drop(ControlSocket::listen(&path, |_| String::new()).expect("nobody listens there"));
        fs::write(&path, "mine").expect("there is room");
        assert!(ControlSocket::listen(&path, |_| String::new()).is_err());
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine");
    }
}
