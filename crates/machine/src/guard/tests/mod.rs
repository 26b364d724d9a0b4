//! Each rule with a machine that it bars something on, and something beside it that it does not.

mod aliases;
mod in_use;
mod others;
mod volumes;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use super::signatures::{END, Ends};
use super::*;
use crate::block::Backing;
use crate::fixture::{Tree, number};
use crate::sys::storage::Storage;

/// A machine with a disk `sdb` of two partitions, and `sdc` beside it, with nothing on them and nobody using them.
struct Machine {
    tree: Tree,
    answers: Answers,
    sdb1: Device,
    sdb2: Device,
    sdc: Device,
}

#[derive(Default)]
struct Answers {
    nodes: BTreeMap<PathBuf, Node>,
    starts: BTreeMap<DeviceNumber, Vec<u8>>,
    unreadable: BTreeSet<DeviceNumber>,
    held: BTreeSet<DeviceNumber>,
    hidden: BTreeSet<u32>,
    written_by_others: bool,
}

impl Probe for Answers {
    fn node(&self, path: &Path) -> io::Result<Node> {
        let true_path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.nodes.get(&true_path).copied().map_or_else(|| Node::of(path), Ok)
    }

    fn ends(&self, _: &Path, number: DeviceNumber) -> io::Result<Ends> {
        if self.unreadable.contains(&number) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut head = self.starts.get(&number).cloned().unwrap_or_default();
        head.resize(END as usize, 0);
        Ok(Ends::new(64 << 20, head, vec![0; END as usize]))
    }

    fn ends_of_file(&self, path: &Path, node: &Node) -> io::Result<Ends> {
        KernelProbe(None).ends_of_file(path, node)
    }

    fn exclusive(&self, _: &Path, number: DeviceNumber) -> io::Result<()> {
        if self.held.contains(&number) { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) }
    }

    fn backing(&self, world: &World, device: &Device) -> Option<Backing> {
        let path = Backing::path_of(device)?;
        let node = self.node(&world.path(&path)).ok();
        Some(Backing::by_name(path, node))
    }

    fn is_written_by_others(&self, _: &Path) -> io::Result<bool> {
        Ok(self.written_by_others)
    }

    fn storage(&self) -> Option<&dyn Storage> {
        None
    }

    fn shows(&self, _: &World, process: u32) -> bool {
        !self.hidden.contains(&process)
    }
}

impl Machine {
    fn new() -> Machine {
        let tree = Tree::new();
        let (_, sdc) = (tree.disk("sdb", "8:16"), tree.disk("sdc", "8:32"));
        let (sdb1, sdb2) = (tree.partition("sdb", "sdb1", "8:17"), tree.partition("sdb", "sdb2", "8:18"));
        let mut machine = Machine { tree, answers: Answers::default(), sdb1, sdb2, sdc };
        for device in ["sdb 8:16", "sdb1 8:17", "sdb2 8:18", "sdc 8:32"] {
            let (name, number) = device.split_once(' ').unwrap();
            machine.node(&format!("/dev/{name}"), number);
        }
        machine
    }

    /// Puts a device's node at a path.
    fn node(&mut self, path: &str, device: &str) {
        let path = self.tree.file(path, "");
        let kind = NodeKind::Block(number(device));
        let node = Node { kind, ..Node::of(&path).unwrap() };
        self.answers.nodes.insert(std::fs::canonicalize(path).unwrap(), node);
    }

    fn other_kind(&mut self, path: &str, kind: NodeKind) {
        let path = self.tree.file(path, "");
        let node = Node { kind, ..Node::of(&path).unwrap() };
        self.answers.nodes.insert(std::fs::canonicalize(path).unwrap(), node);
    }

    /// Another device with its node.
    fn device(&mut self, name: &str, number: &str) -> Device {
        let device = self.tree.disk(name, number);
        self.node(&format!("/dev/{name}"), number);
        device
    }

    fn mount(&self, number: &str, point: &str, filesystem: &str, source: &str) {
        let line = format!("77 1 {number} / {point} rw,relatime - {filesystem} {source} rw\n");
        self.tree.file("/proc/self/mountinfo", &line);
    }

    /// An overlay at `/merged` of `/upper` on `/lower`.
    fn overlay(&self, process: &str) {
        let options = "rw,lowerdir=/lower,upperdir=/upper,workdir=/work";
        let line = format!("900077 1 0:77 / /merged rw - overlay overlay {options}\n");
        self.tree.file(&format!("/proc/{process}/mountinfo"), &line);
    }

    fn swap_to(&self, path: &str) {
        self.tree
            .file("/proc/swaps", &format!("Filename Type Size Used Priority\n{path} file 1048572 0 -2\n"));
    }

    fn start_with(&mut self, device: &str, offset: usize, magic: &[u8]) {
        let start = self.answers.starts.entry(number(device)).or_default();
        start.resize(start.len().max(offset + magic.len()), 0);
        start[offset..offset + magic.len()].copy_from_slice(magic);
    }

    fn process(&self, process: u32, name: &str, flags: &str, open: &str) {
        self.tree.file(&format!("/proc/{process}/comm"), &format!("{name}\n"));
        self.tree
            .file(&format!("/proc/{process}/fdinfo/5"), &format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t9\n"));
        self.tree.link(&format!("/proc/{process}/fd/5"), self.tree.path(open));
    }

    fn check(&self, path: &str) -> Result<Clearance, Refusal> {
        let world = self.tree.world();
        Guard { world: &world, look: &self.answers, own: 4_000 }
            .check(&self.tree.path(path), &self.tree.path(path))
    }

    fn refused(&self, path: &str) -> Refusal {
        self.check(path).expect_err("it is refused")
    }

    fn because(&self, path: &str) -> Because {
        self.refused(path).because
    }

    fn allowed(&self, path: &str) -> Clearance {
        self.check(path).unwrap_or_else(|refusal| panic!("{refusal}"))
    }
}
