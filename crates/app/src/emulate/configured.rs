//! The configuration of an emulator that runs, and how commands change it.

use iobound_catalog::{
    CacheSetting, Catalog, Configuration, OwnSettings, OwnTier, Resolved, VolumeRequest, What, parse_spec,
    resolve,
};
use iobound_emulate::transport::{Short, make_up, without_limits};
use iobound_model::{Blueprint, CacheMode};
use iobound_units::Span;

use crate::Failure;

/// Emulated configuration, as in the catalogue.
#[derive(Clone, Debug)]
pub(super) struct EmulatedConfiguration {
    pub(super) configuration: Configuration,
    pub(super) resolved: Resolved,
    catalog: Catalog,
    /// True if there are limits and latencies at all.
    pub(super) limiters: bool,
    /// Time subtracted from every latency.
    pub(super) made_up: Span,
}

impl EmulatedConfiguration {
    pub(super) fn new(
        configuration: Configuration,
        resolved: Resolved,
        catalog: Catalog,
        limiters: bool,
    ) -> EmulatedConfiguration {
        EmulatedConfiguration { configuration, resolved, catalog, limiters, made_up: Span::ZERO }
    }

    /// Blueprint of the stack, and latencies smaller than the subtracted time.
    pub(super) fn blueprint(&self) -> (Blueprint, Vec<Short>) {
        match self.limiters {
            true => make_up(&self.resolved.blueprint, self.made_up),
            false => (without_limits(&self.resolved.blueprint), Vec::new()),
        }
    }

    /// The same with change the host-cache setting of a volume's disks.
    pub(super) fn with_cache(
        &self,
        of: &str,
        mode: Option<CacheMode>,
    ) -> Result<EmulatedConfiguration, Failure> {
        let setting = match mode {
            None => CacheSetting::None,
            Some(CacheMode::ReadOnly) => CacheSetting::ReadOnly,
            Some(CacheMode::ReadWrite) => CacheSetting::ReadWrite,
        };
        self.with(of, |request, disk| match disk {
            None => request.set_cache(setting),
            Some(disk) => {
                let own = (setting != request.cache).then_some(setting);
                settle(request, disk, |settings| settings.cache = own);
            }
        })
    }

    /// The same with another tier of a volume's disks.
    pub(super) fn with_tier(&self, of: &str, tier: &str) -> Result<EmulatedConfiguration, Failure> {
        let spec = parse_spec(tier)?;
        if spec.count != 1 || spec.name.is_some() || tier.contains(':') {
            return Err(Failure::input(format!("`{tier}` is not a tier")).help("write P40"));
        }
        if matches!(spec.what, What::Temp | What::Nvme) {
            return Err(Failure::input(format!(
                "`{tier}` is a local disk of the VM, and no other disk can become one"
            ))
            .help("write P40"));
        }
        let wanted = OwnTier {
            text: tier.to_string(),
            what: spec.what,
            redundancy: spec.redundancy,
            setting: spec.setting,
        };
        // The disks keep the size that they were made with, also where all of them change.
        self.with(of, |request, disk| {
            let is_other = wanted.what != request.what
                || wanted.redundancy != request.redundancy
                || wanted.setting != request.setting;
            let own = is_other.then_some(wanted);
            for disk in disk.map_or(0..request.count, |disk| disk..disk + 1) {
                settle(request, disk, |settings| settings.tier = own.clone());
            }
        })
    }

    /// The same with one volume more.
    pub(super) fn with_disk(&self, spec: &str) -> Result<EmulatedConfiguration, Failure> {
        let mut wanted = self.clone();
        wanted.configuration.volumes.push(parse_spec(spec)?);
        wanted.resolve()
    }

    /// The same with something else in the request that a volume is of, or of that disk of it.
    fn with(
        &self,
        of: &str,
        change: impl FnOnce(&mut VolumeRequest, Option<u16>),
    ) -> Result<EmulatedConfiguration, Failure> {
        let (at, disk) = self.request_of(of).ok_or_else(|| self.unknown(of))?;
        let mut wanted = self.clone();
        let volumes = wanted.configuration.volumes.len();
        match wanted.configuration.os_disk.as_mut().filter(|_| at == volumes) {
            Some(os) => change(os, disk),
            None => change(&mut wanted.configuration.volumes[at], disk),
        }
        wanted.resolve()
    }

    /// Part that a name refers to: a volume, or a disk, which has a number there.
    fn request_of(&self, of: &str) -> Option<(usize, Option<u16>)> {
        let names = &self.resolved.names;
        if let Some(at) = names.iter().position(|named| named.name == of) {
            return Some((at, None));
        }
        let blueprint = &self.resolved.blueprint;
        names.iter().enumerate().find_map(|(at, named)| {
            let mut disks = named.volumes.iter().flat_map(|volume| &blueprint.volumes[*volume].disks);
            let disk = disks.position(|id| blueprint.disks[usize::from(id.0)].name == of)?;
            Some((at, Some(disk as u16)))
        })
    }

    fn unknown(&self, of: &str) -> Failure {
        let volumes = self.resolved.names.iter().map(|named| named.name.as_str());
        let disks = self.resolved.blueprint.disks.iter().map(|disk| disk.name.as_str());
        let mut known: Vec<&str> = volumes.chain(disks).collect();
        known.dedup();
        Failure::input(format!("no volume or disk is named {of}"))
            .help(format!("there are {}", known.join(", ")))
    }

    fn resolve(mut self) -> Result<EmulatedConfiguration, Failure> {
        self.resolved = resolve(&self.configuration, &self.catalog)?;
        Ok(self)
    }
}

/// Changes what a disk of a volume has for itself; what has nothing of its own any more is as the others.
fn settle(request: &mut VolumeRequest, disk: u16, change: impl FnOnce(&mut OwnSettings)) {
    let own = request.own.entry(disk).or_default();
    change(own);
    if *own == OwnSettings::default() {
        request.own.remove(&disk);
    }
}
