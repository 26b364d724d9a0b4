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
}
