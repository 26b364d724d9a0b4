use std::io;
use std::ptr::NonNull;

use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};

/// Bytes that are committed at a time: a multiple of the allocation granularity.
const STEP: usize = 1 << 20;

/// Reserved addresses whose memory is committed from their start on, as far as it is used. The system counts committed
/// memory against its limit at once; a large reservation costs nothing.
#[derive(Debug)]
pub(crate) struct Pages {
    start: NonNull<u8>,
    bytes: usize,
    /// Memory up to here can be used.
    committed: usize,
}

// SAFETY: the memory belongs to this value alone, and is reached through borrows of it only.
unsafe impl Send for Pages {}
// SAFETY: as above; a shared borrow reads only.
unsafe impl Sync for Pages {}

impl Pages {
    /// Reserved memory of this number of bytes, none of which is committed.
    pub(crate) fn new(bytes: usize) -> io::Result<Pages> {
        // SAFETY: without an address, the call reserves new addresses and touches no existing memory.
        let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE, PAGE_READWRITE) };
        match NonNull::new(start.cast()) {
            Some(start) => Ok(Pages { start, bytes, committed: 0 }),
            None => Err(io::Error::last_os_error()),
        }
    }

    /// True if the first `bytes` can be used; false if the system has no memory for them.
    pub(crate) fn reach(&mut self, bytes: usize) -> bool {
        if bytes <= self.committed {
            return true;
        }
        let until = bytes.next_multiple_of(STEP).min(self.bytes);
        if bytes > until {
            return false;
        }
        // SAFETY: the range lies within the reservation, behind what is committed.
        let at = unsafe { self.start.as_ptr().add(self.committed) };
        // SAFETY: the range is reserved and not committed, so no reference reaches it; committed memory reads as zeroes.
        let done = unsafe { VirtualAlloc(at.cast(), until - self.committed, MEM_COMMIT, PAGE_READWRITE) };
        if done.is_null() {
            return false;
        }
        self.committed = until;
        true
    }

    #[inline]
    pub(crate) fn get(&self, at: usize, len: usize) -> &[u8] {
        self.check(at, len);
        // SAFETY: the range is committed, initialised with zeroes, and borrowed with `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(at), len) }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize, len: usize) -> &mut [u8] {
        self.check(at, len);
        // SAFETY: the range is committed, initialised with zeroes, and borrowed exclusively with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(at), len) }
    }

    fn check(&self, at: usize, len: usize) {
        let end = at.checked_add(len);
        assert!(end.is_some_and(|end| end <= self.committed), "pages are committed before they are used");
    }

    /// Gives no memory back before the end: memory that is discarded does not read as zeroes on Windows.
    pub(crate) fn give_back(&mut self, _at: usize, _len: usize) -> bool {
        false
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the address is that of the reservation, and nothing borrows it any more.
        unsafe { VirtualFree(self.start.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_committed_as_far_as_it_is_reached() {
        let mut pages = Pages::new(3 * STEP + 4096).expect("addresses");
        assert!(pages.reach(4096));
        pages.get_mut(0, 4096).fill(7);
        assert!(pages.reach(3 * STEP + 4096) && !pages.reach(3 * STEP + 4097));
        assert_eq!((pages.get(4095, 1), pages.get(3 * STEP, 4096)), (&[7][..], &[0; 4096][..]));
    }
}
