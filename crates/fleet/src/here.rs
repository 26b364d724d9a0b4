//! Connections to a coordinator of this machine, by the path at which it listens.

use std::io;
#[cfg(not(unix))]
pub use std::net::TcpStream as HereStream;
#[cfg(unix)]
pub use std::os::unix::net::UnixStream as HereStream;
use std::path::Path;

/// Connects to a coordinator of this machine.
///
/// # Errors
/// Returns an error if nothing listens there.
#[cfg(unix)]
pub fn connect_here(path: &Path) -> io::Result<HereStream> {
    HereStream::connect(path)
}

/// Connects to a coordinator of this machine: the path is a file that has a port and a token.
///
/// # Errors
/// Returns an error if the file is another one, or nothing listens there.
#[cfg(not(unix))]
pub fn connect_here(path: &Path) -> io::Result<HereStream> {
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
    let address = iobound_machine::loopback::LoopbackAddress::read(path)?;
    let mut stream = address.connect(PATIENCE)?;
    io::Write::write_all(&mut stream, address.token().as_bytes())?;
    Ok(stream)
}
