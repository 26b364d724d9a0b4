use iobound_units::Percent;
use iobound_workload::{Content, Random};

use super::filling::{BLOCK, Filling, repeated};

/// Every sector of a refreshed block carries a number of its own in its first 8 bytes.
pub(super) const SECTOR: usize = 512;

/// Content of the write buffers of a run: filled once for each slot, and changed a little for each write, so that
/// no two writes are the same to a storage that drops repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    filling: Filling,
    key: u64,
}

impl Payload {
    /// Buffers of the same content as the file.
    pub fn new(filling: Filling) -> Payload {
        Payload { filling, key: Random::keyed(&[filling.seed, 3]).bits() }
    }

    /// Fills the buffer of slot `slot`, once: those of different slots differ.
    pub fn fill(&self, slot: u64, buffer: &mut [u8]) {
        if let Content::Repeated(bytes) = self.filling.content {
            // Each write begins with the first of them.
            return bytes.fill(0, buffer);
        }
        // Repeats are the refreshed blocks' affair: here each has a content of its own.
        let filling = Filling { repeats: Percent::ZERO, ..self.filling };
        let blocks = buffer.len().div_ceil(BLOCK) as u64;
        filling.fill(slot * blocks * BLOCK as u64, buffer);
    }

    /// Changes the buffer for the write `counter` to `offset`: 8 bytes a sector, about 2 % of it, so that its
    /// compressibility stays. The requested share of its blocks keeps the content of the last refresh, which makes them
    /// duplicates. Zeros, counting and repeated bytes are requested patterns and stay.
    ///
    /// `counter` is the number of blocks of 4 KiB that the slot has written before.
    #[inline]
    pub fn refresh(&self, counter: u64, offset: u64, buffer: &mut [u8]) {
        if matches!(self.filling.content, Content::Zeros | Content::Counting | Content::Repeated(_)) {
            return;
        }
        let ppm = self.filling.repeats.ppm();
        for (block, bytes) in (0u64..).zip(buffer.chunks_mut(BLOCK)) {
            let number = counter + block;
            let repeats = ppm > 0 && repeated(number, ppm) < repeated(number + 1, ppm);
            let mut stamp = if repeats {
                self.key
            } else {
                mix(self.key ^ mix(number) ^ (offset + block * BLOCK as u64))
            };
            for sector in bytes.chunks_mut(SECTOR).filter(|sector| sector.len() >= 8) {
                sector[..8].copy_from_slice(&stamp.to_le_bytes());
                stamp = next(stamp);
            }
        }
    }
}

/// The number of the sector after the one that carries `stamp`, within one block.
#[inline]
fn next(stamp: u64) -> u64 {
    stamp.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// True if a sector and the one after it are of one refreshed block: by chance, two of 2^64 are.
pub(super) fn follows(sector: &[u8], after: &[u8]) -> bool {
    let stamp = |sector: &[u8]| sector.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    // Zero follows itself.
    stamp(sector).zip(stamp(after)).is_some_and(|(one, two)| one != 0 && next(one) == two)
}

/// The finaliser of MurmurHash3 (Appleby, public domain): every bit of the result depends on every bit.
#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}
