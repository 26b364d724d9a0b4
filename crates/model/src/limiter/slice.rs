//! The sliced algorithm: a quota for each slice of time.
//!
//! Rules (behaviour of Azure's premium limiters): a quota of limit × factor × slice, with its fraction carried, is
//! granted at each slice's start; an I/O is admitted when the balance is positive and its charge may take it
//! below zero, which later slices repay; unused quota carries over for one slice at most (where there are credits it
//! is earned instead). At a window's start at most two quotas are there, the slice's own and a carried one, and each
//! slice edge within brings one more: so in any window w at most ⌈w/T⌉ + 2 quotas get through, plus one I/O.

use super::Rate;
use crate::fragment::Class;
use crate::random::Draws;
use crate::stack::{Stalls, StartCredits};

const MICRO: i64 = 1_000_000;
const NS_PER_S: u64 = 1_000_000_000;

/// Balances are in millionths of a unit, so that 6.12 units a slice are 6,120,000.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    length: u64,
    /// End of the current slice.
    end: u64,
    balance: i64,
    /// Balance when the slice began, debts to be repaid included: what is missing was used.
    opening: i64,
    /// Grant of the current slice: the most that may be carried out of it.
    quota: i64,
    /// Carried in, less what the background took: what it may still take of the balance.
    spare: i64,
    /// A slice's grant: `whole` millionths and `fraction` / 10^9 of one.
    whole: i64,
    fraction: u64,
    fraction_sum: u64,
    credit: Option<SliceCredit>,
    pauses: Option<Box<Pauses>>,
}

/// Pauses in which no quota is granted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    length: u64,
    /// From the earliest start of one pause to that of the next.
    period: u64,
    draws: Draws,
}

impl Pauses {
    pub(super) fn new(stalls: Stalls, draws: Draws) -> Pauses {
        let length = stalls.length.ns();
        let period = u128::from(length) * 1_000_000 / u128::from(stalls.share.0);
        Pauses { length, period: (period as u64).max(length), draws }
    }

    fn holds(&self, at: u64) -> bool {
        let turn = at / self.period;
        let start = turn * self.period + self.draws.bits(turn) % (self.period - self.length + 1);
        (start..start + self.length).contains(&at)
    }
}

/// Packed for the same reason as a bucket's numbers.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
struct SliceCredit {
    /// Millionths of a unit; the capacity of a large VM's byte credits exceeds 64 bits.
    level: i128,
    capacity: i128,
    /// Earned a slice: published × slice.
    earned: i128,
    /// Granted beyond the base quota while credits last.
    extra: i64,
}

impl Slice {
    pub(super) fn new(rate: &Rate, length: u64, phase: u64, start: StartCredits) -> Slice {
        let grant = u128::from(rate.enforced_micro) * u128::from(length);
        let credit = rate.burst.map(|burst| {
            let capacity = i128::from(burst.capacity) * i128::from(MICRO);
            let extra = u128::from(burst.enforced_micro.saturating_sub(rate.enforced_micro))
                * u128::from(length)
                / u128::from(NS_PER_S);
            SliceCredit {
                level: if start == StartCredits::Full { capacity } else { 0 },
                capacity,
                earned: i128::from(rate.published) * i128::from(MICRO) * i128::from(length)
                    / i128::from(NS_PER_S),
                extra: i64::try_from(extra).expect("a slice's quota fits 64 bits"),
            }
        });
        let mut slice = Slice {
            length,
            end: length - phase,
            balance: 0,
            opening: 0,
            quota: 0,
            spare: 0,
            whole: i64::try_from(grant / u128::from(NS_PER_S)).expect("a slice's quota fits 64 bits"),
            fraction: (grant % u128::from(NS_PER_S)) as u64,
            fraction_sum: 0,
            credit,
            pauses: None,
        };
        slice.grant(0);
        if start == StartCredits::Spent {
            // Under a load that lasts, the part of the first slice that is over has been used.
            let left = u128::from(length - phase) * slice.balance.max(0) as u128 / u128::from(length);
            slice.balance = left as i64;
        } else {
            // An idle limiter has carried over the quota of the slice before.
            slice.grant(0);
        }
        slice
    }

    /// Begins at `now` with what a new limiter has at zero; its slices keep their phase.
    pub(super) fn begin_at(&mut self, now: u64) {
        if now >= self.end {
            self.end += ((now - self.end) / self.length + 1) * self.length;
        }
    }

    pub(super) fn set_pauses(&mut self, pauses: Option<Pauses>) {
        self.pauses = pauses.map(Box::new);
    }

    /// Begins a slice: the one that ends `later` slices before the current end.
    fn grant(&mut self, later: u64) {
        if let Some(pauses) = &self.pauses
            && pauses.holds(self.end.saturating_sub((later + 1) * self.length))
        {
            (self.balance, self.opening, self.quota, self.spare) = (self.balance.min(0), 0, 0, 0);
            return;
        }
        self.fraction_sum += self.fraction;
        let mut quota = self.whole;
        if self.fraction_sum >= NS_PER_S {
            self.fraction_sum -= NS_PER_S;
            quota += 1;
        }
        let mut carried = self.balance.min(self.quota);
        self.spare = carried.max(0);
        // Credits that can never add anything earn nothing either: quota is carried as without them.
        if let Some(credit) = self.credit.as_ref().filter(|credit| credit.capacity > 0 && credit.extra > 0) {
            // A limiter with credits earns its unused quota. If it carried the quota as well, it would count twice.
            let extra = i128::from(credit.extra).min(credit.level) as i64;
            quota += extra;
            self.spare = extra;
            carried = carried.min(0);
        }
        self.balance = carried + quota;
        self.opening = carried.max(0) + quota;
        self.quota = quota;
    }

    /// Closes a slice's account of credits: what the published rate earned, less what was used.
    ///
    /// An overdraft is used in the slices that repay it. Counted where it was made, it would be forgiven there
    /// once credits are spent, and the slices that repay it would earn: I/Os larger than a quota would get more
    /// than the base for ever.
    fn settle(&mut self) {
        if let Some(credit) = &mut self.credit {
            let used = i128::from(self.opening - self.balance.max(0));
            credit.level = (credit.level + credit.earned - used).clamp(0, credit.capacity);
        }
    }

    #[inline]
    fn roll(&mut self, now: u64) {
        if now >= self.end {
            self.roll_slices((now - self.end) / self.length + 1);
        }
    }

    #[cold]
    fn roll_slices(&mut self, mut slices: u64) {
        self.end += slices * self.length;
        while slices > 2 && self.balance < 0 {
            let repaying = (-self.balance / (self.whole + 1)) as u64;
            if repaying > 1 && self.earns_nothing_in_debt() {
                let leap = repaying.min(slices - 2);
                self.repay(leap);
                slices -= leap;
            } else {
                self.settle();
                slices -= 1;
                self.grant(slices);
            }
        }
        // In idle slices nothing changes but the fraction and the credits: the balance after the last two
        // depends on those alone.
        if slices > 2 {
            let idle = slices - 2;
            self.settle();
            if let Some(credit) = &mut self.credit {
                credit.level = (credit.level + credit.earned * i128::from(idle - 1)).min(credit.capacity);
            }
            let sum = u128::from(self.fraction_sum) + u128::from(self.fraction) * u128::from(idle);
            self.fraction_sum = (sum % u128::from(NS_PER_S)) as u64;
            self.quota = self.whole;
            self.balance = self.balance.max(self.whole);
            self.opening = self.balance;
            slices = 2;
        }
        for later in (0..slices).rev() {
            self.settle();
            self.grant(later);
        }
    }

    /// True if slices that repay change nothing but the balance.
    fn earns_nothing_in_debt(&self) -> bool {
        self.credit.as_ref().is_none_or(|credit| credit.level == 0 && credit.earned <= i128::from(self.whole))
    }

    /// Slices whose grants all repay, in one step.
    fn repay(&mut self, slices: u64) {
        let sum = u128::from(self.fraction_sum) + u128::from(self.fraction) * u128::from(slices);
        self.fraction_sum = (sum % u128::from(NS_PER_S)) as u64;
        let granted = i128::from(self.whole) * i128::from(slices) + (sum / u128::from(NS_PER_S)) as i128;
        self.balance += granted as i64;
        self.quota = self.whole;
        self.opening = self.whole;
        self.spare = 0;
    }

    /// True if the foreground may pass in the slice that is counted already.
    #[inline]
    pub(super) fn is_open(&self, now: u64) -> bool {
        now < self.end && self.balance > 0
    }

    #[inline]
    pub(super) fn earliest(&mut self, now: u64, class: Class) -> u64 {
        if self.is_open(now) && class == Class::Foreground {
            return now;
        }
        self.earliest_closed(now, class)
    }

    #[inline(never)]
    fn earliest_closed(&mut self, now: u64, class: Class) -> u64 {
        self.roll(now);
        if self.balance > 0 {
            if class == Class::Foreground || self.spare > 0 {
                return now;
            }
            return self.end;
        }
        // The most a slice can grant gives a time that is never too late; if it is too early, the head asks
        // again then. In debt credits only dwindle, but for what a slice earns.
        let most = self.whole
            + 1
            + self.credit.as_ref().map_or(0, |credit| {
                let reach = credit.level.max(credit.earned) + credit.earned;
                i128::from(credit.extra).min(reach) as i64
            });
        let slices = (-self.balance / most) as u64;
        self.end.saturating_add(slices.saturating_mul(self.length))
    }

    #[inline]
    pub(super) fn take(&mut self, charge: u64, class: Class) {
        let charge = charge as i64 * MICRO;
        self.balance -= charge;
        if class == Class::Background {
            self.spare -= charge;
        }
    }

    #[cold]
    pub(super) fn overdrawn_ppm(&self) -> i64 {
        if self.balance > 0 {
            return i64::MIN;
        }
        (i128::from(-self.balance) * 1_000_000 / i128::from(self.whole.max(1))) as i64
    }

    pub(super) fn credits(&mut self, now: u64) -> Option<u64> {
        self.roll(now);
        self.credit.as_ref().map(|credit| (credit.level / i128::from(MICRO)) as u64)
    }

    pub(super) fn credit_capacity(&self) -> Option<u64> {
        self.credit.as_ref().map(|credit| (credit.capacity / i128::from(MICRO)) as u64)
    }

    pub(super) fn set_credits(&mut self, now: u64, credits: u64) {
        self.roll(now);
        if let Some(credit) = &mut self.credit {
            // The used part of this slice was paid from the earlier balance.
            self.opening = self.balance.max(0);
            credit.level = i128::from(credits) * i128::from(MICRO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limiter::Burst;
    use iobound_units::{Ppm, Span};

    const MS: u64 = 1_000_000;

    fn slice(iops: u64) -> Slice {
        let rate = Rate { published: iops, enforced_micro: iops * 1_020_000, burst: None };
        Slice::new(&rate, 50 * MS, 0, StartCredits::Spent)
    }

    /// Takes units one by one as soon as they may pass, until `until`.
    fn flat_out(slice: &mut Slice, charge: u64, from: u64, until: u64) -> u64 {
        let (mut now, mut passed) = (from, 0);
        loop {
            now = slice.earliest(now, Class::Foreground);
            if now >= until {
                return passed;
            }
            if slice.earliest(now, Class::Foreground) == now {
                slice.take(charge, Class::Foreground);
                passed += charge;
            }
        }
    }

    #[test]
    fn a_p4_gets_its_six_point_one_two_units_a_slice_without_losing_the_fraction() {
        // 120 IOPS × 1.02 × 100 s = 12,240; the last slice may be overdrawn by one I/O less a fraction.
        let passed = flat_out(&mut slice(120), 1, 0, 100_000 * MS);
        assert!((12_240..=12_241).contains(&passed), "{passed}");
    }

    #[test]
    fn a_limiter_that_stalls_loses_the_share_of_time_that_it_stalls() {
        // 2 % of 100 s at 1,020 a second; a stall of 350 ms ends with a slice of 50 ms.
        let mut slice = slice(1_000);
        let stalls = Stalls { share: Ppm(20_000), length: Span::from_ms(350) };
        slice.set_pauses(Some(Pauses::new(stalls, Draws::new(7, 1))));
        let passed = flat_out(&mut slice, 1, 0, 87_500 * MS);
        let whole = 87_500 * 1_020 / 1_000;
        let lost = whole - passed;
        // Five periods of 17.5 s with seven or eight slices of 51 each.
        assert!((5 * 6 * 51..=5 * 8 * 51).contains(&lost), "{lost} of {whole}");
    }

    #[test]
    fn an_io_larger_than_the_quota_passes_and_later_slices_repay() {
        // A 2 MiB I/O is 8 units where a P4's slice has 6.12: 100 s let 12,240 units through, plus one I/O.
        let passed = flat_out(&mut slice(120), 8, 0, 100_000 * MS);
        assert!((12_240..12_248).contains(&passed), "{passed}");
    }

    #[test]
    fn unused_quota_is_carried_for_one_slice_and_no_longer() {
        let mut slice = slice(1_000); // 51 a slice
        assert_eq!(flat_out(&mut slice, 1, 1_000 * MS, 1_001 * MS), 102);
        assert_eq!(flat_out(&mut slice, 1, 1_050 * MS, 1_051 * MS), 51);
    }

    #[test]
    fn idle_and_repaying_hours_are_skipped_to_the_same_state_as_slice_by_slice() {
        let rate = Rate {
            published: 121,
            enforced_micro: 121 * 1_020_000,
            burst: Some(Burst { enforced_micro: 3_500 * 1_020_000, capacity: 6_084_000 }),
        };
        for (rate, debt) in [(rate, 500), (rate, 100_000), (Rate { burst: None, ..rate }, 100_000)] {
            let new = || {
                let mut slice = Slice::new(&rate, 37 * MS + 1, 5 * MS, StartCredits::Spent);
                slice.take(debt, Class::Foreground);
                slice
            };
            for steps in [3, 90, 20_000, 90_000] {
                let (mut leap, mut walk) = (new(), new());
                for n in 0..steps {
                    walk.roll(n * 40 * MS);
                }
                leap.roll((steps - 1) * 40 * MS);
                assert_eq!(format!("{leap:?}"), format!("{walk:?}"));
            }
        }
    }

    #[test]
    fn credits_that_add_nothing_leave_the_background_what_nobody_uses() {
        let rate = Rate {
            published: 20,
            enforced_micro: 20 * MICRO as u64,
            burst: Some(Burst { enforced_micro: 80 * MICRO as u64, capacity: 0 }),
        };
        let mut slice = Slice::new(&rate, 50 * MS, 0, StartCredits::Spent);
        let mut passed = 0;
        for n in 0..2_000 {
            if slice.earliest(n * 50 * MS, Class::Background) == n * 50 * MS {
                slice.take(1, Class::Background);
                passed += 1;
            }
        }
        // 100 s at 20 a second; the first slice has nothing over from one before.
        assert_eq!(passed, 1_999);
    }

    #[test]
    fn credits_are_earned_and_spent_against_the_published_base() {
        // P1: 120 IOPS, burst 3,500. At 100 IOPS for a second it earns 20 I/Os; idle for a second, 120.
        let rate = Rate {
            published: 120,
            enforced_micro: 120 * 1_020_000,
            burst: Some(Burst { enforced_micro: 3_500 * 1_020_000, capacity: 10_000 }),
        };
        let mut slice = Slice::new(&rate, 50 * MS, 0, StartCredits::Spent);
        for n in 0..20 {
            slice.roll(n * 50 * MS);
            slice.take(5, Class::Foreground);
        }
        assert_eq!(slice.credits(1_000 * MS), Some(20));
        assert_eq!(slice.credits(2_000 * MS), Some(140));
        // Never above the burst maximum even with 10,000 credits: 3,500 × 1.02, and a slice's 178.5 carried.
        slice.set_credits(2_000 * MS, 10_000);
        let second = flat_out(&mut slice, 1, 2_000 * MS, 3_000 * MS);
        assert!((3_570 - 179..=3_570 + 179).contains(&second), "{second}");
    }

    #[test]
    fn what_is_earned_is_not_carried_as_well() {
        // 495 single units a second and one of eight are 503 of 500: they do not fit for ever.
        let rate = Rate {
            published: 500,
            enforced_micro: 500 * 1_000_000,
            burst: Some(Burst { enforced_micro: 3_500 * 1_000_000, capacity: 5_400_000 }),
        };
        let mut slice = Slice::new(&rate, 50 * MS, 0, StartCredits::Spent);
        let (mut passed, mut free) = (0, 0);
        for n in 0..(495 + 1) * 100u64 {
            let arrives = n * 1_000 * MS / 496;
            let at = slice.earliest(arrives.max(free), Class::Foreground);
            let at = slice.earliest(at, Class::Foreground);
            let charge = if n % 496 == 495 { 8 } else { 1 };
            slice.take(charge, Class::Foreground);
            free = at;
            passed += if at < 100_000 * MS { charge } else { 0 };
        }
        assert!(passed.abs_diff(50_000) <= 25, "{passed}");
    }

    #[test]
    fn the_background_takes_only_what_the_foreground_left_in_the_slice_before() {
        let mut slice = slice(1_000);
        assert_eq!(slice.earliest(0, Class::Background), 50 * MS);
        slice.roll(50 * MS);
        slice.take(40, Class::Foreground); // 51 carried + 51, less 40
        let mut background = 0;
        while slice.earliest(50 * MS, Class::Background) == 50 * MS {
            slice.take(1, Class::Background);
            background += 1;
        }
        assert_eq!(background, 51);
        assert_eq!(slice.earliest(50 * MS, Class::Foreground), 50 * MS);
    }
}
