//! The limiters: the VM's, shared by its disks, and each disk's own.

use iobound_model::{Algorithm, CacheId, Credits, Limit, LimiterId, LimiterName, LimiterSpec, Stalls};
use iobound_units::{Ppm, Span};

use super::Builder;
use super::charge::{Charging, charging};
use super::disks::Figures;
use crate::assumption::PropertyKind;
use crate::clouds::names::DiskType;
use crate::configuration::{Enforcement, What};
use crate::era::Era;
use crate::error::CatalogError;
use crate::resolved::LimiterBand;
use crate::vm::{Limits, RemoteLimit};

/// The VM's limiters that were needed so far.
#[derive(Default)]
pub(super) struct VmLimiters {
    uncached: Option<LimiterId>,
    uncached_v2: Option<LimiterId>,
    cached: Option<Directions>,
    /// The cached limit's IOPS alone, where the temporary disk has a throughput of its own.
    cached_ios: Option<LimiterId>,
    pub(super) cache: Option<CacheId>,
}

/// The limiters of one limit by direction: the IOPS are shared, the bytes may not be.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions {
    pub(super) read: Vec<LimiterId>,
    pub(super) write: Vec<LimiterId>,
}

/// A limiter to be built.
pub(super) struct Wanted<'a> {
    pub(super) name: LimiterName,
    /// Scope of the rules: a disk type's word, `azure-vm`, `aws-vm`, `account`.
    pub(super) scope: &'a str,
    /// The era of the rules.
    pub(super) era: Era,
    pub(super) ios: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) credits: Credits,
    pub(super) enforced_bytes: Option<u64>,
    /// Bytes a second as the service's own records count them.
    pub(super) raw_bytes: Option<u64>,
}

/// No limit lies above 10^12 a second: what is larger is a slip of the pen in somebody's own catalogue file.
const MOST: u64 = 1_000_000_000_000;

/// Refuses figures that no limiter can enforce.
fn check_figures(wanted: &Wanted<'_>, factors: [Ppm; 3]) -> Result<(), CatalogError> {
    let credits = [wanted.credits.ios, wanted.credits.bytes].map(|credit| credit.map(|c| c.burst));
    for figure in
        [wanted.ios, wanted.bytes, wanted.enforced_bytes, wanted.raw_bytes].into_iter().chain(credits)
    {
        if figure.is_some_and(|figure| figure == 0 || figure > MOST) {
            return Err(CatalogError::refused(
                format!("the limiter {}", wanted.name),
                "a limit lies above 0 and below 10^12 a second",
                "correct the figure; an unknown one is an empty cell, not a zero",
            ));
        }
    }
    if factors.into_iter().any(|factor| factor == Ppm(0) || factor > Ppm(10_000_000)) {
        return Err(CatalogError::File {
            file: format!("rule {} enforced_factor", wanted.scope),
            line: 0,
            why: "enforced / published lies above 0 and below 10: 1.02".into(),
        });
    }
    Ok(())
}

impl Builder<'_> {
    /// Builds a limiter by the rules of its scope.
    pub(super) fn limiter(&mut self, wanted: Wanted<'_>) -> Result<LimiterId, CatalogError> {
        let rules = &self.catalog.rules;
        let era = wanted.era;
        let algorithm_rule = rules.require(wanted.scope, "algorithm", era)?;
        let [_, length, longest] = rules.span(wanted.scope, "algorithm_ms", era)?;
        let [algorithm, algorithm_high] = match algorithm_rule.value.as_str() {
            "slice" => [Algorithm::Slice { length }; 2],
            "bucket" => [length, longest].map(|depth| Algorithm::Bucket { depth }),
            other => {
                return Err(CatalogError::File {
                    file: format!("rule {} algorithm", wanted.scope),
                    line: 0,
                    why: format!("`{other}` is not an algorithm: write slice or bucket"),
                });
            }
        };
        if length.is_zero() {
            return Err(CatalogError::File {
                file: format!("rule {} algorithm_ms", wanted.scope),
                line: 0,
                why: "a slice or bucket has a length: 50".into(),
            });
        }
        let enforced_rule = rules.require(wanted.scope, "enforced_factor", era)?;
        let said = match algorithm {
            Algorithm::Slice { .. } => format!("slices of {length}"),
            Algorithm::Bucket { .. } => format!("a bucket of {length}"),
        };
        let limiters = format!("{} limiters", wanted.scope);
        let assumed = [
            (PropertyKind::Algorithm.of(limiters.as_str()), said, algorithm_rule.source.clone()),
            (
                PropertyKind::Enforcement.of(limiters.as_str()),
                format!("published x {}", enforced_rule.value),
                enforced_rule.source.clone(),
            ),
        ];
        let Charging { charge, merging } = charging(rules, wanted.scope, era)?;
        let [low, factor, high] = match self.configuration.enforcement {
            Enforcement::Measured => rules.ppm(wanted.scope, "enforced_factor", era)?,
            Enforcement::Published => [Ppm::ONE; 3],
        };
        let measured = self.configuration.enforcement == Enforcement::Measured;
        // Megabytes of 2^20 are only ever the more that a band reaches up to; a measured figure may have the factor as well.
        let bytes_high = match (measured, wanted.enforced_bytes.or(wanted.bytes)) {
            (true, Some(bytes)) => match rules.get(wanted.scope, "bytes_unsettled", era) {
                Some(rule) => {
                    let high = u128::from(bytes) * u128::from(rule.micro()?) / 1_000_000;
                    Some((high.min(u128::from(MOST)) as u64).max(bytes))
                }
                None if wanted.enforced_bytes.is_some() => Some(factor.of(bytes)),
                None => wanted.raw_bytes.filter(|raw| *raw > bytes),
            },
            _ => None,
        };
        // Sources differ where a measured figure replaces the published one; the service's own records are no such figure.
        let replaced = wanted.enforced_bytes.is_some() && wanted.raw_bytes.is_none();
        let bytes_low = wanted.bytes.filter(|_| measured && replaced);
        check_figures(&wanted, [low, factor, high])?;
        let stalls = self.stalls(wanted.scope, era)?.filter(|_| measured);
        let is_assumed = measured && self.is_assumption(&enforced_rule.source);
        self.blueprint.limiters.push(LimiterSpec {
            name: wanted.name,
            ios: wanted.ios.map(Limit::published),
            bytes: wanted
                .bytes
                .map(|published| Limit { published, enforced: wanted.enforced_bytes.filter(|_| measured) }),
            charge,
            algorithm,
            factor,
            credits: Some(wanted.credits).filter(|c| *c != Credits::default()),
        });
        self.limiter_bands.push(LimiterBand {
            factor_low: low,
            factor_high: high,
            bytes_high,
            is_expected: false,
            is_assumed,
            bytes_low,
            algorithm_high: if measured { algorithm_high } else { algorithm },
            streams_low: measured.then_some(1),
            stalls,
        });
        let [algorithm, enforcement] = assumed;
        self.assume_from(algorithm.0, algorithm.1, &algorithm.2);
        if let Some((said, source)) = merging {
            self.assume_from(PropertyKind::Merging.of(limiters), said, &source);
        }
        if measured {
            self.assume_from(enforcement.0, enforcement.1, &enforcement.2);
        }
        if wanted.credits != Credits::default() && self.vm.cloud.rules().derives_credits {
            let rule = self.catalog.rules.require(self.vm.cloud.name(), "credit_seconds", self.era)?;
            let (seconds, source) = (rule.value.clone(), rule.source.clone());
            self.assume_from("credit buckets", format!("(burst - base) x {seconds} s"), &source);
        }
        Ok(LimiterId((self.blueprint.limiters.len() - 1) as u16))
    }

    /// The most that a scope's limiters stall: `stall_share` and `stall_ms`, which are there together.
    fn stalls(&self, scope: &str, era: Era) -> Result<Option<Stalls>, CatalogError> {
        let rules = &self.catalog.rules;
        if rules.get(scope, "stall_share", era).is_none() {
            return Ok(None);
        }
        let [_, _, share] = rules.ppm(scope, "stall_share", era)?;
        let [_, length, _] = rules.span(scope, "stall_ms", era)?;
        if share == Ppm(0) || share > Ppm(200_000) || length.is_zero() || length > Span::from_secs(10) {
            return Err(CatalogError::File {
                file: format!("rule {scope} stall_share, stall_ms"),
                line: 0,
                why: "a limiter stalls for at most 0.2 of the time, for at most 10 s each: 0.02 and 350"
                    .into(),
            });
        }
        Ok(Some(Stalls { share, length }))
    }

    /// The limiter of all disks without host cache: Premium SSD v2 and Ultra disks may have their own. `None`: no source gives the
    /// limit, and it is left out.
    pub(super) fn uncached_limiter(&mut self, disk: DiskType) -> Result<Option<LimiterId>, CatalogError> {
        let RemoteLimit { is_apart: own_v2, sustained: limits, burst } = self.vm.remote(disk.kind().limit);
        let have = if own_v2 { self.vm_limiters.uncached_v2 } else { self.vm_limiters.uncached };
        if have.is_some() {
            return Ok(have);
        }
        if limits.ios.is_none() || (limits.bytes.is_none() && self.vm.uncached_is.is_none()) {
            let refusal = self.unknown_vm_limit(limits, false);
            self.leave_out(self.vm.cloud.rules().remote_limiter, refusal)?;
            return Ok(None);
        }
        if let Some(per_disk) = self.vm.uncached_is.clone().filter(|_| limits.bytes.is_none()) {
            self.assume(
                format!("{} uncached throughput", self.vm.name),
                "no limit other than the disks' own",
                format!("documented only as IOPS: {per_disk}"),
            );
        }
        let cloud = self.vm.cloud;
        let bursts = cloud.rules().bursts_in_every_era || self.era.facts().vm_bursting;
        let credits = if bursts {
            Credits {
                ios: self.credit(cloud, limits.ios, burst.ios)?,
                bytes: self.credit(cloud, limits.bytes, burst.bytes)?,
            }
        } else {
            Credits::default()
        };
        let group = cloud.rules().remote_limiter;
        let limiter = self.limiter(Wanted {
            name: if own_v2 { LimiterName::of(group, "v2-ultra") } else { LimiterName::only(group) },
            scope: cloud.rules().vm_scope,
            era: self.era,
            ios: limits.ios,
            bytes: limits.bytes,
            credits,
            enforced_bytes: None,
            raw_bytes: self.vm.raw_uncached_bytes.filter(|_| !own_v2),
        })?;
        if own_v2 {
            self.vm_limiters.uncached_v2 = Some(limiter);
        } else {
            self.vm_limiters.uncached = Some(limiter);
        }
        if self.vm_limiters.uncached.is_some() && self.vm_limiters.uncached_v2.is_some() {
            self.assume(
                "vm.uncached of Premium SSD v2 and Ultra disks",
                "a limit separate from that of the other disks",
                "how the two published limits share one VM is not documented",
            );
        }
        Ok(Some(limiter))
    }

    /// The limiters of the host cache and the temporary disk.
    pub(super) fn cached_limiters(&mut self) -> Result<Directions, CatalogError> {
        if let Some(limiters) = &self.vm_limiters.cached {
            return Ok(limiters.clone());
        }
        let (limits, bracket) = self.cached_limits()?;
        let first = self.limiter_bands.len();
        let bursts = self.era.facts().vm_bursting;
        let burst = if bursts { self.vm.cached_burst } else { Limits::default() };
        let write_bytes = self.vm.cached_write_bytes.or(limits.bytes);
        let raw = (self.vm.raw_cached_read_bytes, self.vm.raw_cached_write_bytes);
        let scope = self.vm.cloud.rules().local_scope;
        let limiters = if self.temp_is_apart() {
            let of_ios = Limits { bytes: None, ..limits };
            let ios_burst = Limits { bytes: None, ..burst };
            let shared = self
                .direction_limiters(
                    scope,
                    LimiterName::only("vm.cached"),
                    of_ios,
                    of_ios,
                    ios_burst,
                    (None, None),
                )?
                .read[0];
            self.vm_limiters.cached_ios = Some(shared);
            let read = Limits { ios: None, ..limits };
            let write = Limits { ios: None, bytes: write_bytes };
            let byte_burst = Limits { ios: None, ..burst };
            let of_bytes = self.direction_limiters(
                scope,
                LimiterName::of("vm.cached", "throughput"),
                read,
                write,
                byte_burst,
                raw,
            )?;
            let behind = |limiters: Vec<LimiterId>| [vec![shared], limiters].concat();
            Directions { read: behind(of_bytes.read), write: behind(of_bytes.write) }
        } else {
            let write = Limits { ios: limits.ios, bytes: write_bytes };
            self.direction_limiters(scope, LimiterName::only("vm.cached"), limits, write, burst, raw)?
        };
        if let Some(bracket) = bracket {
            self.limiter_bands[first..].iter_mut().for_each(|band| bracket.widen(band));
        }
        self.vm_limiters.cached = Some(limiters.clone());
        Ok(limiters)
    }

    /// The limiters of a temporary disk that shares the IOPS of the cached limit and has a throughput of its own.
    pub(super) fn cached_ios_limiters(&mut self) -> Result<Directions, CatalogError> {
        let all = self.cached_limiters()?;
        let apart = self
            .vm_limiters
            .cached_ios
            .map(|limiter| Directions { read: vec![limiter], write: vec![limiter] });
        Ok(apart.unwrap_or(all))
    }

    /// True if the temporary disk is there and has figures other than the cached limit's.
    fn temp_is_apart(&self) -> bool {
        let temp = self.vm.temp.read;
        let is_asked = self.configuration.volumes.iter().any(|volume| volume.what == What::Temp);
        is_asked && temp.known() && temp != self.vm.cached
    }

    /// One limiter where both directions have the same figures; else shared IOPS and a byte limiter for each direction;
    /// else two limiters.
    pub(super) fn direction_limiters(
        &mut self,
        scope: &'static str,
        name: LimiterName,
        read: Limits,
        write: Limits,
        burst: Limits,
        raw: (Option<u64>, Option<u64>),
    ) -> Result<Directions, CatalogError> {
        let cloud = self.vm.cloud;
        let named = |direction: Option<&str>| match (&name.instance, direction) {
            (_, None) => name.clone(),
            (None, Some(direction)) => LimiterName::of(&name.group, direction),
            (Some(instance), Some(direction)) => {
                LimiterName::of(&name.group, &format!("{instance}.{direction}"))
            }
        };
        let credits = Credits {
            ios: self.credit(cloud, read.ios, burst.ios)?,
            bytes: self.credit(cloud, read.bytes, burst.bytes)?,
        };
        let era = self.era;
        let wanted = |name, ios, bytes: Option<u64>, credits, raw_bytes: Option<u64>| Wanted {
            name,
            scope,
            era,
            ios,
            bytes,
            credits,
            // What the host serves counts the service's own records: 512 MiB/s of a DS14, not 512 x 10^6 B/s.
            enforced_bytes: raw_bytes.filter(|raw| bytes.is_some_and(|bytes| *raw > bytes)),
            raw_bytes,
        };
        if read == write {
            let limiter = self.limiter(wanted(named(None), read.ios, read.bytes, credits, raw.0))?;
            return Ok(Directions { read: vec![limiter], write: vec![limiter] });
        }
        if read.ios == write.ios && read.ios.is_some() {
            let ios = Credits { ios: credits.ios, bytes: None };
            let bytes = Credits { ios: None, bytes: credits.bytes };
            let shared = self.limiter(wanted(named(None), read.ios, None, ios, None))?;
            let reads = self.limiter(wanted(named(Some("read")), None, read.bytes, bytes, raw.0))?;
            let writes =
                self.limiter(wanted(named(Some("write")), None, write.bytes, Credits::default(), raw.1))?;
            return Ok(Directions { read: vec![shared, reads], write: vec![shared, writes] });
        }
        let reads = self.limiter(wanted(named(Some("read")), read.ios, read.bytes, credits, raw.0))?;
        let writes =
            self.limiter(wanted(named(Some("write")), write.ios, write.bytes, Credits::default(), raw.1))?;
        Ok(Directions { read: vec![reads], write: vec![writes] })
    }

    /// The limiter of a storage account that all unmanaged disks share.
    pub(super) fn account_limiter(&mut self) -> Result<LimiterId, CatalogError> {
        if let Some(limiter) = self.account {
            return Ok(limiter);
        }
        let ios = self.catalog.rules.require("account", "iops", self.era)?.count()?;
        let limiter = self.limiter(Wanted {
            name: LimiterName::only("account"),
            scope: "account",
            era: self.era,
            ios: Some(ios),
            bytes: None,
            credits: Credits::default(),
            enforced_bytes: None,
            raw_bytes: None,
        })?;
        self.account = Some(limiter);
        Ok(limiter)
    }

    /// A remote disk's own limiter.
    pub(super) fn disk_limiter(
        &mut self,
        name: &str,
        disk: DiskType,
        figures: &Figures,
    ) -> Result<LimiterId, CatalogError> {
        let measured = self.configuration.enforcement == Enforcement::Measured;
        if let Some((enforced, source)) = figures.enforced_bytes.as_ref().filter(|_| measured) {
            self.assume_from(
                format!("throughput of {}", disk.title()),
                format!("{} MB/s are let through", enforced / 1_000_000),
                source,
            );
        }
        self.limiter(Wanted {
            name: LimiterName::of("disk", name),
            scope: disk.word(),
            era: figures.rules_era,
            ios: figures.limits.ios,
            bytes: figures.limits.bytes,
            credits: figures.credits,
            enforced_bytes: figures.enforced_bytes.as_ref().map(|(bytes, _)| *bytes),
            raw_bytes: None,
        })
    }
}
