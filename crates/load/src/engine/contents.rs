//! Content of written blocks, and what becomes of blocks that were read: one for each real thread.

use std::collections::BTreeMap;
use std::sync::Arc;

use iobound_units::{Io, Op, Tag, TargetId};
use iobound_workload::{BlockPattern, Difference};

use super::target::Targets;
use crate::prepare::{self, BLOCK};
use crate::verify::{Checker, SECTOR, Sector, check_fio_block, is_fio_block, sector_of_any_run};

/// The contents of an engine's I/Os.
pub trait Contents {
    /// True if reads are looked at: where not, their buffers are not touched.
    const CHECKS: bool;

    /// Fills the buffer of a tag, once, before the start.
    fn fill(&mut self, tag: Tag, buffer: &mut [u8]);

    /// An I/O goes out; a write's buffer gets what is to be written. Other operations than reads and writes have an
    /// empty buffer.
    fn submit(&mut self, tag: Tag, io: &Io, buffer: &mut [u8]);

    /// An I/O is back, of which `moved` bytes are done. Called where [`Contents::CHECKS`].
    ///
    /// # Errors
    /// Returns an error if the data that was read is not the data that was written: a sentence.
    fn complete(&mut self, tag: Tag, io: &Io, buffer: &[u8], moved: u32) -> Result<(), String>;
}

/// The number of a thread's first slot: no two slots of a run have the same.
fn first_slot(thread: u16) -> u64 {
    u64::from(thread) << 32
}

/// Buffers that are filled once and changed a little by each write.
#[derive(Clone, Debug)]
pub struct Refreshed {
    payload: prepare::Payload,
    /// Tells the slots of several threads apart.
    first_slot: u64,
    /// Blocks that each slot has written.
    written: Vec<u64>,
}

impl Refreshed {
    /// For the slots of one thread.
    pub fn new(payload: prepare::Payload, thread: u16, slots: usize) -> Refreshed {
        Refreshed { payload, first_slot: first_slot(thread), written: vec![0; slots] }
    }
}

impl Contents for Refreshed {
    const CHECKS: bool = false;

    fn fill(&mut self, tag: Tag, buffer: &mut [u8]) {
        self.payload.fill(self.first_slot + u64::from(tag.0), buffer);
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: &Io, buffer: &mut [u8]) {
        if io.op == Op::Write {
            let written = &mut self.written[tag.0 as usize];
            let slot = self.first_slot + u64::from(tag.0);
            self.payload.refresh(*written ^ slot.rotate_left(32), io.offset, buffer);
            *written += buffer.len().div_ceil(BLOCK) as u64;
        }
    }

    #[inline]
    fn complete(&mut self, _tag: Tag, _io: &Io, _buffer: &[u8], _moved: u32) -> Result<(), String> {
        Ok(())
    }
}

/// Blocks that carry offset, generation and checksum, and are judged when they are read.
pub struct Verified {
    checker: Checker,
    payload: prepare::Payload,
    first_slot: u64,
}

impl Verified {
    /// With one thread's hand in the ledger; `payload` is what lies under the stamps.
    pub fn new(checker: Checker, payload: prepare::Payload, thread: u16) -> Verified {
        Verified { checker, payload, first_slot: first_slot(thread) }
    }

    /// The judged figure.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }
}

impl Contents for Verified {
    const CHECKS: bool = true;

    // Zeros under the stamps would be what a device that compresses takes for next to nothing.
    fn fill(&mut self, tag: Tag, buffer: &mut [u8]) {
        self.payload.fill(self.first_slot + u64::from(tag.0), buffer);
    }

    fn submit(&mut self, tag: Tag, io: &Io, buffer: &mut [u8]) {
        match io.op {
            Op::Read => self.checker.on_read_submit(tag, *io),
            Op::Write => self.checker.on_write_submit(tag, *io, buffer),
            Op::Discard => self.checker.on_discard_submit(tag, *io),
            Op::Flush => {}
        }
    }

    fn complete(&mut self, tag: Tag, io: &Io, buffer: &[u8], moved: u32) -> Result<(), String> {
        match io.op {
            Op::Read => {
                let read = &buffer[..moved as usize];
                self.checker.on_read_done(tag, *io, read).map_err(|mismatch| mismatch.to_string())
            }
            Op::Write => {
                self.checker.on_write_done(tag, *io, moved);
                Ok(())
            }
            Op::Discard => {
                self.checker.on_write_done(tag, *io, 0);
                Ok(())
            }
            Op::Flush => Ok(()),
        }
    }
}

/// Blocks with a pattern and nothing else: fio's `verify=pattern`, written by any tool.
#[derive(Clone, Debug)]
pub struct Patterned {
    pattern: BlockPattern,
    /// Offsets in patterns are of files, and a target may have several.
    targets: Arc<Targets>,
    /// Every read must find the pattern.
    checks: bool,
}

impl Patterned {
    /// For the writes of one thread, and for its reads where `checks`.
    pub fn new(pattern: BlockPattern, targets: Arc<Targets>, checks: bool) -> Patterned {
        Patterned { pattern, targets, checks }
    }

    /// Offset of an I/O in its file.
    fn offset(&self, io: &Io) -> u64 {
        self.targets.place(io.target, io.offset).1
    }
}

impl Contents for Patterned {
    const CHECKS: bool = true;

    fn fill(&mut self, _tag: Tag, _buffer: &mut [u8]) {}

    fn submit(&mut self, _tag: Tag, io: &Io, buffer: &mut [u8]) {
        if io.op == Op::Write {
            self.pattern.fill(self.offset(io), buffer);
        }
    }

    fn complete(&mut self, _tag: Tag, io: &Io, buffer: &[u8], moved: u32) -> Result<(), String> {
        if io.op != Op::Read || !self.checks {
            return Ok(());
        }
        let offset = self.offset(io);
        let found = self.pattern.difference(offset, &buffer[..moved as usize]);
        found.map_or(Ok(()), |Difference { at, got, wanted }| {
            Err(format!(
                "got pattern '{got:02x}', wanted '{wanted:02x}': byte {at} of the block at {offset} is not of verify_pattern"
            ))
        })
    }
}

/// Blocks that an earlier run has stamped, or that fio wrote with `verify=crc32c`: every read is judged by what its sectors
/// or blocks say of themselves.
#[derive(Debug, Default)]
pub struct Checked {
    /// Distance of each target's stamps from its own offsets: the earlier run may have seen the file as a part of a
    /// larger target, but the same for all of it.
    shifts: BTreeMap<TargetId, u64>,
}

impl Contents for Checked {
    const CHECKS: bool = true;

    fn fill(&mut self, _tag: Tag, _buffer: &mut [u8]) {}

    fn submit(&mut self, _tag: Tag, _io: &Io, _buffer: &mut [u8]) {}

    fn complete(&mut self, _tag: Tag, io: &Io, buffer: &[u8], moved: u32) -> Result<(), String> {
        if io.op != Op::Read {
            return Ok(());
        }
        let mut read = &buffer[..moved as usize];
        let mut offset = io.offset;
        loop {
            if is_fio_block(read) {
                let len = check_fio_block(read, offset)?;
                (read, offset) = (&read[len..], offset + len as u64);
                continue;
            }
            let Some((sector, rest)) = read.split_at_checked(SECTOR) else { return Ok(()) };
            match sector_of_any_run(sector) {
                Sector::Stamped(stamp) => {
                    let shift = stamp.offset.wrapping_sub(offset);
                    if *self.shifts.entry(io.target).or_insert(shift) != shift {
                        let other = stamp.offset;
                        return Err(format!("the sector at {offset} holds what was written to {other}"));
                    }
                }
                Sector::Foreign => {
                    return Err(format!(
                        "bad magic header: the sector at {offset} was not written by a run with verify"
                    ));
                }
                Sector::Damaged { carried, computed } => {
                    return Err(format!(
                        "the sector at {offset} carries CRC-32C {carried:08x}, and its content has {computed:08x}"
                    ));
                }
            }
            (read, offset) = (rest, offset + SECTOR as u64);
        }
    }
}
