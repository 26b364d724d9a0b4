//! The answer of `predict --trace`.

mod document;
mod text;

pub use document::{ReplayScreen, limiter_title, replay_document};
pub use text::replay_text;
