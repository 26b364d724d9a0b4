use std::collections::BTreeMap;

/// Different lengths that are counted apart.
pub const MOST_SIZES: usize = 4_096;

/// Lengths of I/Os, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    counts: BTreeMap<u64, u64>,
    /// I/Os of lengths beyond the first [`MOST_SIZES`] different ones.
    others: u64,
    longest: u64,
    /// A run of I/Os of one length that is not in `counts` yet.
    run: (u64, u64),
}

impl Sizes {
    /// Adds an I/O.
    #[inline]
    pub fn add(&mut self, length: u64) {
        if self.run.0 == length {
            self.run.1 += 1;
        } else {
            self.close();
            self.longest = self.longest.max(length);
            self.run = (length, 1);
        }
    }

    fn close(&mut self) {
        let (length, count) = self.run;
        if count == 0 {
            return;
        }
        if self.counts.len() < MOST_SIZES || self.counts.contains_key(&length) {
            *self.counts.entry(length).or_default() += count;
        } else {
            self.others += count;
        }
        self.run.1 = 0;
    }

    /// The longest length.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// The most frequent lengths with their counts, the most frequent first; of equal ones the smaller first.
    pub fn most_frequent(&self, number: usize) -> Vec<(u64, u64)> {
        let mut whole = self.clone();
        whole.close();
        let mut sorted: Vec<(u64, u64)> = whole.counts.into_iter().collect();
        sorted.sort_by_key(|(length, count)| (std::cmp::Reverse(*count), *length));
        sorted.truncate(number);
        sorted
    }
}
