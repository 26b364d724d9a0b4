//! A platform whose meetings are over TCP alone.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use iobound_units::Problem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::LocalPeer;

const WHAT: &str = "ranks of one machine meet at a socket by path on Linux alone";
const HELP: &str =
    "give the meeting point as an address: --meet 127.0.0.1:7711, with IOBOUND_TOKEN on every rank";

/// A connection; never exists here.
#[derive(Debug)]
pub(in crate::net) enum LocalStream {}

/// A socket that listens; never exists here.
#[derive(Debug)]
pub(crate) enum LocalListener {}

/// A socket at which connections are accepted; never exists here.
pub(in crate::net) enum Accepting {}

impl LocalListener {
    pub(in crate::net) fn open(_: &Path) -> Result<LocalListener, Problem> {
        Err(nowhere())
    }

    pub(in crate::net) fn accepting(&self) -> io::Result<Accepting> {
        match *self {}
    }
}

impl Accepting {
    pub(in crate::net) async fn accept(&self) -> io::Result<LocalStream> {
        match *self {}
    }

    pub(in crate::net) fn peer(stream: &LocalStream) -> io::Result<LocalPeer> {
        match *stream {}
    }
}

pub(in crate::net) fn check(_: &Path) -> Result<(), Problem> {
    Err(nowhere())
}

fn nowhere() -> Problem {
    Problem::new(WHAT).help(HELP)
}

pub(in crate::net) async fn connect(_: &Path) -> io::Result<LocalStream> {
    Err(io::Error::new(io::ErrorKind::Unsupported, WHAT))
}

/// The name that this machine has for itself; Windows has it in a variable.
pub(in crate::net) fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

impl AsyncRead for LocalStream {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }
}

impl AsyncWrite for LocalStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        match *self {}
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }
}
