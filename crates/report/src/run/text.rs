//! The screen of `run`.

use iobound_measure::result::{LoopLabel, ReplayFacts, Source};
use iobound_units::{Counted, Op};
use iobound_workload::{Job, Load, Workload, describe, describe_trace};

use super::{Ended, RunScreen, RunStage, around, bound, figures, parts};
use crate::compare::condition_text;
use crate::number::duration_text;
use crate::page::{Page, Style};

/// The screen of `run`: each stage, then text for all stages.
pub fn run_text(screen: &RunScreen<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let several = screen.stages.len() > 1;
    for (index, stage) in screen.stages.iter().enumerate() {
        if several {
            page.gap();
            page.line(&format!("stage {} of {}", index + 1, screen.stages.len()));
        }
        one(stage, &mut page);
    }
    page.gap();
    around::prepared(screen.prepared, &mut page);
    let conditions: Vec<String> = screen.conditions.iter().map(condition_text).collect();
    page.list("fail-if", &conditions);
    let kept: Vec<String> = screen.stages.iter().filter_map(|stage| stage.result.id.clone()).collect();
    page.figures("kept as", &kept);
    page.figures("next", screen.next);
    let text = page.text();
    format!("{}\n", text.trim_end())
}

fn one(stage: &RunStage<'_>, page: &mut Page) {
    header(stage, page);
    page.gap();
    figures::rates(stage, page);
    figures::seconds(stage.result, page);
    figures::steadiness(stage.result, page);
    figures::latency(stage, page);
    page.gap();
    crate::fleet::hosts(stage.result, page);
    page.gap();
    parts::operations(stage.result, page);
    parts::jobs(stage.result, page);
    parts::threads_and_targets(stage.result, page);
    page.gap();
    bound::predicted(stage, page);
    page.gap();
    around::depth(stage.result, is_held_back(stage.workload), page);
    around::cpu(stage.result, page);
    around::devices(stage.result, page);
    around::shortfall(stage.result, page);
    page.gap();
    around::checks(stage.result, page);
    page.list("notes", &stage.result.notes);
}

/// The request, and of whom: the jobs, then targets, engine, cache, loop and directions.
fn header(stage: &RunStage<'_>, page: &mut Page) {
    let result = stage.result;
    for job in &stage.workload.jobs {
        let replay = result.replays.iter().find(|replay| replay.trace == job.name);
        match (replay, stage.workload.jobs.as_slice()) {
            (Some(replay), _) => page.paragraph(&replay_words(replay, job)),
            (None, [_]) => page.paragraph(&describe(job)),
            (None, _) => page.paragraph(&format!("{}: {}", job.name, describe(job))),
        }
    }
    let names = || result.targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ");
    let device = result.device.clone().unwrap_or_else(names);
    let mut how: Vec<String> = result.engine.clone().into_iter().collect();
    if result.source == Source::Measured {
        how.push(cache_words(stage.workload).into());
    }
    let label = result.total.latency_us.and_then(|latency| latency.label);
    how.extend(label.filter(|_| result.replays.is_empty()).map(|label| loop_words(label).into()));
    how.extend(direction_words(stage));
    match device.is_empty() {
        true => page.paragraph(&how.join(", ")),
        false => page.paragraph(&format!("{device}   {}", how.join(", "))),
    }
    around::source(result, page);
    let counted = result.start.as_ref().and_then(|start| start.counted_s);
    let until = counted.map_or(String::new(), |seconds| format!(" after {}", duration_text(seconds)));
    match &stage.ended {
        Ended::Complete => {}
        Ended::Interrupted => {
            page.stressed(
                "STOPPED",
                &format!("interrupted: the measurement ended{until}; figures cover that time"),
            );
        }
        Ended::Failed(why) => page.stressed("FAILED", &format!("{why}; the measurement ended{until}")),
    }
}

/// A replay in words: `timed replay of monday.trace: 3,000 I/Os within 10 s (recorded: 10 s), 8 KiB read, …`.
fn replay_words(replay: &ReplayFacts, job: &Job) -> String {
    let ReplayFacts { trace, mode, speed, .. } = replay;
    let faster = if *speed == 1.0 { String::new() } else { format!(" at {speed} times the speed") };
    let times =
        format!("within {} (recorded: {})", duration_text(replay.issued_s), duration_text(replay.recorded_s));
    let ios = Counted(replay.issued, "I/O");
    format!("{mode} replay of {trace}{faster}: {ios} {times}, {}", describe_trace(job))
}

/// True if the page cache was in the way.
fn cache_words(workload: &Workload) -> &'static str {
    let buffered = workload.jobs.iter().filter(|job| job.buffered).count();
    match buffered {
        0 => "O_DIRECT",
        n if n == workload.jobs.len() => "buffered (the page cache is measured too)",
        _ => "O_DIRECT and buffered, by job",
    }
}

/// Operations in the plural: `reads and writes`; what was asked for where nothing was done.
fn direction_words(stage: &RunStage<'_>) -> Option<String> {
    let by = &stage.result.by_operation;
    let done = [by.read.is_some(), by.write.is_some(), by.flush.is_some(), by.discard.is_some()];
    let asked = |op: Op| {
        stage.workload.jobs.iter().any(|job| job.mix.iter().any(|share| share.op == op && share.weight > 0))
    };
    let plural = |op: Op| match op {
        Op::Flush => "flushes".to_string(),
        op => format!("{}s", op.name()),
    };
    let any = done.contains(&true);
    let words: Vec<String> = Op::ALL
        .into_iter()
        .filter(|op| if any { done[*op as usize] } else { asked(*op) })
        .map(plural)
        .collect();
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [most @ .., last] => Some(format!("{} and {last}", most.join(", "))),
    }
}

/// The words for a loop.
pub(super) fn loop_words(label: LoopLabel) -> &'static str {
    match label {
        LoopLabel::Closed => "closed loop",
        LoopLabel::Open => "open loop",
        LoopLabel::Mixed => "mixed loop",
    }
}

/// True if a job's own rate may keep it from what may be outstanding.
fn is_held_back(workload: &Workload) -> bool {
    let held = |job: &Job| job.think.is_some() || !matches!(job.load, Load::Closed { cap: None, .. });
    workload.jobs.iter().any(held)
}
