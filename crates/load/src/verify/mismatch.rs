use std::fmt::{self, Write as _};

use iobound_units::TargetId;

use super::stamp::{STAMP, Sector, Stamp};

/// The problem with a unit that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// No stamp where a write was acknowledged: zeros, or what lay there before.
    NeverWritten,
    /// An older generation: the last acknowledged write has never been seen there.
    Lost,
    /// An older generation, though an earlier read found the last one: the target went back.
    Stale,
    /// Sectors of several writes in a unit that one write covers.
    Torn,
    /// A whole sector that belongs to another offset or target.
    Misplaced,
    /// A sector whose checksum is not that of its content.
    Corrupt,
    /// A generation that was never issued: the ledger is older than the target.
    Ahead,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 7] = [
        Verdict::NeverWritten,
        Verdict::Lost,
        Verdict::Stale,
        Verdict::Torn,
        Verdict::Misplaced,
        Verdict::Corrupt,
        Verdict::Ahead,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::NeverWritten => "never_written",
            Verdict::Lost => "lost",
            Verdict::Stale => "stale",
            Verdict::Torn => "torn",
            Verdict::Misplaced => "misplaced",
            Verdict::Corrupt => "corrupt",
            Verdict::Ahead => "ahead",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Verdict::NeverWritten => "never written: no stamp where a write was acknowledged",
            Verdict::Lost => "lost: an acknowledged write is not there, an older one is",
            Verdict::Stale => "stale: an older version, after a newer one had been read",
            Verdict::Torn => "torn: sectors of several writes where one write covered all",
            Verdict::Misplaced => "misplaced: a sector that was written to another place",
            Verdict::Corrupt => "corrupt: the checksum is not that of the content",
            Verdict::Ahead => "ahead: newer than every write in the ledger",
        }
    }
}

/// Permitted generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The oldest generation that may be there; 0 is whatever lay there before.
    pub low: u32,
    /// The newest.
    pub high: u32,
    /// The run whose stamp belongs there.
    pub run: u64,
}

/// The present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Self-description of the sector.
    pub sector: Sector,
    /// First bytes.
    pub bytes: [u8; 64],
}

/// A unit that does not hold what it must, and its first wrong sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The problem.
    pub verdict: Verdict,
    /// In which target.
    pub target: TargetId,
    /// Start of the block, in bytes.
    pub unit: u64,
    /// Start of the first wrong sector, in bytes.
    pub sector: u64,
    /// Wrong sectors of the unit.
    pub wrong: u32,
    /// Sectors of the unit.
    pub sectors: u32,
    /// Permitted content.
    pub expected: Expected,
    /// The present state.
    pub found: Found,
}

impl Mismatch {
    /// The stamp that belongs there: of the newest generation. The rest of a sector is the workload's content,
    /// which only its checksum knows.
    pub fn stamp(&self) -> Stamp {
        let Expected { high, run, .. } = self.expected;
        Stamp { offset: self.sector, generation: high, target: self.target, run }
    }

    /// The stamp's bytes, with the checksum that the sector carries in its place.
    fn stamp_bytes(&self) -> [u8; STAMP] {
        let carried = [4, 5, 6, 7].map(|at| self.found.bytes[at]);
        self.stamp().bytes(u32::from_le_bytes(carried))
    }

    /// The bytes of the stamp that differ, by their places in the sector.
    pub fn differs(&self) -> Vec<usize> {
        let stamp = self.stamp_bytes();
        (0..STAMP).filter(|at| stamp[*at] != self.found.bytes[*at]).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().enumerate().fold(String::new(), |mut text, (at, byte)| {
        let gap = if at > 0 && at % 4 == 0 { " " } else { "" };
        let _ = write!(text, "{gap}{byte:02x}");
        text
    })
}

/// A line of marks under the bytes that differ.
fn marks(differs: &[usize]) -> String {
    let mut line = String::new();
    for at in 0..STAMP {
        if at > 0 && at % 4 == 0 {
            line.push(' ');
        }
        line.push_str(if differs.contains(&at) { "^^" } else { "  " });
    }
    line.trim_end().to_string()
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { verdict, target, unit, sector, wrong, sectors, expected, found } = self;
        writeln!(f, "{}", verdict.sentence())?;
        writeln!(
            f,
            "  target {} block at {unit}: {wrong} of {sectors} sectors wrong, the first at {sector}",
            target.0
        )?;
        let Expected { low, high, .. } = expected;
        let generations = if low == high { format!("{high}") } else { format!("{low} to {high}") };
        writeln!(f, "  expected  offset {sector}, generation {generations}")?;
        match found.sector {
            Sector::Stamped(Stamp { offset, generation, target, .. }) => {
                writeln!(f, "  found     offset {offset}, generation {generation}, of target {}", target.0)?;
            }
            Sector::Foreign if found.bytes.iter().all(|byte| *byte == 0) => {
                writeln!(f, "  found     zeros where the stamp belongs")?;
            }
            Sector::Foreign => writeln!(f, "  found     no stamp of this run")?,
            Sector::Damaged { carried, computed } => {
                writeln!(f, "  found     CRC-32C {carried:08x} carried, {computed:08x} of the content")?;
            }
        }
        let differs = self.differs();
        writeln!(f, "  expected  {}  (the stamp)", hex(&self.stamp_bytes()))?;
        write!(f, "  found     {}", hex(&found.bytes[..STAMP]))?;
        if !differs.is_empty() {
            write!(f, "\n            {}", marks(&differs))?;
        }
        write!(f, "\n  and then  {}", hex(&found.bytes[STAMP..]))
    }
}

impl std::error::Error for Mismatch {}
