//! What a crash would leave behind, told by the events alone: an oracle that keeps every sector's version, volatile, on its
//! way and on the media.

mod common;

use std::collections::BTreeMap;

use common::build::*;
use common::random::Random;
use iobound_model::{CacheMode, Event, Stack};
use iobound_units::{Instant, Io, Op, Tag};

const SECTOR: u64 = 4096;
const SECTORS: u64 = 64;

/// Versions by sector: the number of the write, from one; zero is nothing.
#[derive(Default)]
struct Kept {
    /// Result of a read.
    volatile: Vec<u64>,
    /// Lines that the flusher took.
    under_way: BTreeMap<(u64, u32), Vec<u64>>,
    /// State after a crash.
    media: Vec<u64>,
    /// By sector: acknowledged, and not discarded since.
    acknowledged: Vec<u64>,
    /// What the media must have when a flush is done, by tag.
    promised: BTreeMap<u32, Vec<u64>>,
}

fn sectors(offset: u64, len: u32) -> std::ops::Range<usize> {
    (offset / SECTOR) as usize..((offset + u64::from(len)) / SECTOR) as usize
}

impl Kept {
    fn new() -> Kept {
        let none = || vec![0; SECTORS as usize];
        Kept { volatile: none(), media: none(), acknowledged: none(), ..Kept::default() }
    }

    fn submitted(&mut self, n: usize, io: Io) {
        match io.op {
            Op::Write => self.volatile[sectors(io.offset, io.len)].fill(n as u64 + 1),
            Op::Flush => drop(self.promised.insert(n as u32, self.acknowledged.clone())),
            _ => {
                for sector in sectors(io.offset, io.len) {
                    self.acknowledged[sector] = 0;
                    self.promised.values_mut().for_each(|promised| promised[sector] = 0);
                }
            }
        }
    }

    fn hear(&mut self, event: &Event, trace: &[(u64, Io)]) {
        match *event {
            Event::Done { tag, .. } => {
                let io = trace[tag.0 as usize].1;
                match io.op {
                    Op::Write => {
                        let version = u64::from(tag.0) + 1;
                        let newer = |known: &mut u64| *known = version.max(*known);
                        self.acknowledged[sectors(io.offset, io.len)].iter_mut().for_each(newer);
                    }
                    Op::Flush => {
                        let promised = self.promised.remove(&tag.0).expect("a flush that was submitted");
                        let kept =
                            promised.iter().zip(&self.media).all(|(promised, there)| there >= promised);
                        assert!(kept, "flush {} is done and not all before it is on the media", tag.0);
                    }
                    _ => {}
                }
            }
            Event::WritingBack { offset, len, .. } => {
                let data = self.volatile[sectors(offset, len)].to_vec();
                self.under_way.insert((offset, len), data);
            }
            Event::Cleaned { offset, len, .. } => {
                let data = self.under_way.remove(&(offset, len)).expect("what arrives was taken");
                for (sector, version) in sectors(offset, len).zip(data) {
                    assert!(version >= self.media[sector], "sector {sector} goes back to an older version");
                    self.media[sector] = version;
                }
            }
        }
    }
}

#[test]
fn what_the_events_say_is_on_the_media_is_there_and_flushes_keep_their_promise() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let mut at = 0;
        // Written over and over, one to four sectors at once; the disk takes 400 a second and 20 ms for each.
        let trace: Vec<_> = (0..2_000)
            .map(|_| {
                at += random.below(4 * MS);
                let count = 1 + random.below(4);
                let (offset, len) = (random.below(SECTORS - count) * SECTOR, (count * SECTOR) as u32);
                match random.below(30) {
                    0 => (at, Io::flush(target(0))),
                    1 => (at, Io::discard(target(0), offset, len)),
                    _ => (at, Io::write(target(0), offset, len)),
                }
            })
            .collect();
        let mut blueprint = one_disk(iops(400), Some(CacheMode::ReadWrite));
        blueprint.disks[0].media = scattered();
        let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
        let (mut kept, mut events, mut again) = (Kept::new(), Vec::new(), 0);
        let mut hear = |stack: &mut Stack, now: u64, kept: &mut Kept| {
            stack.poll(Instant::from_ns(now), &mut events);
            for event in events.drain(..) {
                kept.hear(&event, &trace);
                if let Event::Cleaned { offset, len, .. } = event {
                    let written = sectors(offset, len).filter(|n| kept.volatile[*n] > kept.media[*n]);
                    again += written.count();
                }
            }
        };
        for (n, (at, io)) in trace.iter().enumerate() {
            hear(&mut stack, *at, &mut kept);
            kept.submitted(n, *io);
            stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
        }
        while let Some(next) = stack.next_event() {
            hear(&mut stack, next.ns(), &mut kept);
        }
        assert!(kept.under_way.is_empty() && kept.promised.is_empty());
        for sector in 0..SECTORS as usize {
            assert!(kept.media[sector] >= kept.acknowledged[sector], "sector {sector} is lost (seed {seed})");
        }
        assert!(again > 100, "{again}: the case that matters does not occur");
    }
}
