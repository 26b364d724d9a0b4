//! I/Os from events: an event that begins an I/O, and one that completes it.
//!
//! I/Os begin when they are queued (Q). If the first events of a trace have none, they begin when they are issued to the
//! device (D), and else they are the completions (C). fio's replay takes the queued ones as well.

use std::collections::{BTreeMap, VecDeque};

use iobound_trace::{BATCH, NO_LATENCY, Record, Source, TraceError, TraceFacts};
use iobound_units::Op;

use super::format::TraceFormat;
use super::latency::negative_note;

/// Meaning of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventStage {
    /// An I/O is queued.
    Queue,
    /// A request is issued to the device.
    Issue,
    /// A request, or a part of one, has completed.
    Complete,
    /// A request goes back to the queue, to be issued again.
    Requeue,
}

/// An event of a block device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) at_ns: u64,
    pub(super) action: EventStage,
    pub(super) device: u16,
    pub(super) op: Op,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// Events, nearly in order of time.
pub(super) trait EventSource {
    /// The next event; `None` at the end.
    fn next(&mut self) -> Result<Option<Event>, TraceError>;
    fn devices(&self) -> &[String];
    fn facts(&self) -> TraceFacts;
}

/// Events that are looked at before it is decided where I/Os begin.
const LOOKED_AT: usize = 65_536;
/// I/Os that wait for their completion, at most.
const WAITING: usize = 65_536;
/// An I/O that has not completed in this time, in ns, is handed out without a latency.
const PATIENCE: u64 = 60_000_000_000;

struct Pending {
    record: Record,
    /// Bytes that have not completed; one for a flush.
    remaining: u64,
    requeued: bool,
}

/// I/Os of a source of events.
pub(super) struct Paired<E> {
    events: E,
    format: TraceFormat,
    first: VecDeque<Event>,
    begins: Option<EventStage>,
    held: VecDeque<Pending>,
    /// Number of I/Os that have left `held`.
    gone: u64,
    /// Numbers of the I/Os that have not completed, by device, operation and offset.
    open: BTreeMap<(u16, Op, u64), VecDeque<u64>>,
    ended: bool,
    failed: Option<TraceError>,
    unmatched: u64,
    negative: u64,
    ios: u64,
    zero_length: u64,
}

impl<E: EventSource> Paired<E> {
    pub(super) fn new(events: E, format: TraceFormat) -> Paired<E> {
        Paired {
            events,
            format,
            first: VecDeque::new(),
            begins: None,
            held: VecDeque::new(),
            gone: 0,
            open: BTreeMap::new(),
            ended: false,
            failed: None,
            unmatched: 0,
            negative: 0,
            ios: 0,
            zero_length: 0,
        }
    }

    /// Decides which events begin I/Os.
    fn look(&mut self) {
        while self.first.len() < LOOKED_AT {
            match self.events.next() {
                Ok(Some(event)) => self.first.push_back(event),
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        let has = |action| self.first.iter().any(|event| event.action == action);
        let begins = [EventStage::Queue, EventStage::Issue].into_iter().find(|action| has(*action));
        self.begins = Some(begins.unwrap_or(EventStage::Complete));
    }

    fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.first.pop_front() {
            return Some(event);
        }
        if self.failed.is_some() {
            return None;
        }
        self.events.next().unwrap_or_else(|error| {
            self.failed = Some(error);
            None
        })
    }

    fn take(&mut self, event: &Event) {
        let begins = self.begins.unwrap_or(EventStage::Queue);
        if event.action == begins {
            self.begin(event, begins != EventStage::Complete);
        } else if event.action == EventStage::Complete {
            self.complete(event);
        } else if event.action == EventStage::Requeue && begins == EventStage::Issue {
            self.requeue(event);
        }
    }

    fn begin(&mut self, event: &Event, completes: bool) {
        let Event { at_ns, device, op, offset, length, .. } = *event;
        let record = Record { at_ns, offset, length, latency_ns: NO_LATENCY, device, op };
        let remaining = if completes { length.max(1) } else { 0 };
        if completes {
            let number = self.gone + self.held.len() as u64;
            self.open.entry((device, op, offset)).or_default().push_back(number);
        }
        self.held.push_back(Pending { record, remaining, requeued: false });
    }

    /// Completes the open I/Os that a completed request covers: several if they were merged, a part of one if it was split.
    fn complete(&mut self, event: &Event) {
        let end = event.offset.saturating_add(event.length.max(1));
        let key = |offset| (event.device, event.op, offset);
        let mut found = false;
        // Of a split I/O the later parts lie behind the place where it begins.
        let before = self.open.range(key(0)..key(event.offset)).next_back().map(|(key, _)| key.2);
        let inside: Vec<u64> = self.open.range(key(event.offset)..key(end)).map(|(key, _)| key.2).collect();
        for offset in before.into_iter().chain(inside) {
            let Some(number) = self.open.get(&key(offset)).and_then(|numbers| numbers.front()).copied()
            else {
                continue;
            };
            let Some(pending) =
                number.checked_sub(self.gone).and_then(|at| self.held.get_mut(usize::try_from(at).ok()?))
            else {
                self.close(key(offset));
                continue;
            };
            let from = offset.max(event.offset);
            let to = offset.saturating_add(pending.record.length.max(1)).min(end);
            if to <= from {
                continue;
            }
            found = true;
            pending.remaining = pending.remaining.saturating_sub(to - from);
            if pending.remaining == 0 {
                let latency = event.at_ns.checked_sub(pending.record.at_ns);
                self.negative += u64::from(latency.is_none());
                pending.record.latency_ns = latency.unwrap_or(NO_LATENCY);
                self.close(key(offset));
            }
        }
        self.unmatched += u64::from(!found);
    }

    fn close(&mut self, key: (u16, Op, u64)) {
        if let Some(numbers) = self.open.get_mut(&key) {
            numbers.pop_front();
            if numbers.is_empty() {
                self.open.remove(&key);
            }
        }
    }

    fn requeue(&mut self, event: &Event) {
        let key = (event.device, event.op, event.offset);
        let Some(number) = self.open.get(&key).and_then(|numbers| numbers.front()).copied() else { return };
        let at = number.checked_sub(self.gone).and_then(|at| usize::try_from(at).ok());
        if let Some(pending) = at.and_then(|at| self.held.get_mut(at)) {
            pending.requeued = true;
            pending.remaining = 0;
        }
        self.close(key);
    }

    /// Takes the first I/O if it need not wait at this time.
    fn ready(&mut self, now_ns: Option<u64>) -> Option<Pending> {
        let first = self.held.front()?;
        let waited = now_ns.is_none_or(|now| now.saturating_sub(first.record.at_ns) > PATIENCE);
        if first.remaining > 0 && !waited && self.held.len() <= WAITING {
            return None;
        }
        let Pending { record, remaining, .. } = first;
        if *remaining > 0 {
            let key = (record.device, record.op, record.offset);
            if self.open.get(&key).and_then(|numbers| numbers.front()) == Some(&self.gone) {
                self.close(key);
            }
        }
        self.gone += 1;
        self.held.pop_front()
    }
}

impl<E: EventSource> Source for Paired<E> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if self.begins.is_none() {
            self.look();
        }
        let before = batch.len();
        while batch.len() - before < BATCH {
            let now = if self.ended {
                None
            } else {
                match self.next() {
                    Some(event) => {
                        self.take(&event);
                        Some(event.at_ns)
                    }
                    None => {
                        self.ended = true;
                        None
                    }
                }
            };
            while batch.len() - before < BATCH
                && let Some(pending) = self.ready(now)
            {
                if !pending.requeued {
                    let record = pending.record;
                    self.ios += 1;
                    self.zero_length += u64::from(record.length == 0 && record.op != Op::Flush);
                    batch.push(record);
                }
            }
            if self.ended && self.held.is_empty() {
                break;
            }
        }
        match self.failed.take() {
            Some(error) if batch.len() == before => Err(error),
            failed => {
                self.failed = failed;
                Ok(())
            }
        }
    }

    fn devices(&self) -> &[String] {
        self.events.devices()
    }

    fn facts(&self) -> TraceFacts {
        let mut facts = self.events.facts();
        facts.format = self.format.name().into();
        facts.time_unit = "ns".into();
        facts.zero_length = self.zero_length;
        facts.notes.push(
            match self.begins {
                None | Some(EventStage::Queue) => {
                    "I/Os begin when they are queued (Q); latency is up to completion (C)"
                }
                Some(EventStage::Issue) => "no I/O is queued (Q): I/Os begin when they are issued (D)",
                _ => "no I/O is queued (Q) or issued (D): I/Os are the completions (C), without latencies",
            }
            .into(),
        );
        if self.unmatched > 0 {
            facts.notes.push(format!("completions without an I/O of the trace: {}", self.unmatched));
        }
        facts.notes.extend(negative_note(self.negative));
        facts
    }
}
