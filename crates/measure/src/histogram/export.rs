use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};

use super::{HIGHEST_NS, Histogram};

impl<const DIGITS: u8> Histogram<DIGITS> {
    /// The same bins as a histogram of the HdrHistogram crate, in ns. Its range and precision are the same, so
    /// nothing is lost but what HdrHistogram does not keep: the exact moments.
    pub fn to_hdr(&self) -> hdrhistogram::Histogram<u64> {
        let mut hdr = hdrhistogram::Histogram::new_with_bounds(1, HIGHEST_NS, DIGITS)
            .expect("the geometry of every histogram here is one of HdrHistogram's");
        for bucket in self.buckets() {
            hdr.record_n(bucket.lowest_ns, bucket.count).expect("HIGHEST_NS bounds every bucket");
        }
        hdr
    }

    /// The same bins from a histogram of the HdrHistogram crate, of values in ns. It keeps no moments: the sums are of
    /// the bins' middles, the extremes the outermost bins' ends. Where its own bins are wider, as with a lowest
    /// discernible value above 1, each counts as its middle.
    pub fn from_hdr(hdr: &hdrhistogram::Histogram<u64>) -> Histogram<DIGITS> {
        let mut histogram = Histogram::new();
        let (mut least, mut most) = (u64::MAX, 0);
        for at in hdr.iter_recorded() {
            let value = at.value_iterated_to();
            let (lowest, highest) = (hdr.lowest_equivalent(value), hdr.highest_equivalent(value));
            histogram.record_n(lowest + (highest - lowest) / 2, at.count_at_value());
            (least, most) = (least.min(lowest), most.max(highest));
        }
        if !histogram.is_empty() {
            (histogram.moments.min_ns, histogram.moments.max_ns) = (least, most);
        }
        histogram
    }

    /// HdrHistogram's V2 encoding, which its libraries in other languages read.
    pub fn to_v2_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoded = V2Serializer::new().serialize(&self.to_hdr(), &mut bytes);
        encoded.expect("writing to memory does not fail, and no count reaches 2^63");
        bytes
    }

    /// HdrHistogram's V2 encoding, deflated, in Base64: a line of its log format.
    pub fn to_v2_deflate_base64(&self) -> String {
        let mut bytes = Vec::new();
        let encoded = V2DeflateSerializer::new().serialize(&self.to_hdr(), &mut bytes);
        encoded.expect("writing to memory does not fail, and no count reaches 2^63");
        base64(&bytes)
    }
}

/// The standard alphabet of RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_come_back_from_hdrhistogram_and_moments_to_their_width() {
        let mut histogram = Histogram::<3>::new();
        for value_ns in [0, 1, 2_047, 2_049, 1_609_001, 7_200_000_000] {
            histogram.record_n(value_ns, value_ns % 7 + 1);
        }
        let back = Histogram::<3>::from_hdr(&histogram.to_hdr());
        assert!(back.buckets().eq(histogram.buckets()));
        let mean = |histogram: &Histogram<3>| histogram.moments().mean_ns().unwrap();
        // Three digits: a bin is a thousandth of its values wide, its middle half of that away.
        assert!((mean(&back) / mean(&histogram) - 1.0).abs() < 0.000_5);
        assert_eq!(back.moments().min_ns(), Some(0));
        assert!(back.moments().max_ns().unwrap() >= 7_200_000_000);
        assert_eq!(Histogram::<3>::from_hdr(&Histogram::<3>::new().to_hdr()), Histogram::new());
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        // The test vectors of RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
