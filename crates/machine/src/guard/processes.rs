use std::fs;

use super::look::Probe;
use super::mappings;
use super::refusal::{Because, Reason};
use crate::{DeviceNumber, Node, World};

/// `O_ACCMODE` of `fcntl.h`, the same everywhere: 0 is reading.
const ACCESS: u32 = 3;
/// `O_PATH` of x86, Arm and RISC-V: a descriptor that can't write, whatever its access mode.
const PATH_ONLY: u32 = 0o10_000_000;

/// A file or devices that no other process may be writing to while they are overwritten.
#[derive(Default)]
pub(super) struct Sought {
    /// Files, and the nodes of devices.
    pub(super) nodes: Vec<Node>,
    /// Devices, whatever their nodes are called.
    pub(super) devices: Vec<DeviceNumber>,
}

impl Sought {
    pub(super) fn is(&self, node: &Node) -> bool {
        match node.block() {
            Some(number) => self.devices.contains(&number),
            None => self.nodes.iter().any(|sought| sought.is_same(node)),
        }
    }

    pub(super) fn has_inode(&self, filesystem: DeviceNumber, inode: u64) -> bool {
        self.nodes.iter().any(|node| node.filesystem == filesystem && node.inode == inode)
    }
}

/// Measurements of other processes.
pub(super) struct Seen {
    /// One that can write to it: a virtual machine's disk, a database on a raw device, another load. The kernel
    /// knows no owner of those.
    pub(super) writer: Option<Reason>,
    /// Number that would not show what they have open: other users', without root.
    pub(super) hidden: usize,
}

/// Looks through all processes but `own`.
pub(super) fn look_for(world: &World, look: &dyn Probe, own: u32, sought: &Sought) -> Seen {
    let mut hidden = 0;
    for process in world.processes().into_iter().filter(|process| *process != own) {
        if !look.shows(world, process) {
            // Threads of the kernel have no command line, and nothing open.
            let command = world.bytes(&format!("/proc/{process}/cmdline"));
            hidden += usize::from(command.is_none_or(|command| !command.is_empty()));
            continue;
        }
        let how = folders(world, process).into_iter().find_map(|folder| {
            if has_open(world, look, &folder, sought) {
                Some("has it open for writing")
            } else if mappings::can_write(world, look, &folder, sought) {
                Some("has mapped it for writing")
            } else {
                None
            }
        });
        if let Some(how) = how {
            let found = format!("{} {how}", name_of(world, process));
            let help = "end it first, or name another target";
            return Seen { writer: Some(Reason::new(Because::Process, found, help)), hidden };
        }
    }
    Seen { writer: None, hidden }
}

/// `process 812 (postgres)`.
pub(super) fn name_of(world: &World, process: u32) -> String {
    let name = world.text(&format!("/proc/{process}/comm")).unwrap_or_default();
    format!("process {process} ({})", name.trim())
}

/// Folders of `/proc` that show the open files of a process. If its first thread has ended, only the folders of the others show them.
fn folders(world: &World, process: u32) -> Vec<String> {
    let folder = format!("/proc/{process}");
    if !world.names(&format!("{folder}/fdinfo")).is_empty()
        || world.text(&format!("{folder}/maps")).is_some_and(|it| !it.is_empty())
    {
        return vec![folder];
    }
    let threads = world.names(&format!("{folder}/task"));
    threads.iter().map(|thread| format!("{folder}/task/{thread}")).collect()
}

fn has_open(world: &World, look: &dyn Probe, folder: &str, sought: &Sought) -> bool {
    world.names(&format!("{folder}/fdinfo")).iter().any(|number| {
        let open = format!("{folder}/fd/{number}");
        // Cheapest first, and only then a look that may go to the file's own file system.
        writes(world, folder, number)
            && fs::read_link(world.path(&open)).is_ok_and(|link| link.is_absolute())
            && look.node(&world.path(&open)).is_ok_and(|node| sought.is(&node))
    })
}

fn writes(world: &World, folder: &str, number: &str) -> bool {
    let info = world.text(&format!("{folder}/fdinfo/{number}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0);
    flags & ACCESS != 0 && flags & PATH_ONLY == 0
}
