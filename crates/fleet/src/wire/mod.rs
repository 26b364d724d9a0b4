//! Words as bytes: protocol buffers, exact to the bin.
//!
//! A peer's message is checked before it is used: contradictory figures are refused, and text for a terminal has no control
//! characters.

mod histogram;
mod measured;
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "whoever generates code answers for it")]
mod messages;
mod report;
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "whoever generates code answers for it")]
mod service;
mod word;

use std::fmt;

use prost::Message;

use crate::protocol::{ToCoordinator, ToRank};
pub(crate) use report::MOST_OF_A_REPORT;
pub use report::{report_bytes, report_of};

pub(crate) use messages::{ToCoordinator as CoordinatorWord, ToRank as RankWord};
pub(crate) use service::{fleet_client, fleet_server};
pub(crate) use word::{coordinator_word, rank_word, to_coordinator, to_rank};

/// The most bytes of one message. Reports go in fragments.
pub const MOST_OF_A_MESSAGE: usize = 4 << 20;

/// The most characters of a line that a person reads.
const MOST_OF_A_LINE: usize = 4_096;

/// Bytes that are not a message, or a message that contradicts itself: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError(pub String);

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WireError {}

impl From<String> for WireError {
    fn from(what: String) -> WireError {
        WireError(what)
    }
}

/// A rank's message, as bytes.
pub fn to_coordinator_bytes(word: &ToCoordinator) -> Vec<u8> {
    coordinator_word(word).encode_to_vec()
}

/// A rank's message.
///
/// # Errors
/// Returns an error if the bytes are not a message of a rank.
pub fn to_coordinator_of(bytes: &[u8]) -> Result<ToCoordinator, WireError> {
    to_coordinator(CoordinatorWord::decode(bytes).map_err(undecoded)?)
}

/// The coordinator's message, as bytes.
pub fn to_rank_bytes(word: &ToRank) -> Vec<u8> {
    rank_word(word).encode_to_vec()
}

/// The coordinator's message.
///
/// # Errors
/// Returns an error if the bytes are not a message of the coordinator.
pub fn to_rank_of(bytes: &[u8]) -> Result<ToRank, WireError> {
    to_rank(RankWord::decode(bytes).map_err(undecoded)?)
}

fn undecoded(error: prost::DecodeError) -> WireError {
    WireError(format!("not a fleet message: {error}"))
}

/// A line of a peer, for a person: without what would move their cursor.
fn line(text: String, what: &str) -> Result<String, WireError> {
    if text.chars().count() > MOST_OF_A_LINE {
        return Err(WireError(format!("{what} has more than {MOST_OF_A_LINE} characters")));
    }
    Ok(if text.contains(char::is_control) { text.replace(char::is_control, " ") } else { text })
}

fn there<T>(part: Option<T>, what: &str) -> Result<T, WireError> {
    part.ok_or_else(|| WireError(format!("{what} is missing")))
}
