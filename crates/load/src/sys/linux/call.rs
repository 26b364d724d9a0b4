//! One I/O as a call to the system that waits for it.

use std::io;
use std::os::fd::RawFd;

use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Tag};

use super::files::descriptors;
use crate::engine::target::Targets;

/// One I/O as the system is asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    tag: Tag,
    io: Io,
    file: FileToCall,
    buffer: Buffer,
    /// Clock for its end, read by the caller, since the run loop may wake later.
    clock: SystemClock,
}

/// Target of a call.
#[derive(Clone, Copy)]
pub(crate) struct FileToCall {
    descriptor: RawFd,
    block_device: bool,
}

/// The outcome of a call.
#[derive(Clone, Copy)]
pub(crate) struct Returned {
    pub(crate) tag: Tag,
    /// Bytes moved, or the negative error number.
    pub(crate) result: i32,
    pub(crate) at: Instant,
}

#[derive(Clone, Copy)]
struct Buffer(*mut u8);

// SAFETY: the buffer is of one tag, which one thread at a time uses: the run loop gives it away with the call and
// looks at it again when the result is back; the mutexes between order the two.
unsafe impl Send for Buffer {}

/// `BLKDISCARD` of linux/fs.h, `_IO(0x12, 119)`: the argument is offset and length in bytes.
const BLKDISCARD: libc::Ioctl = 0x1277;

impl FileToCall {
    /// Those of all targets, in order.
    pub(crate) fn of(targets: &Targets) -> Vec<FileToCall> {
        let devices = targets.files().iter().map(|file| file.block_device);
        let files = descriptors(targets).into_iter().zip(devices);
        files.map(|(descriptor, block_device)| FileToCall { descriptor, block_device }).collect()
    }

    /// One that no call can go to.
    #[cfg(test)]
    pub(crate) fn none() -> FileToCall {
        FileToCall { descriptor: -1, block_device: false }
    }
}

impl Call {
    /// `buffer` has room for what `io` moves, and is nobody else's until the call has returned; `io.offset` is of the
    /// file.
    pub(crate) fn new(tag: Tag, io: Io, file: FileToCall, buffer: *mut u8, clock: SystemClock) -> Call {
        Call { tag, io, file, buffer: Buffer(buffer), clock }
    }

    /// Carries it out.
    pub(crate) fn make(mut self) -> Returned {
        let result = loop {
            let result = self.once();
            if result >= 0 {
                break i32::try_from(result).unwrap_or(i32::MAX);
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                number => break -number.unwrap_or(libc::EIO),
            }
        };
        Returned { tag: self.tag, result, at: self.clock.now_of_run() }
    }

    fn once(self) -> i64 {
        let Io { op, offset, len, fua, .. } = self.io;
        let file = self.file.descriptor;
        let part = libc::iovec { iov_base: self.buffer.0.cast(), iov_len: len as usize };
        let durable = if fua { libc::RWF_DSYNC } else { 0 };
        let range = [offset, u64::from(len)];
        // SAFETY: the descriptor is open as long as the engine; the buffer is this tag's, at least `len` bytes long,
        // and nobody else uses it until the result is taken back; `range` outlives the call, which only reads it.
        unsafe {
            match op {
                Op::Read => libc::preadv2(file, &raw const part, 1, offset as i64, 0) as i64,
                Op::Write => libc::pwritev2(file, &raw const part, 1, offset as i64, durable) as i64,
                Op::Flush => i64::from(libc::fdatasync(file)),
                // A hole punched into a device is written as zeroes, where it can't be unmapped as such.
                Op::Discard if self.file.block_device => {
                    i64::from(libc::ioctl(file, BLKDISCARD, range.as_ptr()))
                }
                Op::Discard => {
                    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                    i64::from(libc::fallocate(file, mode, offset as i64, i64::from(len)))
                }
            }
        }
    }
}
