//! The delay with which replies go out: replied − due, the emulator's own error, never hidden.

use std::sync::{Mutex, MutexGuard, PoisonError};

use iobound_measure::Histogram;
use iobound_units::{Instant, Span};

#[derive(Debug, Default)]
struct Counts {
    total: Histogram,
    interval: Histogram,
}

/// The lateness of one front's replies, in nanoseconds, since the start and since the last look. A front counts a reply
/// when it has handed it to its client's socket or file; what then waits there is the client's.
#[derive(Debug, Default)]
pub struct Lateness(Mutex<Counts>);

impl Lateness {
    /// Takes in replies that went out at `replied`, by when they were due.
    pub fn replied(&self, replied: Instant, due: impl IntoIterator<Item = Instant>) {
        let counts = &mut *self.counts();
        for due in due {
            counts.interval.record(since(replied, due).ns());
        }
    }

    /// All replies since the start.
    pub fn total(&self) -> Histogram {
        let counts = &mut *self.counts();
        let mut total = counts.total.clone();
        total.merge(&counts.interval);
        total
    }

    /// The replies since [`Lateness::interval`] was asked last, which still has them.
    pub fn so_far(&self) -> Histogram {
        self.counts().interval.clone()
    }

    /// The replies since this was asked last.
    pub fn interval(&self) -> Histogram {
        let counts = &mut *self.counts();
        counts.total.merge(&counts.interval);
        std::mem::take(&mut counts.interval)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing goes out before it is due; two looks at the clock in different threads may say so all the same.
fn since(replied: Instant, due: Instant) -> Span {
    Span::from_ns(replied.ns().saturating_sub(due.ns()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_has_what_the_intervals_have() {
        let lateness = Lateness::default();
        let at = |us| Instant::ZERO + Span::from_us(us);
        lateness.replied(at(100), [at(90), at(40)]);
        assert_eq!(lateness.interval().moments().sum_ns(), 70_000);
        assert!(lateness.interval().is_empty());
        lateness.replied(at(200), [at(199)]);
        assert_eq!(lateness.so_far().count(), 1);
        assert_eq!((lateness.total().count(), lateness.total().moments().sum_ns()), (3, 71_000));
        assert_eq!(lateness.interval().count(), 1);
        assert_eq!(lateness.total().count(), 3);
    }
}
