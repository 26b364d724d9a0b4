use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bins, Histogram, Moments};

/// A histogram as it stands in a result: the bins that are not empty, and the exact moments.
///
/// The sums exceed what a number of JSON holds safely in other languages, so they are decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sparse {
    /// Significant digits of the bins.
    #[schemars(extend("x-unit" = "digits"))]
    digits: u8,
    /// I/Os in all bins.
    #[schemars(extend("x-unit" = "I/Os"))]
    count: u64,
    /// Minimum latency, exact; absent without I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "ns"))]
    min_ns: Option<u64>,
    /// Maximum latency, exact; absent without I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "ns"))]
    max_ns: Option<u64>,
    /// Sum of the latencies in ns, in decimal digits.
    sum_ns: String,
    /// Sum of the squares of the latencies in ns², in decimal digits.
    sum_of_squares_ns2: String,
    /// I/Os beyond the last bin; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("x-unit" = "I/Os"))]
    saturated: u64,
    /// Bins that are not empty: index and I/Os, in order of index.
    bins: Vec<(u32, u64)>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl<const DIGITS: u8> Serialize for Histogram<DIGITS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Sparse {
            digits: DIGITS,
            count: self.count(),
            min_ns: self.moments.min_ns(),
            max_ns: self.moments.max_ns(),
            sum_ns: self.moments.sum_ns.to_string(),
            sum_of_squares_ns2: self.moments.squares_ns2.to_string(),
            saturated: self.moments.saturated,
            bins: self.sparse().map(|(index, count)| (index as u32, count)).collect(),
        }
        .serialize(serializer)
    }
}

impl<const DIGITS: u8> JsonSchema for Histogram<DIGITS> {
    fn schema_name() -> Cow<'static, str> {
        "Histogram".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Sparse::json_schema(generator)
    }
}

impl<'de, const DIGITS: u8> Deserialize<'de> for Histogram<DIGITS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sparse = Sparse::deserialize(deserializer)?;
        sparse.restore().map_err(D::Error::custom)
    }
}

/// The exact moments of a histogram that is kept in HdrHistogram's encoding, which has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMoments {
    /// Number of values.
    pub count: u64,
    /// The smallest in ns; `None` without values.
    pub min_ns: Option<u64>,
    /// The largest.
    pub max_ns: Option<u64>,
    /// Their sum in ns, in decimal digits.
    pub sum_ns: String,
    /// The sum of their squares in ns², in decimal digits.
    pub sum_of_squares_ns2: String,
    /// Number that lay beyond the last bin.
    pub saturated: u64,
}

impl<const DIGITS: u8> Histogram<DIGITS> {
    /// The moments beside [`Histogram::to_v2_bytes`], with which [`Histogram::from_v2_bytes`] makes the same again.
    pub fn to_kept_moments(&self) -> KeptMoments {
        KeptMoments {
            count: self.count(),
            min_ns: self.moments.min_ns(),
            max_ns: self.moments.max_ns(),
            sum_ns: self.moments.sum_ns.to_string(),
            sum_of_squares_ns2: self.moments.squares_ns2.to_string(),
            saturated: self.moments.saturated,
        }
    }

    /// A histogram from HdrHistogram's V2 encoding and the moments that were kept beside.
    ///
    /// # Errors
    /// Returns an error if the bytes are not such an encoding, have another geometry, or belong to other moments: a
    /// sentence.
    pub fn from_v2_bytes(bytes: &[u8], moments: KeptMoments) -> Result<Histogram<DIGITS>, String> {
        let mut bytes = bytes;
        let read: Result<hdrhistogram::Histogram<u64>, _> =
            hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes);
        let hdr = read.map_err(|error| format!("no histogram in HdrHistogram's V2 encoding: {error:?}"))?;
        let bins = hdr.iter_recorded().map(|at| {
            let value = at.value_iterated_to().min(super::HIGHEST_NS);
            (Bins::<DIGITS>::index(value) as u32, at.count_at_value())
        });
        let KeptMoments { count, min_ns, max_ns, sum_ns, sum_of_squares_ns2, saturated } = moments;
        let bins = bins.collect();
        Sparse { digits: hdr.sigfig(), count, min_ns, max_ns, sum_ns, sum_of_squares_ns2, saturated, bins }
            .restore()
    }
}

/// The most values of a histogram that is read, and the largest sum: those of 2^20 histograms can still be added.
const MOST_COUNT: u64 = 1 << 43;
const MOST_SUM_NS: u128 = 1 << 100;

impl Sparse {
    fn restore<const DIGITS: u8>(self) -> Result<Histogram<DIGITS>, String> {
        if self.digits != DIGITS {
            return Err(format!("a histogram of {} digits where one of {DIGITS} belongs", self.digits));
        }
        let sum = |name: &str, text: &str| {
            text.parse::<u128>().map_err(|_| format!("{name} is '{text}', not a whole number"))
        };
        // Histograms of old results may have a sum that their extremes do not allow: it is not looked at here.
        let sum_ns = sum("sum_ns", &self.sum_ns)?;
        if sum_ns > MOST_SUM_NS || self.count > MOST_COUNT {
            return Err(format!(
                "{} values with a sum of {sum_ns} ns: at most {MOST_COUNT} values and {MOST_SUM_NS} ns are read",
                self.count
            ));
        }
        let moments = Moments {
            count: self.count,
            sum_ns,
            squares_ns2: sum("sum_of_squares_ns2", &self.sum_of_squares_ns2)?,
            min_ns: self.min_ns.unwrap_or(u64::MAX),
            max_ns: self.max_ns.unwrap_or(0),
            saturated: self.saturated,
        };
        Histogram::from_bins(self.bins, moments)
    }
}

impl<const DIGITS: u8> Histogram<DIGITS> {
    /// Index and count of the bins that are not empty, in order: with the moments beside all that there is, to be put
    /// together again by [`Histogram::from_bins`].
    pub fn bins(&self) -> impl Iterator<Item = (u32, u64)> {
        self.sparse().map(|(index, count)| (index as u32, count))
    }

    /// A histogram from its bins and its moments.
    ///
    /// # Errors
    /// Returns an error if a bin does not exist, or bins and moments are of different values: a sentence.
    pub fn from_bins(
        filled: impl IntoIterator<Item = (u32, u64)>,
        moments: Moments,
    ) -> Result<Histogram<DIGITS>, String> {
        let mut bins = Bins::<DIGITS>::new();
        let mut total = 0u64;
        for (index, count) in filled {
            if index as usize >= Bins::<DIGITS>::COUNT {
                return Err(format!("bin {index} lies beyond the last, {}", Bins::<DIGITS>::COUNT - 1));
            }
            total = total.checked_add(count).ok_or("the counts of the bins overflow")?;
            bins.add(index as usize, count);
        }
        if total > i64::MAX as u64 {
            return Err(format!("the bins hold {total} values, more than HdrHistogram's encoding can"));
        }
        if total != moments.count {
            return Err(format!("the bins hold {total} values, the count says {}", moments.count));
        }
        let histogram = Histogram::from_parts(bins, moments);
        // Bins outside the extremes would be lost in a merge.
        let reached: u64 =
            if moments.min_ns > moments.max_ns { 0 } else { histogram.sparse().map(|b| b.1).sum() };
        if reached != total {
            let (min_ns, max_ns) = (moments.min_ns(), moments.max_ns());
            return Err(format!("values lie outside min_ns {min_ns:?} and max_ns {max_ns:?}"));
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_survives_json_bit_for_bit() {
        let mut histogram = Histogram::<3>::new();
        for value_ns in [0, 1, 2_047, 2_048, 1_609_000, 7_200_000_000_000] {
            histogram.record_n(value_ns, value_ns % 7 + 1);
        }
        let json = serde_json::to_string(&histogram).unwrap();
        assert_eq!(serde_json::from_str::<Histogram<3>>(&json).unwrap(), histogram);
        assert_eq!(serde_json::to_string(&Histogram::<2>::new()).unwrap(), EMPTY);
        assert_eq!(serde_json::from_str::<Histogram<2>>(EMPTY).unwrap(), Histogram::new());
    }

    const EMPTY: &str = r#"{"digits":2,"count":0,"sum_ns":"0","sum_of_squares_ns2":"0","bins":[]}"#;

    #[test]
    fn a_histogram_that_contradicts_itself_is_refused_with_the_reason() {
        for (json, says) in [
            (r#"{"digits":3,"count":0,"sum_ns":"0","sum_of_squares_ns2":"0","bins":[]}"#, "3 digits"),
            (r#"{"digits":2,"count":1,"sum_ns":"0","sum_of_squares_ns2":"0","bins":[]}"#, "the count says 1"),
            (r#"{"digits":2,"count":0,"sum_ns":"x","sum_of_squares_ns2":"0","bins":[]}"#, "sum_ns is 'x'"),
            (r#"{"digits":2,"count":1,"sum_ns":"9","sum_of_squares_ns2":"9","bins":[[9999,1]]}"#, "bin 9999"),
            (r#"{"digits":2,"count":1,"sum_ns":"9","sum_of_squares_ns2":"9","bins":[[9,1]]}"#, "outside"),
            (
                r#"{"digits":2,"count":1,"min_ns":1,"max_ns":2,"sum_ns":"9","sum_of_squares_ns2":"9","bins":[[9,1]]}"#,
                "outside",
            ),
        ] {
            let error = serde_json::from_str::<Histogram<2>>(json).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_histogram_survives_hdrhistograms_encoding_with_its_moments_beside() {
        let mut histogram = Histogram::<3>::new();
        for value_ns in [0, 1, 2_047, 2_049, 1_609_001, 7_200_000_000_000] {
            histogram.record_n(value_ns, value_ns % 7 + 1);
        }
        let (bytes, moments) = (histogram.to_v2_bytes(), histogram.to_kept_moments());
        assert_eq!(Histogram::from_v2_bytes(&bytes, moments.clone()), Ok(histogram));
        let other = KeptMoments { count: 1, ..moments.clone() };
        assert!(Histogram::<3>::from_v2_bytes(&bytes, other).unwrap_err().contains("the count says 1"));
        assert!(Histogram::<2>::from_v2_bytes(&bytes, moments.clone()).unwrap_err().contains("3 digits"));
        assert!(Histogram::<3>::from_v2_bytes(&bytes[..20], moments).is_err());
    }
}
