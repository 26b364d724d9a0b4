//! Figures of many intervals become one.

use std::collections::BTreeMap;

use super::device::{Device, DeviceKind, Direction, by_name};

/// Measurements of a device in one interval.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The device's name.
    pub name: String,
    /// Its reads.
    pub read: Direction,
    /// Its writes.
    pub write: Direction,
    /// Reads and writes where they are not told apart.
    pub both: Direction,
    /// Outstanding I/Os on average.
    pub queue: Option<f64>,
    /// Number of those that are neither reads nor writes.
    pub others_queue: f64,
    /// Flushes a second, where they are counted.
    pub flushes_per_s: Option<f64>,
    /// See [`Device::rounding`].
    pub rounding: f64,
}

impl Reading {
    /// A device of which nothing was measured yet.
    pub fn new(name: impl Into<String>) -> Reading {
        Reading {
            name: name.into(),
            read: Direction::default(),
            write: Direction::default(),
            both: Direction::default(),
            queue: None,
            others_queue: 0.0,
            flushes_per_s: None,
            rounding: 0.0,
        }
    }
}

/// A mean, weighted, of what was told.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>, weight: f64) {
        if let Some(value) = value {
            self.sum += value * weight;
            self.weight += weight;
        }
    }

    /// Over so much; `None` where nothing was told.
    fn over(self, weight: Option<f64>) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / weight.unwrap_or(self.weight))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FoldedSide {
    ios: Mean,
    bytes: Mean,
    latency: Mean,
}

impl FoldedSide {
    fn add(&mut self, side: Direction, weight: f64) {
        self.ios.add(side.ios_per_s, weight);
        self.bytes.add(side.bytes_per_s, weight);
        // A latency is a mean of I/Os: an interval counts by how many it had. A device without I/Os is told as 0.
        let latency = side.latency_us.filter(|us| *us > 0.0 || side.ios_per_s.is_some_and(|ios| ios > 0.0));
        self.latency.add(latency, weight * side.ios_per_s.unwrap_or(1.0));
    }

    fn direction(self, over: Option<f64>) -> Direction {
        Direction {
            ios_per_s: self.ios.over(over),
            bytes_per_s: self.bytes.over(over),
            latency_us: self.latency.over(None),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct FoldedSums {
    read: FoldedSide,
    write: FoldedSide,
    both: FoldedSide,
    queue: Mean,
    others: Mean,
    flushes: Mean,
    rounding: f64,
    series: Vec<f64>,
    bytes_series: Vec<f64>,
}

/// The intervals so far.
#[derive(Debug, Default)]
pub struct Fold {
    devices: BTreeMap<String, FoldedSums>,
    weights: Vec<f64>,
    timed: bool,
}

impl Fold {
    /// No interval yet; `timed`: each has its length in seconds, else all are alike.
    pub fn new(timed: bool) -> Fold {
        Fold { timed, ..Fold::default() }
    }

    /// Number of figures that are kept.
    pub fn kept(&self) -> usize {
        self.devices.len().saturating_mul(self.weights.len() + 1)
    }

    /// Number of devices.
    pub fn devices(&self) -> usize {
        self.devices.len()
    }

    /// Number of intervals.
    pub(crate) fn intervals(&self) -> usize {
        self.weights.len()
    }

    /// Adds an interval of so many seconds. A device that is not in it was idle.
    pub fn interval(&mut self, seconds: f64, readings: Vec<Reading>) {
        let index = self.weights.len();
        self.weights.push(seconds);
        for reading in readings {
            let sums = self.devices.entry(reading.name).or_default();
            sums.read.add(reading.read, seconds);
            sums.write.add(reading.write, seconds);
            sums.both.add(reading.both, seconds);
            sums.queue.add(reading.queue, seconds);
            sums.others.add(Some(reading.others_queue), seconds);
            sums.flushes.add(reading.flushes_per_s, seconds);
            sums.rounding = sums.rounding.max(reading.rounding);
            let of = |figure: fn(&Direction) -> Option<f64>| match [&reading.read, &reading.write].map(figure)
            {
                [None, None] => figure(&reading.both).unwrap_or(0.0),
                [read, write] => read.unwrap_or(0.0) + write.unwrap_or(0.0),
            };
            let [ios, bytes] = [of(|of| of.ios_per_s), of(|of| of.bytes_per_s)];
            for (series, rate) in [(&mut sums.series, ios), (&mut sums.bytes_series, bytes)] {
                series.resize(index, 0.0);
                series.push(rate);
            }
        }
    }

    /// Time that all intervals are together, in seconds, where they are timed.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.timed.then(|| self.weights.iter().sum())
    }

    /// Start of each interval.
    pub fn starts_s(&self) -> Vec<f64> {
        let mut next = 0.0;
        let mut starts = Vec::with_capacity(self.weights.len());
        for weight in &self.weights {
            starts.push(next);
            next += if self.timed { *weight } else { 1.0 };
        }
        starts
    }

    /// The devices in order of their names, on average over all intervals; `whole`: what is not told of an interval
    /// was nothing (else it is unknown).
    pub fn finish(self, whole: bool, kind: impl Fn(&str, &[&str]) -> DeviceKind) -> Vec<Device> {
        let all: f64 = self.weights.iter().sum();
        let over = whole.then_some(all);
        let names: Vec<&str> = self.devices.keys().map(String::as_str).collect();
        let mut devices: Vec<Device> = self
            .devices
            .iter()
            .map(|(name, sums)| {
                let [series, bytes_series] = [&sums.series, &sums.bytes_series].map(|series| {
                    let mut series = series.clone();
                    series.resize(self.weights.len(), 0.0);
                    series
                });
                Device {
                    read: sums.read.direction(over),
                    write: sums.write.direction(over),
                    both: sums.both.direction(over),
                    queue: sums.queue.over(over),
                    others_queue: sums.others.over(over).unwrap_or(0.0),
                    flushes_per_s: sums.flushes.over(over),
                    rounding: sums.rounding,
                    series,
                    bytes_series,
                    ..Device::new(name.clone(), kind(name, &names))
                }
            })
            .collect();
        devices.sort_by(|one, other| by_name(&one.name, &other.name));
        devices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_means_of_time_and_latencies_means_of_ios() {
        let mut fold = Fold::new(true);
        let reading = |ios: f64, us: f64| Reading {
            read: Direction { ios_per_s: Some(ios), bytes_per_s: None, latency_us: Some(us) },
            ..Reading::new("sda")
        };
        fold.interval(10.0, vec![reading(100.0, 1_000.0)]);
        fold.interval(
            30.0,
            vec![reading(300.0, 2_000.0), Reading { name: "sdb".into(), ..reading(5.0, 1.0) }],
        );
        assert_eq!((fold.seconds(), fold.starts_s()), (Some(40.0), vec![0.0, 10.0]));
        let devices = fold.finish(true, |_, _| DeviceKind::Disk);
        // (100 x 10 + 300 x 30) / 40; (1,000 I/Os x 1 ms + 9,000 x 2 ms) / 10,000
        assert_eq!(devices[0].read.ios_per_s, Some(250.0));
        assert_eq!(devices[0].read.latency_us, Some(1_900.0));
        assert_eq!(devices[0].read.bytes_per_s, None);
        // sdb was idle for 10 of 40 seconds.
        assert_eq!((devices[1].read.ios_per_s, &devices[1].series), (Some(3.75), &vec![0.0, 5.0]));
    }
}
