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
