//! Linux.

mod block;
mod extents;
pub(crate) mod files;
mod node;
mod nvme;
pub(crate) mod open;
pub(crate) mod process;

use std::io;
use std::path::Path;

use crate::sys::device::{PhysicalMemory, WorldSystem};
use crate::sys::error::NotOnThisPlatform;
use crate::sys::performance::{RawDisk, RawProcessor};
use crate::sys::storage::Storage;

pub(crate) use block::{dm_status, geometry, loop_status};
pub use extents::unwritten;
pub(crate) use files::{open_to_look, path_of_bytes, path_of_open, room};
pub(crate) use node::{device_number, node};
pub(crate) use nvme::admin_page;

/// Directory of `/proc`, `/sys` and `/dev`.
pub(crate) const ROOT: &str = "/";

pub(crate) const SYSTEM: WorldSystem = WorldSystem::Linux;

/// Performance counters of disks: `/proc/diskstats` has them.
pub(crate) fn disk_performance(_object: &str) -> io::Result<Vec<RawDisk>> {
    Err(NotOnThisPlatform { what: "reading performance counters of Windows" }.into())
}

/// Performance counters of processors: `/proc/stat` has them.
pub(crate) fn processor_performance() -> io::Result<Vec<RawProcessor>> {
    Err(NotOnThisPlatform { what: "reading performance counters of Windows" }.into())
}

/// Disks of Windows: there are none here.
pub(crate) fn windows_storage() -> Option<&'static dyn Storage> {
    None
}

/// True if another handle can write to a file: `/proc` shows that process by process.
pub(crate) fn is_written_by_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Physical memory: `/proc/meminfo` has it.
pub(crate) fn memory() -> Option<PhysicalMemory> {
    None
}
