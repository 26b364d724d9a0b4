use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;

use iobound_machine::open::SocketName;
use iobound_units::Problem;

use super::LocalPeer;
use super::folder::{own, user};

/// A connection.
pub(in crate::net) type LocalStream = tokio::net::UnixStream;

/// A socket that listens; its name is removed with it.
#[derive(Debug)]
pub(crate) struct LocalListener {
    listener: UnixListener,
    _name: SocketName,
}

impl LocalListener {
    /// Listens in a folder of this user's own.
    pub(in crate::net) fn open(path: &Path) -> Result<LocalListener, Problem> {
        own(path)?;
        let bound = SocketName::clear(path).and_then(|()| UnixListener::bind(path)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(LocalListener { listener, _name: SocketName::of(path)? })
        });
        bound.map_err(|error| {
            Problem::new(format!("the coordinator cannot listen at {}: {error}", path.display()))
                .help("stop the coordinator that listens there, or name another socket with --meet")
        })
    }

    /// The socket for the asynchronous runtime.
    pub(in crate::net) fn accepting(&self) -> io::Result<Accepting> {
        Ok(Accepting(tokio::net::UnixListener::from_std(self.listener.try_clone()?)?))
    }
}

/// A socket at which connections are accepted.
pub(in crate::net) struct Accepting(tokio::net::UnixListener);

impl Accepting {
    /// The next connection.
    pub(in crate::net) async fn accept(&self) -> io::Result<LocalStream> {
        Ok(self.0.accept().await?.0)
    }

    /// The process at the other end.
    pub(in crate::net) fn peer(stream: &LocalStream) -> io::Result<LocalPeer> {
        let who = stream.peer_cred()?;
        let from = match who.pid() {
            Some(pid) => format!("process {pid}"),
            None => "a process of this machine".to_string(),
        };
        // Only root can enter the folder as well.
        let other_user = (who.uid() != user() && who.uid() != 0).then(|| who.uid());
        Ok(LocalPeer { from, other_user })
    }
}

/// Checks that a socket lies in a folder of this user's own.
///
/// # Errors
/// Returns an error if it does not; it names the fix.
pub(in crate::net) fn check(path: &Path) -> Result<(), Problem> {
    own(path)
}

/// Connects to a socket of this user or of root.
pub(in crate::net) async fn connect(path: &Path) -> io::Result<LocalStream> {
    let socket = LocalStream::connect(path).await?;
    let uid = socket.peer_cred()?.uid();
    if uid != user() && uid != 0 {
        return Err(io::Error::other(format!(
            "the coordinator at {} belongs to another user, uid {uid}",
            path.display()
        )));
    }
    Ok(socket)
}

/// The name that this machine has for itself.
pub(in crate::net) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
