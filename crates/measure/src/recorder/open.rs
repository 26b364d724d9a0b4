use iobound_units::Instant;

use super::Layout;
use super::interval::{Interval, IntervalTally, Phase};
use super::tally::Tally;

/// The interval that is being filled.
#[derive(Clone)]
pub(crate) struct OpenInterval {
    pub(crate) start: Instant,
    pub(crate) edge: Instant,
    pub(crate) phase: Phase,
    pub(crate) whole: bool,
    /// The first ns that belongs to it, and how many follow: one comparison tells whether a time does.
    first_ns: u64,
    width_ns: u64,
    /// Reads and writes; flush and discard have no place in a series of IOPS.
    pub(crate) sides: [Tally; 2],
}

impl OpenInterval {
    /// The first interval of a run.
    pub(crate) fn first(layout: &Layout) -> OpenInterval {
        let mut open = OpenInterval {
            start: layout.begin,
            edge: layout.begin,
            phase: Phase::Warmup,
            whole: true,
            first_ns: 0,
            width_ns: 0,
            sides: [Tally::new(), Tally::new()],
        };
        open.begin(layout, layout.begin);
        open.first_ns = layout.begin.ns();
        open.width_ns = open.edge.ns() - open.first_ns;
        open
    }

    /// Moves on to the interval that begins where this one ended.
    pub(crate) fn next(&mut self, layout: &Layout) {
        self.begin(layout, self.edge);
    }

    fn begin(&mut self, layout: &Layout, start: Instant) {
        let limit;
        (self.phase, limit) = if start < layout.start {
            (Phase::Warmup, layout.start)
        } else if start < layout.end {
            (Phase::Counted, layout.end)
        } else {
            (Phase::Cooldown, Instant::MAX)
        };
        self.start = start;
        self.edge = (start + layout.interval).min(limit);
        self.whole = self.edge.since(start) == layout.interval;
        self.first_ns = start.ns().saturating_add(1);
        self.width_ns = self.edge.ns().saturating_sub(self.first_ns);
    }

    /// True if a completion at this time belongs here.
    #[inline]
    pub(crate) fn holds(&self, at: Instant) -> bool {
        at.ns().wrapping_sub(self.first_ns) <= self.width_ns
    }

    /// The interval as it stands, ended at `end`, without percentiles.
    pub(crate) fn snapshot(&self, end: Instant) -> Interval {
        let [read, write] = [0, 1].map(|direction| IntervalTally::of(&self.sides[direction]));
        Interval {
            start: self.start,
            end,
            phase: self.phase,
            whole: self.whole && end == self.edge,
            read,
            write,
        }
    }
}
