//! Draws that depend on (seed, stream, n) and on nothing else: not on call order, not on the platform.

/// A stream of numbered draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws {
    key: u64,
}

/// Step between numbers that are mixed: 2^64 divided by the golden ratio (SplitMix64).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes all bits (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
#[inline]
const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Bits that depend on a number alone, for numbers that are spread over places.
#[inline]
pub(crate) const fn spread(n: u64) -> u64 {
    mix(n.wrapping_mul(STEP))
}

impl Draws {
    /// The draws of `stream` under `seed`.
    pub(crate) const fn new(seed: u64, stream: u64) -> Draws {
        let key = mix(mix(seed).wrapping_add(stream.wrapping_mul(STEP)));
        // Zero is mixed to zero: stream 0 under seed 0 would begin with the least likely draw of all.
        Draws { key: if key == 0 { STEP } else { key } }
    }

    /// The n-th draw: 64 uniform bits.
    #[inline]
    pub(crate) const fn bits(self, n: u64) -> u64 {
        mix(self.key.wrapping_add(n.wrapping_mul(STEP)))
    }
}

const STEPS: usize = 1024;
/// −ln(1 − v/2) × 2^32 for v = i / 1,024, by basic arithmetic alone, so that it is the same everywhere.
static LN_TABLE: [u64; STEPS + 1] = {
    let mut table = [0; STEPS + 1];
    let mut i = 0;
    while i <= STEPS {
        // −ln(1 − y) = 2 atanh(y / (2 − y)); z is at most 1/3, so twenty terms are beyond f64.
        let y = i as f64 / (2 * STEPS) as f64;
        let z = y / (2.0 - y);
        let (mut power, mut sum, mut k) = (z, 0.0, 0);
        while k < 20 {
            sum += power / (2 * k + 1) as f64;
            power *= z * z;
            k += 1;
        }
        table[i] = (2.0 * sum * 4_294_967_296.0) as u64;
        i += 1;
    }
    table
};
/// ln 2 × 2^32.
const LN_2: u64 = 2_977_044_471;

/// An exponential draw with mean 1, × 2^32, from 64 uniform bits.
///
/// U lies in [2^−(k+1), 2^−k) with probability 2^−(k+1), so the leading zeros give k and the bits behind them
/// where in that octave: −ln U = k ln 2 + a table look-up.
#[inline]
pub(crate) fn exponential_q32(bits: u64) -> u64 {
    let octave = u64::from((bits | 1).leading_zeros());
    let rest = (bits << octave) << 1;
    let index = (rest >> 54) as usize;
    let between = (rest >> 22) & 0xffff_ffff;
    let (low, high) = (LN_TABLE[index], LN_TABLE[index + 1]);
    octave * LN_2 + low + (((high - low) * between) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_golden() {
        let draws = Draws::new(42, 7);
        let first: Vec<u64> = (0..3).map(|n| draws.bits(n)).collect();
        assert_eq!(first, [16170678490931459222, 11830340345065515892, 2386281289838151681]);
    }

    #[test]
    fn no_stream_begins_with_the_least_likely_draw() {
        for (seed, stream) in [(0, 0), (0, 1), (1, 0)] {
            assert!(exponential_q32(Draws::new(seed, stream).bits(0)) < 20 << 32, "{seed}, {stream}");
        }
        assert_ne!(Draws::new(0, 0).bits(0), Draws::new(0, 1).bits(0));
    }

    #[test]
    fn exponential_draws_have_mean_and_variance_one() {
        let draws = Draws::new(1, 1);
        let n = 1_000_000u64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..n {
            let x = exponential_q32(draws.bits(i)) as f64 / 4_294_967_296.0;
            sum += x;
            squares += x * x;
        }
        let mean = sum / n as f64;
        let variance = squares / n as f64 - mean * mean;
        assert!((mean - 1.0).abs() < 0.004, "{mean}");
        assert!((variance - 1.0).abs() < 0.01, "{variance}");
    }

    #[test]
    fn exponential_draws_have_the_exponential_tail() {
        // P(X > t) = e^−t: e^−1 = 0.3679, e^−4 = 0.0183.
        let draws = Draws::new(2, 3);
        let n = 400_000u64;
        let above = |t: f64| {
            (0..n).filter(|i| exponential_q32(draws.bits(*i)) as f64 / 4_294_967_296.0 > t).count() as f64
                / n as f64
        };
        assert!((above(1.0) - 0.3679).abs() < 0.003);
        assert!((above(4.0) - 0.0183).abs() < 0.001);
    }

    #[test]
    fn the_extremes_of_the_bits_are_finite() {
        assert!(exponential_q32(0) >= 63 * LN_2);
        assert!(exponential_q32(u64::MAX) < 1 << 33);
    }
}
