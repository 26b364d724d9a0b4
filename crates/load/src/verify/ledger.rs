use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_units::{Bytes, TargetId};

use super::stamp::SECTOR;
use super::state::{MOST_IN_FLIGHT, State};

/// Verified part of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Written size, from its start.
    pub size: Bytes,
    /// Block size: every I/O covers whole blocks. Whole sectors of 512 bytes; see [`unit_of`].
    pub unit: u32,
}

impl Layout {
    fn units(&self) -> u64 {
        self.size.get() / u64::from(self.unit)
    }
}

/// Largest block of which all these block sizes, alignments and first offsets, in bytes, are multiples; `None` if it is
/// not a whole number of sectors, so that no block can carry stamps.
pub fn unit_of(sizes: impl IntoIterator<Item = u64>) -> Option<u32> {
    let common = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let unit = sizes.into_iter().fold(0, common);
    u32::try_from(unit).ok().filter(|unit| *unit > 0 && unit.is_multiple_of(SECTOR as u32))
}

/// A ledger that would not fit into the memory that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Needed memory.
    pub needed: Bytes,
    /// Memory limit.
    pub limit: Bytes,
    /// Number of units it that would have.
    pub units: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { needed, limit, units } = self;
        write!(
            f,
            "verification needs {needed} of memory (8 bytes for each of {units} blocks), and the limit is {limit}: \
             use a smaller --size, larger blocks, or more memory"
        )
    }
}

impl std::error::Error for TooLarge {}

struct Table {
    layout: Layout,
    states: Box<[AtomicU64]>,
}

/// The generations that may be on the targets, unit by unit: shared by all threads of a run.
pub struct Ledger {
    tables: Vec<Table>,
}

/// Units that lie together: offset and length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Start in bytes.
    pub offset: u64,
    /// Time that it is.
    pub len: u32,
}

impl Ledger {
    /// The most I/Os that may be outstanding on one unit at a time.
    pub const MOST_OUTSTANDING: u32 = MOST_IN_FLIGHT;

    /// The memory that a ledger of these targets takes: 8 bytes a unit.
    pub fn memory(layouts: &[Layout]) -> Bytes {
        Bytes(layouts.iter().map(|layout| layout.units() * 8).sum())
    }

    /// A ledger of targets that this run has not written to.
    ///
    /// # Errors
    /// Returns an error if it takes more than `limit`.
    ///
    /// # Panics
    /// If a unit is not whole sectors.
    pub fn new(layouts: &[Layout], limit: Bytes) -> Result<Ledger, TooLarge> {
        let needed = Ledger::memory(layouts);
        if needed > limit {
            return Err(TooLarge { needed, limit, units: needed.get() / 8 });
        }
        let table = |layout: &Layout| {
            assert!(layout.unit > 0 && layout.unit.is_multiple_of(SECTOR as u32), "a unit is whole sectors");
            let states = (0..layout.units()).map(|_| AtomicU64::new(State::UNTOUCHED.0)).collect();
            Table { layout: *layout, states }
        };
        Ok(Ledger { tables: layouts.iter().map(table).collect() })
    }

    /// True if every write that it knows of has completed.
    pub fn settled(&self) -> bool {
        let mut all = self.tables.iter().flat_map(|table| &table.states);
        all.all(|state| State(state.load(Ordering::Relaxed)).flight() == 0)
    }

    pub(super) fn smallest_unit(&self) -> u32 {
        self.tables.iter().map(|table| table.layout.unit).min().unwrap_or(SECTOR as u32)
    }

    pub(super) fn unit(&self, target: TargetId) -> u32 {
        self.tables[usize::from(target.0)].layout.unit
    }

    /// The states of the units from `offset` on.
    #[inline]
    pub(super) fn units(&self, target: TargetId, offset: u64, len: u32) -> &[AtomicU64] {
        let Table { layout, states } = &self.tables[usize::from(target.0)];
        let unit = u64::from(layout.unit);
        assert!(
            offset.is_multiple_of(unit) && u64::from(len).is_multiple_of(unit),
            "an I/O that is verified covers whole units"
        );
        &states[(offset / unit) as usize..((offset + u64::from(len)) / unit) as usize]
    }

    /// Written spans of `target`, in order, of at most `most` bytes: the ranges that a pass that reads
    /// everything back has to read. `most` is at least a unit.
    pub fn written(&self, target: TargetId, most: u32) -> impl Iterator<Item = Span> + '_ {
        let Table { layout, states } = &self.tables[usize::from(target.0)];
        let (unit, touched) = (layout.unit, |at: &usize| {
            states.get(*at).is_some_and(|state| State(state.load(Ordering::Relaxed)).high() > 0)
        });
        let longest = (most / unit).max(1) as usize;
        let mut at = 0;
        std::iter::from_fn(move || {
            let first = (at..states.len()).find(touched)?;
            let count = (first..).take(longest).take_while(touched).count();
            at = first + count;
            Some(Span { offset: first as u64 * u64::from(unit), len: count as u32 * unit })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_divides_every_block_and_offset() {
        assert_eq!(unit_of([8192, 12_288, 1 << 20]), Some(4096));
        assert_eq!(unit_of([4096, 512]), Some(512));
        assert_eq!(unit_of([4096, 100]), None);
        assert_eq!(unit_of([]), None);
    }

    #[test]
    fn a_tebibyte_of_4_kib_blocks_takes_two_gibibytes() {
        let layouts = [Layout { size: Bytes::gib(1024), unit: 4096 }];
        assert_eq!(Ledger::memory(&layouts), Bytes::gib(2));
        let refused = Ledger::new(&layouts, Bytes::gib(1)).err().expect("it is too large");
        assert_eq!(refused.units, 1 << 28);
        assert!(refused.to_string().contains("--size"), "{refused}");
    }
}
