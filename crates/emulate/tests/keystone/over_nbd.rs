//! The run loop's engine over NBD in memory, and the simulator's with the one freedom that several connections leave.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_drive::{Done, Engine, EngineError};
use iobound_emulate::nbd::client::Channel;
use iobound_emulate::nbd::{LinkId, Pipe, Server};
use iobound_emulate::{Emulator, FrontId, Shared, Time};
use iobound_units::{Instant, Io, Op, Tag};
use iobound_workload::Target;

/// Connection of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wiring {
    /// To each target.
    pub(crate) connections: usize,
    /// True if reads are replied to in chunks.
    pub(crate) structured: bool,
    /// What a connection holds in each direction, in bytes.
    pub(crate) most: usize,
}

/// A clock that the engine moves.
#[derive(Clone, Debug, Default)]
struct Moved(Arc<AtomicU64>);

impl Time for Moved {
    fn now(&self) -> Instant {
        Instant::from_ns(self.0.load(Ordering::Relaxed))
    }
}

pub(crate) struct OverNbd {
    clock: Moved,
    shared: Arc<Shared>,
    server: Server<Pipe>,
    channels: Vec<(LinkId, Channel<Pipe>)>,
    /// By target id, the first of its channels.
    first: Vec<usize>,
    each: usize,
    /// By tag, where it was sent.
    channel_of: Vec<usize>,
    /// The channels that have something to send.
    queued: BTreeSet<usize>,
    data: Vec<u8>,
}

impl OverNbd {
    pub(crate) fn new(emulator: Emulator, targets: &[Target], wiring: Wiring) -> OverNbd {
        let clock = Moved::default();
        let shared = Shared::on(Box::new(clock.clone()), emulator).expect("a descriptor");
        let mut server = Server::new(FrontId(0)).expect("a descriptor");
        let mut first = vec![0; targets.iter().map(|target| usize::from(target.id.0) + 1).max().unwrap_or(0)];
        let mut channels = Vec::new();
        for target in targets {
            first[usize::from(target.id.0)] = channels.len();
            for _ in 0..wiring.connections {
                let (ours, theirs) = Pipe::pair(wiring.most);
                let id = server.open(theirs, shared.now()).expect("room for a connection");
                channels.push((id, Channel::new(ours, &target.name, wiring.structured)));
            }
        }
        let each = wiring.connections;
        let mut engine = OverNbd {
            clock,
            shared,
            server,
            channels,
            first,
            each,
            channel_of: Vec::new(),
            queued: BTreeSet::new(),
            data: Vec::new(),
        };
        let mut inside = 0;
        while inside < engine.channels.len() {
            engine.turn();
            inside =
                engine.channels.iter_mut().filter_map(|(_, one)| one.enter().expect("it is let in")).count();
        }
        engine
    }

    /// One turn of the server, which looks at every connection; what comes next, and whether it would find more to do.
    fn turn(&mut self) -> (Option<Instant>, bool) {
        for (id, _) in &self.channels {
            self.server.ready(*id, true, true, false);
        }
        let turn = self.server.turn(&self.shared);
        (turn.next, turn.again)
    }

    /// Everything that can happen without time going on: one connection's requests after the other's.
    fn settle(&mut self, done: &mut Vec<Done>) -> Option<Instant> {
        let mut next = None;
        let queued = std::mem::take(&mut self.queued);
        for n in queued.into_iter().chain([0]) {
            loop {
                let mut moved = !self.channels[n].1.send().expect("the server is there");
                let (then, again) = self.turn();
                next = then;
                moved |= again | self.take(done);
                if !moved {
                    break;
                }
            }
        }
        done.sort_by_key(|done| self.channel_of[done.tag.0 as usize]);
        next
    }

    /// Takes all replies that have come; says whether anything had.
    fn take(&mut self, done: &mut Vec<Done>) -> bool {
        let (at, mut moved) = (self.clock.now(), false);
        for (_, channel) in &mut self.channels {
            while channel.receive().expect("the server is there") {
                moved = true;
                while let Some(reply) = channel.reply().expect("a reply") {
                    done.push(Done { tag: Tag(reply.cookie as u32), at, ok: reply.error == 0 });
                }
            }
        }
        moved
    }
}

impl Engine for OverNbd {
    fn now(&mut self) -> Instant {
        self.clock.now()
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        let channel = self.first[usize::from(io.target.0)] + tag.0 as usize % self.each;
        let len = if io.op == Op::Write { io.len as usize } else { 0 };
        if self.data.len() < len {
            self.data.resize(len, 7);
        }
        let index = tag.0 as usize;
        self.channel_of.resize(self.channel_of.len().max(index + 1), 0);
        self.channel_of[index] = channel;
        self.queued.insert(channel);
        self.channels[channel].1.submit(u64::from(tag.0), &io, &self.data[..len]);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        loop {
            let next = self.settle(done);
            let now = self.clock.now();
            if !done.is_empty() || now >= until {
                return Ok(());
            }
            let to = next.map_or(until, |next| next.min(until)).max(now);
            self.clock.0.store(to.ns(), Ordering::Relaxed);
        }
    }
}

/// The simulator, told of I/Os of one instant, and telling of completions of one, connection after connection: in which
/// order several connections are read is the one thing that the protocol leaves open. With one connection it is the
/// simulator as it is.
pub(crate) struct Grouped<E> {
    inner: E,
    each: usize,
    queued: Vec<(Tag, Io)>,
    /// By tag.
    channels: Vec<(u16, usize)>,
}

impl<E> Grouped<E> {
    pub(crate) fn new(inner: E, each: usize) -> Grouped<E> {
        Grouped { inner, each, queued: Vec::new(), channels: Vec::new() }
    }
}

impl<E: Engine> Engine for Grouped<E> {
    fn now(&mut self) -> Instant {
        self.inner.now()
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        let index = tag.0 as usize;
        if self.channels.len() <= index {
            self.channels.resize(index + 1, (0, 0));
        }
        self.channels[index] = (io.target.0, index % self.each);
        self.queued.push((tag, io));
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let channels = &self.channels;
        self.queued.sort_by_key(|(tag, _)| channels[tag.0 as usize]);
        for (tag, io) in self.queued.drain(..) {
            self.inner.submit(tag, io);
        }
        self.inner.wait(until, done)?;
        done.sort_by_key(|done| channels[done.tag.0 as usize]);
        Ok(())
    }
}
