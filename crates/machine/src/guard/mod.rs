//! What must never be written over, whoever consents: what is mounted, swapped to, built on, a member of something
//! larger, or in another's hands.
//!
//! A device is known by its number, so that links and other names make no difference, and all that shares its bytes is
//! looked at: its partitions, its disk, what is built on them. Reading needs none of this.

mod kin;
mod look;
mod processes;
mod refusal;
mod signatures;
mod uses;

pub use refusal::{Because, Refusal};
pub use signatures::{Meaning, Signature};

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::block::Device;
use crate::mounts::Mounts;
use crate::{DeviceNumber, Node, NodeKind, World};
use kin::{Kin, Relation, kin};
use look::{Kernel, Look};
use processes::Sought;
use refusal::Reason;
use uses::Uses;

/// That nothing stands against writing there but what the person may consent to.
///
/// Between the check and the opening the world may change: open a device with `O_EXCL`, and see that
/// [`Clearance::is`] the thing that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clearance {
    /// What is there; `None` where a new file would be made.
    pub node: Option<Node>,
    /// What would be lost: the device's name, and what was found on it.
    pub contents: Vec<(String, Signature)>,
    /// Processes whose open files this one may not see, so that one of them may be writing there: others', without
    /// root.
    pub hidden_processes: usize,
}

impl Clearance {
    /// Whether an open file or device is the one that was checked; a new file is not.
    ///
    /// # Errors
    ///
    /// What `fstat` says.
    pub fn is(&self, open: impl AsFd) -> io::Result<bool> {
        let found = rustix::fs::fstat(open)?;
        Ok(self.node.is_some_and(|node| match node.block() {
            Some(number) => number == DeviceNumber::from_raw(found.st_rdev),
            None => node.filesystem == DeviceNumber::from_raw(found.st_dev) && node.inode == found.st_ino,
        }))
    }
}

/// Checks that a path may be written to, by somebody who has consented to losing what is there.
///
/// # Errors
///
/// What was found that consent does not cover, and how to mend it.
pub fn check(world: &World, path: &Path) -> Result<Clearance, Refusal> {
    let guard = Guard { world, look: &Kernel, own: std::process::id() };
    guard.check(path)
}

struct Guard<'a> {
    world: &'a World,
    look: &'a dyn Look,
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
    fn check(&self, path: &Path) -> Result<Clearance, Refusal> {
        self.examine(path).map_err(|reason| reason.of(path.to_path_buf()))
    }

    fn examine(&self, path: &Path) -> Result<Clearance, Reason> {
        let node = match self.look.node(path) {
            Ok(node) => node,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.new_file(path),
            Err(error) => return Err(unexamined(path, &error)),
        };
        match node.kind {
            NodeKind::File => self.file(path, &node),
            NodeKind::Block(number) => self.device(path, &node, number),
            NodeKind::Directory => Err(Reason::new(
                Because::Directory,
                "it is a folder, and a file is needed",
                format!("name a file in it ({})", path.join("iobound.data").display()),
            )),
            NodeKind::Character(number) => Err(not_a_file(format!("a character device ({number})"))),
            NodeKind::Fifo => Err(not_a_file("a named pipe".to_string())),
            NodeKind::Socket => Err(not_a_file("a socket".to_string())),
        }
    }

    fn new_file(&self, path: &Path) -> Result<Clearance, Reason> {
        if std::fs::symlink_metadata(path).is_ok() {
            let found = "it is a link to something that is not there";
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

    /// That the file system takes writes, and is not the kernel's own.
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

    fn file(&self, path: &Path, node: &Node) -> Result<Clearance, Reason> {
        self.writable(path, node)?;
        let uses = Uses::of(self.world, self.look, &Mounts::of(self.world));
        let in_use = uses.of_file(node).or_else(|| uses::shown_by_loop(self.world, self.look, node));
        if let Some(reason) = in_use {
            return Err(reason);
        }
        let hidden_processes = self.nobody_writes(&Sought::File(node))?;
        Ok(Clearance { node: Some(*node), contents: Vec::new(), hidden_processes })
    }

    /// That no other process has it open for writing; how many can't be told of.
    fn nobody_writes(&self, sought: &Sought<'_>) -> Result<usize, Reason> {
        let seen = processes::look_for(self.world, self.look, self.own, sought);
        seen.writer.map_or(Ok(seen.hidden), Err)
    }

    fn device(&self, path: &Path, node: &Node, number: DeviceNumber) -> Result<Clearance, Reason> {
        let Some(device) = Device::find(self.world, number) else {
            let found = format!("/sys does not show device {number}, so that its users can't be told");
            return Err(Reason::new(Because::Unexamined, found, "run it where /sys is mounted"));
        };
        let kin = kin(self.world, self.look, &device);
        let uses = Uses::of(self.world, self.look, &Mounts::of(self.world));
        if let Some(reason) = kin.iter().find_map(|kin| uses.of_device(self.world, kin)) {
            return Err(reason);
        }
        self.below_is_free(&uses, &device)?;
        if device.is_read_only() {
            let found = format!("{} is read-only", device.name());
            return Err(Reason::new(Because::ReadOnly, found, "name another device (blockdev --getro)"));
        }
        let contents = self.contents(path, &kin)?;
        let numbers: Vec<DeviceNumber> = kin.iter().map(|kin| kin.device.number()).collect();
        let hidden_processes = self.nobody_writes(&Sought::Devices(&numbers))?;
        self.alone(path, &device)?;
        Ok(Clearance { node: Some(*node), contents, hidden_processes })
    }

    /// That the file which a loop device shows is in no other use: writing to the device writes to it.
    fn below_is_free(&self, uses: &Uses, device: &Device) -> Result<(), Reason> {
        let backing = self.look.backing(self.world, &device.whole());
        let node = backing.and_then(|backing| {
            let node = self.look.node(&self.world.path(&backing.path)).ok()?;
            backing.is(&node).then_some(node)
        });
        match node.and_then(|node| uses.of_file(&node)) {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// What is on a device, its partitions and its disk. A member is refused; an end that can't be read may be one.
    fn contents(&self, path: &Path, kin: &[Kin]) -> Result<Vec<(String, Signature)>, Reason> {
        let mut contents = Vec::new();
        for kin in kin {
            let device = &kin.device;
            // The device itself by the name that was given: it may have no other here.
            let itself = kin.relation == Relation::Itself;
            let node: PathBuf = if itself { path.to_path_buf() } else { device.node(self.world) };
            let ends = self.look.ends(&node, device.number()).map_err(|error| unexamined(&node, &error))?;
            if itself && device.bytes() == Some(0) {
                let found = format!("{} has no size: nothing is in it", device.name());
                return Err(Reason::new(Because::Unexamined, found, "attach or insert something first"));
            }
            for signature in signatures::found(&ends) {
                if signature.meaning == Meaning::Member {
                    return Err(Reason::new(
                        Because::Member,
                        format!("{} is {}", kin.name(), signature.what),
                        format!(
                            "take it out of there first; once it belongs to nothing, wipefs -a {} clears the mark",
                            node.display()
                        ),
                    ));
                }
                // What is on the disk of a partition is not lost with the partition.
                if kin.relation != Relation::Disk {
                    contents.push((device.name().to_string(), signature));
                }
            }
        }
        Ok(contents)
    }

    fn alone(&self, path: &Path, device: &Device) -> Result<(), Reason> {
        match self.look.exclusive(path, device.number()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Err(Reason::new(
                Because::Held,
                format!("something holds {} for itself, out of sight of this process", device.name()),
                "see who does (lsblk, fuser -v, the mounts of other containers), and end it first",
            )),
            Err(error) => Err(unexamined(path, &error)),
        }
    }
}

fn not_a_file(what: String) -> Reason {
    Reason::new(Because::NotAFile, format!("it is {what}"), "name a file or a block device")
}

fn unexamined(path: &Path, error: &io::Error) -> Reason {
    let mend = match error.kind() {
        io::ErrorKind::PermissionDenied => "run as root, or as a user who may read it",
        _ => "see that it is there and readable, or name another target",
    };
    let found = format!("what is on {} can't be told: {error}", path.display());
    Reason::new(Because::Unexamined, found, mend)
}

#[cfg(test)]
mod tests;
