//! The place of a control socket on Windows: a port of the loopback, and a file that has the port and a token. Whoever can
//! read the file can control the emulator.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use iobound_machine::loopback::{LoopbackAddress, LoopbackFile, is_same_token};

use super::socket::{PATIENCE, ask};
use crate::sys::{Source, source_of};

/// A port that listens, and its file, which is removed with it.
#[derive(Debug)]
pub(super) struct Endpoint {
    file: LoopbackFile,
    /// `None` once it is taken.
    listener: Option<TcpListener>,
}

impl Endpoint {
    /// Listens at a free port of the loopback, and writes the file. The file of a killed program is replaced.
    ///
    /// # Errors
    /// Returns an error if the file of a running emulator or another file exists there, or it cannot be written.
    pub(super) fn bind(path: &Path) -> Result<Endpoint, String> {
        let named = |error: io::Error| format!("{}: {error}", path.display());
        match LoopbackAddress::read(path) {
            Ok(_) if ask(path, "").is_ok() => {
                return Err(format!("{}: a running program uses it: choose another path", path.display()));
            }
            Ok(_) => fs::remove_file(path).map_err(named)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(named(error)),
        }
        let (file, listener) = LoopbackFile::listen(path).map_err(named)?;
        Ok(Endpoint { file, listener: Some(listener) })
    }

    /// The listener, for the thread that serves it.
    pub(super) fn take_listener(&mut self) -> Listening {
        Listening(self.listener.take().expect("it is taken once"))
    }

    /// Begins each line of a client: the token and a blank.
    pub(super) fn prefix(&self) -> String {
        format!("{} ", self.file.token())
    }
}

/// A listener that is served.
pub(super) struct Listening(TcpListener);

impl Listening {
    pub(super) fn source(&self) -> Source<'_> {
        source_of(&self.0)
    }
}

/// The rest of a line that begins with this prefix.
pub(super) fn behind<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let (begin, rest) = line.split_at_checked(prefix.len())?;
    is_same_token(begin.as_bytes(), prefix.as_bytes()).then_some(rest)
}

/// Connects to an emulator; the prefix of a line for it.
///
/// # Errors
/// Returns an error if the file is another one, or nothing listens there.
pub(super) fn connect(path: &Path) -> io::Result<(TcpStream, String)> {
    let address = LoopbackAddress::read(path)?;
    Ok((address.connect(PATIENCE)?, format!("{} ", address.token())))
}

#[cfg(test)]
mod tests {
    use super::super::socket::ControlSocket;
    use super::*;

    #[test]
    fn a_line_without_the_token_has_no_answer() {
        use std::io::{Read, Write};
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let socket = ControlSocket::listen(&path, |line| format!("heard {line}")).expect("it is free");
        let (mut stream, prefix) = connect(&path).expect("it listens");
        stream.write_all(format!("{} state\n", "0".repeat(prefix.len() - 1)).as_bytes()).expect("it reads");
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        assert!(said.is_empty(), "the token is another one");
        drop(socket);
    }

    #[test]
    fn a_file_of_a_killed_program_is_replaced() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let (file, listener) = LoopbackFile::listen(&path).expect("a port is free");
        let left = fs::read_to_string(&path).expect("it is there");
        drop((file, listener));
        fs::write(&path, left).expect("there is room");
        drop(ControlSocket::listen(&path, |_| String::new()).expect("nobody listens there"));
    }
}
