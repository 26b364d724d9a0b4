use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::directory::Directory;
use super::resolve::resolve;
use crate::sys::error::PathError;
use crate::sys::facts::{FileKind, Identity};

/// The name of a unix socket that this process listens at. It is removed when this is dropped, if it still is that socket
/// and no other user can exchange it.
#[derive(Debug)]
pub struct SocketName {
    directory: Arc<Directory>,
    name: OsString,
    identity: Identity,
}

impl SocketName {
    /// Makes a path free for a socket: removes the socket of a program that has ended.
    ///
    /// # Errors
    /// Returns `AlreadyExists` if another file exists there, `AddrInUse` if a program listens there, `PermissionDenied`
    /// if another user can replace it.
    pub fn clear(path: &Path) -> io::Result<()> {
        let refuse = |kind, why: &str| Err(io::Error::new(kind, format!("{}: {why}", path.display())));
        let found = resolve(path).map_err(into_io)?;
        let Some(identity) = found.identity() else { return Ok(()) };
        if found.kind() != Some(FileKind::Socket) {
            return refuse(ErrorKind::AlreadyExists, "exists and is not a socket: name a free path");
        }
        match connect_at_once(path) {
            Ok(()) => {
                return refuse(
                    ErrorKind::AddrInUse,
                    "a running program uses it: stop that program, or name another path",
                );
            }
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
            Err(error) => {
                return refuse(
                    error.kind(),
                    &format!("is a socket whose owner cannot be determined: {error}"),
                );
            }
        }
        if let Some(who) = found.directory.others_can_exchange()? {
            let why = format!(
                "a program that has ended left it behind, and {who}: remove it, or name another path"
            );
            return refuse(ErrorKind::PermissionDenied, &why);
        }
        found.directory.remove_same(&found.name, identity).map(drop)
    }

    /// The name of the socket that was just bound to a path.
    ///
    /// # Errors
    /// Returns an error if the socket no longer exists.
    pub fn of(path: &Path) -> io::Result<SocketName> {
        let found = resolve(path).map_err(into_io)?;
        let identity = found.identity().filter(|_| found.kind() == Some(FileKind::Socket));
        let Some(identity) = identity else {
            let why = format!("{}: another file has replaced the socket", path.display());
            return Err(io::Error::new(ErrorKind::NotFound, why));
        };
        Ok(SocketName { directory: found.directory, name: found.name, identity })
    }
}

/// Connects to the process that listens at a path, without waiting for a place in a full queue.
fn connect_at_once(path: &Path) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match connect(&socket, &SocketAddrUnix::new(path)?) {
        // Somebody listens, and does not keep up.
        Ok(()) | Err(Errno::AGAIN) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn into_io(error: PathError) -> io::Error {
    match error {
        PathError::Io { error, .. } => error,
        untrusted @ PathError::Untrusted { .. } => {
            io::Error::new(ErrorKind::PermissionDenied, untrusted.to_string())
        }
    }
}

impl Drop for SocketName {
    fn drop(&mut self) {
        // Between the look and the removal, another user could put a foreign file into its place.
        if let Ok(None) = self.directory.others_can_exchange() {
            let _ = self.directory.remove_same(&self.name, self.identity);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_is_removed_where_it_was_bound_and_not_by_its_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let (here, moved) = (folder.path().join("here"), folder.path().join("moved"));
        fs::create_dir(&here).expect("a folder");
        let _listener = UnixListener::bind(here.join("control")).expect("it is free");
        let name = SocketName::of(&here.join("control")).expect("it is bound");
        fs::rename(&here, &moved).expect("it is ours");
        fs::create_dir(&here).expect("another folder");
        fs::write(here.join("control"), "precious").expect("another file");
        drop(name);
        assert!(!moved.join("control").exists());
        assert_eq!(fs::read_to_string(here.join("control")).expect("it is there"), "precious");
    }

    #[test]
    fn nothing_is_removed_where_another_user_can_exchange_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("control");
        for (mode, is_removed) in [(0o777, false), (0o1777, true), (0o700, true)] {
            drop(UnixListener::bind(&path).expect("it is free"));
            let name = SocketName::of(&path).expect("it is bound");
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("it is ours");
            drop(name);
            assert_eq!(path.exists(), !is_removed, "{mode:o}");
            let cleared = SocketName::clear(&path);
            assert_eq!(cleared.is_ok(), is_removed, "{mode:o}: {cleared:?}");
            let _ = fs::remove_file(&path);
        }
    }

    #[test]
    fn only_a_socket_that_nobody_listens_at_is_cleared() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("control");
        SocketName::clear(&path).expect("it is free");
        let listener = UnixListener::bind(&path).expect("it is free");
        assert_eq!(SocketName::clear(&path).expect_err("it is in use").kind(), ErrorKind::AddrInUse);
        // Nor one whose queue is full.
        rustix::net::listen(&listener, 0).expect("it listens");
        let waiting: Vec<_> = (0..3).map(|_| connect_at_once(&path)).collect();
        assert!(waiting.iter().all(Result::is_ok), "{waiting:?}");
        assert_eq!(SocketName::clear(&path).expect_err("it is in use").kind(), ErrorKind::AddrInUse);
        drop(listener);
        SocketName::clear(&path).expect("nobody listens there");
        assert!(!path.exists());
        fs::write(&path, "mine").expect("there is room");
        assert_eq!(SocketName::clear(&path).expect_err("a file").kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine");
    }
}
