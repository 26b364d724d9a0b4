//! State of one block, in 64 bits, so that it changes in one step for all threads.

/// High generation (32), how far the low one lies below it (16), writes in flight (14), unknown (1), seen (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(pub(super) u64);

const SPAN_AT: u32 = 32;
const FLIGHT_AT: u32 = 48;
const UNKNOWN: u64 = 1 << 62;
const SEEN: u64 = 1 << 63;

/// A span that stands for "any earlier generation": more writes met without a pause than can be counted.
const UNBOUNDED: u32 = (1 << 16) - 1;

/// The most writes that can be in flight on one unit.
pub(super) const MOST_IN_FLIGHT: u32 = (1 << 14) - 1;

impl State {
    /// Not written by this run.
    pub(super) const UNTOUCHED: State = State(0);

    const fn of(high: u32, span: u32, flight: u32, unknown: bool, seen: bool) -> State {
        State(
            high as u64
                | (span as u64) << SPAN_AT
                | (flight as u64) << FLIGHT_AT
                | if unknown { UNKNOWN } else { 0 }
                | if seen { SEEN } else { 0 },
        )
    }

    /// The last generation that was issued; 0 before the first.
    pub(super) const fn high(self) -> u32 {
        self.0 as u32
    }

    const fn span(self) -> u32 {
        (self.0 >> SPAN_AT) as u32 & UNBOUNDED
    }

    /// The oldest generation that may be there; 0 is what was there before the run.
    pub(super) const fn low(self) -> u32 {
        if self.span() == UNBOUNDED { 0 } else { self.high().saturating_sub(self.span()) }
    }

    /// Writes in flight.
    pub(super) const fn flight(self) -> u32 {
        (self.0 >> FLIGHT_AT) as u32 & MOST_IN_FLIGHT
    }

    /// True if a failed write or a discard left anything at all.
    pub(super) const fn unknown(self) -> bool {
        self.0 & UNKNOWN != 0
    }

    /// True if a read has found the last generation.
    pub(super) const fn seen(self) -> bool {
        self.0 & SEEN != 0
    }

    /// A write goes out. Its generation is the new state's [`State::high`], which stops at the last one: after
    /// 4,294,967,295 writes of one unit the later ones can't be told apart, and none is a false alarm.
    pub(super) fn submitted(self) -> State {
        assert!(self.flight() < MOST_IN_FLIGHT, "the ledger was made for fewer writes in flight");
        let moved = u32::from(self.high() < u32::MAX);
        let span = (self.span() + moved).min(UNBOUNDED);
        State::of(self.high() + moved, span, self.flight() + 1, self.unknown(), false)
    }

    /// Completion of a write. `alone`: no other write was in flight when it was submitted. Then all earlier writes are
    /// below it. Otherwise its order among the others is unknown, and the range keeps its state.
    pub(super) fn completed(self, generation: u32, alone: bool, ok: bool) -> State {
        let flight = self.flight() - 1;
        if !ok {
            return State::of(self.high(), self.span(), flight, true, false);
        }
        // A later write that failed may be what made it unknown: only one that nothing followed clears it.
        // Of the writes that share the last number there is, none is known to be the last.
        let last = generation == self.high() && generation < u32::MAX;
        let span = if alone { (self.high() - generation).min(self.span()) } else { self.span() };
        State::of(self.high(), span, flight, self.unknown() && !(alone && last), false)
    }

    /// A read found the last generation.
    pub(super) fn found(self) -> State {
        State(self.0 | SEEN)
    }

    /// True if exactly one content may be there, all of one write.
    pub(super) fn exact(self) -> bool {
        self.high() > 0 && self.span() == 0 && self.flight() == 0 && !self.unknown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_write_leaves_exactly_itself() {
        let out = State::UNTOUCHED.submitted();
        assert_eq!((out.low(), out.high(), out.flight()), (0, 1, 1));
        let done = out.completed(1, true, true);
        assert!(done.exact());
        assert_eq!((done.low(), done.high()), (1, 1));
    }

    #[test]
    fn of_writes_that_met_any_may_be_the_one_that_is_there() {
        // 1 alone, then 2 and 3 meet it; 3 returns first.
        let out = State::UNTOUCHED.submitted().submitted().submitted();
        let done = out.completed(3, false, true).completed(1, true, true).completed(2, false, true);
        assert_eq!((done.low(), done.high(), done.flight()), (1, 3, 0));
        assert!(!done.exact());
        let next = done.submitted().completed(4, true, true);
        assert!(next.exact());
        assert_eq!(next.low(), 4);
    }

    #[test]
    fn after_a_failure_nothing_is_known_until_a_lone_write_succeeds() {
        let failed = State::UNTOUCHED.submitted().completed(1, true, false);
        assert!(failed.unknown());
        // 2 goes out alone, 3 meets it and fails, 2 succeeds: 3 may have landed after it.
        let met = failed.submitted().submitted().completed(3, false, false).completed(2, true, true);
        assert!(met.unknown());
        assert!(met.submitted().completed(4, true, true).exact());
    }

    #[test]
    fn a_long_meeting_has_no_lower_bound() {
        let mut state = State::UNTOUCHED.submitted().completed(1, true, true).submitted();
        for generation in 3..=100_000 {
            state = state.submitted().completed(generation, false, true);
        }
        assert_eq!((state.low(), state.high(), state.flight()), (0, 100_000, 1));
    }

    #[test]
    fn generations_stop_at_the_last_one() {
        let state = State::of(u32::MAX, 0, 0, false, true).submitted();
        assert_eq!((state.high(), state.low(), state.flight()), (u32::MAX, u32::MAX, 1));
        assert!(state.completed(u32::MAX, true, true).exact());
    }
}
