use super::processes::{Sought, name_of};
use super::refusal::{Because, Reason};
use super::spaces::Spaces;
use crate::{DeviceNumber, World};

/// A line of `/proc/locks` (proc_locks(5)).
#[derive(Debug, PartialEq, Eq)]
struct Lock {
    /// `POSIX`, `FLOCK`, `OFDLCK`, `LEASE`, `DELEG`.
    kind: String,
    writes: bool,
    /// The process that took it; `None` for locks of an open file description, which belong to no process.
    process: Option<u32>,
    filesystem: DeviceNumber,
    inode: u64,
}

impl Lock {
    /// `1: POSIX  ADVISORY  WRITE 812 fe:00:1234 0 EOF`; a process that waits for a lock has `->` after the number.
    fn parse(line: &str) -> Option<Lock> {
        let mut fields = line.split_whitespace().skip(1).filter(|field| *field != "->");
        let kind = fields.next()?.to_string();
        let access = fields.nth(1)?;
        let process = fields.next()?;
        let mut place = fields.next()?.split(':');
        let hex = |text: Option<&str>| u32::from_str_radix(text?, 16).ok();
        let filesystem = DeviceNumber { major: hex(place.next())?, minor: hex(place.next())? };
        let inode = place.next()?.parse().ok()?;
        Some(Lock { kind, writes: access == "WRITE", process: process.parse().ok(), filesystem, inode })
    }
}

/// A lock that another process has on a file, or an exclusive one on a device. Shared locks of devices are udev's,
/// which takes one for each look.
pub(super) fn held(world: &World, spaces: &Spaces, own: u32, sought: &Sought) -> Option<Reason> {
    let text = world.text("/proc/locks")?;
    let locks = text.lines().filter_map(Lock::parse).filter(|lock| lock.process != Some(own));
    let is_on = |lock: &Lock| {
        let is = |node: &crate::Node| {
            let same_place = spaces.superblock(node) == lock.filesystem || node.filesystem == lock.filesystem;
            node.inode == lock.inode && same_place && (lock.writes || node.block().is_none())
        };
        sought.nodes.iter().any(is)
    };
    let lock = locks.into_iter().find(is_on)?;
    let kind = match lock.kind.as_str() {
        "POSIX" => "POSIX lock",
        "OFDLCK" => "open file description lock",
        "FLOCK" => "flock",
        _ => "lease",
    };
    let access = if lock.writes { "an exclusive" } else { "a shared" };
    let holder = lock.process.map_or_else(|| "a process".to_string(), |process| name_of(world, process));
    let found = format!("{holder} has {access} lock on it ({kind})");
    Some(Reason::new(Because::Locked, found, "stop what uses it (see lslocks), or name another target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_lock_is_read() {
        let lock = |kind: &str, writes, process, filesystem, inode| {
            Some(Lock { kind: kind.to_string(), writes, process, filesystem, inode })
        };
        let disk = DeviceNumber { major: 254, minor: 0 };
        assert_eq!(
            Lock::parse("1: POSIX  ADVISORY  WRITE 812 fe:00:1234 1073741825 1073742335"),
            lock("POSIX", true, Some(812), disk, 1234)
        );
        assert_eq!(
            Lock::parse("2: OFDLCK ADVISORY  READ  -1 00:1f:77 0 EOF"),
            lock("OFDLCK", false, None, DeviceNumber { major: 0, minor: 31 }, 77)
        );
        assert_eq!(
            Lock::parse("3: -> FLOCK  ADVISORY  WRITE 9 fe:00:5 0 EOF"),
            lock("FLOCK", true, Some(9), disk, 5)
        );
        assert_eq!(
            Lock::parse("4: LEASE  ACTIVE    READ  7 fe:00:5 0 EOF"),
            lock("LEASE", false, Some(7), disk, 5)
        );
        for odd in ["", "1:", "1: POSIX ADVISORY WRITE 812 <none>:0 0 EOF", "x y z"] {
            assert_eq!(Lock::parse(odd), None, "{odd}");
        }
    }
}
