//! Use of a device by other processes: two looks, some 300 ms apart. The caller has the clock.

use std::collections::BTreeMap;

use iobound_units::{Instant, Span};

use crate::World;
use crate::block::Device;
use crate::counters::{Counters, to_count};

/// One look at the counters of devices and processes.
#[derive(Clone, Debug)]
pub struct Look {
    counters: Option<Counters>,
    processes: BTreeMap<u32, Process>,
    hidden: usize,
    at: Instant,
}

#[derive(Clone, Debug)]
struct Process {
    name: String,
    read_bytes: u64,
    written_bytes: u64,
}

/// Devices and processes with I/O between two looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Each device, in the order of asking; no partition beside its disk. One that is not counted is missing.
    pub devices: Vec<DeviceActivity>,
    /// Other processes that read from or wrote to any disk, most bytes first. Buffered writes are theirs when they
    /// dirty memory, before a disk sees them.
    pub processes: Vec<ProcessActivity>,
    /// Processes whose I/O this process may not see.
    pub hidden: usize,
}

impl Activity {
    /// True if any device had more than `iops` I/Os a second.
    pub fn exceeds(&self, iops: f64) -> bool {
        self.devices.iter().any(|device| device.iops() > iops)
    }
}

/// I/O of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceActivity {
    /// The kernel's name.
    pub name: String,
    /// Reads a second, as requests.
    pub read_iops: f64,
    /// Writes a second.
    pub write_iops: f64,
    /// Bytes read a second.
    pub read_bytes_per_s: f64,
    /// Bytes written a second.
    pub written_bytes_per_s: f64,
}

impl DeviceActivity {
    /// Reads and writes a second.
    pub fn iops(&self) -> f64 {
        self.read_iops + self.write_iops
    }
}

/// I/O of a process, on all disks together.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessActivity {
    /// Its number.
    pub process: u32,
    /// Its name.
    pub name: String,
    /// Bytes a second that it had read from disks.
    pub read_bytes_per_s: f64,
    /// Bytes a second that it had written, or dirtied.
    pub written_bytes_per_s: f64,
}

impl Look {
    /// Looks; `at` is the time of the look.
    pub fn now(world: &World, at: Instant) -> Look {
        let mut processes = BTreeMap::new();
        let mut hidden = 0;
        for number in world.processes() {
            match Process::of(world, number) {
                Some(process) => drop(processes.insert(number, process)),
                // One that ended in between has no folder any more, and is not hidden but gone.
                None if world.path(format!("/proc/{number}")).exists() => hidden += 1,
                None => {}
            }
        }
        Look { counters: Counters::look(world, at), processes, hidden, at }
    }

    /// Devices and processes with I/O since an earlier look, on some devices; process `own` is left out.
    pub fn since(&self, earlier: &Look, devices: &[Device], own: u32) -> Activity {
        let seconds = self.at.since(earlier.at);
        if seconds.is_zero() {
            return Activity::default();
        }
        Activity {
            devices: to_count(devices).iter().filter_map(|device| self.device(earlier, device)).collect(),
            processes: self.processes(earlier, seconds, own),
            hidden: self.hidden,
        }
    }

    fn device(&self, earlier: &Look, device: &Device) -> Option<DeviceActivity> {
        let counted = self.counters.as_ref()?.since(earlier.counters.as_ref()?, device.number())?;
        let rate = |count: u64| count as f64 / counted.seconds;
        Some(DeviceActivity {
            name: device.name().to_string(),
            read_iops: rate(counted.reads),
            write_iops: rate(counted.writes),
            read_bytes_per_s: rate(counted.read_bytes),
            written_bytes_per_s: rate(counted.written_bytes),
        })
    }

    fn processes(&self, earlier: &Look, seconds: Span, own: u32) -> Vec<ProcessActivity> {
        let mut active = Vec::new();
        for (number, new) in self.processes.iter().filter(|(number, _)| **number != own) {
            // Another process may have got the number: its counts began anew, and its name is mostly another.
            let old = earlier.processes.get(number).filter(|old| old.name == new.name);
            let Some(old) = old else { continue };
            let grown = |new: u64, old: u64| new.checked_sub(old);
            let (Some(read), Some(written)) =
                (grown(new.read_bytes, old.read_bytes), grown(new.written_bytes, old.written_bytes))
            else {
                continue;
            };
            if read > 0 || written > 0 {
                active.push((
                    read.saturating_add(written),
                    ProcessActivity {
                        process: *number,
                        name: new.name.clone(),
                        read_bytes_per_s: read as f64 / seconds.secs_f64(),
                        written_bytes_per_s: written as f64 / seconds.secs_f64(),
                    },
                ));
            }
        }
        active.sort_by_key(|(bytes, activity)| (std::cmp::Reverse(*bytes), activity.process));
        active.into_iter().map(|(_, activity)| activity).collect()
    }
}

impl Process {
    fn of(world: &World, number: u32) -> Option<Process> {
        let text = world.text(&format!("/proc/{number}/io"))?;
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().parse::<u64>().ok())
        };
        let name = world.text(&format!("/proc/{number}/comm"))?.trim().to_string();
        Some(Process { name, read_bytes: field("read_bytes")?, written_bytes: field("write_bytes")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn process(tree: &Tree, number: u32, name: &str, read: u64, written: u64) {
        tree.file(&format!("/proc/{number}/comm"), &format!("{name}\n"));
        let text = format!(
            "rchar: 1\nwchar: 2\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n"
        );
        tree.file(&format!("/proc/{number}/io"), &text);
    }

    fn at(ms: u64) -> Instant {
        Instant::from_ns(ms * 1_000_000)
    }

    #[test]
    fn two_looks_show_what_a_device_and_the_processes_did_a_second() {
        let tree = Tree::new();
        let sdb = tree.disk("sdb", "8:16");
        let sdb1 = tree.partition("sdb", "sdb1", "8:17");
        tree.file("/proc/diskstats", "8 16 sdb 100 0 800 1 10 0 80 1 0 1 1\n");
        process(&tree, 10, "postgres", 1_000, 0);
        process(&tree, 11, "idle", 5, 5);
        process(&tree, 12, "backup", 0, 0);
        process(&tree, 13, "iobound", 0, 0);
        let before = Look::now(&tree.world(), at(1_000));
        tree.file("/proc/diskstats", "8 16 sdb 250 0 2000 1 40 0 320 1 0 1 1\n");
        process(&tree, 10, "postgres", 4_000, 3_000);
        process(&tree, 12, "backup", 60_000, 0);
        process(&tree, 13, "iobound", 9_000_000, 0);
        process(&tree, 14, "new", 70_000, 0);
        let after = Look::now(&tree.world(), at(1_300));
        let activity = after.since(&before, &[sdb1, sdb], 13);
        // 150 reads of 1,200 sectors, 30 writes of 240 sectors in 0.3 s.
        let device = &activity.devices[0];
        assert_eq!(activity.devices.len(), 1);
        assert_eq!((device.read_iops, device.write_iops, device.iops()), (500.0, 100.0, 600.0));
        assert_eq!((device.read_bytes_per_s, device.written_bytes_per_s), (2_048_000.0, 409_600.0));
        let names: Vec<_> = activity.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(names, ["backup", "postgres"]);
        assert_eq!(activity.processes[1].written_bytes_per_s, 10_000.0);
        assert!(activity.exceeds(599.0) && !activity.exceeds(600.0));
    }

    #[test]
    fn a_process_that_may_not_be_seen_is_counted_as_hidden() {
        let tree = Tree::new();
        tree.file("/proc/20/comm", "secret\n");
        process(&tree, 21, "open", 1, 1);
        tree.file("/proc/22/io", "read_bytes: x\n");
        let look = Look::now(&tree.world(), at(0));
        let activity = Look::now(&tree.world(), at(300)).since(&look, &[], 1);
        assert_eq!((activity.hidden, activity.processes.len()), (2, 0));
    }

    #[test]
    fn a_number_that_another_process_got_shows_nothing() {
        let tree = Tree::new();
        process(&tree, 30, "one", 100, 0);
        process(&tree, 31, "same", 100, 0);
        let before = Look::now(&tree.world(), at(0));
        process(&tree, 30, "two", 200, 0);
        process(&tree, 31, "same", 50, 0);
        assert!(Look::now(&tree.world(), at(300)).since(&before, &[], 1).processes.is_empty());
    }

    #[test]
    fn no_time_between_the_looks_is_no_activity() {
        let tree = Tree::new();
        let look = Look::now(&tree.world(), at(5));
        assert_eq!(look.since(&look, &[], 1), Activity::default());
    }
}
