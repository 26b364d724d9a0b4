//! Offset of a rank's clock from the coordinator's.
//!
//! The coordinator asks what the rank's clock shows, several times, each as soon as the one before was answered. The answer was
//! given at some moment between asking and hearing, so that the clock is known to half the round trip whatever way took
//! longer; of several the shortest round trip knows most (as NTP's clock filter has it, RFC 5905 section 10).

use iobound_units::{Instant, Span};

use crate::gathered::Offset;

/// Pings of one rank, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Pings {
    /// The one that is not answered yet, and when it went out.
    open: Option<(u32, Instant)>,
    left: u32,
    next: u32,
    best: Option<Sample>,
    slowest: Span,
}

/// An offset, and when it was measured, by the coordinator's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) at: Instant,
    pub(super) offset: Offset,
}

/// The outcome of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// It does not answer the open ping.
    Stray,
    /// The next ping is to go out.
    More,
    /// The last exchange is done.
    Done,
}

impl Pings {
    /// Begins anew, with so many.
    pub(super) fn begin(&mut self, count: u32) {
        *self = Pings { left: count, next: self.next, ..Pings::default() };
    }

    /// The number of the next ping, which goes out now.
    pub(super) fn send(&mut self, now: Instant) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.open = Some((number, now));
        number
    }

    /// Time of the unanswered ping.
    pub(super) fn open_since(&self) -> Option<Instant> {
        self.open.map(|(_, sent)| sent)
    }

    /// The coordinator itself has not run for this long: the rank is not to blame for it.
    pub(super) fn excuse(&mut self, gap: Span) {
        if let Some((_, sent)) = &mut self.open {
            *sent += gap;
        }
    }

    /// The answer to a ping: the rank's clock showed `at`.
    pub(super) fn answer(&mut self, number: u32, at: Instant, now: Instant) -> Answered {
        let Some((_, sent)) = self.open.filter(|(open, _)| *open == number) else { return Answered::Stray };
        self.open = None;
        self.left = self.left.saturating_sub(1);
        let round_trip = now.since(sent);
        self.slowest = self.slowest.max(round_trip);
        if self.best.is_none_or(|best| round_trip < best.offset.round_trip) {
            let half = round_trip.ns() / 2;
            let middle = i128::from(sent.ns()) + i128::from(half);
            let ns = i128::from(at.ns()) - middle;
            // A clock counts from the start of its process or machine: no honest one is 292 years off.
            let ns = i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX });
            let uncertainty = Span::from_ns(round_trip.ns().div_ceil(2));
            let at = Instant::from_ns(middle as u64);
            self.best = Some(Sample { at, offset: Offset { ns, uncertainty, round_trip } });
        }
        if self.left == 0 { Answered::Done } else { Answered::More }
    }

    /// The best answer of those since the beginning.
    pub(super) fn best(&self) -> Option<Sample> {
        self.best
    }

    /// The longest round trip of those since the beginning.
    pub(super) fn slowest(&self) -> Span {
        self.slowest
    }
}

impl Sample {
    /// Reading of the rank's clock at a reading of the coordinator's.
    pub(super) fn of_rank(&self, at: Instant) -> Instant {
        let ns = i128::from(at.ns()) + i128::from(self.offset.ns);
        Instant::from_ns(u64::try_from(ns.max(0)).unwrap_or(u64::MAX))
    }

    /// Delay of a moment of the rank's clock after one of the coordinator's, in ns.
    pub(super) fn after(&self, rank: Instant, coordinator: Instant) -> i64 {
        let ns = i128::from(rank.ns()) - i128::from(self.offset.ns) - i128::from(coordinator.ns());
        i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
    }

    /// Gain of the rank's clock on the coordinator's from here to a later sample, in ns a second.
    pub(super) fn drift_to(&self, later: &Sample) -> Option<f64> {
        let seconds = later.at.since(self.at).secs_f64();
        let gained = i128::from(later.offset.ns) - i128::from(self.offset.ns);
        (seconds > 0.0).then(|| gained as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_ns(ms * 1_000_000)
    }

    #[test]
    fn the_shortest_round_trip_tells_the_offset_and_half_of_it_how_well() {
        let mut pings = Pings::default();
        pings.begin(3);
        // The rank's clock is 100 ms ahead. 4 ms there and 6 ms back; then 1 and 1; then 0 and 9.
        for (sent, there, back, after) in
            [(0, 4, 6, Answered::More), (20, 1, 1, Answered::More), (40, 0, 9, Answered::Done)]
        {
            let number = pings.send(ms(sent));
            assert_eq!(pings.answer(number + 1, ms(0), ms(sent)), Answered::Stray);
            assert_eq!(pings.answer(number, ms(sent + there + 100), ms(sent + there + back)), after);
        }
        let best = pings.best().unwrap();
        assert_eq!(best.at, ms(21));
        assert_eq!(
            best.offset,
            Offset { ns: 100_000_000, uncertainty: Span::from_ms(1), round_trip: Span::from_ms(2) }
        );
        assert_eq!(pings.slowest(), Span::from_ms(10));
        assert_eq!(best.of_rank(ms(50)), ms(150));
        assert_eq!(best.after(ms(151), ms(50)), 1_000_000);
    }

    #[test]
    fn a_clock_that_is_behind_has_a_negative_offset_and_one_that_gains_a_positive_drift() {
        let mut pings = Pings::default();
        pings.begin(1);
        let number = pings.send(ms(1_000));
        pings.answer(number, ms(1), ms(1_000));
        let first = pings.best().unwrap();
        assert_eq!(first.offset.ns, -999_000_000);
        pings.begin(1);
        let number = pings.send(ms(11_000));
        pings.answer(number, ms(10_002), ms(11_000));
        // 1 ms in 10 s.
        assert_eq!(first.drift_to(&pings.best().unwrap()), Some(100_000.0));
    }
}
