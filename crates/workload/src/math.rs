//! Logarithm and exponential from + - × ÷ alone: IEEE 754 defines those to the last bit, and so the same I/Os
//! come out on every machine, which the platform's own functions do not promise.
//!
//! The errors are below 4 units in the last place for `ln` and `exp`; `pow` adds |y ln x| units.

/// The high part of ln 2: its last 21 bits are zero, so that a product with an exponent is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// ln 2 − [`LN2_HIGH`].
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1 / (2n + 1), the highest first: divisions made at compile time.
const ODD_PARTS: [f64; 13] = {
    let mut parts = [0.0; 13];
    let mut n = 0;
    while n < 13 {
        parts[n] = 1.0 / (25 - 2 * n) as f64;
        n += 1;
    }
    parts
};

/// 1 / (n + 1)!, the highest first.
const FACTORIAL_PARTS: [f64; 16] = {
    let mut parts = [0.0; 16];
    let (mut n, mut factorial) = (0, 1.0);
    while n < 16 {
        factorial *= (n + 1) as f64;
        parts[15 - n] = 1.0 / factorial;
        n += 1;
    }
    parts
};

/// The sum of s^(2n) / (2n + 1): atanh(s) / s, for |s| below 0.18.
fn atanh_series(s: f64) -> f64 {
    let q = s * s;
    ODD_PARTS.iter().fold(0.0, |sum, part| sum * q + part)
}

/// The natural logarithm of a positive, normal number.
pub(crate) fn ln(x: f64) -> f64 {
    debug_assert!(x >= f64::MIN_POSITIVE && x.is_finite());
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1_023;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1_023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let e = exponent as f64;
    e * LN2_HIGH + (2.0 * s * atanh_series(s) + e * LN2_LOW)
}

/// The sum of r^n / (n + 1)!: (e^r − 1) / r, for |r| below 0.5.
fn expm1_series(r: f64) -> f64 {
    FACTORIAL_PARTS.iter().fold(0.0, |sum, part| sum * r + part)
}

/// e^x; zero below −708 and infinite above 709.
pub(crate) fn exp(x: f64) -> f64 {
    if x < -708.0 {
        return 0.0;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    let k = (x * std::f64::consts::LOG2_E).round();
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    let scale = f64::from_bits(((1_023 + k as i64) as u64) << 52);
    (1.0 + r * expm1_series(r)) * scale
}

/// x^y for a positive x.
pub fn pow(x: f64, y: f64) -> f64 {
    exp(y * ln(x))
}

/// (e^x − 1) / x, and 1 at zero: exact where e^x − 1 would cancel.
pub(crate) fn expm1_over(x: f64) -> f64 {
    if x.abs() < 0.5 { expm1_series(x) } else { (exp(x) - 1.0) / x }
}

/// ln(1 + x) / x, and 1 at zero, for x above −1.
pub(crate) fn ln1p_over(x: f64) -> f64 {
    if x.abs() < 0.25 { 2.0 / (2.0 + x) * atanh_series(x / (2.0 + x)) } else { ln(1.0 + x) / x }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the platform's functions are the oracle here")]
mod tests {
    use super::*;

    fn close(ours: f64, oracle: f64, ulps: f64) {
        let error = (ours - oracle).abs();
        assert!(error <= oracle.abs() * f64::EPSILON * ulps + 1e-300, "{ours} is not {oracle}");
    }

    #[test]
    fn ln_and_exp_agree_with_the_platform_within_four_units() {
        let mut x = 1e-300;
        while x < 1e300 {
            close(ln(x), x.ln(), 4.0);
            x *= 1.37;
        }
        let mut x = -700.0;
        while x < 700.0 {
            close(exp(x), x.exp(), 4.0);
            x += 0.173;
        }
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1_000.0), 0.0);
    }

    #[test]
    fn near_zero_nothing_cancels() {
        for x in [-0.7, -0.3, -0.2, -1e-3, -1e-12, 1e-15, 1e-9, 0.1, 0.24, 0.26, 0.4, 0.6, 3.0] {
            close(expm1_over(x), x.exp_m1() / x, 8.0);
            close(ln1p_over(x), x.ln_1p() / x, 8.0);
        }
        assert_eq!(expm1_over(0.0), 1.0);
        assert_eq!(ln1p_over(0.0), 1.0);
    }

    #[test]
    fn powers_of_large_numbers_keep_twelve_digits() {
        for x in [1.5, 10.0, 1e6, 1.7e10] {
            for y in [-2.0, -1.1, -0.99, 0.5, 1.0, 1.2] {
                close(pow(x, y), x.powf(y), 4_000.0);
            }
        }
    }
}
