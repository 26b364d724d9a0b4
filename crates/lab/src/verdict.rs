//! Verdict on a published figure: inside the band of the prediction or not.

use crate::execute::ModelRun;
use crate::published::{Figure, Published, Range, Sense};

/// Share by which a figure may lie outside the band for the tools' sake: load generators stop their clock
/// and their threads one after the other, and count what completes between. DiskSpd and Iometer runs against
/// limits that are exact (500 IOPS a Standard disk) ended 0.02 to 0.12 % below them, and the limits' own scatter
/// of 0.1 % is in the band already. It is the same for every row.
pub const TOLERANCE: f64 = 0.001;

/// Statement of a row about its publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every published figure lies inside the band.
    Explained,
    /// One does not: no known limit makes it.
    Unexplained,
    /// Nothing was published, or there is no configuration to compare it with.
    NoFigure,
}

impl Verdict {
    /// The word of every output.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Explained => "explained",
            Verdict::Unexplained => "unexplained",
            Verdict::NoFigure => "no_figure",
        }
    }
}

/// Range of a run of this configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The least, in I/Os a second.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Bytes of an I/O, on average: what makes a band of throughput of it.
    pub block: f64,
}

impl Band {
    /// The calibrated band of the prediction, and the simulated run of the workload's own length, where that lies outside: a band is
    /// about figures that last, a run may end before writes stall or a cache is warm.
    pub fn of(modelled: &ModelRun) -> Band {
        let (expected, simulated) = (&modelled.prediction.expected, modelled.simulated.iops);
        Band {
            low: expected.low_iops.min(simulated),
            high: expected.high_iops.max(simulated),
            block: expected.throughput_bytes_per_s / expected.iops,
        }
    }

    fn place(&self, figure: &Figure, unit: f64) -> Place {
        let low = self.low * unit * (1.0 - TOLERANCE) - figure.rounding;
        let high = self.high * unit * (1.0 + TOLERANCE) + figure.rounding;
        // "Over 62,000" is met by a band that goes beyond it, however far.
        if figure.value < low && figure.sense != Sense::Over {
            Place::Below
        } else if figure.value > high {
            Place::Above
        } else {
            Place::Inside
        }
    }
}

/// Position of a figure relative to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Below,
    Inside,
    Above,
}

/// A published figure in I/Os a second, where it lies, and its words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    pub(crate) iops: f64,
    pub(crate) place: Place,
    pub(crate) is_throughput: bool,
}

/// The figures that are judged: IOPS and throughput; a range where it stands for the figure.
pub(crate) fn compare(published: &Published, band: &Band) -> Vec<Compared> {
    let mut compared = Vec::new();
    let mut take = |figure: &Figure, is_throughput: bool| {
        let unit = if is_throughput { band.block } else { 1.0 };
        compared.push(Compared { iops: figure.value / unit, place: band.place(figure, unit), is_throughput });
    };
    if let Some(figure) = &published.iops {
        take(figure, false);
    }
    if let Some(figure) = &published.throughput_bytes_per_s {
        take(figure, true);
    }
    if let (true, Some(range)) = (published.is_range(), &published.range) {
        take(&range.low, range.is_throughput);
        take(&range.high, range.is_throughput);
    }
    compared
}

/// The verdict on what was published. A figure is explained inside the band; a range over several runs, of which
/// nobody says which run gave which end, if its middle is.
pub fn judge(published: Option<&Published>, band: &Band) -> Verdict {
    let compared = published.map_or(Vec::new(), |published| compare(published, band));
    if compared.is_empty() {
        return Verdict::NoFigure;
    }
    let middle = published.filter(|published| published.is_range()).and_then(|published| published.range);
    let explained = match middle {
        Some(Range { low, high, is_throughput }) => {
            let middle = Figure { value: f64::midpoint(low.value, high.value), ..low };
            band.place(&middle, if is_throughput { band.block } else { 1.0 }) == Place::Inside
        }
        None => compared.iter().all(|compared| compared.place == Place::Inside),
    };
    if explained { Verdict::Explained } else { Verdict::Unexplained }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(value: f64, rounding: f64) -> Figure {
        Figure { value, rounding, sense: Sense::Exactly }
    }

    fn published(iops: Option<Figure>, range: Option<Range>) -> Published {
        Published {
            iops,
            throughput_bytes_per_s: None,
            latency_us: None,
            range,
            source: String::new(),
            text: None,
        }
    }

    #[test]
    fn a_figure_is_explained_inside_the_band_and_its_own_rounding() {
        let band = Band { low: 499.5, high: 500.5, block: 4096.0 };
        for (value, rounding, verdict) in [
            (499.69, 0.005, Verdict::Explained),
            (499.01, 0.005, Verdict::Explained),
            (498.9, 0.05, Verdict::Unexplained),
            (501.5, 0.5, Verdict::Explained),
            (502.0, 0.5, Verdict::Unexplained),
        ] {
            assert_eq!(
                judge(Some(&published(Some(exactly(value, rounding)), None)), &band),
                verdict,
                "{value}"
            );
        }
        assert_eq!(judge(None, &band), Verdict::NoFigure);
    }

    #[test]
    fn a_range_over_several_runs_is_explained_by_its_middle() {
        let band = Band { low: 15_000.0, high: 16_700.0, block: 32_768.0 };
        let range = |low: f64, high: f64| Range {
            low: exactly(low, 0.5e6),
            high: exactly(high, 0.5e6),
            is_throughput: true,
        };
        // 16,700 × 32 KiB is 547.2 MB/s.
        assert_eq!(judge(Some(&published(None, Some(range(500e6, 540e6)))), &band), Verdict::Explained);
        assert_eq!(judge(Some(&published(None, Some(range(540e6, 570e6)))), &band), Verdict::Unexplained);
        assert_eq!(judge(Some(&published(None, Some(range(440e6, 600e6)))), &band), Verdict::Explained);
        assert_eq!(judge(Some(&published(None, Some(range(550e6, 570e6)))), &band), Verdict::Unexplained);
        assert_eq!(judge(Some(&published(None, Some(range(400e6, 480e6)))), &band), Verdict::Unexplained);
    }

    #[test]
    fn the_extremes_of_a_runs_seconds_are_shown_and_not_judged() {
        let band = Band { low: 900.0, high: 1_100.0, block: 4096.0 };
        let range = Range { low: exactly(10.0, 0.5), high: exactly(5_000.0, 0.5), is_throughput: false };
        assert_eq!(
            judge(Some(&published(Some(exactly(1_000.0, 0.5)), Some(range))), &band),
            Verdict::Explained
        );
    }

    #[test]
    fn over_a_figure_is_met_by_any_band_beyond_it() {
        let over = |value| published(Some(Figure { value, rounding: 0.5, sense: Sense::Over }), None);
        let band = Band { low: 65_000.0, high: 65_600.0, block: 4096.0 };
        assert_eq!(judge(Some(&over(62_000.0)), &band), Verdict::Explained);
        assert_eq!(judge(Some(&over(70_000.0)), &band), Verdict::Unexplained);
    }
}
