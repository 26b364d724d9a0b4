//! A permutation of `0..count` in constant space: every number once, in an order that looks random.
//!
//! On the next power of two it is four rounds of an odd multiplication, an addition and a shift-xor, each of
//! which can be undone, so that their product is a bijection; numbers that land beyond `count` walk on along
//! their cycle until one lies inside (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). The
//! domain is less than twice `count`, so that walks are short.

use crate::random::splitmix64;

const ROUNDS: usize = 4;

/// A permutation chosen by its key.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// The permutation of `0..count` that belongs to `key`; `count` is not zero.
    pub(crate) fn new(count: u64, key: u64) -> Permutation {
        assert!(count > 0, "a permutation of nothing");
        let bits = (64 - (count - 1).leading_zeros()).max(1);
        let mut state = key;
        let rounds = std::array::from_fn(|_| (splitmix64(&mut state) | 1, splitmix64(&mut state)));
        Permutation { count, mask: u64::MAX >> (64 - bits), shift: bits.div_ceil(2), rounds }
    }

    /// New place of `index` (below `count`).
    #[inline]
    pub(crate) fn apply(&self, index: u64) -> u64 {
        let mut x = index;
        loop {
            for (factor, addend) in self.rounds {
                x = x.wrapping_mul(factor).wrapping_add(addend) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.count {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_reached_exactly_once(count in 1u64..3_000, key: u64) {
            let permutation = Permutation::new(count, key);
            let mut seen = vec![false; count as usize];
            for index in 0..count {
                let at = permutation.apply(index) as usize;
                prop_assert!(!seen[at]);
                seen[at] = true;
            }
        }
    }

    #[test]
    fn neighbours_scatter_over_the_whole_range() {
        // The mean distance of two independent places on 0..n is n/3.
        for count in [1_000u64, 1 << 20, 17_179_869_184] {
            let permutation = Permutation::new(count, 5);
            let draws = 1_000u64.min(count - 1);
            let total: u128 =
                (0..draws).map(|i| u128::from(permutation.apply(i).abs_diff(permutation.apply(i + 1)))).sum();
            let mean = total as f64 / draws as f64 / count as f64;
            assert!((mean - 1.0 / 3.0).abs() < 0.05, "{count}: {mean}");
        }
    }

    #[test]
    fn keys_give_different_orders() {
        let order = |key| (0..20).map(|i| Permutation::new(1_000, key).apply(i)).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
        assert_eq!(order(1), order(1));
    }
}
