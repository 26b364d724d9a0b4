//! Bursts that are shorter than the interval of the measurement.
//!
//! Documentation: AWS, "How do I use CloudWatch to identify if my EBS volume is micro-bursting?": means of a minute
//! stay below the volume's figures while seconds of it are throttled.
//! Evidence: means with room at every limit, and some seconds at a limit. Without the seconds: more outstanding I/Os on
//! average than the media needs for that rate, for a load that is not known to be constant. That is *possible*: a slow host
//! looks the same.
//! Remedy: look second by second; spread the load; provision for the peak.

use iobound_model::Dimension;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

/// True if means hide a queue: more I/Os are outstanding on average than wait for the media, and no depth is said.
pub(super) fn hides_a_queue(case: &Case<'_>) -> bool {
    let total = &case.observed.total;
    let few = of::MICRO_BURST_HELD * case.resolved.disks.len() as f64;
    let timed = case.observed.series.is_empty() && total.depth.is_none();
    timed && !case.is_local() && total.held().is_some_and(|held| held > few)
}

/// Share of the seconds at an IOPS limit, the first of them, and the limit's name; `None` if none is, or most are.
fn seconds_at_a_limit(case: &Case<'_>) -> Option<(f64, f64, String)> {
    let series = &case.observed.series;
    let mean = case.observed.total.iops.filter(|_| series.len() >= of::SEVERAL_SECONDS)?;
    let ios = case.usages.iter().filter(|usage| usage.dimension == Dimension::Ios);
    let usage = ios.max_by(|one, other| case.share(one).total_cmp(&case.share(other)))?;
    let limit = mean / case.share(usage);
    let at: Vec<f64> =
        series.iter().filter(|moment| moment.iops >= of::FULL * limit).map(|moment| moment.at_s).collect();
    let share = at.len() as f64 / series.len() as f64;
    let first = at.first().filter(|_| share < of::FURTHER)?;
    Some((share, *first, usage.name()))
}

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    const ADVICE: &str = "spread checkpoints, flushes and batch jobs over time, or provision for the peak";
    if let Some((share, first_s, limit)) = seconds_at_a_limit(case).filter(|_| case.has_room()) {
        let claim =
            format!("{:.0} % of the intervals are at {limit}, the mean is below it", (share * 100.0).ceil());
        let finding = Finding::new("micro-burst", Confidence::Likely, 1.2, claim)
            .because(format!("the first of them begins at {first_s:.0} s"))
            .because(format!("the mean is at {:.0} % of the fullest limit", case.fullest() * 100.0));
        return Some(
            finding.advise(ADVICE).to_be_sure("the same with a rate that is limited below the peaks"),
        );
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = case.observed.total.latency_us.typical()? / 1e3;
    let fullest = case.fullest();
    if !case.has_room() || fullest < of::MICRO_BURST || ms <= of::SLOW_MEDIA * slow || !hides_a_queue(case) {
        return None;
    }
    let held = case.observed.total.held()?;
    let claim = format!(
        "{ms:.1} ms at {:.0} % of the fullest limit: bursts shorter than the interval may fill it",
        fullest * 100.0
    );
    Some(
        Finding::new("micro-burst", Confidence::Possible, 0.85, claim)
            .because(format!(
                "{held:.0} I/Os outstanding on average, where the media takes {slow:.1} ms at most"
            ))
            .advise(ADVICE)
            .to_be_sure("the same second by second (iostat -x 1), or the cloud's metrics of exceeded limits"),
    )
}
