use std::path::Path;

use super::look::Probe;
use super::processes::Sought;
use crate::{DeviceNumber, World};

/// True if a process has mapped it so that its writes to memory become writes to it: shared, and writable or free to
/// become so. The descriptor may be closed by then. `folder` is the process's own in `/proc`.
pub(super) fn can_write(world: &World, look: &dyn Probe, folder: &str, sought: &Sought) -> bool {
    let maps = world.text(&format!("{folder}/maps")).unwrap_or_default();
    maps.lines().filter_map(Mapping::parse).any(|mapping| {
        mapping.is(world, look, folder, sought) && (mapping.writes || may_write(world, folder, mapping.range))
    })
}

/// A shared mapping of a file, a line of `/proc/PID/maps`.
struct Mapping<'a> {
    /// `7f0c8a000000-7f0c8a001000`.
    range: &'a str,
    writes: bool,
    filesystem: DeviceNumber,
    inode: u64,
    path: &'a str,
}

impl Mapping<'_> {
    /// `7f0c8a000000-7f0c8a001000 rw-s 00000000 fe:00 1234   /data/file`; `None` for private ones.
    fn parse(line: &str) -> Option<Mapping<'_>> {
        let mut fields = line.splitn(6, ' ');
        let range = fields.next()?;
        let permissions = fields.next()?.as_bytes();
        let (major, minor) = fields.nth(1)?.split_once(':')?;
        let hex = |text| u32::from_str_radix(text, 16).ok();
        let filesystem = DeviceNumber { major: hex(major)?, minor: hex(minor)? };
        let inode = fields.next()?.parse().ok()?;
        let path = fields.next().unwrap_or_default().trim_start();
        let (writes, shared) = (permissions.get(1) == Some(&b'w'), permissions.get(3) == Some(&b's'));
        shared.then_some(Mapping { range, writes, filesystem, inode, path })
    }

    fn is(&self, world: &World, look: &dyn Probe, folder: &str, sought: &Sought) -> bool {
        // The kernel's own link leads to the file itself, whatever became of its name. Only root may follow it.
        let linked = look.node(&world.path(format!("{folder}/map_files/{}", self.range)));
        let node = linked.ok().or_else(|| {
            let path = Path::new(self.path);
            path.is_absolute().then(|| look.node(&world.path(path)).ok()).flatten()
        });
        node.is_some_and(|node| sought.is(&node)) || sought.has_inode(self.filesystem, self.inode)
    }
}

/// True if the kernel lets a mapping become writable: the flag `mw` of its `VmFlags` (proc_pid_smaps(5)).
fn may_write(world: &World, folder: &str, range: &str) -> bool {
    let smaps = world.text(&format!("{folder}/smaps")).unwrap_or_default();
    let of_range = smaps.lines().skip_while(|line| line.split(' ').next() != Some(range));
    let flags = of_range.into_iter().find_map(|line| line.strip_prefix("VmFlags:"));
    flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "mw"))
}
