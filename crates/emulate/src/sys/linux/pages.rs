use std::io;

use memmap2::{Advice, MmapMut, MmapOptions, UncheckedAdvice};

/// Anonymous memory that reserves nothing: only parts that were written take memory.
#[derive(Debug)]
pub(crate) struct Pages(MmapMut);

impl Pages {
    /// Memory of this number of bytes.
    pub(crate) fn new(bytes: usize) -> io::Result<Pages> {
        let map = MmapOptions::new().len(bytes).no_reserve_swap().map_anon()?;
        // The kernel would merge the memory into pages of two MiB, which stalls, and would fill freed parts again. A
        // kernel without such pages returns an error, which is harmless.
        let _ = map.advise(Advice::NoHugePage);
        Ok(Pages(map))
    }

    /// True if the first `bytes` can be used: the kernel gives memory when it is written.
    pub(crate) fn reach(&mut self, _bytes: usize) -> bool {
        true
    }

    #[inline]
    pub(crate) fn get(&self, at: usize, len: usize) -> &[u8] {
        &self.0[at..at + len]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize, len: usize) -> &mut [u8] {
        &mut self.0[at..at + len]
    }

    /// Gives memory back, which reads as zeroes then; says whether it did.
    pub(crate) fn give_back(&mut self, at: usize, len: usize) -> bool {
        // SAFETY: the mapping is private and anonymous, so the range reads as zeroes after it; it is borrowed exclusively
        // here, so no reference sees its bytes change.
        unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, at, len) }.is_ok()
    }
}
