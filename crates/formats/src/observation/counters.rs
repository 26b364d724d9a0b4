//! Counters of a database that only go up, in samples of rows: what lies between is folded by device.

use std::collections::BTreeMap;

use iobound_units::Span;

use super::{Clock, DEVICES, Direction, Fold, INTERVALS, KEPT, Reading, agreed, whole};
use crate::error::{At, Trouble};

/// A row of one sample. What is not told is absent.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub at: At,
    pub clock: Option<Clock>,
    /// The device that it counts for.
    pub device: String,
    pub read: Side,
    pub write: Side,
    /// The ms that all I/Os took together, where that is counted by itself.
    pub all_ms: Option<f64>,
}

/// Counters of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Side {
    pub ios: Option<f64>,
    pub bytes: Option<f64>,
    pub ms: Option<f64>,
}

/// Sums of differences.
#[derive(Clone, Copy, Default)]
struct Sums {
    ios: Option<f64>,
    bytes: Option<f64>,
    ms: Option<f64>,
}

impl Sums {
    /// Adds the difference of two samples; `false`: a counter went down.
    fn add(&mut self, before: Side, after: Side) -> bool {
        add(&mut self.ios, before.ios, after.ios)
            && add(&mut self.bytes, before.bytes, after.bytes)
            && add(&mut self.ms, before.ms, after.ms)
    }

    fn direction(self, seconds: f64) -> Direction {
        let rate = |count: Option<f64>| count.map(|count| count / seconds);
        // A time of nothing for I/Os that there were is a clock that was off.
        let us = self.ms.zip(self.ios).filter(|(ms, ios)| *ms > 0.0 && *ios > 0.0);
        Direction {
            ios_per_s: rate(self.ios),
            bytes_per_s: rate(self.bytes),
            latency_us: us.map(|(ms, ios)| ms * 1e3 / ios),
        }
    }
}

fn add(sum: &mut Option<f64>, before: Option<f64>, after: Option<f64>) -> bool {
    let Some((before, after)) = before.zip(after) else { return true };
    *sum = Some(sum.unwrap_or(0.0) + (after - before));
    after >= before
}

/// Folds the rows of each key, in the order of their samples. `two` says how two samples are taken, `restart` what to
/// do about a counter that went down.
pub(crate) fn fold(
    keys: &BTreeMap<String, Vec<Counters>>,
    interval: Option<Span>,
    two: &str,
    notes: &mut Vec<String>,
    trouble: &mut Trouble,
) -> Option<Fold> {
    let samples = keys.values().map(Vec::len).max().unwrap_or(0);
    if samples < 2 {
        let what = match samples {
            0 => "the file has no rows",
            _ => "there is only one sample, and its counters cover the time since the server started",
        };
        trouble.add(whole(0), what, two);
        return None;
    }
    let alone = keys.values().filter(|rows| rows.len() < 2).count();
    if alone > 0 {
        notes.push(format!("rows left out, because they are in only one sample: {alone}"));
    }
    let mut fold = Fold::new(true);
    for index in 1..samples {
        let mut devices: BTreeMap<&str, (Sums, Sums, Option<f64>)> = BTreeMap::new();
        let mut longest = 0.0f64;
        for rows in keys.values() {
            let (Some(before), Some(after)) = (rows.get(index - 1), rows.get(index)) else { continue };
            let told = before.clock.zip(after.clock).and_then(|(before, after)| before.until(after));
            let Some(seconds) = agreed(interval, told, after.at, trouble) else {
                if trouble.is_empty() {
                    let what = "the time since the previous sample is unknown";
                    trouble.add(after.at, what, "add --interval 60s");
                }
                return None;
            };
            longest = longest.max(seconds);
            let (read, write, all) = devices.entry(&after.device).or_default();
            let counted = read.add(before.read, after.read)
                && write.add(before.write, after.write)
                && add(all, before.all_ms, after.all_ms);
            if !counted {
                trouble.add(
                    after.at,
                    "a counter is smaller than in the previous sample",
                    "give the samples in order of time, both since the last start or reset of the server",
                );
                return None;
            }
        }
        let readings = devices.into_iter().map(|(name, (read, write, all_ms))| Reading {
            read: read.direction(longest),
            write: write.direction(longest),
            queue: all_ms.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3 / longest),
            rounding: 5e-3 / longest,
            ..Reading::new(name)
        });
        fold.interval(longest, readings.collect());
        if fold.devices() > DEVICES || fold.intervals() > INTERVALS || fold.kept() > KEPT {
            trouble.add(whole(0), "there are too many rows or samples", "give two samples");
            return None;
        }
    }
    Some(fold)
}
