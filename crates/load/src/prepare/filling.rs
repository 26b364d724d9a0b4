use iobound_units::Percent;
use iobound_workload::{Content, Random};

/// Granularity of compression and repetition, in bytes: the block of common file systems and arrays.
pub const BLOCK: usize = 4096;

/// Blocks whose repeats lie among themselves: 4 MiB, so that a small file has its share too.
const GROUP: u64 = 1024;

/// Content of a file: each block follows from the seed and its offset alone, so that any of them can be
/// made again, in any order and by any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filling {
    /// Draws the data.
    pub seed: u64,
    /// Content of blocks.
    pub content: Content,
    /// The share of the blocks of 4 KiB that repeat an earlier one.
    pub repeats: Percent,
}

/// Number of repeated blocks among the first `n`, at a share of `ppm`: rounded down.
pub(super) fn repeated(n: u64, ppm: u32) -> u64 {
    (u128::from(n) * u128::from(ppm) / 1_000_000) as u64
}

impl Filling {
    /// Data that neither compresses nor repeats.
    pub fn incompressible(seed: u64) -> Filling {
        Filling { seed, content: Content::Incompressible, repeats: Percent::ZERO }
    }

    /// Fills `buffer` with what belongs at `offset` (bytes; any, of any length).
    pub fn fill(&self, offset: u64, buffer: &mut [u8]) {
        let mut at = offset;
        let mut rest = buffer;
        while !rest.is_empty() {
            let (block, into) = (at / BLOCK as u64, (at % BLOCK as u64) as usize);
            let (part, after) = rest.split_at_mut(rest.len().min(BLOCK - into));
            if into == 0 && part.len() == BLOCK {
                self.block(block, part);
            } else {
                let mut whole = [0; BLOCK];
                self.block(block, &mut whole);
                part.copy_from_slice(&whole[into..into + part.len()]);
            }
            at += part.len() as u64;
            rest = after;
        }
    }

    /// The block that has this one's content: itself, or the earlier one that it repeats.
    fn original(&self, block: u64) -> u64 {
        let ppm = self.repeats.ppm();
        let (group, within) = (block / GROUP, block % GROUP);
        let (before, after) = (repeated(within, ppm), repeated(within + 1, ppm));
        let originals = within - before;
        if after == before {
            return group * GROUP + originals;
        }
        match originals {
            // Everything repeats: the very first block does not.
            0 => 0,
            _ => group * GROUP + Random::keyed(&[self.seed, block, 1]).below(originals),
        }
    }

    /// `out` is one block.
    fn block(&self, block: u64, out: &mut [u8]) {
        match self.content {
            Content::Zeros => out.fill(0),
            Content::Counting => {
                for (at, byte) in out.iter_mut().enumerate() {
                    *byte = at as u8;
                }
            }
            // A block of 4 KiB need not be a whole number of them.
            Content::Repeated(bytes) => bytes.fill(block * BLOCK as u64, out),
            Content::Incompressible => draw(self.seed, self.original(block), out),
            Content::Compressible(share) => {
                let drawn = BLOCK - share.ppm() as usize * BLOCK / 1_000_000;
                let (random, same) = out.split_at_mut(drawn);
                draw(self.seed, self.original(block), random);
                // Not zeros, which arrays drop without compressing; and another byte in every original.
                same.fill(Random::keyed(&[self.seed, self.original(block), 2]).bits() as u8 | 1);
            }
        }
    }
}

/// Random bytes that belong to (seed, original).
fn draw(seed: u64, original: u64, out: &mut [u8]) {
    let mut random = Random::keyed(&[seed, original, 0]);
    let mut words = out.chunks_exact_mut(8);
    for word in &mut words {
        word.copy_from_slice(&random.bits().to_le_bytes());
    }
    let rest = words.into_remainder();
    let last = random.bits().to_le_bytes();
    rest.copy_from_slice(&last[..rest.len()]);
}
