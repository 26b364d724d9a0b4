//! What written blocks hold, and what becomes of blocks that were read.

use iobound_units::{Io, Op, Tag};

/// The content of an engine's I/Os: one for each real thread.
pub trait Payload {
    /// Whether reads are looked at: where not, their buffers are not touched.
    const CHECKS: bool;

    /// A write goes out: its buffer gets what is to be written. Other operations have an empty buffer.
    fn submit(&mut self, tag: Tag, io: &Io, buffer: &mut [u8]);

    /// An I/O is back: `ok` is whether it moved all its bytes. Called for writes only where reads are checked.
    ///
    /// # Errors
    /// What was read is not what was written, in words.
    fn complete(&mut self, tag: Tag, io: &Io, buffer: &[u8], ok: bool) -> Result<(), String>;
}

/// Leaves buffers as they are, but for eight bytes of each sector written: so that no two blocks are alike, and
/// nothing on the way can merge or skip them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scramble {
    written: u64,
    leave: bool,
}

/// What the smallest device writes.
const SECTOR: usize = 512;

impl Scramble {
    /// Blocks that differ; `thread` keeps those of several threads apart.
    pub fn new(thread: u16) -> Scramble {
        Scramble { written: u64::from(thread) << 48, leave: false }
    }

    /// Blocks exactly as the buffers hold them: for content that was asked to be zeros, or a pattern.
    pub fn none() -> Scramble {
        Scramble { written: 0, leave: true }
    }
}

impl Payload for Scramble {
    const CHECKS: bool = false;

    #[inline]
    fn submit(&mut self, _tag: Tag, io: &Io, buffer: &mut [u8]) {
        if io.op != Op::Write || self.leave {
            return;
        }
        // Odd multiplier: a bijection, so that two writes differ in every sector.
        self.written += 1;
        let mark = self.written.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (n, sector) in buffer.chunks_mut(SECTOR).enumerate() {
            let len = sector.len().min(8);
            let bytes = (mark ^ (io.offset + (n * SECTOR) as u64).rotate_left(32)).to_le_bytes();
            sector[..len].copy_from_slice(&bytes[..len]);
        }
    }

    #[inline]
    fn complete(&mut self, _tag: Tag, _io: &Io, _buffer: &[u8], _ok: bool) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::TargetId;

    use super::*;

    #[test]
    fn no_two_sectors_written_are_alike() {
        let mut scramble = Scramble::new(0);
        let mut seen = std::collections::HashSet::new();
        let mut buffer = vec![7; 4096];
        for _ in 0..100 {
            scramble.submit(Tag(0), &Io::write(TargetId(0), 8192, 4096), &mut buffer);
            assert!(buffer.chunks(SECTOR).all(|sector| seen.insert(sector.to_vec())));
        }
    }
}
