use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::str::FromStr;

use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, StatxFlags};

/// A device's number: what it is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// From `st_dev` or `st_rdev`.
    pub fn from_raw(raw: u64) -> DeviceNumber {
        DeviceNumber { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }

    /// Whether it stands for no device: file systems without one (tmpfs, overlay, btrfs, NFS) have major 0.
    pub fn is_anonymous(self) -> bool {
        self.major == 0
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl FromStr for DeviceNumber {
    type Err = ();

    fn from_str(text: &str) -> Result<DeviceNumber, ()> {
        let (major, minor) = text.trim().split_once(':').ok_or(())?;
        let parse = |part: &str| part.parse::<u32>().map_err(|_| ());
        Ok(DeviceNumber { major: parse(major)?, minor: parse(minor)? })
    }
}

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A block device.
    Block(DeviceNumber),
    /// A character device.
    Character(DeviceNumber),
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
}

/// What a path names, links followed: two paths with the same file system and inode are one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What kind of thing.
    pub kind: NodeKind,
    /// The file system that it is in, by its device's number.
    pub filesystem: DeviceNumber,
    /// Its number there.
    pub inode: u64,
    /// The mount that it was reached by, where the kernel tells (5.8 and later).
    pub mount: Option<u64>,
    /// Its length in bytes; 0 for a device.
    pub bytes: u64,
    /// What of it takes space, in bytes.
    pub allocated_bytes: u64,
    /// Whether its file system is mounted read-only.
    pub read_only: bool,
}

impl Node {
    /// Looks at a path.
    ///
    /// # Errors
    ///
    /// What `stat` says: nothing there, no permission.
    pub fn of(path: &Path) -> io::Result<Node> {
        let found = fs::metadata(path)?;
        let kind = found.file_type();
        let number = DeviceNumber::from_raw(found.rdev());
        let kind = if kind.is_dir() {
            NodeKind::Directory
        } else if kind.is_block_device() {
            NodeKind::Block(number)
        } else if kind.is_char_device() {
            NodeKind::Character(number)
        } else if kind.is_fifo() {
            NodeKind::Fifo
        } else if kind.is_socket() {
            NodeKind::Socket
        } else {
            NodeKind::File
        };
        let mount = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok();
        let read_only = rustix::fs::statvfs(path)
            .is_ok_and(|filesystem| filesystem.f_flag.contains(StatVfsMountFlags::RDONLY));
        Ok(Node {
            kind,
            filesystem: DeviceNumber::from_raw(found.dev()),
            inode: found.ino(),
            mount: mount
                .filter(|found| found.stx_mask & StatxFlags::MNT_ID.bits() != 0)
                .map(|found| found.stx_mnt_id),
            bytes: if matches!(kind, NodeKind::Block(_)) { 0 } else { found.len() },
            allocated_bytes: found.blocks().saturating_mul(512),
            read_only,
        })
    }

    /// The block device that it is.
    pub fn block(&self) -> Option<DeviceNumber> {
        match self.kind {
            NodeKind::Block(number) => Some(number),
            _ => None,
        }
    }

    /// Whether both are one thing: the same block device, whatever node it has, or the same inode.
    pub fn is_same(&self, other: &Node) -> bool {
        match (self.block(), other.block()) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.filesystem == other.filesystem && self.inode == other.inode,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_is_written() {
        let number = DeviceNumber { major: 259, minor: 1_048_575 };
        assert_eq!(number.to_string().parse(), Ok(number));
        for odd in ["", "8", "8:", ":1", "8:1:2", "-1:2", "99999999999:0"] {
            assert_eq!(odd.parse::<DeviceNumber>(), Err(()), "{odd}");
        }
    }

    #[test]
    fn a_file_is_itself_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let (file, hard, soft) =
            (folder.path().join("file"), folder.path().join("hard"), folder.path().join("soft"));
        fs::File::create(&file).unwrap();
        fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        let node = Node::of(&file).unwrap();
        assert_eq!(node.kind, NodeKind::File);
        assert!(node.is_same(&Node::of(&hard).unwrap()));
        assert!(node.is_same(&Node::of(&soft).unwrap()));
        assert!(!node.is_same(&Node::of(folder.path()).unwrap()));
        assert_eq!(Node::of(folder.path()).unwrap().kind, NodeKind::Directory);
    }

    #[test]
    fn the_null_device_is_a_character_device() {
        let node = Node::of(Path::new("/dev/null")).unwrap();
        assert_eq!(node.kind, NodeKind::Character(DeviceNumber { major: 1, minor: 3 }));
        assert_eq!(node.block(), None);
    }
}
