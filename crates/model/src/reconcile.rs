//! From what runs to what is wanted: the changes between two blueprints, whose parts are the same where their names are.

use std::collections::BTreeMap;
use std::fmt::Display;

use iobound_units::Bytes;

use crate::blueprint::{Blueprint, CacheId, DiskId, DiskSpec, Invalid, LimiterId, Routes, VolumeSpec};
use crate::stack::Change;

/// Change of a running stack into a wanted one.
#[derive(Clone, Debug)]
pub struct Reconciled {
    /// The changes, in the order in which they are made. Of these a stack refuses only what it has no room for: a volume
    /// of more disks than its outstanding I/Os leave fragments for.
    pub changes: Vec<Change>,
    /// Parts of the stack afterwards: the parts that ran keep their ids, and those that are wanted no more stay.
    pub blueprint: Blueprint,
    /// Parts that stay although the wanted blueprint differs, in words: sizes, and parts that cannot be removed.
    pub kept: Vec<String>,
}

/// The changes that make a stack of `running` one of `wanted`.
///
/// Limiters, disks and volumes with the same name are the same part. Caches have no names; they are matched by number. New
/// parts are added at the end, so ids of running I/Os stay valid. The ids of `wanted` mean nothing to the stack: look
/// up names in [`Reconciled::blueprint`].
///
/// A disk keeps its size and its largest transfer, also with another tier (as on Azure, where a performance tier is
/// changed without the size), and a volume its size. A limiter or a cache that nothing uses any more stays, unused, and so
/// does a volume that isn't wanted: the exports of single disks, for instance.
///
/// # Errors
/// Returns an error if two parts have one name, a volume needs other disks or another layout, or no stack can be built
/// from the blueprint.
pub fn reconcile(running: &Blueprint, wanted: &Blueprint) -> Result<Reconciled, Invalid> {
    running.check()?;
    wanted.check()?;
    let mut to = Reconciled { changes: Vec::new(), blueprint: running.clone(), kept: Vec::new() };
    let limiters = to.limiters(running, wanted)?;
    to.caches(running, wanted);
    let disks = to.disks(running, wanted, &limiters)?;
    to.volumes(running, wanted, &disks)?;
    to.blueprint.check()?;
    Ok(to)
}

impl Reconciled {
    fn make(&mut self, change: Change) {
        self.blueprint.apply(&change);
        self.changes.push(change);
    }

    /// Says which limiters of the stack the wanted ones are.
    fn limiters(&mut self, running: &Blueprint, wanted: &Blueprint) -> Result<Vec<LimiterId>, Invalid> {
        let there = by_name("limiter", running.limiters.iter().map(|limiter| &limiter.name))?;
        by_name("limiter", wanted.limiters.iter().map(|limiter| &limiter.name))?;
        let mut ids = Vec::with_capacity(wanted.limiters.len());
        for spec in &wanted.limiters {
            let id =
                LimiterId(there.get(&spec.name).copied().unwrap_or(self.blueprint.limiters.len()) as u16);
            match self.blueprint.limiters.get(usize::from(id.0)) {
                None => self.make(Change::AddLimiter(spec.clone())),
                Some(is) if is != spec => self.make(Change::Limiter(id, spec.clone())),
                Some(_) => {}
            }
            ids.push(id);
        }
        Ok(ids)
    }

    fn caches(&mut self, running: &Blueprint, wanted: &Blueprint) {
        for (n, spec) in wanted.caches.iter().enumerate() {
            match running.caches.get(n) {
                None => self.make(Change::AddCache(*spec)),
                Some(is) if is != spec => self.make(Change::Cache(CacheId(n as u16), *spec)),
                Some(_) => {}
            }
        }
    }

    /// Says which disks of the stack the wanted ones are.
    fn disks(
        &mut self,
        running: &Blueprint,
        wanted: &Blueprint,
        limiters: &[LimiterId],
    ) -> Result<Vec<DiskId>, Invalid> {
        let there = by_name("disk", running.disks.iter().map(|disk| &disk.name))?;
        let asked = by_name("disk", wanted.disks.iter().map(|disk| &disk.name))?;
        let mut ids = Vec::with_capacity(wanted.disks.len());
        let (mut sizes, mut transfers) = (Kept::default(), Kept::default());
        for spec in &wanted.disks {
            let id = DiskId(there.get(&spec.name).copied().unwrap_or(self.blueprint.disks.len()) as u16);
            let spec = DiskSpec { routes: translated(&spec.routes, limiters), ..spec.clone() };
            match self.blueprint.disks.get(usize::from(id.0)) {
                None => self.make(Change::AddDisk(spec)),
                Some(is) => {
                    sizes.note(&spec.name, is.size, spec.size);
                    transfers.note(&spec.name, is.max_transfer, spec.max_transfer);
                    let spec = DiskSpec { size: is.size, max_transfer: is.max_transfer, ..spec };
                    if *is != spec {
                        self.make(Change::Disk(id, spec));
                    }
                }
            }
            ids.push(id);
        }
        sizes.say("disk", "size", &mut self.kept);
        transfers.say("disk", "largest transfer", &mut self.kept);
        let over = running.disks.iter().filter(|disk| !asked.contains_key(&disk.name));
        let over: Vec<&str> = over.map(|disk| disk.name.as_str()).collect();
        if !over.is_empty() {
            self.kept.push(format!(
                "{} stays: a disk cannot be removed from a running emulator",
                named("disk", &over)
            ));
        }
        Ok(ids)
    }

    fn volumes(&mut self, running: &Blueprint, wanted: &Blueprint, disks: &[DiskId]) -> Result<(), Invalid> {
        let there = by_name("volume", running.volumes.iter().map(|volume| &volume.name))?;
        by_name("volume", wanted.volumes.iter().map(|volume| &volume.name))?;
        let mut sizes = Kept::default();
        for spec in &wanted.volumes {
            let on = spec.disks.iter().map(|disk| disks[usize::from(disk.0)]).collect();
            let spec = VolumeSpec { disks: on, ..spec.clone() };
            match there.get(&spec.name).map(|n| &running.volumes[*n]) {
                None => self.make(Change::AddVolume(spec)),
                Some(is) => {
                    self.check_layout(is, &spec)?;
                    sizes.note(&spec.name, is.size, spec.size);
                }
            }
        }
        sizes.say("volume", "size", &mut self.kept);
        Ok(())
    }

    fn check_layout(&self, is: &VolumeSpec, wanted: &VolumeSpec) -> Result<(), Invalid> {
        let names = |volume: &VolumeSpec| {
            let name = |disk: &DiskId| self.blueprint.disks[usize::from(disk.0)].name.as_str();
            named("disk", &volume.disks.iter().map(name).collect::<Vec<_>>())
        };
        if is.disks != wanted.disks {
            return Err(Invalid(format!(
                "volume {}: it is on {}, and the change asks for {}: a stripe cannot change in place; add a volume with \
                 another name",
                is.name,
                names(is),
                names(wanted)
            )));
        }
        let layout = |volume: &VolumeSpec| (volume.columns, volume.interleave, volume.partition_offset);
        if layout(is) != layout(wanted) {
            let said = |volume: &VolumeSpec| {
                let (columns, interleave, offset) = layout(volume);
                format!("{columns} columns at {interleave} from {offset} on")
            };
            return Err(Invalid(format!(
                "volume {}: its layout is {}, and the change asks for {}: its data would move; add a volume with \
                 another name",
                is.name,
                said(is),
                said(wanted)
            )));
        }
        Ok(())
    }
}

/// The parts of a blueprint by their names.
fn by_name<'a, T: Ord + Display>(
    what: &str,
    names: impl Iterator<Item = &'a T>,
) -> Result<BTreeMap<&'a T, usize>, Invalid> {
    let mut ids = BTreeMap::new();
    for (n, name) in names.enumerate() {
        if ids.insert(name, n).is_some() {
            return Err(Invalid(format!("two {what}s are named {name}: rename one of them")));
        }
    }
    Ok(ids)
}

fn translated(routes: &Routes, limiters: &[LimiterId]) -> Routes {
    let route = |route: &[LimiterId]| route.iter().map(|limiter| limiters[usize::from(limiter.0)]).collect();
    Routes {
        read_hit: route(&routes.read_hit),
        read: route(&routes.read),
        write: route(&routes.write),
        write_ack: route(&routes.write_ack),
        write_back: route(&routes.write_back),
    }
}

/// Parts that keep a figure, by its present and its wanted value.
#[derive(Default)]
struct Kept(BTreeMap<(Bytes, Bytes), Vec<String>>);

impl Kept {
    fn note(&mut self, name: &str, is: Bytes, wanted: Bytes) {
        if is != wanted {
            self.0.entry((is, wanted)).or_default().push(name.to_string());
        }
    }

    fn say(self, what: &str, figure: &str, kept: &mut Vec<String>) {
        for ((is, wanted), names) in self.0 {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            kept.push(format!(
                "{}: the {figure} stays {is}, and cannot become {wanted}",
                named(what, &names)
            ));
        }
    }
}

/// `disk log`, `disks data.0, data.1`.
fn named(what: &str, names: &[&str]) -> String {
    format!("{what}{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

impl Blueprint {
    /// The blueprint of a stack after a change. Transient state, such as credits and faults, is not part of a
    /// blueprint.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Limiter(id, spec) => self.limiters[usize::from(id.0)] = spec.clone(),
            Change::Disk(id, spec) => self.disks[usize::from(id.0)] = spec.clone(),
            Change::Cache(id, spec) => self.caches[usize::from(id.0)] = *spec,
            Change::AddLimiter(spec) => self.limiters.push(spec.clone()),
            Change::AddCache(spec) => self.caches.push(*spec),
            Change::AddDisk(spec) => self.disks.push(spec.clone()),
            Change::AddVolume(spec) => self.volumes.push(spec.clone()),
            Change::Credits(..)
            | Change::DropCache(_)
            | Change::Warm(..)
            | Change::Fault(..)
            | Change::Stalls(..)
            | Change::Host(_) => {}
        }
    }
}
