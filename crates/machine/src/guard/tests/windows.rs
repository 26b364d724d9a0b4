//! Raw disks of Windows: answers of a machine are built from the structures that Microsoft documents for `winioctl.h`.

use std::cell::Cell;

use crate::guard::refusal::Reason;
use crate::guard::{Because, Content, windows};
use crate::sys::storage::{
    DISK_ATTRIBUTES, DRIVE_GEOMETRY, DRIVE_LAYOUT, IS_WRITABLE, LENGTH_INFO, PartitionKind, Storage,
    VOLUME_EXTENTS, disk_number, partitions,
};

use super::*;

const GIB: u64 = 1 << 30;
const BASIC_DATA: &str = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7";
const EFI_SYSTEM: &str = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
const RESERVED: &str = "E3C9E316-0B5C-4DB8-817D-F92DF00215AE";
const SPACES: &str = "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D";
const LDM_DATA: &str = "AF9B60A0-1431-4F62-BC68-3311714A69AD";

/// A partition: its type as a GUID, or as a byte with the boot indicator; its start.
enum Entry {
    Gpt(&'static str, u64),
    Mbr(u8, u8, u64),
}

/// A volume of the machine: name, disks, mount points, file system or the error of asking for it.
struct Volume {
    name: &'static str,
    extents: Result<Vec<u32>, i32>,
    points: &'static [&'static str],
    filesystem: Result<Option<&'static str>, i32>,
}

/// An Azure VM: Windows on disk 0, the temporary disk with the page file as disk 1, and data disk 2, which is new.
struct Vm {
    layout: Vec<u8>,
    volumes: Vec<Volume>,
    start: Vec<u8>,
    offline: bool,
    write_protected: bool,
    sector: u32,
    /// True once a read was not of whole sectors.
    torn: Cell<bool>,
}

/// `DRIVE_LAYOUT_INFORMATION_EX`, whose entries begin at byte 48 and have 144 bytes each.
fn layout(style: u32, entries: &[Entry]) -> Vec<u8> {
    // An MBR has a multiple of four entries.
    let count = if style == 0 { entries.len().next_multiple_of(4) } else { entries.len() };
    let mut bytes = vec![0; 48 + 144 * count];
    bytes[0..4].copy_from_slice(&style.to_le_bytes());
    bytes[4..8].copy_from_slice(&(count as u32).to_le_bytes());
    for (n, entry) in entries.iter().enumerate() {
        let at = &mut bytes[48 + 144 * n..][..144];
        at[..4].copy_from_slice(&style.to_le_bytes());
        at[16..24].copy_from_slice(&GIB.to_le_bytes());
        at[24..28].copy_from_slice(&(n as u32 + 1).to_le_bytes());
        let start = match entry {
            Entry::Gpt(kind, start) => {
                at[32..48].copy_from_slice(&guid(kind));
                start
            }
            Entry::Mbr(kind, boot, start) => {
                at[32..34].copy_from_slice(&[*kind, *boot]);
                start
            }
        };
        at[8..16].copy_from_slice(&start.to_le_bytes());
    }
    bytes
}

/// A `GUID`: a number of 32 bits and two of 16 bits, little endian, and eight bytes.
fn guid(text: &str) -> [u8; 16] {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    let byte =
        |n: usize| u8::from_str_radix(std::str::from_utf8(&digits[2 * n..][..2]).unwrap(), 16).unwrap();
    [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map(byte)
}

impl Vm {
    fn new() -> Vm {
        let mounted = |name: &'static str, disk: u32, points: &'static [&'static str]| Volume {
            name,
            extents: Ok(vec![disk]),
            points,
            filesystem: Ok(Some("NTFS")),
        };
        Vm {
            layout: layout(2, &[]),
            volumes: vec![
                mounted(r"\\?\Volume{c}\", 0, &[r"C:\"]),
                mounted(r"\\?\Volume{d}\", 1, &[r"D:\"]),
                // A drive for DVDs: `ERROR_INVALID_FUNCTION`.
                Volume { extents: Err(1), ..mounted(r"\\?\Volume{dvd}\", 0, &[r"E:\"]) },
            ],
            start: vec![0; 1 << 20],
            offline: false,
            write_protected: false,
            sector: 512,
            torn: Cell::new(false),
        }
    }

    fn with(style: u32, entries: &[Entry]) -> Vm {
        Vm { layout: layout(style, entries), ..Vm::new() }
    }

    fn begins(mut self, offset: usize, magic: &[u8]) -> Vm {
        self.start[offset..offset + magic.len()].copy_from_slice(magic);
        self
    }

    fn has(mut self, volume: Volume) -> Vm {
        self.volumes.push(volume);
        self
    }

    fn check(&self, number: u32) -> Result<Vec<Content>, Reason> {
        let checked = windows::check(self, number);
        assert!(!self.torn.get(), "reads are of whole sectors");
        checked
    }

    fn refused(&self, number: u32) -> (Because, String) {
        let reason = self.check(number).expect_err("it is refused");
        assert!(!reason.help.is_empty());
        (reason.because, reason.found)
    }
}

fn error<T>(code: i32) -> io::Result<T> {
    Err(io::Error::from_raw_os_error(code))
}

impl Storage for Vm {
    fn control(&self, device: &str, code: u32) -> io::Result<Vec<u8>> {
        if code == VOLUME_EXTENTS {
            let volume = self.volumes.iter().find(|volume| volume.name.trim_end_matches('\\') == device);
            let disks = match &volume.expect("the volume was listed").extents {
                Ok(disks) => disks,
                Err(code) => return error(*code),
            };
            // `VOLUME_DISK_EXTENTS`: a number, and entries of 24 bytes from byte 8 on.
            let mut bytes = (disks.len() as u64).to_le_bytes().to_vec();
            for disk in disks {
                bytes.extend(u64::from(*disk).to_le_bytes());
                bytes.extend((1_u64 << 20).to_le_bytes());
                bytes.extend(GIB.to_le_bytes());
            }
            return Ok(bytes);
        }
        assert!(device.starts_with(r"\\.\PhysicalDrive"), "{device}");
        match code {
            DRIVE_LAYOUT => Ok(self.layout.clone()),
            LENGTH_INFO => Ok((64 * GIB).to_le_bytes().to_vec()),
            DRIVE_GEOMETRY => {
                let mut bytes = vec![0; 40];
                bytes[20..24].copy_from_slice(&self.sector.to_le_bytes());
                Ok(bytes)
            }
            DISK_ATTRIBUTES => {
                let mut bytes = vec![0; 16];
                bytes[0] = 16;
                bytes[8] = u8::from(self.offline);
                Ok(bytes)
            }
            // `ERROR_WRITE_PROTECT`.
            IS_WRITABLE if self.write_protected => error(19),
            IS_WRITABLE => Ok(Vec::new()),
            _ => error(1),
        }
    }

    fn volumes(&self) -> io::Result<Vec<String>> {
        Ok(self.volumes.iter().map(|volume| volume.name.to_string()).collect())
    }

    fn mount_points(&self, volume: &str) -> io::Result<Vec<String>> {
        let volume = self.volumes.iter().find(|known| known.name == volume).expect("it was listed");
        Ok(volume.points.iter().map(|point| point.to_string()).collect())
    }

    fn filesystem(&self, volume: &str) -> io::Result<Option<String>> {
        let volume = self.volumes.iter().find(|known| known.name == volume).expect("it was listed");
        volume.filesystem.map(|name| name.map(str::to_string)).or_else(error)
    }

    fn windows_folder(&self) -> io::Result<String> {
        Ok(r"C:\Windows".into())
    }

    fn page_files(&self) -> io::Result<Vec<String>> {
        Ok(vec![r"d:\pagefile.sys".into()])
    }

    fn read(&self, _: &str, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let sector = u64::from(self.sector);
        let is_whole = offset.is_multiple_of(sector) && (into.len() as u64).is_multiple_of(sector);
        self.torn.set(self.torn.get() || !is_whole);
        for (n, byte) in into.iter_mut().enumerate() {
            *byte = self.start.get(offset as usize + n).copied().unwrap_or_default();
        }
        Ok(())
    }
}

#[test]
fn a_new_disk_may_be_overwritten_and_what_a_linux_left_on_it_is_named() {
    assert_eq!(Vm::new().check(2).expect("nothing is on it"), Vec::new());
    let lost = Vm::new().begins(0, b"XFSB").check(2).expect("it is content");
    assert_eq!(lost.len(), 1);
    assert!(
        lost[0].to_string().starts_with(r"\\.\PhysicalDrive2 (64 GiB): an XFS file system"),
        "{}",
        lost[0]
    );
    let large = Vm { sector: 4096, ..Vm::new() };
    assert_eq!(large.check(2).expect("nothing is on it"), Vec::new());
}

#[test]
fn the_disks_of_windows_and_of_the_page_file_are_refused() {
    assert_eq!(Vm::new().refused(0), (Because::Mounted, r"Windows itself (C:\Windows) is on it".into()));
    let (because, found) = Vm::new().refused(1);
    assert_eq!((because, found.as_str()), (Because::Swap, r"the page file d:\pagefile.sys is on it"));
}

#[test]
fn a_disk_with_a_volume_is_refused_with_and_without_a_letter() {
    let volume = |points: &'static [&'static str], filesystem| Volume {
        name: r"\\?\Volume{f}\",
        // A volume over two disks is on both.
        extents: Ok(vec![3, 2]),
        points,
        filesystem,
    };
    let mounted = Vm::new().has(volume(&[r"F:\data\"], Ok(Some("ReFS"))));
    assert_eq!(mounted.refused(2), (Because::Mounted, r"the volume F:\data\ on it is mounted".into()));
    assert_eq!(mounted.refused(3).0, Because::Mounted);
    assert!(mounted.check(4).is_ok());
    let unmounted = Vm::new().has(volume(&[], Ok(Some("NTFS"))));
    assert_eq!(unmounted.refused(2), (Because::Mounted, r"the volume \\?\Volume{f}\ on it has NTFS".into()));
    // `FVE_E_LOCKED_VOLUME`: a BitLocker volume that is locked.
    let locked = Vm::new().has(volume(&[], Err(0x8031_0000_u32 as i32)));
    assert_eq!(locked.refused(2).0, Because::Mounted);
    // One without a file system is locked before the first write.
    assert!(Vm::new().has(volume(&[], Ok(None))).check(2).is_ok());
    // `ERROR_ACCESS_DENIED`: it could be on this disk.
    let hidden = Vm::new().has(Volume { extents: Err(5), ..volume(&[], Ok(None)) });
    assert_eq!(hidden.refused(2).0, Because::Unexamined);
}

#[test]
fn a_disk_with_partitions_is_refused_and_the_one_that_says_most_is_named() {
    let because = |vm: Vm| vm.refused(2);
    let gpt = |kinds: &[&'static str]| {
        let entries: Vec<Entry> = kinds.iter().zip(1..).map(|(kind, n)| Entry::Gpt(kind, n << 20)).collect();
        Vm::with(1, &entries)
    };
    assert_eq!(because(gpt(&[RESERVED])), (Because::Partitioned, "it has a partition".into()));
    assert_eq!(because(gpt(&[RESERVED, BASIC_DATA])), (Because::Partitioned, "it has 2 partitions".into()));
    let (why, found) = because(gpt(&[RESERVED, EFI_SYSTEM]));
    assert!(why == Because::Partitioned && found.contains("partition 2 is the EFI system"), "{found}");
    let (why, found) = because(gpt(&[RESERVED, SPACES]));
    assert!(why == Because::Member && found.contains("Storage Spaces"), "{found}");
    let (why, found) = because(gpt(&[LDM_DATA]));
    assert!(why == Because::Member && found.contains("dynamic disk"), "{found}");
    let mbr = |kind, boot| Vm::with(0, &[Entry::Mbr(kind, boot, 1 << 20)]);
    assert_eq!(because(mbr(7, 0)), (Because::Partitioned, "it has a partition".into()));
    assert!(because(mbr(7, 1)).1.contains("active"));
    assert_eq!(because(mbr(0x42, 0)).0, Because::Member);
    assert_eq!(because(mbr(0xe7, 0)).0, Because::Member);
    // Entries of type 0 are unused.
    assert!(Vm::with(0, &[]).check(2).is_ok() && mbr(0, 0).check(2).is_ok());
}

#[test]
fn a_bitlocker_volume_is_refused_on_a_partition_and_on_a_whole_disk() {
    let at = 64 << 10;
    let partition = Vm::with(1, &[Entry::Gpt(BASIC_DATA, at)]).begins(at as usize + 3, b"-FVE-FS-");
    let (because, found) = partition.refused(2);
    assert_eq!(
        (because, found.as_str()),
        (Because::Encrypted, "its partition 1 is a BitLocker encrypted volume")
    );
    let whole = Vm::new().begins(3, b"-FVE-FS-");
    assert_eq!(whole.refused(2), (Because::Encrypted, "it is a BitLocker encrypted volume".into()));
    // A member of something larger is refused as on Linux.
    assert_eq!(Vm::new().begins(0, b"bluestore block device").refused(2).0, Because::Member);
}

#[test]
fn an_offline_and_a_protected_disk_are_refused() {
    assert_eq!(Vm { offline: true, ..Vm::new() }.refused(2).0, Because::Held);
    assert_eq!(Vm { write_protected: true, ..Vm::new() }.refused(2).0, Because::ReadOnly);
}

#[test]
fn an_answer_that_is_cut_off_or_of_an_unknown_style_is_an_error() {
    let whole = layout(1, &[Entry::Gpt(BASIC_DATA, 1 << 20), Entry::Gpt(SPACES, 2 << 20)]);
    let read = partitions(&whole).expect("it is whole");
    assert_eq!(read[1].kind, PartitionKind::Gpt(SPACES.into()));
    assert_eq!((read[0].number, read[0].offset, read[0].bytes), (1, 1 << 20, GIB));
    for cut in 0..whole.len() - 96 {
        assert!(partitions(&whole[..cut]).is_err(), "{cut}");
    }
    assert!(partitions(&layout(3, &[Entry::Gpt(BASIC_DATA, 1 << 20)])).is_err());
    assert_eq!(Vm { layout: vec![0; 3], ..Vm::new() }.refused(2).0, Because::Unexamined);
}

#[test]
fn a_disk_has_these_names() {
    let names = ["#2", r"\\.\PhysicalDrive2", "//./physicaldrive2", r"\\?\PHYSICALDRIVE2", "#02"];
    assert_eq!(names.map(disk_number), [Some(2); 5]);
    let others = [
        "#",
        "#2a",
        r"\\.\PhysicalDrive",
        r"\\.\PhysicalDrive2\",
        r"\\.\E:",
        "PhysicalDrive2",
        "#99999999999",
    ];
    assert_eq!(others.map(disk_number), [None; 7]);
}
