//! Share of the counters that passes each limit.

use iobound_catalog::Resolved;
use iobound_explain::setup::Exceeded;
use iobound_explain::{Usage, usages};
use iobound_measure::result::DeviceCounters;
use iobound_model::Dimension;
use iobound_report::{WatchLimit, WatchedDisk};
use iobound_units::Span;

use crate::doctor::local::observed;

/// The limits of a configuration, and the highest possible rest of their credits.
pub(super) struct Limits<'a> {
    resolved: Option<&'a Resolved>,
    /// By name: credits left and capacity, in I/Os or bytes.
    credits: Vec<(String, f64, f64)>,
    /// Of each disk that has any, which is known apart since its own counters are.
    of_disks: Vec<DiskCredits>,
}

/// The credits of one disk's own limiter.
struct DiskCredits {
    limiter: usize,
    dimension: Dimension,
    published: f64,
    enforced: f64,
    burst: f64,
    most: f64,
    left: f64,
    /// In the last interval.
    used: f64,
}

/// The group of limiters that are a disk's own.
const OF_A_DISK: &str = "disk";

impl<'a> Limits<'a> {
    pub(super) fn new(resolved: Option<&'a Resolved>) -> Limits<'a> {
        let of_disks = resolved.map(disk_credits).unwrap_or_default();
        Limits { resolved, credits: Vec::new(), of_disks }
    }

    /// Each disk's share of its own fullest limit, and all limits that something passes, the fullest first.
    pub(super) fn of(
        &mut self,
        counted: &[(WatchedDisk, DeviceCounters)],
        span: Span,
    ) -> (Vec<Option<f64>>, Vec<WatchLimit>) {
        let Some(resolved) = self.resolved else { return (vec![None; counted.len()], Vec::new()) };
        for credits in &mut self.of_disks {
            let disks = counted.iter().map(|(disk, _)| disk);
            credits.used = disks.map(|disk| used(resolved, disk, credits.limiter, credits.dimension)).sum();
            let earned = (credits.published - credits.used) * span.secs_f64();
            credits.left = (credits.left + earned).clamp(0.0, credits.most);
        }
        let shares = counted.iter().map(|(disk, _)| share(resolved, disk)).collect();
        let mut limits: Vec<WatchLimit> =
            usages(resolved, &observed(counted, span)).iter().map(|usage| self.limit(usage, span)).collect();
        limits.sort_by(|a, b| b.share().total_cmp(&a.share()));
        (shares, limits)
    }

    /// The disks' own limit, where all that passes it is known by disk: one that rests earns nothing for one that does not.
    fn by_disk(&self, usage: &Usage) -> Option<WatchLimit> {
        let of = |credits: &&DiskCredits| credits.dimension == usage.dimension && credits.used > 0.0;
        let disks: Vec<&DiskCredits> = self.of_disks.iter().filter(of).collect();
        if usage.group != OF_A_DISK || usage.burst.is_none() || disks.len() != usage.count {
            return None;
        }
        let sum = |value: fn(&DiskCredits) -> f64| disks.iter().map(|disk| value(disk)).sum::<f64>();
        let now =
            |disk: &DiskCredits| if disk.left > 0.0 { disk.burst.max(disk.enforced) } else { disk.enforced };
        Some(WatchLimit {
            name: usage.name(),
            count: usage.count,
            dimension: usage.dimension,
            enforced: sum(now),
            used: usage.used_high,
            credits: Some(sum(|disk| disk.left) / sum(|disk| disk.most)),
        })
    }

    fn limit(&mut self, usage: &Usage, span: Span) -> WatchLimit {
        if let Some(limit) = self.by_disk(usage) {
            return limit;
        }
        let credits = usage.burst.map(|(burst, seconds)| {
            let most = seconds * (burst - usage.published).max(0.0);
            let name = usage.name();
            let at = self.credits.iter().position(|(of, ..)| *of == name).unwrap_or_else(|| {
                self.credits.push((name, most, most));
                self.credits.len() - 1
            });
            let (_, left, most) = &mut self.credits[at];
            // The unused part of the published limit is earned; the excess over it is spent.
            *left = (*left + (usage.published - usage.used_high) * span.secs_f64()).clamp(0.0, *most);
            if *most > 0.0 { *left / *most } else { 0.0 }
        });
        // With credits left, the limit is what they allow.
        let bursting = usage.burst.filter(|_| credits.is_some_and(|left| left > 0.0));
        WatchLimit {
            name: usage.name(),
            count: usage.count,
            dimension: usage.dimension,
            enforced: bursting.map_or(usage.enforced, |(burst, _)| burst.max(usage.enforced)),
            used: usage.used_high,
            credits,
        }
    }
}

/// Full credits of every disk that has any.
fn disk_credits(resolved: &Resolved) -> Vec<DiskCredits> {
    let mut all = Vec::new();
    for (index, limiter) in resolved.blueprint.limiters.iter().enumerate() {
        for dimension in Dimension::ALL {
            let (Some(limit), Some(credit)) = (limiter.limit(dimension), limiter.credit(dimension)) else {
                continue;
            };
            if limiter.name.group == OF_A_DISK && credit.capacity > 0 {
                all.push(DiskCredits {
                    limiter: index,
                    dimension,
                    published: limit.published as f64,
                    enforced: limit.enforced_micro(limiter.factor) as f64 / 1e6,
                    burst: credit.burst as f64,
                    most: credit.capacity as f64,
                    left: credit.capacity as f64,
                    used: 0.0,
                });
            }
        }
    }
    all
}

/// I/O of a disk that passes a limiter, in its own units a second: all of the disk's I/O, where the limiter is the disk's.
fn used(resolved: &Resolved, disk: &WatchedDisk, limiter: usize, dimension: Dimension) -> f64 {
    let index = resolved.disks.iter().position(|of| Some(&of.name) == disk.disk.as_ref());
    let Some(index) = index else { return 0.0 };
    let routes = &resolved.blueprint.disks[index].routes;
    if !routes.read.iter().chain(routes.write.iter()).any(|of| usize::from(of.0) == limiter) {
        return 0.0;
    }
    let block = if disk.iops > 0.0 { disk.throughput_bytes_per_s / disk.iops } else { 4096.0 };
    let units = resolved.blueprint.limiters[limiter].charge.units(block.round().max(1.0) as u64) as f64;
    match dimension {
        Dimension::Ios => disk.iops * units,
        Dimension::Bytes => disk.throughput_bytes_per_s,
    }
}

/// A disk's share of its own fullest limit.
fn share(resolved: &Resolved, disk: &WatchedDisk) -> Option<f64> {
    let name = disk.disk.as_ref()?;
    let index = resolved.disks.iter().position(|of| of.name == *name)?;
    let routes = &resolved.blueprint.disks[index].routes;
    let block = if disk.iops > 0.0 { disk.throughput_bytes_per_s / disk.iops } else { 4096.0 };
    let mut fullest: Option<f64> = None;
    for limiter in routes.read.iter().chain(routes.write.iter()) {
        let limiter = &resolved.blueprint.limiters[usize::from(limiter.0)];
        if limiter.name.group != "disk" {
            continue;
        }
        for dimension in Dimension::ALL {
            let Some(limit) = limiter.limit(dimension) else { continue };
            let enforced = limit.enforced_micro(limiter.factor) as f64 / 1e6;
            let most = limiter.credit(dimension).map_or(enforced, |credit| enforced.max(credit.burst as f64));
            let used = match dimension {
                Dimension::Ios => disk.iops * limiter.charge.units(block.round().max(1.0) as u64) as f64,
                Dimension::Bytes => disk.throughput_bytes_per_s,
            };
            fullest = Some(fullest.unwrap_or(0.0).max(used / most));
        }
    }
    fullest
}

/// Exceeded limits, as the devices report them, in words.
pub(super) fn told(exceeded: &[(String, Exceeded)]) -> Vec<(String, u64)> {
    exceeded
        .iter()
        .flat_map(|(name, of)| {
            [
                (format!("IOPS of {name}"), of.disk_iops_us),
                (format!("throughput of {name}"), of.disk_throughput_us),
                (format!("the VM's IOPS ({name})"), of.vm_iops_us),
                (format!("the VM's throughput ({name})"), of.vm_throughput_us),
            ]
        })
        .filter(|(_, us)| *us > 0)
        .collect()
}
