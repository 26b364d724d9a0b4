//! Builders and players that the tests of the model share.
#![allow(dead_code, reason = "every test file takes what it needs")]

pub(crate) mod arbitrary;
pub(crate) mod build;
pub(crate) mod edges;
pub(crate) mod play;
pub(crate) mod random;
