//! Our own named generator of random numbers, so that a seed means the same I/Os on every machine and in every
//! later version: xoshiro256++ 1.0, seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom
//! number generators", 2019; both are in the public domain at prng.di.unimi.it).

/// xoshiro256++: 256 bits of state, about a nanosecond a draw.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

/// One step of splitmix64: `state` moves on, the result is its scrambled value.
pub(crate) fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One 64-bit key from several numbers; the order of the numbers matters.
pub(crate) fn key_of(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |key, part| {
        let mut state = key ^ *part;
        splitmix64(&mut state)
    })
}

/// Salt between a seed and a rank, so that no rank has the stream of a queue.
const RANK: u64 = 0x7261_6e6b;

/// The seed of one rank of several that have one seed: ranks do different I/Os, the same ones each time.
pub fn seed_of_rank(seed: u64, rank: u32) -> u64 {
    key_of(&[seed, RANK, u64::from(rank)])
}

impl Random {
    /// The stream that belongs to these numbers (seed, job, thread, target, purpose): draws of one stream do not
    /// depend on how many others there are.
    pub fn keyed(parts: &[u64]) -> Random {
        let mut seed = key_of(parts);
        Random { state: std::array::from_fn(|_| splitmix64(&mut seed)) }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A whole number below `bound` (which is not zero), alike within `bound` ÷ 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in the open interval (0, 1): never 0, so that its logarithm exists.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequences_are_those_of_the_published_algorithms() {
        // The authors' C code: xoshiro256++ from the state 1, 2, 3, 4 and splitmix64 from 1234567.
        let mut random = Random { state: [1, 2, 3, 4] };
        let drawn: Vec<u64> = (0..10).map(|_| random.bits()).collect();
        assert_eq!(
            drawn,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386,
                9_228_616_714_210_784_205,
                9_973_669_472_204_895_162,
                14_011_001_112_246_962_877,
                12_406_186_145_184_390_807,
                15_849_039_046_786_891_736,
                10_450_023_813_501_588_000,
            ]
        );
        let mut state = 1_234_567;
        let mixed: Vec<u64> = (0..3).map(|_| splitmix64(&mut state)).collect();
        assert_eq!(mixed, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_stream_belongs_to_its_key() {
        let first = |parts: &[u64]| Random::keyed(parts).bits();
        assert_eq!(first(&[7, 0, 1]), first(&[7, 0, 1]));
        assert_ne!(first(&[7, 0, 1]), first(&[7, 1, 0]));
        assert_ne!(first(&[7, 0, 1]), first(&[8, 0, 1]));
    }

    #[test]
    fn numbers_below_a_bound_are_alike() {
        let mut random = Random::keyed(&[1]);
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[random.below(10) as usize] += 1;
        }
        // Each is 10,000 with a deviation of 95: five of them.
        assert!(counts.iter().all(|c| c.abs_diff(10_000) < 475), "{counts:?}");
    }

    #[test]
    fn a_unit_number_is_never_zero_nor_one() {
        let mut random = Random::keyed(&[2]);
        let mean =
            (0..100_000).map(|_| random.unit()).inspect(|u| assert!(*u > 0.0 && *u < 1.0)).sum::<f64>();
        assert!((mean / 100_000.0 - 0.5).abs() < 0.005);
    }
}
