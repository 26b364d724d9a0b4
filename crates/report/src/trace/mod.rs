//! The answers of `trace`.

mod document;
mod text;

pub use document::{latency_part, trace_document, trace_fit_document, trace_read};
pub(crate) use text::{put_read, remarks};
pub use text::{trace_edit_text, trace_fit_text, trace_text};
