//! Reuse distances by SHARDS (Waldspurger et al., FAST '15): the distances of a sample of all blocks, chosen by a hash of
//! the block, divided by the share of the blocks that is in the sample.
//!
//! The sample has a fixed size. While a trace has fewer blocks than that, distances are exact. When it is full, blocks with the
//! largest hashes leave it, and the share falls.

use std::collections::BTreeMap;

/// Bytes of a block: reuse is counted by it.
pub const REUSE_BLOCK: u64 = 4_096;

/// Blocks of the sample. Hit rates of a sample of 32,768 are within a percentage point.
const SAMPLE: usize = 32_768;
/// Slots for accesses, before those of blocks that were accessed again are removed.
const SLOTS: usize = 4 * SAMPLE;
/// Buckets of each power of two of distances.
const FINE: u64 = 32;
/// I/Os of more blocks than this (256 MiB) count with their first ones only.
const MOST_BLOCKS: u64 = 65_536;

/// The share of accesses that a cache of one size holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitPoint {
    /// Size of the cache in bytes.
    pub cache_bytes: u64,
    /// Share of all accessed blocks that it holds.
    pub all: f64,
    /// Share of the read blocks that it holds.
    pub reads: f64,
}

/// Distances by buckets, each access with the weight of all that it stands for.
#[derive(Clone, Debug, Default)]
struct Distances {
    buckets: Vec<f64>,
    /// First accesses.
    cold: f64,
    /// All accesses, sampled or not.
    accesses: u64,
}

/// The bucket of a distance.
fn bucket_of(distance: u64) -> usize {
    if distance < FINE {
        return distance as usize;
    }
    let octave = u64::from(distance.ilog2() - FINE.ilog2());
    (octave * FINE + (distance >> octave)) as usize
}

/// The first distance behind a bucket.
fn end_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * FINE {
        return bucket + 1;
    }
    let octave = bucket / FINE - 1;
    (bucket - octave * FINE + 1) << octave
}

impl Distances {
    fn add(&mut self, distance: Option<u64>, weight: f64) {
        let Some(distance) = distance else {
            self.cold += weight;
            return;
        };
        let bucket = bucket_of(distance);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0.0);
        }
        self.buckets[bucket] += weight;
    }

    /// The share of accesses at a distance below so many blocks.
    fn hits(&self, blocks: u64) -> f64 {
        if self.accesses == 0 {
            return 0.0;
        }
        let weight: f64 = self.cold + self.buckets.iter().sum::<f64>();
        let below = |at: usize| end_of(at) <= blocks;
        let near: f64 = (0..self.buckets.len()).filter(|at| below(*at)).map(|at| self.buckets[at]).sum();
        // SHARDS-adj: a hot block in or out of the sample makes it stand for too many accesses or too few, and hot blocks are
        // near. The difference belongs to the smallest distance.
        let missing = if blocks == 0 { 0.0 } else { self.accesses as f64 - weight };
        ((near + missing) / self.accesses as f64).clamp(0.0, 1.0)
    }
}

/// Number of slots in use up to a place, in logarithmic time (a Fenwick tree).
#[derive(Clone, Debug)]
struct Slots {
    tree: Vec<u32>,
}

impl Slots {
    fn new() -> Slots {
        Slots { tree: vec![0; SLOTS + 1] }
    }

    fn change(&mut self, slot: u32, by: i32) {
        let mut at = slot as usize + 1;
        while at <= SLOTS {
            self.tree[at] = self.tree[at].wrapping_add_signed(by);
            at += at & at.wrapping_neg();
        }
    }

    /// Slots in use below this one.
    fn below(&self, slot: u32) -> u32 {
        let (mut at, mut sum) = (slot as usize, 0);
        while at > 0 {
            sum += self.tree[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

/// Reuse of the blocks of a trace.
#[derive(Clone, Debug)]
pub struct Reuse {
    /// The slot of the last access, by the block's hash; and the window of that access.
    sample: BTreeMap<u64, (u32, u64)>,
    slots: Slots,
    next_slot: u32,
    /// Hashes below it are in the sample.
    threshold: u64,
    rate: f64,
    all: Distances,
    reads: Distances,
    /// Distinct blocks of the current window of time.
    window: u64,
    window_blocks: f64,
    /// I/Os that counted with their first blocks only.
    cut: u64,
}

impl Default for Reuse {
    fn default() -> Reuse {
        Reuse {
            sample: BTreeMap::new(),
            slots: Slots::new(),
            next_slot: 0,
            threshold: u64::MAX,
            rate: 1.0,
            all: Distances::default(),
            reads: Distances::default(),
            window: 0,
            window_blocks: 0.0,
            cut: 0,
        }
    }
}

/// A permutation of 64-bit numbers whose output looks random (the finaliser of SplitMix64).
#[inline]
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl Reuse {
    /// Adds a read or a write.
    #[inline]
    pub fn add(&mut self, device: u16, offset: u64, length: u64, is_read: bool) {
        if length == 0 {
            return;
        }
        let first = offset / REUSE_BLOCK;
        let last = offset.saturating_add(length - 1) / REUSE_BLOCK;
        let count = (last - first + 1).min(MOST_BLOCKS);
        self.cut += u64::from(last - first + 1 > MOST_BLOCKS);
        self.all.accesses += count;
        self.reads.accesses += if is_read { count } else { 0 };
        // Offsets have 52 bits of blocks, and devices the bits above.
        let device = u64::from(device) << 52;
        for block in first..first + count {
            let hash = mixed((block ^ device).wrapping_add(0x9e37_79b9_7f4a_7c15));
            if hash < self.threshold {
                self.access(hash, is_read);
            }
        }
    }

    fn access(&mut self, hash: u64, is_read: bool) {
        if self.next_slot as usize == SLOTS {
            self.compact();
        }
        let slot = self.next_slot;
        self.next_slot += 1;
        let weight = 1.0 / self.rate;
        let distance = match self.sample.insert(hash, (slot, self.window)) {
            Some((before, window)) => {
                let since = self.sample.len() as u32 - 1 - self.slots.below(before);
                self.slots.change(before, -1);
                if window != self.window {
                    self.window_blocks += weight;
                }
                Some((f64::from(since) * weight) as u64)
            }
            None => {
                self.window_blocks += weight;
                None
            }
        };
        self.slots.change(slot, 1);
        self.all.add(distance, weight);
        if is_read {
            self.reads.add(distance, weight);
        }
        if self.sample.len() > SAMPLE
            && let Some((largest, (slot, _))) = self.sample.pop_last()
        {
            self.slots.change(slot, -1);
            self.threshold = largest;
            self.rate = largest as f64 / u64::MAX as f64;
        }
    }

    /// Numbers the accesses anew, in their order.
    fn compact(&mut self) {
        let mut order: Vec<(u32, u64)> = self.sample.iter().map(|(hash, (slot, _))| (*slot, *hash)).collect();
        order.sort_unstable();
        self.slots = Slots::new();
        for (slot, (_, hash)) in order.iter().enumerate() {
            if let Some(block) = self.sample.get_mut(hash) {
                block.0 = slot as u32;
            }
            self.slots.change(slot as u32, 1);
        }
        self.next_slot = order.len() as u32;
    }

    /// Ends a window of time and returns the bytes of the distinct blocks that were accessed in it.
    pub fn end_window(&mut self) -> f64 {
        self.window += 1;
        std::mem::take(&mut self.window_blocks) * REUSE_BLOCK as f64
    }

    /// Bytes of the distinct blocks that were accessed so far.
    pub fn distinct_bytes(&self) -> f64 {
        self.sample.len() as f64 / self.rate * REUSE_BLOCK as f64
    }

    /// The share of blocks in the sample: 1 if the figures are exact.
    pub fn sampled(&self) -> f64 {
        self.rate
    }

    /// I/Os of more than 256 MiB, which count with their first 256 MiB only.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// The hit rate of a least-recently-used cache of this size that keeps reads and writes.
    pub fn hits(&self, cache_bytes: u64) -> HitPoint {
        let blocks = cache_bytes / REUSE_BLOCK;
        HitPoint { cache_bytes, all: self.all.hits(blocks), reads: self.reads.hits(blocks) }
    }

    /// Hit rates of caches of 1 MiB, 2 MiB and so on, up to the first that holds everything.
    pub fn curve(&self) -> Vec<HitPoint> {
        let mut curve = Vec::new();
        for power in 20..63 {
            let size = 1u64 << power;
            curve.push(self.hits(size));
            if size as f64 >= self.distinct_bytes() {
                break;
            }
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        for bucket in 0..1_500 {
            assert_eq!(bucket_of(end_of(bucket) - 1), bucket, "{bucket}");
            assert_eq!(bucket_of(end_of(bucket)), bucket + 1, "{bucket}");
        }
    }

    /// Distances by a list of blocks, the last accessed first.
    fn naive(blocks: &[u64], cache: usize) -> f64 {
        let (mut stack, mut hits): (Vec<u64>, usize) = (Vec::new(), 0);
        for block in blocks {
            if let Some(at) = stack.iter().position(|held| held == block) {
                hits += usize::from(at < cache);
                stack.remove(at);
            }
            stack.insert(0, *block);
        }
        hits as f64 / blocks.len() as f64
    }

    #[test]
    fn a_small_trace_has_the_hit_rate_of_a_cache_that_is_simulated() {
        let blocks: Vec<u64> = (0..4_000u64).map(|n| mixed(n) % (1 + mixed(n + 7) % 600)).collect();
        let mut reuse = Reuse::default();
        for block in &blocks {
            reuse.add(0, block * REUSE_BLOCK, REUSE_BLOCK, true);
        }
        // Below 64 blocks each distance has a bucket of its own.
        for cache in [1u64, 7, 30, 60] {
            let exact = naive(&blocks, cache as usize);
            assert!((reuse.hits(cache * REUSE_BLOCK).reads - exact).abs() < 1e-9, "{cache}");
        }
        let exact = naive(&blocks, 256);
        assert!((reuse.hits(256 * REUSE_BLOCK).all - exact).abs() < 0.01);
        assert_eq!(reuse.sampled(), 1.0);
    }

    #[test]
    fn a_sample_has_the_hit_rate_of_uniform_accesses() {
        // Uniform over 200,000 blocks: a cache of a part of them has that part of the hits once it is full.
        let (blocks, count) = (200_000u64, 2_000_000u64);
        let mut reuse = Reuse::default();
        for n in 0..count {
            reuse.add(0, mixed(n) % blocks * REUSE_BLOCK, REUSE_BLOCK, true);
        }
        assert!(reuse.sampled() < 0.2);
        let distinct = reuse.distinct_bytes() / (blocks * REUSE_BLOCK) as f64;
        assert!((distinct - 1.0).abs() < 0.02, "{distinct}");
        let half = reuse.hits(blocks / 2 * REUSE_BLOCK).all;
        assert!((0.45..0.51).contains(&half), "{half}");
    }

    #[test]
    fn an_io_of_any_length_ends() {
        let mut reuse = Reuse::default();
        reuse.add(u16::MAX, u64::MAX - 10, u64::MAX, false);
        reuse.add(0, 0, u64::MAX, true);
        assert_eq!(reuse.cut(), 1);
    }
}
