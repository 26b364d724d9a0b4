use iobound_model::{Algorithm, Blueprint, Charge, Dimension, DiskId, Latency, LimiterId, Media, Stalls};
use iobound_units::{Bytes, Ppm};

use crate::assumption::Assumption;
use crate::clouds::names::{DiskType, Redundancy};
use crate::configuration::CacheSetting;
use crate::era::Era;
use crate::vm::VmSize;

/// A configuration that can be built: the model's blueprint, and everything that has to be said about it.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Expected figures, which the simulator and the closed form read.
    pub blueprint: Blueprint,
    /// The VM size, as of the era.
    pub vm: VmSize,
    /// The era of the figures.
    pub era: Era,
    /// The disks, in the order of `blueprint.disks`.
    pub disks: Vec<ResolvedDisk>,
    /// Local disks that are ordered, and paid, beside the VM: their number, and the name of the price of each, if it has one.
    pub ordered_local: Option<(u64, Option<String>)>,
    /// The names that jobs use, in the order asked for; with separate disks one name stands for several volumes.
    pub names: Vec<NamedVolumes>,
    /// The assumptions.
    pub assumed: Vec<Assumption>,
    /// Notes for the user: fallbacks, own figures, resolved tiers.
    pub notes: Vec<String>,
    /// Limits of the VM that no source gives and that are left out, in words: `vm.ebs of t2.large`.
    pub left_out: Vec<String>,
    /// Scatter of the media of each disk, in the order of `blueprint.disks`.
    pub media_bands: Vec<MediaBand>,
    /// Scatter of each host cache's own media, in the order of `blueprint.caches`.
    pub cache_bands: Vec<CacheBand>,
    /// Scatter of the enforcement of each limiter, in the order of `blueprint.limiters`.
    pub limiter_bands: Vec<LimiterBand>,
}

/// One disk of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedDisk {
    /// Its index in `blueprint.disks`.
    pub id: DiskId,
    /// Its name in every output: `data`, `data.0`.
    pub name: String,
    /// Its type; `None` for the VM's local disk.
    pub disk: Option<DiskType>,
    /// Its tier, where its type has tiers.
    pub tier: Option<String>,
    /// Its name, as for `--disk`: `P30`, `premiumv2@1024GiB+3000iops+125MB/s`, `P30@2016` where its
    /// figures are of another era than the configuration's.
    pub described: String,
    /// Number of datacentres that hold it.
    pub redundancy: Redundancy,
    /// Its capacity.
    pub size: Bytes,
    /// Published I/O units a second; provisioned ones where they are provisioned.
    pub ios: Option<u64>,
    /// Published bytes a second.
    pub bytes: Option<u64>,
    /// True if it bursts on demand, which is billed.
    pub on_demand_burst: bool,
    /// The host-cache setting.
    pub cache: CacheSetting,
    /// The era of its figures.
    pub era: Era,
    /// True if it is a page blob in a storage account.
    pub unmanaged: bool,
    /// True if it holds the operating system.
    pub is_os: bool,
    /// True if it is a local NVMe disk of the VM.
    pub is_nvme: bool,
    /// The source of its figures.
    pub source: String,
}

/// A name that jobs use, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVolumes {
    /// `data`.
    pub name: String,
    /// Indices in `blueprint.volumes`: one, or with separate disks one for each.
    pub volumes: Vec<usize>,
}

/// An end of the band of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Band {
    /// The least: the slowest media and the smallest enforcement that were seen.
    Low,
    /// The expected figures: the figures of [`Resolved::blueprint`] itself.
    Expected,
    /// The most: the fastest media, the largest enforcement, megabytes of 2^20.
    High,
}

/// Scatter of a disk's media from VM to VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaBand {
    /// The fastest seen.
    pub fast: Media,
    /// The slowest seen.
    pub slow: Media,
    /// Typical latency at queue depth 1, which is slower than at 4 and more.
    pub depth_1: Media,
    /// True if the latency is an assumption: nothing published and nothing measured stands behind it.
    pub is_assumed: bool,
}

/// Scatter of a host cache's hits and acknowledgements from VM to VM: the fastest seen, the slowest, and what is
/// typical at queue depth 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBand {
    /// A read hit.
    pub hit: [Latency; 3],
    /// An acknowledged write.
    pub ack: [Latency; 3],
}

/// Scatter of a limiter's enforcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimiterBand {
    /// The smallest enforced ÷ published.
    pub factor_low: Ppm,
    /// The largest.
    pub factor_high: Ppm,
    /// Bytes a second if the megabytes (measured ones, where they are) count 2^20 and that is not settled.
    pub bytes_high: Option<u64>,
    /// True if no source gives the limit: the sizes alike place it in a range.
    pub is_expected: bool,
    /// True if the enforced ÷ published is an assumption.
    pub is_assumed: bool,
    /// Published bytes a second where another figure was measured: some disks are held to it.
    pub bytes_low: Option<u64>,
    /// The algorithm with the deepest bucket that was seen; a slice as it is.
    pub algorithm_high: Algorithm,
    /// The fewest streams that it tells apart, where that is not settled.
    pub streams_low: Option<u16>,
    /// Frequency and longest duration of its stalls, if known; the expected figures have no stalls.
    pub stalls: Option<Stalls>,
}

impl Resolved {
    /// The assumptions behind which nothing published and nothing measured stands.
    pub fn guesses(&self) -> impl Iterator<Item = &Assumption> {
        self.assumed.iter().filter(|assumption| assumption.is_guess)
    }

    /// True if no source gives the limit of this group, `vm.cached`: the sizes alike place it in a range.
    pub fn is_expected_limit(&self, group: &str) -> bool {
        let mut limiters = self.blueprint.limiters.iter().zip(&self.limiter_bands);
        limiters.any(|(limiter, band)| limiter.name.group == group && band.is_expected)
    }

    /// True if the same is built: disks, limiters, caches and how far each scatters, whatever is said about them.
    pub fn is_built_as(&self, other: &Resolved) -> bool {
        self.blueprint == other.blueprint
            && self.media_bands == other.media_bands
            && self.cache_bands == other.cache_bands
            && self.limiter_bands == other.limiter_bands
    }

    /// True if a disk is a page blob in a storage account.
    pub fn has_unmanaged(&self) -> bool {
        self.disks.iter().any(|disk| disk.unmanaged)
    }

    /// The blueprint with the media of an end of the band; limiters stay as they are.
    pub fn with_media(&self, band: Band) -> Blueprint {
        let mut blueprint = self.blueprint.clone();
        for (disk, scatter) in blueprint.disks.iter_mut().zip(&self.media_bands) {
            match band {
                Band::Low => disk.media = scatter.slow,
                Band::Expected => {}
                Band::High => disk.media = scatter.fast,
            }
        }
        for (cache, scatter) in blueprint.caches.iter_mut().zip(&self.cache_bands) {
            let ([fast_hit, slow_hit, _], [fast_ack, slow_ack, _]) = (scatter.hit, scatter.ack);
            match band {
                Band::Low => (cache.hit, cache.ack) = (slow_hit, slow_ack),
                Band::Expected => {}
                Band::High => (cache.hit, cache.ack) = (fast_hit, fast_ack),
            }
        }
        blueprint
    }

    /// The blueprint with the fastest media in the range of each assumed latency; `None`: no latency is assumed.
    pub fn at_the_fastest_assumed_media(&self) -> Option<Blueprint> {
        if !self.media_bands.iter().any(|scatter| scatter.is_assumed) {
            return None;
        }
        let mut blueprint = self.blueprint.clone();
        let disks = blueprint.disks.iter_mut().zip(&self.media_bands);
        for (disk, scatter) in disks.filter(|(_, scatter)| scatter.is_assumed) {
            disk.media = scatter.fast;
        }
        Some(blueprint)
    }

    /// The blueprint with the media that is typical at queue depth 1.
    pub fn at_depth_1(&self) -> Blueprint {
        let mut blueprint = self.blueprint.clone();
        for (disk, scatter) in blueprint.disks.iter_mut().zip(&self.media_bands) {
            disk.media = scatter.depth_1;
        }
        for (cache, scatter) in blueprint.caches.iter_mut().zip(&self.cache_bands) {
            (cache.hit, cache.ack) = (scatter.hit[2], scatter.ack[2]);
        }
        blueprint
    }

    /// The blueprint at an end of the whole band: media, enforcement and units.
    pub fn with_band(&self, band: Band) -> Blueprint {
        let mut blueprint = self.with_media(band);
        for (limiter, scatter) in blueprint.limiters.iter_mut().zip(&self.limiter_bands) {
            match band {
                Band::Low => {
                    limiter.factor = scatter.factor_low;
                    if let (Some(limit), Some(low)) = (&mut limiter.bytes, scatter.bytes_low) {
                        limit.enforced = limit.enforced.map(|measured| measured.min(low));
                    }
                    // Whether streams that share a disk are told apart is not documented.
                    if let (Charge::Merged(merge), Some(streams)) = (&mut limiter.charge, scatter.streams_low)
                    {
                        merge.streams = streams;
                    }
                }
                Band::Expected => {}
                Band::High => {
                    limiter.factor = scatter.factor_high;
                    limiter.algorithm = scatter.algorithm_high;
                    if let (Some(limit), Some(high)) = (&mut limiter.bytes, scatter.bytes_high) {
                        limit.enforced = Some(match limit.enforced {
                            Some(measured) => measured.max(high),
                            None => scatter.factor_high.of(high),
                        });
                    }
                }
            }
        }
        blueprint
    }

    /// A limiter's published limit, with its binding's name: `vm.uncached.iops`.
    pub fn published(&self, limiter: LimiterId, dimension: Dimension) -> Option<(String, u64)> {
        let spec = self.blueprint.limiters.get(usize::from(limiter.0))?;
        let limit = spec.limit(dimension)?;
        Some((format!("{}.{}", spec.name.group, dimension.name()), limit.published))
    }

    /// Volumes of a name: the volumes of a `--disk`, or one volume by its own name.
    pub fn volumes_of(&self, name: &str) -> Option<Vec<usize>> {
        self.names
            .iter()
            .find(|named| named.name == name)
            .map(|named| named.volumes.clone())
            .or_else(|| self.blueprint.volume(name).map(|index| vec![index]))
    }
}
