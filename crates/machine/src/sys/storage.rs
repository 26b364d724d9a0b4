//! Windows' answers about disks and volumes, and what the bytes of these answers mean. Layouts and codes are those of
//! `winioctl.h`, as Microsoft documents them.

use std::io;

/// Questions about the disks and volumes of a Windows machine.
pub(crate) trait Storage {
    /// Answer of a disk (`\\.\PhysicalDrive2`) or volume (`\\?\Volume{...}`) to a control code without input.
    ///
    /// # Errors
    /// As `DeviceIoControl`.
    fn control(&self, device: &str, code: u32) -> io::Result<Vec<u8>>;

    /// Names of all volumes, each with a backslash at its end: `\\?\Volume{...}\`.
    ///
    /// # Errors
    /// As `FindFirstVolumeW`.
    fn volumes(&self) -> io::Result<Vec<String>>;

    /// Drive letters and folders at which a volume is mounted: `E:\`.
    ///
    /// # Errors
    /// As `GetVolumePathNamesForVolumeNameW`.
    fn mount_points(&self, volume: &str) -> io::Result<Vec<String>>;

    /// Name of the file system of a volume; `None` if Windows recognises none.
    ///
    /// # Errors
    /// As `GetVolumeInformationW`, for instance for a BitLocker volume that is locked.
    fn filesystem(&self, volume: &str) -> io::Result<Option<String>>;

    /// Folder of Windows: `C:\Windows`.
    ///
    /// # Errors
    /// As `GetSystemWindowsDirectoryW`.
    fn windows_folder(&self) -> io::Result<String>;

    /// Page files: `C:\pagefile.sys`.
    ///
    /// # Errors
    /// The registry cannot be read.
    fn page_files(&self) -> io::Result<Vec<String>>;

    /// Reads whole sectors of a disk.
    ///
    /// # Errors
    /// As `ReadFile`; also if the disk ends before.
    fn read(&self, disk: &str, offset: u64, into: &mut [u8]) -> io::Result<()>;
}

/// `IOCTL_DISK_IS_WRITABLE`.
pub(crate) const IS_WRITABLE: u32 = 0x0007_0024;
/// `IOCTL_DISK_GET_DRIVE_LAYOUT_EX`.
pub(crate) const DRIVE_LAYOUT: u32 = 0x0007_0050;
/// `IOCTL_DISK_GET_DRIVE_GEOMETRY_EX`.
pub(crate) const DRIVE_GEOMETRY: u32 = 0x0007_00a0;
/// `IOCTL_DISK_GET_DISK_ATTRIBUTES`.
pub(crate) const DISK_ATTRIBUTES: u32 = 0x0007_00f0;
/// `IOCTL_DISK_GET_LENGTH_INFO`.
pub(crate) const LENGTH_INFO: u32 = 0x0007_405c;
/// `IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS`.
pub(crate) const VOLUME_EXTENTS: u32 = 0x0056_0000;
/// `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
#[cfg_attr(not(windows), allow(dead_code, reason = "Windows alone has such handles"))]
pub(crate) const DEVICE_NUMBER: u32 = 0x002d_1080;

/// `ERROR_INVALID_FUNCTION`, `ERROR_NOT_READY`, `ERROR_NO_MEDIA_IN_DRIVE`: answers of drives for optical and removable media,
/// whose volumes are on no disk.
const ON_NO_DISK: [i32; 3] = [1, 21, 1112];
/// `ERROR_WRITE_PROTECT`.
const WRITE_PROTECTED: i32 = 19;

/// Path of a disk.
pub(crate) fn disk_path(number: u32) -> String {
    format!(r"\\.\PhysicalDrive{number}")
}

/// Number of a disk in a name of it: `#2`, `\\.\PhysicalDrive2`, `//./physicaldrive2`, `\\?\PhysicalDrive2`.
#[cfg_attr(not(windows), allow(dead_code, reason = "on other systems these are names of files"))]
pub(crate) fn disk_number(name: &str) -> Option<u32> {
    const DRIVE: &str = "PhysicalDrive";
    let digits = match name.strip_prefix('#') {
        Some(digits) => digits,
        None => {
            let rest = [r"\\.\", "//./", r"\\?\"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
            let (drive, digits) = rest.split_at_checked(DRIVE.len())?;
            Some(digits).filter(|_| drive.eq_ignore_ascii_case(DRIVE))?
        }
    };
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A partition of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) number: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: PartitionKind,
}

/// Type of a partition in its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartitionKind {
    /// The type byte, and whether the firmware starts from it.
    Mbr { kind: u8, is_active: bool },
    /// The type as text, in capitals.
    Gpt(String),
    /// None: the disk has no table.
    Raw,
}

/// An answer that is shorter than its own numbers say.
fn short() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "Windows' answer has an unknown form")
}

fn u32_at(bytes: &[u8], at: usize) -> io::Result<u32> {
    let field = bytes.get(at..at + 4).and_then(|field| field.try_into().ok());
    field.map(u32::from_le_bytes).ok_or_else(short)
}

fn u64_at(bytes: &[u8], at: usize) -> io::Result<u64> {
    let field = bytes.get(at..at + 8).and_then(|field| field.try_into().ok());
    field.map(u64::from_le_bytes).ok_or_else(short)
}

/// A GUID as text: its first three fields are numbers, little endian.
fn guid_at(bytes: &[u8], at: usize) -> io::Result<String> {
    let g = bytes.get(at..at + 16).ok_or_else(short)?;
    let hex =
        |bytes: &mut dyn Iterator<Item = &u8>| bytes.map(|byte| format!("{byte:02X}")).collect::<String>();
    Ok([
        hex(&mut g[..4].iter().rev()),
        hex(&mut g[4..6].iter().rev()),
        hex(&mut g[6..8].iter().rev()),
        hex(&mut g[8..10].iter()),
        hex(&mut g[10..].iter()),
    ]
    .join("-"))
}

/// Partitions of a `DRIVE_LAYOUT_INFORMATION_EX`, without unused entries of an MBR.
///
/// # Errors
/// Returns an error if the answer has another form.
pub(crate) fn partitions(layout: &[u8]) -> io::Result<Vec<Partition>> {
    /// Offset of the first `PARTITION_INFORMATION_EX`, and its size.
    const FIRST: usize = 48;
    const ENTRY: usize = 144;
    let (style, count) = (u32_at(layout, 0)?, u32_at(layout, 4)? as usize);
    let mut found = Vec::new();
    for n in 0..count {
        let entry = n.checked_mul(ENTRY).and_then(|at| layout.get(FIRST + at..)).ok_or_else(short)?;
        let kind = match style {
            0 => {
                let rest = entry.get(32..34).ok_or_else(short)?;
                PartitionKind::Mbr { kind: rest[0], is_active: rest[1] != 0 }
            }
            1 => PartitionKind::Gpt(guid_at(entry, 32)?),
            2 => PartitionKind::Raw,
            _ => return Err(short()),
        };
        let bytes = u64_at(entry, 16)?;
        // `PARTITION_ENTRY_UNUSED`, in tables of four entries.
        let is_unused = matches!(kind, PartitionKind::Mbr { kind: 0, .. }) || bytes == 0;
        if !is_unused {
            found.push(Partition { number: u32_at(entry, 24)?, offset: u64_at(entry, 8)?, bytes, kind });
        }
    }
    Ok(found)
}

/// Numbers of the disks of a `VOLUME_DISK_EXTENTS`.
///
/// # Errors
/// Returns an error if the answer has another form.
fn disks_of_extents(extents: &[u8]) -> io::Result<Vec<u32>> {
    let count = u32_at(extents, 0)? as usize;
    (0..count).map(|n| n.checked_mul(24).ok_or_else(short).and_then(|at| u32_at(extents, 8 + at))).collect()
}

/// Volumes that lie on a disk, wholly or in part.
///
/// # Errors
/// Returns an error if Windows does not say where a volume lies: it could be on this disk.
pub(crate) fn volumes_on(storage: &dyn Storage, number: u32) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for volume in storage.volumes()? {
        match storage.control(volume.trim_end_matches('\\'), VOLUME_EXTENTS) {
            Ok(extents) if disks_of_extents(&extents)?.contains(&number) => found.push(volume),
            Ok(_) => {}
            Err(error) if error.raw_os_error().is_some_and(|code| ON_NO_DISK.contains(&code)) => {}
            Err(error) => {
                let why = format!("Windows does not say on which disk the volume {volume} is: {error}");
                return Err(io::Error::new(error.kind(), why));
            }
        }
    }
    Ok(found)
}

/// True if a disk is offline, by its `GET_DISK_ATTRIBUTES`.
///
/// # Errors
/// Returns an error if the answer has another form.
pub(crate) fn is_offline(attributes: &[u8]) -> io::Result<bool> {
    /// `DISK_ATTRIBUTE_OFFLINE`.
    const OFFLINE: u64 = 1;
    Ok(u64_at(attributes, 8)? & OFFLINE != 0)
}

/// True if a disk takes writes.
///
/// # Errors
/// As `DeviceIoControl`.
pub(crate) fn is_writable(storage: &dyn Storage, disk: &str) -> io::Result<bool> {
    match storage.control(disk, IS_WRITABLE) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(WRITE_PROTECTED) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Size of a disk in bytes, by its `GET_LENGTH_INFORMATION`.
///
/// # Errors
/// Returns an error if the answer has another form.
pub(crate) fn length(answer: &[u8]) -> io::Result<u64> {
    u64_at(answer, 0)
}

/// Bytes of a logical sector, by a `DISK_GEOMETRY_EX`.
///
/// # Errors
/// Returns an error if the answer has another form.
pub(crate) fn sector(geometry: &[u8]) -> io::Result<u32> {
    u32_at(geometry, 20).and_then(|bytes| if bytes.is_power_of_two() { Ok(bytes) } else { Err(short()) })
}
