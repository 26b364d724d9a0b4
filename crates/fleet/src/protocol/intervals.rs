//! The intervals of all ranks, put together as they come.

use std::collections::BTreeMap;

use iobound_measure::Together;
use iobound_units::{Instant, Span};

/// How long is waited for an interval of the last rank once the first told its own.
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
    ranks: u32,
    since: Instant,
}

impl Intervals {
    /// Takes in a rank's interval. One that comes when its own was handed on is not in it.
    pub(super) fn take(&mut self, told: Together, now: Instant) {
        let start = told.interval().start;
        if self.handed_on.is_some_and(|last| start <= last) {
            return;
        }
        match self.open.get_mut(&start) {
            Some(open) => {
                open.together.merge(&told);
                open.together.reach(told.interval());
                open.ranks += 1;
            }
            None => {
                self.open.insert(start, Open { together: told, ranks: 1, since: now });
            }
        }
    }

    /// The next one that is complete, or whose time is up.
    pub(super) fn next(&mut self, expected: u32, now: Instant) -> Option<(Together, u32)> {
        let (start, first) = self.open.first_key_value()?;
        if first.ranks < expected && now.since(first.since) < LATE {
            return None;
        }
        self.handed_on = Some(*start);
        self.open.pop_first().map(|(_, open)| (open.together, open.ranks))
    }
}
