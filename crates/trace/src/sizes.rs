use std::collections::BTreeMap;

/// Different lengths that are counted apart.
pub const MOST_SIZES: usize = 4_096;

/// I/Os of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfLength {
    ios: u64,
    /// I/Os by the power of two that divides their offset.
    by_alignment: [u64; 64],
}

impl Default for OfLength {
    fn default() -> OfLength {
        OfLength { ios: 0, by_alignment: [0; 64] }
    }
}

impl OfLength {
    fn add(&mut self, more: &OfLength) {
        self.ios += more.ios;
        for (own, more) in self.by_alignment.iter_mut().zip(more.by_alignment) {
            *own += more;
        }
    }

    #[inline]
    fn add_one(&mut self, offset: u64) {
        self.ios += 1;
        self.by_alignment[(offset.trailing_zeros() as usize).min(63)] += 1;
    }
}

/// Lengths of I/Os, counted, with the alignment of their offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    counts: BTreeMap<u64, OfLength>,
    /// I/Os of lengths beyond the first [`MOST_SIZES`] different ones.
    others: u64,
    longest: u64,
    /// A run of I/Os of one length that is not in `counts` yet.
    run: (u64, OfLength),
}

impl Sizes {
    /// Adds an I/O.
    #[inline]
    pub fn add(&mut self, length: u64, offset: u64) {
        if self.run.0 != length {
            self.close();
            self.longest = self.longest.max(length);
            self.run.0 = length;
        }
        self.run.1.add_one(offset);
    }

    fn close(&mut self) {
        let (length, run) = std::mem::take(&mut self.run);
        if run.ios == 0 {
            return;
        }
        if self.counts.len() < MOST_SIZES || self.counts.contains_key(&length) {
            self.counts.entry(length).or_default().add(&run);
        } else {
            self.others += run.ios;
        }
    }

    /// The longest length.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// The most frequent lengths with their counts, the most frequent first; of equal ones the smaller first.
    pub fn most_frequent(&self, number: usize) -> Vec<(u64, u64)> {
        let mut whole = self.clone();
        whole.close();
        let mut sorted: Vec<(u64, u64)> =
            whole.counts.into_iter().map(|(length, of)| (length, of.ios)).collect();
        sorted.sort_by_key(|(length, count)| (std::cmp::Reverse(*count), *length));
        sorted.truncate(number);
        sorted
    }

    /// The greatest power of two that divides the offsets of 99 % of the I/Os of this length; at most the length, rounded up to
    /// a power of two. A larger one would only say that few places were in use. A few I/Os elsewhere, such as those of a partition
    /// table, do not lower it.
    pub fn alignment(&self, length: u64) -> u64 {
        let mut whole = self.clone();
        whole.close();
        let most = length.checked_next_power_of_two().unwrap_or(1 << 63);
        let Some(of) = whole.counts.get(&length) else { return most };
        let mut aligned = of.ios;
        for (shift, ios) in of.by_alignment.iter().enumerate() {
            aligned -= ios;
            if u128::from(aligned) * 100 < u128::from(of.ios) * 99 {
                return most.min(1 << shift);
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alignment_of_a_length_divides_its_offsets_and_no_others_count() {
        let mut sizes = Sizes::default();
        for (length, offset) in
            [(8_192, 16_384), (512, 1_536), (8_192, 24_576), (12_288, 1 << 30), (512, 512), (4_096, 12_289)]
        {
            sizes.add(length, offset);
        }
        // Two I/Os of 8 KiB at multiples of 8 KiB, two sectors at odd sectors, 12 KiB far away, a torn place.
        let found = [8_192, 512, 12_288, 4_096, 65_536].map(|length| sizes.alignment(length));
        assert_eq!(found, [8_192, 512, 16_384, 1, 65_536]);
        assert_eq!(sizes.most_frequent(2), [(512, 2), (8_192, 2)]);
    }

    #[test]
    fn one_torn_io_of_a_hundred_leaves_the_alignment() {
        let mut sizes = Sizes::default();
        (1..100).for_each(|place| sizes.add(8_192, place * 8_192));
        sizes.add(8_192, 8_192 + 512);
        assert_eq!(sizes.alignment(8_192), 8_192);
        sizes.add(8_192, 8_192 + 512);
        assert_eq!(sizes.alignment(8_192), 512);
    }
}
