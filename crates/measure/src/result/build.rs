use iobound_units::{Counted, Op, Span};

use super::facts::{Confidence, PerSecond, Start, Steady, SteadyDirection};
use super::figures::Depth;
use super::parts::{CellResult, Histograms, JobResult, PartResult};
use super::{RunResult, Source, point, round};
use crate::confidence::{batch_means, standard_errors};
use crate::histogram::HIGHEST_NS;
use crate::recorder::{Interval, Measured};
use crate::rounds::{counted, rounds_of};
use crate::steady::{Steadiness, SteadyVerdict, settled};
use crate::summary::{self, Summary};

impl RunResult {
    /// All that a recorder measured. What it cannot know (engine, device, checks, circumstances) is left to
    /// whoever ran it.
    pub fn from_measured(measured: &Measured, source: Source) -> RunResult {
        let Summary { total, by_operation } = summary::run(measured);
        let window_ns = measured.window().ns();
        let (begin, interval) = (measured.layout.begin, measured.layout.interval);
        let requested = measured.layout.jobs.iter().map(|job| job.requested_depth).sum();
        let outstanding_ns = measured.jobs.iter().map(|job| job.outstanding_ns).sum();
        let open = measured.jobs.iter().zip(&measured.layout.jobs).filter(|(_, job)| job.is_open());
        RunResult {
            start: Some(Start {
                warmup_s: Some(round::seconds(measured.start.since(begin).ns())),
                counted_s: Some(round::seconds(window_ns)),
                interval_s: Some(round::seconds(interval.ns())),
                ..Start::default()
            }),
            total,
            by_operation,
            depth: Some(depth(requested, outstanding_ns, window_ns)),
            per_second: per_second(&measured.series),
            unfinished: Some(measured.jobs.iter().map(|job| job.unfinished).sum()),
            never_issued: open.map(|(job, _)| job.never_issued).reduce(|a, b| a + b),
            steady: steady(measured),
            confidence: confidence(&measured.series),
            standard_errors: standard_errors(measured),
            notes: notes(measured),
            jobs: (0..measured.jobs.len()).map(|index| job(measured, index)).collect(),
            threads: threads(measured),
            targets: targets(measured),
            cells: measured.cells.iter().map(|part| cell(measured, part)).collect(),
            series: point::points(measured),
            ..RunResult::new(source)
        }
    }

    /// Adds every latency of each job: a few thousand numbers, which reports leave out.
    pub fn attach_histograms(&mut self, measured: &Measured) {
        for (result, job) in self.jobs.iter_mut().zip(&measured.jobs) {
            let of = |op: Op| Some(&job.op(op).response).filter(|histogram| !histogram.is_empty()).cloned();
            result.histograms = Some(Histograms {
                read: of(Op::Read),
                write: of(Op::Write),
                flush: of(Op::Flush),
                discard: of(Op::Discard),
            });
        }
    }
}

fn depth(requested: Option<u64>, outstanding_ns: u128, window_ns: u64) -> Depth {
    let achieved = (window_ns > 0).then(|| round::depth(outstanding_ns as f64 / window_ns as f64));
    Depth { requested, achieved, at_device: None }
}

fn job(measured: &Measured, index: usize) -> JobResult {
    let Summary { total, by_operation } = summary::job(measured, index);
    let (layout, job) = (&measured.layout.jobs[index], &measured.jobs[index]);
    JobResult {
        name: layout.name.clone(),
        label: summary::label(measured, [index]),
        total,
        by_operation,
        depth: Some(depth(layout.requested_depth, job.outstanding_ns, measured.window().ns())),
        requested_iops: layout.requested_iops.map(round::iops),
        unfinished: Some(job.unfinished),
        never_issued: layout.is_open().then_some(job.never_issued),
        histograms: None,
    }
}

fn threads(measured: &Measured) -> Vec<PartResult> {
    let part = |(thread, summary): (usize, Summary)| {
        let Summary { total, by_operation } = summary;
        PartResult { name: thread.to_string(), total, by_operation }
    };
    summary::all_threads(measured).into_iter().enumerate().map(part).collect()
}

fn targets(measured: &Measured) -> Vec<PartResult> {
    let part = |(name, summary): (&String, Summary)| {
        let Summary { total, by_operation } = summary;
        PartResult { name: name.clone(), total, by_operation }
    };
    measured.layout.targets.iter().zip(summary::all_targets(measured)).map(part).collect()
}

fn cell(measured: &Measured, part: &crate::recorder::MeasuredCell) -> CellResult {
    let Summary { total, by_operation } = summary::cell(measured, part);
    CellResult {
        job: measured.layout.jobs[usize::from(part.cell.job)].name.clone(),
        thread: part.cell.thread,
        target: measured.layout.targets[usize::from(part.cell.target.0)].clone(),
        total,
        by_operation,
    }
}

fn per_second(series: &[Interval]) -> Option<PerSecond> {
    let seconds = rounds_of(series, Span::from_secs(1));
    let iops = seconds.iter().map(|round| round.iops());
    let (min, max) = iops.fold((f64::MAX, f64::MIN), |(min, max), iops| (min.min(iops), max.max(iops)));
    (!seconds.is_empty()).then(|| PerSecond { min: round::iops(min), max: round::iops(max) })
}

fn steady(measured: &Measured) -> Option<Steady> {
    let verdict = SteadyVerdict::of(&measured.series)?;
    let from = settled(&measured.series).map(|at| at.since(measured.layout.begin));
    let direction = |steadiness: Option<Steadiness>| {
        steadiness.map(|steadiness| SteadyDirection {
            steady: steadiness.is_steady(),
            range: round::share(steadiness.range),
            excursion: round::share(steadiness.excursion),
        })
    };
    Some(Steady {
        steady: verdict.is_steady(),
        from_s: from.map(|from| round::seconds(from.ns())),
        round_s: round::seconds(verdict.rounds[0].end.since(verdict.rounds[0].start).ns()),
        read: direction(verdict.read),
        write: direction(verdict.write),
    })
}

fn confidence(series: &[Interval]) -> Option<Confidence> {
    let intervals = counted(series);
    let length = intervals.first()?.length();
    let iops: Vec<f64> =
        intervals.iter().map(|interval| interval.count() as f64 / length.secs_f64()).collect();
    let estimate = batch_means(&iops)?;
    Some(Confidence {
        level: 0.95,
        low_iops: round::iops((estimate.mean - estimate.half_width).max(0.0)),
        high_iops: round::iops(estimate.mean + estimate.half_width),
        relative: round::share(estimate.relative()),
        batches: estimate.batches,
        batch_s: round::seconds(estimate.batch_len.saturating_mul(length.ns())),
        independent: estimate.independent,
    })
}

fn notes(measured: &Measured) -> Vec<String> {
    let mut notes = Vec::new();
    if measured.series_left_out > 0 {
        notes.push(format!(
            "the series ends after {} intervals; {} later intervals were not kept",
            measured.series.len(),
            measured.series_left_out
        ));
    }
    let saturated: u64 =
        measured.jobs.iter().flat_map(|job| &job.by_op).map(|op| op.response.saturated()).sum();
    if saturated > 0 {
        notes.push(format!(
            "{} above {}: percentiles use that value for them, and mean and maximum are exact",
            Counted(saturated, "latency value"),
            Span::from_ns(HIGHEST_NS)
        ));
    }
    notes
}
