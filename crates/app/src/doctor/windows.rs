//! A Windows machine as a setup, from the file that the script of `doctor --windows-script` prints there.

use iobound_explain::setup::{Fact, Layout, Mounted, Partition, Setup, SetupDisk, SetupSystem, SetupVolume};
use iobound_formats::windows::{
    FilterDriver, WindowsDisk, WindowsPartition, WindowsPhysicalDisk, WindowsSetup, WindowsSpace,
    WindowsVolume, parse_windows_setup,
};
use iobound_machine::World;
use iobound_machine::cloud::{CloudDisk, Instance, Role, Slot, ask, parse_azure};
use iobound_machine::counters::Counters;
use iobound_measure::result::DeviceFacts;
use iobound_units::Instant;

use super::disks::{DiskIdentity, fill, unseen};
use super::{Metadata, SeenMachine, cloud_of_luns, powershell};
use crate::Failure;

/// Partitions that no load goes to: their places are Windows' own.
const NO_DATA: [&str; 4] = ["Reserved", "System", "Recovery", "Space Protective"];

/// A Windows machine: its setup is in a file of a tree, or printed by PowerShell. Without a setup, its counted disks are known.
///
/// # Errors
/// A tree whose file is not a setup; a metadata service that the user named and that does not answer.
pub(super) fn look(world: &World, metadata: &Metadata) -> Result<SeenMachine, Failure> {
    let named = match metadata {
        Metadata::At(endpoint) => Some(ask(endpoint, cloud_of_luns()).map_err(|why| {
            Failure::input(format!("--metadata {endpoint}: {why}"))
                .help("on Windows, only Azure's metadata is read; write --metadata off to do without it")
        })?),
        Metadata::Auto | Metadata::Off => None,
    };
    if let Some(text) = world.windows_setup() {
        return read_setup(&text, named)
            .map_err(|why| Failure::input(format!("windows.json of the folder: {why}")));
    }
    let asks_metadata = matches!(metadata, Metadata::Auto);
    let text = powershell::collected("powershell.exe", asks_metadata);
    text.and_then(|text| read_setup(&text, named)).or_else(|why| counted_disks(world, &why))
}

/// The machine as far as its counters tell of it.
///
/// # Errors
/// There are none either.
fn counted_disks(world: &World, why: &str) -> Result<SeenMachine, Failure> {
    let counters = Counters::look_at(world, Instant::ZERO).map_err(|further| {
        Failure::io(format!("cannot read this machine's setup: {why}; {further}"))
            .help("run the script of `iobound doctor --windows-script` yourself, and give its output to doctor --setup")
    })?;
    let bare = |name| SetupDisk::bare(DeviceFacts { name, ..DeviceFacts::default() });
    let setup = Setup {
        system: SetupSystem::Windows,
        disks: counters.drives().map(bare).collect(),
        ..Setup::default()
    };
    let notes = vec![format!("the setup of the disks is unknown: {why}")];
    let facts = FACTS.iter().map(|name| Fact::unknown(name, why)).collect();
    Ok(SeenMachine { setup, facts, notes })
}

/// The machine that a file describes; `named` is the answer of a metadata service in place of the one in the file.
///
/// # Errors
/// The error in the file.
pub(super) fn read_setup(text: &str, named: Option<Instance>) -> Result<SeenMachine, String> {
    let file = parse_windows_setup(text).map_err(|error| error.to_string())?;
    let mut notes: Vec<String> = file
        .unknown
        .iter()
        .map(|name| format!("the setup file has `{name}`, which is not known here"))
        .collect();
    let instance = file.instance.as_deref().map(parse_azure).transpose();
    let instance = named.or(instance.map_err(|why| format!("Instance: {why}"))?);
    notes.extend(instance.iter().flat_map(|instance| instance.notes.clone()));
    let cloud_disks = instance.as_ref().map_or(&[][..], |instance| &instance.disks);
    let builder = WindowsReader { file: &file, instance: instance.as_ref(), cloud_disks };
    let (disks, volumes) = (builder.disks(&mut notes), builder.volumes(&mut notes));
    if file.filters.is_none() {
        notes.push(
            "filter drivers are unknown: run the script in an elevated prompt, which fltmc needs".to_string(),
        );
    }
    let scanners = file.filters.iter().flatten().filter(|filter| filter.is_antivirus());
    let setup = Setup {
        system: SetupSystem::Windows,
        cloud: instance.as_ref().map(|instance| instance.provider),
        vm: instance.as_ref().and_then(|instance| instance.size.clone()),
        disks,
        volumes,
        virus_scanners: scanners.map(|filter: &FilterDriver| filter.name.clone()).collect(),
    };
    Ok(SeenMachine { facts: facts(&file, instance.as_ref()), setup, notes })
}

/// Facts that a setup file has, and that are unknown without one.
const FACTS: [&str; 9] =
    ["cloud", "vm", "region", "zone", "vcpus", "numa_nodes", "memory_bytes", "kernel", "io_pressure"];
/// Source of the facts.
const FILE: &str = "the setup file";

fn facts(file: &WindowsSetup, instance: Option<&Instance>) -> Vec<Fact> {
    let of = |name: &'static str, value: Option<String>| match value {
        Some(value) => Fact::known(name, value, FILE),
        None => Fact::unknown(name, format!("{FILE} does not have it")),
    };
    let computer = &file.computer;
    let system: Vec<&str> =
        [&computer.system, &computer.version].into_iter().flatten().map(String::as_str).collect();
    vec![
        of("cloud", instance.map(|instance| instance.provider.name().to_string())),
        of("vm", instance.and_then(|instance| instance.size.clone())),
        of("region", instance.and_then(|instance| instance.region.clone())),
        of("zone", instance.and_then(|instance| instance.zone.clone())),
        of("vcpus", computer.processors.map(|count| count.to_string())),
        of("numa_nodes", None),
        of("memory_bytes", computer.memory_bytes.map(|bytes| bytes.to_string())),
        of("kernel", Some(system.join(" ")).filter(|system| !system.is_empty())),
        Fact::unknown("io_pressure", "Windows does not measure it"),
    ]
}

struct WindowsReader<'a> {
    file: &'a WindowsSetup,
    instance: Option<&'a Instance>,
    cloud_disks: &'a [CloudDisk],
}

/// A disk as both cmdlets have it. A disk in a pool is none that `Get-Disk` lists.
struct SeenWindowsDisk<'a> {
    physical: Option<&'a WindowsPhysicalDisk>,
    disk: Option<&'a WindowsDisk>,
}

/// Windows' name of a disk by its number.
fn drive(number: u32) -> String {
    format!("PhysicalDrive{number}")
}

/// Windows' name of a disk; its own where it has no number.
fn name_of(physical: &WindowsPhysicalDisk) -> String {
    let own = || physical.name.clone().or_else(|| physical.id.clone());
    physical.number.map(drive).or_else(own).unwrap_or_else(|| "a disk".to_string())
}

/// The number behind `LUN` in a location.
fn lun(location: &str) -> Option<u32> {
    let words: Vec<&str> = location.split_whitespace().collect();
    let at = words.iter().rposition(|word| word.eq_ignore_ascii_case("LUN"))?;
    words.get(at + 1)?.parse().ok()
}

impl SeenWindowsDisk<'_> {
    fn name(&self) -> String {
        let number = self.disk.map(|disk| drive(disk.number));
        number.or_else(|| self.physical.map(name_of)).unwrap_or_default()
    }

    /// A fact of either cmdlet; the physical disk's where both have it.
    fn of<T>(
        &self,
        physical: impl Fn(&WindowsPhysicalDisk) -> Option<T>,
        disk: impl Fn(&WindowsDisk) -> Option<T>,
    ) -> Option<T> {
        self.physical.and_then(physical).or_else(|| self.disk.and_then(disk))
    }

    fn facts(&self) -> DeviceFacts {
        let bus = self.of(|own| own.bus.clone(), |own| own.bus.clone());
        let medium = self.physical.and_then(|own| own.medium.as_deref());
        DeviceFacts {
            name: self.name(),
            kind: bus.map(|bus| if bus == "NVMe" { "nvme" } else { "scsi" }.to_string()),
            model: self.of(|own| own.name.clone(), |own| own.name.clone()),
            size_bytes: self.of(|own| own.size, |own| own.size),
            rotational: medium.and_then(|medium| match medium {
                "HDD" => Some(true),
                "SSD" => Some(false),
                _ => None,
            }),
            logical_sector: self.of(|own| own.logical_sector, |own| own.logical_sector),
            physical_sector: self.of(|own| own.physical_sector, |own| own.physical_sector),
            ..DeviceFacts::default()
        }
    }
}

impl<'a> WindowsReader<'a> {
    /// All disks that are no spaces.
    fn both(&self) -> Vec<SeenWindowsDisk<'a>> {
        let is_space = |disk: &&WindowsDisk| {
            disk.bus.as_deref() == Some("Storage Spaces")
                || self.file.spaces.iter().any(|space| space.disk == Some(disk.number))
        };
        let plain: Vec<&WindowsDisk> = self.file.disks.iter().filter(|disk| !is_space(disk)).collect();
        let of = |physical: &WindowsPhysicalDisk| {
            let same = |disk: &&&WindowsDisk| {
                physical.number == Some(disk.number) || (physical.id.is_some() && physical.id == disk.id)
            };
            plain.iter().find(same).copied()
        };
        let mut all: Vec<SeenWindowsDisk<'a>> = self
            .file
            .physical
            .iter()
            .filter(|physical| physical.bus.as_deref() != Some("Storage Spaces"))
            .map(|physical| SeenWindowsDisk { physical: Some(physical), disk: of(physical) })
            .collect();
        for disk in plain {
            if !all.iter().any(|both| both.disk.is_some_and(|own| own.number == disk.number)) {
                all.push(SeenWindowsDisk { physical: None, disk: Some(disk) });
            }
        }
        all.sort_by_key(|both| {
            (both.disk.map(|disk| disk.number).or(both.physical.and_then(|own| own.number)), both.name())
        });
        all
    }

    fn disks(&self, notes: &mut Vec<String>) -> Vec<SetupDisk> {
        let mut found: Vec<SetupDisk> = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        for both in self.both() {
            let mut disk = SetupDisk::bare(both.facts());
            // Names are how volumes refer to disks.
            if found.iter().any(|other| other.device() == disk.device()) {
                notes.push(format!("{} is listed twice: the second one is left out", disk.device()));
                continue;
            }
            disk.partitions = self.partitions(both.disk);
            disk.lun = both.of(|own| lun(own.location.as_deref()?), |own| lun(own.location.as_deref()?));
            if let Some((role, slot, source)) = self.role(&both, &disk, &slots) {
                let told = DiskIdentity { role, slot: slot.as_ref(), name: None, source };
                fill(&mut disk, cloud_of_luns(), &told, self.cloud_disks, true, notes);
                slots.extend(slot);
            } else if self.instance.is_some() {
                disk.figures.1 = "it does not look like a disk that the cloud attached".to_string();
            }
            found.push(disk);
        }
        found.extend(unseen(cloud_of_luns(), &slots, self.cloud_disks, notes));
        found
    }

    /// Disk of Azure that a disk is; `None` outside Azure, or if it can't be told.
    fn role(
        &self,
        both: &SeenWindowsDisk<'_>,
        disk: &SetupDisk,
        taken: &[Slot],
    ) -> Option<(Role, Option<Slot>, &'static str)> {
        self.instance?;
        if both.disk.is_some_and(|disk| disk.is_system) {
            return Some((Role::Os, Some(Slot::Os), "Windows runs from it"));
        }
        // Azure names the local NVMe disks `Microsoft NVMe Direct Disk`, and labels the temporary disk.
        let is_direct = disk.facts.model.as_deref().is_some_and(|model| model.contains("NVMe Direct Disk"));
        let is_temporary = both.disk.is_some_and(|own| {
            self.mounts(own.number).iter().any(|mount| mount.label.as_deref() == Some("Temporary Storage"))
        });
        if is_direct || is_temporary {
            return Some((
                Role::Local,
                None,
                if is_direct { "NVMe model" } else { "the label of its volume" },
            ));
        }
        let data: Vec<&CloudDisk> = self
            .cloud_disks
            .iter()
            .filter(|own| matches!(own.slot, Slot::Lun(_)) && own.bytes == disk.facts.size_bytes)
            .collect();
        let is_nvme = disk.facts.kind.as_deref() == Some("nvme");
        if let Some(lun) = disk.lun.filter(|_| !is_nvme) {
            let own = data.iter().find(|own| own.slot == Slot::Lun(lun))?;
            return Some((Role::Data, Some(own.slot.clone()), "LUN and size"));
        }
        // Without a LUN, any of the disks of its size will do if all of them are alike.
        let first = *data.first()?;
        let alike = |own: &&CloudDisk| {
            (&own.kind, &own.cache, own.iops, own.bytes_per_s)
                == (&first.kind, &first.cache, first.iops, first.bytes_per_s)
        };
        let free = data.iter().find(|own| !taken.contains(&own.slot)).filter(|_| data.iter().all(alike))?;
        Some((Role::Data, Some(free.slot.clone()), "size: all data disks of this size are alike"))
    }

    /// Partitions that data is on.
    fn partitions(&self, disk: Option<&WindowsDisk>) -> Vec<Partition> {
        let Some(number) = disk.map(|disk| disk.number) else { return Vec::new() };
        let name = |partition: &WindowsPartition| match (partition.paths.first(), partition.number) {
            (Some(path), _) if path.len() == 3 => {
                format!("{} of {}", path.trim_end_matches('\\'), drive(number))
            }
            (_, Some(own)) => format!("partition {own} of {}", drive(number)),
            _ => format!("a partition of {}", drive(number)),
        };
        self.data_partitions(number)
            .map(|partition| Partition { device: name(partition), start_bytes: partition.offset })
            .collect()
    }

    fn data_partitions(&self, disk: u32) -> impl Iterator<Item = &'a WindowsPartition> {
        let is_data = |partition: &&WindowsPartition| {
            partition
                .kind
                .as_deref()
                .is_none_or(|kind| NO_DATA.iter().all(|own| !own.eq_ignore_ascii_case(kind)))
        };
        self.file.partitions.iter().filter(move |partition| partition.disk == disk).filter(is_data)
    }

    /// The file systems on a disk.
    fn mounts(&self, disk: u32) -> Vec<Mounted> {
        let of = |partition: &'a WindowsPartition| {
            let same =
                |volume: &&WindowsVolume| volume.paths.iter().any(|path| partition.paths.contains(path));
            let volume = self.file.volumes.iter().find(same)?;
            let point = partition.paths.first().or(volume.paths.first())?.clone();
            Some(Mounted {
                point,
                filesystem: volume.filesystem.clone()?,
                options: Vec::new(),
                start_bytes: partition.offset,
                label: volume.label.clone(),
                allocation_unit: volume.allocation_unit,
            })
        };
        self.data_partitions(disk).filter_map(of).collect()
    }

    /// Spaces, and disks with file systems.
    fn volumes(&self, notes: &mut Vec<String>) -> Vec<SetupVolume> {
        let mut volumes: Vec<SetupVolume> =
            self.file.spaces.iter().map(|space| self.space(space, notes)).collect();
        for both in self.both() {
            let mounts = both.disk.map_or_else(Vec::new, |disk| self.mounts(disk.number));
            if !mounts.is_empty() {
                volumes.push(SetupVolume {
                    name: both.name(),
                    device: both.name(),
                    kind: "disk".to_string(),
                    layout: Layout::Single,
                    told_by: "Get-Partition".to_string(),
                    disks: vec![both.name()],
                    read_ahead_kib: None,
                    mounts,
                });
            }
        }
        volumes.sort_by(|one, other| other.disks.len().cmp(&one.disks.len()).then(one.name.cmp(&other.name)));
        volumes
    }

    fn space(&self, space: &WindowsSpace, notes: &mut Vec<String>) -> SetupVolume {
        let pool = self.file.pools.iter().find(|pool| pool.name.is_some() && pool.name == space.pool);
        let members = match (&space.members[..], pool) {
            ([], Some(pool)) => &pool.members,
            _ => &space.members,
        };
        let known = |id: &String| self.file.physical.iter().find(|disk| disk.id.as_ref() == Some(id));
        let mut disks: Vec<String> = members.iter().filter_map(known).map(name_of).collect();
        disks.sort();
        disks.dedup();
        if disks.len() < members.len() || members.is_empty() {
            notes.push(format!(
                "{}: {} of its {} disks are in the setup file",
                space.name,
                disks.len(),
                if members.is_empty() { "unknown number of".to_string() } else { members.len().to_string() }
            ));
        }
        let resiliency = space.resiliency.as_deref().unwrap_or("unknown").to_ascii_lowercase();
        let layout = match (resiliency.as_str(), space.columns, space.interleave) {
            ("mirror", ..) => Layout::Mirrored,
            ("parity", ..) => Layout::Parity,
            ("simple", Some(columns @ 1..), Some(_)) if disks.len() == 1 && columns == 1 => Layout::Single,
            ("simple", Some(columns @ 1..), Some(interleave @ 1..)) => {
                Layout::Striped { columns, interleave }
            }
            ("simple", ..) => Layout::Unknown {
                why: "Get-VirtualDisk gives no NumberOfColumns or no Interleave".to_string(),
            },
            (other, ..) => Layout::Unknown { why: format!("the resiliency setting {other} is not known") },
        };
        SetupVolume {
            name: space.name.clone(),
            device: space.disk.map_or_else(|| format!("space {}", space.name), drive),
            kind: format!("{resiliency} space"),
            layout,
            told_by: "Get-VirtualDisk".to_string(),
            disks,
            read_ahead_kib: None,
            mounts: space.disk.map_or_else(Vec::new, |disk| self.mounts(disk)),
        }
    }
}
