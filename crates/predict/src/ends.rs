//! The ends of the band as blueprints.

use iobound_catalog::{Band, Resolved};
use iobound_model::Blueprint;
use iobound_units::Span;

/// Latency at a depth of four and more is 6 to 20 % lower than at one (published runs of 2015 to 2022); the
/// catalogue has both.
const SHALLOW: u64 = 4;

/// True if so few I/Os are outstanding that the media has the latency of depth 1.
pub(crate) fn is_shallow(outstanding: u64) -> bool {
    outstanding < SHALLOW
}

/// The blueprint at an end of the band: at a shallow depth by as much slower as the expected one is.
pub(crate) fn end_of_band(resolved: &Resolved, band: Band, shallow: bool) -> Blueprint {
    let mut blueprint = resolved.with_band(band);
    if shallow {
        let slower = |at_end: Span, alone: Span, deep: Span| {
            let ns = u128::from(at_end.ns()) * u128::from(alone.ns()) / u128::from(deep.ns().max(1));
            Span::from_ns(ns as u64)
        };
        let expected = &resolved.blueprint.disks;
        for ((disk, expected), scatter) in blueprint.disks.iter_mut().zip(expected).zip(&resolved.media_bands)
        {
            let (media, alone, deep) = (&mut disk.media, scatter.depth_1, expected.media);
            media.read.mean = slower(media.read.mean, alone.read.mean, deep.read.mean);
            media.write.mean = slower(media.write.mean, alone.write.mean, deep.write.mean);
        }
        let expected = &resolved.blueprint.caches;
        for ((cache, expected), scatter) in
            blueprint.caches.iter_mut().zip(expected).zip(&resolved.cache_bands)
        {
            cache.hit.mean = slower(cache.hit.mean, scatter.hit[2].mean, expected.hit.mean);
            cache.ack.mean = slower(cache.ack.mean, scatter.ack[2].mean, expected.ack.mean);
        }
    }
    blueprint
}
