//! True if a trace was replayed as it was recorded.

use iobound_drive::ReplayMode;
use iobound_measure::Histogram;
use iobound_measure::result::{Check, Outcome as Verdict, ReplayFacts, round};
use iobound_units::{Counted, Grouped, Op, Span};

use super::{Seen, check};
use crate::run::Replayed;

/// The rate of a timed replay may differ from the recorded one by this share.
const RATE: f64 = 0.01;
/// Of fewer I/Os, or of a shorter time, the rate is mostly its own edges.
const FEWEST: u64 = 10;
const SHORTEST: Span = Span::from_ms(100);

/// The rate of each replay beside the recorded one, I/Os that were changed, and latencies beside the recorded ones.
pub(super) fn replay(seen: &Seen) -> Vec<Check> {
    let mut checks = Vec::new();
    for replayed in &seen.outcome.replays {
        checks.extend(rate(replayed));
        checks.extend(changed(replayed));
        checks.extend(recorded(seen, replayed));
    }
    checks
}

/// A replay beside its recording, for the result; `None` if the replay failed.
pub fn replay_facts(replayed: &Replayed) -> Option<ReplayFacts> {
    let counts = replayed.counts?;
    let (issued, recorded) = (counts.last_issue, replayed.lasts);
    let has_rate = counts.complete && counts.issued >= FEWEST && recorded >= SHORTEST;
    Some(ReplayFacts {
        trace: replayed.job.clone(),
        mode: match replayed.mode {
            ReplayMode::Timed => "timed",
            ReplayMode::Dependent => "dependent",
            ReplayMode::Eager => "eager",
        }
        .into(),
        speed: replayed.speed.as_f64(),
        complete: counts.complete,
        issued: counts.issued,
        recorded_s: round::seconds(recorded.ns()),
        issued_s: round::seconds(issued.ns()),
        rate: has_rate.then(|| round::share(recorded.secs_f64() / issued.secs_f64().max(1e-9))),
        most_outstanding: Some(replayed.most_outstanding),
        held_back: counts.held_back,
        wrapped: counts.wrapped,
        rounded: counts.rounded,
        left_out: counts.left_out,
    })
}

fn rate(replayed: &Replayed) -> Option<Check> {
    const NAME: &str = "replay";
    let facts = replay_facts(replayed)?;
    let issued = Counted(facts.issued, "I/O");
    if !facts.complete {
        let says = format!("issued {issued}, and the trace has more");
        return Some(check(NAME, Verdict::Unknown, says));
    }
    let says = format!(
        "issued {issued} within {:.3} s, which are {:.3} s of the trace",
        facts.issued_s, facts.recorded_s
    );
    let without_times = match replayed.mode {
        ReplayMode::Timed => None,
        ReplayMode::Dependent => Some("each waited for those that had completed before it in the recording"),
        ReplayMode::Eager => Some("the times of the log were ignored"),
    };
    if let Some(how) = without_times {
        return Some(check(NAME, Verdict::Ok, format!("{says}; {how}")));
    }
    let Some(share) = facts.rate else { return Some(check(NAME, Verdict::Ok, says)) };
    let mut says = format!("{says}: {:.1} % of the recorded rate", share * 100.0);
    if facts.held_back > 0 {
        let (held, most) = (Counted(facts.held_back, "I/O"), Grouped(replayed.most_outstanding));
        says.push_str(&format!(
            "; {held} waited because {most} others were outstanding, the most of this run"
        ));
    }
    let is_at_rate = (share - 1.0).abs() <= RATE;
    if !is_at_rate {
        says.push_str(match facts.held_back {
            _ if share > 1.0 => "; the last I/Os of the trace were not issued: see `replay-changes`",
            0 => "; no I/O waited for the target: the program issued late, see `schedule`",
            _ => "; the target is slower than the trace",
        });
    }
    Some(check(NAME, if is_at_rate { Verdict::Ok } else { Verdict::Warning }, says))
}

fn changed(replayed: &Replayed) -> Option<Check> {
    let counts = replayed.counts?;
    let parts = [
        (counts.wrapped, "wrapped: beyond the end of the target"),
        (counts.rounded, "rounded to the block size of the target"),
        (counts.left_out, "left out: without a length, or longer than the target or than a buffer"),
    ];
    let said: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", Counted(*count, "I/O")))
        .collect();
    (!said.is_empty()).then(|| {
        let says = format!("{}; sequential runs and reuse may differ from the recording", said.join("; "));
        check("replay-changes", Verdict::Warning, says)
    })
}

/// The latencies of reads and writes beside those of the recording, if it has any.
fn recorded(seen: &Seen, replayed: &Replayed) -> Option<Check> {
    let then = Some(&replayed.recorded).filter(|recorded| recorded.count() > 0)?;
    let mut now = Histogram::new();
    for job in &seen.outcome.total.jobs {
        for op in [Op::Read, Op::Write] {
            now.merge(&job.op(op).response);
        }
    }
    let figures = |of: &Histogram| {
        let mean = of.moments().mean_ns().unwrap_or(0.0) / 1e3;
        let at = |percentile| of.percentile_ns(percentile) as f64 / 1e3;
        format!("mean {mean:.1} µs, p50 {:.1} µs, p99 {:.1} µs", at(50.0), at(99.0))
    };
    let says = format!("latencies were {} in the recording, and are {} here", figures(then), figures(&now));
    Some(check("recorded-latency", Verdict::Ok, says))
}
