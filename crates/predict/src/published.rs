//! A figure that somebody measured or printed, beside a prediction's band.

use iobound_units::{parse_bandwidth, parse_iops};

use crate::answer::Expected;

/// Published figures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Published {
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
}

/// Position of a figure relative to a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below the low end of the band.
    Below,
    /// Inside the band, its ends included.
    Inside,
    /// Above the high end.
    Above,
}

impl Place {
    /// The word of documents and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Below => "below",
            Place::Inside => "inside",
            Place::Above => "above",
        }
    }
}

impl Published {
    /// Reads `iops=19882`, `throughput=555MB/s`, or both with a space between.
    ///
    /// # Errors
    /// Returns an error if the text cannot be read; it has the text and the expected form.
    pub fn parse(text: &str) -> Result<Published, String> {
        const EXPECTED: &str = "write 'iops=19882', 'throughput=81MB/s' or both with a space between";
        let mut published = Published::default();
        for word in text.split_whitespace() {
            let (key, value) =
                word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`: {EXPECTED}"))?;
            let (place, read) = match key {
                "iops" => (&mut published.iops, parse_iops(value).map(|iops| iops.0 as f64)),
                "throughput" => {
                    (&mut published.throughput_bytes_per_s, parse_bandwidth(value).map(|rate| rate.0 as f64))
                }
                _ => return Err(format!("unknown key `{key}`: {EXPECTED}")),
            };
            let value = read.map_err(|error| format!("`{word}`: {error}"))?;
            if value == 0.0 {
                return Err(format!("`{word}`: the figure is zero; {EXPECTED}"));
            }
            if place.replace(value).is_some() {
                return Err(format!("`{key}` is given twice; {EXPECTED}"));
            }
        }
        match published {
            Published { iops: None, throughput_bytes_per_s: None } => Err(format!("no figure: {EXPECTED}")),
            published => Ok(published),
        }
    }

    /// Position; of two figures, that of the one outside the band.
    pub fn place(&self, expected: &Expected) -> Place {
        let block = expected.throughput_bytes_per_s / expected.iops;
        let place = |figure: f64, unit: f64| {
            if figure < expected.low_iops * unit {
                Place::Below
            } else if figure > expected.high_iops * unit {
                Place::Above
            } else {
                Place::Inside
            }
        };
        let figures = [self.iops.map(|iops| (iops, 1.0)), self.throughput_bytes_per_s.map(|of| (of, block))];
        let places = figures.into_iter().flatten().map(|(figure, unit)| place(figure, unit));
        places.fold(Place::Inside, |first, next| if first == Place::Inside { next } else { first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected =
        Expected { iops: 15_000.0, low_iops: 10_000.0, high_iops: 20_000.0, throughput_bytes_per_s: 61.44e6 };

    #[test]
    fn a_figure_is_below_inside_or_above_the_band() {
        // 4,096 bytes an I/O: the band is 40.96 to 81.92 MB/s.
        for (text, place) in [
            ("iops=9,999", Place::Below),
            ("iops=10000", Place::Inside),
            ("iops=20kiops", Place::Inside),
            ("iops=20001", Place::Above),
            ("throughput=40MB/s", Place::Below),
            ("throughput=78MiB/s", Place::Inside),
            ("throughput=82MB/s", Place::Above),
            ("iops=15000 throughput=82MB/s", Place::Above),
        ] {
            let published = Published::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(published.place(&EXPECTED), place, "{text}");
        }
    }

    #[test]
    fn what_is_no_figure_is_refused_with_what_would_be_one() {
        for text in
            ["", "19882", "iops=", "iops=many", "iops=0", "iops=1 iops=2", "latency=2ms", "throughput=555"]
        {
            let error = Published::parse(text).expect_err(text);
            assert!(error.contains("write") || error.contains("expected"), "{text}: {error}");
        }
    }
}
