use rustix::process::{getppid, getuid};

/// Number of the user who started this process.
pub fn user() -> u32 {
    getuid().as_raw()
}

/// Number of the process that started this one; 0 if it is not visible here.
pub fn parent() -> u32 {
    getppid().map_or(0, |parent| parent.as_raw_nonzero().get() as u32)
}

/// Bytes of a page of memory.
pub(crate) fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}
