//! Counters that only go up, between two samples.

/// Reason why two samples give no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The counter went down by more than a wrap explains: it was reset.
    Down,
}

/// Difference between two samples of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    /// The amount counted.
    pub count: u64,
    /// True if the counter passed its largest value, and began again.
    pub wrapped: bool,
}

/// The difference of two samples of a counter of 32 or 64 bits. A counter that went down has wrapped if that makes the
/// difference small against what it can hold; else it was reset, and the difference is unknown.
pub(crate) fn wrapped(before: u64, after: u64) -> Result<Delta, Gone> {
    if after >= before {
        return Ok(Delta { count: after - before, wrapped: false });
    }
    // The largest value is that of the smallest width that held the sample before.
    let most = if before <= u64::from(u32::MAX) { u64::from(u32::MAX) } else { u64::MAX };
    let count = (most - before).saturating_add(after).saturating_add(1);
    match count <= most / 4 {
        true => Ok(Delta { count, wrapped: true }),
        false => Err(Gone::Down),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_wraps_at_its_width_and_a_reset_is_no_wrap() {
        let delta = |count, wrapped| Ok(Delta { count, wrapped });
        assert_eq!(wrapped(5, 12), delta(7, false));
        assert_eq!(wrapped(u64::from(u32::MAX) - 4, 5), delta(10, true));
        assert_eq!(wrapped(u64::MAX - 4, 5), delta(10, true));
        assert_eq!(wrapped(1_000, 5), Err(Gone::Down));
        assert_eq!(wrapped(5_000_000_000, 5), Err(Gone::Down));
    }
}
