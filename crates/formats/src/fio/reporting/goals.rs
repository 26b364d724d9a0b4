//! Goals that end a run early: `steadystate` and `latency_target`.

use iobound_units::Span;

use crate::fio::asked::Asked;
use crate::fio::units::Bare;

/// `steadystate`: the job ends once its figures change no more than this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyGoal {
    /// IOPS are judged; else bandwidth.
    pub of_iops: bool,
    /// By the slope of a line through the samples; else by their largest distance from the mean.
    pub by_slope: bool,
    /// The bound, in IOPS or bytes a second, or in percent of the mean.
    pub limit: f64,
    /// The bound is in percent.
    pub in_percent: bool,
    /// Number of seconds that are judged together, a sample each (`steadystate_duration`).
    pub seconds: u64,
    /// Samples begin a second after this time (`steadystate_ramp_time`).
    pub ramp: Span,
}

/// `latency_target`: the deepest queue at which latencies stay below this is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyGoal {
    /// The highest latency.
    pub target: Span,
    /// Time that a depth is tried.
    pub window: Span,
    /// Percentage of the I/Os that must meet it.
    pub percent: f64,
    /// The job goes on at the depth that was found (`latency_run`).
    pub runs_on: bool,
}

impl SteadyGoal {
    /// Request of a job. As in fio, there is none without `steadystate_duration`.
    pub(super) fn read(asked: &mut Asked<'_>) -> Option<SteadyGoal> {
        let text = asked.text("steadystate")?;
        let wrong = |asked: &mut Asked<'_>| {
            let what = format!("steadystate={text} is not a goal");
            asked.refuse("steadystate", what, "write iops:10%, iops_slope:0.1%, bw:5% or bw_slope:1m");
        };
        let duration = asked.time("steadystate_duration", Bare::Seconds).unwrap_or(Span::ZERO);
        let ramp = asked.time("steadystate_ramp_time", Bare::Seconds).unwrap_or(Span::ZERO);
        let Some((kind, limit)) = text.split_once(':') else {
            wrong(asked);
            return None;
        };
        let of_iops = kind.starts_with("iops");
        let by_slope = kind.ends_with("_slope");
        let in_percent = limit.ends_with('%');
        let number = limit.trim_end_matches('%');
        let bytes = || crate::fio::units::parse_bytes(number, asked.kb_base).ok().map(|bytes| bytes as f64);
        let limit = match of_iops || in_percent {
            true => number.parse().ok().filter(|limit: &f64| limit.is_finite()),
            false => bytes(),
        };
        let known = ["iops", "iops_slope", "bw", "bw_slope"].contains(&kind);
        let Some(limit) = limit.filter(|limit| known && *limit >= 0.0) else {
            wrong(asked);
            return None;
        };
        let seconds = duration.ns() / 1_000_000_000;
        let goal = SteadyGoal { of_iops, by_slope, limit, in_percent, seconds, ramp };
        (seconds > 0).then_some(goal)
    }

    /// The goal as fio writes it.
    pub(crate) fn text(&self) -> String {
        let kind = if self.of_iops { "iops" } else { "bw" };
        let slope = if self.by_slope { "_slope" } else { "" };
        format!("{kind}{slope}:{:.6}{}", self.limit, if self.in_percent { "%" } else { "" })
    }
}

impl LatencyGoal {
    /// Request of a job.
    pub(super) fn read(asked: &mut Asked<'_>) -> Option<LatencyGoal> {
        let target = asked.time("latency_target", Bare::Microseconds)?;
        let window = asked.time("latency_window", Bare::Microseconds).unwrap_or(Span::ZERO);
        let text = asked.text("latency_percentile").unwrap_or("100");
        let percent = text.parse().ok().filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0);
        let Some(percent) = percent else {
            let what = format!("latency_percentile={text} is not a share of the I/Os");
            asked.refuse("latency_percentile", what, "write a number above 0 and up to 100: 99.9");
            return None;
        };
        if target.is_zero() {
            return None;
        }
        if window.is_zero() {
            let what = "latency_target without latency_window does not say how long a depth is tried";
            asked.refuse("latency_target", what, "add latency_window=5s");
            return None;
        }
        Some(LatencyGoal { target, window, percent, runs_on: asked.truth("latency_run") })
    }
}
