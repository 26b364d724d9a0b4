//! From figures to places on a picture, linear and logarithmic, and the round figures that stand at an axis. The same
//! picture on every machine: no mathematics of the platform.

/// log2 of a positive, normal number, to 30 bits behind the point: the exponent, and squaring for the rest.
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as f64 - 1023.0;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let (mut sum, mut bit) = (0.0, 0.5);
    for _ in 0..30 {
        mantissa *= mantissa;
        if mantissa >= 2.0 {
            mantissa /= 2.0;
            sum += bit;
        }
        bit /= 2.0;
    }
    exponent + sum
}

/// The decimal logarithm of a positive number.
pub(super) fn log10(x: f64) -> f64 {
    log2(x) * std::f64::consts::LOG10_2
}

/// Ten to this power, by square roots.
pub(super) fn power_of_ten(exponent: f64) -> f64 {
    let whole = exponent.floor();
    let mut result = 1.0;
    for _ in 0..whole.abs() as u32 {
        result = if whole < 0.0 { result / 10.0 } else { result * 10.0 };
    }
    let (mut rest, mut root) = (exponent - whole, 10f64);
    for _ in 0..40 {
        root = root.sqrt();
        rest *= 2.0;
        if rest >= 1.0 {
            result *= root;
            rest -= 1.0;
        }
    }
    result
}

/// An axis: figures from `low` to `high` on places from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// An axis for these figures. A linear one begins at zero, so that lengths can be compared; a logarithmic one has only
    /// what is positive.
    pub(super) fn over(values: impl Iterator<Item = f64>, log: bool, places: (f64, f64)) -> Option<Scale> {
        let values = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return None;
        }
        let (low, high) = match (log, low == high) {
            (true, true) => (low / 2.0, high * 2.0),
            (true, false) => (low, high),
            (false, _) if low >= 0.0 => (0.0, if high > 0.0 { high } else { 1.0 }),
            (false, true) => (low - 1.0, high + 1.0),
            (false, false) => (low, high),
        };
        Some(Scale { low, high, log, from: places.0, to: places.1 })
    }

    /// The same, with room above the highest figure.
    pub(super) fn with_room(mut self, share: f64) -> Scale {
        if self.log {
            self.high *= 1.0 + share;
        } else {
            self.high += (self.high - self.low) * share;
        }
        self
    }

    /// Position of a figure on the axis.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = if self.log {
            let value = if value > 0.0 { value } else { self.low };
            (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share.clamp(-0.1, 1.1) * (self.to - self.from)
    }

    /// Round figures on the axis: 1, 2 or 5 times a power of ten apart, or powers of ten.
    pub(super) fn ticks(&self, about: usize) -> Vec<f64> {
        if self.log {
            let first = log10(self.low).floor() as i32;
            let last = (log10(self.high) + 1.0).floor() as i32;
            let steps: &[f64] = match log10(self.high / self.low) {
                decades if decades > 3.5 => &[1.0],
                decades if decades > 1.2 => &[1.0, 2.0, 5.0],
                _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            };
            let powers = (first..=last).map(|n| power_of_ten(f64::from(n)));
            let ticks = powers.flat_map(|power| steps.iter().map(move |step| power * step));
            return ticks.filter(|tick| *tick >= self.low * 0.999 && *tick <= self.high * 1.001).collect();
        }
        let raw = (self.high - self.low) / about.max(1) as f64;
        let power = power_of_ten(log10(raw).floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= raw * 0.999);
        let step = step.unwrap_or(raw);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).take(20).map(|n| n as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_powers_are_what_they_are() {
        // Decimal powers, and log10 of 5 and of 7 from a table.
        for (x, log) in [(1.0, 0.0), (1e6, 6.0), (0.001, -3.0), (5.0, 0.698_97), (7.0, 0.845_098)] {
            assert!((log10(x) - log).abs() < 1e-6, "{x}");
            assert!((power_of_ten(log10(x)) / x - 1.0).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn an_axis_has_round_figures_and_begins_at_zero() {
        let scale = Scale::over([12.0, 48.0].into_iter(), false, (0.0, 100.0)).unwrap();
        assert_eq!((scale.place(0.0), scale.place(48.0)), (0.0, 100.0));
        assert_eq!(scale.ticks(5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        let far = Scale::over([990.0, 1_000.0].into_iter(), false, (0.0, 100.0)).unwrap();
        assert_eq!(far.low, 0.0);
        let log = Scale::over([100.0, 50_000.0].into_iter(), true, (0.0, 100.0)).unwrap();
        let ticks: Vec<f64> = log.ticks(5).iter().map(|tick| tick.round()).collect();
        assert_eq!(ticks, [100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4]);
        assert!(Scale::over(std::iter::empty(), true, (0.0, 1.0)).is_none());
        assert!(Scale::over([0.0].into_iter(), true, (0.0, 1.0)).is_none());
    }
}
