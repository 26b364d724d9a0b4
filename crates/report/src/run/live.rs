//! A run while it goes on. The display is made here; the program overwrites the terminal.

use iobound_measure::{Interval, IntervalTally, Phase};
use iobound_units::{Instant, Span, format_throughput};

use crate::live::{LivePart, LiveScreen, Rank, Recent};
use crate::number::{count_text, duration_text, rounded, time_text};
use crate::page::Style;

/// Time that a run is meant to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Start of I/O.
    pub begin: Instant,
    /// Start of the counted time.
    pub start: Instant,
    /// End of counting; `None` if it is unknown: until the rate is steady, or until the work is done.
    pub end: Option<Instant>,
    /// End of I/O, with the cool-down.
    pub over: Option<Instant>,
}

/// A running run, for the display.
#[derive(Clone, Debug)]
pub struct Live {
    plan: Plan,
    recent: Recent,
    last: Option<Interval>,
}

/// Name of the IOPS of a run in the history: there is one.
const RUN: &str = "run";

impl Live {
    /// A run of which nothing has been seen.
    pub fn new(plan: Plan) -> Live {
        Live { plan, recent: Recent::default(), last: None }
    }

    /// Takes in an interval that has ended.
    pub fn take(&mut self, interval: &Interval) {
        if interval.length().is_zero() {
            return;
        }
        self.recent.take(RUN, interval.end.since(Instant::ZERO), rate(interval.count(), interval));
        self.last = Some(*interval);
    }

    /// The run as a few lines, to be written over by the next: IOPS and throughput of the last interval with what was
    /// outstanding, the last 40 s, latencies by direction, and how far it has come. None before the first interval.
    pub fn lines(&self, style: Style) -> Vec<String> {
        self.screen().lines(style, None)
    }

    /// The same as a screen.
    pub fn screen(&self) -> LiveScreen {
        let Some(last) = &self.last else { return LiveScreen::default() };
        let values = self.recent.of(RUN);
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        let past = self.recent.past(RUN) + last.length();
        let plan = &self.plan;
        let over = plan.over.or(plan.end).filter(|over| *over > plan.begin);
        let done = last.end.since(plan.begin).secs_f64();
        LiveScreen::of(vec![
            LivePart::Figures { label: "now".into(), figures: rates(last), rank: Rank::Stays },
            LivePart::Bars {
                label: "recent".into(),
                values,
                words: [count_text(low), count_text(high), duration_text(past.secs_f64())],
                rank: Rank::Matters,
            },
            LivePart::Figures { label: "latency".into(), figures: latencies(last), rank: Rank::Matters },
            LivePart::Progress {
                label: phase(last.phase).into(),
                share: over.map(|over| done / over.since(plan.begin).secs_f64()),
                words: progress(plan, last.end),
            },
        ])
    }
}

/// An interval as one line, for output that is not a terminal: its end, its part of the run, its figures, and the time
/// left.
pub fn live_line(interval: &Interval, plan: &Plan, style: Style) -> String {
    if interval.length().is_zero() {
        return String::new();
    }
    let end = rounded(interval.end.since(plan.begin).secs_f64(), 1);
    let left = left(plan, interval.end).map(|left| format!(", {} left", duration_text(left.secs_f64())));
    let mut parts = vec![format!("{end} s {}{}", phase(interval.phase), left.unwrap_or_default())];
    parts.extend(rates(interval));
    parts.extend(latencies(interval));
    // What does not fit is left out from the right, whole.
    let most = style.width.unwrap_or(usize::MAX);
    while parts.len() > 1 && parts.iter().map(|part| part.chars().count() + 2).sum::<usize>() - 2 > most {
        parts.pop();
    }
    style.shown(&parts.join("  "))
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Warmup => "warm-up",
        Phase::Counted => "counted",
        Phase::Cooldown => "cool-down",
    }
}

fn rate(count: u64, interval: &Interval) -> f64 {
    count as f64 / interval.length().secs_f64()
}

/// IOPS, throughput, what was outstanding, and errors.
fn rates(interval: &Interval) -> Vec<String> {
    let mut rates = vec![
        format!("{} IOPS", count_text(rate(interval.count(), interval))),
        format_throughput(rate(interval.bytes(), interval)),
    ];
    // Little's law: what completed × its mean latency ÷ the time. In an open loop that has what waited to be issued.
    let waited_ns = interval.read.sum_ns + interval.write.sum_ns;
    rates.push(format!("depth {}", count_text(waited_ns as f64 / interval.length().ns() as f64)));
    let errors = interval.read.errors + interval.write.errors;
    if errors > 0 {
        rates.push(format!("{} failed", count_text(errors as f64)));
    }
    rates
}

/// The latencies of a direction that completed anything; said which where there are both.
fn latencies(interval: &Interval) -> Vec<String> {
    let both = interval.read.count > 0 && interval.write.count > 0;
    let words = |name: &str, tally: &IntervalTally| {
        let span = |label: &str, span: Option<Span>| {
            span.map(|span| format!("{label} {}", time_text(span.us_f64())))
        };
        let mean = || tally.mean_ns().map(|ns| format!("mean {}", time_text(ns / 1e3)));
        let figures: Vec<String> = [
            span("p50", tally.p50).or_else(mean),
            span("p99", tally.p99),
            span("max", Some(tally.max)).filter(|_| tally.p99.is_none()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if both { format!("{name} {}", figures.join(" ")) } else { figures.join("  ") }
    };
    let directions = [("read", &interval.read), ("write", &interval.write)];
    directions
        .into_iter()
        .filter(|(_, tally)| tally.count > 0)
        .map(|(name, tally)| words(name, tally))
        .collect()
}

fn left(plan: &Plan, now: Instant) -> Option<Span> {
    let over = plan.over.or(plan.end)?;
    Some(if over > now { over.since(now) } else { Span::ZERO })
}

fn progress(plan: &Plan, now: Instant) -> String {
    let done = duration_text(now.since(plan.begin).secs_f64());
    match plan.over.or(plan.end).zip(left(plan, now)) {
        Some((over, left)) => {
            let all = duration_text(over.since(plan.begin).secs_f64());
            format!("{done} of {all}, {} left", duration_text(left.secs_f64()))
        }
        None => format!("{done}, no end set"),
    }
}
