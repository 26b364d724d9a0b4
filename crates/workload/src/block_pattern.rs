//! Bytes that every block repeats from its own beginning (fio's `verify=pattern`).

use std::fmt;

/// A pattern for blocks. It begins with each block; fields in it hold the offset of the block.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockPattern {
    bytes: Vec<u8>,
    fields: Vec<usize>,
}

/// The first byte of a block that differs from the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The index of the byte in the block.
    pub at: usize,
    /// The byte that was read.
    pub got: u8,
    /// The byte of the pattern.
    pub wanted: u8,
}

impl BlockPattern {
    /// The largest pattern in bytes (`MAX_PATTERN_SIZE` of fio's `stat.h`).
    pub const MOST: usize = 512;
    /// The size of an offset in the pattern in bytes, lowest byte first.
    pub const FIELD: usize = 8;

    /// The pattern of these bytes, with offsets at these indexes; `None` where it is empty, too long, or too short for a
    /// field.
    pub fn new(bytes: Vec<u8>, fields: Vec<usize>) -> Option<BlockPattern> {
        let fits =
            fields.iter().all(|at| at.checked_add(BlockPattern::FIELD).is_some_and(|end| end <= bytes.len()));
        (fits && (1..=BlockPattern::MOST).contains(&bytes.len())).then_some(BlockPattern { bytes, fields })
    }

    /// The size of the pattern in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Never: a pattern has at least one byte.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// True if blocks at different offsets differ.
    pub fn has_offsets(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Writes the block at `offset` into a buffer of its size.
    pub fn fill(&self, offset: u64, block: &mut [u8]) {
        let once = self.once(offset);
        let once = &once[..self.len()];
        block.chunks_mut(self.len()).for_each(|part| part.copy_from_slice(&once[..part.len()]));
    }

    /// The first byte in which a block at `offset` differs from the pattern.
    pub fn difference(&self, offset: u64, block: &[u8]) -> Option<Difference> {
        let once = self.once(offset);
        let once = &once[..self.len()];
        let (number, part) =
            block.chunks(self.len()).enumerate().find(|(_, part)| **part != once[..part.len()])?;
        let (at, (got, wanted)) =
            part.iter().zip(once).enumerate().find(|(_, (got, wanted))| got != wanted)?;
        Some(Difference { at: number * self.len() + at, got: *got, wanted: *wanted })
    }

    /// The pattern once, with the offset of a block in its fields.
    fn once(&self, offset: u64) -> [u8; BlockPattern::MOST] {
        let mut once = [0; BlockPattern::MOST];
        once[..self.len()].copy_from_slice(&self.bytes);
        for at in &self.fields {
            once[*at..*at + BlockPattern::FIELD].copy_from_slice(&offset.to_le_bytes());
        }
        once
    }
}

impl fmt::Debug for BlockPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        if self.fields.is_empty() { Ok(()) } else { write!(f, " with offsets at {:?}", self.fields) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_begins_with_each_block_and_holds_its_offset() {
        // fio's `verify_pattern="ab"%o"c"`.
        let pattern = BlockPattern::new(b"ab\0\0\0\0\0\0\0\0c".to_vec(), vec![2]).unwrap();
        let mut block = [0; 25];
        pattern.fill(0x1_0200, &mut block);
        assert_eq!(&block, b"ab\x00\x02\x01\0\0\0\0\0cab\x00\x02\x01\0\0\0\0\0cab\x00");
        assert_eq!(pattern.difference(0x1_0200, &block), None);
        let differs = Difference { at: 3, got: 2, wanted: 4 };
        assert_eq!(pattern.difference(0x1_0400, &block), Some(differs));
    }

    #[test]
    fn the_first_byte_that_differs_is_found() {
        let pattern = BlockPattern::new(vec![0xde, 0xad, 0xbe], vec![]).unwrap();
        let mut block = [0; 4_096];
        pattern.fill(0, &mut block);
        for at in [0, 1, 3, 4_094, 4_095] {
            let mut wrong = block;
            wrong[at] ^= 1;
            let found = Difference { at, got: wrong[at], wanted: block[at] };
            assert_eq!(pattern.difference(0, &wrong), Some(found));
        }
    }

    #[test]
    fn a_pattern_has_room_for_its_fields() {
        assert_eq!(BlockPattern::new(vec![], vec![]), None);
        assert_eq!(BlockPattern::new(vec![0; 513], vec![]), None);
        assert_eq!(BlockPattern::new(vec![0; 8], vec![1]), None);
        assert!(BlockPattern::new(vec![0; 512], vec![504]).is_some());
    }
}
