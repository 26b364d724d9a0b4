//! I/Os whose limit is wanted.

use iobound_units::Span;

use crate::answer::{Counts, Scope};
use crate::cumulative::Cumulative;
use crate::step::{Mix, Pace, Recording, Step};

/// I/Os whose limit is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) targets: Vec<usize>,
    pub(crate) counts: Counts,
    pub(crate) scope: Scope,
    pub(crate) block: u32,
    pub(crate) region: Option<(u64, u64)>,
}

impl Wanted {
    pub(crate) fn step(&self, depth: u32, time: Span) -> Step {
        Step {
            targets: self.targets.clone(),
            mix: match self.scope {
                Scope::Reads | Scope::Hits => Mix::Reads,
                Scope::Writes => Mix::Writes,
                Scope::Both => Mix::Half,
            },
            region: self.region,
            with_hits: self.scope == Scope::Hits,
            pace: Pace::Depth(depth),
            ..Step::reads(0, self.block, depth, time)
        }
    }

    /// Count of an I/O.
    pub(crate) fn weight(&self) -> f64 {
        match self.counts {
            Counts::Ios => 1.0,
            Counts::Bytes => f64::from(self.block),
        }
    }

    pub(crate) fn cumulative(&self, recording: &Recording, interval: f64) -> Cumulative {
        let counts = self.counts;
        Cumulative::of(recording, interval, |len| match counts {
            Counts::Ios => 1.0,
            Counts::Bytes => f64::from(len),
        })
    }
}
