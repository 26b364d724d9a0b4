//! Mapping of devices to disks and volumes of the configuration.

use iobound_catalog::Resolved;
use iobound_formats::observation::{DeviceKind, Role};

use crate::failure::Failure;

/// Less than this of the busiest one's I/O is what an operating system does at rest.
const AT_REST: f64 = 0.01;
/// Number of names listed in an error.
const LISTED: usize = 12;

/// A device that may be one of the configuration's.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// I/Os a second, or whatever tells how busy it is.
    pub rate: f64,
}

/// `--map DEVICE=NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The device as its tool names it.
    pub device: String,
    /// A disk or a volume of the configuration.
    pub name: String,
}

impl Map {
    /// Reads the words of one.
    pub fn parse(text: &str) -> Result<Map, String> {
        let parts = text.rsplit_once('=').map(|(device, name)| (device.trim(), name.trim()));
        match parts.filter(|(device, name)| !device.is_empty() && !name.is_empty()) {
            Some((device, name)) => Ok(Map { device: device.into(), name: name.into() }),
            None => Err(format!("`{text}` is not a mapping: write --map sdc=data.0")),
        }
    }
}

/// Volume or disk of each candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Places {
    /// The name of a disk or a volume, in the order of the candidates; `None`: it is left out.
    pub names: Vec<Option<String>>,
    /// True if all that was seen is the whole's, without its parts.
    pub is_whole: bool,
    /// Source of the mapping, in sentences.
    pub notes: Vec<String>,
}

/// The places of these devices: what `--map` says, else what is plain.
///
/// # Errors
/// Returns an error if a place is ambiguous; it says what to write.
pub(super) fn places(candidates: &[Candidate], maps: &[Map], resolved: &Resolved) -> Result<Places, Failure> {
    let mut places = match maps {
        [] => plain(candidates, resolved)?,
        maps => mapped(candidates, maps, resolved)?,
    };
    let active = |index: usize| candidates[index].rate > 0.0;
    let told = |index: usize| {
        !matches!(candidates[index].kind, DeviceKind::Partition | DeviceKind::Pseudo | DeviceKind::Total)
    };
    let left: Vec<String> = (0..candidates.len())
        .filter(|index| places.names[*index].is_none() && active(*index) && told(*index) && !places.is_whole)
        .map(|index| rated(&candidates[index]))
        .collect();
    if !left.is_empty() {
        places.notes.push(format!(
            "left out, because they are not in the configuration (--map DEVICE=NAME says which they are): {}",
            listed(&left)
        ));
    }
    Ok(places)
}

/// A device and how busy it is.
fn rated(candidate: &Candidate) -> String {
    let digits = if candidate.rate > 0.0 && candidate.rate < 10.0 { 2 } else { 0 };
    format!("{} ({:.digits$} IOPS)", candidate.name, candidate.rate)
}

fn listed(names: &[String]) -> String {
    match names.len() {
        count if count <= LISTED => names.join(", "),
        count => format!("{} and {} more", names[..LISTED].join(", "), count - LISTED),
    }
}

fn is_known(name: &str, resolved: &Resolved) -> bool {
    resolved.disks.iter().any(|disk| disk.name == name) || resolved.volumes_of(name).is_some()
}

/// The disk or volume that a device is by its name alone: `data-1`, as builds attach it, is `data.1`.
pub(super) fn named(device: &str, resolved: &Resolved) -> Option<String> {
    let known = |name: String| is_known(&name, resolved).then_some(name);
    known(device.to_string()).or_else(|| {
        let (volume, disk) = device.rsplit_once('-')?;
        known(format!("{volume}.{disk}"))
    })
}

/// The disks that data is on; of a configuration with the operating system's disk only, that one.
fn data_disks(resolved: &Resolved) -> Vec<&str> {
    let all = || resolved.disks.iter();
    let data: Vec<&str> = all().filter(|disk| !disk.is_os).map(|disk| disk.name.as_str()).collect();
    if data.is_empty() { all().map(|disk| disk.name.as_str()).collect() } else { data }
}

/// Mapping given with `--map`.
fn mapped(candidates: &[Candidate], maps: &[Map], resolved: &Resolved) -> Result<Places, Failure> {
    let mut places = Places { names: vec![None; candidates.len()], ..Places::default() };
    for map in maps {
        let names: Vec<String> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
        let same = |name: &str| name.eq_ignore_ascii_case(&map.device);
        // `E:` and `1` mean `1 E:`, where only one has it.
        let by_part: Vec<usize> = (0..names.len()).filter(|n| names[*n].split(' ').any(same)).collect();
        let found = names.iter().position(|name| same(name)).or(match by_part.as_slice() {
            [one] => Some(*one),
            _ => None,
        });
        let Some(index) = found else {
            return Err(Failure::input(format!("--map: the measurements have no device `{}`", map.device))
                .help(format!("there are {}", listed(&names))));
        };
        if !is_known(&map.name, resolved) {
            let disks: Vec<&str> = resolved.disks.iter().map(|disk| disk.name.as_str()).collect();
            return Err(Failure::input(format!("--map: there is no volume or disk `{}`", map.name))
                .help(format!("the disks are {}", disks.join(", "))));
        }
        if places.names[index].as_ref().is_some_and(|name| *name != map.name) {
            return Err(Failure::input(format!("--map: `{}` is mapped twice", map.device))
                .help("leave one of the two out"));
        }
        places.names[index] = Some(map.name.clone());
    }
    // Devices that are not mapped keep the names that are clear.
    for (index, candidate) in candidates.iter().enumerate() {
        let clear = named(&candidate.name, resolved).filter(|_| candidate.kind == DeviceKind::Disk);
        if places.names[index].is_none() && !places.names.contains(&clear) {
            places.names[index] = clear;
        }
    }
    // A disk's I/O is that of its partitions and of what is made of it.
    for (index, name) in places.names.iter().enumerate().filter(|(_, name)| name.is_some()) {
        let kind = candidates[index].kind;
        let other = (0..index).find(|other| places.names[*other] == *name && candidates[*other].kind != kind);
        let is_made_of =
            |kind| matches!(kind, DeviceKind::Partition | DeviceKind::Stacked | DeviceKind::Total);
        if let Some(other) = other.filter(|other| is_made_of(kind) || is_made_of(candidates[*other].kind)) {
            let (one, other) = (&candidates[index].name, &candidates[other].name);
            return Err(Failure::input(format!(
                "--map: {one} and {other} may be the same I/O, which would count twice"
            ))
            .help("map either the disks or the volume built on them"));
        }
    }
    let said: Vec<String> = maps.iter().map(|map| format!("{} is {}", map.device, map.name)).collect();
    places.notes.push(format!("from --map: {}", listed(&said)));
    Ok(places)
}

/// Mapping that is clear without options.
fn plain(candidates: &[Candidate], resolved: &Resolved) -> Result<Places, Failure> {
    let mut places = Places { names: vec![None; candidates.len()], ..Places::default() };
    let known: Vec<Option<String>> = candidates.iter().map(|of| named(&of.name, resolved)).collect();
    let first = known.iter().position(Option::is_some);
    if first.is_some_and(|first| !matches!(candidates[first].kind, DeviceKind::Files(_))) {
        places.names = known;
        return Ok(places);
    }
    let of = |wanted: fn(DeviceKind) -> bool| -> Vec<usize> {
        (0..candidates.len()).filter(|index| wanted(candidates[*index].kind)).collect()
    };
    if let Some(os) = resolved.disks.iter().find(|disk| disk.is_os) {
        for index in of(|kind| kind == DeviceKind::SystemDisk) {
            places.names[index] = Some(os.name.clone());
        }
        // If no disk holds data, nothing else can be found.
        if resolved.disks.iter().all(|disk| disk.is_os) && places.names.iter().any(Option::is_some) {
            places.notes.push(format!("the operating system's disk is {}", os.name));
            return Ok(places);
        }
    }
    let files = of(|kind| matches!(kind, DeviceKind::Files(_) | DeviceKind::AnyFiles));
    if !files.is_empty() {
        return by_role(candidates, &files, places, resolved);
    }
    let luns = of(|kind| matches!(kind, DeviceKind::Lun(_)));
    let disks = of(|kind| kind == DeviceKind::Disk);
    let stacked = of(|kind| kind == DeviceKind::Stacked);
    match () {
        () if !luns.is_empty() => in_order(candidates, &luns, places, resolved, "in the order of their LUNs"),
        () if !disks.is_empty() => by_count(candidates, &disks, &stacked, places, resolved),
        () if !stacked.is_empty() => by_count(candidates, &stacked, &[], places, resolved),
        () => whole(candidates, places, resolved),
    }
}

/// True if all disks of data are alike, so that which is which changes no limit.
fn are_alike(resolved: &Resolved) -> bool {
    let mut data = resolved.disks.iter().filter(|disk| !disk.is_os);
    let Some(first) = data.next() else { return true };
    data.all(|disk| (&disk.described, disk.cache) == (&first.described, first.cache))
}

/// The only volume of data, where there is one.
fn only_volume(resolved: &Resolved) -> Option<String> {
    let of = |name: &str| name.rsplit_once('.').map_or(name, |(volume, _)| volume).to_string();
    let mut volumes: Vec<String> = data_disks(resolved).into_iter().map(of).collect();
    volumes.dedup();
    match volumes.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Asks which is which.
fn ask(candidates: &[Candidate], which: &[usize], resolved: &Resolved) -> Failure {
    let data = data_disks(resolved);
    let names: Vec<String> = which.iter().map(|index| rated(&candidates[*index])).collect();
    let disks: Vec<String> = data.iter().map(|name| (*name).to_string()).collect();
    let quoted = |name: &str| {
        if name.contains(' ') { format!("'{name}={}'", data[0]) } else { format!("{name}={}", data[0]) }
    };
    let busiest =
        which.iter().max_by(|one, other| candidates[**one].rate.total_cmp(&candidates[**other].rate));
    let example = busiest.map_or(String::new(), |index| quoted(&candidates[*index].name));
    Failure::input(format!(
        "cannot tell which of the devices {} are the disks {}",
        listed(&names),
        listed(&disks)
    ))
    .help(format!(
        "map each device: --map {example}; map a device that is a whole volume to the volume's name"
    ))
}

/// As many devices as disks, which are alike: in order.
fn in_order(
    candidates: &[Candidate],
    which: &[usize],
    mut places: Places,
    resolved: &Resolved,
    how: &str,
) -> Result<Places, Failure> {
    let data = data_disks(resolved);
    let mut which = which.to_vec();
    which.sort_by_key(|index| match candidates[*index].kind {
        DeviceKind::Lun(lun) => (lun, *index),
        _ => (0, *index),
    });
    if which.len() != data.len() || data.len() > 1 && !are_alike(resolved) {
        return Err(ask(candidates, &which, resolved));
    }
    let mut said = Vec::new();
    for (index, name) in which.iter().zip(&data) {
        places.names[*index] = Some((*name).to_string());
        said.push(format!("{} is {name}", candidates[*index].name));
    }
    let how = if data.len() > 1 { format!("{how}, of disks that are alike: ") } else { String::new() };
    places.notes.push(format!("{how}{}", listed(&said)));
    Ok(places)
}

/// Disks that nothing but their number tells.
fn by_count(
    candidates: &[Candidate],
    disks: &[usize],
    stacked: &[usize],
    mut places: Places,
    resolved: &Resolved,
) -> Result<Places, Failure> {
    let data = data_disks(resolved);
    let most = disks.iter().map(|index| candidates[*index].rate).fold(0.0, f64::max);
    let at_work: Vec<usize> =
        disks.iter().copied().filter(|index| candidates[*index].rate > AT_REST * most).collect();
    if data.len() > 1 && disks.len() == data.len() {
        return in_order(candidates, disks, places, resolved, "in the order of their names");
    }
    if at_work.len() == data.len() {
        let how = "the devices with I/O, in the order of their names";
        return in_order(candidates, &at_work, places, resolved, how);
    }
    // The volume itself: its members are hidden behind it, or it is told beside them.
    let busy: Vec<usize> = stacked.iter().copied().filter(|index| candidates[*index].rate > 0.0).collect();
    let volume = match (disks, busy.as_slice()) {
        ([only], []) => Some(*only),
        (_, [only]) => Some(*only),
        _ => None,
    };
    if let (Some(index), Some(name)) = (volume, only_volume(resolved)) {
        places.notes.push(format!("{} is the volume {name}", candidates[index].name));
        places.names[index] = Some(name);
        return Ok(places);
    }
    Err(ask(candidates, disks, resolved))
}

/// Files of a database: by what they are kept for.
fn by_role(
    candidates: &[Candidate],
    files: &[usize],
    mut places: Places,
    resolved: &Resolved,
) -> Result<Places, Failure> {
    let is_log = |name: &str| matches!(name, "log" | "logs" | "wal" | "journal");
    let of = |name: &str| name.rsplit_once('.').map_or(name, |(volume, _)| volume).to_string();
    let mut volumes: Vec<String> = data_disks(resolved).into_iter().map(of).collect();
    volumes.dedup();
    let (logs, data): (Vec<String>, Vec<String>) = volumes.iter().cloned().partition(|name| is_log(name));
    let only = |names: &[String]| match names {
        [one] => Some(one.clone()),
        _ => None,
    };
    let mut said = Vec::new();
    let os = resolved.disks.iter().find(|disk| disk.is_os).map(|disk| disk.name.clone());
    let is_system = |index: &usize| candidates[*index].name == "C:" && files.len() > 1;
    for index in files {
        if is_system(index) {
            places.names[*index] = os.clone();
            continue;
        }
        let name = match candidates[*index].kind {
            _ if volumes.len() == 1 => only(&volumes),
            DeviceKind::Files(Role::Log) => only(&logs),
            DeviceKind::Files(Role::Data) if !logs.is_empty() => only(&data),
            _ => None,
        };
        match name {
            Some(name) => {
                said.push(format!("{} is on {name}", candidates[*index].name));
                places.names[*index] = Some(name);
            }
            None if candidates[*index].rate > 0.0 => return Err(ask(candidates, files, resolved)),
            None => {}
        }
    }
    places.notes.push(listed(&said));
    Ok(places)
}

/// Only sums are told.
fn whole(candidates: &[Candidate], mut places: Places, resolved: &Resolved) -> Result<Places, Failure> {
    let data = data_disks(resolved);
    let of = |wanted: DeviceKind| candidates.iter().position(|candidate| candidate.kind == wanted);
    if let Some(index) = of(DeviceKind::DataDisks) {
        // The average of a metric over LUNs is of one disk.
        return match data.as_slice() {
            [only] => {
                places.names[index] = Some((*only).to_string());
                places.notes.push(format!("{} is {only}", candidates[index].name));
                Ok(places)
            }
            _ => Err(Failure::input(format!(
                "the metrics are averages over the data disks, and there are {}: the share of one disk is unknown",
                data.len()
            ))
            .help("split the chart by LUN, or list the metrics with --filter \"LUN eq '*'\"")),
        };
    }
    if let Some(index) = of(DeviceKind::Total) {
        places.is_whole = true;
        places.notes.push(format!(
            "{} is the sum of all disks of the machine, including the operating system's",
            candidates[index].name
        ));
        return Ok(places);
    }
    // The rest is the operating system's disk and devices that are not disks.
    match places.names.iter().any(Option::is_some) {
        true => Ok(places),
        false => Err(ask(candidates, &(0..candidates.len()).collect::<Vec<usize>>(), resolved)),
    }
}
