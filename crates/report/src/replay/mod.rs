//! The answers of `predict --trace` and `lab --trace`.

mod document;
mod lab;
mod limits;
mod text;

pub use document::{ReplayScreen, limiter_title, replay_document};
pub use lab::{lab_replay_csv, lab_replay_run, lab_replay_text};
pub use text::replay_text;
