//! Calls to the operating system, the only ones of this crate: no other module names `rustix` or `std::os`.
//!
//! A platform is a folder with the items that are used below; `unsupported` has them for platforms without one, and
//! answers with [`NotOnThisPlatform`](error::NotOnThisPlatform). A new platform is a new folder and a line below.

/// Functions that always return the same error.
#[cfg(not(target_os = "linux"))]
macro_rules! refused {
    ($why:ident: $($vis:vis fn $name:ident($($arg:ident: $of:ty),*) -> io::Result<$out:ty>;)*) => {
        $(
            /// Not on this platform.
            ///
            /// # Errors
            /// Always returns an error.
            $vis fn $name($($arg: $of),*) -> io::Result<$out> {
                Err($why.into())
            }
        )*
    };
}

/// Methods of a value that never exists; `$field` is its field that has no value.
#[cfg(not(target_os = "linux"))]
macro_rules! never {
    ($field:tt: $(pub fn $name:ident(&$this:ident $(, $arg:ident: $of:ty)*) $(-> $out:ty)?;)*) => {
        $(
            /// Never called: there is no such value on this platform.
            pub fn $name(&$this $(, $arg: $of)*) $(-> $out)? {
                match $this.$field {}
            }
        )*
    };
}

pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod facts;
#[cfg(target_os = "linux")]
mod linux;
pub(crate) mod performance;
pub(crate) mod storage;
#[cfg(not(any(target_os = "linux", windows)))]
mod unsupported;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(any(target_os = "linux", windows)))]
use unsupported as platform;
#[cfg(windows)]
use windows as platform;

#[cfg(windows)]
pub use platform::open_overlapped;
pub use platform::unwritten;
pub(crate) use platform::windows_storage;
pub(crate) use platform::{
    ROOT, SYSTEM, admin_page, device_number, disk_performance, dm_status, files, geometry,
    is_written_by_others, loop_status, memory, node, open, open_to_look, path_of_bytes, path_of_open,
    process, processor_performance, room,
};
