//! Requests to block devices and to the device mapper.

use std::fs::File;
use std::io;

use rustix::fs::{ioctl_blkpbszget, ioctl_blksszget};
use rustix::ioctl::{Getter, Opcode, Updater, ioctl, opcode};

use crate::sys::device::{DeviceNumber, Geometry, LoopStatus};

/// `BLKGETSIZE64` of `linux/fs.h`: `_IOR(0x12, 114, size_t)`, which fills 64 bits whatever `size_t` is.
const BLKGETSIZE64: Opcode = opcode::read::<usize>(0x12, 114);

/// `LOOP_GET_STATUS64` of `linux/loop.h`.
const LOOP_GET_STATUS64: Opcode = 0x4C05;

/// `struct loop_info64` of `linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// `struct dm_ioctl` of `linux/dm-ioctl.h`, and room for what follows it.
#[repr(C)]
struct DmRequest {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event: u32,
    padding: u32,
    device: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
    room: [u8; ROOM],
}

/// Enough for some hundred targets; a larger table is unknown.
const ROOM: usize = 32_768;
const HEAD: usize = 312;
/// The size of the head alone is part of the request's number: `_IOWR(0xfd, 12, struct dm_ioctl)`.
const TABLE_STATUS: Opcode = opcode::read_write::<[u8; HEAD]>(0xfd, 12);
/// The table and not its state.
const STATUS_TABLE: u32 = 1 << 4;
/// More was there than had room.
const BUFFER_FULL: u32 = 1 << 8;

/// The size and the sectors of an open block device.
pub(crate) fn geometry(device: &File) -> io::Result<Geometry> {
    // SAFETY: the request is the kernel's for a block device's size, and it writes a u64 and nothing else.
    let size = unsafe { Getter::<BLKGETSIZE64, u64>::new() };
    // SAFETY: the getter above fits its request; the descriptor is open while it is borrowed.
    let bytes = unsafe { ioctl(device, size) }?;
    Ok(Geometry {
        bytes,
        logical_sector: ioctl_blksszget(device)?,
        physical_sector: ioctl_blkpbszget(device)?,
    })
}

/// File or device of an open loop device.
pub(crate) fn loop_status(device: &File) -> io::Result<LoopStatus> {
    // SAFETY: the request fills a `struct loop_info64`, which `LoopInfo` is, field by field.
    let status = unsafe { Getter::<LOOP_GET_STATUS64, LoopInfo>::new() };
    // SAFETY: the getter above fits its request, and the descriptor is open.
    let info = unsafe { ioctl(device, status) }?;
    Ok(LoopStatus { device: info.device, inode: info.inode, shown_device: info.rdevice })
}

/// The table of a device-mapper device, as records that `struct dm_target_spec` begins, and how many there are.
pub(crate) fn dm_status(control: &File, number: DeviceNumber) -> io::Result<(Vec<u8>, u32)> {
    let mut request = Box::new(DmRequest {
        version: [4, 0, 0],
        data_size: size_of::<DmRequest>() as u32,
        data_start: HEAD as u32,
        target_count: 0,
        open_count: 0,
        flags: STATUS_TABLE,
        event: 0,
        padding: 0,
        // The kernel's own encoding of device numbers (`huge_encode_dev`, include/linux/kdev_t.h).
        device: u64::from(number.minor & 0xff)
            | u64::from(number.major) << 8
            | u64::from(number.minor & !0xff) << 12,
        name: [0; 128],
        uuid: [0; 129],
        data: [0; 7],
        room: [0; ROOM],
    });
    // SAFETY: the request reads and writes a `struct dm_ioctl` and what follows it, `data_size` bytes in all, which is the
    // size of `DmRequest`; it asks for a device's table and changes nothing.
    let updater = unsafe { Updater::<TABLE_STATUS, DmRequest>::new(&mut request) };
    // SAFETY: the updater above fits its request, and the descriptor is open.
    unsafe { ioctl(control, updater) }?;
    if request.flags & BUFFER_FULL != 0 {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let start = usize::try_from(request.data_start).ok().and_then(|start| start.checked_sub(HEAD));
    let specs = start.and_then(|start| request.room.get(start..)).ok_or(io::ErrorKind::InvalidData)?;
    Ok((specs.to_vec(), request.target_count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_the_kernels() {
        // linux/fs.h on x86-64 and arm64: direction read (2), 8 bytes, type 0x12, number 114.
        #[cfg(target_pointer_width = "64")]
        assert_eq!(BLKGETSIZE64, 0x8008_1272);
    }

    #[test]
    fn the_structure_is_as_long_as_the_kernels() {
        // 5 × 8 + 4 × 4 + 64 + 64 + 32 + 2 × 8.
        assert_eq!(size_of::<LoopInfo>(), 232);
    }

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<DmRequest>() - ROOM, HEAD);
        // DM_TABLE_STATUS of linux/dm-ioctl.h on x86-64 and arm64.
        assert_eq!(TABLE_STATUS, 0xC138_FD0C);
    }
}
