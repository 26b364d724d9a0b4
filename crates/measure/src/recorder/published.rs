//! Handed-out intervals of a recorder that is no longer reachable.

use std::sync::Arc;

use iobound_units::{Instant, Op};

use super::interval::{Interval, Phase};
use super::layout::Layout;
use super::series::{Keep, room_for, tally_of};
use super::tally::Tally;
use super::{Recorder, Together};
use crate::histogram::{Bins, Histogram, Moments};

/// The intervals that one thread has handed out, kept by another while the first runs, so that its figures outlive it.
///
/// Memory grows with the intervals only where they are to be kept.
#[derive(Clone)]
pub struct Published {
    /// Number of intervals that it took in, and where the last one ended.
    count: usize,
    until: Instant,
    /// The intervals themselves, where they are to be kept.
    intervals: Option<Vec<Interval>>,
    most: usize,
    /// Of the counted ones: reads and writes.
    counted: [Tally; 2],
    /// An interval came without its latencies: what came after it is not known either.
    torn: bool,
}

impl Published {
    /// Nothing yet, of a recorder of this layout that keeps so much.
    pub fn new(layout: &Layout, keep: Keep) -> Published {
        let most = room_for(layout);
        let intervals = (keep != Keep::Nothing).then(Vec::new);
        let counted = [Tally::new(), Tally::new()];
        Published { count: 0, until: layout.begin, intervals, most, counted, torn: false }
    }

    /// Takes in the next interval of the thread.
    pub fn take(&mut self, next: &Together) {
        let mut interval = *next.interval();
        let kept = (0..2).all(|direction| {
            tally_of(&mut interval, direction).count == 0 || !next.latencies()[direction].is_empty()
        });
        self.torn |= !kept || self.count == self.most;
        if self.torn {
            return;
        }
        (self.count, self.until) = (self.count + 1, interval.end);
        if let Some(intervals) = &mut self.intervals {
            intervals.push(interval);
        }
        if interval.phase != Phase::Counted {
            return;
        }
        for (direction, side) in self.counted.iter_mut().enumerate() {
            let tally = tally_of(&mut interval, direction);
            for bin in next.latencies()[direction] {
                side.bins.add(bin.index as usize, bin.count());
            }
            side.bytes += tally.bytes;
            side.errors += tally.errors;
            if tally.count > 0 {
                side.moments.merge(&Moments {
                    count: tally.count,
                    sum_ns: tally.sum_ns,
                    squares_ns2: tally.squares_ns2,
                    min_ns: tally.min.ns(),
                    max_ns: tally.max.ns(),
                    saturated: 0,
                });
            }
        }
    }

    /// Until when the thread is known.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// The thread's recorder as far as it is known, to be put together with those of the other threads
    /// ([`Gathered`](super::Gathered)). Reads and writes are exact in number, bytes, errors, mean, deviation, minimum and
    /// maximum; percentiles are to two digits; all of it stands in the thread's first cell. Flushes, discards and
    /// the service times of an open loop are not known.
    pub fn into_recorder(self, layout: Arc<Layout>, thread: u16) -> Recorder {
        let keep = if self.intervals.is_some() { Keep::Intervals } else { Keep::Nothing };
        let mut recorder = Recorder::of_thread(layout, thread, keep);
        while recorder.open.start < self.until {
            recorder.open.next(&recorder.layout);
        }
        recorder.series.pass_over(self.count, self.intervals);
        recorder.reported = recorder.series.closed();
        let tally = &mut recorder.cells[0];
        let job = &mut recorder.jobs[usize::from(tally.job)];
        for (op, side) in [Op::Read, Op::Write].into_iter().zip(self.counted) {
            let moments = side.moments;
            let latencies = Histogram::from_parts(side.bins.clone(), moments);
            for (index, count) in latencies.sparse() {
                let latency_ns = Bins::<2>::highest(index).min(moments.max_ns);
                job.response[op as usize].add(Bins::<3>::index(latency_ns), count);
            }
            if !tally.open_loop {
                tally.outstanding_ns += moments.sum_ns;
            }
            tally.by_op[op as usize] = side;
        }
        recorder
    }
}
