use std::io;

use iobound_units::TargetId;

/// Size of a stamped sector: the smallest that any block device writes whole, in bytes.
pub const SECTOR: usize = 512;

/// Bytes of a sector that the stamp takes, at its start; the rest is the workload's content.
pub const STAMP: usize = 32;

/// The first bytes of a stamped sector.
const MAGIC: [u8; 4] = *b"iob1";

/// Self-description of a sector.
///
/// In the sector, little endian: magic (0..4), CRC-32C of everything but itself (4..8), offset (8..16),
/// generation (16..20), target (20..24), run (24..32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Offset in the target that it was written to, in bytes.
    pub offset: u64,
    /// Generation of its block, from 1.
    pub generation: u32,
    /// The target.
    pub target: TargetId,
    /// Id of the run: sectors of another run are as good as never written.
    pub run: u64,
}

/// Kind of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sector {
    /// Stamped by this run, whole.
    Stamped(Stamp),
    /// Without a stamp of this run: zeros, or what others left.
    Foreign,
    /// Ours by its magic or its run, but the checksum is another.
    Damaged {
        /// The CRC-32C that the sector carries.
        carried: u32,
        /// The CRC-32C of the content.
        computed: u32,
    },
}

impl Stamp {
    /// The stamp as it lies in a sector, with `crc` in its place.
    pub fn bytes(&self, crc: u32) -> [u8; STAMP] {
        let mut bytes = [0; STAMP];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.offset.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.generation.to_le_bytes());
        bytes[20..24].copy_from_slice(&u32::from(self.target.0).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.run.to_le_bytes());
        bytes
    }
}

pub(super) fn four(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(super) fn eight(bytes: &[u8], at: usize) -> u64 {
    u64::from(four(bytes, at)) | u64::from(four(bytes, at + 4)) << 32
}

/// The CRC-32C over the sector without its checksum's own place.
fn checksum(sector: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&sector[..4]), &sector[8..])
}

/// True if a sector carries a whole stamp of any run.
pub(crate) fn is_stamped(sector: &[u8]) -> bool {
    sector.len() == SECTOR && sector[..4] == MAGIC && four(sector, 4) == checksum(sector)
}

/// Writes the stamps of one run into buffers, and reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamper {
    run: u64,
}

impl Stamper {
    /// `run` tells this run's sectors from those of every other: draw it at random, once.
    pub fn new(run: u64) -> Stamper {
        Stamper { run }
    }

    /// With a number that no other run has drawn: two runs of one seed would take each other's blocks for their own.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn drawn() -> io::Result<Stamper> {
        iobound_machine::files::random_number().map(Stamper::new)
    }

    /// The run whose stamps these are.
    pub fn run(&self) -> u64 {
        self.run
    }

    /// Stamps every sector of `unit`, which goes to `offset`. Its length is whole sectors.
    #[inline]
    pub fn stamp(&self, target: TargetId, offset: u64, generation: u32, unit: &mut [u8]) {
        debug_assert!(unit.len().is_multiple_of(SECTOR));
        let mut at = offset;
        for sector in unit.chunks_exact_mut(SECTOR) {
            let stamp = Stamp { offset: at, generation, target, run: self.run };
            sector[..STAMP].copy_from_slice(&stamp.bytes(0));
            let crc = checksum(sector);
            sector[4..8].copy_from_slice(&crc.to_le_bytes());
            at += SECTOR as u64;
        }
    }

    /// Self-description of one sector of [`SECTOR`] bytes. Sectors of other runs are foreign.
    #[inline]
    pub fn read(&self, sector: &[u8]) -> Sector {
        let (magic, run) = (sector[..4] == MAGIC, eight(sector, 24));
        if !magic && run != self.run {
            return Sector::Foreign;
        }
        let (carried, computed) = (four(sector, 4), checksum(sector));
        let target = u16::try_from(four(sector, 20));
        match target {
            Ok(target) if magic && carried == computed => {
                if run != self.run {
                    return Sector::Foreign;
                }
                Sector::Stamped(Stamp {
                    offset: eight(sector, 8),
                    generation: four(sector, 16),
                    target: TargetId(target),
                    run,
                })
            }
            _ => Sector::Damaged { carried, computed },
        }
    }
}

/// Self-description of one sector of [`SECTOR`] bytes, whichever run wrote it.
pub fn sector_of_any_run(sector: &[u8]) -> Sector {
    if sector[..4] == MAGIC { Stamper::new(eight(sector, 24)).read(sector) } else { Sector::Foreign }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_draw_the_same_number() {
        // Two of 2^64 are equal once in 10^19 tests.
        assert_ne!(Stamper::drawn().unwrap().run(), Stamper::drawn().unwrap().run());
    }

    const HERE: TargetId = TargetId(3);

    fn stamped() -> [u8; SECTOR] {
        let mut sector = [0x5a; SECTOR];
        Stamper::new(77).stamp(HERE, 8192, 12, &mut sector);
        sector
    }

    #[test]
    fn a_sector_reads_as_it_was_stamped_and_keeps_its_content() {
        let sector = stamped();
        let stamp = Stamp { offset: 8192, generation: 12, target: HERE, run: 77 };
        assert_eq!(Stamper::new(77).read(&sector), Sector::Stamped(stamp));
        assert!(sector[STAMP..].iter().all(|byte| *byte == 0x5a));
        // CRC-32C by its definition (polynomial 0x1edc6f41, reflected), bit by bit.
        let mut crc = !0u32;
        for byte in sector[..4].iter().chain(&sector[8..]) {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0x82f6_3b78 & (0u32.wrapping_sub(crc & 1)));
            }
        }
        assert_eq!(four(&sector, 4), !crc);
    }

    #[test]
    fn each_sector_of_a_unit_carries_its_own_offset() {
        let mut unit = [0; 4 * SECTOR];
        let stamper = Stamper::new(1);
        stamper.stamp(HERE, 4096, 1, &mut unit);
        for (n, sector) in unit.chunks_exact(SECTOR).enumerate() {
            let Sector::Stamped(stamp) = stamper.read(sector) else { panic!("sector {n} is stamped") };
            assert_eq!(stamp.offset, 4096 + 512 * n as u64);
        }
    }

    #[test]
    fn every_single_bit_that_turns_is_found() {
        let stamper = Stamper::new(77);
        for bit in 0..SECTOR * 8 {
            let mut sector = stamped();
            sector[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(stamper.read(&sector), Sector::Damaged { .. }), "bit {bit}");
        }
    }

    #[test]
    fn sectors_of_others_are_foreign() {
        assert_eq!(Stamper::new(78).read(&stamped()), Sector::Foreign);
        assert_eq!(Stamper::new(77).read(&[0; SECTOR]), Sector::Foreign);
        assert_eq!(Stamper::new(77).read(&[0x5a; SECTOR]), Sector::Foreign);
    }
}
