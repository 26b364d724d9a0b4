//! The verbs, one a file.

pub(crate) mod predict;
