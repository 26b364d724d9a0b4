//! A server in memory, and raw bytes to and from it.

use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_emulate::nbd::{LinkId, Pipe, Server, Transport};
use iobound_emulate::store::Pool;
use iobound_emulate::{Emulator, FrontId, Shared, Time};
use iobound_model::{Blueprint, Latency, Start, StartCredits};
use iobound_units::{Bytes, Instant, Span};

/// A clock that the test moves.
#[derive(Clone, Debug, Default)]
struct Moved(Arc<AtomicU64>);

impl Time for Moved {
    fn now(&self) -> Instant {
        Instant::from_ns(self.0.load(Ordering::Relaxed))
    }
}

/// Two disks striped to 128 MiB, of which one is named as a volume's part.
pub(crate) fn emulator(media: Span, places: usize, limit: Bytes) -> Emulator {
    let blueprint = Blueprint::striped("data", 2, Bytes::mib(64), Latency::constant(media));
    let start = Start { seed: 1, credits: StartCredits::Full };
    let memory = Pool::new(limit).expect("memory").disks(2);
    Emulator::new(&blueprint, &start, places, memory).expect("a valid blueprint")
}

/// A server on a clock that the test moves.
pub(crate) struct Bench {
    clock: Moved,
    shared: Arc<Shared>,
    pub(crate) server: Server<Pipe>,
}

/// State of a client.
pub(crate) struct Raw {
    pub(crate) pipe: Pipe,
    pub(crate) id: LinkId,
}

impl Bench {
    pub(crate) fn new(media: Span, places: usize, limit: Bytes) -> Bench {
        let clock = Moved::default();
        let shared =
            Shared::on(Box::new(clock.clone()), emulator(media, places, limit)).expect("a descriptor");
        Bench { clock, shared, server: Server::new(FrontId(0)).expect("a descriptor") }
    }

    /// Without latency, with all the room there is.
    pub(crate) fn quick() -> Bench {
        Bench::new(Span::ZERO, 1024, Bytes::mib(128))
    }

    /// A client whose connection holds so many bytes each way; what the server says first is taken.
    pub(crate) fn client(&mut self, most: usize) -> Raw {
        let (pipe, theirs) = Pipe::pair(most);
        let id = self.server.open(theirs, self.clock.now()).expect("room for a client");
        let mut raw = Raw { pipe, id };
        let greeting = self.exchange(&mut raw, &[]);
        assert_eq!(greeting, b"NBDMAGICIHAVEOPT\x00\x03", "fixed newstyle, and no zeroes");
        raw
    }

    /// A client that has entered `data`, with chunks if it wants.
    pub(crate) fn inside(&mut self, most: usize, structured: bool) -> Raw {
        let mut raw = self.client(most);
        self.exchange(&mut raw, &3u32.to_be_bytes());
        if structured {
            self.exchange(&mut raw, &option(8, &[]));
        }
        let entered = self.exchange(&mut raw, &option(1, b"data"));
        assert_eq!(&entered[..8], &(128u64 << 20).to_be_bytes(), "its size");
        raw
    }

    /// A client that has entered an export, and may ask what is allocated.
    pub(crate) fn asking(&mut self, export: &[u8]) -> Raw {
        let mut raw = self.client(1 << 20);
        self.exchange(&mut raw, &3u32.to_be_bytes());
        self.exchange(&mut raw, &option(8, &[]));
        self.exchange(&mut raw, &option(10, &contexts(export, &[b"base:allocation"])));
        self.exchange(&mut raw, &option(1, export));
        raw
    }

    /// Lets the server do all that it can now.
    pub(crate) fn settle(&mut self) -> Option<Instant> {
        let mut turn = self.server.turn(&self.shared);
        while turn.again || turn.next.is_some_and(|next| next <= self.clock.now()) {
            turn = self.server.turn(&self.shared);
        }
        turn.next
    }

    /// Lets time pass, and the server do all that it can until then.
    pub(crate) fn wait(&mut self, span: Span) {
        let until = self.clock.now() + span;
        while let Some(next) = self.settle().filter(|next| *next < until) {
            self.clock.0.store(next.ns(), Ordering::Relaxed);
        }
        self.clock.0.store(until.ns(), Ordering::Relaxed);
        self.settle();
    }

    /// True if another client could come now.
    pub(crate) fn has_room(&mut self) -> bool {
        self.server.has_room(self.clock.now())
    }

    /// Moves on to when the next I/O completes, and on; says whether there was one.
    pub(crate) fn pass(&mut self) -> bool {
        let Some(next) = self.settle() else { return false };
        self.clock.0.store(next.ns(), Ordering::Relaxed);
        self.settle();
        true
    }

    pub(crate) fn ready(&mut self, raw: &Raw) {
        self.server.ready(raw.id, true, true, false);
    }

    /// Sends as much as fits; says how much did.
    pub(crate) fn send(&mut self, raw: &mut Raw, bytes: &[u8]) -> usize {
        let sent = raw.pipe.send(&[IoSlice::new(bytes)]).unwrap_or(0);
        self.ready(raw);
        self.settle();
        sent
    }

    /// Everything that has come.
    pub(crate) fn receive(&mut self, raw: &mut Raw) -> Vec<u8> {
        let (mut all, mut part) = (Vec::new(), vec![0; 1 << 20]);
        while let Ok(len @ 1..) = raw.pipe.receive(&mut part) {
            all.extend_from_slice(&part[..len]);
            self.ready(raw);
            self.settle();
        }
        all
    }

    /// Sends all of it, and takes all that comes back at once.
    pub(crate) fn exchange(&mut self, raw: &mut Raw, bytes: &[u8]) -> Vec<u8> {
        let (mut sent, mut back) = (0, Vec::new());
        while sent < bytes.len() {
            let now = self.send(raw, &bytes[sent..]);
            let came = self.receive(raw);
            assert!(now > 0 || !came.is_empty(), "the server neither reads nor replies");
            sent += now;
            back.extend(came);
        }
        self.ready(raw);
        self.settle();
        back.extend(self.receive(raw));
        back
    }

    /// True if the server has ended the connection.
    pub(crate) fn ended(&mut self, raw: &mut Raw) -> bool {
        self.ready(raw);
        self.settle();
        matches!(raw.pipe.receive(&mut [0]), Ok(0))
    }
}

/// An option: `IHAVEOPT`, its number, its data.
pub(crate) fn option(number: u32, data: &[u8]) -> Vec<u8> {
    [b"IHAVEOPT", &number.to_be_bytes()[..], &(data.len() as u32).to_be_bytes(), data].concat()
}

/// The reply to an option: magic, the option, the kind, the data.
pub(crate) fn answer(number: u32, kind: u32, data: &[u8]) -> Vec<u8> {
    let magic = 0x0003_e889_0455_65a9u64.to_be_bytes();
    let len = (data.len() as u32).to_be_bytes();
    [&magic[..], &number.to_be_bytes(), &kind.to_be_bytes(), &len, data].concat()
}

/// The data of NBD_OPT_LIST_META_CONTEXT (9) and NBD_OPT_SET_META_CONTEXT (10): the export's name, a count, and queries, each
/// behind its length.
pub(crate) fn contexts(export: &[u8], queries: &[&[u8]]) -> Vec<u8> {
    let counted = |text: &[u8]| [&(text.len() as u32).to_be_bytes(), text].concat();
    let queries_data: Vec<u8> = queries.iter().flat_map(|query| counted(query)).collect();
    [counted(export), (queries.len() as u32).to_be_bytes().to_vec(), queries_data].concat()
}

/// A request: magic, flags, type, cookie, offset, length.
pub(crate) fn request(flags: u16, kind: u16, cookie: u64, offset: u64, len: u32) -> Vec<u8> {
    let magic = 0x2560_9513u32.to_be_bytes();
    let (flags, kind) = (flags.to_be_bytes(), kind.to_be_bytes());
    let rest = [&cookie.to_be_bytes()[..], &offset.to_be_bytes(), &len.to_be_bytes()].concat();
    [&magic[..], &flags, &kind, &rest].concat()
}

/// A simple reply: magic, error, cookie.
pub(crate) fn simple(error: u32, cookie: u64) -> Vec<u8> {
    [&0x6744_6698u32.to_be_bytes()[..], &error.to_be_bytes(), &cookie.to_be_bytes()].concat()
}

pub(crate) const READ: u16 = 0;
pub(crate) const WRITE: u16 = 1;
pub(crate) const DISCONNECT: u16 = 2;
pub(crate) const FLUSH: u16 = 3;
pub(crate) const TRIM: u16 = 4;
pub(crate) const CACHE: u16 = 5;
pub(crate) const ZEROES: u16 = 6;
pub(crate) const STATUS: u16 = 7;
