use std::fs::File;
use std::io;
use std::path::Path;

use super::signatures::{END, Ends};
use crate::block::{Backing, Device, Geometry};
use crate::open::{Facts, Identity};
use crate::sys::storage::Storage;
use crate::{DeviceNumber, Node, World, sys};

/// Bytes of a file to read: enough for every file system, and for the first label of ZFS. A file may lie on a slow disk.
const HEAD_OF_FILE: u64 = 256 << 10;

/// Questions of the guard to the kernel that no tree of files can answer: tests answer in its place.
pub(super) trait Probe {
    /// Target of a path.
    fn node(&self, path: &Path) -> io::Result<Node>;

    /// The first and last bytes of a device.
    fn ends(&self, node: &Path, number: DeviceNumber) -> io::Result<Ends>;

    /// The first bytes of a file.
    fn ends_of_file(&self, path: &Path, node: &Node) -> io::Result<Ends>;

    /// True if this process could open the device exclusively: `ResourceBusy` if another process has it.
    fn exclusive(&self, node: &Path, number: DeviceNumber) -> io::Result<()>;

    /// Backing of a loop device.
    fn backing(&self, world: &World, device: &Device) -> Option<Backing>;

    /// True if another handle of a file that is open can write to it, where the system shows no process's files.
    fn is_written_by_others(&self, path: &Path) -> io::Result<bool>;

    /// Windows' answers about its disks; `None` on other systems.
    fn storage(&self) -> Option<&dyn Storage>;

    /// True if a process lets this one see what it has open.
    fn shows(&self, world: &World, process: u32) -> bool;
}

/// The kernel of this machine, and the file that is asked about where it is open already: it is not opened once more, since
/// its watch would take that for another process.
pub(super) struct KernelProbe<'a>(pub(super) Option<&'a File>);

impl Probe for KernelProbe<'_> {
    fn node(&self, path: &Path) -> io::Result<Node> {
        Node::of(path)
    }

    fn ends(&self, node: &Path, number: DeviceNumber) -> io::Result<Ends> {
        let device = open(node, number, false)?;
        let bytes = Geometry::of(&device)?.bytes;
        let mut head = vec![0; usize::try_from(bytes.min(END)).unwrap_or_default()];
        let mut tail = head.clone();
        sys::files::read_exact_at(&device, &mut head, 0)?;
        sys::files::read_exact_at(&device, &mut tail, bytes - bytes.min(END))?;
        Ok(Ends::new(bytes, head, tail))
    }

    fn ends_of_file(&self, path: &Path, node: &Node) -> io::Result<Ends> {
        let opened;
        let file = match self.0 {
            Some(open) => open,
            None => {
                opened = sys::open_to_look(path, false)?;
                &opened
            }
        };
        let found = Facts::of(file)?;
        let is_same = matches!(found.identity, Identity::File { filesystem, inode }
            if DeviceNumber::from_raw(filesystem) == node.filesystem && inode == node.inode);
        if !is_same {
            let changed = format!("another file has replaced {}", path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, changed));
        }
        let mut head = vec![0; usize::try_from(found.size.min(HEAD_OF_FILE)).unwrap_or_default()];
        sys::files::read_exact_at(file, &mut head, 0)?;
        Ok(Ends::new(found.size, head, Vec::new()))
    }

    fn exclusive(&self, node: &Path, number: DeviceNumber) -> io::Result<()> {
        open(node, number, true).map(drop)
    }

    fn backing(&self, world: &World, device: &Device) -> Option<Backing> {
        Backing::of(world, device)
    }

    fn is_written_by_others(&self, path: &Path) -> io::Result<bool> {
        sys::is_written_by_others(path)
    }

    fn storage(&self) -> Option<&dyn Storage> {
        sys::windows_storage()
    }

    fn shows(&self, world: &World, process: u32) -> bool {
        let open = std::fs::read_dir(world.path(format!("/proc/{process}/fd")));
        !open.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }
}

/// Opens a device for reading, and sees that it is the one that was meant: names in `/dev` move.
fn open(node: &Path, number: DeviceNumber, exclusive: bool) -> io::Result<File> {
    // The entry is inspected before it is opened, because opening alone can change something other than a disk.
    let wrong =
        || io::Error::new(io::ErrorKind::NotFound, format!("{} is not device {number}", node.display()));
    if Node::of(node)?.block() != Some(number) {
        return Err(wrong());
    }
    let file = sys::open_to_look(node, exclusive)?;
    match Facts::of(&file)?.identity {
        Identity::Device(raw) if DeviceNumber::from_raw(raw) == number => Ok(file),
        _ => Err(wrong()),
    }
}
