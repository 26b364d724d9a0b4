//! The ranges of files that `sync_file_range(2)` is called for, as in fio 3.33: what was written since the last call.

use iobound_units::{Io, Op};
use iobound_workload::RangeSync;

/// The range of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyncRange {
    /// Effect of the call.
    pub(crate) steps: RangeSync,
    /// The offset of the first byte in the file.
    pub(crate) start: u64,
    /// The size in bytes; 0: nothing was written, and no call is made (the system would take it for the whole file).
    pub(crate) len: u64,
}

/// The written range of each file of one thread: from the first byte to the last of all completed writes (`first_write` and
/// `last_write` of fio's `io_u.c`).
#[derive(Clone, Debug)]
pub(crate) struct WrittenRanges {
    steps: RangeSync,
    /// Start and end by the index of the file.
    files: Vec<Option<(u64, u64)>>,
}

impl WrittenRanges {
    pub(crate) fn new(steps: RangeSync, files: usize) -> WrittenRanges {
        WrittenRanges { steps, files: vec![None; files] }
    }

    /// The range that a call for this file is made for.
    pub(crate) fn of(&self, file: usize) -> SyncRange {
        let (start, end) = self.files[file].unwrap_or((0, 0));
        SyncRange { steps: self.steps, start, len: end - start }
    }

    /// An I/O at `offset` of this file is done, of which so many bytes were moved.
    pub(crate) fn done(&mut self, file: usize, offset: u64, io: Io, moved: u64) {
        let range = &mut self.files[file];
        match io.op {
            Op::Write if moved > 0 => {
                let (start, end) = range.unwrap_or((offset, offset));
                *range = Some((start.min(offset), end.max(offset + moved)));
            }
            Op::Flush => *range = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::TargetId;

    use super::*;

    #[test]
    fn a_range_is_from_the_first_written_byte_to_the_last_since_the_last_call() {
        let steps = RangeSync { write: true, ..RangeSync::default() };
        let mut ranges = WrittenRanges::new(steps, 2);
        let write = Io { op: Op::Write, ..Io::read(TargetId(0), 0, 4_096) };
        let range = |start, len| SyncRange { steps, start, len };
        assert_eq!(ranges.of(1), range(0, 0));
        for offset in [81_920, 8_192, 40_960] {
            ranges.done(1, offset, write, 4_096);
        }
        // Reads, writes that moved nothing, and other files do not count.
        ranges.done(1, 0, Io { op: Op::Read, ..write }, 4_096);
        ranges.done(1, 0, write, 0);
        ranges.done(0, 0, write, 512);
        assert_eq!((ranges.of(0), ranges.of(1)), (range(0, 512), range(8_192, 77_824)));
        ranges.done(1, 0, Io::flush(TargetId(0)), 0);
        assert_eq!((ranges.of(0), ranges.of(1)), (range(0, 512), range(0, 0)));
    }
}
