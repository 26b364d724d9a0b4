//! Answers about files, without the types of any platform.

/// The next data of a file, as far as the file system tells without reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "the file systems of Windows are not asked"))]
pub(crate) enum NextData {
    /// It begins at this offset.
    At(u64),
    /// There is none.
    Nowhere,
    /// The file system does not say.
    Unknown,
}

/// Outcome of a read that does not wait for the machine's own disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "Windows has no such reads"))]
pub(crate) enum CachedRead {
    /// Number of bytes that were read; zero at the end of the file.
    Got(usize),
    /// The page cache does not have the first byte.
    Cold,
    /// The system has no such reads for this file.
    Unsupported,
}
