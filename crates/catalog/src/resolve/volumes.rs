//! Volumes, their disks, and the routes through the limiters.

use iobound_model::{
    CacheMode, CacheUse, DiskId, DiskSpec, Latency, LimiterId, LimiterName, Media, Routes, VolumeSpec,
    stripe_capacity,
};
use iobound_units::{Bytes, Counted, Op, Ppm, Span};

use super::Builder;
use super::disks::Figures;
use super::limiters::Directions;
use super::local::shared_out;
use crate::assumption::PropertyKind;
use crate::clouds::names::DiskType;
use crate::configuration::{Accounts, CacheSetting, VolumeRequest, What};
use crate::error::CatalogError;
use crate::resolved::{MediaBand, NamedVolumes, ResolvedDisk};
use crate::spec::means_mib;
use crate::vm::Limits;

/// Columns of a stripe: as many as it has disks, unless fewer are asked for.
pub(super) fn columns_of(name: &str, asked: Option<u16>, disks: u16) -> Result<u16, CatalogError> {
    let Some(columns) = asked else { return Ok(disks) };
    if (1..=disks).contains(&columns) {
        return Ok(columns);
    }
    Err(CatalogError::refused(
        format!("--columns {columns}: {name} has {}", Counted(disks.into(), "disk")),
        "a stripe has at most as many columns as disks",
        if disks > 1 { format!("take 1 to {disks}") } else { "leave it out".into() },
    ))
}

impl Builder<'_> {
    /// One `--disk`: its disks, striped into one volume or each a volume of its own.
    pub(super) fn build_volume(
        &mut self,
        request: &VolumeRequest,
        figures: &Figures,
        is_os: bool,
    ) -> Result<(), CatalogError> {
        let name = self.volume_name(request, is_os)?;
        if let What::Sized { disk, throughput: Some(throughput), .. } = &request.what
            && means_mib(*disk, &request.text)
        {
            let mib = throughput.get() >> 20;
            let cloud = disk.cloud().rules().title;
            self.note(format!(
                "`{}`: {cloud} writes MB/s but means MiB/s: {mib} MiB/s are used",
                request.text
            ));
        }
        let separate = self.configuration.separate && request.count > 1;
        let single = request.count == 1;
        let mut disks = Vec::with_capacity(usize::from(request.count));
        for index in 0..request.count {
            let disk_name = if single { name.clone() } else { format!("{name}.{index}") };
            let own = request.own.contains_key(&index).then(|| request.alone(index));
            disks.push(match own {
                None => self.build_disk(&disk_name, request, figures, is_os)?,
                Some(own) => {
                    let figures = self.own_figures(&own, figures.size, is_os)?;
                    self.build_disk(&disk_name, &own, &figures, is_os)?
                }
            });
        }
        let first = self.blueprint.volumes.len();
        if separate {
            for disk in disks {
                let disk_name = self.disks[usize::from(disk.0)].name.clone();
                self.push_volume(disk_name, vec![disk], 1, figures.size, is_os)?;
            }
        } else {
            let asked = self.configuration.columns.filter(|_| !is_os);
            let columns = columns_of(&name, asked, request.count)?;
            self.push_volume(name.clone(), disks, columns, figures.size, is_os)?;
        }
        let volumes = (first..self.blueprint.volumes.len()).collect();
        self.names.push(NamedVolumes { name, volumes });
        Ok(())
    }

    fn volume_name(&self, request: &VolumeRequest, is_os: bool) -> Result<String, CatalogError> {
        let taken = |name: &str| self.names.iter().any(|named| named.name == name);
        let reserved = |name: &str| {
            let others = self.configuration.volumes.iter().filter_map(|v| v.name.as_deref());
            others.into_iter().any(|other| other == name)
        };
        let name = match (&request.name, is_os) {
            (Some(name), _) => name.clone(),
            (None, true) => "os".to_string(),
            (None, false) => (1..)
                .map(|n| if n == 1 { "data".to_string() } else { format!("data{n}") })
                .find(|name| !taken(name) && !reserved(name))
                .unwrap_or_default(),
        };
        if taken(&name) {
            return Err(CatalogError::refused(
                format!("`{}`", request.text),
                format!("two volumes are named {name}"),
                "give one another name: log=2xP20",
            ));
        }
        Ok(name)
    }

    fn push_volume(
        &mut self,
        name: String,
        disks: Vec<DiskId>,
        columns: u16,
        disk_size: Bytes,
        is_os: bool,
    ) -> Result<(), CatalogError> {
        let interleave = self.configuration.interleave;
        // Like md and Storage Spaces, a stripe leaves out a disk's remainder below one interleave.
        let remainder = if columns > 1 { disk_size.get() % interleave.get() } else { 0 };
        let usable = disk_size.get() - remainder;
        let (count, wide) = (disks.len() as u64, u64::from(columns));
        let whole = if count.is_multiple_of(wide) {
            usable.saturating_mul(count)
        } else {
            self.assume(
                format!("layout of {name}"),
                format!("{columns} columns, in slabs of 256 MiB distributed over all {count} disks"),
                "a simple space of Storage Spaces allocates slabs on the disks with the most free space",
            );
            stripe_capacity(count, wide, disk_size.get(), interleave.get())
        };
        let offset = if is_os { Bytes::ZERO } else { self.configuration.partition_offset };
        if offset.get() >= whole {
            return Err(CatalogError::refused(
                format!("--partition-offset {offset} on {name}"),
                format!("the volume has {}", Bytes(whole)),
                "use 1MiB, or leave it out",
            ));
        }
        self.blueprint.volumes.push(VolumeSpec {
            name,
            size: Bytes(whole) - offset,
            disks,
            columns,
            interleave,
            partition_offset: offset,
        });
        Ok(())
    }

    fn build_disk(
        &mut self,
        name: &str,
        request: &VolumeRequest,
        figures: &Figures,
        is_os: bool,
    ) -> Result<DiskId, CatalogError> {
        let (routes, cache) = match figures.disk {
            Some(disk) => self.remote_routes(name, request, disk, figures)?,
            None => (self.local_routes(name, figures)?, None),
        };
        let band = self.media(name, figures)?;
        let cloud = self.vm.cloud.name();
        let rules = &self.catalog.rules;
        let max_transfer = rules.kib(cloud, "max_transfer_kib", self.era)?;
        if max_transfer.get() == 0 {
            return Err(CatalogError::File {
                file: format!("rule {cloud} max_transfer_kib"),
                line: 0,
                why: "the largest transfer is above zero: 256".into(),
            });
        }
        let id = DiskId(self.blueprint.disks.len() as u16);
        self.blueprint.disks.push(DiskSpec {
            name: name.to_string(),
            size: figures.size,
            media: band.expected,
            routes,
            cache,
            max_transfer,
        });
        self.media_bands.push(band.scatter);
        self.disks.push(ResolvedDisk {
            id,
            name: name.to_string(),
            disk: figures.disk,
            tier: figures.tier.clone(),
            described: figures.described.clone(),
            redundancy: request.redundancy,
            size: figures.size,
            ios: figures.limits.ios,
            bytes: figures.limits.bytes,
            on_demand_burst: figures.on_demand,
            cache: request.cache,
            era: figures.era,
            unmanaged: figures.is_unmanaged(),
            is_os,
            is_nvme: figures.is_nvme,
            source: figures.source.clone(),
        });
        Ok(id)
    }

    /// The documented paths: uncached, cached hit and miss, writes through and writes acknowledged.
    fn remote_routes(
        &mut self,
        name: &str,
        request: &VolumeRequest,
        disk: DiskType,
        figures: &Figures,
    ) -> Result<(Routes, Option<CacheUse>), CatalogError> {
        let cached = match request.cache {
            CacheSetting::None => None,
            CacheSetting::ReadOnly => Some(CacheMode::ReadOnly),
            CacheSetting::ReadWrite => Some(CacheMode::ReadWrite),
        };
        let (front, cache) = match cached {
            None => (Directions::default(), None),
            Some(mode) => {
                if self.vm.host_cache == Some(false) {
                    return Err(CatalogError::refused(
                        format!("`{}` on {}", request.text, self.vm.name),
                        "the size has no host cache for disks",
                        "leave the cache setting out",
                    ));
                }
                let front = self.cached_limiters()?;
                (front, Some(CacheUse { cache: self.host_cache()?, mode }))
            }
        };
        if let Some(limiters) = self.vm.cloud.rules().remote_limiters {
            let Directions { read, write } = self.remote_limiters(limiters, name, disk, figures)?;
            return Ok((Routes { read, write, ..Routes::default() }, None));
        }
        let mut back: Vec<LimiterId> = self.uncached_limiter(disk)?.into_iter().collect();
        if figures.is_unmanaged() {
            match self.configuration.accounts {
                Accounts::Shared => back.push(self.account_limiter()?),
                Accounts::OneEach => {
                    self.assume(
                        "storage accounts",
                        "one for each disk",
                        "as in the published experiments: 20,000 IOPS for each account never limit a single disk",
                    );
                }
            }
        }
        back.push(self.disk_limiter(name, disk, figures)?);
        let through = |first: &[LimiterId]| [first, &back].concat();
        let routes = Routes {
            read_hit: front.read.clone(),
            read: through(&front.read),
            write: through(&front.write),
            write_ack: if cached == Some(CacheMode::ReadWrite) { front.write.clone() } else { Vec::new() },
            write_back: if cached == Some(CacheMode::ReadWrite) { back.clone() } else { Vec::new() },
        };
        Ok((routes, cache))
    }

    /// The temporary disk shares the VM's cached limit. Where its own figures differ they are a limiter of its own, and of the
    /// cached limit it shares the IOPS only: a DS3_v2's moved 384 MiB/s beside a cached limit of 128. Local NVMe disks beside it share nothing.
    fn local_routes(&mut self, name: &str, figures: &Figures) -> Result<Routes, CatalogError> {
        let local = if figures.is_nvme { self.vm.nvme } else { self.vm.temp };
        let count = local.count.unwrap_or(1).max(1);
        let shares = !figures.is_nvme && self.vm.cached.known();
        let mut limiters = if shares { self.cached_ios_limiters()? } else { Directions::default() };
        let differs = local.read.known() && !(shares && local.read == self.vm.cached);
        if differs {
            let known_write = Limits {
                ios: local.write.ios.or(local.read.ios),
                bytes: local.write.bytes.or(local.read.bytes),
            };
            if local.write == Limits::default() {
                self.assume(
                    format!("writes of {name}"),
                    "the same limits as its reads",
                    "only the read figures of the local disk are published",
                );
            }
            let rules = self.vm.cloud.rules();
            let scope = if figures.is_nvme { rules.nvme_scope } else { rules.local_scope };
            let own = self.direction_limiters(
                scope,
                LimiterName::of("disk", name),
                shared_out(local.read, count),
                shared_out(known_write, count),
                Limits::default(),
                (None, None),
            )?;
            limiters.read.extend(own.read);
            limiters.write.extend(own.write);
        }
        Ok(Routes { read_hit: Vec::new(), read: limiters.read, write: limiters.write, ..Routes::default() })
    }

    fn media(&mut self, name: &str, figures: &Figures) -> Result<MediaOf, CatalogError> {
        let scope = figures.disk.map_or("local", DiskType::word);
        let era = figures.rules_era;
        let rules = &self.catalog.rules;
        let floor = rules.ppm(scope, "media_floor", era)?[1];
        let per_kib = rules.span(scope, "media_per_kib", era)?[1];
        let read = rules.span(scope, "media_read", era)?;
        let write = rules.span(scope, "media_write", era)?;
        let depth_1 = |parameter: &str, otherwise: [Span; 3]| {
            rules.get(scope, parameter, era).map_or(Ok(otherwise[1]), |rule| rule.micro().map(Span::from_ns))
        };
        // An hour on one I/O is a slip of the pen, and would overflow sums of nanoseconds.
        let sane = |spans: &[Span]| spans.iter().all(|span| *span <= Span::from_secs(3_600));
        let given = if figures.disk.is_some() { self.configuration.media } else { Default::default() };
        let overrides = [given.read.unwrap_or(Span::ZERO), given.write.unwrap_or(Span::ZERO)];
        if !sane(&read) || !sane(&write) || !sane(&[per_kib]) || !sane(&overrides) || floor > Ppm::ONE {
            return Err(CatalogError::refused(
                format!("the media latency of {name}"),
                "a latency lies below an hour, and its floor is a share of it",
                "write --media read=2.1ms,write=1.75ms",
            ));
        }
        let first = (depth_1("media_read_depth_1", read)?, depth_1("media_write_depth_1", write)?);
        let source = rules.require(scope, "media_read", era)?.source.clone();
        let latency = |mean| Latency { mean, floor, per_kib };
        let media = |read, write| Media {
            read: latency(given.read.unwrap_or(read)),
            write: latency(given.write.unwrap_or(write)),
        };
        let of = MediaOf {
            expected: media(read[1], write[1]),
            scatter: MediaBand {
                fast: media(read[0], write[0]),
                slow: media(read[2], write[2]),
                depth_1: media(first.0, first.1),
                is_assumed: self.is_assumption(&source),
            },
        };
        let title = figures.disk.map_or("local disk", DiskType::title);
        for (given, direction, band) in [(given.read, Op::Read, read), (given.write, Op::Write, write)] {
            let property = PropertyKind::Media(Some(direction)).of(title);
            match given {
                Some(mean) => self.assume(property, mean.to_string(), "given"),
                None => {
                    self.assume_from(property, format!("{} ({} to {})", band[1], band[0], band[2]), &source)
                }
            }
        }
        Ok(of)
    }
}

/// A disk's media and how far it scatters.
struct MediaOf {
    expected: Media,
    scatter: MediaBand,
}
