use std::ffi::c_void;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};

use crate::block::Device;
use crate::{Node, World};

/// A page of 4 KiB that a device has about itself. Reading one changes nothing and does no I/O on its media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The controller's own (NVM Express Base Specification, Identify, CNS 01h).
    IdentifyController,
    /// A namespace's (CNS 00h).
    IdentifyNamespace(u32),
    /// The statistics of an EBS volume (amazonlinux/amazon-ec2-utils, `ebsnvme`).
    EbsStatistics,
}

const LENGTH: usize = 4096;

/// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// `NVME_IOCTL_ADMIN_CMD`: `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const ADMIN: Opcode = opcode::read_write::<Command>(b'N', 0x41);
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
/// A device that has not answered by then is no worse off, and its page is unknown.
const TIMEOUT_MS: u32 = 1_000;

impl Page {
    fn command(self) -> Command {
        let (opcode, namespace, cdw10) = match self {
            Page::IdentifyController => (IDENTIFY, 0, 1),
            Page::IdentifyNamespace(namespace) => (IDENTIFY, namespace, 0),
            // The page's number, and above it the length in words of four bytes, less one.
            Page::EbsStatistics => (GET_LOG_PAGE, 1, 0xD0 | (((LENGTH / 4 - 1) as u32) << 16)),
        };
        Command { opcode, namespace, cdw10, timeout_ms: TIMEOUT_MS, ..Command::default() }
    }

    /// What the file is called that stands for the page where a tree of files stands for the machine.
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
/// No permission, no such page, no NVMe device.
pub fn read(world: &World, device: &Device, page: Page) -> io::Result<Vec<u8>> {
    let node = device.whole().node(world);
    if world.is_tree() {
        let mut name = node.into_os_string();
        name.push(format!(".{}", page.file()));
        let bytes = fs::read(name)?;
        return if bytes.len() == LENGTH { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) };
    }
    // The node may be another thing's by now.
    if Node::of(&node)?.block() != Some(device.whole().number()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
    let open = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&node)?;
    let mut bytes = vec![0u8; LENGTH];
    let mut command = page.command();
    command.address = bytes.as_mut_ptr() as u64;
    command.data_length = LENGTH as u32;
    // SAFETY: the request takes a `struct nvme_passthru_cmd`, which `Command` is, field by field. The three commands that
    // `Page` makes only move data to the host, at most `data_length` bytes to `address`, which is the vector above; it
    // lives until after the call, and the kernel keeps no part of either once the call returns.
    let status = unsafe { ioctl(&open, Admin(&mut command)) }?;
    // Above zero it is the device's own status: it has no such page.
    if status == 0 { Ok(bytes) } else { Err(io::ErrorKind::Unsupported.into()) }
}

struct Admin<'a>(&'a mut Command);

// SAFETY: the opcode is that of the kernel's admin command, whose argument is a pointer to the structure that is borrowed,
// mutably, for as long as the call takes; the output is the call's own, an integer.
unsafe impl Ioctl for Admin<'_> {
    type Output = IoctlOutput;

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        ADMIN
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self.0).cast()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut c_void) -> rustix::io::Result<IoctlOutput> {
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn the_structure_and_the_request_are_the_kernels() {
        assert_eq!(size_of::<Command>(), 72);
        // As amazon-ec2-utils has it: NVME_IOCTL_ADMIN_CMD = 0xC0484E41.
        assert_eq!(ADMIN, 0xC048_4E41);
    }

    #[test]
    fn pages_are_asked_for_by_number_and_length() {
        let command = Page::EbsStatistics.command();
        // 4,096 bytes are 1,024 words, counted from zero.
        assert_eq!((command.opcode, command.cdw10), (0x02, 0x03FF_00D0));
        let command = Page::IdentifyNamespace(3).command();
        assert_eq!((command.opcode, command.namespace, command.cdw10), (0x06, 3, 0));
        assert_eq!(Page::IdentifyController.command().cdw10, 1);
    }

    #[test]
    fn of_a_tree_of_files_a_page_is_the_file_beside_the_node() {
        let tree = Tree::new();
        let disk = tree.disk("nvme1n1", "259:1");
        let read = || read(&tree.world(), &disk, Page::EbsStatistics);
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::NotFound);
        tree.file("/dev/nvme1n1.log-d0", "short");
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::InvalidData);
        tree.file("/dev/nvme1n1.log-d0", &"x".repeat(LENGTH));
        assert_eq!(read().unwrap().len(), LENGTH);
    }
}
