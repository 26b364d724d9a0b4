use std::io;
use std::os::fd::AsFd;

use rustix::fs::{ioctl_blkpbszget, ioctl_blksszget};
use rustix::ioctl::{Getter, Opcode, ioctl, opcode};

/// `BLKGETSIZE64` of `linux/fs.h`: `_IOR(0x12, 114, size_t)`, which fills 64 bits whatever `size_t` is.
const BLKGETSIZE64: Opcode = opcode::read::<usize>(0x12, 114);

/// What an open block device says of itself, where `/sys` may be out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Its size in bytes.
    pub bytes: u64,
    /// The smallest I/O that it takes, in bytes.
    pub logical_sector: u32,
    /// The smallest I/O that it writes without reading, in bytes.
    pub physical_sector: u32,
}

impl Geometry {
    /// Asks an open block device.
    ///
    /// # Errors
    ///
    /// `ENOTTY` where it is none.
    pub fn of(device: impl AsFd) -> io::Result<Geometry> {
        // SAFETY: the request is the kernel's for a block device's size, and it writes a u64 and nothing else.
        let size = unsafe { Getter::<BLKGETSIZE64, u64>::new() };
        // SAFETY: the getter above fits its request; the descriptor is open while it is borrowed.
        let bytes = unsafe { ioctl(&device, size) }?;
        Ok(Geometry {
            bytes,
            logical_sector: ioctl_blksszget(&device)?,
            physical_sector: ioctl_blkpbszget(&device)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_geometry() {
        let file = tempfile::tempfile().unwrap();
        let error = Geometry::of(&file).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::NOTTY.raw_os_error()));
    }

    #[test]
    fn the_request_is_the_kernels() {
        // linux/fs.h on x86-64 and arm64: direction read (2), 8 bytes, type 0x12, number 114.
        #[cfg(target_pointer_width = "64")]
        assert_eq!(BLKGETSIZE64, 0x8008_1272);
    }
}
