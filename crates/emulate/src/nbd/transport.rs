//! Transports of a connection's bytes.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, PoisonError};

pub use crate::sys::Socket;

/// Bytes both ways, in order, without waiting.
pub trait Transport {
    /// Takes what has come; zero bytes at the end.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::WouldBlock`] if nothing has arrived, another error if the connection is closed.
    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Gives away as much as fits, one part after the other.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::WouldBlock`] if nothing fits, another error if the connection is closed.
    fn send(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
}

/// The most parts of one message that the kernel takes.
pub(super) const MOST_PARTS: usize = 1024;

impl Transport for Socket {
    #[inline]
    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.receive_now(into)
    }

    #[inline]
    fn send(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_now(parts)
    }
}

/// A stream socket that is waited for in the kernel: one call for each message each way, as the shortest client has it.
#[derive(Debug)]
pub struct Patient(Socket);

impl Patient {
    /// This one, from now on.
    pub fn new(socket: Socket) -> Patient {
        Patient(socket)
    }
}

impl Transport for Patient {
    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.receive_waiting(into)
    }

    fn send(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.send_waiting(parts)
    }
}

/// One direction of a [`Pipe`].
#[derive(Debug, Default)]
struct Queue {
    bytes: VecDeque<u8>,
    closed: bool,
}

type SharedQueue = Arc<Mutex<Queue>>;

/// A connection in memory, for tests: what one end sends, the other receives. Dropped, it is closed.
#[derive(Debug)]
pub struct Pipe {
    incoming: SharedQueue,
    outgoing: SharedQueue,
    /// Limit of waiting bytes in one direction.
    most: usize,
}

impl Pipe {
    /// Both ends of a connection that holds so many bytes in each direction.
    pub fn pair(most: usize) -> (Pipe, Pipe) {
        let (one, other) = (SharedQueue::default(), SharedQueue::default());
        let first = Pipe { incoming: Arc::clone(&one), outgoing: Arc::clone(&other), most };
        (first, Pipe { incoming: other, outgoing: one, most })
    }

    fn with<R>(queue: &SharedQueue, act: impl FnOnce(&mut Queue) -> R) -> R {
        act(&mut queue.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Transport for Pipe {
    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Pipe::with(&self.incoming, |queue| {
            if queue.bytes.is_empty() && !queue.closed {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let len = queue.bytes.len().min(into.len());
            let (front, back) = queue.bytes.as_slices();
            let first = front.len().min(len);
            into[..first].copy_from_slice(&front[..first]);
            into[first..len].copy_from_slice(&back[..len - first]);
            queue.bytes.drain(..len);
            Ok(len)
        })
    }

    fn send(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let most = self.most;
        Pipe::with(&self.outgoing, |queue| {
            if queue.closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let mut sent = 0;
            for part in parts {
                let len = part.len().min(most - queue.bytes.len());
                queue.bytes.extend(&part[..len]);
                sent += len;
            }
            if sent == 0 { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(sent) }
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        Pipe::with(&self.incoming, |queue| queue.closed = true);
        Pipe::with(&self.outgoing, |queue| queue.closed = true);
    }
}
