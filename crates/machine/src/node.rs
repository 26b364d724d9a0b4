use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use crate::sys;
pub use crate::sys::device::{DeviceNumber, Node, NodeKind};

impl DeviceNumber {
    /// From `st_dev` or `st_rdev`.
    pub fn from_raw(raw: u64) -> DeviceNumber {
        sys::device_number(raw)
    }

    /// True if it stands for no device: file systems without one (tmpfs, overlay, btrfs, NFS) have major 0.
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

impl Node {
    /// Looks at a path.
    ///
    /// # Errors
    ///
    /// Returns the error of `stat`: the path does not exist, or permission is missing.
    pub fn of(path: &Path) -> io::Result<Node> {
        sys::node(path)
    }

    /// The block device that it is.
    pub fn block(&self) -> Option<DeviceNumber> {
        match self.kind {
            NodeKind::Block(number) => Some(number),
            _ => None,
        }
    }

    /// True if both are one thing: the same block device, whatever node it has, or the same inode.
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
    use std::fs;

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
        crate::fixture::symlink(&file, &soft).unwrap();
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
