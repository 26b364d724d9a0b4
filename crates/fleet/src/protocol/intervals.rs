//! The intervals of all ranks, put together as they come.

use std::collections::BTreeMap;

use iobound_measure::Together;
use iobound_units::{Instant, Span};

/// Time that is waited for an interval of the last rank once the first told its own.
const LATE: Span = Span::from_secs(2);

/// Intervals of a stage that some ranks have told and that were not handed on yet.
#[derive(Debug, Default)]
pub(super) struct Intervals {
    open: BTreeMap<Instant, Open>,
    handed_on: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    together: Together,
    /// Number of ranks that are in it, and how many of them still run.
    ranks: u32,
    running: u32,
    since: Instant,
}

impl Intervals {
    /// Takes in the interval of a rank that runs. One that comes when its own was handed on is not in it.
    pub(super) fn take(&mut self, told: Together, now: Instant) {
        let start = told.interval().start;
        if self.handed_on.is_some_and(|last| start <= last) {
            return;
        }
        match self.open.get_mut(&start) {
            Some(open) => {
                open.together.merge(&told);
                open.together.reach(told.interval());
                (open.ranks, open.running) = (open.ranks + 1, open.running + 1);
            }
            None => {
                self.open.insert(start, Open { together: told, ranks: 1, running: 1, since: now });
            }
        }
    }

    /// A rank has ended. Its last interval began then. Its intervals stay, and nothing waits for more of them.
    pub(super) fn ended(&mut self, last: Option<Instant>) {
        let Some(last) = last else { return };
        for (_, open) in self.open.range_mut(..=last) {
            open.running = open.running.saturating_sub(1);
        }
    }

    /// Next interval that all running ranks have sent, or whose time is up: with the number of ranks in it, and the
    /// number without late ones.
    pub(super) fn next(&mut self, running: u32, now: Instant) -> Option<(Together, u32, u32)> {
        let (start, first) = self.open.first_key_value()?;
        let late = running.saturating_sub(first.running);
        if late > 0 && now.since(first.since) < LATE {
            return None;
        }
        self.handed_on = Some(*start);
        self.open.pop_first().map(|(_, open)| (open.together, open.ranks, open.ranks + late))
    }
}
