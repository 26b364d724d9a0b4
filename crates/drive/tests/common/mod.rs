//! Stacks in a few words, engines that keep books, and clocks that say how often they were asked.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub(crate) mod audit;
pub(crate) mod build;
pub(crate) mod clocks;
pub(crate) mod conform;
