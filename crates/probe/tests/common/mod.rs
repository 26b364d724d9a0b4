//! Code that the tests and the score share.

pub(crate) mod hidden;
pub(crate) mod marks;
