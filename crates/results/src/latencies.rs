//! The latencies of an interval as bytes: for each class that has any, how far its number is above the one before, and how many
//! I/Os; each as LEB128, seven bits a byte, the lowest first. A class and its count are two bytes or three.

use iobound_measure::result::classes::{class_of, highest_of};

/// The bytes of classes as a result has them: the highest latency in ns and the number of I/Os, rising. `None` of none.
pub(crate) fn encoded(latencies: &[(u64, u64)]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(3 * latencies.len());
    let mut before = 0;
    for (highest, ios) in latencies {
        let class = class_of(*highest);
        assert!(class > before && highest_of(class) == *highest, "latencies are in classes, and rise");
        put(&mut bytes, u64::from(class - before));
        put(&mut bytes, *ios);
        before = class;
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// The classes of bytes.
pub(crate) fn decoded(bytes: &[u8]) -> Result<Vec<(u64, u64)>, String> {
    let damaged = || "the latencies of an interval are damaged".to_string();
    let (mut rest, mut before) = (bytes, 0u64);
    let mut latencies = Vec::with_capacity(bytes.len() / 2);
    while !rest.is_empty() {
        let gap = take(&mut rest).filter(|gap| *gap > 0).ok_or_else(damaged)?;
        let ios = take(&mut rest).ok_or_else(damaged)?;
        let class = before.checked_add(gap).filter(|class| *class <= HIGHEST).ok_or_else(damaged)?;
        latencies.push((highest_of(class as u32), ios));
        before = class;
    }
    Ok(latencies)
}

/// The number of the highest class: that of 2^62 ns, four to each power of two.
const HIGHEST: u64 = 62 * 4;

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        let bits = u64::from(byte & 127);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte & 128 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_class_and_a_small_count_are_two_bytes() {
        // 127 ns ends the class 4 × 6 + 3 = 27; 159 ns the one after, whose 300 = 2 × 128 + 44 are two bytes.
        assert_eq!(encoded(&[(127, 5), (159, 300)]), Some(vec![27, 5, 1, 128 | 44, 2]));
        assert_eq!((encoded(&[]), decoded(&[])), (None, Ok(Vec::new())));
    }

    #[test]
    fn the_highest_class_and_the_largest_count_have_room() {
        let all: Vec<(u64, u64)> = (8..=62 * 4).map(|class| (highest_of(class), u64::MAX)).collect();
        assert_eq!(decoded(&encoded(&all).unwrap()).unwrap(), all);
    }

    #[test]
    fn what_ends_early_or_is_no_class_is_damaged() {
        for bytes in [
            &[27][..],
            &[27, 128],
            &[0, 5],
            &[249, 1, 5],
            &[128; 20],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 1],
        ] {
            assert!(decoded(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_classes_come_back(counts in proptest::collection::btree_map(8u32..=62 * 4, 1u64.., 0..80)) {
            let all: Vec<(u64, u64)> = counts.into_iter().map(|(class, ios)| (highest_of(class), ios)).collect();
            let bytes = encoded(&all).unwrap_or_default();
            prop_assert_eq!(decoded(&bytes).unwrap(), all);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = decoded(&bytes);
        }
    }
}
