//! A port of the loopback that stands for a socket by path, where a platform has none: a file has its address and a token.
//! Whoever can read the file can connect.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::random_number;

/// Longest file that is read as one of these.
const LONGEST: u64 = 200;
/// Begins each file of this kind.
const BEGIN: &str = "iobound control, version 1, ";
/// Length of a token, in hexadecimal digits.
pub const TOKEN: usize = 32;

/// Address and token that such a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopbackAddress {
    address: SocketAddr,
    token: String,
}

impl LoopbackAddress {
    fn text(&self) -> String {
        format!("{BEGIN}{} {}\n", self.address, self.token)
    }

    fn parse(text: &str) -> Option<LoopbackAddress> {
        let (address, token) = text.strip_prefix(BEGIN)?.trim_end().split_once(' ')?;
        let is_token = token.len() == TOKEN && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        let address: SocketAddr = address.parse().ok()?;
        let token = token.to_string();
        (is_token && address.ip().is_loopback()).then_some(LoopbackAddress { address, token })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidData`] if the file is another one.
    pub fn read(path: &Path) -> io::Result<LoopbackAddress> {
        let mut text = String::new();
        fs::File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
        LoopbackAddress::parse(&text)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it is not a control file of this program"))
    }

    /// The text that a client sends before anything else.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Connects to the port; the caller sends the token.
    ///
    /// # Errors
    /// Returns an error if nothing listens there.
    pub fn connect(&self, patience: Duration) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(&self.address, patience)
    }
}

/// A file that belongs to a listener of this process; removed when it is dropped, unless another file has its name by then.
#[derive(Debug)]
pub struct LoopbackFile {
    path: PathBuf,
    address: LoopbackAddress,
}

impl LoopbackFile {
    /// Listens at a free port of the loopback, without waiting, and writes the file.
    ///
    /// # Errors
    /// Returns an error if the path exists, or the file cannot be written.
    pub fn listen(path: &Path) -> io::Result<(LoopbackFile, TcpListener)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let token = format!("{:016x}{:016x}", random_number()?, random_number()?);
        let address = LoopbackAddress { address: listener.local_addr()?, token };
        let mut new = OpenOptions::new().write(true).create_new(true).open(path)?;
        let file = LoopbackFile { path: path.to_path_buf(), address };
        new.write_all(file.address.text().as_bytes())?;
        Ok((file, listener))
    }

    /// The token that clients have to send.
    pub fn token(&self) -> &str {
        &self.address.token
    }
}

impl Drop for LoopbackFile {
    fn drop(&mut self) {
        if LoopbackAddress::read(&self.path).is_ok_and(|found| found == self.address) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Compares two tokens in a time that does not tell where they differ.
pub fn is_same_token(one: &[u8], other: &[u8]) -> bool {
    let differs = one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_leads_to_its_listener_and_goes_with_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let (file, listener) = LoopbackFile::listen(&path).expect("a port is free");
        let address = LoopbackAddress::read(&path).expect("it was written");
        assert!(is_same_token(address.token().as_bytes(), file.token().as_bytes()));
        address.connect(Duration::from_secs(5)).expect("it listens");
        assert!(LoopbackFile::listen(&path).is_err(), "the path exists");
        drop((file, listener));
        assert!(!path.exists());
    }

    #[test]
    fn another_file_of_that_name_stays_and_is_not_read() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("control");
        let (file, _listener) = LoopbackFile::listen(&path).expect("a port is free");
        fs::write(&path, "mine").expect("there is room");
        assert_eq!(LoopbackAddress::read(&path).map_err(|error| error.kind()), Err(ErrorKind::InvalidData));
        drop(file);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine");
    }

    #[test]
    fn a_file_names_an_address_of_this_machine_and_a_whole_token() {
        let token = "0123456789abcdef".repeat(2);
        let text = format!("{BEGIN}127.0.0.1:7711 {token}\n");
        assert_eq!(LoopbackAddress::parse(&text).map(|address| address.text()), Some(text));
        for wrong in [
            format!("{BEGIN}10.0.0.4:7711 {token}"),
            format!("{BEGIN}127.0.0.1:7711 {}", &token[1..]),
            format!("{BEGIN}127.0.0.1 {token}"),
            format!("127.0.0.1:7711 {token}"),
        ] {
            assert_eq!(LoopbackAddress::parse(&wrong), None, "{wrong}");
        }
        assert!(!is_same_token(b"ab", b"a") && !is_same_token(b"ab", b"ac"));
    }
}
