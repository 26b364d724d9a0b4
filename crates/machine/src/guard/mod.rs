//! Targets that must never be overwritten, even with consent: mounted, swapped to, built on, a member of something
//! larger, or in another's hands.
//!
//! A device is known by its number, so that links and other names make no difference, and all that shares its bytes is
//! looked at: its partitions, its disk, what is built on them. Reading needs none of this.

mod content;
mod firmware;
mod kin;
mod locks;
mod look;
mod mappings;
mod processes;
mod refusal;
mod signatures;
mod spaces;
mod uses;
mod windows;

pub use content::Content;
pub use refusal::{Because, Refusal};
pub use signatures::{Meaning, Signature};

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use iobound_workload::shell_path;

use crate::block::{Backing, Device};
use crate::mounts::Mounts;
use crate::open::{Facts, Identity};
use crate::{DeviceNumber, Node, NodeKind, World, sys};
use kin::{Kin, Relation, kin};
use look::{KernelProbe, Probe};
use processes::Sought;
use refusal::Reason;
use spaces::Spaces;
use uses::Uses;

/// Check that nothing forbids writing there, except what the user may consent to.
///
/// Between the check and the opening the world may change: open a device with `O_EXCL`, and see that
/// [`Clearance::is`] the thing that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clearance {
    /// Existing file or device; `None` where a new file would be made.
    pub node: Option<Node>,
    /// File systems and the like that would be lost.
    pub contents: Vec<Content>,
    /// Processes whose open files this one may not see, so that one of them may be writing there: others', without
    /// root.
    pub hidden_processes: usize,
}

impl Clearance {
    /// True if an open file or device is the one that was checked; a new file is not.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn is(&self, open: &File) -> io::Result<bool> {
        let found = Facts::of(open)?;
        Ok(self.node.is_some_and(|node| match (node.block(), found.identity) {
            (Some(number), Identity::Device(raw)) => number == DeviceNumber::from_raw(raw),
            (None, Identity::File { filesystem, inode }) => {
                node.filesystem == DeviceNumber::from_raw(filesystem) && node.inode == inode
            }
            _ => false,
        }))
    }
}

/// Checks that a path may be overwritten, for a user who consents to losing its content. `open` is that file if it is
/// already open: its content is then read through that descriptor.
///
/// # Errors
///
/// Returns the findings that consent does not cover, and the fix of each.
pub fn check(world: &World, path: &Path, open: Option<&File>) -> Result<Clearance, Refusal> {
    let guard = Guard { world, look: &KernelProbe(open), own: std::process::id() };
    guard.check(path, path)
}

/// The same for a file or device that is open already: what is checked is what is open, wherever its name leads by now.
/// `path` is the name for the person.
///
/// The descriptor must not be one that has the device for itself (`O_EXCL`): the check asks for that once more.
///
/// # Errors
///
/// As [`check`].
pub fn check_open(world: &World, path: &Path, open: &File) -> Result<Clearance, Refusal> {
    let guard = Guard { world, look: &KernelProbe(Some(open)), own: std::process::id() };
    guard.check(&sys::path_of_open(open), path)
}

struct Guard<'a> {
    world: &'a World,
    look: &'a dyn Probe,
    own: u32,
}

/// File systems whose files are switches and views of the kernel.
const KERNELS: [&str; 17] = [
    "proc",
    "sysfs",
    "debugfs",
    "tracefs",
    "securityfs",
    "configfs",
    "efivarfs",
    "pstore",
    "cgroup",
    "cgroup2",
    "bpf",
    "devpts",
    "mqueue",
    "binfmt_misc",
    "fusectl",
    "selinuxfs",
    "nsfs",
];

impl Guard<'_> {
    /// Checks what `path` leads to; `shown` is its name for the person.
    fn check(&self, path: &Path, shown: &Path) -> Result<Clearance, Refusal> {
        self.examine(path, shown).map_err(|reason| reason.of(shown.to_path_buf()))
    }

    fn examine(&self, path: &Path, shown: &Path) -> Result<Clearance, Reason> {
        let node = match self.look.node(path) {
            Ok(node) => node,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.new_file(path),
            Err(error) => return Err(unexamined(shown, &error)),
        };
        match node.kind {
            NodeKind::File => self.file(path, shown, &node),
            NodeKind::Block(number) => self.device(path, shown, &node, number),
            NodeKind::Directory => Err(Reason::new(
                Because::Directory,
                "it is a folder: name a file",
                format!("name a file in it ({})", shown.join("iobound.data").display()),
            )),
            NodeKind::Character(number) => Err(not_a_file(format!("a character device ({number})"))),
            NodeKind::Fifo => Err(not_a_file("a named pipe".to_string())),
            NodeKind::Socket => Err(not_a_file("a socket".to_string())),
        }
    }

    fn new_file(&self, path: &Path) -> Result<Clearance, Reason> {
        if std::fs::symlink_metadata(path).is_ok() {
            let found = "it is a symbolic link to a missing file";
            return Err(Reason::new(Because::Missing, found, "remove the link, or name its target"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let node = self.look.node(folder).ok().filter(|node| node.kind == NodeKind::Directory);
        let Some(node) = node else {
            let found = format!("there is no folder {}", folder.display());
            return Err(Reason::new(Because::Missing, found, "make it first, or name another path"));
        };
        self.writable(folder, &node)?;
        Ok(Clearance { node: None, contents: Vec::new(), hidden_processes: 0 })
    }

    /// Check that the file system takes writes, and is not the kernel's own.
    fn writable(&self, path: &Path, node: &Node) -> Result<(), Reason> {
        let mounts = Mounts::of(self.world);
        let true_path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if let Some(mount) = mounts.holding(&true_path, node)
            && KERNELS.contains(&mount.filesystem.as_str())
        {
            let found =
                format!("it belongs to the kernel ({} at {})", mount.filesystem, mount.point.display());
            return Err(Reason::new(Because::Kernel, found, "name a file on a disk"));
        }
        if node.read_only {
            let found = "its file system is mounted read-only";
            return Err(Reason::new(Because::ReadOnly, found, "mount it for writing, or name another path"));
        }
        Ok(())
    }

    fn file(&self, path: &Path, shown: &Path, node: &Node) -> Result<Clearance, Reason> {
        self.writable(path, node)?;
        let spaces = Spaces::of(self.world);
        let uses = Uses::of(self.world, self.look, &spaces);
        let (nodes, unseen) = spaces.faces(self.world, self.look, path, node);
        let in_use = nodes
            .iter()
            .find_map(|node| uses.of_file(node))
            .or_else(|| uses::shown_by_loop(self.world, self.look, &nodes, &unseen));
        if let Some(reason) = in_use {
            return Err(reason);
        }
        let contents = self.contents_of_file(path, shown, node, &uses)?;
        let hidden_processes = self.nobody_writes(&spaces, &Sought { nodes, devices: Vec::new() })?;
        if self.look.is_written_by_others(path).map_err(|error| unexamined(shown, &error))? {
            let found = "another program has it open for writing";
            return Err(Reason::new(Because::Process, found, "end it first, or name another target"));
        }
        Ok(Clearance { node: Some(*node), contents, hidden_processes })
    }

    /// Content of a file that is an image of a disk. Only ZFS uses a file as a member without a device for it.
    fn contents_of_file(
        &self,
        path: &Path,
        shown: &Path,
        node: &Node,
        uses: &Uses,
    ) -> Result<Vec<Content>, Reason> {
        let ends = self.look.ends_of_file(path, node).map_err(|error| unexamined(shown, &error))?;
        let found = signatures::found(&ends);
        if found.iter().any(|signature| signature.what == signatures::ZFS_MEMBER) {
            let found = format!("it is {}", signatures::ZFS_MEMBER);
            let help = "take it out of the pool first (zpool labelclear), or name another file";
            return Err(Reason::new(Because::Member, found, help));
        }
        if found.iter().any(|signature| signature.what == signatures::EROFS)
            && let Some(reason) = uses.of_renamed_image()
        {
            return Err(reason);
        }
        let name = shown.display().to_string();
        let content = |signature| Content::of(name.clone(), Some(node.bytes), &ends, signature);
        Ok(found.into_iter().map(content).collect())
    }

    /// Check that no other process has it open for writing or has locked it; the number of processes that cannot be checked.
    fn nobody_writes(&self, spaces: &Spaces, sought: &Sought) -> Result<usize, Reason> {
        let seen = processes::look_for(self.world, self.look, self.own, sought);
        let busy = seen.writer.or_else(|| locks::held(self.world, spaces, self.own, sought));
        busy.map_or(Ok(seen.hidden), Err)
    }

    fn device(
        &self,
        path: &Path,
        shown: &Path,
        node: &Node,
        number: DeviceNumber,
    ) -> Result<Clearance, Reason> {
        if let Some(storage) = self.look.storage() {
            // The minor number is the disk's. Windows does not show which processes have it open.
            let contents = windows::check(storage, number.minor)?;
            return Ok(Clearance { node: Some(*node), contents, hidden_processes: 0 });
        }
        let Some(device) = Device::find(self.world, number) else {
            let found = format!("/sys does not show device {number}, so its users cannot be determined");
            return Err(Reason::new(Because::Unexamined, found, "run it where /sys is mounted"));
        };
        let spaces = Spaces::of(self.world);
        let same_file =
            |one: &Backing, other: &Backing| self.faces_of(&spaces, one).0.iter().any(|face| other.is(face));
        let kin = kin(self.world, self.look, &same_file, &device);
        let uses = Uses::of(self.world, self.look, &spaces);
        if let Some(reason) = kin.iter().find_map(|kin| uses.of_device(self.world, kin)) {
            return Err(reason);
        }
        // Writing to a loop device writes to the file that it shows.
        let below = kin.iter().filter(|kin| kin.relation.is_below()).filter_map(|kin| {
            let backing = self.look.backing(self.world, &kin.device.whole())?;
            Some(self.faces_of(&spaces, &backing).0)
        });
        let mut nodes: Vec<Node> = below.flatten().collect();
        if let Some(reason) = nodes.iter().find_map(|node| uses.of_file(node)) {
            return Err(reason);
        }
        if device.is_read_only() {
            let found = format!("{} is read-only", device.name());
            return Err(Reason::new(Because::ReadOnly, found, "name another device (blockdev --getro)"));
        }
        let contents = self.contents(path, &kin)?;
        let devices: Vec<DeviceNumber> = kin.iter().map(|kin| kin.device.number()).collect();
        nodes.push(*node);
        nodes.extend(kin.iter().filter_map(|kin| self.look.node(&kin.device.node(self.world)).ok()));
        let hidden_processes = self.nobody_writes(&spaces, &Sought { nodes, devices })?;
        self.alone(path, shown, &device)?;
        for other in kin.iter().filter(|kin| kin.relation == Relation::Overlap && kin.device.is_partition()) {
            let node = other.device.node(self.world);
            self.alone(&node, &node, &other.device)?;
        }
        Ok(Clearance { node: Some(*node), contents, hidden_processes })
    }

    /// All faces of the file that a loop device shows.
    fn faces_of(&self, spaces: &Spaces, backing: &Backing) -> (Vec<Node>, Vec<PathBuf>) {
        let path = self.world.path(&backing.path);
        // The name may be another file's by now.
        let node = self.look.node(&path).ok().filter(|node| node.kind == NodeKind::File && backing.is(node));
        node.map(|node| spaces.faces(self.world, self.look, &path, &node)).unwrap_or_default()
    }

    /// Content of a device, its partitions and its disk. A member is refused; an end that can't be read may be one.
    fn contents(&self, path: &Path, kin: &[Kin]) -> Result<Vec<Content>, Reason> {
        let mut contents = Vec::new();
        for kin in kin {
            let device = &kin.device;
            // The device itself by the name that was given: it may have no other here.
            let itself = kin.relation == Relation::Itself;
            let node = device.node(self.world);
            let read: &Path = if itself { path } else { &node };
            let ends = self.look.ends(read, device.number()).map_err(|error| unexamined(&node, &error))?;
            if itself && device.bytes() == Some(0) {
                let found = format!("{} has no size: it has no medium", device.name());
                return Err(Reason::new(Because::Unexamined, found, "attach or insert a medium first"));
            }
            for signature in signatures::found(&ends) {
                if signature.meaning == Meaning::Member {
                    return Err(Reason::new(
                        Because::Member,
                        format!("{} is {}", kin.name(), signature.what),
                        format!(
                            "remove it from there first; then wipefs -a {} clears the signature",
                            shell_path(&node)
                        ),
                    ));
                }
                // The content of the disk outside a partition is not lost with the partition.
                if kin.relation != Relation::Disk {
                    contents.push(Content::of(device.name().to_string(), device.bytes(), &ends, signature));
                }
            }
        }
        Ok(contents)
    }

    fn alone(&self, path: &Path, shown: &Path, device: &Device) -> Result<(), Reason> {
        match self.look.exclusive(path, device.number()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Err(Reason::new(
                Because::Held,
                format!("a process that is not visible here holds {} exclusively", device.name()),
                "find it (lsblk, fuser -v, the mounts of other containers), and end it first",
            )),
            Err(error) => Err(unexamined(shown, &error)),
        }
    }
}

fn not_a_file(what: String) -> Reason {
    Reason::new(Because::NotAFile, format!("it is {what}"), "name a file or a block device")
}

fn unexamined(path: &Path, error: &io::Error) -> Reason {
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied if cfg!(windows) => "run in an elevated prompt",
        io::ErrorKind::PermissionDenied => "run as root, or as a user who can read it",
        _ => "check that it exists and is readable, or name another target",
    };
    let found = format!("cannot determine the content of {}: {error}", path.display());
    Reason::new(Because::Unexamined, found, help)
}

#[cfg(test)]
mod tests;
