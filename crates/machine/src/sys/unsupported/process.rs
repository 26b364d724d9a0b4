/// Users have no numbers here.
pub fn user() -> u32 {
    0
}

/// The parent is not known here.
pub fn parent() -> u32 {
    0
}

/// The usual bytes of a page of memory.
pub(crate) fn page_bytes() -> u64 {
    4096
}
