//! Contiguous I/Os that are charged together: where the last one of each disk and direction ended, and what its last
//! unit has left.
//!
//! The rule (AWS, "I/O characteristics and monitoring"): 8 sequential I/Os of 32 KiB count as one of 256 KiB, 8 random ones
//! as 8, one of 1,024 KiB as 4. A unit begins where its first I/O does, not at a multiple of its size: nothing says it is
//! aligned, and 8 x 32 KiB from anywhere are one.

use crate::blueprint::{ByteCharge, Merge};
use crate::fragment::{Fragment, Kind};

/// Offset at which the next I/O continues the run, and the paid part of a unit there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    end: u64,
    left: u64,
}

/// Stream of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamKey {
    disk: u16,
    direction: usize,
}

impl StreamKey {
    pub(super) fn of(fragment: &Fragment) -> StreamKey {
        let is_read = matches!(fragment.kind, Kind::Read | Kind::Hit);
        StreamKey { disk: fragment.disk, direction: usize::from(!is_read) }
    }
}

/// Charge of an I/O, and the state of the run after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charged {
    /// The run that it goes on from, by its index; `None` where it begins one.
    from: Option<usize>,
    pub(super) units: u64,
    pub(super) bytes: u64,
    pub(super) run: Run,
}

#[derive(Clone, Debug)]
pub(super) struct Merging {
    unit: u64,
    least: u64,
    bytes: ByteCharge,
    /// By disk, ascending: those of each that a route brings here.
    runs: Vec<(u16, [Runs; 2])>,
    streams: usize,
}

/// The runs of a disk and direction, the latest first, at most as many as streams are told apart.
type Runs = Vec<Run>;

impl Merging {
    pub(super) fn new(merge: Merge) -> Merging {
        Merging {
            unit: merge.unit.get(),
            least: merge.least.get(),
            bytes: merge.bytes,
            runs: Vec::new(),
            streams: usize::from(merge.streams.max(1)),
        }
    }

    /// The place of a disk's runs; a disk that a change has brought here gets one with its first I/O.
    pub(super) fn stream_key(&mut self, disk: u16) -> usize {
        self.runs.binary_search_by_key(&disk, |(seated, _)| *seated).unwrap_or_else(|at| {
            let room = || Vec::with_capacity(self.streams);
            self.runs.insert(at, (disk, [room(), room()]));
            at
        })
    }

    /// Charge of the I/O that passes next.
    pub(super) fn charge(&mut self, stream_key: StreamKey, offset: u64, len: u64) -> Charged {
        let at = self.stream_key(stream_key.disk);
        let runs = &self.runs[at].1[stream_key.direction];
        let from = runs.iter().position(|run| run.end == offset);
        let run = from.map_or(Run::default(), |index| runs[index]);
        // A small one is charged whole, and nothing goes on from it.
        let is_merged = len >= self.least;
        let paid = if is_merged { run.left.min(len) } else { 0 };
        let units = (len - paid).div_ceil(self.unit);
        let left = if !is_merged {
            0
        } else if units == 0 {
            run.left - paid
        } else {
            units * self.unit - (len - paid)
        };
        let bytes = match self.bytes {
            ByteCharge::Moved => len,
            ByteCharge::WholeUnits => units * self.unit,
        };
        Charged { from, units, bytes, run: Run { end: offset + len, left } }
    }

    /// It has passed.
    pub(super) fn pass(&mut self, stream_key: StreamKey, charged: Charged) {
        let at = self.stream_key(stream_key.disk);
        let runs = &mut self.runs[at].1[stream_key.direction];
        let from = charged.from.unwrap_or_else(|| {
            if runs.len() < self.streams {
                runs.push(Run::default());
            }
            // The run that nobody has gone on from for the longest time is forgotten.
            runs.len() - 1
        });
        runs[from] = charged.run;
        runs[..=from].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Bytes;

    const K: u64 = 1 << 10;
    const STREAM_KEY: StreamKey = StreamKey { disk: 3, direction: 0 };

    fn merging(unit_kib: u64, bytes: ByteCharge) -> Merging {
        Merging::new(Merge { unit: Bytes::kib(unit_kib), least: Bytes::kib(32), bytes, streams: 4 })
    }

    /// Units and KiB that these I/Os, offset and length in KiB, are charged one after the other.
    fn charged(merging: &mut Merging, ios: impl IntoIterator<Item = (u64, u64)>) -> (u64, u64) {
        let mut sum = (0, 0);
        for (offset, len) in ios {
            let charged = merging.charge(STREAM_KEY, offset * K, len * K);
            merging.pass(STREAM_KEY, charged);
            sum = (sum.0 + charged.units, sum.1 + charged.bytes / K);
        }
        sum
    }

    /// AWS user guide, "I/O characteristics and monitoring", the table of examples and the sentences before it.
    #[test]
    fn the_documented_examples_are_charged_as_documented() {
        let ssd = || merging(256, ByteCharge::Moved);
        assert_eq!(charged(&mut ssd(), [(0, 1_024)]), (4, 1_024));
        assert_eq!(charged(&mut ssd(), (0..8).map(|n| (n * 32, 32))), (1, 256));
        assert_eq!(charged(&mut ssd(), (0..8).map(|n| (n * 7_000, 32))), (8, 256));
        // "Each I/O operation under 32 KiB counts as 1 operation."
        assert_eq!(charged(&mut ssd(), (0..8).map(|n| (n * 16, 16))), (8, 128));
        let hdd = || merging(1_024, ByteCharge::WholeUnits);
        assert_eq!(charged(&mut hdd(), [(0, 1_024)]), (1, 1_024));
        assert_eq!(charged(&mut hdd(), (0..8).map(|n| (n * 128, 128))), (1, 1_024));
        // "An I/O request of 1 MiB or less counts as a 1 MiB I/O credit."
        assert_eq!(charged(&mut hdd(), (0..8).map(|n| (n * 7_000, 128))), (8, 8_192));
    }

    #[test]
    fn a_unit_begins_with_its_first_io_and_what_goes_beyond_begins_another() {
        // 96 KiB: 256 KiB hold two and two thirds. Of 8, units begin with the 1st, 3rd, 6th.
        let mut merging = merging(256, ByteCharge::Moved);
        assert_eq!(charged(&mut merging, (0..8).map(|n| (100 + n * 96, 96))), (3, 768));
        // No other disk and no other direction goes on from there.
        let next = (100 + 768) * K;
        assert_eq!(merging.charge(StreamKey { disk: 4, direction: 0 }, next, 64 * K).units, 1);
        assert_eq!(merging.charge(StreamKey { disk: 3, direction: 1 }, next, 64 * K).units, 1);
        assert_eq!(merging.charge(STREAM_KEY, next, 64 * K).units, 1, "3 x 256 are used up");
    }

    #[test]
    fn streams_that_take_turns_merge_each_for_itself_as_far_as_they_are_told_apart() {
        // Four streams of 32 KiB in turn, eight each: a unit each; a fifth pushes out the one that comes next, every time.
        for (streams, units) in [(4, 4), (5, 40)] {
            let ios = (0..8).flat_map(|n| (0..streams).map(move |stream| (stream * 100_000 + n * 32, 32)));
            assert_eq!(charged(&mut merging(256, ByteCharge::Moved), ios).0, units, "{streams} streams");
        }
    }

    #[test]
    fn an_io_that_is_asked_about_and_does_not_pass_changes_nothing() {
        let mut merging = merging(256, ByteCharge::Moved);
        charged(&mut merging, [(0, 64)]);
        let first = merging.charge(STREAM_KEY, 64 * K, 64 * K);
        assert_eq!(first.units, 0);
        assert_eq!(merging.charge(STREAM_KEY, 64 * K, 64 * K), first);
    }
}
