/// The operation, offset and length of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Op {
    /// Data from the target.
    Read = 0,
    /// Data to the target.
    Write = 1,
    /// Everything acknowledged before is durable once this completes. Offset and length are zero.
    Flush = 2,
    /// The range's data is no longer needed (TRIM, UNMAP).
    Discard = 3,
}

impl Op {
    /// All operations, in the order of their discriminants: for tables indexed by operation.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Discard];

    /// The word for it in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "flush",
            Op::Discard => "discard",
        }
    }

    /// True if bytes move: only reads and writes count in IOPS and throughput.
    pub const fn moves_data(self) -> bool {
        matches!(self, Op::Read | Op::Write)
    }
}

/// The target's index in the run: a volume of the model, a file or a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId(pub u16);

/// The slot of an outstanding I/O: dense from zero, reused once the I/O has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// One read, write, flush or discard: offset and length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Io {
    /// Offset in the target, in bytes.
    pub offset: u64,
    /// The amount, in bytes; zero for a flush.
    pub len: u32,
    /// The target.
    pub target: TargetId,
    /// The action.
    pub op: Op,
    /// Force unit access: a write that is durable when it completes.
    pub fua: bool,
}

impl Io {
    /// A read of `len` bytes at `offset`.
    pub const fn read(target: TargetId, offset: u64, len: u32) -> Io {
        Io { offset, len, target, op: Op::Read, fua: false }
    }

    /// A write of `len` bytes at `offset`.
    pub const fn write(target: TargetId, offset: u64, len: u32) -> Io {
        Io { offset, len, target, op: Op::Write, fua: false }
    }

    /// A flush of everything acknowledged so far.
    pub const fn flush(target: TargetId) -> Io {
        Io { offset: 0, len: 0, target, op: Op::Flush, fua: false }
    }

    /// A discard of a range.
    pub const fn discard(target: TargetId, offset: u64, len: u32) -> Io {
        Io { offset, len, target, op: Op::Discard, fua: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_is_sixteen_bytes_so_that_four_share_a_cache_line() {
        assert_eq!(size_of::<Io>(), 16);
    }

    #[test]
    fn op_discriminants_are_their_index_in_all() {
        for (index, op) in Op::ALL.iter().enumerate() {
            assert_eq!(*op as usize, index);
        }
    }
}
