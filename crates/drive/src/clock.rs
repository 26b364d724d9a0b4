use iobound_units::Instant;

/// Source of time: a real clock, or one that jumps.
pub trait Clock {
    /// The time.
    fn now(&mut self) -> Instant;
    /// Returns at `at`, or at once if that is past.
    fn sleep_until(&mut self, at: Instant);
}

/// A clock that jumps: in virtual time, waiting is the jump.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtualClock {
    now: Instant,
}

impl Clock for VirtualClock {
    #[inline]
    fn now(&mut self) -> Instant {
        self.now
    }

    #[inline]
    fn sleep_until(&mut self, at: Instant) {
        self.now = self.now.max(at);
    }
}
