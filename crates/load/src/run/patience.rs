//! Time that a run whose end has come waits for threads that do not end.

use iobound_units::{Instant, Span};

use crate::engine::{LONGEST_END, PATIENCE};

/// Extra time for waking up and reporting, besides the wait itself.
const GRACE: Span = Span::from_secs(1);

/// A flush of a page cache of 100 GB to a disk that takes 60 MB a second, which is what the smallest do.
const LONGEST_FLUSH: Span = Span::from_secs(1_800);

/// The end of a run, seen by the thread that waits for the others.
pub(super) struct Patience {
    /// End of the run, if nobody ends it before.
    until: Instant,
    /// Threads that still issue I/O, or are in a call that does not return.
    running: usize,
    /// Threads that flush what they wrote.
    flushing: usize,
    /// Since when the end is waited for, or since the last thread came to it.
    since: Option<Instant>,
}

impl Patience {
    pub(super) fn new(until: Instant, threads: usize) -> Patience {
        Patience { until, running: threads, flushing: 0, since: None }
    }

    /// A thread issues no more: it waits for what is outstanding.
    pub(super) fn over(&mut self, now: Instant) {
        self.running -= 1;
        self.since = self.since.map(|_| now);
    }

    /// A thread begins to flush.
    pub(super) fn flushes(&mut self) {
        self.flushing += 1;
    }

    /// And has flushed.
    pub(super) fn flushed(&mut self, now: Instant) {
        self.flushing -= 1;
        self.since = self.since.map(|_| now);
    }

    /// True if threads that have not ended by now hang.
    pub(super) fn is_out(&mut self, now: Instant, stopped: bool) -> bool {
        if self.since.is_none() && (stopped || self.running == 0 || now >= self.until) {
            self.since = Some(now);
        }
        // A running thread looks at the time every 100 ms; a thread that collects completions has its own bound. A
        // flush shows no progress, so the run waits for it until the user stops it.
        let allowed = if self.flushing > 0 && !stopped {
            LONGEST_FLUSH
        } else if self.running > 0 {
            PATIENCE + GRACE
        } else {
            LONGEST_END + GRACE
        };
        self.since.is_some_and(|since| now.since(since) > allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Span::from_secs(seconds)
    }

    #[test]
    fn a_thread_in_a_call_that_does_not_return_is_given_up_six_seconds_after_the_end() {
        let mut patience = Patience::new(at(60), 2);
        assert!(!patience.is_out(at(59), false));
        assert!(!patience.is_out(at(60), false));
        assert!(!patience.is_out(at(66), false));
        assert!(patience.is_out(at(67), false));
    }

    #[test]
    fn a_stop_is_an_end() {
        let mut patience = Patience::new(at(3_600), 1);
        assert!(!patience.is_out(at(10), false));
        assert!(!patience.is_out(at(11), true));
        assert!(patience.is_out(at(18), true));
    }

    #[test]
    fn threads_that_take_back_a_deep_queue_get_the_time_for_it() {
        let mut patience = Patience::new(at(60), 2);
        assert!(!patience.is_out(at(60), false));
        patience.over(at(61));
        patience.over(at(62));
        // 30 s for what is outstanding, and one.
        assert!(!patience.is_out(at(93), false));
        assert!(patience.is_out(at(94), false));
    }

    #[test]
    fn a_flush_takes_its_time_unless_somebody_has_enough() {
        let mut patience = Patience::new(at(60), 1);
        assert!(!patience.is_out(at(60), false));
        patience.over(at(60));
        patience.flushes();
        assert!(!patience.is_out(at(600), false));
        assert!(patience.is_out(at(601), true));
        patience.flushed(at(700));
        assert!(!patience.is_out(at(730), false));
    }

    #[test]
    fn a_run_whose_work_is_done_before_its_end_is_waited_for_from_then_on() {
        let mut patience = Patience::new(at(3_600), 1);
        patience.over(at(5));
        assert!(!patience.is_out(at(5), false));
        assert!(patience.is_out(at(37), false));
    }
}
