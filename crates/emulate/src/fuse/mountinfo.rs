//! The kernel's list of mounts: proc(5), `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The mounts on a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MountPoint {
    /// The kernel's number of it, minor part: a connection of FUSE is known by it.
    pub(super) minor: u32,
    pub(super) fstype: String,
    pub(super) source: String,
}

/// The mounts on a directory, whose path is absolute and free of links: the last one, which hides those before it.
pub(super) fn mount_at(path: &Path) -> io::Result<Option<MountPoint>> {
    Ok(find(&std::fs::read("/proc/self/mountinfo")?, path))
}

/// The mounts in a directory, itself included, the last first; its path is absolute and free of links.
pub(super) fn mounts_in(path: &Path) -> io::Result<Vec<(PathBuf, MountPoint)>> {
    let mountinfo = std::fs::read("/proc/self/mountinfo")?;
    let mounts = mountinfo.split(|byte| *byte == b'\n').filter_map(parse);
    let mut inside: Vec<_> = mounts.filter(|(at, _)| at.starts_with(path)).collect();
    inside.reverse();
    Ok(inside)
}

fn find(mountinfo: &[u8], path: &Path) -> Option<MountPoint> {
    let mut mounts = mountinfo.split(|byte| *byte == b'\n').filter_map(parse);
    mounts.rfind(|(at, _)| at == path).map(|(_, mount)| mount)
}

/// One line: the third field is the device, the fifth the directory; type and source are the first two after a field of one hyphen.
fn parse(line: &[u8]) -> Option<(PathBuf, MountPoint)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let device = std::str::from_utf8(fields.nth(2)?).ok()?;
    let minor = device.split_once(':')?.1.parse().ok()?;
    let at = PathBuf::from(OsString::from_vec(unescaped(fields.nth(1)?)));
    fields.find(|field| *field == b"-")?;
    let mut text = || fields.next().map(|field| String::from_utf8_lossy(&unescaped(field)).into_owned());
    let (fstype, source) = (text()?, text()?);
    Some((at, MountPoint { minor, fstype, source }))
}

/// The kernel writes spaces, tabs, line ends and backslashes as a backslash and three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let octal = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.filter(|_| *byte == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = &after[3..];
            }
            None => bytes.push(*byte),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line is an example of proc(5), shortened.
    const LINES: &str = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw\n\
                         40 35 0:30 / /a\\040b rw shared:2 master:3 - tmpfs none rw\n\
                         41 40 0:31 / /a\\040b rw,nosuid - fuse.iobound iobound rw,user_id=0\n";

    #[test]
    fn the_last_mount_on_a_directory_is_the_one_that_is_seen() {
        let found = |path: &str| find(LINES.as_bytes(), Path::new(path)).map(|m| (m.fstype, m.source));
        assert_eq!(found("/mnt2"), Some(("ext3".into(), "/dev/root".into())));
        assert_eq!(found("/a b"), Some(("fuse.iobound".into(), "iobound".into())));
        assert_eq!(found("/a"), None);
        assert_eq!(find(LINES.as_bytes(), Path::new("/a b")).map(|mount| mount.minor), Some(31));
    }

    #[test]
    fn what_is_no_line_of_it_is_passed_over() {
        for line in ["", "36 35", "36 35 98:0 / /x rw", "36 35 98:0 / /x rw - ext3", "\\04"] {
            assert_eq!(parse(line.as_bytes()), None, "{line:?}");
        }
        assert_eq!(unescaped(b"a\\0401\\9\\"), b"a 1\\9\\");
    }
}
