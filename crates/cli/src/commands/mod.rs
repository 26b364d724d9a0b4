//! The verbs, one a file.

pub(crate) mod catalog;
pub(crate) mod compare;
pub(crate) mod completions;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod diskspd;
pub(crate) mod doctor;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod emulate;
pub(crate) mod explain;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod fio;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod fleet;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod iometer;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod predict;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod probe;
pub(crate) mod results;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod trace;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) mod watch;
