use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, StatxFlags};

use crate::sys::device::{DeviceNumber, Node, NodeKind};

/// The two parts of a device number.
pub(crate) fn device_number(raw: u64) -> DeviceNumber {
    DeviceNumber { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
}

/// Node at a path, all links followed.
pub(crate) fn node(path: &Path) -> io::Result<Node> {
    let found = fs::metadata(path)?;
    let kind = found.file_type();
    let number = device_number(found.rdev());
    let kind = if kind.is_dir() {
        NodeKind::Directory
    } else if kind.is_block_device() {
        NodeKind::Block(number)
    } else if kind.is_char_device() {
        NodeKind::Character(number)
    } else if kind.is_fifo() {
        NodeKind::Fifo
    } else if kind.is_socket() {
        NodeKind::Socket
    } else {
        NodeKind::File
    };
    let mount = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok();
    let read_only = rustix::fs::statvfs(path)
        .is_ok_and(|filesystem| filesystem.f_flag.contains(StatVfsMountFlags::RDONLY));
    Ok(Node {
        kind,
        filesystem: device_number(found.dev()),
        inode: found.ino(),
        mount: mount
            .filter(|found| found.stx_mask & StatxFlags::MNT_ID.bits() != 0)
            .map(|found| found.stx_mnt_id),
        bytes: if matches!(kind, NodeKind::Block(_)) { 0 } else { found.len() },
        allocated_bytes: found.blocks().saturating_mul(512),
        read_only,
    })
}
