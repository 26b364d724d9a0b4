//! The one call of io_uring that a run makes, through a ring that is known to the kernel by an index of the thread's: by
//! its descriptor, the kernel would look up the file and count its users at each call.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::IoUring;
use iobound_units::Span;

// Of `linux/io_uring.h`.
const REGISTER_RING_FDS: libc::c_uint = 20;
const UNREGISTER_RING_FDS: libc::c_uint = 21;
const GETEVENTS: libc::c_uint = 1;
const EXT_ARG: libc::c_uint = 1 << 3;
const REGISTERED_RING: libc::c_uint = 1 << 4;

/// `struct io_uring_rsrc_update`.
#[repr(C)]
struct Update {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// `struct __kernel_timespec`.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// `struct io_uring_getevents_arg`.
#[repr(C)]
struct Arguments {
    signals: u64,
    signals_size: u32,
    least_wait_us: u32,
    time: u64,
}

/// The way into the kernel of one ring, for the thread that made it.
#[derive(Debug)]
pub(super) struct Entrance {
    descriptor: RawFd,
    /// Its index among the thread's rings (Linux 5.18).
    index: Option<RawFd>,
}

impl Entrance {
    /// Of a ring that outlives it.
    pub(super) fn new(ring: &IoUring) -> Entrance {
        let descriptor = ring.as_raw_fd();
        // Any free place.
        let mut update = Update { offset: u32::MAX, reserved: 0, data: descriptor as u64 };
        let done = register(descriptor, REGISTER_RING_FDS, &mut update);
        Entrance { descriptor, index: (done == 1).then_some(update.offset as RawFd) }
    }

    /// Submits `queued` I/Os, and waits for `want` completions, for no longer than `most`. Where nothing is wanted, a
    /// `look` makes the kernel complete what has come back.
    ///
    /// # Errors
    /// Returns the error of the kernel, which includes the end of the time (`ETIME`).
    #[inline]
    pub(super) fn enter(&self, queued: usize, want: usize, look: bool, most: Span) -> io::Result<()> {
        let time = Timespec {
            seconds: (most.ns() / 1_000_000_000) as i64,
            nanoseconds: (most.ns() % 1_000_000_000) as i64,
        };
        let arguments =
            Arguments { signals: 0, signals_size: 0, least_wait_us: 0, time: (&raw const time) as u64 };
        let waits = if want > 0 || look { GETEVENTS } else { 0 };
        let (ring, by_index) = match self.index {
            Some(index) => (index, REGISTERED_RING),
            None => (self.descriptor, 0),
        };
        // SAFETY: the ring is open, and the arguments and their time outlive the call. The buffers of the entries are
        // guaranteed where they are pushed.
        let done = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                ring,
                queued as libc::c_uint,
                want as libc::c_uint,
                waits | by_index | EXT_ARG,
                &raw const arguments,
                size_of::<Arguments>(),
            )
        };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for Entrance {
    /// With the index the kernel would keep the ring, and with it the buffers, until the thread ends.
    fn drop(&mut self) {
        if let Some(index) = self.index {
            let mut update = Update { offset: index as u32, reserved: 0, data: 0 };
            register(self.descriptor, UNREGISTER_RING_FDS, &mut update);
        }
    }
}

/// Number of updates that the kernel took: one, or none.
fn register(ring: RawFd, what: libc::c_uint, update: &mut Update) -> libc::c_long {
    // SAFETY: the ring is open, and the one update outlives the call.
    unsafe { libc::syscall(libc::SYS_io_uring_register, ring, what, &raw mut *update, 1_u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_with_its_ring() {
        // A container may refuse rings, and an old kernel the index.
        let Ok(ring) = IoUring::new(2) else { return };
        let has_index = Entrance::new(&ring).index.is_some();
        // More than the sixteen places of a thread (IO_RINGFD_REG_MAX).
        for _ in 0..40 {
            assert_eq!(Entrance::new(&ring).index.is_some(), has_index);
        }
    }

    #[test]
    fn a_wait_ends_with_its_time() {
        let Ok(ring) = IoUring::new(2) else { return };
        let entrance = Entrance::new(&ring);
        let error = entrance.enter(0, 1, true, Span::from_ms(1)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ETIME));
        entrance.enter(0, 0, true, Span::ZERO).unwrap();
    }
}
