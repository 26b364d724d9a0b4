use iobound_units::{Instant, Op};

use super::measured::{Measured, MeasuredCell, MeasuredCellOp, MeasuredJob, MeasuredOp};
use super::{CellTally, JobTally, Outstanding, Recorder};
use crate::histogram::{Histogram, Moments};

impl Recorder {
    /// Takes in all that another recorder with the same layout recorded (that of another thread), without
    /// loss: the result is what one recorder of all the completions would hold. Intervals that are closed by
    /// then are not handed out any more.
    pub fn merge(&mut self, mut other: Recorder) {
        assert_eq!(self.layout, other.layout, "recorders of different layouts");
        while self.open.start < other.open.start {
            self.close();
        }
        while other.open.start < self.open.start {
            other.close();
        }
        for (side, more) in self.open.sides.iter_mut().zip(&other.open.sides) {
            side.merge(more);
        }
        self.series.merge(&other.series);
        (self.reported, self.unkept) = (self.series.closed(), None);
        self.add_tallies(&other);
    }

    /// Takes in all that another recorder of the same run counted by cell and by job, the series apart.
    pub(super) fn add_tallies(&mut self, other: &Recorder) {
        let first_cell = other.own.cells.start - self.own.cells.start;
        for (cell, more) in self.cells[first_cell..].iter_mut().zip(&other.cells) {
            cell.outstanding_ns += more.outstanding_ns;
            for (tally, more) in cell.by_op.iter_mut().zip(&more.by_op) {
                tally.merge(more);
            }
        }
        let extremes = other.moments_by_job();
        let first_job = other.own.jobs.start - self.own.jobs.start;
        for ((job, more), moments) in self.jobs[first_job..].iter_mut().zip(&other.jobs).zip(extremes) {
            job.unfinished += more.unfinished;
            job.never_issued += more.never_issued;
            for (op, moments) in moments.iter().enumerate().filter(|(_, moments)| moments.count > 0) {
                job.response[op].merge(&more.response[op], moments.min_ns, moments.max_ns);
            }
            for (service, more) in job.service.iter_mut().zip(&more.service) {
                service.merge(more);
            }
        }
    }

    /// Ends the recording at `at`, with the I/Os that are outstanding then. Where the run was cut short,
    /// counting ended at `at`.
    pub fn finish(mut self, at: Instant, outstanding: &[Outstanding]) -> Measured {
        self.close_until(at);
        let start = self.layout.start;
        let end = at.min(self.layout.end).max(start);
        let layout = self.own.layout(&self.layout);
        for io in outstanding.iter().filter(|io| io.issued < end) {
            let cell = &mut self.cells[io.cell.0 as usize];
            cell.outstanding_ns += u128::from(end.since(io.issued.max(start)).ns());
            self.jobs[usize::from(cell.job)].unfinished += 1;
        }
        let moments = self.moments_by_job();
        let mut jobs: Vec<_> =
            self.jobs.into_iter().zip(moments).map(|(job, moments)| measured_job(job, &moments)).collect();
        for cell in &self.cells {
            let job = &mut jobs[usize::from(cell.job)];
            job.outstanding_ns += cell.outstanding_ns;
            for (op, tally) in job.by_op.iter_mut().zip(&cell.by_op) {
                op.bytes += tally.bytes;
                op.errors += tally.errors;
            }
        }
        let cells = self.cells.into_iter().zip(&layout.cells).map(|(tally, cell)| MeasuredCell {
            cell: *cell,
            outstanding_ns: tally.outstanding_ns,
            by_op: tally.by_op.map(|op| MeasuredCellOp {
                bytes: op.bytes,
                errors: op.errors,
                response: Histogram::from_parts(op.bins, op.moments),
            }),
        });
        let cells = cells.collect();
        let (series, latencies, series_left_out) = self.series.into_parts();
        Measured { layout, start, end, jobs, cells, series, latencies, series_left_out }
    }

    /// Closes all intervals that began before `at`; the last one ends there. Nothing is recorded after that.
    pub(super) fn close_until(&mut self, at: Instant) {
        while self.open.edge <= at {
            self.close();
        }
        if self.open.start < at || self.open.sides.iter().any(|side| !side.is_empty()) {
            // A batch may hold completions that are later than the time at which the loop ends.
            let end = at.max(self.open.start);
            self.series.close(&mut self.open, end);
            self.open.start = end;
        }
    }

    /// The moments of each job's latencies by operation. They are not kept on the way: the cells have them.
    fn moments_by_job(&self) -> Vec<[Moments; Op::ALL.len()]> {
        let mut jobs = vec![[Moments::NONE; Op::ALL.len()]; self.jobs.len()];
        for CellTally { job, by_op, .. } in &self.cells {
            for (moments, tally) in jobs[usize::from(*job)].iter_mut().zip(by_op) {
                moments.merge(&tally.moments);
            }
        }
        jobs
    }
}

fn measured_job(job: JobTally, moments: &[Moments; Op::ALL.len()]) -> MeasuredJob {
    let JobTally { response, service, unfinished, never_issued } = job;
    let mut service = service.into_iter();
    let mut moments = moments.iter();
    let by_op = response.map(|bins| MeasuredOp {
        bytes: 0,
        errors: 0,
        response: Histogram::from_parts(bins, moments.next().copied().unwrap_or(Moments::NONE)),
        service: service.next(),
    });
    MeasuredJob { by_op, unfinished, never_issued, outstanding_ns: 0 }
}
