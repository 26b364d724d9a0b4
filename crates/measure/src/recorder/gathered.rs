//! Combined records of the threads of a run.

use std::sync::Arc;

use iobound_units::{Instant, Span};

use super::alike::Alike;
use super::interval::{Interval, IntervalTally, Phase};
use super::layout::{CellId, Layout};
use super::measured::Measured;
use super::series::{Keep, MOST_BINS, SeriesLatencies, room_for};
use super::{Outstanding, Recorder, Together};

/// The recorders of all threads, put together: their intervals as they end, all else when the threads have ended.
///
/// The result is what one recorder of all completions would hold.
#[derive(Clone)]
pub struct Gathered {
    whole: Recorder,
    intervals: Vec<Together>,
    /// Counts behind the percentiles that are kept.
    bins: usize,
    left_out: u64,
    outstanding: Vec<Outstanding>,
}

impl Gathered {
    /// Nothing yet.
    pub fn new(layout: impl Into<Arc<Layout>>) -> Gathered {
        let layout = layout.into();
        let own = super::Own::all(&layout);
        let whole = Recorder::of(layout, own, Keep::Nothing);
        Gathered { whole, intervals: Vec::new(), bins: 0, left_out: 0, outstanding: Vec::new() }
    }

    /// Takes in the next interval, put together of all threads that handed it out.
    pub fn push(&mut self, interval: &Together) {
        if self.intervals.len() == room_for(&self.whole.layout) {
            self.left_out += 1;
            return;
        }
        let filled: usize = interval.latencies().iter().map(|latencies| latencies.len()).sum();
        let room = self.bins + filled <= MOST_BINS;
        self.bins += if room { filled } else { 0 };
        self.intervals.push(if room { interval.clone() } else { interval.without_latencies() });
    }

    /// Takes in the recorder of a thread that ended at `at` with these I/Os outstanding, and returns what the thread
    /// measured alone. To be called after [`Gathered::push`] has had all intervals that the threads handed out.
    pub fn add(&mut self, mut recorder: Recorder, at: Instant, outstanding: &[Outstanding]) -> Measured {
        let first_cell = recorder.own.cells.start as u32;
        let global = |io: &Outstanding| Outstanding { cell: CellId(first_cell + io.cell.0), ..*io };
        self.outstanding.extend(outstanding.iter().map(global));
        self.whole.add_tallies(&recorder);
        recorder.close_until(at);
        self.left_out = self.left_out.max(recorder.series.left_out());
        // An interval that no memory was left for is in no series.
        for index in recorder.reported..recorder.series.closed() {
            let tick =
                recorder.series.tick(index).expect("an interval that was not handed out is not dropped");
            let own = Together::from(tick);
            match self.intervals.get_mut(index) {
                Some(together) => {
                    together.merge(&own);
                    together.reach(own.interval());
                }
                None => self.push(&own),
            }
        }
        let late = recorder.late.take().unwrap_or_default();
        for (start, tallies) in &late.intervals {
            let place = self.intervals.binary_search_by_key(start, |together| together.interval().start);
            if let Ok(place) = place {
                self.intervals[place].add_late(tallies);
            }
        }
        recorder.finish(at, outstanding)
    }

    /// The whole run, which ended at `at`.
    pub fn finish(self, at: Instant) -> Measured {
        let Gathered { whole, intervals, left_out, outstanding, .. } = self;
        let lists = intervals.iter().map(|together| {
            let count =
                |direction: usize| super::series::tally_of(&mut together.interval().clone(), direction).count;
            let kept = |direction: usize| {
                let list = together.latencies()[direction];
                (count(direction) == 0 || !list.is_empty()).then_some(list)
            };
            [kept(0), kept(1)]
        });
        let latencies = SeriesLatencies::from_lists(lists).expect("at most MOST_BINS latencies were kept");
        let series: Vec<Interval> = intervals.iter().map(|together| *together.interval()).collect();
        let alone = whole.finish(at, &outstanding);
        Measured { series, latencies, series_left_out: left_out, ..alone }
    }
}

/// Completions that came after their interval was handed out, by the interval's start.
#[derive(Clone, Debug, Default)]
pub(super) struct Late {
    intervals: Vec<(Instant, [IntervalTally; 2])>,
}

impl Late {
    /// Takes in completions that are alike. Those that are no part of a series are left out.
    pub(super) fn take(&mut self, layout: &Layout, ios: &Alike) {
        if !ios.op.moves_data() {
            return;
        }
        let start = interval_start(layout, ios.at);
        // Few intervals are late at one time, and they are the last ones.
        let place = self.intervals.iter().rposition(|(own, _)| *own == start).unwrap_or_else(|| {
            self.intervals.push((start, [IntervalTally::default(); 2]));
            self.intervals.len() - 1
        });
        self.intervals[place].1[ios.op as usize].add_late(ios);
    }
}

/// The start of the interval that a completion at this time belongs to.
fn interval_start(layout: &Layout, at: Instant) -> Instant {
    let base = match layout.phase_at(at) {
        Phase::Warmup => layout.begin,
        Phase::Counted => layout.start,
        Phase::Cooldown => layout.end,
    };
    let step = layout.interval.ns();
    // A completion at an edge belongs to the interval that ends there.
    let whole = at.since(base).ns().saturating_sub(1) / step;
    base + Span::from_ns(whole * step)
}
