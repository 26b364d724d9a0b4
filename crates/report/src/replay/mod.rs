//! The answer of `predict --trace`.

mod document;
mod text;

pub use document::{ReplayScreen, replay_document};
pub use text::replay_text;
