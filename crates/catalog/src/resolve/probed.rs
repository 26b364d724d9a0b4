//! A configuration of probed disks: what was measured, without a catalogue's figure.

use std::collections::BTreeMap;

use iobound_model::{
    Algorithm, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits,
    DiskId, DiskSpec, Latency, Limit, LimiterId, LimiterName, LimiterSpec, Media, Merge, Routes, VolumeSpec,
    stripe_capacity,
};
use iobound_units::{Bytes, Ppm, Span};

use super::volumes::columns_of;
use crate::assumption::{Assumption, Property, PropertyKind};
use crate::catalog::Catalog;
use crate::clouds::MEASURED;
use crate::configuration::{
    Accounts, CacheSetting, Configuration, Enforcement, MediaOverride, VolumeRequest, What,
};
use crate::era::Era;
use crate::error::CatalogError;
use crate::probed::{PROBED, ProbedDisk, ProbedLatency, ProbedLimit};
use crate::resolved::{Band, CacheBand, LimiterBand, MediaBand, NamedVolumes, Resolved, ResolvedDisk};
use crate::vm::VmSize;

/// The largest transfer of a disk whose own is not known.
const MAX_TRANSFER: Bytes = Bytes::mib(1);
/// A bucket that was too shallow to be measured.
const SHALLOW: Span = Span::from_ms(1);

/// Builds the volumes of a configuration of probed disks.
pub(super) fn resolve(
    configuration: &Configuration,
    catalog: &Catalog,
    era: Era,
) -> Result<Resolved, CatalogError> {
    check_options(configuration)?;
    let vm = VmSize::measured(PROBED);
    let mut building = Building {
        catalog,
        configuration,
        era,
        shared: BTreeMap::new(),
        resolved: Resolved {
            left_out: Vec::new(),
            blueprint: Blueprint::default(),
            vm,
            era,
            disks: Vec::new(),
            ordered_local: None,
            names: Vec::new(),
            assumed: Vec::new(),
            notes: Vec::new(),
            media_bands: Vec::new(),
            cache_bands: Vec::new(),
            limiter_bands: Vec::new(),
        },
    };
    for request in configuration.volumes.iter().chain(&configuration.os_disk) {
        building.volume(request)?;
    }
    let resolved = building.resolved;
    for band in [Band::Low, Band::Expected, Band::High] {
        resolved.with_band(band).check().map_err(|invalid| {
            CatalogError::refused(
                "the probed disks",
                invalid.to_string(),
                "correct that figure of [[probed]]",
            )
        })?;
    }
    Ok(resolved)
}

/// Refuses options that mean nothing for a disk that was measured.
fn check_options(configuration: &Configuration) -> Result<(), CatalogError> {
    let refused = |what: &str, why: &str| Err(CatalogError::refused(what, why, "leave it out"));
    if configuration.volumes.is_empty() && configuration.os_disk.is_none() {
        return Err(CatalogError::refused(
            format!("--vm {PROBED}"),
            "the configuration has no disk",
            "use --config with a file of `iobound probe --save`, which has [[disk]] and [[probed]]",
        ));
    }
    if configuration.enforcement == Enforcement::Published {
        return refused("--published", "a probed limit has no published figure");
    }
    if configuration.accounts != Accounts::OneEach {
        return refused("--accounts", "a probed disk has no storage account");
    }
    if configuration.on_demand_burst {
        return refused("--on-demand-burst", "a probed disk bursts as it was measured");
    }
    if configuration.separate && configuration.columns.is_some() {
        return refused("--columns with --separate", "--separate makes no stripe");
    }
    Ok(())
}

struct Building<'a> {
    catalog: &'a Catalog,
    configuration: &'a Configuration,
    era: Era,
    /// Limiters that several disks share, by name, what they count, and whose I/Os they limit.
    shared: BTreeMap<(String, String, String), LimiterId>,
    resolved: Resolved,
}

impl Building<'_> {
    fn volume(&mut self, request: &VolumeRequest) -> Result<(), CatalogError> {
        let disk = self.disk_of(request)?.clone();
        if request.cache != CacheSetting::None || !request.own.is_empty() {
            return Err(CatalogError::refused(
                format!("`{}`", request.text),
                "a probed disk has the cache that was measured",
                "leave the cache setting out",
            ));
        }
        let name = request.name.clone().unwrap_or_else(|| disk.name.clone());
        if self.resolved.names.iter().any(|named| named.name == name) {
            return Err(CatalogError::refused(
                format!("`{}`", request.text),
                format!("two volumes are named {name}"),
                "give one another name: log=2xNAME",
            ));
        }
        for assumed in &disk.assumed {
            self.assume(assumed.what.clone(), assumed.value.clone(), &assumed.why);
        }
        let single = request.count == 1;
        let ids: Vec<DiskId> = (0..request.count)
            .map(|n| self.disk(&disk, if single { name.clone() } else { format!("{name}.{n}") }))
            .collect();
        let first = self.resolved.blueprint.volumes.len();
        if self.configuration.separate {
            for id in ids {
                let name = self.resolved.disks[usize::from(id.0)].name.clone();
                self.push_volume(name, vec![id], 1, disk.size)?;
            }
        } else {
            let columns = columns_of(&name, self.configuration.columns, request.count)?;
            self.push_volume(name.clone(), ids, columns, disk.size)?;
        }
        let volumes = (first..self.resolved.blueprint.volumes.len()).collect();
        self.resolved.names.push(NamedVolumes { name, volumes });
        Ok(())
    }

    fn disk_of(&self, request: &VolumeRequest) -> Result<&ProbedDisk, CatalogError> {
        let wanted = match &request.what {
            What::Tier { name, era: None } => name.as_str(),
            _ => "",
        };
        let find = |disk: &&ProbedDisk| disk.name.eq_ignore_ascii_case(wanted);
        self.catalog.probed.iter().find(find).ok_or_else(|| {
            let names: Vec<&str> = self.catalog.probed.iter().map(|disk| disk.name.as_str()).collect();
            CatalogError::refused(
                format!("`{}` on {PROBED}", request.text),
                "it is not a probed disk",
                match names.as_slice() {
                    [] => "use --config with a file of `iobound probe --save`".to_string(),
                    names => format!("the configuration file has {}", names.join(", ")),
                },
            )
        })
    }

    fn push_volume(
        &mut self,
        name: String,
        disks: Vec<DiskId>,
        columns: u16,
        size: u64,
    ) -> Result<(), CatalogError> {
        let interleave = self.configuration.interleave;
        let whole = match disks.len() {
            1 => size,
            count => stripe_capacity(count as u64, u64::from(columns), size, interleave.get()),
        };
        let offset = self.configuration.partition_offset;
        if offset.get() >= whole {
            return Err(CatalogError::refused(
                format!("--partition-offset {offset} on {name}"),
                format!("the volume has {}", Bytes(whole)),
                "use 1MiB, or leave it out",
            ));
        }
        self.resolved.blueprint.volumes.push(VolumeSpec {
            name,
            size: Bytes(whole) - offset,
            disks,
            columns,
            interleave,
            partition_offset: offset,
        });
        Ok(())
    }

    fn disk(&mut self, probed: &ProbedDisk, name: String) -> DiskId {
        let media = media(probed, self.configuration.media);
        let mut routes = Routes::default();
        for limit in merged(&probed.limit) {
            let limiter = self.limiter(&limit, &name);
            let of = limit[0].of.as_str();
            if of == "hits" {
                routes.read_hit.push(limiter);
            }
            if matches!(of, "all" | "reads") {
                routes.read.push(limiter);
            }
            if matches!(of, "all" | "writes") {
                routes.write.push(limiter);
            }
        }
        let cache = probed.cache.map(|cache| {
            let hit = latency(cache.hit, None);
            let id = CacheId(self.resolved.blueprint.caches.len() as u16);
            self.resolved.blueprint.caches.push(CacheSpec {
                capacity: Bytes(cache.size),
                line: Bytes::kib(64),
                hit,
                ack: hit,
                dirty_high: Bytes(cache.size),
                dirty_low: Bytes::ZERO,
            });
            self.resolved.cache_bands.push(CacheBand { hit: [hit; 3], ack: [hit; 3] });
            CacheUse { cache: id, mode: CacheMode::ReadOnly }
        });
        let id = DiskId(self.resolved.blueprint.disks.len() as u16);
        self.resolved.blueprint.disks.push(DiskSpec {
            name: name.clone(),
            size: Bytes(probed.size),
            media,
            routes,
            cache,
            max_transfer: MAX_TRANSFER,
        });
        self.resolved.media_bands.push(MediaBand {
            fast: media,
            slow: media,
            depth_1: media,
            is_assumed: false,
        });
        let limit = |counts: &str| {
            let of = |limit: &&ProbedLimit| {
                limit.counts == counts
                    && matches!(limit.of.as_str(), "all" | "reads")
                    && limit.shared.is_none()
            };
            probed.limit.iter().find(of).map(|limit| limit.per_second.round() as u64)
        };
        if probed.write.is_none() {
            self.assume(format!("writes of {name}"), "the latency of reads", "the probe was read-only");
        }
        self.resolved.disks.push(ResolvedDisk {
            id,
            name,
            disk: None,
            tier: None,
            described: probed.name.clone(),
            redundancy: Default::default(),
            size: Bytes(probed.size),
            ios: limit("ios"),
            bytes: limit("bytes"),
            on_demand_burst: false,
            cache: CacheSetting::None,
            era: self.era,
            unmanaged: false,
            is_os: false,
            is_nvme: false,
            source: PROBED.to_string(),
        });
        id
    }

    /// The limiter of one limit, or of two that admit together; shared ones exist once.
    fn limiter(&mut self, limits: &[&ProbedLimit], disk: &str) -> LimiterId {
        let first = limits[0];
        let key = first.shared.as_ref().map(|name| (name.clone(), first.counts.clone(), first.of.clone()));
        if let Some(id) = key.as_ref().and_then(|key| self.shared.get(key)) {
            return *id;
        }
        let of = |counts: &str| limits.iter().find(|limit| limit.counts == counts);
        let published = |limit: &&ProbedLimit| Limit::published(limit.per_second.round() as u64);
        let credit = |limit: &&ProbedLimit| {
            let (burst, size) = limit.burst_per_second.zip(limit.burst_size)?;
            Some(Credit { burst: burst.round() as u64, capacity: size.round() as u64 })
        };
        let name = match (&first.shared, first.of.as_str()) {
            (Some(name), _) => LimiterName::of("shared", name),
            (None, "all") => LimiterName::of("disk", disk),
            (None, of) => LimiterName::of("disk", &format!("{disk}.{of}")),
        };
        let factor = |end: fn(&ProbedLimit) -> f64, pick: fn(f64, f64) -> f64| {
            let shares = limits.iter().map(|limit| end(limit) / limit.per_second);
            Ppm((shares.reduce(pick).unwrap_or(1.0) * 1e6).round().clamp(1.0, 1e7) as u32)
        };
        let credits = Credits { ios: of("ios").and_then(&credit), bytes: of("bytes").and_then(credit) };
        let algorithm = algorithm(first);
        self.resolved.blueprint.limiters.push(LimiterSpec {
            name,
            ios: of("ios").map(&published),
            bytes: of("bytes").map(published),
            charge: charge(first),
            algorithm,
            factor: Ppm::ONE,
            credits: Some(credits).filter(|credits| *credits != Credits::default()),
        });
        self.resolved.limiter_bands.push(LimiterBand {
            factor_low: factor(|limit| limit.low, f64::min),
            factor_high: factor(|limit| limit.high, f64::max),
            is_assumed: false,
            bytes_high: None,
            is_expected: false,
            bytes_low: None,
            algorithm_high: algorithm,
            streams_low: None,
            stalls: None,
        });
        let id = LimiterId((self.resolved.blueprint.limiters.len() - 1) as u16);
        self.shared.extend(key.map(|key| (key, id)));
        if first.slice_ms.is_none() && first.bucket_ms.is_none() {
            self.assume(
                PropertyKind::Enforcement
                    .of(self.resolved.blueprint.limiters[usize::from(id.0)].name.to_string()),
                format!("a bucket of {SHALLOW}"),
                "the probe found neither slices nor a bucket",
            );
        }
        id
    }

    fn assume(&mut self, property: impl Into<Property>, value: impl Into<String>, why: &str) {
        let assumption =
            Assumption { property: property.into(), value: value.into(), why: why.into(), is_guess: false };
        // Two volumes of one probed disk share its assumptions.
        if !self.resolved.assumed.contains(&assumption) {
            self.resolved.assumed.push(assumption);
        }
    }
}

/// The limits by limiter: a disk's own limits on I/Os and on bytes of the same I/Os admit together.
fn merged(limits: &[ProbedLimit]) -> Vec<Vec<&ProbedLimit>> {
    let mut limiters: Vec<Vec<&ProbedLimit>> = Vec::new();
    // Shared limits stand before a disk's own ones.
    let (shared, own): (Vec<&ProbedLimit>, Vec<&ProbedLimit>) =
        limits.iter().partition(|limit| limit.shared.is_some());
    limiters.extend(shared.into_iter().map(|limit| vec![limit]));
    for limit in own {
        let with = |limiter: &&mut Vec<&ProbedLimit>| {
            limiter[0].shared.is_none()
                && limiter[0].of == limit.of
                && limiter.iter().all(|other| other.counts != limit.counts)
        };
        match limiters.iter_mut().find(with) {
            // The limit on I/Os knows the charge.
            Some(limiter) if limit.counts == "ios" => limiter.insert(0, limit),
            Some(limiter) => limiter.push(limit),
            None => limiters.push(vec![limit]),
        }
    }
    limiters
}

fn charge(limit: &ProbedLimit) -> Charge {
    match limit.unit.map(Bytes) {
        None => Charge::Each,
        Some(unit) if limit.merges => Charge::Merged(Merge {
            unit,
            least: Bytes::kib(32).min(unit),
            bytes: ByteCharge::Moved,
            streams: 1,
        }),
        Some(unit) => Charge::Per(unit),
    }
}

fn algorithm(limit: &ProbedLimit) -> Algorithm {
    let span = |ms: f64| Span::from_ns((ms * 1e6).round() as u64);
    match (limit.slice_ms, limit.bucket_ms) {
        (Some(length), _) => Algorithm::Slice { length: span(length) },
        (None, Some(depth)) => Algorithm::Bucket { depth: span(depth).max(SHALLOW) },
        (None, None) => Algorithm::Bucket { depth: SHALLOW },
    }
}

fn media(probed: &ProbedDisk, given: MediaOverride) -> Media {
    Media {
        read: latency(probed.read, given.read),
        write: latency(probed.write.unwrap_or(probed.read), given.write),
    }
}

fn latency(probed: ProbedLatency, given: Option<Span>) -> Latency {
    let span = |us: f64| Span::from_ns((us * 1e3).round() as u64);
    Latency {
        mean: given.unwrap_or(span(probed.mean_us)),
        floor: Ppm((probed.floor * 1e6).round() as u32),
        per_kib: span(probed.per_kib_us),
    }
}

impl VmSize {
    /// A machine of which nothing is known but what is measured on its disks.
    fn measured(name: &str) -> VmSize {
        VmSize {
            cloud: MEASURED,
            name: name.to_string(),
            interface: None,
            family: None,
            vcpus: None,
            vcpus_available: None,
            memory: None,
            max_data_disks: None,
            max_disks_size: None,
            premium: None,
            arch: None,
            current_generation: None,
            uncached: Default::default(),
            uncached_is: None,
            uncached_burst: Default::default(),
            uncached_v2: Default::default(),
            uncached_v2_burst: Default::default(),
            kinds: Vec::new(),
            host_cache: Some(false),
            cached: Default::default(),
            cached_write_bytes: None,
            cached_burst: Default::default(),
            cache_size: None,
            temp: Default::default(),
            nvme: Default::default(),
            raw_uncached_bytes: None,
            raw_cached_read_bytes: None,
            raw_cached_write_bytes: None,
            limits_source: None,
            nvme_source: None,
            basics_source: name.to_string(),
            notes: None,
            era: None,
            restricted: Vec::new(),
            zones: Vec::new(),
            cpu_burstable: None,
        }
    }
}
