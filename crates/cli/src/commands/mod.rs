//! The verbs, one a file.

pub(crate) mod catalog;
pub(crate) mod lab;
pub(crate) mod predict;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod run;
