//! The figures of a run, how near those of two runs are, and what is asked.

use iobound_measure::{Histogram, Measured};

/// A limiter binds if it lets through at least this share of its limit.
const BINDS: f64 = 0.98;

/// Figures of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) iops: f64,
    pub(crate) mean: f64,
    /// The 50th, 95th and 99th percentile.
    pub(crate) percentiles: [f64; 3],
}

impl Figures {
    /// Of all I/Os that counted; times in microseconds.
    pub(crate) fn of(measured: &Measured) -> Figures {
        let mut all: Histogram = Histogram::new();
        measured.jobs.iter().flat_map(|job| &job.by_op).for_each(|op| all.merge(&op.response));
        Figures {
            iops: all.count() as f64 / measured.window().secs_f64(),
            mean: all.moments().mean_ns().unwrap_or(f64::NAN) / 1e3,
            percentiles: [50.0, 95.0, 99.0].map(|at| all.value_at_percentile(at) as f64 / 1e3),
        }
    }
}

/// Limit of the simulated run, which decides the compared figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binds {
    /// A limiter: IOPS, and percentiles.
    Limiter,
    /// The media's latency: the mean.
    Latency,
    /// A cache's hits: the median.
    Hits,
}

impl Binds {
    /// By the fullest limiter's share of its limit, and whether every I/O was a hit.
    pub(crate) fn of(fullest: f64, all_hits: bool) -> Binds {
        match (fullest >= BINDS, all_hits) {
            (true, _) => Binds::Limiter,
            (false, true) => Binds::Hits,
            (false, false) => Binds::Latency,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Binds::Limiter => "limiter",
            Binds::Latency => "latency",
            Binds::Hits => "hits",
        }
    }

    /// Figures of the emulated run that are farther from the simulated one than asked; `transport` is the median of a round trip
    /// without a model.
    pub(crate) fn misses(self, simulated: &Figures, emulated: &Figures, transport: f64) -> Vec<String> {
        let mut misses = Vec::new();
        let mut judge = |what: &str, simulated: f64, emulated: f64, most: f64| {
            let off = emulated - simulated;
            if off.abs() > most {
                misses.push(format!("{what} {off:+.0} of {most:.0} us"));
            }
        };
        match self {
            Binds::Limiter => {
                let names = ["p50", "p95", "p99"];
                for (what, (one, other)) in
                    names.into_iter().zip(simulated.percentiles.into_iter().zip(emulated.percentiles))
                {
                    judge(what, one, other, (one * 0.05).max(100.0));
                }
                let off = emulated.iops / simulated.iops - 1.0;
                if off.abs() > 0.005 {
                    misses.push(format!("IOPS {:+.2} of 0.5 %", off * 100.0));
                }
            }
            Binds::Latency => judge("mean", simulated.mean, emulated.mean, (simulated.mean * 0.02).max(30.0)),
            Binds::Hits => judge("p50", simulated.percentiles[0], emulated.percentiles[0], 20.0 + transport),
        }
        misses
    }
}
