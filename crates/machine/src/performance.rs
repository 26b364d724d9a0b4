//! Counters of physical disks, volumes and processors on Windows, as Performance Monitor has them.
//!
//! Their raw values are sums since the start of Windows, so that two looks give what came between them. Source: "Performance
//! Counter Types" and `Win32_PerfRawData_PerfDisk_PhysicalDisk` in Microsoft's documentation. Numbers of operations have 32
//! bits there. The queue lengths are sums of the response times of completed operations, in units of 100 ns, with 64 bits;
//! `Avg. Disk sec/Read` has 32 bits, which a deep queue overflows within seconds, so it is not used.

use iobound_measure::result::DeviceCounters;
use serde_json::Value;

use crate::World;
use crate::sys;
use crate::sys::device::WorldSystem;
use crate::sys::performance::{
    DISK_COUNTERS, LOGICAL_DISK, PHYSICAL_DISK, PROCESSOR_COUNTERS, RawDisk, RawInstance, RawProcessor,
    RawValue,
};

/// Files of a tree that stands for a Windows machine: raw values by instance and counter.
const DISKS: &str = "physicaldisk.json";
const VOLUMES: &str = "logicaldisk.json";
const PROCESSORS: &str = "processor.json";
/// Units of time in a second.
const PER_SECOND: f64 = 1e7;

/// Sums of one disk or volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DiskSums {
    reads: u32,
    writes: u32,
    read_bytes: u64,
    written_bytes: u64,
    /// Response times, in units of 100 ns.
    reading: u64,
    writing: u64,
    /// Time without requests, and the time at all, in units of 100 ns.
    idle: u64,
    time: u64,
}

impl DiskSums {
    /// Activity since an earlier look; `None` if the disk was replaced, so that its sums began anew.
    pub(crate) fn since(&self, earlier: &DiskSums, seconds: f64) -> Option<DeviceCounters> {
        let count = |new: u32, old: u32| {
            // Half of the range: a sum that went backwards looks as if it had grown by more.
            let grown = new.wrapping_sub(old);
            (grown < 1 << 31).then_some(u64::from(grown))
        };
        let (reads, writes) = (count(self.reads, earlier.reads)?, count(self.writes, earlier.writes)?);
        let reading = self.reading.checked_sub(earlier.reading)? as f64;
        let writing = self.writing.checked_sub(earlier.writing)? as f64;
        let idle = self.idle.checked_sub(earlier.idle)? as f64;
        let time = self.time.checked_sub(earlier.time)? as f64;
        let mean_us = |sum: f64, count: u64| (count > 0).then(|| sum / 10.0 / count as f64);
        Some(DeviceCounters {
            seconds,
            reads,
            reads_merged: 0,
            read_bytes: self.read_bytes.checked_sub(earlier.read_bytes)?,
            writes,
            writes_merged: 0,
            written_bytes: self.written_bytes.checked_sub(earlier.written_bytes)?,
            flushes: 0,
            discards: 0,
            read_us: mean_us(reading, reads),
            write_us: mean_us(writing, writes),
            queue: (reading + writing) / PER_SECOND / seconds,
            // Both are sampled one after the other, so that the share may seem to be a little outside.
            busy: if time > 0.0 { (1.0 - idle / time).clamp(0.0, 1.0) } else { 0.0 },
        })
    }

    fn of(values: &[RawValue; DISK_COUNTERS.len()]) -> DiskSums {
        let [reads, writes, read_bytes, written_bytes, reading, writing, idle] = *values;
        // Windows passes sums without a sign in fields with one.
        let sum = |value: RawValue| value.first as u64;
        DiskSums {
            reads: reads.first as u32,
            writes: writes.first as u32,
            read_bytes: sum(read_bytes),
            written_bytes: sum(written_bytes),
            reading: sum(reading),
            writing: sum(writing),
            idle: sum(idle),
            time: idle.second as u64,
        }
    }
}

/// Sums of each disk, by its number.
///
/// # Errors
/// The machine has no such counters; the reason.
pub(crate) fn look(world: &World) -> Result<Vec<(u32, DiskSums)>, String> {
    let disks = instances(world, PHYSICAL_DISK, DISKS)?;
    let numbered = |disk: &RawDisk| Some((number_of(&disk.instance)?, DiskSums::of(&disk.values)));
    Ok(disks.iter().filter_map(numbered).collect())
}

/// Sums of each volume, by its name: a drive letter (`F:`), a folder, or `HarddiskVolume1` without either. None where Windows has
/// no counters of volumes: those of disks are enough.
pub(crate) fn volumes(world: &World) -> Vec<(String, DiskSums)> {
    let volumes = instances(world, LOGICAL_DISK, VOLUMES).unwrap_or_default().into_iter();
    let named = volumes.filter(|volume| volume.instance != "_Total");
    named.map(|volume| (volume.instance, DiskSums::of(&volume.values))).collect()
}

/// Instances of an object, or those of the file of a tree.
fn instances(world: &World, object: &str, file: &str) -> Result<Vec<RawDisk>, String> {
    match world.is_tree() {
        true => read(world, file, &DISK_COUNTERS),
        false => sys::disk_performance(object).map_err(|error| error.to_string()),
    }
}

/// The number in an instance such as `0 C: D:`; none in `_Total`.
fn number_of(instance: &str) -> Option<u32> {
    instance.split_whitespace().next()?.parse().ok()
}

/// The number in a name such as `PhysicalDrive2`.
pub(crate) fn number_of_drive(name: &str) -> Option<u32> {
    const PREFIX: &str = "PhysicalDrive";
    let digits = name.get(PREFIX.len()..).filter(|_| name[..PREFIX.len()].eq_ignore_ascii_case(PREFIX))?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)?.parse().ok()
}

/// Sums of what a processor spent its time on, in units of 100 ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessorSums {
    /// Programs.
    pub(crate) user: u64,
    /// The system, interrupts included.
    pub(crate) system: u64,
    /// Nothing.
    pub(crate) idle: u64,
}

/// Sums of each processor, in the order of their nodes and numbers.
///
/// # Errors
/// The machine has no such counters; the reason.
pub(crate) fn processors(world: &World) -> Result<Vec<ProcessorSums>, String> {
    let mut found: Vec<((u32, u32), RawProcessor)> = match world.is_tree() {
        true => read(world, PROCESSORS, &PROCESSOR_COUNTERS)?,
        false => sys::processor_performance().map_err(|error| error.to_string())?,
    }
    .into_iter()
    .filter_map(|raw| Some((processor_of(&raw.instance)?, raw)))
    .collect();
    found.sort_by_key(|(number, _)| *number);
    Ok(found
        .iter()
        .map(|(_, raw)| raw.values.map(|value| value.first as u64))
        .map(ProcessorSums::of)
        .collect())
}

impl ProcessorSums {
    fn of([user, system, idle]: [u64; PROCESSOR_COUNTERS.len()]) -> ProcessorSums {
        ProcessorSums { user, system, idle }
    }
}

/// Node and number in an instance such as `0,3`; none in `_Total` and `0,_Total`.
fn processor_of(instance: &str) -> Option<(u32, u32)> {
    let (node, number) = instance.split_once(',')?;
    Some((node.trim().parse().ok()?, number.trim().parse().ok()?))
}

/// Raw values from a file: an object of instances, which are objects of counters, which are lists of a sum and its base.
fn read<const N: usize>(world: &World, name: &str, names: &[&str; N]) -> Result<Vec<RawInstance<N>>, String> {
    let text = world.text(&format!("/{name}")).ok_or_else(|| format!("the folder has no {name}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    let instances =
        document.as_object().ok_or_else(|| format!("{name}: it is not an object of instances"))?;
    let instance = |(instance, counters): (&String, &Value)| {
        let mut values = [RawValue::default(); N];
        for (value, counter) in values.iter_mut().zip(names) {
            let of = |index: usize| counters.get(counter)?.get(index)?.as_i64();
            let (first, second) = of(0)
                .zip(of(1))
                .ok_or_else(|| format!("{name}: {instance}: {counter} must be a list of two integers"))?;
            *value = RawValue { first, second };
        }
        Ok(RawInstance { instance: instance.clone(), values })
    };
    instances.iter().map(instance).collect()
}

/// True if a world's counters are those of Windows.
pub(crate) fn is_of_windows(world: &World) -> bool {
    world.system() == WorldSystem::Windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn sums(reads: u32, reading: u64, idle: u64, time: u64) -> DiskSums {
        let (read_bytes, written_bytes) = (u64::from(reads) * 8_192, 0);
        DiskSums { reads, writes: 0, read_bytes, written_bytes, reading, writing: 0, idle, time }
    }

    #[test]
    fn two_looks_give_the_operations_between_them() {
        // 2,000 reads in 2 s that took 4 ms each: 8 s of response times are 4 outstanding. Idle for half of the time.
        let before = sums(1_000, 500, 10_000_000, 30_000_000);
        let after = sums(3_000, 80_000_500, 20_000_000, 50_000_000);
        let counters = after.since(&before, 2.0).expect("the sums grow");
        assert_eq!((counters.reads, counters.read_bytes), (2_000, 2_000 * 8_192));
        assert_eq!((counters.read_us, counters.write_us), (Some(4_000.0), None));
        assert_eq!((counters.queue, counters.busy), (4.0, 0.5));
    }

    #[test]
    fn numbers_of_operations_overflow_at_32_bits() {
        let before = DiskSums { read_bytes: 0, ..sums(u32::MAX - 9, 0, 0, 0) };
        let after = DiskSums { read_bytes: 81_920, ..sums(10, 0, 0, 0) };
        assert_eq!(after.since(&before, 1.0).map(|counters| counters.reads), Some(20));
        // A disk that replaced another one counts from zero.
        assert_eq!(sums(10, 0, 0, 0).since(&sums(1_000, 0, 0, 0), 1.0), None);
    }

    #[test]
    fn a_value_above_i64_keeps_its_bits() {
        let mut values = [RawValue::default(); DISK_COUNTERS.len()];
        values[2].first = -1;
        values[0].first = i64::from(u32::MAX);
        let sums = DiskSums::of(&values);
        assert_eq!((sums.read_bytes, sums.reads), (u64::MAX, u32::MAX));
    }

    #[test]
    fn instances_and_drives_have_numbers() {
        assert_eq!(["0 C: D:", "12", "_Total", ""].map(number_of), [Some(0), Some(12), None, None]);
        let names = ["PhysicalDrive2", "physicaldrive10", "PhysicalDrive", "PhysicalDrive+1", "Space", "é"];
        assert_eq!(names.map(number_of_drive), [Some(2), Some(10), None, None, None, None]);
    }

    #[test]
    fn a_file_without_a_counter_says_which() {
        let tree = Tree::new();
        tree.file("/physicaldisk.json", r#"{"0 C:": {"Disk Reads/sec": [1, 2]}}"#);
        let error = read(&tree.world(), DISKS, &DISK_COUNTERS).expect_err("six counters are missing");
        assert_eq!(error, "physicaldisk.json: 0 C:: Disk Writes/sec must be a list of two integers");
    }

    #[test]
    fn processors_are_in_the_order_of_nodes_and_numbers_and_sums_are_left_out() {
        let tree = Tree::new();
        let counters = |user| {
            format!(r#"{{"% User Time": [{user}, 9], "% Privileged Time": [2, 9], "% Idle Time": [3, 9]}}"#)
        };
        let instances = [("1,0", 30), ("0,10", 20), ("0,9", 10), ("0,_Total", 7), ("_Total", 8)];
        let text = instances.map(|(name, user)| format!(r#""{name}": {}"#, counters(user))).join(", ");
        tree.file("/processor.json", &format!("{{{text}}}"));
        let found = processors(&tree.world()).expect("it has all counters");
        assert_eq!(found.iter().map(|sums| sums.user).collect::<Vec<_>>(), [10, 20, 30]);
        assert_eq!(found[0], ProcessorSums { user: 10, system: 2, idle: 3 });
    }
}
