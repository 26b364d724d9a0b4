//! IOPS, throughput and latency of a run, second by second and over all.

use iobound_measure::RunResult;
use iobound_measure::result::{Confidence, Latency, LoopLabel, PhaseLabel, Point, SteadyDirection};
use iobound_workload::Load;

use super::RunStage;
use super::text::loop_words;
use crate::number::{both_throughputs_text, count_text, duration_text, percent_text, rounded, time_text};
use crate::page::Page;
use crate::spark::sparkline;

/// The most bars of a sparkline, however wide the page.
const MOST_BARS: usize = 120;
/// Tolerance of N = X·R: a mean latency that differs more is not what the depth makes it.
const LITTLE: f64 = 0.05;
/// A median of so many times the shortest latency is mostly waiting.
const QUEUEING: f64 = 2.0;

/// IOPS, throughput in both units, how far the mean can be trusted, and whether it was steady.
pub(super) fn rates(stage: &RunStage<'_>, page: &mut Page) {
    let result = stage.result;
    let total = &result.total;
    if total.ios == Some(0) {
        page.stressed("IOPS", "0: no read or write completed during the measurement");
        return;
    }
    let Some(iops) = total.iops else {
        page.stressed("IOPS", "unknown: the measurement did not start");
        return;
    };
    let mut figures = vec![count_text(iops)];
    figures.extend(total.throughput_bytes_per_s.map(both_throughputs_text));
    figures.extend(result.confidence.as_ref().map(confidence_words));
    figures.extend(steady_words(result));
    page.figures("IOPS", &figures);
}

fn confidence_words(confidence: &Confidence) -> String {
    let (low, high) = (count_text(confidence.low_iops), count_text(confidence.high_iops));
    let level = percent_text(confidence.level);
    let at_least = if confidence.independent { "" } else { " or wider" };
    format!("{low}-{high}{at_least} ({level} confidence)")
}

fn steady_words(result: &RunResult) -> Option<String> {
    let steady = result.steady.as_ref()?;
    if !steady.steady {
        return Some("not steady".into());
    }
    Some(match steady.from_s {
        Some(from) if from > 0.0 => format!("steady from {}", duration_text(from)),
        _ => "steady".into(),
    })
}

/// The rounds of each direction that was not steady, beside what the rule allows.
pub(super) fn steadiness(result: &RunResult, page: &mut Page) {
    let Some(steady) = result.steady.as_ref().filter(|steady| !steady.steady) else { return };
    let words = |name: &str, direction: Option<SteadyDirection>| {
        let direction = direction.filter(|direction| !direction.steady)?;
        let excursion = match direction.excursion {
            e if e < 0.0 => format!("fall by {} of it", percent_text(-e)),
            e => format!("rise by {} of it", percent_text(e)),
        };
        Some(format!("{name} range over {} of their mean and {excursion}", percent_text(direction.range)))
    };
    let mut text: Vec<String> =
        [words("reads", steady.read), words("writes", steady.write)].into_iter().flatten().collect();
    let round = duration_text(steady.round_s);
    text.push(format!("steady is at most 20 % and 10 %, over five rounds of {round}"));
    page.labelled("", &text.join("; "));
}

/// The seconds as bars, between the slowest and the fastest.
pub(super) fn seconds(result: &RunResult, page: &mut Page) {
    let Some(per_second) = result.per_second else { return };
    let interval = result.start.as_ref().and_then(|start| start.interval_s).filter(|length| *length > 0.0);
    let each = interval.unwrap_or(1.0);
    let values = by_second(&result.series, each);
    let (low, high) = (count_text(per_second.min), count_text(per_second.max));
    let room = page.room().saturating_sub(low.len() + high.len() + 2).min(MOST_BARS);
    let bars = sparkline(&values, per_second.min, per_second.max, room);
    let label = if each > 1.0 { format!("each {}", duration_text(each)) } else { "seconds".into() };
    page.labelled(&label, &format!("{low} {bars} {high}"));
}

/// IOPS of the counted whole intervals, those shorter than a second put together to seconds.
fn by_second(series: &[Point], interval_s: f64) -> Vec<f64> {
    let usable = |point: &&Point| point.phase == PhaseLabel::Counted && !point.cut_short;
    let iops: Vec<f64> = series.iter().filter(usable).map(|point| point.iops).collect();
    let each = (rounded(1.0 / interval_s, 0) as usize).max(1);
    iops.chunks_exact(each).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect()
}

/// Latency with its loop; in an open loop the service time beside; and what makes it where it is the queue.
pub(super) fn latency(stage: &RunStage<'_>, page: &mut Page) {
    let total = &stage.result.total;
    let Some(latency) = total.latency_us else { return };
    let label = latency.label;
    let mut figures = percentiles(&latency, page.is_wide());
    figures.extend(label.map(|label| match label {
        LoopLabel::Closed => loop_words(label).to_string(),
        LoopLabel::Open | LoopLabel::Mixed => {
            format!("{}: response, from the intended time", loop_words(label))
        }
    }));
    page.figures("latency", &figures);
    if let Some(service) = total.service_us {
        let mut figures = percentiles(&service, page.is_wide());
        figures.push("from issue".into());
        page.figures("service", &figures);
    }
    if let Some(text) = queueing(stage, &latency) {
        page.labelled("", &text);
    }
}

/// Mean, percentiles as far as the sample supports them, and maximum.
fn percentiles(latency: &Latency, all: bool) -> Vec<String> {
    [
        ("mean", latency.mean, true),
        ("stdev", latency.stdev, all),
        ("min", latency.min, all),
        ("p50", latency.p50, true),
        ("p90", latency.p90, true),
        ("p95", latency.p95, all),
        ("p99", latency.p99, true),
        ("p99.9", latency.p99_9, true),
        ("p99.99", latency.p99_99, true),
        ("p99.999", latency.p99_999, all),
        ("p99.9999", latency.p99_9999, all),
        ("max", latency.max, true),
    ]
    .into_iter()
    .filter(|(_, _, shown)| *shown)
    .filter_map(|(name, value, _)| value.map(|value| format!("{name} {}", time_text(value))))
    .collect()
}

/// The mean latency by Little's law: outstanding ÷ IOPS. If most of it is above the time of a single I/O, it is
/// queueing.
fn queueing(stage: &RunStage<'_>, latency: &Latency) -> Option<String> {
    let (result, mean) = (stage.result, latency.mean?);
    let pauses = |job: &iobound_workload::Job| {
        job.think.is_some() || !matches!(job.load, Load::Closed { cap: None, .. })
    };
    let closed = latency.label == Some(LoopLabel::Closed) && !stage.workload.jobs.iter().any(pauses);
    let achieved =
        result.depth.and_then(|depth| depth.achieved).filter(|achieved| closed && *achieved >= 1.5)?;
    let iops = result.total.iops.filter(|iops| *iops > 0.0)?;
    if (achieved / iops * 1e6 / mean - 1.0).abs() > LITTLE {
        return None;
    }
    let law = format!("= {} outstanding / {} IOPS", count_text(rounded(achieved, 1)), count_text(iops));
    let alone = stage.prediction.map(|prediction| prediction.alone.us_f64()).filter(|alone| *alone > 0.0);
    Some(match (alone, latency.min, latency.p50) {
        (Some(alone), ..) if mean >= QUEUEING * alone => {
            format!("{law}: queueing; an I/O alone takes {}", time_text(alone))
        }
        (None, Some(min), Some(p50)) if p50 >= QUEUEING * min && min > 0.0 => {
            // A lucky hit may be the shortest: it is a witness, and no proof.
            format!("{law}: queueing; the fastest I/O took {}", time_text(min))
        }
        _ => law,
    })
}
