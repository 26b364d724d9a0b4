//! A configuration becomes a blueprint: what was asked for is looked up, checked to go together, and built.

mod bracket;
mod cache;
mod charge;
mod disks;
mod limiters;
mod local;
mod probed;
mod remote;
mod unknown;
mod volumes;

use std::collections::BTreeMap;

use iobound_model::Blueprint;

use crate::assumption::{Assumption, Property};
use crate::catalog::Catalog;
use crate::clouds::names::DiskType;
use crate::clouds::remote::Attached;
use crate::configuration::{Accounts, Configuration, VolumeRequest, What};
use crate::era::Era;
use crate::error::CatalogError;
use crate::nearest::nearest;
use crate::probed::PROBED;
use crate::resolved::{Band, CacheBand, LimiterBand, MediaBand, NamedVolumes, Resolved, ResolvedDisk};
use crate::source::Source;
use crate::vm::VmSize;

use disks::Figures;
use limiters::VmLimiters;

/// Looks everything up, checks that it goes together, and builds it.
pub fn resolve(configuration: &Configuration, catalog: &Catalog) -> Result<Resolved, CatalogError> {
    let era = configuration.era.as_deref().map_or(Ok(Era::current()), Era::parse)?;
    if configuration.vm == PROBED {
        return probed::resolve(configuration, catalog, era);
    }
    let found = catalog.vm(&configuration.vm, era)?;
    let mut builder = Builder {
        catalog,
        configuration,
        era,
        vm: found.entry,
        blueprint: Blueprint::default(),
        limiter_bands: Vec::new(),
        cache_bands: Vec::new(),
        media_bands: Vec::new(),
        disks: Vec::new(),
        ordered_local: None,
        names: Vec::new(),
        assumed: Vec::new(),
        sources: BTreeMap::new(),
        notes: found.notes,
        left_out: Vec::new(),
        vm_limiters: VmLimiters::default(),
        account: None,
        attached: Vec::new(),
    };
    if configuration.volumes.is_empty() && configuration.os_disk.is_none() {
        return Err(CatalogError::refused(
            format!("--vm {}", configuration.vm),
            "the configuration has no disk",
            "add one, such as --disk P30",
        ));
    }
    builder.check_options()?;
    let mut requests: Vec<(&VolumeRequest, Figures, bool)> = Vec::new();
    for request in &configuration.volumes {
        requests.push((request, builder.figures(request, false)?, false));
    }
    if let Some(os) = &configuration.os_disk {
        requests.push((os, builder.figures(os, true)?, true));
    }
    builder.check_counts(&requests)?;
    builder.check_options_used(&requests)?;
    builder.attached = remote::attached(&requests);
    for (request, figures, is_os) in &requests {
        builder.build_volume(request, figures, *is_os)?;
    }
    builder.finish()
}

/// Blueprint built so far.
struct Builder<'a> {
    catalog: &'a Catalog,
    configuration: &'a Configuration,
    era: Era,
    vm: VmSize,
    blueprint: Blueprint,
    limiter_bands: Vec<LimiterBand>,
    cache_bands: Vec<CacheBand>,
    media_bands: Vec<MediaBand>,
    disks: Vec<ResolvedDisk>,
    ordered_local: Option<(u64, Option<String>)>,
    names: Vec<NamedVolumes>,
    assumed: Vec<Assumption>,
    /// Sources by key: each limiter of each disk names the same few.
    sources: BTreeMap<String, Source>,
    notes: Vec<String>,
    left_out: Vec<String>,
    vm_limiters: VmLimiters,
    account: Option<iobound_model::LimiterId>,
    /// All remote disks of the configuration.
    attached: Vec<Attached>,
}

impl Builder<'_> {
    fn assume(&mut self, property: impl Into<Property>, value: impl Into<String>, why: impl Into<String>) {
        self.add_assumption(Assumption {
            property: property.into(),
            value: value.into(),
            why: why.into(),
            is_guess: false,
        });
    }

    fn add_assumption(&mut self, assumption: Assumption) {
        if !self.assumed.contains(&assumption) {
            self.assumed.push(assumption);
        }
    }

    /// An assumption whose reason is a source of the catalogue.
    fn assume_from(&mut self, property: impl Into<Property>, value: impl Into<String>, source: &str) {
        let of = self.sources.entry(source.to_string()).or_insert_with(|| Source::of(source));
        let (why, is_guess) = (of.title.clone(), of.is_assumption());
        self.add_assumption(Assumption { property: property.into(), value: value.into(), why, is_guess });
    }

    /// True if a source of the catalogue is an assumption.
    fn is_assumption(&mut self, source: &str) -> bool {
        self.sources.entry(source.to_string()).or_insert_with(|| Source::of(source)).is_assumption()
    }

    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The options that have a range whatever the disks are.
    fn check_options(&self) -> Result<(), CatalogError> {
        let sector = 512;
        let interleave = self.configuration.interleave.get();
        if interleave == 0 || !interleave.is_multiple_of(sector) {
            return Err(CatalogError::refused(
                format!("--stripe {}", self.configuration.interleave),
                "an interleave is a multiple of 512 bytes",
                "use 64KiB (OLTP) or 256KiB (data warehouse, the default of Storage Spaces)",
            ));
        }
        if !self.configuration.partition_offset.get().is_multiple_of(sector) {
            return Err(CatalogError::refused(
                format!("--partition-offset {}", self.configuration.partition_offset),
                "a partition starts at a multiple of 512 bytes",
                "use 1MiB, or 31.5KiB for the old misaligned offset",
            ));
        }
        if let (true, Some(columns)) = (self.configuration.separate, self.configuration.columns) {
            return Err(CatalogError::refused(
                format!("--columns {columns} with --separate"),
                "--separate makes no stripe",
                "leave one of the two out",
            ));
        }
        Ok(())
    }

    /// Settings that no disk of the configuration can take are refused: an ignored setting is a wrong answer.
    fn check_options_used(&self, requests: &[(&VolumeRequest, Figures, bool)]) -> Result<(), CatalogError> {
        let unmanaged = requests.iter().any(|(_, figures, _)| figures.is_unmanaged());
        if self.configuration.accounts == Accounts::Shared && !unmanaged {
            return Err(CatalogError::refused(
                "a shared storage account",
                "accounts limit the unmanaged Standard disks of --era 2016 only",
                "leave it out, or use --era 2016 with standard@…",
            ));
        }
        if self.configuration.on_demand_burst && !requests.iter().any(|(_, figures, _)| figures.on_demand) {
            return Err(CatalogError::refused(
                "on-demand bursting",
                "only Premium SSDs above 512 GiB (P30 and larger) of the current era burst on demand",
                "leave it out, or use a P30 or larger",
            ));
        }
        Ok(())
    }

    /// True if the VM takes that many disks, of those types, of that cloud.
    fn check_counts(&self, requests: &[(&VolumeRequest, Figures, bool)]) -> Result<(), CatalogError> {
        let mut count = 0u64;
        for (request, figures, is_os) in requests {
            let Some(disk) = figures.disk else { continue };
            self.check_type(request, disk)?;
            if !is_os || self.vm.cloud.rules().os_disk_takes_a_slot {
                count += u64::from(request.count);
            }
        }
        if let Some(most) = self.vm.max_data_disks.filter(|most| count > *most) {
            return Err(CatalogError::refused(
                format!("{} on {}", iobound_units::Counted(count, "disk"), self.vm.name),
                match self.vm.era {
                    Some(era) => format!("its maximum was {most} in era {}", era.name()),
                    None => format!("its maximum is {most}"),
                },
                "use fewer, larger disks, or a larger VM size",
            ));
        }
        Ok(())
    }

    /// True if the VM takes disks of that type, of that cloud.
    fn check_type(&self, request: &VolumeRequest, disk: DiskType) -> Result<(), CatalogError> {
        if disk.cloud() != self.vm.cloud {
            return Err(CatalogError::refused(
                format!("`{}` on {}", request.text, self.vm.name),
                format!(
                    "{} is sold by {}, {} by {}",
                    disk.title(),
                    disk.cloud().name(),
                    self.vm.name,
                    self.vm.cloud.name()
                ),
                format!("take {}", self.vm.cloud.rules().disk_examples),
            ));
        }
        self.check_premium(request, disk)
    }

    fn check_premium(&self, request: &VolumeRequest, disk: DiskType) -> Result<(), CatalogError> {
        if !disk.kind().needs_premium || self.vm.premium != Some(false) {
            return Ok(());
        }
        let sizes = self.catalog.vms_of(&[self.vm.cloud])?;
        let premium = sizes.iter().filter(|vm| vm.premium == Some(true)).map(|vm| vm.name.as_str());
        let alike = nearest(&self.vm.name, premium, 3);
        Err(CatalogError::refused(
            format!("`{}` on {}", request.text, self.vm.name),
            format!("the size has no premium storage, which {} needs", disk.title()),
            if alike.is_empty() {
                "use standardssd@… or a size that supports it".to_string()
            } else {
                format!("use {}, or standardssd@…", alike.join(", "))
            },
        ))
    }

    fn finish(mut self) -> Result<Resolved, CatalogError> {
        if self.vm.max_data_disks.is_none() {
            self.assume(
                format!("disks of {}", self.vm.name),
                "as many as asked for",
                "its maximum number of disks is not known",
            );
        }
        if self.vm.premium.is_none()
            && self.disks.iter().any(|d| d.disk.is_some_and(|disk| disk.kind().needs_premium))
        {
            self.assume(
                format!("premium storage of {}", self.vm.name),
                "supported",
                "whether the size supports it is not recorded",
            );
        }
        for request in self.configuration.volumes.iter().chain(&self.configuration.os_disk) {
            let is_remote = !matches!(request.what, What::Temp | What::Nvme);
            if is_remote && self.vm.cloud.rules().has_host_cache {
                let name = request.name.clone().unwrap_or_else(|| request.text.clone());
                if request.cache == crate::configuration::CacheSetting::None && !request.text.contains(':') {
                    self.assume(format!("cache {name}"), "none", "the default: nothing was said");
                }
            }
        }
        let resolved = Resolved {
            blueprint: self.blueprint,
            vm: self.vm,
            era: self.era,
            disks: self.disks,
            ordered_local: self.ordered_local,
            names: self.names,
            assumed: self.assumed,
            notes: self.notes,
            left_out: self.left_out,
            cache_bands: self.cache_bands,
            media_bands: self.media_bands,
            limiter_bands: self.limiter_bands,
        };
        // What is shipped can be built; figures of the user's own may lie beyond what the model counts with.
        for band in [Band::Low, Band::Expected, Band::High] {
            resolved.with_band(band).check().map_err(|invalid| {
                CatalogError::refused(
                    format!("--vm {}", self.configuration.vm),
                    invalid.to_string(),
                    "correct that figure in the catalogue file",
                )
            })?;
        }
        Ok(resolved)
    }
}
