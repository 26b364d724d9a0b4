//! The storage setup of a Windows machine, as the script [`COLLECT`] prints it: the objects of Windows' own storage cmdlets
//! as JSON. Classes and enumerations: <https://learn.microsoft.com/windows-hardware/drivers/storage/msft-physicaldisk>,
//! `msft-virtualdisk`, `msft-storagepool`, `msft-disk`, `msft-partition` and `msft-volume` beside it.

mod filters;
mod value;

use iobound_units::Problem;

use serde_json::Value;

pub use filters::FilterDriver;
use value::{PowerShellObject, items};

/// The script for PowerShell that prints the setup of the machine where it runs.
pub const COLLECT: &str = include_str!("collect.ps1");

/// The parts of a file; a file has at least one of those that name disks.
const PARTS: [&str; 9] = [
    "Computer",
    "Instance",
    "Get-PhysicalDisk",
    "Get-VirtualDisk",
    "Get-StoragePool",
    "Get-Disk",
    "Get-Partition",
    "Get-Volume",
    "fltmc",
];

/// The storage setup of a Windows machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowsSetup {
    /// The machine itself.
    pub computer: WindowsComputer,
    /// The answer of Azure's metadata service, as JSON; `None` outside Azure.
    pub instance: Option<String>,
    /// All disks that a driver shows, those in pools too.
    pub physical: Vec<WindowsPhysicalDisk>,
    /// Storage Spaces.
    pub spaces: Vec<WindowsSpace>,
    /// Pools of Storage Spaces.
    pub pools: Vec<WindowsPool>,
    /// Disks that can have partitions: no members of pools, but the spaces on them.
    pub disks: Vec<WindowsDisk>,
    /// Partitions.
    pub partitions: Vec<WindowsPartition>,
    /// Volumes.
    pub volumes: Vec<WindowsVolume>,
    /// Filter drivers; `None` if they could not be listed.
    pub filters: Option<Vec<FilterDriver>>,
    /// Parts of the file that are not known.
    pub unknown: Vec<String>,
}

/// The machine itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowsComputer {
    /// `Microsoft Windows Server 2022 Datacenter`.
    pub system: Option<String>,
    /// `10.0.20348`.
    pub version: Option<String>,
    /// Logical processors.
    pub processors: Option<u64>,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
}

/// A disk, as `Get-PhysicalDisk` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsPhysicalDisk {
    /// Its number, as in `\\.\PhysicalDrive2`.
    pub number: Option<u32>,
    /// Its name.
    pub name: Option<String>,
    /// Its identity, which spaces and pools name it by.
    pub id: Option<String>,
    /// `SAS`, `NVMe`.
    pub bus: Option<String>,
    /// `HDD`, `SSD`, `Unspecified`.
    pub medium: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Its smallest I/O, in bytes.
    pub logical_sector: Option<u32>,
    /// Its own sector, in bytes.
    pub physical_sector: Option<u32>,
    /// Location on the bus: `Integrated : Adapter 3 : Port 0 : Target 0 : LUN 1`.
    pub location: Option<String>,
}

/// A space, as `Get-VirtualDisk` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsSpace {
    /// Its name.
    pub name: String,
    /// `Simple`, `Mirror`, `Parity`.
    pub resiliency: Option<String>,
    /// Disks that one stripe spans.
    pub columns: Option<u32>,
    /// Copies of all data.
    pub copies: Option<u32>,
    /// Bytes on one column before the next.
    pub interleave: Option<u64>,
    /// The number of the disk that it is.
    pub disk: Option<u32>,
    /// Its pool.
    pub pool: Option<String>,
    /// Identities of its disks.
    pub members: Vec<String>,
}

/// A pool, as `Get-StoragePool` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsPool {
    /// Its name.
    pub name: Option<String>,
    /// Identities of its disks.
    pub members: Vec<String>,
}

/// A disk that can have partitions, as `Get-Disk` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsDisk {
    /// Its number, as in `\\.\PhysicalDrive2`.
    pub number: u32,
    /// Its name.
    pub name: Option<String>,
    /// Its identity.
    pub id: Option<String>,
    /// `SAS`, `Storage Spaces`.
    pub bus: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Its smallest I/O, in bytes.
    pub logical_sector: Option<u32>,
    /// Its own sector, in bytes.
    pub physical_sector: Option<u32>,
    /// Location on the bus.
    pub location: Option<String>,
    /// True if Windows runs from it, or starts from it.
    pub is_system: bool,
}

/// A partition, as `Get-Partition` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsPartition {
    /// The number of its disk.
    pub disk: u32,
    /// Its number there.
    pub number: Option<u32>,
    /// Start in bytes.
    pub offset: u64,
    /// `Basic`, `Reserved`, `System`.
    pub kind: Option<String>,
    /// Paths of its volume: `F:\`, `\\?\Volume{...}\`.
    pub paths: Vec<String>,
}

/// A volume, as `Get-Volume` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsVolume {
    /// Its paths: `F:\`, `\\?\Volume{...}\`.
    pub paths: Vec<String>,
    /// `NTFS`, `ReFS`.
    pub filesystem: Option<String>,
    /// Its label.
    pub label: Option<String>,
    /// Bytes that are allocated at once.
    pub allocation_unit: Option<u64>,
}

/// A value that is not what its place is for.
fn odd(place: &str, value: &Value, wanted: &str) -> Problem {
    let shown: String = value.to_string().chars().take(60).collect();
    Problem::new(format!("{place}: {shown} is not {wanted}"))
}

/// Values of `BusType`.
const BUSES: [(u64, &str); 16] = [
    (1, "SCSI"),
    (2, "ATAPI"),
    (3, "ATA"),
    (4, "1394"),
    (5, "SSA"),
    (6, "Fibre Channel"),
    (7, "USB"),
    (8, "RAID"),
    (9, "iSCSI"),
    (10, "SAS"),
    (11, "SATA"),
    (12, "SD"),
    (13, "MMC"),
    (15, "File Backed Virtual"),
    (16, "Storage Spaces"),
    (17, "NVMe"),
];

/// Values of `MediaType`.
const MEDIA: [(u64, &str); 4] = [(0, "Unspecified"), (3, "HDD"), (4, "SSD"), (5, "SCM")];

/// Values of `FileSystemType`.
const FILE_SYSTEMS: [(u64, &str); 9] = [
    (4, "FAT"),
    (5, "FAT16"),
    (6, "FAT32"),
    (7, "NTFS"),
    (8, "NTFS"),
    (14, "NTFS"),
    (15, "ReFS"),
    (0x8000, "CSVFS_NTFS"),
    (0x8001, "CSVFS_ReFS"),
];

/// Reads what [`COLLECT`] prints. Names of parts are taken in any case, with or without `Get-` and a plural's `s`.
///
/// # Errors
/// Text that is no JSON or names no disks; a value of another type than its cmdlet has.
pub fn parse_windows_setup(text: &str) -> Result<WindowsSetup, Problem> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| Problem::new(format!("it is not JSON: {error}")))?;
    let Value::Object(parts) = &document else {
        return Err(odd("the file", &document, "an object"));
    };
    let part =
        |wanted: &str| parts.iter().find(|(name, _)| plain(name) == plain(wanted)).map(|(_, value)| value);
    if ["Get-Disk", "Get-PhysicalDisk", "Get-VirtualDisk"].iter().all(|name| items(part(name)).is_empty()) {
        return Err(Problem::new(
            "it has no disks: neither Get-Disk, Get-PhysicalDisk nor Get-VirtualDisk".to_string(),
        ));
    }
    let records = |name: &str| PowerShellObject::all(name, part(name));
    let lines: Vec<String> =
        items(part("fltmc")).into_iter().filter_map(|line| line.as_str().map(str::to_string)).collect();
    let each = PowerShellObject::all("Computer", part("Computer"))?;
    Ok(WindowsSetup {
        computer: each.first().map(computer).transpose()?.unwrap_or_default(),
        instance: part("Instance").filter(|value| value.is_object()).map(Value::to_string),
        physical: records("Get-PhysicalDisk")?.iter().map(physical).collect::<Result<_, _>>()?,
        spaces: records("Get-VirtualDisk")?.iter().map(space).collect::<Result<_, _>>()?,
        pools: records("Get-StoragePool")?.iter().map(pool).collect::<Result<_, _>>()?,
        disks: some(records("Get-Disk")?.iter().map(disk))?,
        partitions: some(records("Get-Partition")?.iter().map(partition))?,
        volumes: records("Get-Volume")?.iter().map(volume).collect::<Result<_, _>>()?,
        filters: filters::filters(&lines),
        unknown: parts
            .keys()
            .filter(|name| PARTS.iter().all(|known| plain(known) != plain(name)))
            .cloned()
            .collect(),
    })
}

/// The objects that have what they are known by.
fn some<T>(all: impl Iterator<Item = Result<Option<T>, Problem>>) -> Result<Vec<T>, Problem> {
    all.filter_map(Result::transpose).collect()
}

/// A part's name in small letters, without `get` and a plural's `s`.
fn plain(name: &str) -> String {
    let letters: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let letters = letters.strip_prefix("get").map_or(letters.clone(), str::to_string);
    letters.strip_suffix('s').map_or(letters.clone(), str::to_string)
}

fn computer(of: &PowerShellObject<'_>) -> Result<WindowsComputer, Problem> {
    Ok(WindowsComputer {
        system: of.text("System")?,
        version: of.text("Version")?,
        processors: of.number("LogicalProcessors")?,
        memory_bytes: of.number("MemoryBytes")?,
    })
}

fn physical(of: &PowerShellObject<'_>) -> Result<WindowsPhysicalDisk, Problem> {
    Ok(WindowsPhysicalDisk {
        // A text there, and in clusters of several machines no number.
        number: of.text("DeviceId")?.and_then(|text| text.parse().ok()),
        name: of.text("FriendlyName")?,
        id: of.text("UniqueId")?,
        bus: of.named("BusType", &BUSES)?,
        medium: of.named("MediaType", &MEDIA)?,
        size: of.number("Size")?,
        logical_sector: of.small("LogicalSectorSize")?,
        physical_sector: of.small("PhysicalSectorSize")?,
        location: of.text("PhysicalLocation")?,
    })
}

fn space(of: &PowerShellObject<'_>) -> Result<WindowsSpace, Problem> {
    let name = of.text("FriendlyName")?.or(of.text("UniqueId")?);
    Ok(WindowsSpace {
        name: name.unwrap_or_else(|| "a space".to_string()),
        resiliency: of.text("ResiliencySettingName")?,
        columns: of.small("NumberOfColumns")?,
        copies: of.small("NumberOfDataCopies")?,
        interleave: of.number("Interleave")?,
        disk: of.small("DiskNumber")?,
        pool: of.text("StoragePool")?,
        members: of.texts("PhysicalDisks")?,
    })
}

fn pool(of: &PowerShellObject<'_>) -> Result<WindowsPool, Problem> {
    Ok(WindowsPool { name: of.text("FriendlyName")?, members: of.texts("PhysicalDisks")? })
}

fn disk(of: &PowerShellObject<'_>) -> Result<Option<WindowsDisk>, Problem> {
    let number = of.small("Number")?.map_or_else(|| of.small("DiskNumber"), |number| Ok(Some(number)))?;
    let Some(number) = number else { return Ok(None) };
    Ok(Some(WindowsDisk {
        number,
        name: of.text("FriendlyName")?,
        id: of.text("UniqueId")?,
        bus: of.named("BusType", &BUSES)?,
        size: of.number("Size")?,
        logical_sector: of.small("LogicalSectorSize")?,
        physical_sector: of.small("PhysicalSectorSize")?,
        location: of.text("Location")?,
        is_system: of.truth("IsBoot")? || of.truth("IsSystem")?,
    }))
}

fn partition(of: &PowerShellObject<'_>) -> Result<Option<WindowsPartition>, Problem> {
    let (Some(disk), Some(offset)) = (of.small("DiskNumber")?, of.number("Offset")?) else { return Ok(None) };
    Ok(Some(WindowsPartition {
        disk,
        number: of.small("PartitionNumber")?,
        offset,
        kind: of.text("Type")?,
        paths: paths(of, "AccessPaths")?,
    }))
}

fn volume(of: &PowerShellObject<'_>) -> Result<WindowsVolume, Problem> {
    let named = of.text("FileSystem")?;
    Ok(WindowsVolume {
        paths: paths(of, "Path")?,
        filesystem: named.map_or_else(|| of.named("FileSystemType", &FILE_SYSTEMS), |name| Ok(Some(name)))?,
        label: of.text("FileSystemLabel")?,
        allocation_unit: of.number("AllocationUnitSize")?.filter(|bytes| *bytes > 0),
    })
}

/// Paths of a partition or volume: its drive, and the paths under a key. A drive letter is one character, which can
/// stand as its number.
fn paths(of: &PowerShellObject<'_>, key: &str) -> Result<Vec<String>, Problem> {
    let letter = of.text("DriveLetter")?.and_then(|text| {
        let code = text.parse::<u8>().ok().filter(u8::is_ascii_alphabetic).map(char::from);
        code.or_else(|| text.chars().next().filter(char::is_ascii_alphabetic))
    });
    let drive = letter.map(|letter| format!("{}:\\", letter.to_ascii_uppercase()));
    let mut paths: Vec<String> = drive.into_iter().collect();
    for path in of.texts(key)? {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}
