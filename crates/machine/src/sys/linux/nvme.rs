use std::ffi::c_void;
use std::fs::File;
use std::io;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};

use crate::sys::device::{PAGE_BYTES, Page};

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
/// A device that has not answered by then is not harmed; its page is unknown.
const TIMEOUT_MS: u32 = 1_000;

/// The command that reads a page.
fn command(page: Page) -> Command {
    let (opcode, namespace, cdw10) = match page {
        Page::IdentifyController => (IDENTIFY, 0, 1),
        Page::IdentifyNamespace(namespace) => (IDENTIFY, namespace, 0),
        // The page's number, and above it the length in words of four bytes, less one.
        Page::EbsStatistics => (GET_LOG_PAGE, 1, 0xD0 | (((PAGE_BYTES / 4 - 1) as u32) << 16)),
    };
    Command { opcode, namespace, cdw10, timeout_ms: TIMEOUT_MS, ..Command::default() }
}

/// Reads a page of an open NVMe device.
///
/// # Errors
/// Returns an error without permission or if the device is not NVMe; `ErrorKind::Unsupported` if it has no such page.
pub(crate) fn admin_page(device: &File, page: Page) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0u8; PAGE_BYTES];
    let mut command = command(page);
    command.address = bytes.as_mut_ptr() as u64;
    command.data_length = PAGE_BYTES as u32;
    // SAFETY: the request takes a `struct nvme_passthru_cmd`, which `Command` is, field by field. The three commands that
    // `Page` makes only move data to the host, at most `data_length` bytes to `address`, which is the vector above; it
    // lives until after the call, and the kernel keeps no part of either once the call returns.
    let status = unsafe { ioctl(device, Admin(&mut command)) }?;
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

    #[test]
    fn the_structure_and_the_request_are_the_kernels() {
        assert_eq!(size_of::<Command>(), 72);
        // As amazon-ec2-utils has it: NVME_IOCTL_ADMIN_CMD = 0xC0484E41.
        assert_eq!(ADMIN, 0xC048_4E41);
    }

    #[test]
    fn pages_are_asked_for_by_number_and_length() {
        let command = super::command(Page::EbsStatistics);
        // 4,096 bytes are 1,024 words, counted from zero.
        assert_eq!((command.opcode, command.cdw10), (0x02, 0x03FF_00D0));
        let command = super::command(Page::IdentifyNamespace(3));
        assert_eq!((command.opcode, command.namespace, command.cdw10), (0x06, 3, 0));
        assert_eq!(super::command(Page::IdentifyController).cdw10, 1);
    }
}
