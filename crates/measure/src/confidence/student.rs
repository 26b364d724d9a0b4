/// The 97.5th percentile of Student's t distribution for 1 to 30 degrees of freedom: the two-sided 95 %.
/// NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The same for the degrees of freedom at which a coarser table goes on.
const T_975_BEYOND: [(usize, f64); 6] =
    [(40, 2.021), (50, 2.009), (60, 2.000), (80, 1.990), (100, 1.984), (usize::MAX, 1.984)];

/// Student's t for a two-sided interval of 95 % with so many degrees of freedom. Between two entries of the
/// table the wider interval is taken; beyond 100 it stays at 1.984, which is 1.2 % wider than the limit.
pub(crate) fn t_95(degrees: usize) -> f64 {
    assert!(degrees > 0, "one value has no deviation");
    if let Some(t) = T_975.get(degrees - 1) {
        return *t;
    }
    let mut below = T_975[T_975.len() - 1];
    for (entry, t) in T_975_BEYOND {
        if degrees < entry {
            break;
        }
        below = t;
    }
    below
}

/// The most degrees of freedom that are told apart: beyond, the quantile is the limit's within 0.2 %.
const MOST_DEGREES: usize = 1_000;

/// Student's t that is exceeded, on both sides together, with the probability `tail`. Of degrees of freedom that are
/// odd the even number below is taken, which makes the interval a little wider: for even ones the distribution is a
/// finite sum (Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.7.4), the same on every machine.
pub(crate) fn t_beyond(tail: f64, degrees: usize) -> f64 {
    assert!(tail > 0.0 && tail < 1.0, "a probability is {tail}");
    let degrees = (degrees.min(MOST_DEGREES) / 2 * 2).max(2);
    let (mut low, mut high) = (0.0, 1.0);
    while beyond(high, degrees) > tail {
        (low, high) = (high, 2.0 * high);
    }
    // Each step halves what is not known: after sixty nothing of a double is.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if beyond(middle, degrees) > tail { low = middle } else { high = middle }
    }
    high
}

/// The probability that |T| exceeds `t`, for an even number of degrees of freedom.
fn beyond(t: f64, degrees: usize) -> f64 {
    let n = degrees as f64;
    let cosine_squared = n / (n + t * t);
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..degrees / 2 {
        term *= cosine_squared * (2 * k - 1) as f64 / (2 * k) as f64;
        sum += term;
    }
    1.0 - t / (n + t * t).sqrt() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_entries_the_wider_interval_is_taken() {
        for (degrees, t) in
            [(1, 12.706), (9, 2.262), (30, 2.042), (39, 2.042), (40, 2.021), (63, 2.0), (1000, 1.984)]
        {
            assert_eq!(t_95(degrees), t, "{degrees} degrees of freedom");
        }
    }

    #[test]
    fn t_never_grows_with_the_degrees_of_freedom() {
        assert!((1..200).all(|degrees| t_95(degrees + 1) <= t_95(degrees)));
    }

    #[test]
    fn the_finite_sum_gives_the_tables_values() {
        // NIST/SEMATECH e-Handbook, section 1.3.6.7.2: two-sided 95 %, and the columns of 0.99 and 0.995.
        for (tail, degrees, t) in [
            (0.05, 2, 4.303),
            (0.05, 10, 2.228),
            (0.05, 60, 2.000),
            (0.05, 100, 1.984),
            (0.02, 10, 2.764),
            (0.01, 8, 3.355),
            (0.01, 30, 2.750),
        ] {
            assert!(
                (t_beyond(tail, degrees) - t).abs() < 6e-4,
                "{tail} {degrees}: {}",
                t_beyond(tail, degrees)
            );
        }
    }

    #[test]
    fn odd_degrees_take_the_wider_interval_of_the_even_ones_below() {
        assert_eq!(t_beyond(0.01, 9), t_beyond(0.01, 8));
        assert_eq!(t_beyond(0.01, 1), t_beyond(0.01, 2));
        assert!((1..40).all(|degrees| t_beyond(0.05, degrees + 2) <= t_beyond(0.05, degrees)));
    }
}
