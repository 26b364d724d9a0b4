//! A client on real sockets, as an engine of the run loop.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Span, Tag};

use super::channel::Channel;
use crate::nbd::listen::Listen;
use crate::nbd::transport::{Patient, Socket};
use crate::sys::{self, Interest};

/// Address of a server.
pub type Address = Listen;

/// Connects to an export, and is through the handshake.
///
/// # Errors
/// Returns an error if nothing listens there or the server refuses.
pub fn connect(address: &Address, export: &str, structured: bool) -> io::Result<Channel<Socket>> {
    let mut channel = Channel::new(socket(address)?.without_waiting()?, export, structured);
    while channel.enter()?.is_none() {
        wait_for(std::slice::from_ref(&channel), false, None)?;
    }
    Ok(channel)
}

/// As [`connect`], for one request at a time: the receiver waits in the kernel.
///
/// # Errors
/// As [`connect`].
pub fn connect_patiently(address: &Address, export: &str, structured: bool) -> io::Result<Channel<Patient>> {
    let mut channel = Channel::new(Patient::new(socket(address)?), export, structured);
    while channel.enter()?.is_none() {}
    Ok(channel)
}

fn socket(address: &Address) -> io::Result<Socket> {
    match address {
        Listen::Unix(path) => Socket::to_path(path),
        Listen::Tcp(address) => tcp(address),
    }
}

fn tcp(address: &SocketAddr) -> io::Result<Socket> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(Socket::new(stream))
}

/// Waits until one of them has something to say, or can be told more, for at most so long.
fn wait_for(channels: &[Channel<Socket>], sends: bool, most: Option<Span>) -> io::Result<()> {
    let wanted = Interest { read: true, write: sends };
    let sockets: Vec<_> = channels.iter().map(|channel| (channel.transport().source(), wanted)).collect();
    sys::poll(&sockets, most.map(|span| Duration::from_nanos(span.ns()))).map(drop)
}

/// I/Os to exports of a server, whose targets they are in their order; each over as many connections, in turn.
#[derive(Debug)]
pub struct Client {
    channels: Vec<Channel<Socket>>,
    /// Number of connections each target that has.
    each: usize,
    clock: SystemClock,
    /// Content of writes, from the start.
    data: Vec<u8>,
}

impl Client {
    /// Connects to these exports, with so many connections to each.
    ///
    /// # Errors
    /// As [`connect`].
    pub fn new(address: &Address, exports: &[&str], each: usize, structured: bool) -> io::Result<Client> {
        assert!(each > 0, "a connection at least");
        let names = exports.iter().flat_map(|name| std::iter::repeat_n(*name, each));
        let channels = names.map(|name| connect(address, name, structured)).collect::<io::Result<_>>()?;
        Ok(Client { channels, each, clock: SystemClock::default(), data: Vec::new() })
    }

    fn go_on(&mut self, until: Instant, done: &mut Vec<Done>) -> io::Result<()> {
        loop {
            let mut all = true;
            for channel in &mut self.channels {
                all &= channel.send()?;
                // Once: what comes after waits until what came is answered with new requests.
                if channel.receive()? {
                    while let Some(reply) = channel.reply()? {
                        let tag = Tag(reply.cookie as u32);
                        done.push(Done { tag, at: Instant::ZERO, ok: reply.error == 0 });
                    }
                }
            }
            let now = self.clock.now_of_run();
            done.iter_mut().for_each(|done| done.at = now);
            if !done.is_empty() || now >= until {
                return Ok(());
            }
            wait_for(&self.channels, !all, Some(until.since(now)))?;
        }
    }
}

impl Engine for Client {
    fn now(&mut self) -> Instant {
        self.clock.now_of_run()
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        let channel = usize::from(io.target.0) * self.each + tag.0 as usize % self.each;
        let len = if io.op == Op::Write { io.len as usize } else { 0 };
        if self.data.len() < len {
            self.data.resize(len, 0x5a);
        }
        self.channels[channel].submit(u64::from(tag.0), &io, &self.data[..len]);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        self.go_on(until, done).map_err(|error| EngineError { why: format!("the NBD server: {error}") })
    }
}
