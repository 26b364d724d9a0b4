//! A choice by weight in constant time: Walker's alias table, built exactly in integers (Vose, "A linear
//! algorithm for generating random numbers with a given distribution", IEEE TSE 1991).

use crate::random::Random;

/// Chooses an index with the probability of its weight.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    cells: Vec<Cell>,
}

/// One of as many equal cells as there are weights: below `threshold` it is its own index, else `other`.
#[derive(Clone, Copy, Debug)]
struct Cell {
    threshold: u64,
    other: u32,
}

impl Alias {
    /// Weights that are not all zero.
    pub(crate) fn new(weights: &[u32]) -> Alias {
        let count = weights.len() as u64;
        let total: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
        assert!(total > 0, "an alias table needs a weight");
        // Scaled so that a full cell holds `total`: sums stay whole numbers.
        let mut scaled: Vec<u64> = weights.iter().map(|weight| u64::from(*weight) * count).collect();
        let mut cells = vec![Cell { threshold: u64::MAX, other: 0 }; weights.len()];
        for (index, cell) in cells.iter_mut().enumerate() {
            cell.other = index as u32;
        }
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|index| scaled[*index] < total);
        while let (Some(less), Some(more)) = (small.pop(), large.last().copied()) {
            let threshold = ((u128::from(scaled[less]) << 64) / u128::from(total)) as u64;
            cells[less] = Cell { threshold, other: more as u32 };
            scaled[more] -= total - scaled[less];
            if scaled[more] < total {
                large.pop();
                small.push(more);
            }
        }
        Alias { cells }
    }

    /// One draw.
    #[inline]
    pub(crate) fn choose(&self, random: &mut Random) -> usize {
        // The product's high half is the cell, its low half where in the cell.
        let product = u128::from(random.bits()) * self.cells.len() as u128;
        let index = (product >> 64) as usize;
        let cell = self.cells[index];
        if (product as u64) < cell.threshold { index } else { cell.other as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_is_chosen_by_its_weight() {
        for weights in [vec![1], vec![7, 3], vec![60, 40, 0], vec![1, 2, 3, 4, 90], vec![0, 0, 5]] {
            let alias = Alias::new(&weights);
            let mut random = Random::keyed(&[3, weights.len() as u64]);
            let draws = 200_000u32;
            let mut counts = vec![0u32; weights.len()];
            for _ in 0..draws {
                counts[alias.choose(&mut random)] += 1;
            }
            let total: u32 = weights.iter().sum();
            for (count, weight) in counts.iter().zip(&weights) {
                let share = f64::from(*weight) / f64::from(total);
                let deviation = (f64::from(draws) * share * (1.0 - share)).sqrt();
                let error = (f64::from(*count) - f64::from(draws) * share).abs();
                assert!(error <= 5.0 * deviation, "{weights:?}: {counts:?}");
            }
        }
    }
}
