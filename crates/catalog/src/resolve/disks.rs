//! Figures of one disk of a `--disk`, looked up or provisioned.

use iobound_model::{Credit, Credits};
use iobound_units::Bytes;

use super::Builder;
use crate::bounds::Bounds;
use crate::clouds::disk_kind::HostCache;
use crate::clouds::names::{Cloud, DiskType, Redundancy};
use crate::configuration::{CacheSetting, PerformanceSetting, VolumeRequest, What};
use crate::disk::DiskTier;
use crate::era::Era;
use crate::error::CatalogError;
use crate::provision::{Provisioned, provision};
use crate::spec::{throughput_spec, type_spec};
use crate::vm::Limits;

/// The figures of each disk of one request, as published.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    /// The type; `None` for the VM's local disk.
    pub(super) disk: Option<DiskType>,
    pub(super) tier: Option<String>,
    pub(super) described: String,
    pub(super) size: Bytes,
    pub(super) limits: Limits,
    /// Bytes a second that are let through where that was measured to be another figure, and its source.
    pub(super) enforced_bytes: Option<(u64, String)>,
    pub(super) credits: Credits,
    pub(super) on_demand: bool,
    /// The era of the figures.
    pub(super) era: Era,
    /// The era that was asked for, whose rules hold even where the figures are a later one's.
    pub(super) rules_era: Era,
    pub(super) source: String,
    /// True if the local disk is an NVMe disk beside the temporary one.
    pub(super) is_nvme: bool,
}

impl Figures {
    /// True if the disk is a page blob in a storage account.
    pub(super) fn is_unmanaged(&self) -> bool {
        self.disk.is_some_and(|disk| disk.kind().was_unmanaged) && self.rules_era.facts().unmanaged_standard
    }
}

/// A disk without tiers as `--disk` has it: with the figures that are provisioned, which read back to the same values.
fn sized_spec(
    bounds: &Bounds,
    disk: DiskType,
    request: &VolumeRequest,
    given: &Provisioned,
    size: Bytes,
) -> String {
    let ios = if bounds.has_own_ios() { format!("+{}iops", given.ios) } else { String::new() };
    let bytes = match bounds.has_own_bytes() {
        true => format!("+{}", throughput_spec(disk, given.bytes)),
        false => String::new(),
    };
    format!("{}@{}GiB{ios}{bytes}", type_spec(disk, request.redundancy), size.get() >> 30)
}

/// The disk's name with its performance setting, as for `--disk`.
fn described_with(own: &DiskTier, request: &VolumeRequest) -> String {
    let zrs = if own.redundancy == Redundancy::Zrs { "-ZRS" } else { "" };
    format!("{}{zrs}{}", own.name, request.setting.suffix())
}

/// Refuses a disk without tiers in several zones whose type is sold in one zone only. Tiers in several zones are tiers of their own,
/// and a cloud with limits by type checks its disks itself.
fn check_redundancy(request: &VolumeRequest, disk: DiskType) -> Result<(), CatalogError> {
    if request.redundancy == Redundancy::Lrs || disk.cloud().rules().has_limits_by_kind() {
        return Ok(());
    }
    Err(CatalogError::refused(
        format!("`{}`", request.text),
        format!("{} is sold in one zone only", disk.title()),
        "leave out the suffix",
    ))
}

impl Builder<'_> {
    /// Looks a request up, and checks what concerns it alone.
    pub(super) fn figures(&mut self, request: &VolumeRequest, is_os: bool) -> Result<Figures, CatalogError> {
        if is_os && request.count != 1 {
            return Err(CatalogError::refused(
                format!("--os-disk {}", request.text),
                "a VM has one operating-system disk",
                "leave the count out",
            ));
        }
        let figures = self.look_up(request)?;
        self.check(request, figures, is_os)
    }

    /// As [`Builder::figures`], of one disk of a volume, whose size stays.
    pub(super) fn own_figures(
        &mut self,
        request: &VolumeRequest,
        size: Bytes,
        is_os: bool,
    ) -> Result<Figures, CatalogError> {
        let figures = Figures { size, ..self.look_up(request)? };
        if let Some(disk) = figures.disk {
            self.check_type(request, disk)?;
        }
        self.check(request, figures, is_os)
    }

    fn look_up(&mut self, request: &VolumeRequest) -> Result<Figures, CatalogError> {
        Ok(match &request.what {
            What::Tier { name, era } => {
                let era = self.disk_era(era.as_deref())?;
                let found = self.catalog.tier(name, request.redundancy, era)?;
                found.notes.iter().for_each(|note| self.note(note));
                let of = self.with_setting(request, &found.entry, era)?;
                Figures {
                    described: described_with(&found.entry, request),
                    ..self.tier_figures(&of, found.entry.max_size, era)?
                }
            }
            What::TierFor { disk, size, era } => {
                let (size, era) = (*size, self.disk_era(era.as_deref())?);
                if size.get() == 0 || !size.get().is_multiple_of(1 << 30) {
                    return Err(CatalogError::refused(
                        format!("`{}`", request.text),
                        "disk sizes are whole GiB",
                        format!("write {}GiB", size.get().div_ceil(1 << 30).max(1)),
                    ));
                }
                let found = self.catalog.tier_for(*disk, request.redundancy, size, era)?;
                found.notes.iter().for_each(|note| self.note(note));
                let tier = &found.entry;
                self.note(format!("{} of {size} is a {}", disk.title(), tier.name));
                let of = self.with_setting(request, tier, era)?;
                Figures { described: described_with(tier, request), ..self.tier_figures(&of, size, era)? }
            }
            What::Sized { disk, size, iops, throughput, era } => {
                let era = self.disk_era(era.as_deref())?;
                let bounds =
                    Bounds::of(&self.catalog.rules, *disk, era)?.expect("a type without tiers has bounds");
                check_redundancy(request, *disk)?;
                if let (None, Some((default, source))) = (size, &bounds.default_size) {
                    self.assume_from(format!("size of {}", disk.title()), default.to_string(), source);
                }
                let size = bounds.size_or_default(*disk, &request.text, *size)?;
                let given = provision(&bounds, *disk, size, *iops, *throughput)?;
                Figures {
                    disk: Some(*disk),
                    tier: None,
                    described: sized_spec(&bounds, *disk, request, &given, size),
                    size,
                    limits: Limits { ios: Some(given.ios), bytes: Some(given.bytes) },
                    enforced_bytes: None,
                    credits: Credits { ios: given.ios_credit, bytes: given.bytes_credit },
                    on_demand: false,
                    era,
                    rules_era: era,
                    source: bounds.source,
                    is_nvme: false,
                }
            }
            What::Temp => self.temp_figures(request)?,
            What::Nvme => self.nvme_figures(request)?,
        })
    }

    fn check(
        &self,
        request: &VolumeRequest,
        mut figures: Figures,
        is_os: bool,
    ) -> Result<Figures, CatalogError> {
        if figures.disk.is_none() && is_os {
            return Err(CatalogError::refused(
                format!("--os-disk {}", request.text),
                "the operating system's disk must be a remote disk",
                "take P10, E10 or the like",
            ));
        }
        self.check_cache(request, &figures)?;
        // Of another time than the rest: the name says so wherever the disk is spoken of.
        if figures.disk.is_some() && figures.era != self.era {
            figures.described = format!("{}@{}", figures.described, figures.era.name());
        }
        Ok(figures)
    }

    /// The era of a disk: its own, else the configuration's.
    fn disk_era(&self, own: Option<&str>) -> Result<Era, CatalogError> {
        own.map_or(Ok(self.era), Era::parse)
    }

    /// The tier whose figures, and whose price, a disk has by its performance setting.
    fn with_setting(
        &mut self,
        request: &VolumeRequest,
        own: &DiskTier,
        era: Era,
    ) -> Result<DiskTier, CatalogError> {
        let refuse =
            |why: String, help: String| Err(CatalogError::refused(format!("`{}`", request.text), why, help));
        match &request.setting {
            PerformanceSetting::OfSize => Ok(own.clone()),
            PerformanceSetting::Plus => {
                let (Some(ios), Some(bytes)) = own.plus else {
                    return refuse(
                        format!("the catalogue has no performance plus of a {} in this era", own.name),
                        "use a disk of 513 GiB or more, with today's figures: P30+performance-plus".into(),
                    );
                };
                let burst = (None, None);
                Ok(DiskTier {
                    ios: Some(ios),
                    bytes: Some(bytes),
                    enforced_bytes: None,
                    burst,
                    ..own.clone()
                })
            }
            PerformanceSetting::Tier(name) => {
                let target = self.catalog.tier(name, own.redundancy, era)?.entry;
                let Some(rule) = self.catalog.rules.get(own.disk.word(), "performance_tier_max", era) else {
                    return refuse(
                        format!("{} has no performance tiers", own.disk.title()),
                        format!("write {}", own.name),
                    );
                };
                // Steps from small to large: a disk up to a step may be set to any higher tier up to it.
                let mut most = None;
                for step in rule.value.clone().split(' ') {
                    let step = self.catalog.tier(step, own.redundancy, era)?.entry;
                    if own.max_size <= step.max_size {
                        most = Some(step);
                        break;
                    }
                }
                let is_higher = target.disk == own.disk
                    && target.max_size > own.max_size
                    && most.as_ref().is_some_and(|most| target.max_size <= most.max_size);
                match (is_higher, most) {
                    (true, _) => Ok(target),
                    (false, Some(most)) if most.max_size > own.max_size => refuse(
                        format!("a {} can be set to a higher tier up to {}", own.name, most.name),
                        format!("write {}+{}", own.name, most.name),
                    ),
                    (false, _) => {
                        refuse(format!("a {} has no higher tier", own.name), format!("write {}", own.name))
                    }
                }
            }
        }
    }

    fn tier_figures(&self, tier: &DiskTier, size: Bytes, asked: Era) -> Result<Figures, CatalogError> {
        let mut limits = Limits { ios: tier.ios, bytes: tier.bytes };
        let mut missing = Vec::new();
        if limits.ios.is_none() {
            missing.push("iops".to_string());
        }
        if limits.bytes.is_none() {
            missing.push("mbps".to_string());
        }
        if !missing.is_empty() {
            return Err(CatalogError::UnknownLimit {
                of: tier.name.clone(),
                missing,
                help: format!(
                    "give it in a catalogue file: [[disk]] tier = \"{}\", disk_type = \"{}\", max_size_gib, iops, mbps",
                    tier.name,
                    tier.disk.word()
                ),
            });
        }
        let mut credits = Credits::default();
        let mut on_demand = false;
        if self.configuration.on_demand_burst
            && let (Some(ios), Some(bytes)) = tier.ondemand
        {
            limits = Limits { ios: Some(ios), bytes: Some(bytes) };
            on_demand = true;
        } else if asked.facts().disk_bursting {
            credits = Credits {
                ios: self.credit(tier.disk.cloud(), limits.ios, tier.burst.0)?,
                bytes: self.credit(tier.disk.cloud(), limits.bytes, tier.burst.1)?,
            };
        }
        Ok(Figures {
            disk: Some(tier.disk),
            tier: Some(tier.name.clone()),
            described: tier.name.clone(),
            size,
            limits,
            enforced_bytes: tier.enforced_bytes.clone(),
            credits,
            on_demand,
            era: tier.era,
            rules_era: asked,
            source: tier.source.clone(),
            is_nvme: false,
        })
    }

    /// A credit bucket as large as a full burst of the documented 30 minutes spends.
    pub(super) fn credit(
        &self,
        cloud: Cloud,
        base: Option<u64>,
        burst: Option<u64>,
    ) -> Result<Option<Credit>, CatalogError> {
        let (Some(base), Some(burst)) = (base, burst) else { return Ok(None) };
        if burst <= base {
            return Ok(None);
        }
        let seconds = self.catalog.rules.require(cloud.name(), "credit_seconds", self.era)?.count()?;
        Ok(Some(Credit { burst, capacity: (burst - base).saturating_mul(seconds) }))
    }

    fn check_cache(&self, request: &VolumeRequest, figures: &Figures) -> Result<(), CatalogError> {
        if request.cache == CacheSetting::None {
            return Ok(());
        }
        let what = format!("`{}`", request.text);
        let Some(disk) = figures.disk else {
            return Err(CatalogError::refused(
                what,
                "a local disk has no host cache",
                format!("write {}", request.text.split(':').next().unwrap_or("temp")),
            ));
        };
        if disk.kind().host_cache == HostCache::Unsupported {
            return Err(CatalogError::refused(
                what,
                format!("{} has no host cache", disk.title()),
                "leave the cache setting out",
            ));
        }
        let most = self.catalog.rules.gib("cache", "disk_size_max_exclusive", self.era)?;
        if figures.size >= most {
            return Err(CatalogError::refused(
                what,
                format!("disks of {most} and larger have no host cache"),
                format!("leave the cache setting out, or use {}@4095GiB", disk.word()),
            ));
        }
        Ok(())
    }
}
