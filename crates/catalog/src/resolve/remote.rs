//! The limiters of a remote disk whose cloud names them itself.

use iobound_model::{Credits, LimiterId, LimiterName};

use super::Builder;
use super::disks::Figures;
use super::limiters::{Directions, Wanted};
use crate::bounds::Bounds;
use crate::clouds::names::DiskType;
use crate::clouds::remote::{Attached, RemoteAsk, RemoteLimiters};
use crate::configuration::VolumeRequest;
use crate::error::CatalogError;
use crate::vm::Limits;

/// The remote disks of all requests.
pub(super) fn attached(requests: &[(&VolumeRequest, Figures, bool)]) -> Vec<Attached> {
    let of = |(request, figures, _): &(&VolumeRequest, Figures, bool)| {
        figures.disk.map(|disk| Attached {
            disk,
            redundancy: request.redundancy,
            count: u64::from(request.count),
            gib: figures.size.get() >> 30,
        })
    };
    requests.iter().filter_map(of).collect()
}

impl Builder<'_> {
    /// The limiters of a disk; one that an earlier disk has built is shared with it.
    pub(super) fn remote_limiters(
        &mut self,
        of: RemoteLimiters,
        name: &str,
        disk: DiskType,
        figures: &Figures,
    ) -> Result<Directions, CatalogError> {
        let era = figures.rules_era;
        let rules = &self.catalog.rules;
        let bounds = Bounds::of(rules, disk, era)?.expect("a type without tiers has bounds");
        let attached = &self.attached;
        let (vm, own, bounds) = (&self.vm, figures.limits, &bounds);
        let unknown_limits = self.configuration.unknown_limits;
        let limiters = of(&RemoteAsk { vm, disk, name, own, bounds, attached, rules, era, unknown_limits })?;
        let mut all = Directions::default();
        for limiter in limiters {
            if [limiter.shared, limiter.read, limiter.write].iter().all(|limits| *limits == Limits::default())
            {
                self.name_left_out(format!("{} of {} for {}", limiter.group, self.vm.name, limiter.instance));
            }
            let parts =
                [(None, limiter.shared), (Some("read"), limiter.read), (Some("write"), limiter.write)];
            for (direction, limits) in parts.into_iter().filter(|(_, limits)| *limits != Limits::default()) {
                let instance = match direction {
                    None => limiter.instance.clone(),
                    Some(direction) => format!("{}.{direction}", limiter.instance),
                };
                let name = LimiterName::of(limiter.group, &instance);
                let built = self.blueprint.limiters.iter().position(|have| have.name == name);
                let id = match built {
                    Some(index) => LimiterId(index as u16),
                    None => self.limiter(Wanted {
                        name,
                        scope: limiter.scope,
                        era,
                        ios: limits.ios,
                        bytes: limits.bytes,
                        credits: Credits::default(),
                        enforced_bytes: None,
                        raw_bytes: None,
                    })?,
                };
                all.read.extend((direction != Some("write")).then_some(id));
                all.write.extend((direction != Some("read")).then_some(id));
            }
            if let Some([what, value, why]) = limiter.assumed {
                self.assume(what, value, why);
            }
        }
        Ok(all)
    }
}
