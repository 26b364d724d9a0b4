use iobound_units::Instant;

use super::interval::{Interval, Phase};
use super::measured::Measured;
use super::series::SeriesLatencies;

impl Measured {
    /// Puts a later run of the same jobs behind this one, as if counting had gone on: its counted time follows at once, and
    /// what was between the two (cool-down, pause, warm-up) is in neither.
    pub fn append(&mut self, later: &Measured) {
        assert_eq!(self.layout.jobs.len(), later.layout.jobs.len(), "runs of different jobs");
        assert_eq!(self.layout.cells, later.layout.cells, "runs of different cells");
        for (own, more) in self.jobs.iter_mut().zip(&later.jobs) {
            for (own, more) in own.by_op.iter_mut().zip(&more.by_op) {
                own.bytes += more.bytes;
                own.errors += more.errors;
                own.response.merge(&more.response);
                if let (Some(own), Some(more)) = (&mut own.service, &more.service) {
                    own.merge(more);
                }
            }
            own.unfinished += more.unfinished;
            own.never_issued += more.never_issued;
            own.outstanding_ns += more.outstanding_ns;
        }
        for (own, more) in self.cells.iter_mut().zip(&later.cells) {
            for (own, more) in own.by_op.iter_mut().zip(&more.by_op) {
                own.bytes += more.bytes;
                own.errors += more.errors;
                own.response.merge(&more.response);
            }
            own.outstanding_ns += more.outstanding_ns;
        }
        let (own, more) = (counted_or_before(&self.series), counted(&later.series));
        let moved = |at: Instant| self.end + at.since(later.start);
        let behind = more.clone().map(|at| {
            let interval = later.series[at];
            Interval { start: moved(interval.start), end: moved(interval.end), ..interval }
        });
        let series: Vec<Interval> = self.series[own.clone()].iter().copied().chain(behind).collect();
        self.latencies = SeriesLatencies::joined([(&self.latencies, own), (&later.latencies, more)]);
        self.series = series;
        self.series_left_out += later.series_left_out;
        self.end += later.window();
        self.layout.end = self.end;
    }
}

/// Range of the counted intervals.
fn counted(series: &[Interval]) -> std::ops::Range<usize> {
    let first = series.iter().position(|interval| interval.phase == Phase::Counted).unwrap_or(series.len());
    let count = series[first..].iter().take_while(|interval| interval.phase == Phase::Counted).count();
    first..first + count
}

/// The same with the warm-up before them.
fn counted_or_before(series: &[Interval]) -> std::ops::Range<usize> {
    0..counted(series).end
}
