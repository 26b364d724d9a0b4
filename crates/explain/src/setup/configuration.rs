use iobound_catalog::{CacheSetting, Catalog, CatalogError, Configuration, parse_spec, resolve};
use iobound_units::Bytes;

use super::{Layout, Setup, SetupDisk, SetupVolume, Use};

/// The configuration that a setup is, in the words that every verb reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// `vm`; `None` where the size is unknown, or the catalogue does not have it.
    pub vm: Option<String>,
    /// `os-disk`, with the device that it is.
    pub os_disk: Option<ProposedVolume>,
    /// Each `[[disk]]`.
    pub volumes: Vec<ProposedVolume>,
    /// `stripe`.
    pub interleave: Option<Bytes>,
    /// `columns`.
    pub columns: Option<u32>,
    /// `partition-offset`.
    pub partition_offset: Option<Bytes>,
    /// Facts that options cannot express, and parts left out.
    pub notes: Vec<String>,
}

/// A `[[disk]]`, and the devices that it stands for, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedVolume {
    /// Its name.
    pub name: String,
    /// As `--disk` has it, with its name: `md0=4xP30:readonly`.
    pub spec: String,
    /// The kernel's names.
    pub devices: Vec<String>,
}

impl ProposedVolume {
    /// The devices with the names that their disks have in every output: `data`, `data.0`.
    pub fn disk_names(&self) -> impl Iterator<Item = (&str, String)> {
        let is_one = self.devices.len() == 1;
        self.devices.iter().enumerate().map(move |(index, device)| {
            (device.as_str(), if is_one { self.name.clone() } else { format!("{}.{index}", self.name) })
        })
    }
}

impl Proposal {
    /// True if there is something to ask about: a VM size and a disk.
    pub fn is_whole(&self) -> bool {
        self.vm.is_some() && (self.os_disk.is_some() || !self.volumes.is_empty())
    }

    /// Every device with the name that its disk has in every output.
    pub fn disk_names(&self) -> Vec<(&str, String)> {
        self.os_disk.iter().chain(&self.volumes).flat_map(ProposedVolume::disk_names).collect()
    }
}

/// The configuration that a setup is, as far as the catalogue has its parts.
pub fn propose(setup: &Setup, catalog: &Catalog) -> Proposal {
    let mut proposal = Proposal::default();
    if let Some(vm) = &setup.vm {
        proposal.vm = named(setup, catalog, vm);
        if proposal.vm.is_none() {
            proposal.notes.push(format!("the catalogue has no {vm}: give a similar size with --vm"));
        }
    }
    let builder = Builder { setup, catalog, vm: proposal.vm.clone() };
    for disk in setup.disks.iter().filter(|disk| disk.used_for == Some(Use::Os)) {
        proposal.os_disk = builder.volume("os", &[disk], &mut proposal.notes);
    }
    let mut striped: Vec<(&SetupVolume, u32, u64)> = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    for volume in &setup.volumes {
        let disks: Vec<&SetupDisk> = volume.disks.iter().filter_map(|name| setup.disk(name)).collect();
        let is_free = |disk: &&SetupDisk| disk.used_for == Some(Use::Data) && !used.contains(&disk.device());
        if disks.is_empty() || disks.len() < volume.disks.len() || !disks.iter().all(is_free) {
            continue;
        }
        used.extend(disks.iter().map(|disk| disk.device()));
        let name = word(&volume.name);
        match &volume.layout {
            Layout::Striped { columns, interleave } => striped.push((volume, *columns, *interleave)),
            Layout::Single => {}
            Layout::Linear => {
                proposal.notes.push(format!(
                    "{} is linear over {} disks: each is modelled as a volume, because only one has the load at a time",
                    volume.name,
                    disks.len()
                ));
                for (index, disk) in disks.iter().enumerate() {
                    let name = format!("{name}-{index}");
                    proposal.volumes.extend(builder.volume(&name, &[disk], &mut proposal.notes));
                }
                continue;
            }
            Layout::Mirrored | Layout::Parity | Layout::Unknown { .. } => {
                proposal.notes.push(format!(
                    "{} ({}) is assumed to be a stripe over its {} disks",
                    volume.name,
                    volume.kind,
                    disks.len()
                ));
            }
        }
        proposal.volumes.extend(builder.volume(&name, &disks, &mut proposal.notes));
    }
    for disk in setup.disks.iter().filter(|disk| disk.used_for == Some(Use::Data)) {
        if !used.contains(&disk.device()) {
            let name = disk.lun.map_or_else(|| word(disk.device()), |lun| format!("lun{lun}"));
            proposal.volumes.extend(builder.volume(&name, &[disk], &mut proposal.notes));
        }
    }
    geometry(&striped, &mut proposal);
    proposal
}

/// The size's name as the catalogue has it: by its disk interface, where it has limits of both.
fn named(setup: &Setup, catalog: &Catalog, vm: &str) -> Option<String> {
    let era = iobound_catalog::Era::current();
    let is_nvme = setup
        .disks
        .iter()
        .any(|disk| disk.used_for == Some(Use::Data) && disk.facts.kind.as_deref() == Some("nvme"));
    let interface = if is_nvme { "NVMe" } else { "SCSI" };
    let exact = format!("{vm}:{interface}");
    if catalog.vm(&exact, era).is_ok() {
        return Some(exact);
    }
    catalog.vm(vm, era).ok().map(|_| vm.to_string())
}

struct Builder<'a> {
    setup: &'a Setup,
    catalog: &'a Catalog,
    vm: Option<String>,
}

impl Builder<'_> {
    /// Disks as one volume; `None`, with the reason noted, where they can't be.
    fn volume(&self, name: &str, disks: &[&SetupDisk], notes: &mut Vec<String>) -> Option<ProposedVolume> {
        let of = |device: &str| format!("{name} ({device})");
        let smallest = disks.iter().min_by_key(|disk| disk.facts.size_bytes)?;
        let unknown: Vec<&&SetupDisk> = disks.iter().filter(|disk| disk.spec.is_none()).collect();
        if let Some(disk) = unknown.first() {
            // Of another cloud's disks nothing is known, which is said once and not of each.
            if self.setup.vm.is_some() {
                notes.push(format!("{} is left out: {}", of(disk.device()), disk.figures.1));
            }
            return None;
        }
        let spec = smallest.spec.as_ref()?;
        if disks.iter().any(|disk| disk.spec != smallest.spec) {
            notes.push(format!("{name} has unequal disks: all are modelled as its smallest, {spec}"));
        }
        let cache = smallest.cache.unwrap_or_default();
        if disks.iter().any(|disk| disk.cache != smallest.cache) {
            notes.push(format!(
                "{name} has disks with different host caches: all are modelled as {}",
                cache.name()
            ));
        }
        let count = if disks.len() > 1 { format!("{}x", disks.len()) } else { String::new() };
        let plain = format!("{name}={count}{spec}");
        let devices = disks.iter().map(|disk| disk.device().to_string()).collect();
        if cache != CacheSetting::None {
            let spec = format!("{plain}:{}", cache.name());
            match self.refused(&spec) {
                None => return Some(ProposedVolume { name: name.to_string(), spec, devices }),
                Some(why) => {
                    notes.push(format!("{name}: its host cache {} is left out: {why}", cache.name()))
                }
            }
        }
        match self.refused(&plain) {
            None => Some(ProposedVolume { name: name.to_string(), spec: plain, devices }),
            Some(why) => {
                notes.push(format!("{} is left out: {why}", of(smallest.device())));
                None
            }
        }
    }

    /// Reason why a volume can't be had on this VM, as far as the volume itself is the reason.
    fn refused(&self, spec: &str) -> Option<String> {
        let request = match parse_spec(spec) {
            Ok(request) => request,
            Err(error) => return Some(error.to_string()),
        };
        let vm = self.vm.as_deref()?;
        let with = Configuration { volumes: vec![request], ..Configuration::of(vm) };
        match resolve(&with, self.catalog).err()? {
            // Since v5 most sizes have no published limit of cached I/O, and a disk without cache has others.
            CatalogError::UnknownLimit { missing, .. }
                if missing.iter().any(|limit| limit.starts_with("cached")) =>
            {
                Some("the VM's limit of cached I/O is not published".to_string())
            }
            // Other unknown facts about the VM do not concern the disk.
            CatalogError::UnknownLimit { of, .. } if of.starts_with(vm.split(':').next().unwrap_or(vm)) => {
                None
            }
            error => Some(error.to_string()),
        }
    }
}

/// Interleave, columns and offset are those of the whole configuration: the largest stripe's, and what differs is noted.
fn geometry(striped: &[(&SetupVolume, u32, u64)], proposal: &mut Proposal) {
    let Some((largest, columns, interleave)) = striped.iter().max_by_key(|(volume, ..)| volume.disks.len())
    else {
        return;
    };
    proposal.interleave = Some(Bytes(*interleave));
    for (volume, _, other) in striped.iter().filter(|(_, _, other)| other != interleave) {
        proposal.notes.push(format!(
            "{} has an interleave of {}; {}, the interleave of {}, is used for all",
            volume.name,
            Bytes(*other),
            Bytes(*interleave),
            largest.name
        ));
    }
    if striped.iter().any(|(volume, columns, _)| (*columns as usize) < volume.disks.len()) {
        let divides = |volume: &ProposedVolume| {
            volume.devices.len().checked_rem(*columns as usize).is_some_and(|rest| rest == 0)
        };
        if proposal.volumes.iter().all(divides) {
            proposal.columns = Some(*columns);
        } else {
            proposal.notes.push(format!(
                "{} has {columns} columns on {} disks: it is left out, because a configuration has one number of \
                 columns and the other volumes differ",
                largest.name,
                largest.disks.len()
            ));
        }
    }
    let offset = largest.mounts.iter().map(|mount| mount.start_bytes).max().unwrap_or(0);
    proposal.partition_offset = (offset > 0).then_some(Bytes(offset));
}

/// A name that a volume of a configuration can have.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    let word: String = name.chars().take(60).map(plain).collect();
    if word.is_empty() { "disk".to_string() } else { word }
}
