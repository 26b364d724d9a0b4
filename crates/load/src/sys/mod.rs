//! Calls to the operating system, the only ones of this crate: engines, threads and processors. Calls on open files are
//! in `iobound-machine`.
//!
//! A platform is a folder with the items that are used below; `unsupported` has them for platforms without one. A new
//! platform is a new folder, a line below, and its engine in `Kind`.

mod absent;
pub(crate) mod answer;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[cfg_attr(
    windows,
    allow(dead_code, unreachable_pub, reason = "Windows takes from it what it has not itself")
)]
mod unsupported;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(any(target_os = "linux", windows)))]
use unsupported as platform;
#[cfg(windows)]
use windows as platform;

pub use platform::{Aio, Iocp, Uring, close_output, processors};
pub(crate) use platform::{
    Call, FileToCall, MOST_OUTSTANDING, Reader, Returned, bind, refused_aio, refused_ring, thread_usage,
    wake_on_time,
};
