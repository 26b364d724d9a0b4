//! Protocol of coordinator and rank, without I/O: time and words in, words and events out.
//!
//! A rank says hello; once all are there and prepared, the coordinator measures how far their clocks are from its own, names a
//! moment that lies ahead, and each begins at it by its own clock. While they run they tell an interval at a time; at the
//! end each hands in all that it measured. Both sides say that they live, so that silence means something.

mod clocks;
mod coordinator;
mod intervals;
mod message;
mod place;
mod rank;
mod stages;

use iobound_units::Span;

pub use coordinator::{CoordinatorBook, Out};
pub use message::{Greeting, ToCoordinator, ToRank};
pub use place::Peer;
pub use rank::RankBook;

use crate::rules::Rules;

/// [`Rules`], as the protocol's clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// As [`Rules::join`].
    pub join: Span,
    /// As [`Rules::silent`].
    pub silent: Span,
    /// As [`Rules::stuck`].
    pub stuck: Span,
    /// As [`Rules::beat`].
    pub beat: Span,
}

impl From<Rules> for Times {
    fn from(rules: Rules) -> Times {
        let span = |duration: std::time::Duration| {
            Span::from_ns(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
        };
        Times {
            join: span(rules.join),
            silent: span(rules.silent),
            stuck: span(rules.stuck),
            beat: span(rules.beat),
        }
    }
}

/// Ranks, for a sentence: "rank 3", "ranks 3, 5 and 9", "ranks 0, 1, 2 and 97 more".
pub(crate) fn ranks(ranks: &[u32]) -> String {
    let list = |ranks: &[u32]| ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match ranks {
        [] => "no rank".to_string(),
        [one] => format!("rank {one}"),
        [all @ .., last] if all.len() < 8 => format!("ranks {} and {last}", list(all)),
        all => format!("ranks {} and {} more", list(&all[..7]), all.len() - 7),
    }
}
