use std::fs;
use std::io;

use crate::block::Device;
use crate::sys;
use crate::sys::device::PAGE_BYTES;
pub use crate::sys::device::Page;
use crate::{Node, World};

impl Page {
    /// Name of the file that stands for the page where a tree of files stands for the machine.
    fn file(self) -> &'static str {
        match self {
            Page::IdentifyController => "identify-controller",
            Page::IdentifyNamespace(_) => "identify-namespace",
            Page::EbsStatistics => "log-d0",
        }
    }
}

/// Reads a page of a device. Root's privilege is needed. Where a tree of files stands for the machine, the page is the
/// file beside the device's node: `/dev/nvme1n1.log-d0`.
///
/// # Errors
/// Returns an error without permission, or if there is no such page or the device is not NVMe.
pub fn read(world: &World, device: &Device, page: Page) -> io::Result<Vec<u8>> {
    let node = device.whole().node(world);
    if world.is_tree() {
        let mut name = node.into_os_string();
        name.push(format!(".{}", page.file()));
        let bytes = fs::read(name)?;
        return if bytes.len() == PAGE_BYTES { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) };
    }
    // The node may be another thing's by now.
    if Node::of(&node)?.block() != Some(device.whole().number()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    sys::admin_page(&sys::open_to_look(&node, false)?, page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn of_a_tree_of_files_a_page_is_the_file_beside_the_node() {
        let tree = Tree::new();
        let disk = tree.disk("nvme1n1", "259:1");
        let read = || read(&tree.world(), &disk, Page::EbsStatistics);
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::NotFound);
        tree.file("/dev/nvme1n1.log-d0", "short");
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::InvalidData);
        tree.file("/dev/nvme1n1.log-d0", &"x".repeat(PAGE_BYTES));
        assert_eq!(read().unwrap().len(), PAGE_BYTES);
    }
}
