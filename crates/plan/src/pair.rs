//! A limit of both units of count.

/// A limit on units and one on bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Units a second.
    pub ios: u64,
    /// Bytes a second.
    pub bytes: u64,
}
