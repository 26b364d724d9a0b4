//! A cached limit that nobody has published: the range in which the sizes alike and the size's own temporary disk place it.

use iobound_units::Ppm;

use super::Builder;
use super::unknown::limits_text;
use crate::error::CatalogError;
use crate::resolved::LimiterBand;
use crate::vm::Limits;

/// The range of an unknown limit, as factors of the expected figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bracket {
    low: f64,
    high: f64,
}

impl Bracket {
    /// The range of these known limits around the expected one. IOPS and throughput share it, so the wider of the two counts.
    fn around(expected: Limits, known: &[Limits]) -> Bracket {
        let ratios = |limits: &Limits| {
            let of = |figure: Option<u64>, expected: Option<u64>| Some(figure? as f64 / expected? as f64);
            [of(limits.ios, expected.ios), of(limits.bytes, expected.bytes)]
        };
        let ratios = || known.iter().flat_map(ratios).flatten();
        Bracket { low: ratios().fold(1.0, f64::min), high: ratios().fold(1.0, f64::max) }
    }

    /// Makes the band of a limiter's enforcement as wide as the range.
    pub(super) fn widen(self, band: &mut LimiterBand) {
        let times = |factor: Ppm, by: f64| Ppm((f64::from(factor.0) * by) as u32);
        band.factor_low = times(band.factor_low, self.low);
        band.factor_high = times(band.factor_high, self.high);
        band.is_expected = true;
        band.bytes_high = band.bytes_high.map(|bytes| (bytes as f64 * self.high) as u64);
    }
}

impl Builder<'_> {
    /// The VM's cached limits; where they are not published, what is expected and the range around it.
    ///
    /// The cache is on the same local media as the temporary disk. The expected limit is therefore that disk's, where it is known;
    /// else that of the size with the most similar name. The range covers all sizes with the same
    /// vCPUs and memory; without any, all with the same vCPUs.
    pub(super) fn cached_limits(&mut self) -> Result<(Limits, Option<Bracket>), CatalogError> {
        let limits = self.vm.cached;
        if limits.known() {
            return Ok((limits, None));
        }
        let mut alike = self.sizes_alike(|vm| vm.cached.known());
        let mut in_common = "vCPUs and memory";
        if alike.is_empty() {
            alike = self.sizes_of_vcpus(|vm| vm.cached.known());
            in_common = "vCPUs";
        }
        let Some(nearest) = alike.first() else {
            return Err(self.unknown_vm_limit(limits, true));
        };
        let own = self.vm.temp.read;
        let (like, of) = if own.known() {
            (own, "its temporary disk, which is on the same media".to_string())
        } else {
            (nearest.cached, nearest.full_name())
        };
        let expected = Limits { ios: limits.ios.or(like.ios), bytes: limits.bytes.or(like.bytes) };
        let known: Vec<Limits> = alike.iter().map(|vm| vm.cached).chain([expected]).collect();
        let by_ios = |it: &&Limits| it.ios;
        let [low, high] = [known.iter().min_by_key(by_ios), known.iter().max_by_key(by_ios)]
            .map(|end| limits_text(*end.unwrap_or(&expected)));
        self.assume(
            format!("cached limit of {}", self.vm.name),
            format!("{} (from {low} to {high})", limits_text(expected)),
            format!(
                "not published; taken from {of}; range of {} with the same {in_common}",
                iobound_units::Counted(alike.len() as u64, "size")
            ),
        );
        Ok((expected, Some(Bracket::around(expected, &known))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(ios: u64, bytes: u64) -> Limits {
        Limits { ios: Some(ios), bytes: Some(bytes) }
    }

    #[test]
    fn the_range_is_that_of_the_wider_figure() {
        let bracket = Bracket::around(limits(75_000, 1_000), &[limits(32_000, 250), limits(150_000, 968)]);
        assert_eq!(bracket, Bracket { low: 0.25, high: 2.0 });
    }

    #[test]
    fn the_expected_figure_lies_inside() {
        let bracket = Bracket::around(limits(100, 100), &[limits(200, 300)]);
        assert_eq!(bracket, Bracket { low: 1.0, high: 3.0 });
    }
}
