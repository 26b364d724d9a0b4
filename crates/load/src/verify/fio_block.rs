//! Blocks that fio itself wrote with `verify=crc32c`, by what their headers say.
//!
//! The header is that of fio 3.33 (`struct verify_header` of `verify.h`), in the byte order of the machine that wrote it:
//! magic (0..2), kind (2..4), length of the block with its header (4..8), seed (8..16), offset (16..24), time (24..32), thread
//! and number of the I/O (32..36), checksum of the header before it (36..40). The checksum of what follows (40..44) comes
//! next. fio's CRC-32C has no final complement.

use super::stamp::{eight, four};

const MAGIC: [u8; 2] = [0xca, 0xac];
const HEADER: usize = 40;
const DATA: usize = HEADER + 4;

/// The kinds that are checked: `crc32c` and `crc32c-intel`, which are one checksum.
const CHECKED: [u16; 2] = [5, 6];

/// True if something begins with fio's header.
pub(crate) fn is_fio_block(data: &[u8]) -> bool {
    data.starts_with(&MAGIC)
}

/// Checks the block of fio's at the beginning of `data`, which was read from `offset`. Returns the block's length.
///
/// # Errors
/// Returns an error if the block is not the written one, or its kind is not checked here: a sentence.
pub(crate) fn check_fio_block(data: &[u8], offset: u64) -> Result<usize, String> {
    if data.len() < DATA {
        return Err(format!("bad header: {} bytes at {offset} are too few for a header of fio", data.len()));
    }
    let (carried, computed) = (four(data, 36), checksum(&data[..36]));
    if carried != computed {
        return Err(format!("bad header crc {carried:08x}: at {offset} it is {computed:08x}"));
    }
    let kind = u16::from_le_bytes([data[2], data[3]]);
    if !CHECKED.contains(&kind) {
        return Err(format!(
            "the block at {offset} was written by fio with a verify other than crc32c (kind {kind}), which iobound does \
             not check"
        ));
    }
    let len = usize::try_from(four(data, 4)).unwrap_or(usize::MAX);
    if len < DATA || len > data.len() {
        return Err(format!(
            "bad header length {len}: {} bytes were read at {offset}; read with the block size that fio wrote with",
            data.len()
        ));
    }
    let written_to = eight(data, 16);
    if written_to != offset {
        return Err(format!("bad header offset {written_to}: the block at {offset} was written there"));
    }
    let (carried, computed) = (four(data, HEADER), checksum(&data[DATA..len]));
    if carried != computed {
        return Err(format!(
            "the block at {offset} carries crc32c {carried:08x}, and its content has {computed:08x}"
        ));
    }
    Ok(len)
}

/// fio's CRC-32C.
fn checksum(data: &[u8]) -> u32 {
    !crc32c::crc32c(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second block of 128 bytes that fio 3.33 wrote with `--bs=512 --verify_interval=128 --verify=crc32c`.
    const WRITTEN: &str = "caac0500800000003c5409c501cca4008000000000000000000000008a200f0801000000119c9b3366ceede96561558f7cd277ce171200d724b4c7027d7355669c8eca38756111e6381d9571eac222ccd4ab5faa5f2434b20cc9f41b4ae7567e34bd369dd78702af687a6d3aaf0f055e9c37a4d78697070d04b2111236a70c6b";
    const OFFSET: u64 = 128;

    fn written() -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&WRITTEN[at..at + 2], 16).unwrap();
        (0..WRITTEN.len()).step_by(2).map(digit).collect()
    }

    #[test]
    fn a_block_of_fio_is_what_was_written() {
        let block = written();
        assert!(is_fio_block(&block));
        assert_eq!(check_fio_block(&block, OFFSET), Ok(128));
        // More that follows is of the next block.
        assert_eq!(check_fio_block(&[&block[..], &[0; 100]].concat(), OFFSET), Ok(128));
    }

    #[test]
    fn every_bit_that_turns_is_found() {
        for bit in 16..128 * 8 {
            let mut block = written();
            block[bit / 8] ^= 1 << (bit % 8);
            assert!(check_fio_block(&block, OFFSET).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_block_at_another_place_and_a_part_of_one_are_found() {
        assert!(check_fio_block(&written(), 256).unwrap_err().contains("bad header offset 128"));
        assert!(check_fio_block(&written()[..60], OFFSET).unwrap_err().contains("bad header length 128"));
        assert!(check_fio_block(&written()[..20], OFFSET).unwrap_err().contains("too few for a header"));
    }

    #[test]
    fn another_kind_is_named() {
        let mut block = written();
        block[2] = 2;
        let crc = checksum(&block[..36]).to_le_bytes();
        block[36..40].copy_from_slice(&crc);
        assert!(check_fio_block(&block, OFFSET).unwrap_err().contains("kind 2"));
    }
}
