//! A platform without calls of its own: everything answers that it is not there.

pub(crate) mod files;
pub(crate) mod open;
pub(crate) mod process;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::sys::device::{DeviceNumber, Free, Geometry, LoopStatus, Node, Page, PhysicalMemory, WorldSystem};
use crate::sys::error::NotOnThisPlatform;
use crate::sys::facts::{Method, Unwritten};
use crate::sys::performance::{RawDisk, RawProcessor};
use crate::sys::storage::Storage;

const DEVICES: NotOnThisPlatform = NotOnThisPlatform { what: "inspecting block devices" };
const FILES: NotOnThisPlatform = NotOnThisPlatform { what: "inspecting files and file systems" };

/// A place that does not exist: there is no `/proc`.
pub(crate) const ROOT: &str = "/nonexistent/iobound";

pub(crate) const SYSTEM: WorldSystem = WorldSystem::Other;

pub(crate) fn disk_performance(_object: &str) -> io::Result<Vec<RawDisk>> {
    Err(NotOnThisPlatform { what: "reading counters of disks" }.into())
}

pub(crate) fn processor_performance() -> io::Result<Vec<RawProcessor>> {
    Err(NotOnThisPlatform { what: "reading counters of processors" }.into())
}

/// Disks of Windows: there are none here.
pub(crate) fn windows_storage() -> Option<&'static dyn Storage> {
    None
}

/// Physical memory is not known here.
pub(crate) fn memory() -> Option<PhysicalMemory> {
    None
}

/// Numbers of devices have no parts here.
pub(crate) fn device_number(raw: u64) -> DeviceNumber {
    DeviceNumber { major: (raw >> 32) as u32, minor: raw as u32 }
}

refused! { DEVICES:
    pub(crate) fn admin_page(_device: &File, _page: Page) -> io::Result<Vec<u8>>;
    pub(crate) fn dm_status(_control: &File, _number: DeviceNumber) -> io::Result<(Vec<u8>, u32)>;
    pub(crate) fn geometry(_device: &File) -> io::Result<Geometry>;
    pub(crate) fn loop_status(_device: &File) -> io::Result<LoopStatus>;
}

refused! { FILES:
    pub(crate) fn is_written_by_others(_path: &Path) -> io::Result<bool>;
    pub(crate) fn node(_path: &Path) -> io::Result<Node>;
    pub(crate) fn open_to_look(_path: &Path, _exclusive: bool) -> io::Result<File>;
    pub fn unwritten(_file: &File, _size: u64) -> io::Result<(Vec<Unwritten>, Method)>;
    pub(crate) fn room(_path: &Path) -> io::Result<Free>;
}

/// Nothing leads to an open file but its name, which is not known here.
pub(crate) fn path_of_open(_file: &File) -> PathBuf {
    PathBuf::new()
}

/// The path of a text of another machine.
pub(crate) fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
