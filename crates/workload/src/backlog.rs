//! Reading back what was written while the writing goes on (fio's `verify_backlog`).

use std::collections::VecDeque;

use iobound_units::{Bytes, Io, Op};

/// Point at which a queue reads back what it wrote, and the amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// The number of writes that are not read back yet at which reading begins.
    pub every: u32,
    /// The number of reads, the oldest writes first. Where it is more than `every`, each of the next writes is read back at
    /// once until the number is reached.
    pub batch: u32,
}

impl ReadBack {
    /// The largest `every`: a queue remembers so many writes.
    pub const MOST: u32 = 1 << 20;
}

/// Writes of one thread of a job, and how many of them it has read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The first bytes, which were read back.
    pub read_back: Bytes,
    /// The rest.
    pub left: Bytes,
}

/// The writes of a queue that are not read back yet.
#[derive(Debug)]
pub(crate) struct Backlog {
    rule: ReadBack,
    writes: VecDeque<Io>,
    /// Reads that are still to be made of the batch.
    left: u32,
    /// True if the last I/O was a write.
    wrote: bool,
}

impl Backlog {
    pub(crate) fn new(rule: ReadBack) -> Backlog {
        // One more than it ever holds: nothing is allocated later.
        let writes = VecDeque::with_capacity(rule.every as usize + 1);
        Backlog { rule, writes, left: 0, wrote: false }
    }

    /// A write goes out.
    pub(crate) fn wrote(&mut self, io: Io) {
        self.writes.push_back(io);
        self.wrote = true;
    }

    /// True if the next I/O is a read of what was written.
    pub(crate) fn is_due(&self) -> bool {
        let is_full = self.wrote && self.writes.len() as u64 >= u64::from(self.rule.every);
        !self.writes.is_empty() && (self.left > 0 || is_full)
    }

    /// The next read of what was written, if it is due.
    pub(crate) fn next(&mut self) -> Option<Io> {
        if !self.is_due() {
            return None;
        }
        if self.left == 0 {
            self.left = self.rule.batch;
        }
        self.left -= 1;
        self.wrote = false;
        let write = self.writes.pop_front()?;
        Some(Io { op: Op::Read, fua: false, ..write })
    }

    /// The bytes that are not read back yet.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes(self.writes.iter().map(|write| u64::from(write.len)).sum())
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::TargetId;

    use super::*;

    /// The I/Os of so many writes: `w` and `r` with the number of the block.
    fn order(every: u32, batch: u32, writes: u64) -> String {
        let mut backlog = Backlog::new(ReadBack { every, batch });
        let mut order = Vec::new();
        for block in 0..writes {
            backlog.wrote(Io::write(TargetId(0), block, 1));
            order.push(format!("w{block}"));
            while let Some(read) = backlog.next() {
                order.push(format!("r{}", read.offset));
            }
        }
        order.join(" ")
    }

    #[test]
    fn reads_follow_the_writes_in_the_order_of_fio() {
        // check_get_verify of fio's io_u.c.
        assert_eq!(order(1, 1, 3), "w0 r0 w1 r1 w2 r2");
        assert_eq!(order(3, 3, 7), "w0 w1 w2 r0 r1 r2 w3 w4 w5 r3 r4 r5 w6");
        assert_eq!(order(3, 1, 5), "w0 w1 w2 r0 w3 r1 w4 r2");
        assert_eq!(order(2, 3, 6), "w0 w1 r0 r1 w2 r2 w3 w4 r3 r4 w5 r5");
    }
}
