use std::time::{Duration, Instant as Monotonic};

use iobound_drive::Clock;
use iobound_units::{Instant, Span};

/// The machine's monotonic clock: zero when it is first read.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock {
    start: Option<Monotonic>,
    late_ns: u64,
    wakes: u64,
}

impl SystemClock {
    /// A clock whose zero lies this far ahead: until then it shows zero. Copies share the zero.
    pub fn starting_in(span: Span) -> SystemClock {
        let start = Monotonic::now() + Duration::from_nanos(span.ns());
        SystemClock { start: Some(start), late_ns: 0, wakes: 0 }
    }

    /// A clock whose zero is this moment of the machine's monotonic clock, which may have been long ago or lie ahead:
    /// until then it shows zero.
    pub fn starting_at(zero: Monotonic) -> SystemClock {
        SystemClock { start: Some(zero), late_ns: 0, wakes: 0 }
    }

    /// Time until its zero; none once it has come.
    pub fn ahead(&self) -> Span {
        let ahead = self.start.map(|start| start.saturating_duration_since(Monotonic::now()));
        Span::from_ns(ahead.map_or(0, |ahead| u64::try_from(ahead.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// The time since the clock's zero.
    #[inline]
    pub fn now_of_run(&mut self) -> Instant {
        Clock::now(self)
    }

    /// The delay with which it woke on average, of the times it slept at all; `None` before the first.
    pub fn late(&self) -> Option<Span> {
        self.late_ns.checked_div(self.wakes).map(Span::from_ns)
    }
}

/// A sleeping thread wakes late, by the timer slack of 50 µs and what the scheduler adds: the last of a wait is
/// spun away.
const SPUN: Span = Span::from_us(120);

impl Clock for &mut SystemClock {
    #[inline]
    fn now(&mut self) -> Instant {
        SystemClock::now(self)
    }

    fn sleep_until(&mut self, at: Instant) {
        SystemClock::sleep_until(self, at);
    }
}

impl Clock for SystemClock {
    #[inline]
    fn now(&mut self) -> Instant {
        let now = Monotonic::now();
        let start = *self.start.get_or_insert(now);
        let since = now.duration_since(start);
        // In 64 bits, which lasts 584 years: `as_nanos` multiplies in 128.
        Instant::from_ns(since.as_secs() * 1_000_000_000 + u64::from(since.subsec_nanos()))
    }

    fn sleep_until(&mut self, at: Instant) {
        let mut waits = false;
        loop {
            let now = self.now();
            if now >= at {
                if waits {
                    self.late_ns += now.since(at).ns();
                    self.wakes += 1;
                }
                return;
            }
            waits = true;
            let left = at.since(now);
            match left.ns().checked_sub(SPUN.ns()) {
                Some(ns) if ns > 0 => std::thread::sleep(Duration::from_nanos(ns)),
                _ => std::hint::spin_loop(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_whose_zero_lies_ahead_shows_zero_until_then_and_one_that_is_late_shows_how_late() {
        let now = Monotonic::now();
        let mut early = SystemClock::starting_at(now + Duration::from_secs(3_600));
        assert_eq!(early.now(), Instant::ZERO);
        assert!(early.ahead() > Span::from_secs(3_000));
        let mut late = SystemClock::starting_at(now);
        late.sleep_until(Instant::from_ns(50_000));
        assert!(late.now() >= Instant::from_ns(50_000));
        assert_eq!(late.ahead(), Span::ZERO);
    }

    #[test]
    fn the_clock_begins_at_zero_and_never_wakes_early() {
        let mut clock = SystemClock::default();
        assert_eq!(clock.now(), Instant::ZERO);
        for us in [50, 500, 2_000] {
            let at = clock.now() + Span::from_us(us);
            clock.sleep_until(at);
            assert!(clock.now() >= at);
        }
        assert!(clock.late().is_some());
        // A time in the past needs no wait.
        let late = clock.late();
        clock.sleep_until(Instant::ZERO);
        assert_eq!(clock.late(), late);
    }
}
