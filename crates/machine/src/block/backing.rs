use std::io;
use std::path::{Path, PathBuf};

use super::Device;
use crate::{DeviceNumber, Node, NodeKind, World, sys};

/// Backing of a loop device: a file or another device, shown as a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backing {
    /// The file's name at the time of attachment, in the view of the attaching process.
    pub path: PathBuf,
    /// The file, by file system and inode; `None` where neither the kernel nor the name tells.
    pub file: Option<(DeviceNumber, u64)>,
    /// The device, if it is not a file.
    pub device: Option<DeviceNumber>,
}

impl Backing {
    /// Backing of a loop device; `None` if it is not one, or nothing is attached.
    ///
    /// The kernel is asked itself where its node may be opened, since the name may be another thing by now.
    pub fn of(world: &World, device: &Device) -> Option<Backing> {
        let path = Backing::path_of(device)?;
        let told = Backing::ask(&device.node(world), device.number()).ok();
        Some(told.map_or_else(
            || Backing::by_name(path.clone(), Node::of(&world.path(&path)).ok()),
            |(file, device)| Backing { path: path.clone(), file, device },
        ))
    }

    /// The name of what is attached.
    pub(crate) fn path_of(device: &Device) -> Option<PathBuf> {
        device.value("loop/backing_file").map(PathBuf::from)
    }

    /// File that the name leads to.
    pub(crate) fn by_name(path: PathBuf, node: Option<Node>) -> Backing {
        let device = node.and_then(|node| node.block());
        let file =
            node.filter(|node| matches!(node.kind, NodeKind::File)).map(|node| (node.filesystem, node.inode));
        Backing { path, file, device }
    }

    /// True if it is that file or device.
    pub fn is(&self, node: &Node) -> bool {
        match node.block() {
            Some(number) => self.device == Some(number),
            None => self.file == Some((node.filesystem, node.inode)),
        }
    }

    /// True if both show the same file or device.
    pub fn is_same(&self, other: &Backing) -> bool {
        (self.file.is_some() && self.file == other.file)
            || (self.device.is_some() && self.device == other.device)
    }

    #[allow(clippy::type_complexity, reason = "a pair of the two fields above")]
    fn ask(
        node: &Path,
        number: DeviceNumber,
    ) -> io::Result<(Option<(DeviceNumber, u64)>, Option<DeviceNumber>)> {
        if Node::of(node)?.block() != Some(number) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let status = sys::loop_status(&sys::open_to_look(node, false)?)?;
        Ok(identity(status.device, status.inode, status.shown_device))
    }
}

/// Older kernels give a file's own device as `lo_rdevice`, newer ones zero (`loop_get_status`, drivers/block/loop.c).
fn identity(device: u64, inode: u64, rdevice: u64) -> (Option<(DeviceNumber, u64)>, Option<DeviceNumber>) {
    if rdevice != 0 && rdevice != device {
        (None, Some(DeviceNumber::from_raw(rdevice)))
    } else {
        (Some((DeviceNumber::from_raw(device), inode)), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_no_device_on_old_kernels_either() {
        let file = (Some((DeviceNumber { major: 254, minor: 0 }, 77)), None);
        assert_eq!(identity(0xfe00, 77, 0), file);
        assert_eq!(identity(0xfe00, 77, 0xfe00), file);
        let device = (None, Some(DeviceNumber { major: 8, minor: 16 }));
        assert_eq!(identity(6, 77, 0x810), device);
    }
}
