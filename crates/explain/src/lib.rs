//! Reason why a configuration gives what it gives, and not more: what was seen beside every limit, one rule for each known
//! cause, and what would move it, predicted on the model.

mod against_model;
mod case;
mod change;
mod dominated;
mod explain;
mod finding;
mod force;
mod measure_next;
mod observed;
mod remedy;
mod rules;
pub mod setup;
mod stacks;
mod step;
mod stretch;
mod tell_apart;
mod thresholds;
mod units;
mod usage;
mod want;
mod words;

pub use case::{Case, Level};
pub use explain::{Explanation, RuledOut, Wish, explain, findings, setup_findings};
pub use finding::{Confidence, Finding};
pub use observed::{Access, CreditsUsed, Figures, HeldLimit, Latency, LatencyFigure, Moment, Observed, Part};
pub use remedy::{Change, Circumstance, Effect, Outcome, Remedy, assumed};
pub use rules::{RULES, busy_processor, title_of};
pub use stacks::{StackUse, stacks};
pub use step::Step;
pub use stretch::Stretch;
pub use usage::{Usage, usages};
pub use want::Want;
