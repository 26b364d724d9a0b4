//! The verbs, one a file.

pub(crate) mod catalog;
pub(crate) mod compare;
pub(crate) mod completions;
#[cfg(feature = "load")]
pub(crate) mod diskspd;
pub(crate) mod doctor;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub(crate) mod emulate;
pub(crate) mod explain;
#[cfg(feature = "load")]
pub(crate) mod fio;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub(crate) mod fleet;
#[cfg(feature = "load")]
pub(crate) mod iometer;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod predict;
#[cfg(feature = "load")]
pub(crate) mod probe;
pub(crate) mod results;
#[cfg(feature = "load")]
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
#[cfg(feature = "load")]
pub(crate) mod tools;
pub(crate) mod trace;
#[cfg(feature = "load")]
pub(crate) mod watch;
