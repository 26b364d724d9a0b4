//! An entry of io_uring's submission queue, put together as words.
//!
//! The crate's own builders set field after field of an entry in memory, which is then copied into the ring as a whole: a
//! load of sixteen bytes that were just written by smaller stores waits until these have left the processor's store
//! buffer. Words stay in registers until they are in the ring.

use io_uring::squeue::Entry;
use iobound_units::{Io, Op, Tag};

/// `struct io_uring_sqe` of `linux/io_uring.h`, in words: opcode, flags, priority and file; offset; address; length and
/// flags of the operation; the tag; the index of the registered buffer; and two of which no operation here knows.
type Words = [u64; 8];

// Operations of `enum io_uring_op`.
const NOP: u8 = 0;
const FSYNC: u8 = 3;
const READ_FIXED: u8 = 4;
const WRITE_FIXED: u8 = 5;
const FALLOCATE: u8 = 17;
const READ: u8 = 22;
const WRITE: u8 = 23;

/// `IOSQE_FIXED_FILE`: the file is an index among those registered.
const FIXED_FILE: u64 = 1;
/// `IORING_FSYNC_DATASYNC`.
const DATA_SYNC: u32 = 1;

/// File, offset and data of an I/O.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The index of the registered file.
    pub(super) file: usize,
    /// The offset in it.
    pub(super) offset: u64,
    /// The buffer.
    pub(super) address: *mut u8,
    /// The index of the registered buffer that it lies in; `None` where none could be registered.
    pub(super) part: Option<u16>,
}

/// The entry of an I/O.
#[inline(always)]
pub(super) fn of_io(tag: Tag, io: Io, place: Place) -> Entry {
    let Place { file, offset, address, part } = place;
    let (read, write) = if part.is_some() { (READ_FIXED, WRITE_FIXED) } else { (READ, WRITE) };
    let durable = if io.fua { libc::RWF_DSYNC as u32 } else { 0 };
    let address = address as u64;
    let (operation, offset, address, len, flags) = match io.op {
        Op::Read => (read, offset, address, io.len, 0),
        Op::Write => (write, offset, address, io.len, durable),
        Op::Flush => (FSYNC, 0, 0, 0, DATA_SYNC),
        // The length is where others have their address, and the mode where they have their length.
        Op::Discard => {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            (FALLOCATE, offset, u64::from(io.len), mode as u32, 0)
        }
    };
    let part = if io.op.moves_data() { part.unwrap_or(0) } else { 0 };
    let head = u64::from(operation) | FIXED_FILE << 8 | u64::from(file as u32) << 32;
    let lengths = u64::from(len) | u64::from(flags) << 32;
    of_words([head, offset, address, lengths, u64::from(tag.0), u64::from(part), 0, 0])
}

/// The entry of an I/O of nothing, which has no file.
#[inline(always)]
pub(super) fn of_nop(tag: Tag) -> Entry {
    let no_file = u64::from(u32::MAX) << 32;
    of_words([u64::from(NOP) | no_file, 0, 0, 0, u64::from(tag.0), 0, 0, 0])
}

#[inline(always)]
fn of_words(words: Words) -> Entry {
    // The kernel's layout counts by bytes: of a word, the first is the lowest.
    let words = words.map(u64::to_le);
    // SAFETY: an entry is the plain C structure of 64 bytes that the kernel reads, and any bits are one.
    unsafe { std::mem::transmute::<Words, Entry>(words) }
}

#[cfg(test)]
mod tests {
    use io_uring::opcode;
    use io_uring::types::{Fixed, FsyncFlags};
    use iobound_units::TargetId;

    use super::*;

    fn words(entry: Entry) -> Words {
        // SAFETY: an entry is 64 bytes, all of them set.
        unsafe { std::mem::transmute::<Entry, Words>(entry) }
    }

    #[test]
    fn entries_are_those_of_the_crates_own_builders() {
        let address = 0x7f12_3456_7000 as *mut u8;
        let (tag, file, offset, len) = (Tag(77), Fixed(3), 1 << 40, 65_536);
        let place = |part| Place { file: 3, offset, address, part };
        let io = |op, fua| Io { offset: 12, len, target: TargetId(1), op, fua };
        let of = |op, fua, part| words(of_io(tag, io(op, fua), place(part)));
        let built = |entry: Entry| words(entry.user_data(77));
        let read = opcode::ReadFixed::new(file, address, len, 5).offset(offset).build();
        assert_eq!(of(Op::Read, false, Some(5)), built(read));
        let read = opcode::Read::new(file, address, len).offset(offset).build();
        assert_eq!(of(Op::Read, false, None), built(read));
        let write = opcode::WriteFixed::new(file, address, len, 5).offset(offset);
        assert_eq!(of(Op::Write, false, Some(5)), built(write.build()));
        let write = opcode::Write::new(file, address, len).offset(offset).rw_flags(libc::RWF_DSYNC).build();
        assert_eq!(of(Op::Write, true, None), built(write));
        let flush = opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build();
        assert_eq!(of(Op::Flush, false, Some(5)), built(flush));
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let discard = opcode::Fallocate::new(file, u64::from(len)).offset(offset).mode(mode).build();
        assert_eq!(of(Op::Discard, false, Some(5)), built(discard));
        assert_eq!(words(of_nop(tag)), built(opcode::Nop::new().build()));
    }
}
