use iobound_units::Span;

/// Time by which the pacer's timer is set before a reply is due. A timer wakes its thread late, by the more the longer the processor
/// has slept: in a virtual machine by 15 to 150 µs.
#[derive(Debug, Default)]
pub(crate) struct WakeLead {
    /// Moving mean of how late wake-ups were, in nanoseconds.
    mean: u64,
    /// Moving mean of its deviation.
    deviation: u64,
}

impl WakeLead {
    /// Longest lead in ns. Where other work takes the processor, an earlier timer does not help.
    const MOST: u64 = 200_000;
    /// A new wake-up is one of so many parts of the means.
    const SHARE: u64 = 8;
    /// The lead is at most one of so many parts of a wait.
    const PART: u64 = 4;

    /// Takes in how late the timer woke the thread.
    pub(crate) fn woke(&mut self, late: Span) {
        let late = late.ns().min(WakeLead::MOST);
        let moved = |mean: u64, to: u64| (mean * (WakeLead::SHARE - 1) + to) / WakeLead::SHARE;
        self.deviation = moved(self.deviation, late.abs_diff(self.mean));
        self.mean = moved(self.mean, late);
    }

    /// The lead before the end of a wait: few wake-ups are later. A part of the wait at most, so that the thread sleeps for most of it,
    /// however fast replies follow each other.
    pub(crate) fn of_wait(&self, wait: Span) -> Span {
        Span::from_ns((self.mean + 2 * self.deviation).min(WakeLead::MOST).min(wait.ns() / WakeLead::PART))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead_after(late_us: impl IntoIterator<Item = u64>) -> u64 {
        let mut lead = WakeLead::default();
        late_us.into_iter().for_each(|late| lead.woke(Span::from_us(late)));
        lead.of_wait(Span::from_ms(2)).ns() / 1_000
    }

    #[test]
    fn the_lead_is_what_nearly_all_wake_ups_take() {
        assert_eq!(lead_after([]), 0);
        assert!((58..=62).contains(&lead_after([60; 100])), "{}", lead_after([60; 100]));
        let scattered = lead_after((0..200).map(|n| 40 + 10 * (n % 5)));
        assert!((75..=110).contains(&scattered), "{scattered} for 40 to 80");
        // The processor sleeps no more, and wakes up at once.
        assert!(lead_after([100; 100].into_iter().chain([5; 50])) < 10);
    }

    #[test]
    fn a_busy_machine_makes_no_thread_wait_awake_for_long() {
        assert!(lead_after([5_000; 100]) <= 200);
    }

    #[test]
    fn most_of_a_wait_is_slept() {
        let mut lead = WakeLead::default();
        (0..100).for_each(|_| lead.woke(Span::from_us(80)));
        assert_eq!(lead.of_wait(Span::from_us(40)), Span::from_us(10));
    }
}
