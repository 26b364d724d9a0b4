use std::time::Duration;

use iobound_units::{Instant, Span};

/// Collects requests of a client that has many outstanding and sends each alone. A look at each request costs the server a
/// wake-up, and both sides the locks of the socket. So the thread naps, and then finds several requests.
///
/// A client with one outstanding waits for its reply, which takes longer than a nap, so it never waits more.
#[derive(Debug, Default)]
pub(crate) struct Coalescer {
    /// Number of turns that found a request or two, one after the other.
    turns: u32,
    since: Instant,
    naps: bool,
}

impl Coalescer {
    /// Longest delay of a request that arrives during a nap: less than the scatter of any modelled disk. No reply is
    /// late, because there is no nap if one is due soon.
    pub(crate) const NAP: Duration = Duration::from_micros(16);
    const FEW: usize = 2;
    const TURNS: u32 = 8;
    /// Turns follow each other that fast only if nobody waited for a reply between them.
    const APART: Span = Span::from_us(6);

    /// True if to nap after a turn that found so many, when something is due next. Few turns need the time.
    pub(crate) fn naps(&mut self, taken: usize, now: impl Fn() -> Instant, next: Option<Instant>) -> bool {
        if self.naps {
            // As long as a nap finds more than one.
            self.naps = taken > 1;
            self.turns = 0;
        } else if !(1..=Self::FEW).contains(&taken) {
            self.turns = 0;
        } else {
            if self.turns == 0 {
                self.since = now();
            }
            self.turns += 1;
            if self.turns > Self::TURNS {
                self.naps = now().since(self.since).ns() < u64::from(Self::TURNS) * Self::APART.ns();
                self.turns = 0;
            }
        }
        let nap = Span::from_ns(2 * Self::NAP.as_nanos() as u64);
        self.naps && next.is_none_or(|next| next > now() + nap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if it napped after any of these turns, so many µs apart, which found so many requests each.
    fn naps(apart_us: u64, found: &[usize], next: Option<Instant>) -> bool {
        let mut coalescer = Coalescer::default();
        let at = |n: usize| Instant::ZERO + Span::from_us(1_000 + n as u64 * apart_us);
        let turns = found.iter().enumerate();
        turns.fold(false, |napped, (n, taken)| coalescer.naps(*taken, || at(n), next) || napped)
    }

    #[test]
    fn requests_one_by_one_in_fast_order_are_waited_for() {
        assert!(naps(3, &[1; 20], None));
        assert!(naps(3, &[2, 1, 1, 2, 1, 2, 1, 1, 1], None));
    }

    #[test]
    fn neither_is_a_client_that_waits_for_each_reply_made_to_wait_nor_one_that_sends_many_at_once() {
        assert!(!naps(8, &[1; 100], None));
        assert!(!naps(3, &[32; 100], None));
        // Turns with replies only do not count.
        assert!(!naps(3, &[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0], None));
    }

    #[test]
    fn no_reply_is_late_for_a_nap() {
        assert!(!naps(3, &[1; 20], Some(Instant::ZERO + Span::from_us(1_050))));
    }

    #[test]
    fn when_a_nap_finds_only_one_it_was_the_last() {
        let mut coalescer = Coalescer { naps: true, ..Coalescer::default() };
        assert!(coalescer.naps(4, || Instant::ZERO, None));
        assert!(!coalescer.naps(1, || Instant::ZERO, None));
        assert!(!coalescer.naps(1, || Instant::ZERO, None));
    }
}
