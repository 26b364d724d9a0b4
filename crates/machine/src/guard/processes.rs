use std::fs;

use super::look::Look;
use super::refusal::{Because, Reason};
use crate::{DeviceNumber, Node, World};

/// `O_ACCMODE` of `fcntl.h`, the same everywhere: 0 is reading.
const ACCESS: u32 = 3;
/// `O_PATH` of x86, Arm and RISC-V: a descriptor that can't write, whatever its access mode.
const PATH_ONLY: u32 = 0o10_000_000;

/// What a process may not have open for writing while it is written over.
pub(super) enum Sought<'a> {
    File(&'a Node),
    Devices(&'a [DeviceNumber]),
}

impl Sought<'_> {
    fn is(&self, node: &Node) -> bool {
        match self {
            Sought::File(file) => file.is_same(node),
            Sought::Devices(numbers) => node.block().is_some_and(|number| numbers.contains(&number)),
        }
    }
}

/// What was seen of other processes.
pub(super) struct Seen {
    /// One that has it open for writing: a virtual machine's disk, a database on a raw device, another load. The kernel
    /// knows no owner of those.
    pub(super) writer: Option<Reason>,
    /// How many would not show what they have open: other users', without root.
    pub(super) hidden: usize,
}

/// Looks through all processes but `own`.
pub(super) fn look_for(world: &World, look: &dyn Look, own: u32, sought: &Sought<'_>) -> Seen {
    let mut hidden = 0;
    for process in world.processes().into_iter().filter(|process| *process != own) {
        if !look.shows(world, process) {
            // Threads of the kernel have no command line, and nothing open.
            let command = world.bytes(&format!("/proc/{process}/cmdline"));
            hidden += usize::from(command.is_none_or(|command| !command.is_empty()));
        } else if has_open(world, look, process, sought) {
            let name = world.text(&format!("/proc/{process}/comm")).unwrap_or_default();
            let found = format!("process {process} ({}) has it open for writing", name.trim());
            let mend = "end it first, or name another target";
            return Seen { writer: Some(Reason::new(Because::Process, found, mend)), hidden };
        }
    }
    Seen { writer: None, hidden }
}

fn has_open(world: &World, look: &dyn Look, process: u32, sought: &Sought<'_>) -> bool {
    world.names(&format!("/proc/{process}/fdinfo")).iter().any(|number| {
        let open = format!("/proc/{process}/fd/{number}");
        // Cheapest first, and only then a look that may go to the file's own file system.
        writes(world, process, number)
            && fs::read_link(world.path(&open)).is_ok_and(|link| link.is_absolute())
            && look.node(&world.path(&open)).is_ok_and(|node| sought.is(&node))
    })
}

fn writes(world: &World, process: u32, number: &str) -> bool {
    let info = world.text(&format!("/proc/{process}/fdinfo/{number}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0);
    flags & ACCESS != 0 && flags & PATH_ONLY == 0
}
