//! Meetings by path on Windows, within one program: the path is a file that leads to a port of the loopback, and each
//! connection begins with the file's token.

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use iobound_machine::loopback::{LoopbackFile, TOKEN, is_same_token};
use iobound_units::Problem;
use tokio::io::AsyncReadExt;
use tokio::sync::{Mutex, mpsc};
use tokio::task::AbortHandle;

use super::LocalPeer;

/// Time that a connection may take to send the token.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections with the token that wait to be accepted.
const WAITING: usize = 16;

/// A connection.
pub(in crate::net) type LocalStream = tokio::net::TcpStream;

/// A port that listens; its file is removed with it.
#[derive(Debug)]
pub(crate) struct LocalListener {
    listener: TcpListener,
    file: LoopbackFile,
}

impl LocalListener {
    /// Listens, and writes the file.
    pub(in crate::net) fn open(path: &Path) -> Result<LocalListener, Problem> {
        check(path)?;
        let (file, listener) = LoopbackFile::listen(path).map_err(|error| {
            Problem::new(format!("the coordinator cannot listen at {}: {error}", path.display()))
                .help("name an address of this machine: --meet 127.0.0.1:7711")
        })?;
        Ok(LocalListener { listener, file })
    }

    /// The port for the asynchronous runtime.
    pub(in crate::net) fn accepting(&self) -> io::Result<Accepting> {
        let listener = tokio::net::TcpListener::from_std(self.listener.try_clone()?)?;
        let token: Arc<str> = self.file.token().into();
        let (known, waits) = mpsc::channel(WAITING);
        // Each connection sends its token on a task of its own, so that a silent one delays nobody.
        let task = tokio::spawn(async move {
            while !known.is_closed() {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (known, token) = (known.clone(), Arc::clone(&token));
                        tokio::spawn(async move {
                            let greeting = tokio::time::timeout(PATIENCE, greeted(stream, &token));
                            if let Ok(Some(stream)) = greeting.await {
                                let _ = known.send(Ok(stream)).await;
                            }
                        });
                    }
                    Err(error) => drop(known.send(Err(error)).await),
                }
            }
        });
        Ok(Accepting { waits: Mutex::new(waits), task: task.abort_handle() })
    }
}

/// The stream of a connection that begins with the token.
async fn greeted(mut stream: LocalStream, token: &str) -> Option<LocalStream> {
    let mut said = [0; TOKEN];
    stream.read_exact(&mut said).await.ok()?;
    // Words are short, and each is waited for.
    let _ = stream.set_nodelay(true);
    is_same_token(&said, token.as_bytes()).then_some(stream)
}

/// A port at which connections are accepted.
pub(in crate::net) struct Accepting {
    waits: Mutex<mpsc::Receiver<io::Result<LocalStream>>>,
    task: AbortHandle,
}

impl Drop for Accepting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Accepting {
    /// The next connection.
    pub(in crate::net) async fn accept(&self) -> io::Result<LocalStream> {
        let next = self.waits.lock().await.recv().await;
        next.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()))
    }

    /// The process at the other end, which has read the file.
    pub(in crate::net) fn peer(stream: &LocalStream) -> io::Result<LocalPeer> {
        Ok(LocalPeer {
            from: format!("a process of this machine, {}", stream.peer_addr()?),
            other_user: None,
        })
    }
}

/// Checks that the folder of a path exists.
///
/// # Errors
/// Returns an error if it does not.
pub(in crate::net) fn check(path: &Path) -> Result<(), Problem> {
    if path.parent().is_some_and(Path::is_dir) {
        return Ok(());
    }
    Err(Problem::new(format!("{}: there is no such folder to meet in", path.display())).help(
        "give the meeting point as an address: --meet 127.0.0.1:7711, with IOBOUND_TOKEN on every rank",
    ))
}

/// Connects to a coordinator by its file.
pub(in crate::net) async fn connect(path: &Path) -> io::Result<LocalStream> {
    let stream = crate::here::connect_here(path)?;
    stream.set_nonblocking(true)?;
    LocalStream::from_std(stream)
}

/// The name that this machine has for itself; Windows has it in a variable.
pub(in crate::net) fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
