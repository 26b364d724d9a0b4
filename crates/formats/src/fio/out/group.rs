//! Groups of entries, and the devices below: the end of fio's report.

use iobound_measure::result::DeviceFacts;

use super::entry::Entry;
use crate::Ran;
use crate::fio::{JobReporting, Unified};

/// All entries of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'a> {
    /// The last entry's wishes, as fio has it.
    pub asked: Option<&'a JobReporting>,
    /// Reads, writes and trims.
    pub directions: [GroupDirection; 3],
    /// Units of the report, from any of the entries.
    pub mixed: bool,
    pub both: bool,
}

/// One direction of a group. Without I/Os all is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupDirection {
    pub bytes: u64,
    /// Bytes a second of all: over the longest time.
    pub aggregate: u64,
    pub slowest: u64,
    pub fastest: u64,
    pub shortest_ms: u64,
    pub longest_ms: u64,
}

/// The groups that have entries, with their numbers.
pub(super) fn groups<'a>(entries: &[Entry<'a>]) -> Vec<(usize, Group<'a>)> {
    let mut groups: Vec<(usize, Group<'a>)> = Vec::new();
    for entry in entries {
        if groups.last().is_none_or(|(number, _)| *number != entry.group) {
            groups.push((entry.group, Group::default()));
        }
        if let Some((_, group)) = groups.last_mut() {
            group.take(entry);
        }
    }
    groups
}

impl<'a> Group<'a> {
    fn take(&mut self, entry: &Entry<'a>) {
        self.asked = Some(entry.asked);
        self.mixed |= entry.asked.unified == Unified::Mixed;
        self.both |= entry.asked.unified == Unified::Both;
        for (group, one) in self.directions.iter_mut().zip(&entry.directions) {
            if one.runtime_ms == 0 {
                continue;
            }
            let rate = one.bytes_per_second();
            let first = group.longest_ms == 0;
            group.slowest = if first { rate } else { group.slowest.min(rate) };
            group.shortest_ms = if first { one.runtime_ms } else { group.shortest_ms.min(one.runtime_ms) };
            group.fastest = group.fastest.max(rate);
            group.longest_ms = group.longest_ms.max(one.runtime_ms);
            group.bytes += one.bytes;
            group.aggregate = super::direction::per_second(group.bytes, group.longest_ms);
        }
    }

    /// All directions together.
    pub(super) fn all(&self) -> GroupDirection {
        let used = || self.directions.iter().filter(|direction| direction.longest_ms > 0);
        GroupDirection {
            bytes: used().map(|direction| direction.bytes).sum(),
            aggregate: used().map(|direction| direction.aggregate).sum(),
            slowest: used().map(|direction| direction.slowest).min().unwrap_or(0),
            fastest: used().map(|direction| direction.fastest).max().unwrap_or(0),
            shortest_ms: used().map(|direction| direction.shortest_ms).min().unwrap_or(0),
            longest_ms: used().map(|direction| direction.longest_ms).max().unwrap_or(0),
        }
    }
}

impl GroupDirection {
    /// The share in percent of the group's bandwidth that a mean in KiB/s is, at most 100.
    pub(super) fn share(&self, mean_kib: f64) -> f64 {
        let aggregate = self.aggregate as f64 / 1024.0;
        if aggregate > 1.0 { (mean_kib * 100.0 / aggregate).min(100.0) } else { 100.0 }
    }
}

/// A device below the targets: what the kernel counted, of reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disk {
    pub name: String,
    pub counts: DiskCounts,
    /// The mean of the devices that it is made of, where they were counted.
    pub parts: Option<DiskCounts>,
}

/// The counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DiskCounts {
    pub ios: [u64; 2],
    /// Of 512 bytes.
    pub sectors: [u64; 2],
    pub merges: [u64; 2],
    pub ticks_ms: [u64; 2],
    pub in_queue_ms: u64,
    /// In percent of the time.
    pub busy: f64,
}

/// The devices of all stages, counted together.
pub(super) fn disks(stages: &[Ran<'_>]) -> Vec<Disk> {
    let mut devices: Vec<(&DeviceFacts, DiskCounts, f64)> = Vec::new();
    for facts in stages.iter().flat_map(|ran| &ran.machine.devices) {
        let Some(counters) = &facts.counters else { continue };
        let index = devices.iter().position(|(known, ..)| known.name == facts.name).unwrap_or_else(|| {
            devices.push((facts, DiskCounts::default(), 0.0));
            devices.len() - 1
        });
        let (_, counts, seconds) = &mut devices[index];
        let ticks = |ios: u64, us: Option<f64>| (ios as f64 * us.unwrap_or(0.0) / 1e3).round() as u64;
        let both = |sum: &mut [u64; 2], reads: u64, writes: u64| {
            sum[0] += reads;
            sum[1] += writes;
        };
        both(&mut counts.ios, counters.reads, counters.writes);
        both(&mut counts.sectors, counters.read_bytes / 512, counters.written_bytes / 512);
        both(&mut counts.merges, counters.reads_merged, counters.writes_merged);
        let (read_ms, write_ms) =
            (ticks(counters.reads, counters.read_us), ticks(counters.writes, counters.write_us));
        both(&mut counts.ticks_ms, read_ms, write_ms);
        counts.in_queue_ms += (counters.queue * counters.seconds * 1e3).round() as u64;
        // Shares of time weigh by their time.
        counts.busy += counters.busy * 100.0 * counters.seconds;
        *seconds += counters.seconds;
    }
    for (_, counts, seconds) in &mut devices {
        counts.busy = if *seconds > 0.0 { (counts.busy / *seconds).clamp(0.0, 100.0) } else { 0.0 };
    }
    let disk = |(facts, counts, _): &(&DeviceFacts, DiskCounts, f64)| Disk {
        name: facts.name.clone(),
        counts: *counts,
        parts: parts(facts, &devices),
    };
    devices.iter().map(disk).collect()
}

/// The mean of the devices that one is made of; of their busy shares the highest, as fio has it.
fn parts(facts: &DeviceFacts, devices: &[(&DeviceFacts, DiskCounts, f64)]) -> Option<DiskCounts> {
    let parts: Vec<&DiskCounts> = devices
        .iter()
        .filter(|(part, ..)| facts.made_of.contains(&part.name))
        .map(|(_, counts, _)| counts)
        .collect();
    let number = parts.len() as u64;
    let mean = |of: fn(&DiskCounts) -> [u64; 2]| {
        let sum = |index: usize| parts.iter().map(|part| of(part)[index]).sum::<u64>();
        [sum(0) / number, sum(1) / number]
    };
    (number > 0).then(|| DiskCounts {
        ios: mean(|part| part.ios),
        sectors: mean(|part| part.sectors),
        merges: mean(|part| part.merges),
        ticks_ms: mean(|part| part.ticks_ms),
        in_queue_ms: parts.iter().map(|part| part.in_queue_ms).sum::<u64>() / number,
        busy: parts.iter().map(|part| part.busy).fold(0.0, f64::max),
    })
}
