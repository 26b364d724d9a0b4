//! Raw disks of Windows. The system's disk, disks with volumes or partitions, members of Storage Spaces, dynamic disks and
//! BitLocker volumes are never written over.

use std::io;

use super::content::Content;
use super::refusal::{Because, Reason};
use super::signatures::{self, BITLOCKER, END, Ends, Meaning};
use super::unexamined;
use crate::sys::storage::{
    DISK_ATTRIBUTES, DRIVE_GEOMETRY, DRIVE_LAYOUT, LENGTH_INFO, Partition, PartitionKind, Storage, disk_path,
    is_offline, is_writable, length, partitions, sector, volumes_on,
};

/// Partitions with a meaning of their own, by the GPT type (`PARTITION_..._GUID` of Windows' documentation).
const EFI_SYSTEM: &str = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
const RESERVED: &str = "E3C9E316-0B5C-4DB8-817D-F92DF00215AE";
const STORAGE_SPACES: [&str; 2] =
    ["E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D", "E7ADDCB4-DC34-4539-9A76-EBBD07BE6F7E"];
const DYNAMIC: [&str; 2] = ["5808C8AA-7E8F-42E0-85D2-E1E90434CFB3", "AF9B60A0-1431-4F62-BC68-3311714A69AD"];
/// `PARTITION_LDM`, `PARTITION_SPACES` and `PARTITION_SPACES_DATA`, the types of an MBR.
const MBR_DYNAMIC: u8 = 0x42;
const MBR_SPACES: [u8; 2] = [0xe7, 0xd7];

/// Checks that a disk may be overwritten by a user who consents to losing its content.
///
/// # Errors
/// Returns the finding that consent does not cover, and its fix.
pub(super) fn check(storage: &dyn Storage, number: u32) -> Result<Vec<Content>, Reason> {
    let disk = Disk { storage, number, path: disk_path(number) };
    disk.volumes()?;
    disk.partitions()?;
    disk.state()?;
    disk.contents()
}

struct Disk<'a> {
    storage: &'a dyn Storage,
    number: u32,
    path: String,
}

impl Disk<'_> {
    fn unknown(&self, error: &io::Error) -> Reason {
        unexamined(self.path.as_ref(), error)
    }

    /// No volume of Windows is on it, except one without a name and without a file system, which is locked before a write.
    fn volumes(&self) -> Result<(), Reason> {
        let told = |error: io::Error| self.unknown(&error);
        let windows = self.storage.windows_folder().map_err(told)?;
        let page_files = self.storage.page_files().map_err(told)?;
        for volume in volumes_on(self.storage, self.number).map_err(told)? {
            let points = self.storage.mount_points(&volume).map_err(told)?;
            let name = points.first().unwrap_or(&volume);
            let holds = |path: &str| points.iter().any(|point| is_in(path, point));
            let on_it = |because, what: String, help: &str| Err(Reason::new(because, what, help));
            if holds(&windows) {
                let found = format!("Windows itself ({windows}) is on it");
                return on_it(Because::Mounted, found, "name another disk");
            }
            if let Some(page_file) = page_files.iter().find(|page_file| holds(page_file)) {
                let found = format!("the page file {page_file} is on it");
                return on_it(Because::Swap, found, "name another disk");
            }
            if !points.is_empty() {
                let found = format!("the volume {name} on it is mounted");
                return on_it(Because::Mounted, found, "name a file on that volume, or another disk");
            }
            let filesystem = match self.storage.filesystem(&volume) {
                Ok(None) => continue,
                Ok(Some(filesystem)) => format!("has {filesystem}"),
                Err(error) => format!("cannot be examined ({error})"),
            };
            let found = format!("the volume {volume} on it {filesystem}");
            return on_it(Because::Mounted, found, "name a file on that volume, or another disk");
        }
        Ok(())
    }

    /// It has no partitions.
    fn partitions(&self) -> Result<(), Reason> {
        let layout = self.storage.control(&self.path, DRIVE_LAYOUT);
        let found = layout.and_then(|layout| partitions(&layout)).map_err(|error| self.unknown(&error))?;
        let clear = format!(
            "name another disk, or remove them, if their data may be lost: Clear-Disk -Number {} -RemoveData",
            self.number
        );
        // The one that says most is named.
        let special = found.iter().find_map(|partition| self.special(partition).transpose()).transpose()?;
        match (special, found.len()) {
            (Some((because, what)), _) => Err(Reason::new(because, what, clear)),
            (None, 0) => Ok(()),
            (None, 1) => Err(Reason::new(Because::Partitioned, "it has a partition", clear)),
            (None, count) => {
                Err(Reason::new(Because::Partitioned, format!("it has {count} partitions"), clear))
            }
        }
    }

    /// Meaning of a partition that has more than data of its own.
    fn special(&self, partition: &Partition) -> Result<Option<(Because, String)>, Reason> {
        let n = partition.number;
        let named = |because, what: &str| Ok(Some((because, format!("its partition {n} is {what}"))));
        match &partition.kind {
            PartitionKind::Gpt(kind) if kind == EFI_SYSTEM => {
                return named(Because::Partitioned, "the EFI system partition of a machine");
            }
            PartitionKind::Gpt(kind) if STORAGE_SPACES.contains(&kind.as_str()) => {
                return named(Because::Member, "a member of a pool of Storage Spaces");
            }
            PartitionKind::Gpt(kind) if DYNAMIC.contains(&kind.as_str()) => {
                return named(Because::Member, "a part of a dynamic disk");
            }
            PartitionKind::Gpt(kind) if kind == RESERVED => return Ok(None),
            PartitionKind::Mbr { kind: MBR_DYNAMIC, .. } => {
                return named(Because::Member, "a part of a dynamic disk");
            }
            PartitionKind::Mbr { kind, .. } if MBR_SPACES.contains(kind) => {
                return named(Because::Member, "a member of a pool of Storage Spaces");
            }
            PartitionKind::Mbr { is_active: true, .. } => {
                return named(Because::Partitioned, "active: a machine starts from it");
            }
            PartitionKind::Gpt(_) | PartitionKind::Mbr { .. } | PartitionKind::Raw => {}
        }
        // Sectors of 4 KiB are read as whole ones.
        let mut start = vec![0; usize::try_from(partition.bytes.min(4096)).unwrap_or_default()];
        let read = self.storage.read(&self.path, partition.offset, &mut start);
        read.map_err(|error| self.unknown(&error))?;
        let ends = Ends::new(partition.bytes, start, Vec::new());
        match signatures::found(&ends).iter().any(|signature| signature.what == BITLOCKER) {
            true => named(Because::Encrypted, BITLOCKER),
            false => Ok(None),
        }
    }

    /// It is online and takes writes.
    fn state(&self) -> Result<(), Reason> {
        let attributes = self.storage.control(&self.path, DISK_ATTRIBUTES);
        let offline =
            attributes.and_then(|answer| is_offline(&answer)).map_err(|error| self.unknown(&error))?;
        if offline {
            let found = "it is offline: another machine may use it";
            let help = format!("bring it online first: Set-Disk -Number {} -IsOffline $false", self.number);
            return Err(Reason::new(Because::Held, found, help));
        }
        match is_writable(self.storage, &self.path) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let help = format!("allow writes first: Set-Disk -Number {} -IsReadOnly $false", self.number);
                Err(Reason::new(Because::ReadOnly, "it is read-only", help))
            }
            Err(error) => Err(self.unknown(&error)),
        }
    }

    /// Content without partitions, by the first and last bytes.
    fn contents(&self) -> Result<Vec<Content>, Reason> {
        let ends = self.ends().map_err(|error| self.unknown(&error))?;
        let mut contents = Vec::new();
        for signature in signatures::found(&ends) {
            let because = match signature.meaning {
                Meaning::Member => Because::Member,
                Meaning::Contents if signature.what == BITLOCKER => Because::Encrypted,
                Meaning::Contents => {
                    let bytes = Some(ends.bytes());
                    contents.push(Content::of(self.path.clone(), bytes, &ends, signature));
                    continue;
                }
            };
            let help = format!(
                "name another disk, or clear it, if its data may be lost: Clear-Disk -Number {} -RemoveData",
                self.number
            );
            return Err(Reason::new(because, format!("it is {}", signature.what), help));
        }
        Ok(contents)
    }

    /// The first and last bytes, in whole sectors.
    fn ends(&self) -> io::Result<Ends> {
        let bytes = length(&self.storage.control(&self.path, LENGTH_INFO)?)?;
        let sector = u64::from(sector(&self.storage.control(&self.path, DRIVE_GEOMETRY)?)?);
        let whole = END.next_multiple_of(sector).min(bytes / sector * sector);
        let mut head = vec![0; usize::try_from(whole).unwrap_or_default()];
        let mut tail = head.clone();
        self.storage.read(&self.path, 0, &mut head)?;
        self.storage.read(&self.path, bytes / sector * sector - whole, &mut tail)?;
        Ok(Ends::new(bytes, head, tail))
    }
}

/// True if a path lies under a mount point, whose last character is a backslash.
fn is_in(path: &str, point: &str) -> bool {
    path.get(..point.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(point))
}
