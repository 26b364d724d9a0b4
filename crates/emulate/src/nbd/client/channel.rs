//! One connection of a client.

use std::io::{self, ErrorKind, IoSlice};

use iobound_units::{Io, Op};

use super::haggle::{Entered, Haggle};
use crate::nbd::input::Input;
use crate::nbd::transport::Transport;
use crate::nbd::wire::{
    CHUNK_LEN, Header, MOST_PAYLOAD, SIMPLE_LEN, SIMPLE_REPLY, STRUCTURED_REPLY, be16, be32, be64, chunk,
    command,
};

/// Reply of a server to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The request's own number.
    pub cookie: u64,
    /// The protocol's number of an error; zero for none.
    pub error: u32,
    /// Result of a read.
    pub data: &'a [u8],
}

/// One connection of a client: requests are queued, sent together, and replied to in any order.
#[derive(Debug)]
pub struct Channel<T> {
    transport: T,
    name: String,
    structured: bool,
    haggle: Haggle,
    entered: Option<Entered>,
    input: Input,
    wanted: usize,
    out: Vec<u8>,
    sent: usize,
    /// By cookie, how much a simple reply brings: cookies are dense.
    expected: Vec<u32>,
}

fn broken(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

impl<T: Transport> Channel<T> {
    /// To the export of this name; replies to reads in chunks if both sides want.
    pub fn new(transport: T, name: &str, structured: bool) -> Channel<T> {
        Channel {
            transport,
            name: name.into(),
            structured,
            haggle: Haggle::new(),
            entered: None,
            input: Input::default(),
            wanted: 1,
            out: Vec::new(),
            sent: 0,
            expected: Vec::new(),
        }
    }

    /// Its transport.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Export entered by the handshake: goes on with it.
    ///
    /// # Errors
    /// Returns an error if the peer is not an NBD server, refuses, or is gone.
    pub fn enter(&mut self) -> io::Result<Option<Entered>> {
        while self.entered.is_none() {
            self.entered = self
                .haggle
                .go_on(&self.name, self.structured, &mut self.input, &mut self.out)
                .map_err(|why| io::Error::new(ErrorKind::ConnectionRefused, why))?;
            self.send()?;
            if self.entered.is_none() && !self.receive()? {
                break;
            }
        }
        Ok(self.entered)
    }

    /// Queues an I/O under a free number below a million; a write has as much data as its length.
    pub fn submit(&mut self, cookie: u64, io: &Io, data: &[u8]) {
        let (number, flags) = match io.op {
            Op::Read => (command::READ, 0),
            Op::Write => (command::WRITE, if io.fua { command::FUA } else { 0 }),
            Op::Flush => (command::FLUSH, 0),
            Op::Discard => (command::TRIM, 0),
        };
        let index = usize::try_from(cookie).expect("cookies are dense");
        if self.expected.len() <= index {
            self.expected.resize(index + 1, 0);
        }
        self.expected[index] = if io.op == Op::Read { io.len } else { 0 };
        Header { flags, command: number, cookie, offset: io.offset, len: io.len }.put(&mut self.out);
        if io.op == Op::Write {
            assert_eq!(data.len(), io.len as usize, "a write with its data");
            self.out.extend_from_slice(data);
        }
    }

    /// Queues zeroes for a range, which keeps its place or not.
    pub fn zero(&mut self, cookie: u64, offset: u64, len: u32, keeps: bool) {
        let flags = if keeps { command::NO_HOLE } else { 0 };
        Header { flags, command: command::WRITE_ZEROES, cookie, offset, len }.put(&mut self.out);
    }

    /// Sends what is queued, as far as it fits; says whether all did.
    ///
    /// # Errors
    /// Returns an error if the connection is closed.
    pub fn send(&mut self) -> io::Result<bool> {
        while self.sent < self.out.len() {
            match self.transport.send(&[IoSlice::new(&self.out[self.sent..])]) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.sent = 0;
        Ok(true)
    }

    /// Takes what has come, once; says whether anything had.
    ///
    /// # Errors
    /// Returns an error if the connection is closed.
    pub fn receive(&mut self) -> io::Result<bool> {
        match self.transport.receive(self.input.room(self.wanted, usize::MAX)) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(len) => {
                self.input.filled(len);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sends what is queued and waits for one reply, of which it says the error: zero for none. Over a [`crate::nbd::Patient`]
    /// socket that is one call each way, if the reply comes in one piece; over others it asks without a pause.
    ///
    /// # Errors
    /// Returns an error if the connection is closed or the data is not a reply.
    pub fn round_trip(&mut self) -> io::Result<u32> {
        while !self.send()? {}
        loop {
            if let Some(reply) = self.reply()? {
                return Ok(reply.error);
            }
            self.receive()?;
        }
    }

    /// The next reply of those that came.
    ///
    /// # Errors
    /// Returns an error if the data is not a reply.
    pub fn reply(&mut self) -> io::Result<Option<Reply<'_>>> {
        let bytes = self.input.bytes();
        if bytes.len() < SIMPLE_LEN {
            self.wanted = SIMPLE_LEN;
            return Ok(None);
        }
        match be32(bytes, 0) {
            SIMPLE_REPLY => self.simple(),
            STRUCTURED_REPLY => self.structured(),
            other => Err(broken(format!("expected a reply, found {other:#x}"))),
        }
    }

    fn simple(&mut self) -> io::Result<Option<Reply<'_>>> {
        let bytes = self.input.bytes();
        let (error, cookie) = (be32(bytes, 4), be64(bytes, 8));
        let index = usize::try_from(cookie).unwrap_or(usize::MAX);
        let expected = self.expected.get(index).copied();
        let expected = expected.ok_or_else(|| broken(format!("unexpected cookie {cookie}")))? as usize;
        let len = SIMPLE_LEN + if error == 0 { expected } else { 0 };
        if bytes.len() < len {
            self.wanted = len;
            return Ok(None);
        }
        Ok(Some(Reply { cookie, error, data: &self.input.take(len)[SIMPLE_LEN..] }))
    }

    /// One chunk is the whole reply: that is how this project's server has it.
    fn structured(&mut self) -> io::Result<Option<Reply<'_>>> {
        let bytes = self.input.bytes();
        if bytes.len() < CHUNK_LEN {
            self.wanted = CHUNK_LEN;
            return Ok(None);
        }
        let (flags, kind, cookie) = (be16(bytes, 4), be16(bytes, 6), be64(bytes, 8));
        let len = be32(bytes, 16);
        if flags & chunk::DONE == 0 || len > MOST_PAYLOAD + 8 {
            return Err(broken("unexpected reply in several chunks"));
        }
        let whole = CHUNK_LEN + len as usize;
        if bytes.len() < whole {
            self.wanted = whole;
            return Ok(None);
        }
        let payload = &self.input.take(whole)[CHUNK_LEN..];
        match (kind, payload.len()) {
            (chunk::OFFSET_DATA, 9..) => Ok(Some(Reply { cookie, error: 0, data: &payload[8..] })),
            (chunk::NONE, 0) => Ok(Some(Reply { cookie, error: 0, data: &[] })),
            (chunk::ERROR, 6..) => Ok(Some(Reply { cookie, error: be32(payload, 0), data: &[] })),
            (kind, len) => Err(broken(format!("unexpected chunk of kind {kind} with {len} bytes"))),
        }
    }
}
