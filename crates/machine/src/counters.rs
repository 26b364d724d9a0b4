//! The system's counters of disks: `/proc/diskstats` on Linux, the performance objects `PhysicalDisk` and `LogicalDisk` on
//! Windows.

use std::collections::BTreeMap;

use iobound_measure::result::DeviceCounters;
use iobound_units::Instant;

use crate::block::Device;
use crate::performance::{self, DiskSums};
use crate::{DeviceNumber, World};

/// One look at the counters of every device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    at: Instant,
    devices: BTreeMap<DeviceNumber, Counted>,
    /// Volumes of Windows, by name.
    volumes: BTreeMap<String, DiskSums>,
}

/// The counters of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Linux(Line),
    Windows(DiskSums),
}

/// The columns behind a device's name (Documentation/admin-guide/iostats.rst), in its order. Times are in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    reads: u64,
    reads_merged: u64,
    sectors_read: u64,
    reading: Millis,
    writes: u64,
    writes_merged: u64,
    sectors_written: u64,
    writing: Millis,
    busy: Millis,
    waiting: Millis,
    // Since 4.18 and 5.5; before that there were none to count.
    discards: u64,
    flushes: u64,
}

/// A sum of milliseconds, which the kernel prints with 32 bits: it wraps after 50 days, or an hour of a thousand
/// requests in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Millis(u32);

impl Millis {
    fn since(self, earlier: Millis) -> f64 {
        f64::from(self.0.wrapping_sub(earlier.0))
    }
}

/// The kernel's unit in this file, whatever a device's sectors are.
const SECTOR: u64 = 512;

impl Counters {
    /// Looks; `at` is the time of the look. `None` where the kernel has no such file.
    pub fn look(world: &World, at: Instant) -> Option<Counters> {
        let text = world.text("/proc/diskstats")?;
        let lines = text.lines().filter_map(Line::parse);
        let devices = lines.map(|(number, line)| (number, Counted::Linux(line))).collect();
        Some(Counters { at, devices, volumes: BTreeMap::new() })
    }

    /// Looks at the counters of a machine of any system; those of Windows are found by the numbers of its disks.
    ///
    /// # Errors
    /// The machine has no counters; the reason.
    pub fn look_at(world: &World, at: Instant) -> Result<Counters, String> {
        if !performance::is_of_windows(world) {
            return Counters::look(world, at).ok_or_else(|| "the kernel has no /proc/diskstats".to_string());
        }
        let of = |why| format!("Windows has no counters of the object PhysicalDisk: {why}");
        let disks = performance::look(world).map_err(of)?;
        let devices = disks.into_iter().map(|(number, sums)| (drive_number(number), Counted::Windows(sums)));
        let volumes = performance::volumes(world).into_iter().collect();
        Ok(Counters { at, devices: devices.collect(), volumes })
    }

    /// Number of the device with this name, as the counters of its system have it.
    pub fn number_of(world: &World, name: &str) -> Option<DeviceNumber> {
        if performance::is_of_windows(world) {
            return performance::number_of_drive(name).map(drive_number);
        }
        Device::named(world, name).map(|device| device.number())
    }

    /// Windows' names of its counted disks; none on other systems.
    pub fn drives(&self) -> impl Iterator<Item = String> + '_ {
        let windows = self.devices.iter().filter(|(_, counted)| matches!(counted, Counted::Windows(_)));
        windows.map(|(number, _)| format!("PhysicalDrive{}", number.minor))
    }

    /// Windows' names of its counted volumes; none on other systems.
    pub fn volumes(&self) -> impl Iterator<Item = &str> {
        self.volumes.keys().map(String::as_str)
    }

    /// I/O of a volume since an earlier look; `None` where one of both lacks it, or no time has passed.
    pub fn of_volume_since(&self, earlier: &Counters, volume: &str) -> Option<DeviceCounters> {
        let (old, new) = (earlier.volumes.get(volume)?, self.volumes.get(volume)?);
        let seconds = self.at.since(earlier.at).secs_f64();
        if seconds > 0.0 { new.since(old, seconds) } else { None }
    }

    /// Time of the look.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// I/O of a device since an earlier look; `None` where one of both lacks it, no time has passed, or it was
    /// taken away and another came in its place, so that its counts began anew.
    pub fn since(&self, earlier: &Counters, device: DeviceNumber) -> Option<DeviceCounters> {
        let (old, new) = (earlier.devices.get(&device)?, self.devices.get(&device)?);
        let seconds = self.at.since(earlier.at).secs_f64();
        if seconds <= 0.0 {
            return None;
        }
        let (new, old) = match (new, old) {
            (Counted::Linux(new), Counted::Linux(old)) => (new, old),
            (Counted::Windows(new), Counted::Windows(old)) => return new.since(old, seconds),
            _ => return None,
        };
        let reads = new.reads.checked_sub(old.reads)?;
        let writes = new.writes.checked_sub(old.writes)?;
        // Of a mean over no I/O nothing is known.
        let mean_us = |time: f64, count: u64| (count > 0).then(|| time * 1e3 / count as f64);
        Some(DeviceCounters {
            seconds,
            reads,
            reads_merged: new.reads_merged.checked_sub(old.reads_merged)?,
            read_bytes: new.sectors_read.checked_sub(old.sectors_read)?.checked_mul(SECTOR)?,
            writes,
            writes_merged: new.writes_merged.checked_sub(old.writes_merged)?,
            written_bytes: new.sectors_written.checked_sub(old.sectors_written)?.checked_mul(SECTOR)?,
            flushes: new.flushes.checked_sub(old.flushes)?,
            discards: new.discards.checked_sub(old.discards)?,
            read_us: mean_us(new.reading.since(old.reading), reads),
            write_us: mean_us(new.writing.since(old.writing), writes),
            queue: new.waiting.since(old.waiting) / 1e3 / seconds,
            // The kernel counts whole ticks of up to 10 ms, so that a full interval may seem to be a little more.
            busy: (new.busy.since(old.busy) / 1e3 / seconds).min(1.0),
        })
    }
}

/// Number of a Windows disk in the form of a Linux device's.
fn drive_number(number: u32) -> DeviceNumber {
    DeviceNumber { major: 0, minor: number }
}

impl Line {
    fn parse(line: &str) -> Option<(DeviceNumber, Line)> {
        let mut words = line.split_ascii_whitespace();
        let number = DeviceNumber { major: words.next()?.parse().ok()?, minor: words.next()?.parse().ok()? };
        words.next()?;
        let columns: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let column = |index: usize| columns.get(index).copied();
        let millis = |index: usize| Some(Millis(u32::try_from(column(index)? & 0xffff_ffff).ok()?));
        let line = Line {
            reads: column(0)?,
            reads_merged: column(1)?,
            sectors_read: column(2)?,
            reading: millis(3)?,
            writes: column(4)?,
            writes_merged: column(5)?,
            sectors_written: column(6)?,
            writing: millis(7)?,
            busy: millis(9)?,
            waiting: millis(10)?,
            discards: column(11).unwrap_or(0),
            flushes: column(15).unwrap_or(0),
        };
        Some((number, line))
    }
}

/// Devices to be counted for some targets: each once, and no partition beside its disk, whose counters have its I/Os
/// too.
pub fn to_count(devices: &[Device]) -> Vec<Device> {
    let mut counted: Vec<Device> = Vec::new();
    for device in devices {
        let is_there = |number: DeviceNumber| devices.iter().any(|other| other.number() == number);
        let with_disk = device.disk().is_some_and(|disk| is_there(disk.number()));
        if !with_disk && !counted.contains(device) {
            counted.push(device.clone());
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Tree, number};

    fn looks(before: &str, after: &str, seconds: u64) -> (Counters, Counters) {
        let tree = Tree::new();
        let look = |text: &str, at: u64| {
            tree.file("/proc/diskstats", text);
            Counters::look(&tree.world(), Instant::from_ns(at * 1_000_000_000)).unwrap()
        };
        (look(before, 10), look(after, 10 + seconds))
    }

    #[test]
    fn the_difference_is_that_of_each_column() {
        let (before, after) = looks(
            "   8      16 sdb 100 10 800 50 200 20 1600 400 3 1000 900 7 0 56 1 5 2\n",
            "   8      16 sdb 1100 15 8800 550 600 50 17600 1200 9 3000 8900 10 0 80 3 25 9\n",
            4,
        );
        let counters = after.since(&before, number("8:16")).unwrap();
        assert_eq!(
            counters,
            DeviceCounters {
                seconds: 4.0,
                reads: 1_000,
                reads_merged: 5,
                // (8800 - 800) × 512.
                read_bytes: 4_096_000,
                writes: 400,
                writes_merged: 30,
                // (17600 - 1600) × 512.
                written_bytes: 8_192_000,
                flushes: 20,
                discards: 3,
                // (550 - 50) ms / 1,000; (1200 - 400) ms / 400.
                read_us: Some(500.0),
                write_us: Some(2_000.0),
                // (8900 - 900) ms in 4 s; (3000 - 1000) ms in 4 s.
                queue: 2.0,
                busy: 0.5,
            }
        );
        assert_eq!(after.since(&before, number("8:17")), None);
    }

    #[test]
    fn old_kernels_count_neither_discards_nor_flushes() {
        let (before, after) = looks("8 0 sda 1 0 8 1 1 0 8 1 0 1 1", "8 0 sda 2 0 16 2 1 0 8 1 0 2 2", 1);
        let counters = after.since(&before, number("8:0")).unwrap();
        assert_eq!((counters.reads, counters.flushes, counters.discards), (1, 0, 0));
        assert_eq!(counters.write_us, None);
    }

    #[test]
    fn times_wrap_at_32_bits_and_counts_do_not() {
        let (before, after) = looks(
            "8 0 sda 1 0 8 4294967200 1 0 8 1 0 4294967290 4294967000",
            "8 0 sda 2 0 16 104 1 0 8 1 0 994 704",
            1,
        );
        let counters = after.since(&before, number("8:0")).unwrap();
        // 2^32 - 4294967200 = 96 and 104; 6 and 994; 296 and 704.
        assert_eq!((counters.read_us, counters.busy, counters.queue), (Some(200_000.0), 1.0, 1.0));
        let (before, after) = looks("8 0 sda 5 0 8 1 1 0 8 1 0 1 1", "8 0 sda 2 0 16 2 1 0 8 1 0 2 2", 1);
        assert_eq!(after.since(&before, number("8:0")), None);
    }

    #[test]
    fn odd_lines_are_left_out_and_no_time_is_no_answer() {
        let text = "\n8\n8 0\n8 0 sda\n8 0 sda 1 2 3\nx y z 1 2 3 4 5 6 7 8 9 10 11\n8 1 sda1 1 0 8 1 1 0 8 1 0 1 1\n";
        let (before, after) = looks(text, text, 0);
        assert_eq!(after.devices.len(), 1);
        assert_eq!(after.since(&before, number("8:1")), None);
        let empty = Tree::new();
        assert_eq!(Counters::look(&empty.world(), Instant::ZERO), None);
    }

    #[test]
    fn a_partition_is_not_counted_beside_its_disk_and_nothing_twice() {
        let tree = Tree::new();
        let (sdb, sdc) = (tree.disk("sdb", "8:16"), tree.disk("sdc", "8:32"));
        let (sdb1, sdc1) = (tree.partition("sdb", "sdb1", "8:17"), tree.partition("sdc", "sdc1", "8:33"));
        let counted = to_count(&[sdb1.clone(), sdc1.clone(), sdb.clone(), sdc1.clone()]);
        assert_eq!(counted, [sdc1, sdb]);
        assert_eq!(to_count(&[sdb1.clone(), sdc]).len(), 2);
    }
}
