//! The VM's host cache.

use iobound_model::{CacheId, CacheSpec, Latency};
use iobound_units::{Bytes, Ppm, Span};

use super::Builder;
use crate::assumption::PropertyKind;
use crate::error::CatalogError;
use crate::resolved::CacheBand;

impl Builder<'_> {
    /// The VM's one host cache.
    pub(super) fn host_cache(&mut self) -> Result<CacheId, CatalogError> {
        if let Some(cache) = self.vm_limiters.cache {
            return Ok(cache);
        }
        let (rules, era) = (&self.catalog.rules, self.era);
        let line = rules.kib("cache", "line_kib", era)?;
        let recorded = self.vm.cache_size.filter(|size| size.get() > 0);
        let capacity = match recorded {
            Some(size) => size,
            None => {
                let each = rules.gib("cache", "gib_per_vcpu", era)?;
                let vcpus = self.vm.vcpus.unwrap_or(1);
                Bytes(each.get().saturating_mul(vcpus))
            }
        };
        let high = rules.gib("cache", "dirty_high_gib", era)?.min(capacity);
        let low = rules.gib("cache", "dirty_low_gib", era)?.min(high);
        let floor = rules.ppm("cache", "media_floor", era)?[1];
        let per_kib = rules.span("cache", "media_per_kib", era)?[1];
        let latency = |span: Span| Latency { mean: span, floor, per_kib };
        let [fast_hit, hit, slow_hit] = rules.span("cache", "hit", era)?.map(latency);
        let [fast_ack, ack, slow_ack] = rules.span("cache", "acknowledgement", era)?.map(latency);
        let alone = |parameter: &str, deep: Latency| -> Result<Latency, CatalogError> {
            let own = rules.get("cache", parameter, era).map(|rule| rule.micro());
            Ok(own.transpose()?.map_or(deep, |ns| latency(Span::from_ns(ns))))
        };
        let hit_alone = alone("hit_depth_1", hit)?;
        let ack_alone = alone("acknowledgement_depth_1", ack)?;
        let band = CacheBand { hit: [fast_hit, slow_hit, hit_alone], ack: [fast_ack, slow_ack, ack_alone] };
        let spec = CacheSpec { capacity, line, hit, ack, dirty_high: high, dirty_low: low };
        let longest = Span::from_secs(3_600);
        let means = [slow_hit, hit, hit_alone, slow_ack, ack, ack_alone].map(|latency| latency.mean);
        if floor > Ppm::ONE || means.into_iter().chain([per_kib]).any(|span| span > longest) {
            return Err(CatalogError::File {
                file: "rule cache hit, acknowledgement, media_per_kib, media_floor".into(),
                line: 0,
                why: "a latency lies below an hour, and its floor is a share of it: 0.06".into(),
            });
        }
        if line.get() < 16 || !line.get().is_power_of_two() {
            return Err(CatalogError::File {
                file: "rule cache line_kib".into(),
                line: 0,
                why: "a cache line is a power of two: 64".into(),
            });
        }
        let sources = ["gib_per_vcpu", "line_kib", "dirty_high_gib", "hit"].map(|parameter| {
            rules.get("cache", parameter, era).map(|rule| rule.source.clone()).unwrap_or_default()
        });
        if recorded.is_none() {
            self.assume_from("capacity of the host cache", capacity.to_string(), &sources[0]);
        }
        self.assume_from("line of the host cache", line.to_string(), &sources[1]);
        self.assume_from(
            "dirty limit of the host cache",
            format!("stops at {high}, goes on at {low}"),
            &sources[2],
        );
        self.assume_from(
            PropertyKind::CacheMedia.of("the host cache"),
            format!("hit {}, write {}", spec.hit.mean, spec.ack.mean),
            &sources[3],
        );
        self.blueprint.caches.push(spec);
        self.cache_bands.push(band);
        let cache = CacheId((self.blueprint.caches.len() - 1) as u16);
        self.vm_limiters.cache = Some(cache);
        Ok(cache)
    }
}
