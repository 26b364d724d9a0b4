//! Players: an arrival trace, and closed loops.

use iobound_model::{Event, Outcome, Spent, Stack};
use iobound_units::{Instant, Io, Tag};

/// End of one I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) at: u64,
    pub(crate) outcome: Outcome,
    pub(crate) spent: Spent,
}

/// Dirty data that was taken to the media, or has reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cleaned {
    pub(crate) disk: u16,
    pub(crate) offset: u64,
    pub(crate) len: u32,
    pub(crate) at: u64,
}

/// What came out of a trace: I/O n of the trace is `done[n]`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) done: Vec<Finished>,
    pub(crate) taken: Vec<Cleaned>,
    pub(crate) cleaned: Vec<Cleaned>,
}

impl Played {
    /// Completion time of each I/O, in nanoseconds.
    pub(crate) fn times(&self) -> Vec<u64> {
        self.done.iter().map(|done| done.at).collect()
    }

    pub(crate) fn last(&self) -> u64 {
        self.done.iter().map(|done| done.at).max().unwrap_or(0)
    }
}

/// Collects events, and sees to it that they come in order of time, that every I/O completes once, and that what reaches
/// the media is what was taken there, no byte of it twice at a time.
struct Collector {
    done: Vec<Option<Finished>>,
    taken: Vec<Cleaned>,
    cleaned: Vec<Cleaned>,
    /// Disk, offset and length of what is on its way to the media.
    under_way: Vec<(u16, u64, u32)>,
    latest: u64,
    events: Vec<Event>,
}

impl Collector {
    fn poll(&mut self, stack: &mut Stack, now: u64) {
        stack.poll(Instant::from_ns(now), &mut self.events);
        for event in self.events.drain(..) {
            let at = match event {
                Event::Done { tag, at, outcome } => {
                    let slot = &mut self.done[tag.0 as usize];
                    assert!(slot.is_none(), "I/O {} completes twice", tag.0);
                    *slot = Some(Finished { at: at.ns(), outcome, spent: stack.spent(tag) });
                    at
                }
                Event::WritingBack { disk, offset, len, at } => {
                    let beside = |(on, from, bytes): &(u16, u64, u32)| {
                        *on != disk.0
                            || from + u64::from(*bytes) <= offset
                            || offset + u64::from(len) <= *from
                    };
                    assert!(self.under_way.iter().all(beside), "{offset} is under way twice");
                    self.under_way.push((disk.0, offset, len));
                    self.taken.push(Cleaned { disk: disk.0, offset, len, at: at.ns() });
                    at
                }
                Event::Cleaned { disk, offset, len, at } => {
                    let known = self.under_way.iter().position(|range| *range == (disk.0, offset, len));
                    self.under_way.swap_remove(known.expect("what arrives was taken"));
                    self.cleaned.push(Cleaned { disk: disk.0, offset, len, at: at.ns() });
                    at
                }
            };
            assert!(at.ns() >= self.latest && at.ns() <= now, "an event out of its time");
            self.latest = at.ns();
        }
    }
}

/// Submits every I/O at its time (they ascend), looks at each event when it happens, and waits for the last.
pub(crate) fn play(stack: &mut Stack, trace: &[(u64, Io)]) -> Played {
    play_with(stack, trace, |_, _| {})
}

/// The same; `before(stack, n)` is called at the time of I/O n, before it is submitted.
pub(crate) fn play_with(
    stack: &mut Stack,
    trace: &[(u64, Io)],
    mut before: impl FnMut(&mut Stack, usize),
) -> Played {
    let mut collector = Collector {
        done: vec![None; trace.len()],
        taken: Vec::new(),
        cleaned: Vec::new(),
        under_way: Vec::new(),
        latest: 0,
        events: Vec::new(),
    };
    for (n, (at, io)) in trace.iter().enumerate() {
        while let Some(next) = stack.next_event().filter(|next| next.ns() <= *at) {
            collector.poll(stack, next.ns());
        }
        collector.poll(stack, *at);
        before(stack, n);
        stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
    }
    while let Some(next) = stack.next_event() {
        collector.poll(stack, next.ns());
    }
    let done = collector.done.into_iter().enumerate();
    Played {
        done: done.map(|(n, done)| done.unwrap_or_else(|| panic!("I/O {n} never completes"))).collect(),
        taken: collector.taken,
        cleaned: collector.cleaned,
    }
}

/// Keeps `depth` I/Os outstanding; `next(n)` is the n-th.
pub(crate) struct Loop<'a> {
    pub(crate) depth: u32,
    pub(crate) next: Box<dyn FnMut(u64) -> Io + 'a>,
}

pub(crate) fn closed<'a>(depth: u32, next: impl FnMut(u64) -> Io + 'a) -> Loop<'a> {
    Loop { depth, next: Box::new(next) }
}

/// What a loop got between `warm` and `until`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Got {
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    /// Of every I/O completed in that time, in order of completion.
    pub(crate) latencies: Vec<u64>,
    seconds: f64,
}

impl Got {
    pub(crate) fn iops(&self) -> f64 {
        self.ios as f64 / self.seconds
    }

    pub(crate) fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.seconds / 1e6
    }
}

/// Number of tags that the loops need.
pub(crate) fn tags(loops: &[Loop<'_>]) -> usize {
    loops.iter().map(|l| l.depth as usize).sum()
}

/// Runs loops from time zero; counts what completes after `warm`.
pub(crate) fn run(stack: &mut Stack, mut loops: Vec<Loop<'_>>, warm: u64, until: u64) -> Vec<Got> {
    let seconds = (until - warm) as f64 / 1e9;
    let mut got = vec![Got { seconds, ..Got::default() }; loops.len()];
    let mut slots: Vec<(usize, u64, u32)> = Vec::new();
    let mut issued = vec![0; loops.len()];
    for (index, job) in loops.iter_mut().enumerate() {
        for _ in 0..job.depth {
            let io = (job.next)(issued[index]);
            issued[index] += 1;
            stack.submit(Instant::ZERO, Tag(slots.len() as u32), io);
            slots.push((index, 0, io.len));
        }
    }
    let mut events = Vec::new();
    while let Some(now) = stack.next_event().filter(|next| next.ns() < until) {
        stack.poll(now, &mut events);
        for event in events.drain(..) {
            let Event::Done { tag, at, .. } = event else { continue };
            let (index, begun, len) = slots[tag.0 as usize];
            let latency = at.ns() - begun;
            assert_eq!(stack.spent(tag).total().ns(), latency, "the parts of a latency sum to it");
            if at.ns() >= warm {
                got[index].ios += 1;
                got[index].bytes += u64::from(len);
                got[index].latencies.push(latency);
            }
            let io = (loops[index].next)(issued[index]);
            issued[index] += 1;
            slots[tag.0 as usize] = (index, at.ns(), io.len);
            stack.submit(at, tag, io);
        }
    }
    got
}
