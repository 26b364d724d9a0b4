//! The oracle is the crate `hdrhistogram` with the same range and precision.

use hdrhistogram::serialization::Deserializer;
use iobound_measure::{HIGHEST_NS, Histogram};
use proptest::prelude::*;

const PERCENTILES: [f64; 14] =
    [0.0, 1.0, 12.5, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 100.0, 101.0];

/// Values over the whole range, with every power of two as likely as any other, and a few beyond.
fn value_ns() -> impl Strategy<Value = u64> {
    (0_u32..44, any::<u64>()).prop_map(|(bits, draw)| draw & ((1 << bits) - 1))
}

fn both<const DIGITS: u8>(values: &[(u64, u64)]) -> (Histogram<DIGITS>, hdrhistogram::Histogram<u64>) {
    let mut ours = Histogram::<DIGITS>::new();
    let mut hdr = hdrhistogram::Histogram::new_with_bounds(1, HIGHEST_NS, DIGITS).unwrap();
    for (value_ns, n) in values {
        if *n == 1 {
            ours.record(*value_ns);
        } else {
            ours.record_n(*value_ns, *n);
        }
        hdr.saturating_record_n(*value_ns, *n);
    }
    (ours, hdr)
}

fn agree<const DIGITS: u8>(values: &[(u64, u64)]) {
    let (ours, hdr) = both::<DIGITS>(values);
    assert_eq!(ours.count(), hdr.len());
    for percentile in PERCENTILES {
        assert_eq!(
            ours.value_at_percentile(percentile),
            hdr.value_at_percentile(percentile),
            "p{percentile}"
        );
    }
    let bins: Vec<_> = hdr.iter_recorded().map(|v| (v.value_iterated_to(), v.count_at_value())).collect();
    let buckets: Vec<_> = ours.buckets().map(|b| (b.highest_ns, b.count)).collect();
    assert_eq!(buckets, bins);
    for bucket in ours.buckets() {
        assert_eq!(hdr.lowest_equivalent(bucket.highest_ns), bucket.lowest_ns);
    }
    assert_eq!(ours.to_hdr(), hdr);
}

proptest! {
    #[test]
    fn bins_and_percentiles_are_hdr_histograms(
        values in proptest::collection::vec((value_ns(), 1_u64..5), 0..300)
    ) {
        agree::<3>(&values);
        agree::<2>(&values);
        agree::<1>(&values);
    }

    #[test]
    fn an_export_read_back_by_hdr_histogram_is_equal_bin_for_bin(
        values in proptest::collection::vec((value_ns(), 1_u64..1_000_000), 0..300)
    ) {
        let (ours, hdr) = both::<3>(&values);
        let plain = Deserializer::new().deserialize::<u64, _>(&mut &ours.to_v2_bytes()[..]).unwrap();
        prop_assert_eq!(&plain, &hdr);
        let deflated = unbase64(&ours.to_v2_deflate_base64());
        let deflated = Deserializer::new().deserialize::<u64, _>(&mut &deflated[..]).unwrap();
        prop_assert_eq!(&deflated, &hdr);
    }

    #[test]
    fn parts_merge_to_the_whole_in_any_order(
        values in proptest::collection::vec((value_ns(), 1_u64..5), 0..300), at in 0_usize..300
    ) {
        let (left, right) = values.split_at(at.min(values.len()));
        let (whole, (mut a, _), (mut b, _)) = (both::<3>(&values).0, both::<3>(left), both::<3>(right));
        let c = b.clone();
        b.merge(&a);
        a.merge(&c);
        prop_assert_eq!(&a, &whole);
        prop_assert_eq!(&b, &whole);
        a.clear();
        prop_assert_eq!(a, Histogram::new());
    }
}

#[test]
fn a_value_beyond_the_range_is_counted_at_its_top_and_keeps_the_maximum() {
    let mut histogram = Histogram::<3>::new();
    histogram.record(HIGHEST_NS);
    assert_eq!(histogram.saturated(), 0);
    histogram.record(HIGHEST_NS + 1);
    histogram.record_n(u64::MAX, 2);
    assert_eq!((histogram.count(), histogram.saturated()), (4, 3));
    assert_eq!(histogram.moments().max_ns(), Some(u64::MAX));
    assert_eq!(histogram.value_at_percentile(100.0), HIGHEST_NS);
    assert_eq!(histogram.buckets().count(), 1);
}

#[test]
fn a_percentile_to_print_lies_between_the_extremes() {
    let mut histogram = Histogram::<3>::new();
    // Bins are 2^14 ns wide here, so that the bin of 20,300,000 ends above it.
    [20_100_000, 20_200_000, 20_300_000].into_iter().for_each(|ns| histogram.record(ns));
    assert!(histogram.value_at_percentile(99.0) > 20_300_000);
    assert_eq!(histogram.percentile_ns(99.0), 20_300_000);
    assert_eq!(histogram.percentile_ns(100.0), 20_300_000);
    assert_eq!(histogram.percentile_ns(0.0), 20_100_000);
    assert_eq!(Histogram::<3>::new().percentile_ns(50.0), 0);
}

#[test]
fn the_range_holds_an_hour() {
    const { assert!(HIGHEST_NS > 3_600_000_000_000) };
}

/// RFC 4648, section 4, back to bytes.
fn unbase64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let bits = group.iter().fold(0, |bits, letter| bits << 6 | u32::from(value(*letter)));
        let padding = group.iter().filter(|letter| **letter == b'=').count();
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    bytes
}
