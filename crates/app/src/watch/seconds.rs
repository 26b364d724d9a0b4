//! All intervals of a watch, and what they come to.

use iobound_measure::result::DeviceCounters;
use iobound_report::{DiskSeconds, FULL, WatchSecond, WatchedDisk};
use iobound_units::Span;

/// A day of seconds of sixteen disks are some 200 MB: what is kept of each is small, and there is a bound.
const MOST: usize = 7 * 86_400;

/// The intervals of a watch.
#[derive(Debug, Default)]
pub(super) struct Seconds {
    watched: Span,
    /// By disk: what it was in each interval.
    of_disks: Vec<OfDisk>,
    /// By volume of Windows.
    of_volumes: Vec<OfDisk>,
    limits: Vec<(String, usize, f64, f64)>,
    exceeded: Vec<(String, u64)>,
}

/// A disk's intervals.
#[derive(Debug)]
pub(super) struct OfDisk {
    pub(super) device: String,
    pub(super) disk: Option<String>,
    pub(super) iops: Vec<f32>,
    pub(super) bytes: Vec<f32>,
    pub(super) depth: Vec<f32>,
    pub(super) seconds: f64,
    pub(super) sums: DeviceCounters,
    time_us: f64,
}

impl Seconds {
    pub(super) fn take(
        &mut self,
        second: WatchSecond,
        disks: &[(WatchedDisk, DeviceCounters)],
        volumes: &[(WatchedDisk, DeviceCounters)],
    ) {
        self.watched = second.at;
        for (all, counted) in [(&mut self.of_disks, disks), (&mut self.of_volumes, volumes)] {
            for (disk, counters) in counted {
                let at = all.iter().position(|of| of.device == disk.device).unwrap_or_else(|| {
                    all.push(OfDisk::new(disk));
                    all.len() - 1
                });
                all[at].take(disk, counters);
            }
        }
        for limit in &second.limits {
            let at = self.limits.iter().position(|(name, ..)| *name == limit.name).unwrap_or_else(|| {
                self.limits.push((limit.name.clone(), limit.count, 0.0, 0.0));
                self.limits.len() - 1
            });
            let (_, _, fullest, full) = &mut self.limits[at];
            *fullest = fullest.max(limit.share());
            if limit.share() >= FULL {
                *full += second.seconds;
            }
        }
        for (what, us) in second.exceeded {
            match self.exceeded.iter_mut().find(|(of, _)| *of == what) {
                Some((_, sum)) => *sum += us,
                None => self.exceeded.push((what, us)),
            }
        }
    }

    pub(super) fn watched(&self) -> Span {
        self.watched
    }

    /// True if any disk did anything.
    pub(super) fn has_any(&self) -> bool {
        self.of_disks.iter().any(|of| of.sums.reads + of.sums.writes > 0)
    }

    pub(super) fn limits(&self) -> Vec<(String, usize, f64, f64)> {
        let mut limits = self.limits.clone();
        limits.sort_by(|a, b| b.2.total_cmp(&a.2));
        limits
    }

    pub(super) fn exceeded(&self) -> Vec<(String, u64)> {
        self.exceeded.clone()
    }

    pub(super) fn of_disks(&self) -> &[OfDisk] {
        &self.of_disks
    }

    /// Each disk that did something, the busiest first; all of them where none did.
    pub(super) fn disks(&self) -> Vec<DiskSeconds> {
        self.busiest(&self.of_disks)
    }

    /// The same of the volumes of Windows.
    pub(super) fn volumes(&self) -> Vec<DiskSeconds> {
        self.busiest(&self.of_volumes)
    }

    fn busiest(&self, all: &[OfDisk]) -> Vec<DiskSeconds> {
        let four = |values: &[f32], mean: f64| [mean, at(values, 0.5), at(values, 0.95), at(values, 1.0)];
        let any = self.has_any();
        let mut disks: Vec<DiskSeconds> = all
            .iter()
            .filter(|of| !any || of.sums.reads + of.sums.writes > 0)
            .map(|of| {
                let ios = (of.sums.reads + of.sums.writes) as f64;
                let bytes = (of.sums.read_bytes + of.sums.written_bytes) as f64;
                DiskSeconds {
                    device: of.device.clone(),
                    disk: of.disk.clone(),
                    iops: four(&of.iops, ios / of.seconds),
                    throughput_bytes_per_s: four(&of.bytes, bytes / of.seconds),
                    latency_us: (ios > 0.0 && of.time_us > 0.0).then(|| of.time_us / ios),
                    depth: four(&of.depth, of.sums.queue / of.seconds),
                }
            })
            .collect();
        disks.sort_by(|a, b| b.iops[0].total_cmp(&a.iops[0]));
        disks
    }
}

impl OfDisk {
    fn new(disk: &WatchedDisk) -> OfDisk {
        OfDisk {
            device: disk.device.clone(),
            disk: disk.disk.clone(),
            iops: Vec::new(),
            bytes: Vec::new(),
            depth: Vec::new(),
            seconds: 0.0,
            sums: DeviceCounters::default(),
            time_us: 0.0,
        }
    }

    fn take(&mut self, disk: &WatchedDisk, counters: &DeviceCounters) {
        if self.iops.len() < MOST {
            self.iops.push(disk.iops as f32);
            self.bytes.push(disk.throughput_bytes_per_s as f32);
            self.depth.push(disk.queue as f32);
        }
        self.seconds += counters.seconds;
        let sums = &mut self.sums;
        sums.reads += counters.reads;
        sums.reads_merged += counters.reads_merged;
        sums.read_bytes += counters.read_bytes;
        sums.writes += counters.writes;
        sums.writes_merged += counters.writes_merged;
        sums.written_bytes += counters.written_bytes;
        sums.flushes += counters.flushes;
        // Outstanding, times the seconds: its mean is over all of them.
        sums.queue += counters.queue * counters.seconds;
        self.time_us += disk.latency_us.unwrap_or(0.0) * (counters.reads + counters.writes) as f64;
    }
}

/// The value that this share of the intervals does not exceed, by nearest rank; zero without intervals.
pub(super) fn at(values: &[f32], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).saturating_sub(1)).map_or(0.0, |value| f64::from(*value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_of_intervals_is_one_of_them() {
        let values: Vec<f32> = (1..=20).map(|n| n as f32).collect();
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|share| at(&values, share)), [10.0, 19.0, 20.0, 20.0]);
        assert_eq!(at(&[], 0.95), 0.0);
    }
}
