//! Goal of a search for the highest load: `--find-load`, fio's `latency_target`.

use iobound_units::{Span, parse_span};

/// A share of the I/Os that has to be fast enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoadGoal {
    /// The highest latency.
    pub(crate) target: Span,
    /// Percentage of the I/Os that must meet it.
    pub(crate) percent: f64,
    /// Time that a depth is tried.
    pub(crate) probe: Span,
    /// Time that the run is at the depth that was found.
    pub(crate) then: Then,
    /// The option that asks for it.
    pub(crate) option: &'static str,
}

/// Time that a run is at the depth that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Its own time.
    WholeRun,
    /// Result of the probes.
    Rest,
    /// A probe's time.
    OneProbe,
}

/// Time that a probe of the knee lasts, and its warm-up.
pub(super) const KNEE_PROBE: (Span, Span) = (Span::from_secs(2), Span::from_ms(500));
/// Time that `--find-load` tries a depth.
const PROBE: Span = Span::from_secs(2);
/// `p99:5ms`: a percentile and its bound.
pub(crate) fn parse_load_goal(text: &str) -> Result<LoadGoal, String> {
    let wrong = || format!("`{text}` is not a goal: write a percentile and its bound: p99:5ms, p99.9:20ms");
    let (percentile, bound) = text.split_once(':').ok_or_else(wrong)?;
    let percent = percentile.strip_prefix('p').and_then(|percent| percent.parse().ok());
    let percent = percent.filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0).ok_or_else(wrong)?;
    let target = parse_span(bound).map_err(|error| error.to_string())?;
    if target.is_zero() {
        return Err(wrong());
    }
    Ok(LoadGoal { target, percent, probe: PROBE, then: Then::WholeRun, option: "--find-load" })
}
