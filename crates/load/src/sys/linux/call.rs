//! One I/O as a call to the system that waits for it.

use std::io;
use std::os::fd::RawFd;

use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Tag};
use iobound_workload::RangeSync;

use super::files::descriptors;
use crate::engine::range::SyncRange;
use crate::engine::target::Targets;

/// One I/O as the system is asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    tag: Tag,
    io: Io,
    file: FileToCall,
    buffer: Buffer,
    /// Of a flush: the range that it is of.
    range: Option<SyncRange>,
    /// Clock of its end: the calling thread reads it, because the run loop may wake later.
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

/// The flags of `sync_file_range(2)`.
fn flags_of(steps: RangeSync) -> libc::c_uint {
    let RangeSync { wait_before, write, wait_after } = steps;
    let flags = [
        (wait_before, libc::SYNC_FILE_RANGE_WAIT_BEFORE),
        (write, libc::SYNC_FILE_RANGE_WRITE),
        (wait_after, libc::SYNC_FILE_RANGE_WAIT_AFTER),
    ];
    flags.into_iter().filter(|(is_asked, _)| *is_asked).fold(0, |all, (_, flag)| all | flag)
}

impl Call {
    /// `buffer` has room for the data of `io`, and nothing else uses it until the call has returned; `io.offset` is of
    /// the file.
    #[inline]
    pub(crate) fn new(tag: Tag, io: Io, file: FileToCall, buffer: *mut u8, clock: SystemClock) -> Call {
        Call { tag, io, file, buffer: Buffer(buffer), range: None, clock }
    }

    /// The flush of a range.
    #[inline]
    pub(crate) fn of_range(self, range: Option<SyncRange>) -> Call {
        Call { range, ..self }
    }

    /// Carries it out.
    #[inline]
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

    #[inline]
    fn once(&self) -> i64 {
        let Io { op, offset, len, fua, .. } = self.io;
        let file = self.file.descriptor;
        let part = libc::iovec { iov_base: self.buffer.0.cast(), iov_len: len as usize };
        let durable = if fua { libc::RWF_DSYNC } else { 0 };
        let range = [offset, u64::from(len)];
        // SAFETY: the descriptor is open as long as the engine. The buffer belongs to this tag, has at least `len`
        // bytes, and nothing else uses it until the result is collected. `range` outlives the call, which only reads
        // it.
        unsafe {
            match op {
                Op::Read => libc::preadv2(file, &raw const part, 1, offset as i64, 0) as i64,
                Op::Write => libc::pwritev2(file, &raw const part, 1, offset as i64, durable) as i64,
                Op::Flush => match self.range {
                    None => i64::from(libc::fdatasync(file)),
                    Some(SyncRange { len: 0, .. }) => 0,
                    Some(SyncRange { steps, start, len }) => {
                        i64::from(libc::sync_file_range(file, start as i64, len as i64, flags_of(steps)))
                    }
                },
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

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use iobound_units::{Span, TargetId};

    use super::*;

    /// Result of a flush of a file, of a range of so many bytes or of all.
    fn flushed(file: RawFd, len: Option<u64>) -> i32 {
        let steps = RangeSync { wait_before: true, write: true, wait_after: true };
        let range = len.map(|len| SyncRange { steps, start: 4_096, len });
        let file = FileToCall { descriptor: file, block_device: false };
        let clock = SystemClock::starting_in(Span::ZERO);
        let io = Io::flush(TargetId(0));
        Call::new(Tag(0), io, file, std::ptr::null_mut(), clock).of_range(range).make().result
    }

    #[test]
    fn a_flush_of_a_range_is_a_call_of_its_own() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!((flushed(file.as_raw_fd(), None), flushed(file.as_raw_fd(), Some(8_192))), (0, 0));
        // The two calls refuse a pipe with different errors. Without written data, no call is made.
        let (_reader, writer) = io::pipe().unwrap();
        let pipe = writer.as_raw_fd();
        assert_eq!((flushed(pipe, None), flushed(pipe, Some(8_192))), (-libc::EINVAL, -libc::ESPIPE));
        assert_eq!(flushed(pipe, Some(0)), 0);
    }

    #[test]
    fn flags_are_those_of_the_system() {
        // SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER of linux/fs.h.
        let steps = |wait_before, write, wait_after| flags_of(RangeSync { wait_before, write, wait_after });
        assert_eq!(
            [steps(true, false, false), steps(false, true, false), steps(false, false, true)],
            [1, 2, 4]
        );
        assert_eq!(steps(true, true, true), 7);
    }
}
