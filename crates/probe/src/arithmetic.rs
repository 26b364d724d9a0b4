//! Arithmetic that gives the same bits on every platform.

/// The square of a value.
pub(crate) fn squared(value: f64) -> f64 {
    value * value
}

/// Cosine and sine of π divided by 1, 2, 4 and so on, by halving the angle: only operations that are exact everywhere.
pub(crate) struct HalvedAngles {
    cosine: f64,
    sine: f64,
}

impl HalvedAngles {
    /// Starts with the angle π.
    pub(crate) fn new() -> HalvedAngles {
        HalvedAngles { cosine: -1.0, sine: 0.0 }
    }
}

impl Iterator for HalvedAngles {
    type Item = (f64, f64);

    fn next(&mut self) -> Option<(f64, f64)> {
        let now = (self.cosine, self.sine);
        self.cosine = ((1.0 + now.0) / 2.0).sqrt();
        // Without a difference of nearly equal numbers where the angle is small.
        self.sine = if now.0 < 0.5 { ((1.0 - now.0) / 2.0).sqrt() } else { now.1 / (2.0 * self.cosine) };
        Some(now)
    }
}

#[cfg(test)]
mod tests {
    use super::HalvedAngles;

    #[test]
    fn halved_angles_agree_with_the_platform() {
        for (halvings, (cosine, sine)) in HalvedAngles::new().take(30).enumerate() {
            let angle = std::f64::consts::PI / (1_u64 << halvings) as f64;
            assert!((cosine - angle.cos()).abs() < 1e-15, "{halvings}: {cosine}");
            assert!((sine - angle.sin()).abs() <= 1e-14 * angle.sin().abs() + 1e-15, "{halvings}: {sine}");
        }
    }
}
