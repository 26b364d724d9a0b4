use iobound_units::Problem;
use std::fs::File;
use std::path::Path;

use iobound_machine::block::{self, Beneath, beneath, medium};
use iobound_machine::{Mounts, Node, World, guard};

/// Known facts about the machine around a target: passed in, so that preparation asks and does not look.
pub trait Guard {
    /// Checks that the entry at `path` may be overwritten by a consenting user, or that a file may be created there.
    /// `open` is the file or device to write; `None` if the name must not exist yet. Returns a line for each loss:
    /// `sdb1 (40 MiB): an ext4 file system, label "data"`.
    ///
    /// # Errors
    /// Returns an error for findings without consent: the target is mounted, a member of a volume, or in use by a
    /// process, or its name belongs to another file by now.
    fn check(&self, path: &Path, open: Option<&File>) -> Result<Vec<String>, Problem>;

    /// Device of a target or, if it does not exist yet, of its folder.
    fn backing(&self, path: &Path) -> Backing;
}

/// Layers beneath a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backing {
    /// Reason why it is memory and no disk, where it is: `zram0 is memory`.
    pub memory: Option<String>,
    /// True if the whole device has never been written, where it can tell.
    pub blank: Option<bool>,
    /// True if it is an emulated disk, which takes its time for what was never written as well.
    pub emulated: bool,
}

/// The present machine.
impl Guard for World {
    fn check(&self, path: &Path, open: Option<&File>) -> Result<Vec<String>, Problem> {
        let clearance = match guard::check(self, path, open) {
            Ok(clearance) => clearance,
            Err(guard::Refusal { found, help, .. }) => return Err(Problem { what: found, help }),
        };
        let is_same = match open {
            Some(file) => clearance.is(file).unwrap_or(false),
            None => clearance.node.is_none(),
        };
        if is_same {
            return Ok(clearance.contents.iter().map(ToString::to_string).collect());
        }
        Err(Problem::new("another file has replaced it")
            .help("find what writes to its directory, and run again"))
    }

    fn backing(&self, path: &Path) -> Backing {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let Ok(node) = Node::of(&path) else { return Backing::default() };
        let mounts = Mounts::of(self);
        match beneath(self, &path, &node) {
            Beneath::Memory { filesystem } => {
                Backing { memory: Some(format!("{filesystem} is memory")), ..Backing::default() }
            }
            Beneath::Unknown { .. } => {
                let emulated = node.block().is_none() && mounts.is_emulated(&path, &node);
                Backing { emulated, ..Backing::default() }
            }
            Beneath::Devices(devices) => {
                let media: Vec<_> = devices.iter().map(|device| medium(self, device)).collect();
                // A file system over several devices is memory where all of them are.
                let reasons: Option<Vec<String>> = media.iter().map(|medium| medium.memory.clone()).collect();
                let memory = reasons.filter(|reasons| !reasons.is_empty()).map(|reasons| reasons.join(", "));
                let blank = node.block().and(media.first()).and_then(|medium| medium.written);
                // The device itself: a file system on it knows what was never written, and does not ask the disk for it.
                let attached = node.block().and(devices.first()).and_then(|it| block::Backing::of(self, it));
                let emulated = attached.is_some_and(|attached| {
                    Node::of(&attached.path).is_ok_and(|node| mounts.is_emulated(&attached.path, &node))
                });
                Backing { memory, blank: blank.map(|written| !written), emulated }
            }
        }
    }
}
