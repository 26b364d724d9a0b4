//! Activity between two looks.

use std::sync::Arc;

use iobound_catalog::Resolved;
use iobound_emulate::state::{ExportCounts, Look, Tally};
use iobound_emulate::{Export, ExportKind, Shared};
use iobound_measure::Histogram;
use iobound_model::{Blueprint, Dimension};
use iobound_report::{
    DeviceState, DiskState, EmulatorState, FrontState, HostCacheState, LimitState, OpState,
};
use iobound_units::Bytes;

/// Time of the looks.
pub(super) struct Looked<'a> {
    pub(super) blueprint: &'a Blueprint,
    pub(super) exports: &'a [Export],
    /// Present cache settings of the disks.
    pub(super) resolved: &'a Resolved,
    /// By front, its name, the lateness of the interval, and since the start.
    pub(super) late: &'a [(&'static str, &'a Histogram, Histogram)],
    pub(super) memory: Option<Bytes>,
    pub(super) faults: Vec<String>,
}

/// The events between two looks, of which the first may lack what was added after it.
pub(super) fn state_between(before: &Look, after: &Look, looked: &Looked<'_>) -> EmulatorState {
    let seconds = after.at.since(before.at).secs_f64();
    let per_s = |now: u64, then: u64| {
        if seconds > 0.0 { now.saturating_sub(then) as f64 / seconds } else { 0.0 }
    };
    let devices = looked.exports.iter().zip(&after.exports).enumerate().map(|(n, (export, now))| {
        let then = before.exports.get(n).cloned().unwrap_or_default();
        device(export, &then, now, &per_s)
    });
    let disks = looked.blueprint.disks.iter().zip(&after.disks).enumerate().map(|(n, (spec, now))| {
        let then = before.disks.get(n).copied().unwrap_or_default();
        let resolved = looked.resolved.disks.iter().find(|disk| disk.name == spec.name);
        DiskState {
            name: spec.name.clone(),
            is: resolved.map_or(String::new(), |disk| disk.described.clone()),
            cache: resolved.map_or("none", |disk| disk.cache.name()),
            iops: per_s(now.ios, then.ios),
            throughput_bytes_per_s: per_s(now.bytes, then.bytes),
            ios: now.ios,
            bytes: now.bytes,
        }
    });
    let caches = after.caches.iter().enumerate().map(|(n, now)| {
        let then = before.caches.get(n).copied().unwrap_or_default();
        let (hits, misses) = (now.hits - then.hits, now.misses - then.misses);
        HostCacheState {
            hit_rate: (hits + misses > 0).then(|| hits as f64 / (hits + misses) as f64),
            hits: now.hits,
            misses: now.misses,
            dirty_bytes: now.dirty_bytes,
            held_ms_per_s: per_s(now.held_ns, then.held_ns) / 1e6,
            written_back_bytes: now.written_back,
        }
    });
    EmulatorState {
        at_s: after.at.ns() as f64 / 1e9,
        interval_s: seconds,
        devices: devices.collect(),
        limits: limits(before, after, looked.blueprint, &per_s),
        disks: disks.collect(),
        caches: caches.collect(),
        fronts: looked.late.iter().map(|(name, late, total)| front(name, late, total)).collect(),
        held_bytes: after.held.get(),
        memory_bytes: looked.memory.map(Bytes::get),
        under_way: after.under_way,
        faults: looked.faults.clone(),
    }
}

/// An emulator that serves a run of our own: what it does, second by second.
pub(crate) struct Watched<'a> {
    shared: Arc<Shared>,
    resolved: &'a Resolved,
    last: Look,
}

impl<'a> Watched<'a> {
    /// From now on.
    pub(crate) fn new(shared: &Arc<Shared>, resolved: &'a Resolved) -> Watched<'a> {
        let last = shared.alter(|emulator, now, _| emulator.look(now));
        Watched { shared: Arc::clone(shared), resolved, last }
    }

    /// The events since this was asked last.
    pub(crate) fn look(&mut self) -> EmulatorState {
        let (look, blueprint, exports) = self.shared.alter(|emulator, now, _| {
            (emulator.look(now), emulator.blueprint().clone(), emulator.exports().to_vec())
        });
        let (blueprint, exports) = (&blueprint, exports.as_slice());
        let looked = Looked {
            blueprint,
            exports,
            resolved: self.resolved,
            late: &[],
            memory: None,
            faults: Vec::new(),
        };
        let state = state_between(&self.last, &look, &looked);
        self.last = look;
        state
    }
}

type PerSecond<'a> = &'a dyn Fn(u64, u64) -> f64;

fn device(export: &Export, then: &ExportCounts, now: &ExportCounts, per_s: PerSecond<'_>) -> DeviceState {
    let op = |then: &Tally, now: &Tally| {
        let ios = now.ios - then.ios;
        OpState {
            iops: per_s(now.ios, then.ios),
            throughput_bytes_per_s: per_s(now.bytes, then.bytes),
            mean_us: (ios > 0).then(|| (now.latency_ns - then.latency_ns) as f64 / ios as f64 / 1e3),
            ios: now.ios,
            bytes: now.bytes,
            latency_s: now.latency_ns as f64 / 1e9,
        }
    };
    DeviceState {
        name: export.name.clone(),
        is_volume: export.kind == ExportKind::Volume,
        read: op(&then.reads, &now.reads),
        write: op(&then.writes, &now.writes),
        other_ios: now.others.ios,
        errors: now.errors,
        failed: now.errors - then.errors,
        percentiles_us: times(&now.latencies),
    }
}

fn limits(before: &Look, after: &Look, blueprint: &Blueprint, per_s: PerSecond<'_>) -> Vec<LimitState> {
    let mut limits = Vec::new();
    for (n, (limiter, now)) in blueprint.limiters.iter().zip(&after.limiters).enumerate() {
        let then = before.limiters.get(n);
        for dimension in Dimension::ALL {
            let Some(limit) = limiter.limit(dimension) else { continue };
            let passed = |state: &iobound_model::LimiterState| match dimension {
                Dimension::Ios => state.units,
                Dimension::Bytes => state.bytes,
            };
            let at = dimension as usize;
            let capacity = limiter.credit(dimension).map(|credit| credit.capacity);
            limits.push(LimitState {
                group: limiter.name.group.clone(),
                instance: limiter.name.instance.clone(),
                dimension,
                published: limit.published as f64,
                enforced: limit.enforced_micro(limiter.factor) as f64 / 1e6,
                used: per_s(passed(now), then.map_or(0, passed)),
                used_total: passed(now),
                held_ms_per_s: per_s(now.held_ns[at], then.map_or(0, |then| then.held_ns[at])) / 1e6,
                held_total_s: now.held_ns[at] as f64 / 1e9,
                waiting: now.waiting,
                credits: now.credits[at].zip(capacity),
            });
        }
    }
    limits
}

fn front(name: &str, late: &Histogram, total: &Histogram) -> FrontState {
    FrontState {
        name: name.to_string(),
        late_us: times(late),
        late_total_us: times(total),
        replies: total.count(),
        late_s: total.moments().sum_ns() as f64 / 1e9,
    }
}

/// Median, 99th percentile and maximum in µs.
fn times<const DIGITS: u8>(histogram: &Histogram<DIGITS>) -> Option<[f64; 3]> {
    let max = histogram.moments().max_ns()?;
    let at = |percentile| histogram.percentile_ns(percentile) as f64 / 1e3;
    Some([at(50.0), at(99.0), max as f64 / 1e3])
}
