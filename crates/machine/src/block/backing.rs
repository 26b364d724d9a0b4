use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::ioctl::{Getter, Opcode, ioctl};

use super::Device;
use crate::{DeviceNumber, Node, NodeKind, World};

/// `LOOP_GET_STATUS64` of `linux/loop.h`.
const LOOP_GET_STATUS64: Opcode = 0x4C05;

/// `struct loop_info64` of `linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// What a loop device is: a file or another device, shown as a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backing {
    /// The file's name when it was attached, and in the view of whoever did.
    pub path: PathBuf,
    /// The file, by file system and inode; `None` where neither the kernel nor the name tells.
    pub file: Option<(DeviceNumber, u64)>,
    /// The device, where it is no file.
    pub device: Option<DeviceNumber>,
}

impl Backing {
    /// What a loop device stands for; `None` where it is none, or nothing is attached.
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

    /// What the name leads to.
    pub(crate) fn by_name(path: PathBuf, node: Option<Node>) -> Backing {
        let device = node.and_then(|node| node.block());
        let file =
            node.filter(|node| matches!(node.kind, NodeKind::File)).map(|node| (node.filesystem, node.inode));
        Backing { path, file, device }
    }

    /// Whether it is that file or device.
    pub fn is(&self, node: &Node) -> bool {
        match node.block() {
            Some(number) => self.device == Some(number),
            None => self.file == Some((node.filesystem, node.inode)),
        }
    }

    /// Whether both show the same file or device.
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
        let flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(node)?;
        // SAFETY: the request fills a `struct loop_info64`, which `LoopInfo` is, field by field.
        let status = unsafe { Getter::<LOOP_GET_STATUS64, LoopInfo>::new() };
        // SAFETY: the getter above fits its request, and the descriptor is open.
        let info = unsafe { ioctl(&open, status) }?;
        Ok(identity(info.device, info.inode, info.rdevice))
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
    fn the_structure_is_as_long_as_the_kernels() {
        // 5 × 8 + 4 × 4 + 64 + 64 + 32 + 2 × 8.
        assert_eq!(size_of::<LoopInfo>(), 232);
    }

    #[test]
    fn a_file_is_no_device_on_old_kernels_either() {
        let file = (Some((DeviceNumber { major: 254, minor: 0 }, 77)), None);
        assert_eq!(identity(0xfe00, 77, 0), file);
        assert_eq!(identity(0xfe00, 77, 0xfe00), file);
        let device = (None, Some(DeviceNumber { major: 8, minor: 16 }));
        assert_eq!(identity(6, 77, 0x810), device);
    }
}
