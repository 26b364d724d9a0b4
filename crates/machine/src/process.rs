//! The user and the parent of this process.

pub use crate::sys::process::{parent, user};
