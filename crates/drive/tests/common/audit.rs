//! An engine that keeps books of another one: what was asked of it, and whether it answered as an engine must.

use iobound_drive::{Done, Engine, EngineError};
use iobound_units::{Instant, Io, Op, Tag};
use iobound_workload::Target;

/// An I/O on the books.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The run loop's time when it was submitted.
    pub(crate) submitted: Instant,
    /// The I/O.
    pub(crate) io: Io,
    /// Time of its completion, if it completed.
    pub(crate) completed: Option<Instant>,
}

/// Passes everything on, writes it down, and panics where either side breaks the contract of [`Engine`].
#[derive(Debug)]
pub(crate) struct Audit<E> {
    pub(crate) inner: E,
    pub(crate) entries: Vec<Entry>,
    /// By tag: the entry that holds it.
    busy: Vec<Option<usize>>,
    sizes: Vec<u64>,
    now: Instant,
    pub(crate) waits: u64,
    pub(crate) outstanding: usize,
    pub(crate) most_outstanding: usize,
}

impl<E: Engine> Audit<E> {
    pub(crate) fn new(inner: E, capacity: usize, targets: &[Target]) -> Audit<E> {
        Audit {
            inner,
            entries: Vec::new(),
            busy: vec![None; capacity],
            sizes: targets.iter().map(|target| target.size.get()).collect(),
            now: Instant::ZERO,
            waits: 0,
            outstanding: 0,
            most_outstanding: 0,
        }
    }

    pub(crate) fn of(&self, op: Op) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.io.op == op)
    }

    pub(crate) fn completed(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.completed.is_some())
    }
}

impl<E: Engine> Engine for Audit<E> {
    fn now(&mut self) -> Instant {
        let now = self.inner.now();
        assert!(now >= self.now, "time went back from {:?} to {now:?}", self.now);
        self.now = now;
        now
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        let slot = &mut self.busy[tag.0 as usize];
        assert!(slot.is_none(), "tag {} was given out twice", tag.0);
        *slot = Some(self.entries.len());
        let end = io.offset + u64::from(io.len);
        assert!(end <= self.sizes[usize::from(io.target.0)], "{io:?} lies beyond the end");
        self.entries.push(Entry { submitted: self.now, io, completed: None });
        self.outstanding += 1;
        self.most_outstanding = self.most_outstanding.max(self.outstanding);
        self.inner.submit(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        assert!(done.is_empty(), "the run loop handed over completions that it had taken");
        self.waits += 1;
        self.inner.wait(until, done)?;
        let now = self.now();
        assert!(!done.is_empty() || now >= until, "came back at {now:?} with nothing before {until:?}");
        for completion in done.iter() {
            let slot = self.busy[completion.tag.0 as usize].take();
            let entry = &mut self.entries[slot.expect("a completion of nothing outstanding")];
            assert!(completion.at >= entry.submitted, "{entry:?} completed before it began");
            assert!(completion.at <= now, "{completion:?} lies in the future of {now:?}");
            entry.completed = Some(completion.at);
            self.outstanding -= 1;
        }
        Ok(())
    }
}
