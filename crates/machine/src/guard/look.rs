use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::signatures::{END, Ends};
use crate::block::{Backing, Device, Geometry};
use crate::{DeviceNumber, Node, World};

/// What the guard asks of the kernel that no tree of files can answer: tests answer in its place.
pub(super) trait Look {
    /// What a path names.
    fn node(&self, path: &Path) -> io::Result<Node>;

    /// The first and last bytes of a device.
    fn ends(&self, node: &Path, number: DeviceNumber) -> io::Result<Ends>;

    /// Whether a device could be had for oneself alone: `ResourceBusy` where somebody else has it.
    fn exclusive(&self, node: &Path, number: DeviceNumber) -> io::Result<()>;

    /// What a loop device shows.
    fn backing(&self, world: &World, device: &Device) -> Option<Backing>;

    /// Whether a process lets this one see what it has open.
    fn shows(&self, world: &World, process: u32) -> bool;
}

/// The kernel of this machine.
pub(super) struct Kernel;

impl Look for Kernel {
    fn node(&self, path: &Path) -> io::Result<Node> {
        Node::of(path)
    }

    fn ends(&self, node: &Path, number: DeviceNumber) -> io::Result<Ends> {
        let device = open(node, number, OFlags::empty())?;
        let bytes = Geometry::of(&device)?.bytes;
        let mut head = vec![0; usize::try_from(bytes.min(END)).unwrap_or_default()];
        let mut tail = head.clone();
        device.read_exact_at(&mut head, 0)?;
        device.read_exact_at(&mut tail, bytes - bytes.min(END))?;
        Ok(Ends::new(bytes, head, tail))
    }

    fn exclusive(&self, node: &Path, number: DeviceNumber) -> io::Result<()> {
        // On a block device O_EXCL without O_CREAT asks to be its only user of that kind (open(2)): mounts, swap,
        // arrays and volumes ask the same, of a partition also on behalf of its disk.
        open(node, number, OFlags::EXCL).map(drop)
    }

    fn backing(&self, world: &World, device: &Device) -> Option<Backing> {
        Backing::of(world, device)
    }

    fn shows(&self, world: &World, process: u32) -> bool {
        let open = std::fs::read_dir(world.path(format!("/proc/{process}/fd")));
        !open.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }
}

/// Opens a device for reading, and sees that it is the one that was meant: names in `/dev` move.
fn open(node: &Path, number: DeviceNumber, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
    // Looked at before it is opened, since opening alone can do something to what is no disk.
    let wrong =
        || io::Error::new(io::ErrorKind::NotFound, format!("{} is not device {number}", node.display()));
    if Node::of(node)?.block() != Some(number) {
        return Err(wrong());
    }
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(node)?;
    let opened = rustix::fs::fstat(&file)?;
    if DeviceNumber::from_raw(opened.st_rdev) != number {
        return Err(wrong());
    }
    Ok(file)
}
