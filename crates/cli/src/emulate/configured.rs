//! The configuration of an emulator that runs, and how commands change it.

use iobound_catalog::{CacheSetting, Catalog, Configuration, NamedVolumes, Resolved, parse_spec, resolve};
use iobound_emulate::transport::{Short, make_up, without_limits};
use iobound_model::{Blueprint, CacheMode};
use iobound_units::Span;

use crate::failure::Failure;

/// What is emulated, as the catalogue has it.
#[derive(Clone, Debug)]
pub(super) struct Configured {
    pub(super) configuration: Configuration,
    pub(super) resolved: Resolved,
    catalog: Catalog,
    /// Whether there are limits and latencies at all.
    pub(super) gates: bool,
    /// What is subtracted from every latency.
    pub(super) made_up: Span,
}

impl Configured {
    pub(super) fn new(
        configuration: Configuration,
        resolved: Resolved,
        catalog: Catalog,
        gates: bool,
    ) -> Configured {
        Configured { configuration, resolved, catalog, gates, made_up: Span::ZERO }
    }

    /// What the stack is built of, and the latencies that are smaller than what is subtracted.
    pub(super) fn blueprint(&self) -> (Blueprint, Vec<Short>) {
        match self.gates {
            true => make_up(&self.resolved.blueprint, self.made_up),
            false => (without_limits(&self.resolved.blueprint), Vec::new()),
        }
    }

    /// The same with another host-cache setting of a volume's disks.
    pub(super) fn with_cache(&self, of: &str, mode: Option<CacheMode>) -> Result<Configured, Failure> {
        let setting = match mode {
            None => CacheSetting::None,
            Some(CacheMode::ReadOnly) => CacheSetting::ReadOnly,
            Some(CacheMode::ReadWrite) => CacheSetting::ReadWrite,
        };
        self.with(of, |request| request.cache = setting)
    }

    /// The same with another tier of a volume's disks.
    pub(super) fn with_tier(&self, of: &str, tier: &str) -> Result<Configured, Failure> {
        let spec = parse_spec(tier)?;
        if spec.count != 1 || spec.name.is_some() || spec.cache != CacheSetting::None {
            return Err(Failure::input(format!("`{tier}` is more than a tier")).mend("write P40"));
        }
        self.with(of, |request| {
            request.what = spec.what.clone();
            request.text = tier.to_string();
        })
    }

    /// The same with one volume more.
    pub(super) fn with_disk(&self, spec: &str) -> Result<Configured, Failure> {
        let mut wanted = self.clone();
        wanted.configuration.volumes.push(parse_spec(spec)?);
        wanted.resolve()
    }

    /// The same with something else in the request that a volume or disk is of.
    fn with(
        &self,
        of: &str,
        change: impl FnOnce(&mut iobound_catalog::VolumeRequest),
    ) -> Result<Configured, Failure> {
        let at = self.request_of(of)?;
        let mut wanted = self.clone();
        let volumes = wanted.configuration.volumes.len();
        match wanted.configuration.os_disk.as_mut().filter(|_| at == volumes) {
            Some(os) => change(os),
            None => change(&mut wanted.configuration.volumes[at]),
        }
        wanted.resolve()
    }

    /// Which request a name is of: that of a volume, or of a disk that is one by itself.
    fn request_of(&self, of: &str) -> Result<usize, Failure> {
        if let Some(at) = self.resolved.names.iter().position(|named| named.name == of) {
            return Ok(at);
        }
        if let Some(named) = self.volume_of(of) {
            return Err(Failure::input(format!(
                "{of} is a disk of {}, whose disks have one setting",
                named.name
            ))
            .mend(format!(
                "write {} in place of {of}, or give that disk a --disk of its own at the start",
                named.name
            )));
        }
        Err(self.unknown(of))
    }

    fn volume_of(&self, disk: &str) -> Option<&NamedVolumes> {
        let blueprint = &self.resolved.blueprint;
        self.resolved.names.iter().find(|named| {
            let disks = named.volumes.iter().flat_map(|volume| &blueprint.volumes[*volume].disks);
            disks.copied().any(|id: iobound_model::DiskId| blueprint.disks[usize::from(id.0)].name == disk)
        })
    }

    fn unknown(&self, of: &str) -> Failure {
        let volumes = self.resolved.names.iter().map(|named| named.name.as_str());
        let disks = self.resolved.blueprint.disks.iter().map(|disk| disk.name.as_str());
        let mut known: Vec<&str> = volumes.chain(disks).collect();
        known.dedup();
        Failure::input(format!("no volume or disk is called {of}"))
            .mend(format!("there are {}", known.join(", ")))
    }

    fn resolve(mut self) -> Result<Configured, Failure> {
        self.resolved = resolve(&self.configuration, &self.catalog)?;
        Ok(self)
    }
}
