//! What is left of a recorder that can't be had any more: the intervals that it handed out.

use iobound_units::{Instant, Op};

use super::interval::{Interval, Phase};
use super::layout::{CellId, Layout};
use super::series::{room_for, tally_of};
use super::{Recorder, Together};
use crate::histogram::{Bins, Histogram, Moments};

/// The intervals that one thread has handed out, kept by another while the first runs, so that its figures outlive it.
///
/// Memory is fixed by the layout, as that of the recorder.
#[derive(Clone)]
pub struct Published {
    intervals: Vec<Interval>,
    most: usize,
    /// Of the counted ones: reads and writes.
    counted: [Side; 2],
    /// An interval came without its latencies: what came after it is not known either.
    torn: bool,
}

#[derive(Clone)]
struct Side {
    bins: Bins<2>,
    moments: Moments,
    bytes: u64,
    errors: u64,
}

impl Published {
    /// Nothing yet, of a recorder of this layout.
    pub fn new(layout: &Layout) -> Published {
        let side = || Side { bins: Bins::new(), moments: Moments::NONE, bytes: 0, errors: 0 };
        let most = room_for(layout);
        Published { intervals: Vec::with_capacity(most), most, counted: [side(), side()], torn: false }
    }

    /// Takes in the next interval of the thread.
    pub fn take(&mut self, next: &Together) {
        let mut interval = *next.interval();
        let kept = (0..2).all(|direction| {
            tally_of(&mut interval, direction).count == 0 || !next.latencies()[direction].is_empty()
        });
        self.torn |= !kept || self.intervals.len() == self.most;
        if self.torn {
            return;
        }
        self.intervals.push(interval);
        if interval.phase != Phase::Counted {
            return;
        }
        for (direction, side) in self.counted.iter_mut().enumerate() {
            let tally = tally_of(&mut interval, direction);
            let mut squares_ns2 = 0_u128;
            for bin in next.latencies()[direction] {
                side.bins.add(bin.index as usize, bin.count());
                let latency_ns = u128::from(bin.highest().min(tally.max).ns());
                squares_ns2 = squares_ns2.saturating_add(latency_ns * latency_ns * u128::from(bin.count()));
            }
            side.bytes += tally.bytes;
            side.errors += tally.errors;
            if tally.count > 0 {
                side.moments.merge(&Moments {
                    count: tally.count,
                    sum_ns: tally.sum_ns,
                    squares_ns2,
                    min_ns: tally.min.ns(),
                    max_ns: tally.max.ns(),
                    saturated: 0,
                });
            }
        }
    }

    /// Until when the thread is known.
    pub fn until(&self, layout: &Layout) -> Instant {
        self.intervals.last().map_or(layout.begin, |interval| interval.end)
    }

    /// A recorder that was told all this, to be merged with those of the other threads. Reads and writes are exact in
    /// number, bytes, errors, sum, minimum and maximum; percentiles and deviation are to two digits; all of it stands
    /// in `cell`. Flushes, discards and the service times of an open loop are not known.
    pub fn into_recorder(self, layout: Layout, cell: CellId) -> Recorder {
        let mut recorder = Recorder::new(layout);
        for interval in self.intervals {
            recorder.close();
            recorder.series.replace_last(interval);
        }
        recorder.reported = recorder.series.intervals().len();
        let tally = &mut recorder.cells[cell.0 as usize];
        let job = &mut recorder.jobs[usize::from(tally.job)];
        for (op, side) in [Op::Read, Op::Write].into_iter().zip(self.counted) {
            let Side { bins, moments, bytes, errors } = side;
            let latencies = Histogram::from_parts(bins.clone(), moments);
            for (index, count) in latencies.sparse() {
                let latency_ns = Bins::<2>::highest(index).min(moments.max_ns);
                job.response[op as usize].add(Bins::<3>::index(latency_ns), count);
            }
            if !tally.open_loop {
                tally.outstanding_ns += moments.sum_ns;
            }
            let of_op = &mut tally.by_op[op as usize];
            (of_op.bins, of_op.moments, of_op.bytes, of_op.errors) = (bins, moments, bytes, errors);
        }
        recorder
    }
}
