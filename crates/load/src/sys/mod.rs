//! Calls to the operating system, the only ones of this crate: engines, threads and processors. Calls on open files are
//! in `iobound-machine`.
//!
//! A platform is a folder with the items that are used below; `unsupported` has them for platforms without one. A new
//! platform is a new folder, a line below, and its engine in `Kind`.

pub(crate) mod answer;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(target_os = "linux"))]
use unsupported as platform;

pub use platform::{Aio, Uring, close_output, processors};
pub(crate) use platform::{
    Call, FileToCall, MOST_OUTSTANDING, Reader, Returned, bind, refused_aio, refused_ring, thread_usage,
    wake_on_time,
};
