//! Content of a device, by its first and last bytes.
//!
//! Offsets and magic numbers are those of the formats' own headers, named beside each row, and were compared with
//! libblkid's probes (util-linux, libblkid/src/superblocks). Checksums are not compared: a damaged member still has a
//! user's data.

use super::firmware;

/// Bytes read at each end. At the start, the header of VMFS is the farthest, at 2 MiB; at the end, the block of a
/// Promise array, 3,087 sectors before it.
pub(crate) const END: u64 = (2 << 20) + 4096;

/// The first and the last bytes of a device; they overlap on a small one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Ends {
    /// Of a device of `bytes` bytes: what it begins with, and what it ends with.
    pub(crate) fn new(bytes: u64, head: Vec<u8>, tail: Vec<u8>) -> Ends {
        Ends { bytes, head, tail }
    }

    /// Size of the device.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `len` bytes at an offset, where they were read.
    pub(super) fn at(&self, offset: u64, len: u64) -> Option<&[u8]> {
        let end = offset.checked_add(len)?;
        let slice = |from: &'_ [u8], first: u64| -> Option<(usize, usize)> {
            let begin = usize::try_from(offset.checked_sub(first)?).ok()?;
            let end = usize::try_from(end.checked_sub(first)?).ok()?;
            (end <= from.len()).then_some((begin, end))
        };
        if let Some((begin, end)) = slice(&self.head, 0) {
            return self.head.get(begin..end);
        }
        let first = self.bytes.checked_sub(u64::try_from(self.tail.len()).ok()?)?;
        let (begin, end) = slice(&self.tail, first)?;
        self.tail.get(begin..end)
    }

    pub(super) fn has(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len() as u64) == Some(magic)
    }

    fn u32_le(&self, offset: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.at(offset, 4)?.try_into().ok()?))
    }

    fn u32_be(&self, offset: u64) -> Option<u32> {
        Some(u32::from_be_bytes(self.at(offset, 4)?.try_into().ok()?))
    }

    fn u64_le(&self, offset: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.at(offset, 8)?.try_into().ok()?))
    }

    /// An offset counted from the end, in whole sectors.
    pub(super) fn back(&self, bytes: u64) -> Option<u64> {
        (self.bytes / 512 * 512).checked_sub(bytes)
    }
}

/// Meaning of a signature for a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A part of something that spans devices, or that is used without the kernel's knowing: never written over.
    Member,
    /// A file system, partition table or the like: written over by consent.
    Contents,
}

/// Something found on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name for people: `an ext2, ext3 or ext4 file system`.
    pub what: &'static str,
    /// Its meaning.
    pub meaning: Meaning,
}

pub(super) const ZFS_MEMBER: &str = "a member of a ZFS pool";
pub(super) const EROFS: &str = "an EROFS file system";
pub(super) const BITLOCKER: &str = "a BitLocker encrypted volume";

enum SignaturePlace {
    Start(u64),
    End(u64),
}
use Meaning::{Contents, Member};
use SignaturePlace::{End, Start};

type Row = (Meaning, &'static str, SignaturePlace, &'static [u8]);

/// Signatures that stand at one place.
#[rustfmt::skip]
const FIXED: &[Row] = &[
    // Linux, drivers/md/bcache/bcache_ondisk.h: super block at sector 8, magic behind checksum, offset and version.
    (Member, "a member of a bcache", Start(4096 + 24), b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    // Ceph, src/os/bluestore/BlueStore.cc: the label's first line.
    (Member, "a BlueStore disk of Ceph", Start(0), b"bluestore block device"),
    // Oracle ASM's disk header, kfdhdb.driver.provstr.
    (Member, "a disk of Oracle ASM", Start(32), b"ORCLDISK"),
    // mdadm, super-intel.c: MPB_SIGNATURE, in the last sector but one.
    (Member, "a member of an Intel RAID array", End(1024), b"Intel Raid ISM Cfg Sig. "),
    (Member, "a member of an Intel RAID array", End(2 * 4096), b"Intel Raid ISM Cfg Sig. "),
    // util-linux, libblkid/src/superblocks: {nvidia,lsi,adaptec,highpoint}_raid.c. Others are in firmware.rs.
    (Member, "a member of an NVIDIA RAID array", End(1024), b"NVIDIA  "),
    (Member, "a member of an LSI MegaRAID array", End(512), b"$XIDE$"),
    (Member, "a member of an Adaptec RAID array", End(512), b"\x37\xfc\x4d\x1e"),
    (Member, "a member of a HighPoint RAID array", End(11 * 512), b"\xf3\x16\x78\x5a"),
    (Member, "a member of a HighPoint RAID array", End(11 * 512), b"\xfd\x16\x78\x5a"),
    (Member, "a member of a HighPoint RAID array", Start(4608 + 32), b"\xf0\x16\x78\x5a"),
    (Member, "a member of a HighPoint RAID array", Start(4608 + 32), b"\xfd\x16\x78\x5a"),
    // SNIA DDF 2.0, 5.5: the anchor header is the last block; some controllers put it 257 sectors before the end.
    (Member, "a member of a DDF RAID array", End(512), b"\xde\x11\xde\x11"),
    (Member, "a member of a DDF RAID array", End(512), b"\x11\xde\x11\xde"),
    (Member, "a member of a DDF RAID array", End(257 * 512), b"\xde\x11\xde\x11"),
    (Member, "a member of a DDF RAID array", End(257 * 512), b"\x11\xde\x11\xde"),
    // DRBD, drbd_meta_data.h: in the last 4 KiB, DRBD_MD_MAGIC_08, _84_UNCLEAN and _09 at byte 60, big endian.
    (Member, "a DRBD volume", End(4096 - 60), b"\x83\x74\x02\x6b"),
    (Member, "a DRBD volume", End(4096 - 60), b"\x83\x74\x02\x6c"),
    (Member, "a DRBD volume", End(4096 - 60), b"\x83\x74\x02\x6d"),
    // Stratis software design, static header: sectors 1 and 9, behind a checksum.
    (Member, "a member of a Stratis pool", Start(512 + 4), b"!Stra0tis\x86\xff\x02^\x41rh"),
    (Member, "a member of a Stratis pool", Start(9 * 512 + 4), b"!Stra0tis\x86\xff\x02^\x41rh"),
    // Linux, drivers/md/dm-vdo/encodings.h: the geometry block.
    (Member, "a VDO volume", Start(0), b"dmvdo001"),
    // util-linux, vmfs.c: the volume's header at 1 MiB, the file system's at 2 MiB. Several hosts share one.
    (Member, "a disk of a VMware VMFS volume", Start(1 << 20), b"\x0d\xd0\x01\xc0"),
    (Member, "a disk of a VMware VMFS volume", Start(2 << 20), b"\x5e\xf1\xab\x2f"),
    // Linux, drivers/mtd/ubi/ubi-media.h: UBI_EC_HDR_MAGIC.
    (Member, "a UBI volume of flash memory", Start(0), b"UBI#"),
    // LVM1, lib/format1/disk-rep.h: "HM" and a version of 1 or 2.
    (Member, "a physical volume of LVM", Start(0), b"HM\x01\0"),
    (Member, "a physical volume of LVM", Start(0), b"HM\x02\0"),
    // Linux, drivers/md/dm-snap-persistent.c: SNAP_MAGIC.
    (Member, "the store of a device-mapper snapshot", Start(0), b"SnAp"),
    // cryptsetup, lib/verity/verity.c: it protects another device.
    (Member, "the hashes of a dm-verity device", Start(0), b"verity\0\0"),
    // util-linux, drbdmanage.c and drbdproxy_datalog.c.
    (Member, "a control volume of DRBD", Start(0), b"$DRBDmgr=q"),
    (Member, "a log of DRBD Proxy", Start(0), b"DRBDdlh*"),
    // util-linux, cs_fvault2.c: magic and the checksum's kind.
    (Member, "a physical volume of Apple Core Storage", Start(88), b"CS\x01\0\0\0"),
    // scoutfs, format.h: SCOUTFS_SUPER_MAGIC behind a checksum at 64 KiB, on a device for metadata and one for data.
    (Member, "a member of a scoutfs file system", Start(0x1_0000 + 4), b"\x8b\x42\x3c\x10"),

    // Linux, drivers/md/dm-integrity.c: SB_MAGIC.
    (Contents, "a dm-integrity volume", Start(0), b"integrt\0"),
    // BitLocker's boot sector.
    (Contents, BITLOCKER, Start(3), b"-FVE-FS-"),
    // Linux, fs/xfs/libxfs/xfs_format.h: XFS_SB_MAGIC.
    (Contents, "an XFS file system", Start(0), b"XFSB"),
    // Linux, fs/bcachefs/bcachefs_format.h: BCHFS_MAGIC, where bcache's is.
    (Contents, "a bcachefs file system", Start(4096 + 24), b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
    // Linux, include/linux/f2fs_fs.h: F2FS_SUPER_MAGIC at 1024.
    (Contents, "an F2FS file system", Start(1024), b"\x10\x20\xf5\xf2"),
    // Linux, fs/jfs/jfs_superblock.h: at 32 KiB.
    (Contents, "a JFS file system", Start(32_768), b"JFS1"),
    // Linux, fs/reiserfs/reiserfs.h: super block at 64 KiB, magic at byte 52.
    (Contents, "a ReiserFS file system", Start(0x1_0000 + 52), b"ReIsEr"),
    // Linux, include/uapi/linux/gfs2_ondisk.h: sector 128.
    (Contents, "a GFS2 file system", Start(0x1_0000), b"\x01\x16\x19\x70"),
    // Linux, fs/ocfs2/ocfs2_fs.h: block 2, for each block size.
    (Contents, "an OCFS2 file system", Start(1024), b"OCFSV2"),
    (Contents, "an OCFS2 file system", Start(2048), b"OCFSV2"),
    (Contents, "an OCFS2 file system", Start(4096), b"OCFSV2"),
    (Contents, "an OCFS2 file system", Start(8192), b"OCFSV2"),
    // Microsoft: the OEM name of each boot sector, and ReFS's file system name.
    (Contents, "an NTFS file system", Start(3), b"NTFS    "),
    (Contents, "an exFAT file system", Start(3), b"EXFAT   "),
    (Contents, "a ReFS file system", Start(0), b"\0\0\0ReFS\0"),
    (Contents, "a FAT12 or FAT16 file system", Start(54), b"FAT12   "),
    (Contents, "a FAT12 or FAT16 file system", Start(54), b"FAT16   "),
    (Contents, "a FAT32 file system", Start(82), b"FAT32   "),
    // Apple, File System Reference: the container's super block behind its object header.
    (Contents, "an APFS container", Start(32), b"NXSB"),
    // ECMA-119, 8.1: the volume descriptor in sector 16.
    (Contents, "an ISO 9660 file system", Start(16 * 2048 + 1), b"CD001"),
    // Linux, fs/squashfs/squashfs_fs.h and fs/erofs/erofs_fs.h.
    (Contents, "a squashfs file system", Start(0), b"hsqs"),
    (Contents, EROFS, Start(1024), b"\xe2\xe1\xf5\xe0"),
    (Contents, "a squashfs file system", Start(0), b"sqsh"),
    // util-linux, libblkid/src/superblocks: the file that each name says.
    (Contents, "a Reiser4 file system", Start(0x1_0000), b"ReIsEr4"),
    (Contents, "a NILFS2 file system", Start(1024), b"\x02\0\0\0\0\0\x34\x34"),
    (Contents, "an HFS+ file system", Start(1024), b"H+\0\x04"),
    (Contents, "an HFS+ file system", Start(1024), b"HX\0\x05"),
    (Contents, "an HPFS file system", Start(0x2000), b"\x49\xe8\x95\xf9"),
    (Contents, "a UDF file system", Start(0x8000 + 1), b"BEA01"),
    (Contents, "a UFS file system", Start(8192 + 0x55c), b"\x54\x19\x01\0"),
    (Contents, "a UFS file system", Start(8192 + 0x55c), b"\0\x01\x19\x54"),
    (Contents, "a UFS2 file system", Start(0x1_0000 + 0x55c), b"\x19\x01\x54\x19"),
    (Contents, "a UFS2 file system", Start(0x1_0000 + 0x55c), b"\x19\x54\x01\x19"),
    (Contents, "a VxFS file system", Start(1024), b"\xf5\xfc\x01\xa5"),
    (Contents, "a VxFS file system", Start(8192), b"\xa5\x01\xfc\xf5"),
    (Contents, "an OCFS file system", Start(8192), b"OracleCFS"),
    (Contents, "a BeFS file system", Start(32), b"BFS1"),
    (Contents, "a BeFS file system", Start(512 + 32), b"BFS1"),
    (Contents, "a NetWare file system", Start(4096), b"SPB5"),
    (Contents, "a cramfs file system", Start(0), b"\x45\x3d\xcd\x28"),
    (Contents, "a cramfs file system", Start(0), b"\x28\xcd\x3d\x45"),
    (Contents, "a romfs file system", Start(0), b"-rom1fs-"),
    (Contents, "a UBIFS file system", Start(0), b"\x31\x18\x10\x06"),
    (Contents, "a zonefs file system", Start(0), b"SFOZ"),
    (Contents, "an EXFS file system", Start(0), b"EXFS"),
    // UEFI 2.10, 5.3.2: the header in block 1 and its copy in the last one, for both sizes of a block.
    (Contents, "a GPT partition table", Start(512), b"EFI PART"),
    (Contents, "a GPT partition table", Start(4096), b"EFI PART"),
    (Contents, "a GPT partition table's copy", End(512), b"EFI PART"),
    (Contents, "a GPT partition table's copy", End(4096), b"EFI PART"),
];

/// The findings, members first; each thing once.
pub(crate) fn found(ends: &Ends) -> Vec<Signature> {
    let mut found = Vec::new();
    let mut add = |meaning, what| {
        if !found.contains(&Signature { what, meaning }) {
            found.push(Signature { what, meaning });
        }
    };
    if is_lvm(ends) {
        add(Member, "a physical volume of LVM");
    }
    if is_md(ends) {
        add(Member, "a member of an md array");
    }
    if is_zfs(ends) {
        add(Member, ZFS_MEMBER);
    }
    if is_xfs_log(ends) {
        add(Member, "the external log of an XFS file system");
    }
    for what in firmware::found(ends) {
        add(Member, what);
    }
    if let Some((meaning, what)) = ext(ends) {
        add(meaning, what);
    }
    for what in [luks(ends), btrfs(ends)].into_iter().flatten() {
        add(Contents, what);
    }
    for (meaning, what, place, magic) in FIXED {
        let offset = match place {
            Start(offset) => Some(*offset),
            End(back) => ends.back(*back),
        };
        if offset.is_some_and(|offset| ends.has(offset, magic)) {
            add(*meaning, what);
        }
    }
    if is_swap(ends) {
        add(Contents, "swap space");
    }
    if is_hibernated(ends) {
        add(Contents, "a hibernated system");
    }
    if is_mbr(ends) {
        add(Contents, "an MBR partition table");
    }
    found.sort_by_key(|signature| signature.meaning == Contents);
    found
}

/// LVM2, lib/label/label.h: the label is in one of the first four sectors; its type at byte 24.
fn is_lvm(ends: &Ends) -> bool {
    (0..4).map(|sector| sector * 512).any(|at| ends.has(at, b"LABELONE") && ends.has(at + 24, b"LVM2 001"))
}

/// Linux, include/uapi/linux/raid/md_p.h. 0.90 is in the machine's own byte order, 64 KiB before the end rounded to
/// that; 1.0 is 8 KiB before the end, 1.1 at the start, 1.2 at 4 KiB; 1.x also say where they are.
fn is_md(ends: &Ends) -> bool {
    const MAGIC: u32 = 0xa92b_4efc;
    const RESERVED: u64 = 64 << 10;
    let old = (ends.bytes / RESERVED * RESERVED).checked_sub(RESERVED);
    let old = old.and_then(|at| ends.u32_le(at)).is_some_and(|m| m == MAGIC || m.swap_bytes() == MAGIC);
    let last = (ends.bytes / 4096 * 4096).checked_sub(8192);
    let new = [last, Some(0), Some(4096)].into_iter().flatten().any(|at| {
        ends.u32_le(at) == Some(MAGIC)
            && ends.u32_le(at + 4) == Some(1)
            && ends.u64_le(at + 144) == Some(at / 512)
    });
    old || new
}

/// OpenZFS, include/sys/vdev_impl.h and uberblock_impl.h: four labels of 256 KiB, two at each end. The second half of
/// each is an array of uberblocks of 1 KiB or more, in the byte order of their writer.
fn is_zfs(ends: &Ends) -> bool {
    const LABEL: u64 = 256 << 10;
    const MAGIC: u64 = 0x00ba_b10c;
    let end = ends.bytes / LABEL * LABEL;
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    labels.into_iter().flatten().any(|label| {
        (0..128).any(|slot| {
            let magic = ends.u64_le(label + LABEL / 2 + slot * 1024);
            magic.is_some_and(|magic| magic == MAGIC || magic.swap_bytes() == MAGIC)
        })
    })
}

/// Linux, fs/ext4/ext4.h: super block at 1024, s_magic at byte 56. The features say which of the three it is, as in
/// libblkid's ext.c. A journal that is a device of its own belongs to a file system elsewhere.
fn ext(ends: &Ends) -> Option<(Meaning, &'static str)> {
    const SUPER: u64 = 1024;
    /// EXT3_FEATURE_COMPAT_HAS_JOURNAL
    const HAS_JOURNAL: u32 = 0x4;
    /// EXT3_FEATURE_INCOMPAT_JOURNAL_DEV
    const JOURNAL_DEVICE: u32 = 0x8;
    /// FILETYPE, RECOVER, META_BG: what ext3 knows.
    const INCOMPAT_EXT3: u32 = 0x2 | 0x4 | 0x10;
    /// SPARSE_SUPER, LARGE_FILE, BTREE_DIR: what ext3 knows.
    const RO_COMPAT_EXT3: u32 = 0x1 | 0x2 | 0x4;
    if !ends.has(SUPER + 56, b"\x53\xef") {
        return None;
    }
    let feature = |offset| ends.u32_le(SUPER + offset).unwrap_or_default();
    let (compatible, incompatible, read_only) = (feature(92), feature(96), feature(100));
    if incompatible & JOURNAL_DEVICE != 0 {
        return Some((Member, "the external journal of an ext3 or ext4 file system"));
    }
    let what = if incompatible & !INCOMPAT_EXT3 != 0 || read_only & !RO_COMPAT_EXT3 != 0 {
        "an ext4 file system"
    } else if compatible & HAS_JOURNAL != 0 {
        "an ext3 file system"
    } else {
        "an ext2 file system"
    };
    Some((Contents, what))
}

/// LUKS on-disk formats 1 and 2: one magic, then the version. Format 2 has a second header, at a place that depends on the
/// first one's size; it is enough to open the volume where the first is lost.
fn luks(ends: &Ends) -> Option<&'static str> {
    let seconds = [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000];
    if ends.has(0, b"LUKS\xba\xbe") {
        let is_second = ends.has(6, b"\0\x02");
        return Some(if is_second { "a LUKS2 encrypted volume" } else { "a LUKS encrypted volume" });
    }
    seconds.iter().any(|at| ends.has(*at, b"SKUL\xba\xbe")).then_some("a LUKS2 encrypted volume's copy")
}

/// Linux, include/uapi/linux/btrfs_tree.h: super block at 64 KiB, magic at byte 64, number of devices at byte 136.
fn btrfs(ends: &Ends) -> Option<&'static str> {
    const SUPER: u64 = 0x1_0000;
    let name = match ends.u64_le(SUPER + 136) {
        Some(2..) => "a btrfs file system on several devices",
        _ => "a btrfs file system",
    };
    ends.has(SUPER + 64, b"_BHRfS_M").then_some(name)
}

/// Linux, fs/xfs/libxfs/xfs_log_format.h: a record's header in one of the first sectors, with its version, 1 or 2, at byte 8
/// (libblkid's xfs.c). A file system with its log inside has it far behind these.
fn is_xfs_log(ends: &Ends) -> bool {
    const MAGIC: u32 = 0xfeed_babe;
    let is_record = |at| ends.u32_be(at) == Some(MAGIC) && matches!(ends.u32_be(at + 8), Some(1 | 2));
    !ends.has(0, b"XFSB") && (0..512).any(|sector| is_record(sector * 512))
}

/// Linux, include/linux/swap.h: the last ten bytes of the first page, whatever its size.
fn is_swap(ends: &Ends) -> bool {
    ends_a_page(ends, &[b"SWAPSPACE2", b"SWAP-SPACE"])
}

/// Linux, kernel/power/swap.c, and what suspend2 and uswsusp write (libblkid's swap.c): at the same place.
fn is_hibernated(ends: &Ends) -> bool {
    ends_a_page(ends, &[b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001"])
}

fn ends_a_page(ends: &Ends, magics: &[&[u8]]) -> bool {
    let pages = [4096u64, 8192, 16_384, 32_768, 65_536];
    pages.iter().any(|page| magics.iter().any(|magic| ends.has(page - 10, magic)))
}

/// The boot signature alone is on every FAT and NTFS too: the four entries must look like partitions, each with a
/// status of 0 or 0x80, and one of them in use (UEFI 2.10, 5.2.1).
fn is_mbr(ends: &Ends) -> bool {
    let Some(sector) = ends.at(0, 512) else { return false };
    let entries = [446, 462, 478, 494].map(|at| (sector[at], sector[at + 4]));
    sector[510..] == [0x55, 0xaa]
        && entries.iter().all(|(status, _)| matches!(status, 0 | 0x80))
        && entries.iter().any(|(_, kind)| *kind != 0)
}

#[cfg(test)]
#[path = "signatures_tests.rs"]
mod tests;
